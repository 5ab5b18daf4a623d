/* ask.h - the unary methods of the service as functions on plain structs. Each packs the request, calls the service and unpacks the
 * reply, which lies in the arena. */
#ifndef TSCOPE_CLI_CORE_ASK_H
#define TSCOPE_CLI_CORE_ASK_H

#include "proto/wire.h"
#include "service/handlers/channel.h"

enum ts_status ts_ask_info(struct ts_channel *ch, struct ts_arena *arena, struct ts_info_reply *ret,
			   struct ts_error *err);
/* Whether the other side has what is new since 0.1.0 and has this name (proto/capability.h). */
enum ts_status ts_ask_capability(struct ts_channel *ch, const char *name, struct ts_arena *arena, bool *ret, struct ts_error *err);
enum ts_status ts_ask_has(struct ts_channel *ch, const struct ts_has_request *in, struct ts_arena *arena,
			  struct ts_has_reply *ret, struct ts_error *err);
enum ts_status ts_ask_commit(struct ts_channel *ch, const struct ts_commit_request *in, struct ts_arena *arena,
			     struct ts_commit_reply *ret, struct ts_error *err);
enum ts_status ts_ask_ref(struct ts_channel *ch, const struct ts_ref_request *in, struct ts_arena *arena,
			  struct ts_ref_reply *ret, struct ts_error *err);
enum ts_status ts_ask_log(struct ts_channel *ch, const struct ts_log_request *in, struct ts_arena *arena,
			  struct ts_log_reply *ret, struct ts_error *err);
enum ts_status ts_ask_find(struct ts_channel *ch, const struct ts_find_request *in, struct ts_arena *arena,
			   struct ts_find_reply *ret, struct ts_error *err);
enum ts_status ts_ask_removed(struct ts_channel *ch, const struct ts_removed_request *in, struct ts_arena *arena,
			      struct ts_removed_reply *ret, struct ts_error *err);
enum ts_status ts_ask_restore(struct ts_channel *ch, const struct ts_restore_request *in, struct ts_arena *arena,
			      struct ts_restore_reply *ret, struct ts_error *err);
enum ts_status ts_ask_retain(struct ts_channel *ch, const struct ts_retain_request *in, struct ts_arena *arena,
			     struct ts_retain_reply *ret, struct ts_error *err);
enum ts_status ts_ask_note(struct ts_channel *ch, const struct ts_note_request *in, struct ts_arena *arena,
			   struct ts_error *err);
enum ts_status ts_ask_list(struct ts_channel *ch, const struct ts_list_request *in, struct ts_arena *arena,
			   struct ts_list_reply *ret, struct ts_error *err);
/* As ts_ask_get, with the metrics of the columns. */
enum ts_status ts_ask_get_metrics(struct ts_channel *ch, struct ts_span spec, struct ts_arena *arena, struct ts_get_reply *ret,
				  struct ts_error *err);
enum ts_status ts_ask_get(struct ts_channel *ch, struct ts_span spec, struct ts_arena *arena,
			  struct ts_get_reply *ret, struct ts_error *err);
enum ts_status ts_ask_analyze(struct ts_channel *ch, const struct ts_analyze_request *in, struct ts_arena *arena,
			      struct ts_analysis *ret, struct ts_error *err);
enum ts_status ts_ask_chart(struct ts_channel *ch, const struct ts_chart_request *in, struct ts_arena *arena,
			    struct ts_chart *ret, struct ts_error *err);
enum ts_status ts_ask_diff(struct ts_channel *ch, const struct ts_diff_request *in, struct ts_arena *arena,
			   struct ts_diff *ret, struct ts_error *err);
enum ts_status ts_ask_matrix(struct ts_channel *ch, const struct ts_matrix_request *in, struct ts_arena *arena,
			     struct ts_diff_matrix *ret, struct ts_error *err);
enum ts_status ts_ask_resume(struct ts_channel *ch, const struct ts_resume_request *in, struct ts_arena *arena,
			     struct ts_resume *ret, struct ts_error *err);
enum ts_status ts_ask_gate(struct ts_channel *ch, const struct ts_gate_request *in, struct ts_arena *arena,
			   struct ts_verdict *ret, struct ts_error *err);
enum ts_status ts_ask_baseline(struct ts_channel *ch, const struct ts_gate_request *in, struct ts_arena *arena,
			       struct ts_gate_input *ret, struct ts_error *err);
enum ts_status ts_ask_trend(struct ts_channel *ch, const struct ts_trend_request *in, struct ts_arena *arena,
			    struct ts_trend *ret, struct ts_error *err);
enum ts_status ts_ask_gc(struct ts_channel *ch, const struct ts_gc_request *in, struct ts_arena *arena,
			 struct ts_gc_reply *ret, struct ts_error *err);

/* Each message that comes is a verify_event. */
enum ts_status ts_ask_verify(struct ts_channel *ch, const struct ts_verify_request *in, struct ts_arena *arena, ts_message_fn *take,
			     void *ctx, struct ts_error *err);

/* Fetches one object into the arena and verifies it against its id. */
enum ts_status ts_ask_make_token(struct ts_channel *ch, const struct ts_make_token_request *in, struct ts_arena *arena,
				 struct ts_tokens_reply *ret, struct ts_error *err);
enum ts_status ts_ask_list_tokens(struct ts_channel *ch, struct ts_arena *arena, struct ts_tokens_reply *ret, struct ts_error *err);
enum ts_status ts_ask_usage(struct ts_channel *ch, struct ts_arena *arena, struct ts_usage_reply *ret, struct ts_error *err);
enum ts_status ts_ask_revoke_token(struct ts_channel *ch, const struct ts_revoke_token_request *in, struct ts_arena *arena,
				   struct ts_tokens_reply *ret, struct ts_error *err);
enum ts_status ts_ask_object(struct ts_channel *ch, const struct ts_id *id, struct ts_arena *arena,
			     struct ts_span *ret_object, struct ts_error *err);
/* Fetches the text of a fact of type TS_FACT_LONG, which is stored as a separate object. */
enum ts_status ts_ask_long_text(struct ts_channel *ch, const struct ts_fact *fact, struct ts_arena *arena,
				struct ts_span *ret_text, struct ts_error *err);

struct ts_cli;

/* An object of the command's target; ctx is the struct ts_cli (run/index.h). */
ts_object_source ts_stored_object;
/* Asks a server for objects that ts_stored_object will be asked for (prefetch.h). What is in this process needs no such thing. */
enum ts_status ts_stored_prefetch(struct ts_cli *cli, const struct ts_id *ids, size_t n, struct ts_error *err);
/* The same of all that these n indexes of files' columns refer to. */
enum ts_status ts_stored_columns_prefetch(struct ts_cli *cli, const struct ts_id *columns, size_t n, struct ts_error *err);

#endif
