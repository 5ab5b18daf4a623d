/* methods.h - declares the handlers for the table of methods, and a macro that they share. Each is defined in the file of its noun.
 *
 * A unary handler unpacks its request, does its work in call->arena, and sends its reply by a function that a macro defines:
 *
 *	TS_REPLIER(has_reply, ts_has_reply)
 *	...
 *		return reply_has_reply(call, &reply, err);
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_METHODS_H
#define TSCOPE_SERVICE_HANDLERS_CORE_METHODS_H

#include "base/limits.h"
#include "proto/wire.h"
#include "service/handlers/core/handler.h"

/* The function `message` of each handler; the functions open, close and drop of streams follow. */
typedef enum ts_status ts_handle_fn(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err);

ts_handle_fn ts_handle_server_info;
ts_handle_fn ts_handle_has_objects;
ts_handle_fn ts_handle_put_objects;
ts_handle_fn ts_handle_commit_run;
ts_handle_fn ts_handle_update_ref;
ts_handle_fn ts_handle_ref_log;
ts_handle_fn ts_handle_find_names;
ts_handle_fn ts_handle_list_removed;
ts_handle_fn ts_handle_restore_ref;
ts_handle_fn ts_handle_set_note;
ts_handle_fn ts_handle_list_runs;
ts_handle_fn ts_handle_get_run;
ts_handle_fn ts_handle_get_objects;
ts_handle_fn ts_handle_analyze;
ts_handle_fn ts_handle_chart;
ts_handle_fn ts_handle_diff;
ts_handle_fn ts_handle_diff_matrix;
ts_handle_fn ts_handle_check_resume;
ts_handle_fn ts_handle_gate;
ts_handle_fn ts_handle_baseline;
ts_handle_fn ts_handle_trend;
ts_handle_fn ts_handle_verify;
ts_handle_fn ts_handle_collect_garbage;
ts_handle_fn ts_handle_make_token;
ts_handle_fn ts_handle_list_tokens;
ts_handle_fn ts_handle_revoke_token;
ts_handle_fn ts_handle_get_usage;
ts_handle_fn ts_handle_retain;
ts_handle_fn ts_handle_follow;
ts_handle_fn ts_handle_reduce_runs;

/* The function `quick` of the handlers that have one. */
bool ts_quick_has_objects(struct ts_call *call, struct ts_span request);

enum ts_status ts_put_open(struct ts_call *call, void **ret_state, struct ts_error *err);
enum ts_status ts_put_close(struct ts_call *call, void *state, struct ts_error *err);
void ts_put_drop(void *state);

/* Defines reply_NAME(call, in, err), which packs and sends a reply. */
#define TS_REPLIER(name, type)                                                                                         \
	static enum ts_status reply_##name(struct ts_call *call, const struct type *in, struct ts_error *err)          \
	{                                                                                                              \
		struct ts_buf out = TS_BUF_INIT(TS_MESSAGE_MAX);                                                       \
		enum ts_status status = ts_wire_pack_##name(in, &out, err);                                            \
                                                                                                                       \
		if (!status)                                                                                           \
			status = call->reply(call, ts_buf_view(&out), err);                                            \
		ts_buf_finish(&out);                                                                                   \
		return status;                                                                                         \
	}                                                                                                              \
	struct type

#endif
