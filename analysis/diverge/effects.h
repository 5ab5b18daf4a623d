/* effects.h - what a fact that differs between two runs is known to do to their numbers: the table, and the flags that make
 * runs repeat.
 *
 * A fact explains a divergence only where its effect is known and the signature fits: run_name differs and proves nothing. What
 * the table does not know explains nothing either, and is listed as such. docs/divergence.md holds what ts_effects_markdown
 * writes; a test compares the two.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_EFFECTS_H
#define TSCOPE_ANALYSIS_DIVERGE_EFFECTS_H

#include "analysis/answer/diagnosis.h"
#include "base/buf.h"
#include "run/fact.h"

/* When it comes to bear. */
enum ts_onset {
	TS_ONSET_NEVER = 0,  /* no number changes by it */
	TS_ONSET_FIRST = 1,  /* in the first forward pass */
	TS_ONSET_UPDATE = 2, /* the first forward pass is equal; from the first update on */
	TS_ONSET_ANY = 3,    /* from whichever step it matters on */
};

enum ts_push {
	TS_PUSH_NONE = 0,
	TS_PUSH_ROUNDING = 1, /* the same sums in another order or by another kernel */
	TS_PUSH_FINITE = 2,   /* other numbers */
	TS_PUSH_ANY = 3,
};

enum { TS_EFFECT_PATHS = 16 };

/* Does a setting act only through the learning rate? */
enum ts_by_schedule {
	TS_SCHEDULE_NONE = 0,  /* a row says false */
	TS_SCHEDULE_ALL = 1,   /* yes: it explains nothing where that series agrees */
	TS_SCHEDULE_GROUP = 2, /* yes, through that of some parameters, which may be logged nowhere */
};

/* Paths are globs over a path in lower case. "config:lr" is any depth below config with lr as the last key, its index cut off. */
struct ts_effect {
	const char *paths[TS_EFFECT_PATHS + 1];
	enum ts_cause cause; /* UNKNOWN where onset is NEVER, or where anything may follow */
	enum ts_onset onset;
	enum ts_push push;
	enum ts_by_schedule by_schedule;
	const char *says; /* "changes the size of every update": the subject is the difference in the fact */
	const char *source;
};

/* The first row that matches; NULL: nothing is known of it. */
const struct ts_effect *ts_effect_of(struct ts_span path);
/* False: the table says that no number changes by it. */
bool ts_effect_may_act(struct ts_span path);

/* A switch without which runs may not repeat. */
struct ts_flag {
	const char *name; /* "cudnn.benchmark" */
	const char *paths[4];
	const char *good[4];   /* values under which runs repeat */
	bool cuda;	       /* matters on CUDA devices only */
	bool collective;       /* matters with more than one rank only */
	bool environment;      /* a variable: unset is an answer where the environment was recorded */
	unsigned optional_from; /* torch version (2.10 is 210) from which being unset proves less; 0: none */
	const char *off;       /* "kernels are chosen by a benchmark at run time" */
	const char *remedy;    /* "torch.backends.cudnn.benchmark = False" */
	const char *source;
};

enum ts_flag_answer {
	TS_FLAG_UNKNOWN = 0, /* not recorded */
	TS_FLAG_ON = 1,	     /* as it must be */
	TS_FLAG_OFF = 2,
	TS_FLAG_WEAK = 3,    /* unset, under a version that may do without */
	TS_FLAG_IDLE = 4,    /* does not matter: no such device, a single rank */
};

extern const struct ts_flag ts_flags[];
extern const size_t ts_flags_n;

/* facts may be NULL; world 0 is unknown. */
enum ts_flag_answer ts_flag_of(const struct ts_flag *flag, const struct ts_facts *facts, uint32_t world);
/* 2.10.1+cu130 is 210; 0: not recorded or not readable. */
unsigned ts_torch_version(const struct ts_facts *facts);

/* The facts say that no GPU was there, or that torch cannot use one. */
bool ts_without_cuda(const struct ts_facts *facts);
/* Any fact tells of CUDA: a device, a library, a flag, a build of torch. */
bool ts_tells_of_cuda(const struct ts_facts *facts);

const char *ts_onset_word(enum ts_onset onset); /* "never", "first pass", "first update", "any step" */
const char *ts_push_word(enum ts_push push);	/* "none", "rounding", "finite", "any" */

/* The tables of docs/divergence.md. */
void ts_effects_markdown(struct ts_buf *out);
void ts_flags_markdown(struct ts_buf *out);

#endif
