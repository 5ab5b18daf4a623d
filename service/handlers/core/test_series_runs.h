/* test_series_runs.h - makes runs of plain cells in an engine in memory, and random numbers for such cells, for tests. */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_TEST_SERIES_RUNS_H
#define TSCOPE_SERVICE_HANDLERS_CORE_TEST_SERIES_RUNS_H

#include "run/snapshot.h"
#include "run/trace.h"
#include "service/handlers/core/read.h"
#include "service/handlers/core/test_must.h"

/* One value of a column. name is a string literal. */
struct cell {
	int32_t rank;
	const char *name;
	enum ts_column_type type;
	int64_t step;
	uint64_t word; /* for F64: the bits of the value */
	const char *text; /* for TEXT, JSON: a string literal */
	enum ts_table_kind table; /* 0: that of steps; in any other, step is the ordinal */
	enum ts_precision precision; /* precision of its column */
	uint8_t digits;
};

struct cells {
	struct cell *items;
	size_t n, cap;
};

/* A trace that a run keeps. */
struct kept_trace {
	int32_t rank;
	const char *name;
	const struct ts_trace *trace;
	uint64_t events; /* that it is said to have */
};

/* A memory snapshot that a run keeps. */
struct kept_snapshot {
	int32_t rank; /* TS_RANK_JOB: among the files of the job */
	const char *name;
	const struct ts_snapshot *snapshot;
};

/* An engine in memory, with a call and a fetch on it. */
struct world {
	struct ts_engine *engine;
	struct ts_arena arena;
	struct ts_call call;
	struct ts_fetch fetch;
	bool cancelled;
	const struct kept_trace *traces; /* of runs that are made from now on, beside their cells */
	size_t n_traces;
	const struct kept_snapshot *snapshots; /* the same */
	size_t n_snapshots;
};

void world_open(struct world *w);
void world_close(struct world *w);

struct cell *cells_add(struct cells *cells, int32_t rank, const char *name, int64_t step, double value);
void cells_add_word(struct cells *cells, int32_t rank, const char *name, int64_t step, uint64_t word);
void cells_add_text(struct cells *cells, int32_t rank, const char *name, int64_t step, const char *text);
void cells_copy(const struct cells *from, struct cells *to);
void cells_free(struct cells *cells);
/* Sorts by rank, name, type, step. */
void cells_sort(struct cells *cells);

/* A fact of a rank >= 0, or of the head with rank TS_RANK_JOB. Its value is text; if that is NULL, integer; if that is 0,
 * absent. */
struct told {
	int32_t rank;
	const char *path;
	const char *text;
	int64_t integer;
};

/* Makes a run of cells in any order, one for each (rank, name, type, step). Facts may add ranks without cells. Returns the
 * head's id. */
struct ts_id make_run(struct world *w, const struct cells *cells, const struct told *facts, size_t n_facts);
/* Puts any object; returns its id. */
struct ts_id put_object(struct world *w, struct ts_span object);

/* Draws a random number by xorshift, which gives the same numbers on every machine. */
uint64_t draw(uint64_t *state);
uint64_t draw_below(uint64_t *state, uint64_t n);

#endif
