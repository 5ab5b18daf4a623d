/* reflection.h - the messages of grpc.reflection.v1: a client that has no .proto file asks the server for it.
 *
 * As in wire.h, pack appends to a buffer and unpack checks what it reads; spans lie in the arena.
 */
#ifndef TSCOPE_PROTO_REFLECTION_H
#define TSCOPE_PROTO_REFLECTION_H

#include "base/arena.h"
#include "base/buf.h"

enum ts_reflection_kind { TS_REFLECT_NOTHING, TS_REFLECT_FILE, TS_REFLECT_SYMBOL, TS_REFLECT_SERVICES };

struct ts_reflection_request {
	enum ts_reflection_kind kind; /* NOTHING: what this server has not, extensions */
	struct ts_span what;	      /* the file or the symbol */
	struct ts_span whole;	      /* the request as it came: the reply repeats it */
};

enum ts_status ts_wire_unpack_reflection_request(struct ts_span in, struct ts_arena *arena, struct ts_reflection_request *ret,
						 struct ts_error *err);
/* Packs the reply: the descriptor of the file, of the file that defines the symbol, the names of the services, or an error message
 * for the client (which is TS_OK here). */
enum ts_status ts_wire_pack_reflection_reply(const struct ts_reflection_request *request, struct ts_buf *out, struct ts_error *err);

/* A .proto file of this server: its name, and the FileDescriptorSet that protoc made of it alone. The build makes the table
 * (cmake/Embed.cmake). */
struct ts_proto_file {
	const char *name;
	struct ts_span set;
};
extern const struct ts_proto_file ts_proto_files[];
extern const size_t ts_proto_files_n;

#endif
