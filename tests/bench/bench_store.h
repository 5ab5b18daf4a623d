/* bench_store.h - a store that a program of ./dev bench fills, without a server. What fails here ends the program with status 1. */
#ifndef TSCOPE_TESTS_BENCH_BENCH_STORE_H
#define TSCOPE_TESTS_BENCH_BENCH_STORE_H

#include "run/builder.h"
#include "run/head.h"
#include "store/engine.h"

/* Unless status is TS_OK, prints err behind the program's name and exits. */
void bench_must(enum ts_status status, const struct ts_error *err);
/* The store at path, made if it is not there. Destroy it with ts_engine_destroy. */
struct ts_engine *bench_open(const char *path);

/* xorshift, from 0 to 1: noise that does not compress, the same on every machine. state is not 0. */
double bench_noise(uint64_t *state);

/* Builds a rank whose objects go to the store; columns and rows are the caller's. */
struct ts_builder *bench_rank_begin(struct ts_engine *engine, int32_t rank);
/* Ends and frees it. Returns the id of its index. */
struct ts_id bench_rank_end(struct ts_builder *b);

/* A column of a rank of noise: values from scale to 1.1 times it, in whole billionths. */
struct bench_column {
	const char *name;
	double scale;
};

/* A rank of n columns, at most 16, and as many steps. What stands in front of the column "timestamp", whose scale is 0, are seconds
 * that make up a step. seed: of the noise; other seeds, other noise. */
struct ts_id bench_rank(struct ts_engine *engine, int32_t rank, uint64_t seed, const struct bench_column *columns,
			size_t n, int64_t steps);

/* Stores the head of a run whose ranks and facts are set, and returns its id. Digests of groups are set here. */
struct ts_id bench_run(struct ts_engine *engine, struct ts_head *head);
/* A run of one rank, without facts. */
struct ts_id bench_run_of(struct ts_engine *engine, struct ts_id index);

#endif
