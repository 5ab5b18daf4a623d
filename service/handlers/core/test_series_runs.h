/* test_series_runs.h - for tests: runs from plain cells, in a memory engine, and random cells to make them from. */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_TEST_SERIES_RUNS_H
#define TSCOPE_SERVICE_HANDLERS_CORE_TEST_SERIES_RUNS_H

#include "service/handlers/core/read.h"
#include "service/handlers/core/test_must.h"

/* One value. Its name is literal text. */
struct cell {
	int32_t rank;
	const char *name;
	enum ts_column_type type;
	int64_t step;
	uint64_t word; /* F64: its bits */
	const char *text; /* TEXT, JSON: literal */
	bool superseded; /* in the table of rows that were written again; step is its ordinal */
	bool event; /* of a pipeline; step is its ordinal */
	bool digest; /* of an operation; step is its ordinal */
	enum ts_precision precision; /* of its column */
	uint8_t digits;
};

struct cells {
	struct cell *items;
	size_t n, cap;
};

/* An engine in memory, and a call and a fetch on it. */
struct world {
	struct ts_engine *engine;
	struct ts_arena arena;
	struct ts_call call;
	struct ts_fetch fetch;
	bool cancelled;
};

void world_open(struct world *w);
void world_close(struct world *w);

struct cell *cells_add(struct cells *cells, int32_t rank, const char *name, int64_t step, double value);
void cells_add_word(struct cells *cells, int32_t rank, const char *name, int64_t step, uint64_t word);
void cells_add_text(struct cells *cells, int32_t rank, const char *name, int64_t step, const char *text);
void cells_copy(const struct cells *from, struct cells *to);
void cells_free(struct cells *cells);
/* By rank, name, type, step. */
void cells_sort(struct cells *cells);

/* A fact of rank >= 0, or of the head with rank TS_RANK_JOB. Text, or the integer if that is not 0, or absent. */
struct told {
	int32_t rank;
	const char *path;
	const char *text;
	int64_t integer;
};

/* Cells in any order, one a (rank, name, type, step). Ranks without a cell may be named by facts. Returns the head's id. */
struct ts_id make_run(struct world *w, const struct cells *cells, const struct told *facts, size_t n_facts);
/* Puts any object; its id. */
struct ts_id put_object(struct world *w, struct ts_span object);

/* xorshift: the same on every machine. */
uint64_t draw(uint64_t *state);
uint64_t draw_below(uint64_t *state, uint64_t n);

#endif
