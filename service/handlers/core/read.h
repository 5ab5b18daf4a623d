/* read.h - reads the data of a run, given the id of its head, into plain arrays, and no more objects than are needed.
 *
 *	ts_fetch_init(&f, call)
 *	ts_run_open(&f, &id, arena, &run, err)		reads the head and every rank's index, no blocks
 *	ts_fetch_keys(&f, table, arena, &keys, err)	8 bytes per row
 *	ts_fetch_f64(&f, table, column, arena, &values, err)
 *	ts_fetch_finish(&f)
 *
 * Each object is checked against the index (kind, rows, first and last key); if it differs, the error is TS_DAMAGED with the
 * object's id. A missing index or block is TS_DAMAGED too, since a name never points at an incomplete run. A missing head is
 * TS_NOT_FOUND. Blocks are unsealed into a scratch arena that is reset each time, so memory use is the result and one block.
 * The call may be cancelled at every object. Ownership: results lie in the given arena. Threads: a ts_fetch belongs to one
 * call.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_READ_H
#define TSCOPE_SERVICE_HANDLERS_CORE_READ_H

#include "analysis/diverge/diff.h"
#include "run/head.h"
#include "run/index.h"
#include "service/handlers/core/handler.h"

/* Traces of more events are not read by a handler, which says so: they would take a gigabyte of a server that others use. */
enum { TS_SERVED_TRACE_EVENTS = 500000 };
/* Memory snapshots of more events and blocks neither: replaying them takes as much. */
enum { TS_SERVED_SNAPSHOT_ROWS = 1000000 };

struct ts_fetch {
	const struct ts_call *call;
	struct ts_arena scratch;
	bool missing; /* an object that a run refers to was not in the store */
};

struct ts_run {
	struct ts_id id;
	struct ts_head head;
	struct ts_index *indexes; /* one for each of head.ranks, in that order */
};

void ts_fetch_init(struct ts_fetch *f, const struct ts_call *call);
void ts_fetch_finish(struct ts_fetch *f);

/* Reads one object into the arena. */
enum ts_status ts_fetch_object(struct ts_fetch *f, const struct ts_id *id, struct ts_arena *arena,
			       struct ts_span *ret_object, struct ts_error *err);
/* The same as a source of objects (run/index.h); fetch is a struct ts_fetch. */
enum ts_status ts_fetch_source(void *fetch, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_object,
			       struct ts_error *err);

enum ts_status ts_run_open(struct ts_fetch *f, const struct ts_id *id, struct ts_arena *arena, struct ts_run *ret_run,
			   struct ts_error *err);
/* Reads the index of a file's columns, which it must have. */
enum ts_status ts_run_columns(struct ts_fetch *f, const struct ts_file *file, struct ts_arena *arena, struct ts_index *ret_index,
			      struct ts_error *err);
/* The index of a rank; NULL if the run has no such rank. */
const struct ts_index *ts_run_rank(const struct ts_run *run, int32_t rank);
/* The number of columns of all tables of all ranks. */
size_t ts_run_count_columns(const struct ts_run *run);
/* The number of rows of all tables of all ranks: what a quota of rows is about. */
uint64_t ts_run_count_rows(const struct ts_run *run);
/* The facts of one rank, sorted, one per path: the head's effective facts, replaced where this rank has its own. */
enum ts_status ts_run_facts(const struct ts_run *run, const struct ts_index *index, struct ts_arena *arena,
			    struct ts_facts *ret_facts, struct ts_error *err);

/* These read one block; out has room for its rows. Words are the bits of f64 or u64 values. */
enum ts_status ts_fetch_block_keys(struct ts_fetch *f, const struct ts_block *block, int64_t *out,
				   struct ts_error *err);
enum ts_status ts_fetch_block_words(struct ts_fetch *f, const struct ts_id *id, enum ts_column_type type, size_t rows,
				    uint64_t *out, struct ts_error *err);
/* For blocks of type TEXT and JSON; the texts lie in the arena. */
enum ts_status ts_fetch_block_text(struct ts_fetch *f, const struct ts_id *id, size_t rows, struct ts_arena *arena,
				   struct ts_span *out, struct ts_error *err);
/* The keys and the texts of the b-th block of a column, in the arena. */
enum ts_status ts_fetch_text_rows(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column, size_t b,
				  struct ts_arena *arena, int64_t **ret_keys, struct ts_span **ret_texts, struct ts_error *err);

/* These read a whole column of table->rows rows. */
enum ts_status ts_fetch_keys(struct ts_fetch *f, const struct ts_table *table, struct ts_arena *arena,
			     int64_t **ret_keys, struct ts_error *err);
enum ts_status ts_fetch_f64(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column,
			    struct ts_arena *arena, double **ret_values, struct ts_error *err);
enum ts_status ts_fetch_u64(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column,
			    struct ts_arena *arena, uint64_t **ret_values, struct ts_error *err);

#endif
