#include "proto/test_again.h"

#include "proto/test_vectors.h"

/* A new message stands last: the first byte of an input of fuzz_wire is its place here. */
#define MESSAGES(X) \
	X(info_reply, ts_info_reply) \
	X(has_request, ts_has_request) \
	X(has_reply, ts_has_reply) \
	X(put_request, ts_put_request) \
	X(put_reply, ts_put_stats) \
	X(commit_request, ts_commit_request) \
	X(commit_reply, ts_commit_reply) \
	X(ref_request, ts_ref_request) \
	X(ref_reply, ts_ref_reply) \
	X(log_request, ts_log_request) \
	X(log_reply, ts_log_reply) \
	X(note_request, ts_note_request) \
	X(list_request, ts_list_request) \
	X(list_reply, ts_list_reply) \
	X(get_request, ts_get_request) \
	X(get_reply, ts_get_reply) \
	X(objects_request, ts_objects_request) \
	X(objects_reply, ts_put_request) \
	X(analyze_request, ts_analyze_request) \
	X(analyze_reply, ts_analysis) \
	X(diff_request, ts_diff_request) \
	X(diff_reply, ts_diff) \
	X(matrix_request, ts_matrix_request) \
	X(matrix_reply, ts_diff_matrix) \
	X(resume_request, ts_resume_request) \
	X(resume_reply, ts_resume) \
	X(gate_input, ts_gate_input) \
	X(gate_request, ts_gate_request) \
	X(gate_reply, ts_verdict) \
	X(trend_request, ts_trend_request) \
	X(trend_reply, ts_trend) \
	X(reduce_request, ts_reduce_request) \
	X(reduce_reply, ts_reduce_reply) \
	X(gate_run, ts_gate_run) \
	X(verify_request, ts_verify_request) \
	X(verify_event, ts_verify_event) \
	X(follow_request, ts_follow_request) \
	X(follow_part, ts_follow_part) \
	X(gc_request, ts_gc_request) \
	X(gc_reply, ts_gc_reply) \
	X(chart_request, ts_chart_request) \
	X(chart_reply, ts_chart) \
	X(removed_request, ts_removed_request) \
	X(removed_reply, ts_removed_reply) \
	X(find_request, ts_find_request) \
	X(find_reply, ts_find_reply) \
	X(restore_request, ts_restore_request) \
	X(restore_reply, ts_restore_reply) \
	X(make_token_request, ts_make_token_request) \
	X(revoke_token_request, ts_revoke_token_request) \
	X(tokens_reply, ts_tokens_reply) \
	X(usage_reply, ts_usage_reply) \
	X(retain_request, ts_retain_request) \
	X(retain_reply, ts_retain_reply)

#define AGAIN(name, type)                                                                                              \
	static enum ts_status again_##name(struct ts_span in, struct ts_arena *arena, struct ts_buf *out,              \
					   struct ts_error *err)                                                       \
	{                                                                                                              \
		struct type message;                                                                                   \
                                                                                                                       \
		if (ts_wire_unpack_##name(in, arena, &message, err))                                                   \
			return err->status;                                                                            \
		return ts_wire_pack_##name(&message, out, err);                                                        \
	}
MESSAGES(AGAIN)

#define ROW(name, type) {#name, again_##name, {vector_##name, sizeof vector_##name}},
const struct test_message test_messages[] = {MESSAGES(ROW)};
const size_t test_n_messages = sizeof test_messages / sizeof test_messages[0];
