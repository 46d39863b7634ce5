# Builds for 64-bit ARM with zig: one static program that needs nothing of the system it runs on but a Linux kernel,
# so it runs on Android too. The package ziglang brings the compiler, its C++ library and the C library musl.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER "${CMAKE_CURRENT_LIST_DIR}/zig-cc")
set(CMAKE_CXX_COMPILER "${CMAKE_CURRENT_LIST_DIR}/zig-c++")
set(CMAKE_ASM_COMPILER "${CMAKE_CURRENT_LIST_DIR}/zig-cc")
foreach(tool IN ITEMS AR RANLIB)
    string(TOLOWER "${tool}" name)
    set(CMAKE_${tool} "${CMAKE_CURRENT_LIST_DIR}/zig-${name}" CACHE FILEPATH "" FORCE)
    set(CMAKE_C_COMPILER_${tool} "${CMAKE_${tool}}" CACHE FILEPATH "" FORCE)
    set(CMAKE_CXX_COMPILER_${tool} "${CMAKE_${tool}}" CACHE FILEPATH "" FORCE)
endforeach()
# Without debug information: it would be three quarters of the file.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -s")
# Nothing of the computer that builds is for the one that runs.
foreach(kind IN ITEMS LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_FIND_ROOT_PATH "${CMAKE_CURRENT_LIST_DIR}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# What else decides how a file is compiled; the cache of MNN builds takes it into its key.
set(AS2D_TOOLCHAIN_PARTS "${CMAKE_CURRENT_LIST_DIR}/zig-cc")
