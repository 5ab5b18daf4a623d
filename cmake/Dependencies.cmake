# Everything from Debian 12 packages; docs/decisions/ says why each.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(LMDB REQUIRED IMPORTED_TARGET lmdb)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
find_program(PROTOC protoc REQUIRED)
find_program(PROTOC_GEN_C NAMES protoc-gen-c protoc-c REQUIRED)

# grpc.pc overlinks some 70 libraries; two are enough when they are shared.
add_library(ts_grpc INTERFACE)
if(TS_STATIC_GRPC OR TS_STATIC)
  # grpc.pc knows what the archive needs. libsystemd is what no archive exists for, and nothing of it is used.
  execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --static --libs grpc OUTPUT_VARIABLE grpc_static
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "-lsystemd" "" grpc_static "${grpc_static}")
  separate_arguments(grpc_static)
  target_link_libraries(ts_grpc INTERFACE -Wl,-Bstatic ${grpc_static} -lstdc++ -Wl,-Bdynamic -lm)
else()
  find_library(GRPC_LIBRARY grpc REQUIRED)
  find_library(GPR_LIBRARY gpr REQUIRED)
  target_link_libraries(ts_grpc INTERFACE ${GRPC_LIBRARY} ${GPR_LIBRARY})
endif()
target_link_libraries(ts_grpc INTERFACE Threads::Threads)
