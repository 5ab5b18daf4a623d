/* engine_common.h - what every engine decides alike: which updates are well formed, what an expectation finds, how a page
 * goes on. Internal to store/.
 */
#ifndef TSCOPE_STORE_ENGINE_COMMON_H
#define TSCOPE_STORE_ENGINE_COMMON_H

#include "store/engine.h"

enum { TS_NOTE_KEY_MAX = 128, TS_WHO_MAX = 512, TS_REF_NAME_MAX = 257, TS_LIST_MAX = 16384 };

enum ts_status ts_ref_kind_check(enum ts_ref_kind kind, struct ts_error *err);
/* 1 to TS_REF_NAME_MAX bytes without NUL. */
enum ts_status ts_ref_name_check(struct ts_span name, struct ts_error *err);
/* Names and lengths, and no name twice. */
enum ts_status ts_updates_check(const struct ts_ref_update *updates, size_t n, struct ts_error *err);
/* current is NULL when there is no such ref. TS_CONFLICT, or TS_NOT_FOUND for removing what is not there. */
enum ts_status ts_expect_check(const struct ts_ref_update *update, const struct ts_id *current, struct ts_error *err);
/* The ref that the update makes of the one there was (seq 0 = none); spans are the update's own. For a removal, current. */
struct ts_ref ts_ref_after(const struct ts_ref_update *update, const struct ts_ref *current);
enum ts_status ts_ref_copy(struct ts_arena *arena, const struct ts_ref *ref, struct ts_ref *ret_ref, struct ts_error *err);
enum ts_status ts_note_check(struct ts_span name, const struct ts_note *note, struct ts_error *err);
enum ts_status ts_no_ref(enum ts_ref_kind kind, struct ts_span name, struct ts_error *err);
enum ts_status ts_no_object(const struct ts_id *id, struct ts_error *err);
/* The object that a commit asked for refers to one that is not there. */
enum ts_status ts_incomplete(const struct ts_id *missing, struct ts_error *err);

/* Is it to be written anew? A lease of the future, by a clock that was put back since, is not. */
bool ts_lease_is_old(int64_t lease_ns, int64_t now_ns);

/* Eight bytes that sort the latest time first, and back. */
void ts_time_key(int64_t time_ns, uint8_t out[8]);
int64_t ts_time_of_key(const uint8_t key[8]);

/* A page has at most TS_LIST_MAX refs, whatever is asked for. Where it begins: after this (time, name) or name. An empty token
 * is the beginning. TS_INVALID for what is no token. */
struct ts_page {
	bool begun;
	int64_t moved_ns; /* TS_ORDER_NEWEST only */
	struct ts_span name;
};
enum ts_status ts_page_of(const struct ts_ref_query *query, struct ts_page *ret_page, struct ts_error *err);
enum ts_status ts_page_token(const struct ts_ref *last, enum ts_ref_order order, struct ts_arena *arena,
			     struct ts_span *ret_token, struct ts_error *err);
/* Below 0 when a stands before b in that order. */
int ts_ref_compare(enum ts_ref_order order, int64_t a_ns, struct ts_span a, int64_t b_ns, struct ts_span b);

/* The first and last id that begin with these nibbles; TS_INVALID. */
enum ts_status ts_prefix_range(struct ts_span hex, struct ts_id *ret_first, struct ts_id *ret_last,
			       struct ts_error *err);

#endif
