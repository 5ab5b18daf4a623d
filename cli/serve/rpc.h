/* rpc.h - messages of JSON-RPC 2.0, a line each, as the Model Context Protocol frames them.
 *
 *	if (ts_rpc_read(line, &arena, &message, &code, err))
 *		ts_rpc_error(&out, message.id, code, err->text);
 *	else if (message.kind == TS_RPC_REQUEST)
 *		ts_rpc_result(&out, message.id, result);
 */
#ifndef TSCOPE_CLI_SERVE_RPC_H
#define TSCOPE_CLI_SERVE_RPC_H

#include "base/arena.h"
#include "base/buf.h"

/* The codes of JSON-RPC's errors. */
enum ts_rpc_code {
	TS_RPC_NOT_JSON = -32700,
	TS_RPC_NO_REQUEST = -32600,
	TS_RPC_NO_METHOD = -32601,
	TS_RPC_WRONG_PARAMS = -32602,
	TS_RPC_INTERNAL = -32603,
	TS_RPC_BUSY = -32000,		/* too many requests wait */
	TS_RPC_OTHER_REVISION = -32022, /* of the protocol; the data of the error has those that are known */
};

enum ts_rpc_kind {
	TS_RPC_REQUEST,
	TS_RPC_NOTIFICATION, /* it gets no answer, whatever it says */
	TS_RPC_REPLY,	     /* an answer to a question that nobody asked here */
};

enum { TS_RPC_ID_MAX = 1024 };

struct ts_rpc_message {
	enum ts_rpc_kind kind;
	struct ts_span id;     /* JSON, as it is sent back: a text or a whole number; empty: none */
	struct ts_span method; /* unescaped */
	struct ts_span params; /* the text of an object, within the line; empty: none */
};

/* Texts lie in the arena or in the line. On failure *ret_code is the code of the error, and ret_message->id is that of the message
 * where one was read, since an error names it. */
enum ts_status ts_rpc_read(struct ts_span line, struct ts_arena *arena, struct ts_rpc_message *ret_message, enum ts_rpc_code *ret_code,
			   struct ts_error *err);

/* Append one line. id: JSON; empty: null. result: JSON of an object, in which line ends stand between tokens alone and are left out.
 * members: JSON of members that stand before those of the result, with a comma between them; NULL: none. data: JSON; empty: none. */
void ts_rpc_result(struct ts_buf *out, struct ts_span id, const char *members, struct ts_span result);
void ts_rpc_error_data(struct ts_buf *out, struct ts_span id, enum ts_rpc_code code, const char *message, struct ts_span data);
void ts_rpc_error(struct ts_buf *out, struct ts_span id, enum ts_rpc_code code, const char *message);

/* The member of an object, in *ret_value as its JSON; false where it is not there, or where the text is no object. Of several with one
 * name, the last one. */
bool ts_rpc_member(struct ts_span object, const char *name, struct ts_span *ret_value);
/* The same for a text, unescaped into the arena with a NUL behind it that is not counted. False too where it is another type, or has a
 * NUL itself. */
bool ts_rpc_text(struct ts_span object, const char *name, struct ts_arena *arena, struct ts_span *ret_text);

#endif
