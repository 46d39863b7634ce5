# Provides the imported target mnn::mnn: MNN as a static library, built once into the user's cache.
#
#   MNN_SOURCE_DIR       an own MNN tree of the same version instead of the pinned crate
#   AS2D_OPENCL          with MNN's OpenCL back end
#   AS2D_MNN_DEFINITIONS more options for MNN's build, NAME=VALUE; a later one wins

set(AS2D_MNN_VERSION 3.6.1)
set(AS2D_MNN_CRATE mnn-sys)
set(AS2D_MNN_CRATE_VERSION 0.2.0)
set(AS2D_MNN_CRATE_SHA256 9034853e342dde6533c5ad8cffd7e0f979e3cd4ce0e782630177e9659f1328b0)
# Digest of the files themselves (mnn_source.tree_digest), so that no list that comes along has to be believed.
set(AS2D_MNN_TREE_SHA256 9ed3326508123613386dde9a9ca989c84447011db547aea80b10fce86c4af114)

set(MNN_SOURCE_DIR "" CACHE PATH "An own MNN ${AS2D_MNN_VERSION} source tree, used instead of the pinned crate")
option(AS2D_OPENCL "Build MNN with its OpenCL back end" ON)
set(AS2D_MNN_DEFINITIONS "" CACHE STRING "More options for MNN's build, NAME=VALUE, separated by semicolons")

function(as2d_provide_mnn)
    find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)

    # MNN_AVX512 stays off: it makes integer arithmetic depend on the width of a call, and helps little.
    set(definitions
        CMAKE_BUILD_TYPE=Release
        MNN_BUILD_SHARED_LIBS=OFF MNN_SEP_BUILD=OFF MNN_BUILD_CONVERTER=OFF MNN_BUILD_TOOLS=OFF
        MNN_BUILD_TEST=OFF MNN_BUILD_BENCHMARK=OFF MNN_BUILD_TRAIN=OFF MNN_BUILD_DEMO=OFF
        MNN_SUPPORT_TRANSFORMER_FUSE=ON MNN_LOW_MEMORY=ON MNN_OPENCL=OFF
        MNN_USE_SYSTEM_LIB=OFF MNN_USE_THREAD_POOL=ON MNN_OPENMP=OFF MNN_KLEIDIAI=OFF MNN_AVX512=OFF)
    if(AS2D_OPENCL)
        list(TRANSFORM definitions REPLACE "^MNN_OPENCL=.*" "MNN_OPENCL=ON")
    endif()
    list(APPEND definitions ${AS2D_MNN_DEFINITIONS})

    set(platform
        "${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}"
        "c ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} ${CMAKE_C_COMPILER_TARGET}"
        "c++ ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_COMPILER_TARGET}")
    set(toolchain "CMAKE_C_COMPILER=${CMAKE_C_COMPILER}" "CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}")
    if(CMAKE_TOOLCHAIN_FILE)
        # A toolchain file chooses the compilers itself, from the variables that it asks for.
        foreach(part IN LISTS CMAKE_TOOLCHAIN_FILE AS2D_TOOLCHAIN_PARTS)
            file(SHA256 "${part}" toolchain_digest)
            list(APPEND platform "toolchain ${toolchain_digest}")
        endforeach()
        set(toolchain "CMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE}")
        foreach(variable IN LISTS CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ITEMS ANDROID_ABI ANDROID_PLATFORM ANDROID_STL)
            if(DEFINED ${variable})
                list(APPEND toolchain "${variable}=${${variable}}")
                list(APPEND platform "${variable}=${${variable}}")
            endif()
        endforeach()
    endif()

    set(command "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/mnn_cache.py"
        --version ${AS2D_MNN_VERSION} --crate ${AS2D_MNN_CRATE} --crate-version ${AS2D_MNN_CRATE_VERSION}
        --crate-sha256 ${AS2D_MNN_CRATE_SHA256} --tree-sha256 ${AS2D_MNN_TREE_SHA256}
        --cmake "${CMAKE_COMMAND}")
    if(CMAKE_GENERATOR MATCHES "Ninja")
        list(APPEND command --ninja "${CMAKE_MAKE_PROGRAM}")
    endif()
    if(MNN_SOURCE_DIR)
        list(APPEND command --source-dir "${MNN_SOURCE_DIR}")
    endif()
    foreach(option IN ITEMS define platform toolchain)
        set(values_define "${definitions}")
        set(values_platform "${platform}")
        set(values_toolchain "${toolchain}")
        foreach(value IN LISTS values_${option})
            list(APPEND command "--${option}=${value}")
        endforeach()
    endforeach()

    # Progress goes to standard error, past CMake, as it comes.
    execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE entry OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "MNN ${AS2D_MNN_VERSION} could not be provided (${status}); the reason stands above.")
    endif()
    message(STATUS "MNN ${AS2D_MNN_VERSION}: ${entry}")

    find_package(Threads REQUIRED)
    add_library(mnn::mnn STATIC IMPORTED GLOBAL)
    set_target_properties(mnn::mnn PROPERTIES
        IMPORTED_LOCATION "${entry}/lib/libMNN.a"
        INTERFACE_INCLUDE_DIRECTORIES "${entry}/include;${entry}/source;${entry}/schema/current;${entry}/3rd_party/flatbuffers/include"
        INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS}"
        INTERFACE_LINK_OPTIONS "-Wl,-z,noexecstack"
        INTERFACE_COMPILE_DEFINITIONS "AS2D_MNN_VERSION=\"${AS2D_MNN_VERSION}\";MNN_USE_THREAD_POOL")
    set(AS2D_MNN_ENTRY "${entry}" CACHE INTERNAL "Entry of the cache that MNN is taken from")
endfunction()
