/* traceml_summary.h - what a final_summary.json of TraceML says, from the facts of the run that was imported from it.
 *
 * Numbers are read as TraceML's compare reads them, by the rules of Python's float(): numbers, true and false, and texts
 * that hold a number ("100.0", " 1_000 ", "nan", "inf"). null, a missing value and everything else are not known, which is
 * not 0. Times are in milliseconds and sizes in bytes, as in the file.
 * Source: TraceML v0.3.6, its rules in our own words.
 */
#ifndef TSCOPE_ANALYSIS_TRACEML_TRACEML_SUMMARY_H
#define TSCOPE_ANALYSIS_TRACEML_TRACEML_SUMMARY_H

#include "run/fact.h"

#define TS_TRACEML_FACTS "other.traceml."
#define TS_TRACEML_CLOCKED 1.7 /* from this schema on, step times come from a CPU and a GPU clock */

struct ts_traceml_number {
	bool known;
	double value; /* may be NaN or infinite where the file says so */
};

enum ts_traceml_clock { TS_TRACEML_NO_CLOCK = 0, TS_TRACEML_CPU, TS_TRACEML_GPU };

enum ts_traceml_phase {
	TS_TRACEML_INPUT,
	TS_TRACEML_H2D,
	TS_TRACEML_FORWARD,
	TS_TRACEML_BACKWARD,
	TS_TRACEML_OPTIMIZER,
	TS_TRACEML_COMPUTE, /* forward, backward and optimizer together */
	TS_TRACEML_RESIDUAL,
	TS_TRACEML_PHASES,
};

enum ts_traceml_section {
	TS_TRACEML_STEP_TIME,
	TS_TRACEML_STEP_MEMORY,
	TS_TRACEML_SYSTEM,
	TS_TRACEML_PROCESS,
	TS_TRACEML_PRIMARY,
	TS_TRACEML_SECTIONS
};

struct ts_traceml_summary {
	const struct ts_fact *schema;
	struct ts_traceml_number schema_number;
	struct ts_traceml_number step_gpu, step_cpu; /* average over ranks; below schema 1.7 the only one counts as CPU */
	struct ts_traceml_number worst_step_gpu, worst_step_cpu; /* of the slowest rank */
	struct ts_span worst_rank_gpu, worst_rank_cpu;		 /* the slowest rank: "1"; empty: not written */
	struct ts_traceml_number phases[TS_TRACEML_PHASES];
	enum ts_traceml_clock phase_clock;		/* the clock that measured the phases */
	struct ts_traceml_number memory, memory_median; /* peak reserved: of the worst rank and of the median rank */
	struct ts_span status[TS_TRACEML_SECTIONS];	/* status of the diagnosis: "INPUT-BOUND"; empty: none */
	struct ts_traceml_number gpu_util;		/* percent */
	struct ts_traceml_number world_size, nodes, gpus;
	struct ts_traceml_number steps; /* number of steps that TraceML analysed */
};

/* facts are sorted. Spans point into them. False if the run is not an import of TraceML. */
bool ts_traceml_summary_of(const struct ts_facts *facts, struct ts_traceml_summary *ret_summary);
/* Reads a text as Python's float() does; false if Python would raise an error. */
bool ts_traceml_float(struct ts_span text, double *ret);
const char *ts_traceml_phase_name(enum ts_traceml_phase phase);	      /* "input wait" */
const char *ts_traceml_section_name(enum ts_traceml_section section); /* "step_time", ..., "primary_diagnosis" */
const char *ts_traceml_clock_name(enum ts_traceml_clock clock);	      /* "gpu", "cpu"; NULL for TS_TRACEML_NO_CLOCK */

#endif
