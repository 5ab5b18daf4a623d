/* repro.h - the answer of the gate of reproducibility: three gates, each green, red or unproved, and the certificate beside them: on
 * what it was found, and what was not controlled. A gate that was not asked for is unproved, never absent. */
#ifndef TSCOPE_ANALYSIS_DETERMINISM_REPRO_H
#define TSCOPE_ANALYSIS_DETERMINISM_REPRO_H

#include "analysis/determinism/likeness.h"

enum ts_repro_name { TS_REPRO_REPEATABILITY = 0, TS_REPRO_EQUIVALENCE = 1, TS_REPRO_REPLAY = 2, TS_REPRO_GATES = 3 };

struct ts_repro_gate {
	enum ts_proof proof;
	struct ts_span sentence;
};

struct ts_repro {
	struct ts_repro_gate gates[TS_REPRO_GATES];
	enum ts_proof proof; /* red where any is; green where all are */
	const struct ts_profile *profile;
	uint64_t runs, steps;		    /* of repeatability: that were made, and asked for */
	struct ts_span golden;		    /* the file; empty: none was named */
	struct ts_golden_accepted accepted; /* the newest acceptance of it */
	struct ts_golden_pair *facts;	    /* of the first run: host, devices, libraries */
	size_t n_facts;
	struct ts_golden_pair *other; /* of the golden record, that differ from these */
	size_t n_other;
	struct ts_span *open; /* what is known to break it and was not controlled, or is unproved, by name (determinism.h) */
	size_t n_open;
	struct ts_span directory; /* of the runs */
	struct ts_span sentence;
	int exit_code; /* 0 green, 1 red, 3 unproved */
};

/* Fills proof, sentence and exit code from the gates. */
enum ts_status ts_repro_settle(struct ts_repro *repro, struct ts_arena *arena, struct ts_error *err);
const char *ts_repro_name(enum ts_repro_name name); /* "repeatability", "equivalence", "replay" */

#endif
