#include "tests/fault/fault.h"

#include "base/clock.h"
#include "base/cursor.h"
#include "base/limits.h"
#include "store/test_seal.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCKS = 4, LITTER = 200, KEPT_ENTRIES = 1 };

static const char branch[] = "p/history";

static const struct ts_span sender = {(const uint8_t *)"writer", 6};

static enum ts_status seal(struct ts_buf *object, struct ts_arena *arena, struct ts_sealed *ret, struct ts_error *err)
{
	struct ts_span copy = ts_arena_span(arena, ts_buf_view(object));

	ts_buf_finish(object);
	return copy.data ? test_seal_bytes(copy, arena, ret, err) : ts_arena_error(arena, err);
}

static enum ts_status make_block(uint64_t seed, size_t words, struct ts_arena *arena, struct ts_sealed *ret,
				 struct ts_error *err)
{
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	uint64_t x = seed;

	ts_object_begin(&object, 4, 1, TS_LAYOUT_WORDS, NULL, 0);
	for (size_t i = 0; i < words; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		ts_buf_u64(&object, x ^ x >> 31);
	}
	return seal(&object, arena, ret, err);
}

static enum ts_status make_node(uint8_t kind, const struct ts_sealed *children, uint32_t n, uint64_t tag,
				struct ts_arena *arena, struct ts_sealed *ret, struct ts_error *err)
{
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_id refs[BLOCKS];

	for (uint32_t i = 0; i < n; i++)
		refs[i] = children[i].id;
	ts_object_begin(&object, kind, 1, TS_LAYOUT_BYTES, refs, n);
	ts_buf_u64(&object, tag);
	return seal(&object, arena, ret, err);
}

enum ts_status fault_push(struct ts_engine *e, uint64_t number, struct ts_arena *arena, struct ts_id *ret_id,
			  struct ts_error *err)
{
	struct ts_sealed objects[BLOCKS + 2];
	struct ts_ref_update update = {.kind = TS_REF_RUN, .now_ns = ts_now_real_ns()};
	char name[32];

	(void)snprintf(name, sizeof name, "p/%" PRIu64, number);
	for (uint64_t i = 0; i < BLOCKS; i++) /* the first block is the same in all runs; the others have all sizes up to 40 KiB */
		if (make_block(i ? number * BLOCKS + i : 0, i ? (number * 7919 + i * 104729) % 5000 : 100, arena, &objects[i],
			       err))
			return err->status;
	if (make_node(2, objects, BLOCKS, number, arena, &objects[BLOCKS], err) ||
	    make_node(1, objects + BLOCKS, 1, number, arena, &objects[BLOCKS + 1], err))
		return err->status;
	if (e->ops->upload_many(e, sender, objects, 3, NULL, err) ||
	    e->ops->upload_many(e, sender, objects + 3, BLOCKS - 1, NULL, err))
		return err->status;
	update.name = ts_span_str(name);
	update.id = objects[BLOCKS + 1].id;
	if (e->ops->commit(e, &update, 1, arena, NULL, err))
		return err->status;
	*ret_id = update.id;
	return TS_OK;
}

/* Retires all but the newest entries of the branch. Others may do the same at the same time. */
static enum ts_status retire_old(struct ts_engine *e, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_retire what = {.now_ns = ts_now_real_ns(), .planned_ns = INT64_MAX, .who = ts_span_str("policy")};
	enum ts_retire_outcome outcomes[TS_RETIRE_MAX];
	struct ts_retired items[TS_RETIRE_MAX];
	struct ts_log_entry *log;
	size_t n;

	if (e->ops->ref_log(e, TS_REF_BRANCH, ts_span_str(branch), 0, arena, &log, &n, err))
		return err->status;
	for (size_t i = KEPT_ENTRIES; i < n && what.n < TS_RETIRE_MAX; i++)
		items[what.n++] = (struct ts_retired){TS_REF_BRANCH, ts_span_str(branch), log[i].seq, log[i].id};
	what.items = items;
	return e->ops->retire(e, &what, outcomes, err);
}

enum ts_status fault_history(struct ts_engine *e, uint64_t number, const struct ts_id *id, struct ts_arena *arena,
			     struct ts_error *err)
{
	struct ts_ref_update update = {.kind = TS_REF_BRANCH, .name = ts_span_str(branch), .id = *id, .now_ns = ts_now_real_ns(),
				       .who = ts_span_str("writer")};

	if (number % 4)
		return TS_OK;
	return e->ops->commit(e, &update, 1, arena, NULL, err) ? err->status : retire_old(e, arena, err);
}

