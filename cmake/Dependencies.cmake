# Everything from Debian 12 packages; docs/decisions/ says why each.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
if(TS_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
endif()
pkg_check_modules(LMDB REQUIRED IMPORTED_TARGET lmdb)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(SSL REQUIRED IMPORTED_TARGET libssl)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c)
pkg_check_modules(EVENT REQUIRED IMPORTED_TARGET libevent_core libevent_extra libevent_pthreads)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
find_program(PROTOC protoc REQUIRED)
find_program(PROTOC_GEN_C NAMES protoc-gen-c protoc-c REQUIRED)

# gRPC's shared library drags in 52 others: a process that links it takes 5 ms to start, and a command line starts often.
# TS_STATIC takes archives for everything but libc (docs/decisions/0003-linking.md). grpc.pc knows what its archive needs;
# libsystemd has no archive and nothing of it is used.
add_library(ts_grpc INTERFACE)
if(TS_STATIC)
  execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --static --libs grpc OUTPUT_VARIABLE grpc_static
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(grpc_static)
  list(REMOVE_ITEM grpc_static -lsystemd -ldl -lrt -latomic -pthread -Wl,--push-state,--as-needed -Wl,--pop-state)
  target_link_libraries(ts_grpc INTERFACE -Wl,-Bstatic ${grpc_static} -lstdc++
                        $<$<NOT:$<OR:$<BOOL:${TS_STATIC_LIBC}>,$<BOOL:$<TARGET_PROPERTY:TS_WITH_LIBC>>>>:-Wl,-Bdynamic> -static-libgcc -lm)
else()
  find_library(GRPC_LIBRARY grpc REQUIRED)
  find_library(GPR_LIBRARY gpr REQUIRED)
  target_link_libraries(ts_grpc INTERFACE ${GRPC_LIBRARY} ${GPR_LIBRARY})
endif()
target_link_libraries(ts_grpc INTERFACE Threads::Threads)
