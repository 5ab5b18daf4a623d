/* read.h - from the id of a head to plain arrays, reading no more objects than are asked for.
 *
 *	ts_fetch_init(&f, call)
 *	ts_run_open(&f, &id, arena, &run, err)		head and every rank's index; no blocks
 *	ts_fetch_keys(&f, table, arena, &keys, err)	8 bytes a row
 *	ts_fetch_f64(&f, table, column, arena, &values, err)
 *	ts_fetch_finish(&f)
 *
 * Everything that an object says is held against the index (kind, rows, first and last key): TS_DAMAGED with the object's id
 * otherwise. A missing index or block is TS_DAMAGED too: what a name points at is complete. A missing head is
 * TS_NOT_FOUND. Blocks are unsealed into a
 * scratch arena that is reset each time, so memory is what is asked for and one block. Every object is a point at which
 * the call may be cancelled. Ownership: results lie in the arena given. Threads: a ts_fetch belongs to one call.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_READ_H
#define TSCOPE_SERVICE_HANDLERS_CORE_READ_H

#include "analysis/diverge/diff.h"
#include "run/head.h"
#include "run/index.h"
#include "service/handlers/core/handler.h"

struct ts_fetch {
	const struct ts_call *call;
	struct ts_arena scratch;
};

struct ts_run {
	struct ts_id id;
	struct ts_head head;
	struct ts_index *indexes; /* one for each of head.ranks, in that order */
};

void ts_fetch_init(struct ts_fetch *f, const struct ts_call *call);
void ts_fetch_finish(struct ts_fetch *f);

/* The bytes of one object. */
enum ts_status ts_fetch_object(struct ts_fetch *f, const struct ts_id *id, struct ts_arena *arena,
			       struct ts_span *ret_object, struct ts_error *err);

enum ts_status ts_run_open(struct ts_fetch *f, const struct ts_id *id, struct ts_arena *arena, struct ts_run *ret_run,
			   struct ts_error *err);
/* NULL when the run has no such rank. */
const struct ts_index *ts_run_rank(const struct ts_run *run, int32_t rank);
/* Of all tables of all ranks. */
size_t ts_run_count_columns(const struct ts_run *run);
/* What a renderer shows of a run; own_name is the fact session.name. */
enum ts_status ts_run_describe(struct ts_fetch *f, const struct ts_run *run, struct ts_run_ref *ret_ref,
			       struct ts_error *err);
/* The facts of one rank: the head's effective ones, overlaid by what only this rank said. Sorted, one a path. */
enum ts_status ts_run_facts(const struct ts_run *run, const struct ts_index *index, struct ts_arena *arena,
			    struct ts_facts *ret_facts, struct ts_error *err);

/* One block; out has room for its rows. Words are the bits of f64 or u64 values. */
enum ts_status ts_fetch_block_keys(struct ts_fetch *f, const struct ts_block *block, int64_t *out,
				   struct ts_error *err);
enum ts_status ts_fetch_block_words(struct ts_fetch *f, const struct ts_id *id, enum ts_column_type type, size_t rows,
				    uint64_t *out, struct ts_error *err);
/* TEXT and JSON; the texts lie in the arena. */
enum ts_status ts_fetch_block_text(struct ts_fetch *f, const struct ts_id *id, size_t rows, struct ts_arena *arena,
				   struct ts_span *out, struct ts_error *err);

/* A whole column of table->rows rows. */
enum ts_status ts_fetch_keys(struct ts_fetch *f, const struct ts_table *table, struct ts_arena *arena,
			     int64_t **ret_keys, struct ts_error *err);
enum ts_status ts_fetch_f64(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column,
			    struct ts_arena *arena, double **ret_values, struct ts_error *err);
enum ts_status ts_fetch_u64(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column,
			    struct ts_arena *arena, uint64_t **ret_values, struct ts_error *err);

#endif