enum ts_status fault_litter(struct ts_engine *e, uint64_t number, size_t n, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_sealed objects[LITTER];

	for (uint64_t i = 0; i < n; i++)
		if (make_block((number + 1) << 32 | i, 3, arena, &objects[i], err))
			return err->status;
	return e->ops->upload_many(e, sender, objects, n, NULL, err);
}

static char complaint[1400];

static const char *complain(const char *what, uint64_t number, const char *text)
{
	(void)snprintf(complaint, sizeof complaint, "%s %" PRIu64 ": %s", what, number, text);
	return complaint;
}

static const char *check_acks(struct ts_engine *e, const uint8_t *acks, size_t n, struct ts_arena *arena)
{
	for (size_t at = 0; at + FAULT_ACK <= n; at += FAULT_ACK) {
		uint64_t number = ts_load_le(acks + at, 8);
		struct ts_ref ref;
		struct ts_error err;
		char name[32];

		(void)snprintf(name, sizeof name, "p/%" PRIu64, number);
		if (e->ops->ref_get(e, TS_REF_RUN, ts_span_str(name), arena, &ref, &err))
			return complain("acknowledged and lost: run", number, err.text);
		if (memcmp(ref.id.bytes, acks + at + 8, TS_ID_BYTES) != 0)
			return complain("acknowledged with another id: run", number, "");
	}
	return NULL;
}

/* Names and unnamed bytes are counted in the transaction that changes them. */
static const char *check_counts(const struct ts_verify_report *report)
{
	for (size_t i = 0; i < report->n_drifts; i++) {
		const struct ts_drift *d = &report->drifts[i];

		if (d->counted.used[TS_USE_NAMES] != d->found[TS_USE_NAMES])
			return complain("names were miscounted:", d->counted.used[TS_USE_NAMES], "");
		if (d->counted.used[TS_USE_UNNAMED] != d->found[TS_USE_UNNAMED])
			return complain("unnamed bytes were miscounted:", d->counted.used[TS_USE_UNNAMED], "");
	}
	return NULL;
}

/* What is not in the log of the branch was retired, and is counted. */
static const char *check_history(struct ts_engine *e, struct ts_arena *arena)
{
	struct ts_span name = ts_span_str(branch);
	struct ts_pruned pruned;
	struct ts_log_entry *log;
	struct ts_error err;
	size_t n;

	if (e->ops->ref_log(e, TS_REF_BRANCH, name, 0, arena, &log, &n, &err))
		return err.status == TS_NOT_FOUND ? NULL : complain("history", 0, err.text);
	if (e->ops->log_pruned(e, TS_REF_BRANCH, name, arena, &pruned, &err))
		return complain("history", 0, err.text);
	if (n + pruned.entries != log[0].seq)
		return complain("entries that are missing in a history, and not counted:", log[0].seq - n - pruned.entries, "");
	return NULL;
}

static const char *check_store(struct ts_engine *e, const uint8_t *acks, size_t n, struct ts_arena *arena,
			       struct ts_store_stats *ret_stats)
{
	struct ts_verify_report report;
	struct ts_error err;
	struct ts_id id;
	const char *bad;

	if (e->ops->verify(e, NULL, arena, &report, &err))
		return complain("verify", 0, err.text);
	if (report.damaged)
		return complain("damaged objects:", report.damaged, "");
	if (report.missing)
		return complain("missing objects:", report.missing, "");
	if (report.records)
		return complain("damaged records:", report.records, "");
	bad = check_counts(&report);
	if (!bad)
		bad = check_history(e, arena);
	if (bad)
		return bad;
	bad = check_acks(e, acks, n, arena);
	if (bad)
		return bad;
	if (e->ops->stats(e, ret_stats, &err) || fault_push(e, 999999999, arena, &id, &err)) /* the store still works */
		return complain("after reopening", 0, err.text);
	return NULL;
}

const char *fault_check(const char *dir, const uint8_t *acks, size_t n, struct ts_store_stats *ret_stats)
{
	struct ts_lmdb_options options = {.path = dir, .create = true};
	struct ts_engine *e;
	struct ts_arena arena;
	struct ts_error err;
	const char *bad;

	if (ts_lmdb_open(&options, &e, &err))
		return complain("open", 0, err.text);
	ts_arena_init(&arena, 0);
	bad = check_store(e, acks, n, &arena, ret_stats);
	ts_arena_finish(&arena);
	ts_engine_destroy(e);
	return bad;
}

pid_t fault_spawn(const char *const *argv, const char *const *env, int ack_fd)
{
	posix_spawn_file_actions_t actions;
	union {
		const char *const *in;
		char *const *out;
	} args = {.in = argv}, vars = {.in = env};
	pid_t pid = -1;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ack_fd, FAULT_ACK_FD);
	if (posix_spawn(&pid, argv[0], &actions, NULL, args.out, env ? vars.out : environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}
