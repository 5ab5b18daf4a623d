/* worlds.h - how throughput grows with the number of ranks, over runs of the same work.
 *
 *	ts_world_seen(&analysis->measures, ranks, &seen[i])	what one run says
 *	ts_worlds_judge(seen, n, arena, &worlds, err)
 *
 * The smallest world is the base; where several runs have it, their mean. With r = ranks / ranks of the base and S = throughput /
 * throughput of the base, the efficiency is S / r. A rank-second is one second of one rank: a sample costs ranks / throughput of them,
 * and 1 - S / r is the part of that cost which the base does not have. It is split by what the rank-seconds went into: the cost of each
 * line less that of the base, over the cost of all. So the losses add up to 1 - S / r; one below 0 is a gain.
 *
 * Strong: the batch of all ranks is that of the base. Weak: the batch of each rank is. The batch is throughput times the mean step,
 * within 2 %. Amdahl (strong), 1 / S = s + (1 - s) / r, and Gustafson (weak), S = r - s (r - 1), are fitted for the serial share s by
 * least squares; the interval has the spread of the runs about the fit (Student's t), and that of the steps within each run where it is
 * wider. Sources: Amdahl, AFIPS 1967; Gustafson, CACM 31(5), 1988. Pure.
 */
#ifndef TSCOPE_ANALYSIS_WORLDS_WORLDS_H
#define TSCOPE_ANALYSIS_WORLDS_WORLDS_H

#include "analysis/answer/measure.h"
#include "analysis/answer/run_ref.h"

enum ts_world_line {
	TS_WORLD_COMPUTE,
	TS_WORLD_COMMUNICATION,
	TS_WORLD_IMBALANCE, /* waiting for ranks that come later */
	TS_WORLD_INPUT,
	TS_WORLD_OTHER,
	TS_WORLD_LINES,
};

enum ts_worlds_kind {
	TS_WORLDS_NONE, /* all runs have one number of ranks */
	TS_WORLDS_STRONG,
	TS_WORLDS_WEAK,
	TS_WORLDS_MIXED,
};

/* What one run says of itself. */
struct ts_world_seen {
	struct ts_run_ref run;
	uint32_t ranks;
	bool tokens;	/* the unit is tokens, else samples */
	double rate;	/* units a second, of all ranks */
	double step_s;	/* mean */
	double error;	/* of that, relative: one standard error, by how the steps vary */
	bool split;	/* shares are known */
	double shares[TS_WORLD_LINES]; /* of the rank-seconds; they add up to 1 */
};

struct ts_world {
	struct ts_world_seen seen;
	double batch;	   /* units a step, of all ranks */
	double speedup, efficiency;
	double speedup_half; /* of its 95 % interval, by how the steps vary within the runs */
	bool split;	   /* of this run and of the base */
	double lost[TS_WORLD_LINES];
	bool smaller_batch; /* a rank has less to compute in a step than in the base */
	bool slower;	   /* it has more ranks than the base, and a lower throughput, by more than the interval */
};

struct ts_worlds_fit {
	bool known;
	double serial, half; /* the share, and half of its 95 % interval */
	double most;	     /* the speedup that more ranks cannot exceed (Amdahl, serial > 0); 0: none is known */
};

struct ts_worlds {
	enum ts_worlds_kind kind;
	struct ts_world *rows; /* by ranks, ascending */
	size_t n;
	uint32_t base_ranks;
	struct ts_worlds_fit fit;
	struct ts_span *sentences; /* the first is the answer */
	size_t n_sentences;
};

extern const char *const ts_world_line_words[TS_WORLD_LINES]; /* "computation", ... */
const char *ts_worlds_kind_word(enum ts_worlds_kind kind);     /* "strong", ... */

/* False where the run says no throughput, or no step time: *ret_why is what it lacks. */
bool ts_world_seen(const struct ts_measures *m, uint32_t ranks, struct ts_world_seen *ret_seen, const char **ret_why);
/* TS_INVALID where runs count different units, or have different batches at one number of ranks. */
enum ts_status ts_worlds_judge(const struct ts_world_seen *seen, size_t n, struct ts_arena *arena, struct ts_worlds *ret_worlds,
			       struct ts_error *err);
/* Writes the sentences (worlds_say.c). */
enum ts_status ts_worlds_say(struct ts_worlds *worlds, struct ts_arena *arena, struct ts_error *err);

#endif
