# Header-only libraries from system packages, copied into the build folder: a cross compiler must not see /usr/include.
#
#   AS2D_JSON_INCLUDE    folder with nlohmann/json.hpp, when it is not the system's
#   AS2D_DOCTEST_INCLUDE folder with doctest/doctest.h, when it is not the system's

# as2d_system_headers(TARGET FOLDER folder PROBE file PACKAGE name VARIABLE name)
function(as2d_system_headers target)
    cmake_parse_arguments(PARSE_ARGV 1 the "" "FOLDER;PROBE;PACKAGE;VARIABLE" "")
    set(${the_VARIABLE} "" CACHE PATH "Folder that holds ${the_FOLDER}/${the_PROBE}")
    find_path(${the_VARIABLE}_FOUND "${the_FOLDER}/${the_PROBE}" HINTS "${${the_VARIABLE}}"
        PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
    if(NOT ${the_VARIABLE}_FOUND)
        message(FATAL_ERROR "The header ${the_FOLDER}/${the_PROBE} is missing: install the package ${the_PACKAGE} "
            "(Debian, Ubuntu) or name its folder with -D${the_VARIABLE}=FOLDER.")
    endif()
    set(copy "${CMAKE_BINARY_DIR}/headers/${target}")
    file(COPY "${${the_VARIABLE}_FOUND}/${the_FOLDER}" DESTINATION "${copy}")
    string(REPLACE "::" "_" plain "${target}")
    add_library(${plain}_headers INTERFACE)
    target_include_directories(${plain}_headers SYSTEM INTERFACE "${copy}")
    add_library(${target} ALIAS ${plain}_headers)
endfunction()

as2d_system_headers(nlohmann::json FOLDER nlohmann PROBE json.hpp PACKAGE nlohmann-json3-dev
    VARIABLE AS2D_JSON_INCLUDE)
if(AS2D_TESTS)
    as2d_system_headers(doctest::doctest FOLDER doctest PROBE doctest.h PACKAGE doctest-dev
        VARIABLE AS2D_DOCTEST_INCLUDE)
endif()

# as2d_build_id: <as2d_build.hpp> with the version, the version of MNN and a digest of the sources.
file(GLOB_RECURSE as2d_sources CONFIGURE_DEPENDS
    "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/*.hpp" "${CMAKE_CURRENT_SOURCE_DIR}/*.cmake")
list(FILTER as2d_sources EXCLUDE REGEX "/native/tests/")
add_custom_command(
    OUTPUT "${CMAKE_BINARY_DIR}/generated/as2d_build.hpp"
    COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_CURRENT_SOURCE_DIR}"
        "-DOUTPUT=${CMAKE_BINARY_DIR}/generated/as2d_build.hpp" "-DVERSION=${AS2D_VERSION}"
        "-DTARGET=${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}"
        -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/BuildId.cmake"
    DEPENDS ${as2d_sources} COMMENT "Digest of the sources" VERBATIM)
add_custom_target(as2d_build_header DEPENDS "${CMAKE_BINARY_DIR}/generated/as2d_build.hpp")
add_library(as2d_build_id INTERFACE)
add_dependencies(as2d_build_id as2d_build_header)
target_include_directories(as2d_build_id INTERFACE "${CMAKE_BINARY_DIR}/generated")
