/* engine_common.h - the rules that all engines share: which updates are well formed, when an expectation holds, where a page
 * continues. Internal to store/.
 */
#ifndef TSCOPE_STORE_ENGINE_COMMON_H
#define TSCOPE_STORE_ENGINE_COMMON_H

#include "store/engine.h"

enum { TS_NOTE_KEY_MAX = 128, TS_WHO_MAX = 512, TS_REF_NAME_MAX = 257, TS_LIST_MAX = 16384 };

enum ts_status ts_ref_kind_check(enum ts_ref_kind kind, struct ts_error *err);
/* TS_INVALID unless the name has 1 to TS_REF_NAME_MAX bytes and no NUL. */
enum ts_status ts_ref_name_check(struct ts_span name, struct ts_error *err);
/* Checks names and lengths, and that no name stands twice. */
enum ts_status ts_updates_check(const struct ts_ref_update *updates, size_t n, struct ts_error *err);
/* Checks the expectation of an update. current is NULL if there is no such ref. TS_CONFLICT if the expectation fails,
 * TS_NOT_FOUND if the update removes a ref that is not there. */
enum ts_status ts_expect_check(const struct ts_ref_update *update, const struct ts_id *current, struct ts_error *err);
/* The ref after the update; current is the ref before it (seq 0: none). Spans are those of the update. For a removal it is
 * current. */
struct ts_ref ts_ref_after(const struct ts_ref_update *update, const struct ts_ref *current);
/* Copies the texts into the arena, in one block, and adds a NUL after each; all or none. */
enum ts_status ts_texts_copy(struct ts_arena *arena, struct ts_span *const *texts, size_t n, struct ts_error *err);
enum ts_status ts_ref_copy(struct ts_arena *arena, const struct ts_ref *ref, struct ts_ref *ret_ref, struct ts_error *err);
enum ts_status ts_pruned_copy(struct ts_arena *arena, const struct ts_pruned *pruned, struct ts_pruned *ret_pruned,
			      struct ts_error *err);
/* Checks kinds, names and lengths, and that nothing stands twice. */
enum ts_status ts_retire_check(const struct ts_retire *retire, struct ts_error *err);
/* TS_TOO_LARGE if an extract has more than TS_EXTRACT_MAX bytes. */
enum ts_status ts_extracts_check(const struct ts_extract *extracts, size_t n, struct ts_error *err);
enum ts_status ts_record_check(const struct ts_record *record, struct ts_error *err);
enum ts_status ts_note_check(struct ts_span name, const struct ts_note *note, struct ts_error *err);
/* Set TS_NOT_FOUND for a ref, and for an object. */
enum ts_status ts_no_ref(enum ts_ref_kind kind, struct ts_span name, struct ts_error *err);
enum ts_status ts_no_object(const struct ts_id *id, struct ts_error *err);
enum ts_status ts_no_extract(struct ts_error *err);
/* Sets TS_NOT_FOUND for a commit of an object whose closure lacks this object. */
enum ts_status ts_incomplete(const struct ts_id *missing, struct ts_error *err);

/* True if a lease must be renewed. */
bool ts_lease_is_old(int64_t lease_ns, int64_t now_ns);
/* True if a lease was made by a clock that ran more than TS_LEASE_FRESH_SECONDS ahead of now_ns: it counts as made now, and who meets
 * it writes it anew. */
bool ts_lease_is_ahead(int64_t lease_ns, int64_t now_ns);

/* A time as eight bytes that sort the latest time first, and back. */
void ts_time_key(int64_t time_ns, uint8_t out[8]);
int64_t ts_time_of_key(const uint8_t key[8]);

/* Where a page begins: after this (time, name), or after this name. A page has at most TS_LIST_MAX refs, whatever limit the
 * query has. */
struct ts_page {
	bool begun;
	int64_t moved_ns; /* TS_ORDER_NEWEST only */
	struct ts_span name;
};
/* Reads the token of a query; an empty token is the beginning. TS_INVALID if it is not a token. */
enum ts_status ts_page_of(const struct ts_ref_query *query, struct ts_page *ret_page, struct ts_error *err);
/* Makes the token of the page after the ref `last`. */
enum ts_status ts_page_token(const struct ts_ref *last, enum ts_ref_order order, struct ts_arena *arena,
			     struct ts_span *ret_token, struct ts_error *err);

/* The first and the last id that begin with these hex digits; TS_INVALID if they are not 1 to 64 hex digits. */
enum ts_status ts_prefix_range(struct ts_span hex, struct ts_id *ret_first, struct ts_id *ret_last,
			       struct ts_error *err);

#endif
