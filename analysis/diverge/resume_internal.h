/* resume_internal.h - what the files of a resume check share: what resume.c sees in one series, and what
 * resume_tell.c says of it. */
#ifndef TSCOPE_ANALYSIS_DIVERGE_RESUME_INTERNAL_H
#define TSCOPE_ANALYSIS_DIVERGE_RESUME_INTERNAL_H

#include "analysis/answer/say.h"
#include "analysis/diverge/resume.h"

#include <stdarg.h>

struct ts_resume_look {
	const struct ts_resume_series *series;
	size_t equal;	      /* points whose bits agree; ±0 and NaN as in gap.h */
	size_t first_bits;    /* the first that differs; n = none */
	size_t first_beyond;  /* the first whose r is beyond the tolerance and the quantum; n = none */
	double at_start;      /* r of the first point */
	double at_bits;	      /* r at first_bits; 0 without one */
	double greatest;      /* r */
	int64_t greatest_step;
	double following;     /* median r of the points after the first ones, within the window; NaN: there are none */
	bool first_ok;	      /* the first ones are within the tolerance */
	bool following_ok;    /* following is within the envelope, or there are none */
	double grid;	      /* the quantum, declared or seen; 0 = doubles */
	bool coarse;	      /* coarser than float32: equal does not mean that it was computed alike */
	bool digest;
};

/* Tolerances: what full precision gives, and what a reduced format gives; the latter is also the least for what follows. */
#define TS_RESUME_FULL 1e-6
#define TS_RESUME_REDUCED 5e-3

/* False: out of memory. */
bool ts_resume_look_at(const struct ts_resume_series *s, double tolerance, struct ts_arena *scratch,
		       struct ts_resume_look *ret);
bool ts_resume_is_digest(enum ts_resume_kind kind);

enum { TS_RESUME_SENTENCES = 64 }; /* of evidence on either side */

struct ts_resume_judge {
	const struct ts_resume_evidence *e;
	struct ts_arena *arena;
	struct ts_diagnosis *out;
	struct ts_resume_look *looks; /* one a series of e */
	size_t n;
	double tolerance;
	bool failed; /* the arena is full */
	enum ts_resume_verdict verdict;
};

/* NULL where no step of such a series is common. Of several ranks the one that differs first. */
const struct ts_resume_look *ts_resume_worst(const struct ts_resume_judge *j, enum ts_resume_kind kind);
bool ts_resume_equal(const struct ts_resume_look *look); /* in every bit; not if it is NULL */
bool ts_resume_fine(const struct ts_resume_look *look);	 /* within the tolerances */
int64_t ts_resume_step(const struct ts_resume_look *look, size_t i);
double ts_resume_off(const struct ts_resume_look *look, size_t i); /* r */

/* Of NULL, what an allocation that failed gives: remembered, and empty. */
struct ts_span ts_resume_text(struct ts_resume_judge *j, const char *text);
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
