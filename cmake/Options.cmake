# How C is compiled here. Generated code gets none of this (target ts_generated in proto/).
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

option(TS_WERROR "warnings are errors" OFF)
set(TS_SANITIZE "" CACHE STRING "sanitizers: address,undefined or thread; empty = none")
option(TS_HARDEN "hardened release flags" OFF)
option(TS_FUZZ "build the fuzz targets (clang)" OFF)
option(TS_COVERAGE "gcov instrumentation" OFF)
option(TS_STATIC_GRPC "link gRPC statically: a process starts in 1 ms, not in 5" OFF)
option(TS_STATIC "link everything but libc statically" OFF)

add_library(ts_flags INTERFACE)
target_compile_definitions(ts_flags INTERFACE _GNU_SOURCE TS_VERSION="${PROJECT_VERSION}")
target_include_directories(ts_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(ts_flags INTERFACE
  -ffp-contract=off -fno-strict-aliasing
  -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
  -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wdouble-promotion -Wswitch-enum
  -Wimplicit-fallthrough $<$<BOOL:${TS_WERROR}>:-Werror>)
if(TS_SANITIZE)
  target_compile_options(ts_flags INTERFACE -fsanitize=${TS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(ts_flags INTERFACE -fsanitize=${TS_SANITIZE})
endif()
if(TS_HARDEN)
  target_compile_options(ts_flags INTERFACE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection -fcf-protection)
  target_link_options(ts_flags INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
if(TS_COVERAGE)
  target_compile_options(ts_flags INTERFACE --coverage)
  target_link_options(ts_flags INTERFACE --coverage)
endif()
