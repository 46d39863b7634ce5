# How every target of ours is compiled, and the functions that make libraries, programs and tests from folders.

add_library(as2d_options INTERFACE)
target_compile_features(as2d_options INTERFACE cxx_std_20)
target_include_directories(as2d_options INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_options(as2d_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror)
# Nothing reads the flags of floating-point exceptions, and without them loops with a choice become vectors.
target_compile_options(as2d_options INTERFACE -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 22)
    # doctest's macros count their uses with __COUNTER__, which clang takes for a name of the C to come.
    target_compile_options(as2d_options INTERFACE -Wno-c2y-extensions)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    # AVX2, FMA, BMI2, F16C: the least that the helper needs on a computer.
    target_compile_options(as2d_options INTERFACE -march=x86-64-v3)
endif()
if(AS2D_SANITIZE)
    set(sanitize -fsanitize=${AS2D_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(as2d_options INTERFACE ${sanitize} -g -O1)
    target_link_options(as2d_options INTERFACE ${sanitize})
endif()

set(CMAKE_CXX_EXTENSIONS OFF)

# as2d_library(NAME FOLDERS folder... [EXCEPT file...] [LINK target...])
# A folder without .cpp files gives a library of headers.
function(as2d_library name)
    cmake_parse_arguments(PARSE_ARGV 1 the "" "" "FOLDERS;EXCEPT;LINK")
    set(sources)
    foreach(folder IN LISTS the_FOLDERS)
        file(GLOB found CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp"
            "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*/*.cpp")
        list(APPEND sources ${found})
        foreach(file IN LISTS the_EXCEPT)
            list(REMOVE_ITEM sources "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${file}")
        endforeach()
    endforeach()
    if(sources)
        add_library(${name} STATIC ${sources})
        target_link_libraries(${name} PUBLIC as2d_options ${the_LINK})
    else()
        add_library(${name} INTERFACE)
        target_link_libraries(${name} INTERFACE as2d_options ${the_LINK})
    endif()
endfunction()

# as2d_program(NAME MAIN file LINK target...): left out while the file does not exist.
function(as2d_program name)
    cmake_parse_arguments(PARSE_ARGV 1 the "" "MAIN" "LINK")
    file(GLOB main CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${the_MAIN}")
    if(NOT main)
        return()
    endif()
    add_executable(${name} "${main}")
    target_link_libraries(${name} PRIVATE ${the_LINK})
    # The program runs on machines with an older C++ library than the compiler's; cross compilers bring a static one.
    if(NOT AS2D_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
        target_link_options(${name} PRIVATE -static-libgcc -static-libstdc++)
    endif()
endfunction()

# as2d_test(PART LINK target...): tests/PART/**.cpp becomes one program and one test of ctest, run in the
# repository's root.
function(as2d_test part)
    cmake_parse_arguments(PARSE_ARGV 1 the "" "" "LINK")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/${part}/*.cpp")
    if(NOT sources)
        return()
    endif()
    if(NOT TARGET as2d_test_main)
        add_library(as2d_test_main STATIC "${CMAKE_CURRENT_SOURCE_DIR}/tests/main.cpp")
        target_link_libraries(as2d_test_main PUBLIC as2d_options doctest::doctest)
    endif()
    add_executable(test_${part} ${sources})
    target_link_libraries(test_${part} PRIVATE as2d_test_main ${the_LINK})
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR PARENT_PATH root)
    add_test(NAME ${part} COMMAND test_${part} WORKING_DIRECTORY "${root}")
    set_tests_properties(${part} PROPERTIES TIMEOUT 300)
endfunction()
