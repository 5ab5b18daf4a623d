/* golden.h - a golden record: what a training computed, step by step, in a file that is small enough for git, with who accepted it
 * and why.
 *
 *	ts_golden_parse(text, &arena, &golden, err)	of tscope, a golden_values file of NVIDIA's Megatron-LM,
 *							or lines of torchtitan (golden_lines.h)
 *	ts_golden_print(&golden, &out, err)		TS_TOO_LARGE above TS_GOLDEN_MOST
 *
 * The file is JSON. "series" has an object for each series, in the form of NVIDIA's files: start_step, end_step, step_interval and
 * values, an object of a value by step. A number is written with as many digits as give its bits back; a digest is 16 hexadecimal
 * digits. NVIDIA's files are such an object alone; their values are rounded to 5 decimals, and a step without a value is "nan".
 * Pure. Threads: safe.
 */
#ifndef TSCOPE_ANALYSIS_DETERMINISM_GOLDEN_H
#define TSCOPE_ANALYSIS_DETERMINISM_GOLDEN_H

#include "base/arena.h"
#include "base/buf.h"

enum {
	TS_GOLDEN_MOST = 64 << 10, /* bytes of a file that is written */
	TS_GOLDEN_READ_MOST = 16 << 20,
	TS_GOLDEN_SERIES = 4096,
	TS_GOLDEN_ACCEPTED = 16, /* the newest acceptances that are kept */
	TS_GOLDEN_NVIDIA_DECIMALS = 5,
};

struct ts_golden_value {
	int64_t step;
	double real;   /* of a number */
	uint64_t word; /* of a digest */
};

struct ts_golden_series {
	struct ts_span name;
	bool digest;
	bool rounded;			/* its numbers have TS_GOLDEN_NVIDIA_DECIMALS decimals */
	struct ts_golden_value *values; /* by step, each once */
	size_t n;
	int64_t *empty; /* steps that are named and have no value */
	size_t n_empty;
	double said; /* of NVIDIA's files: how many steps the first one, the last one and the interval make; 0: unknown */
};

struct ts_golden_pair {
	struct ts_span name, value;
};

struct ts_golden_accepted {
	struct ts_span by, at, why, run; /* at: a date; run: an id, or empty */
};

struct ts_golden {
	bool nvidia;
	struct ts_golden_accepted *accepted; /* the newest last */
	size_t n_accepted;
	struct ts_golden_pair *facts; /* of the run that was accepted: host, device, libraries */
	size_t n_facts;
	struct ts_golden_series *series;
	size_t n;
};

/* TS_INVALID: it is none of them, with the byte or the line. Everything lies in the arena. */
enum ts_status ts_golden_parse(struct ts_span text, struct ts_arena *arena, struct ts_golden *ret, struct ts_error *err);
/* The value of a step; NULL: there is none. */
const struct ts_golden_value *ts_golden_at(const struct ts_golden_series *series, int64_t step);
/* Leaves the steps from `first` on. */
void ts_golden_from(struct ts_golden *golden, int64_t first);
enum ts_status ts_golden_print(const struct ts_golden *golden, struct ts_buf *out, struct ts_error *err);

#endif
