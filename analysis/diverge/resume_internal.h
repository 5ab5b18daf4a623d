/* resume_internal.h - what the files of a resume check share: what resume.c sees in one series, and what
 * resume_tell.c says of it. */
#ifndef TSCOPE_ANALYSIS_DIVERGE_RESUME_INTERNAL_H
#define TSCOPE_ANALYSIS_DIVERGE_RESUME_INTERNAL_H

#include "analysis/answer/say.h"
#include "analysis/diverge/resume.h"

#include <stdarg.h>

/* How far two numbers may differ at a distance of d steps from the resume: first exp(GROWTH d), at most later. */
struct ts_resume_limits {
	double first, later;
	bool every; /* at every point; else a quarter of those after the first ones may be beyond it */
};

struct ts_resume_look {
	const struct ts_resume_series *series;
	struct ts_resume_limits limits; /* of numbers */
	size_t equal;	      /* points whose bits agree; ±0 and NaN as in gap.h */
	size_t units;	      /* points that differ by one unit of the last written digit at most */
	size_t beyond;	      /* points beyond their limit */
	size_t first_bits;    /* the first that differs; n = none */
	size_t first_beyond;  /* the first beyond its limit; n = none */
	double at_start;      /* r of the first point */
	double at_bits;	      /* r at first_bits; 0 without one */
	double greatest;      /* r */
	int64_t greatest_step;
	double following;     /* median r of the points after the first ones, within the window; NaN: there are none */
	bool by_units;	      /* nowhere by more than one unit of the last written digit */
	bool fine;	      /* as far as the limits go; digests: equal */
	double grid;	      /* the quantum, declared or seen; 0 = doubles */
	bool coarse;	      /* coarser than float32: equal does not mean that it was computed alike */
	double size;	      /* the greatest magnitude of a */
	bool digest;
};

/* Of a first loss: what full precision gives, and what a reduced format gives; and what either has after some steps. Source:
 * docs/divergence.md. */
#define TS_RESUME_FULL 1e-6
#define TS_RESUME_REDUCED 1e-3
#define TS_RESUME_LATER 5e-3
/* A difference at the resume of this size would be seen, or it is from a state that was lost: rounding alone is seldom larger. */
#define TS_RESUME_SUDDEN 1e-4

/* first: that of a loss. */
struct ts_resume_limits ts_resume_limits_of(enum ts_resume_kind kind, double first);
/* at: the step of the resume. False: out of memory. */
bool ts_resume_look_at(const struct ts_resume_series *s, int64_t at, struct ts_resume_limits limits, struct ts_arena *scratch,
		       struct ts_resume_look *ret);
bool ts_resume_is_digest(enum ts_resume_kind kind);

/* Do the steps of both go up and down alike? Then they trained on the same batches. */
enum ts_resume_alike { TS_ALIKE_UNKNOWN, TS_ALIKE_SAME, TS_ALIKE_OTHER };
/* Of a loss: *ret_rho is the correlation of its changes from point to point; 0 if that is unknown. False: out of memory. */
enum ts_resume_alike ts_resume_alike_of(const struct ts_resume_look *look, double *ret_rho);

/* Parts of the state of a training. */
enum ts_resume_part {
	TS_PART_WEIGHTS,
	TS_PART_OPTIMIZER,
	TS_PART_SCHEDULE,
	TS_PART_SCALER,
	TS_PART_GENERATORS,
	TS_PART_DATA,
	TS_PART_COUNTS,
	TS_PART_AVERAGE, /* of weights, running statistics: what only an evaluation or a report uses */
	TS_PARTS,
};

enum ts_part_state { TS_PART_UNKNOWN, TS_PART_RESTORED, TS_PART_LOST };

struct ts_part {
	enum ts_part_state state;
	const struct ts_resume_look *by; /* the series that shows it; NULL if unknown */
	bool sure;			 /* LOST: nothing else would look the same */
};

enum { TS_RESUME_SENTENCES = 64 }; /* of evidence on either side */

struct ts_resume_judge {
	const struct ts_resume_evidence *e;
	struct ts_arena *arena;
	struct ts_diagnosis *out;
	struct ts_resume_look *looks; /* one a series of e */
	size_t n;
	double tolerance;
	struct ts_part parts[TS_PARTS];
	enum ts_resume_verdict verdict;
};

/* What is so of a look once it is taken, and of a judge: points are among those of the series, and what is said fits. */
bool ts_resume_look_holds(const struct ts_resume_look *look);
bool ts_resume_judge_holds(const struct ts_resume_judge *j);

/* NULL where no step of such a series is common. Of several ranks the one that differs first. */
const struct ts_resume_look *ts_resume_worst(const struct ts_resume_judge *j, enum ts_resume_kind kind);
bool ts_resume_equal(const struct ts_resume_look *look); /* in every bit; not if it is NULL */
bool ts_resume_fine(const struct ts_resume_look *look);	 /* within the limits */
/* The loss, otherwise a gradient norm, otherwise another number; NULL: none is common. */
const struct ts_resume_look *ts_resume_main(const struct ts_resume_judge *j);
bool ts_resume_at(const struct ts_resume_judge *j, const struct ts_resume_look *look); /* its first point is that of the resume */
int64_t ts_resume_earliest(const struct ts_resume_judge *j); /* the first step at which the run may have been resumed */
/* Every bit of what the weights lead to agrees: parameters, or losses that were not written coarsely. */
bool ts_resume_trains_equal(const struct ts_resume_judge *j);

/* Fills parts of the looks, by the table of resume_parts.c. */
void ts_resume_find_parts(struct ts_resume_judge *j);
/* Is this look one by which the verdict goes? Others follow from it, and are only shown. */
bool ts_resume_is_judged(const struct ts_resume_judge *j, const struct ts_resume_look *look);
/* Is it a number with one common value? It may sum up a run, as the train_loss that a Trainer writes at its end, and a resumed run is
 * shorter than its parent. */
bool ts_resume_sums_up(const struct ts_resume_look *look);
/* The first series that is judged and differs by more than rounding explains; NULL: none. */
const struct ts_resume_look *ts_resume_unexplained(const struct ts_resume_judge *j);
int64_t ts_resume_step(const struct ts_resume_look *look, size_t i);
double ts_resume_off(const struct ts_resume_look *look, size_t i); /* r */

/* Texts of an arena without room are empty: ts_resume_decide asks it at the end. */
struct ts_span ts_resume_vsay(struct ts_resume_judge *j, const char *format, va_list args);
void ts_resume_for(struct ts_resume_judge *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ts_resume_against(struct ts_resume_judge *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "loss"; "loss on rank 3" where there are several. */
const char *ts_resume_name(struct ts_resume_judge *j, const struct ts_resume_look *look);
struct ts_say ts_resume_percent(double r); /* "7.4 %"; "3.1e-07" where that would be none */

void ts_resume_tell(struct ts_resume_judge *j);
void ts_resume_rows(struct ts_resume_judge *j);
/* loss: the series that is judged, or NULL. */
void ts_resume_tiers(struct ts_resume_judge *j, const struct ts_resume_look *loss);

#endif
