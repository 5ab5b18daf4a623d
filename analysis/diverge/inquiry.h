/* inquiry.h - the state of one diagnosis while it is made: what the evidence comes to, and the sentences so far.
 *
 * For analysis/diverge/diagnose*.c only.
 *
 * Steps are turned into records (steps over the cadence) where a cut-off counts records.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_INQUIRY_H
#define TSCOPE_ANALYSIS_DIVERGE_INQUIRY_H

#include "analysis/diverge/diagnose.h"
#include "analysis/diverge/effects.h"

enum { TS_INQUIRY_SENTENCES = 32, TS_INQUIRY_CAUSES = TS_CAUSES, TS_INQUIRY_EXPERIMENTS = 8 };

/* All series of one kind together. */
struct ts_first {
	bool recorded;	  /* both have it, with a step in common */
	bool parts;	  /* visibly, where a gap was measured; in bits where not */
	bool bits;	  /* in bits */
	int64_t step;	  /* the first, over ranks; if parts */
	int64_t through;  /* every rank agrees up to here; INT64_MIN: nowhere; if recorded */
	bool gaps;	  /* steps lie between its records of which nothing is known */
	int64_t cadence;  /* of the series that has fewest records */
	bool even;	  /* the records lie that far apart, from `start` on */
	int64_t start, last; /* of the common steps */
	bool from_first;  /* neither has one before `start`, on any rank */
	uint64_t common;  /* of the series that has most */
	const struct ts_evidence_series *series; /* that differs first, by most */
	double jump;	  /* r at that step; NaN for digests, and where it is unknown */
	uint32_t ranks;	  /* that have it */
	uint32_t parted, parted_first; /* ranks that differ; those that do at `step` */
	int32_t last_rank, last_parted, last_first; /* the last rank counted in each of these */
};

struct ts_inquiry {
	const struct ts_evidence *e;
	const struct ts_cuts *cuts;
	struct ts_arena *arena;
	bool full;
	struct ts_diagnosis d;
	struct ts_first first[TS_KINDS];
	bool has_start;
	int64_t start, last; /* common steps of the training series */
	uint64_t common;
	int64_t cadence;     /* at least 1 */
	bool has_f;
	int64_t f;	     /* the first step at which something of the training differs */
	double jump;	     /* r of the loss there, else of the gradient norm; NaN: unknown */
	double quantum;	     /* relative to the value, at that step */
	double limit;	     /* r that rounding explains */
	bool means;	     /* the loss was left out: see ts_without_means */
	bool coarse;	     /* jump is within a few quanta of a coarse source */
	double hidden;	     /* steps that it may have grown for before it could be seen */
	bool late;	     /* rounding may have grown to jump in those */
	bool put_back; /* the first experiment is to put a setting back, and stays the first */
	bool whole[TS_GROUPS]; /* both runs recorded all of that group: a key that one of them lacks was not set there */
	bool passed_over; /* batches that a run had used before it was resumed count to its first step, whose digest is left out */
	int64_t passed_at; /* that step */
	enum ts_digest_time params_time; /* as declared, or as the optimizer's digest shows */
	bool dealt; /* another number of ranks shares the batches: their digests cannot be compared, and are left out */
};

double ts_cut_of(const struct ts_inquiry *q, enum ts_cut cut);
bool ts_inquiry_begin(struct ts_inquiry *q, const struct ts_evidence *e, const struct ts_cuts *cuts, struct ts_arena *arena);

/* What is so from the end of ts_inquiry_begin on: lists fit, steps lie in their ranges, ranks that differ are among those there are. */
bool ts_inquiry_holds(const struct ts_inquiry *q);

/* A loss logged at different intervals of which no value agrees may be a mean on one side: forgets it, and looks again. */
bool ts_without_means(struct ts_inquiry *q);
/* Every series of the kind agrees at `step` and before, as recorded; false where it is not recorded that far. A batch and its indices
 * are known at steps that have their digest; other series follow from their past, so that a later agreement shows an earlier one. */
bool ts_agrees_at(const struct ts_inquiry *q, enum ts_series_kind kind, int64_t step);
/* Distance in records. */
double ts_records(const struct ts_inquiry *q, int64_t from, int64_t to);
bool ts_at_start(const struct ts_inquiry *q);  /* f is the first common step */
/* It is, and no step lies before it that either run took: neither had been updated. */
bool ts_at_first_pass(const struct ts_inquiry *q);
bool ts_is_finite(const struct ts_inquiry *q); /* more than rounding can do */
bool ts_is_rounding(const struct ts_inquiry *q);
/* Small at first, but at its level after ten steps, or large in the gradient norm: a state that was pushed. */
bool ts_is_pushed(const struct ts_inquiry *q);
/* Where runs were restarted within the window before step. */
bool ts_resume_before(const struct ts_inquiry *q, int64_t step, int64_t *ret_resume);
/* No run says that it was resumed, but one begins at this step, where the other was under way: as a run does that was resumed in a
 * folder of its own. */
bool ts_resume_guessed(const struct ts_inquiry *q, int64_t *ret_step);
/* The buffers agree up to a resume, and differ at the first record behind it. */
bool ts_buffers_lost(const struct ts_inquiry *q, int64_t *ret_resume);
/* Says that what is seen first may have begun small. */
void ts_say_hidden(struct ts_inquiry *q);
bool ts_is_epoch(const struct ts_inquiry *q, int64_t step);

/* "0.003 in the first run and 0.0031 in the second": as many digits as tell the two apart. */
struct ts_span ts_values_text(struct ts_inquiry *q, double a, double b);
struct ts_span ts_inquiry_text(struct ts_inquiry *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ts_say_for(struct ts_inquiry *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ts_say_against(struct ts_inquiry *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Unless it is the cause, is there already, or a record rules it out. */
void ts_remain(struct ts_inquiry *q, enum ts_cause cause);
/* What remains where the first pass gave another loss of the same batch: the initialization, or the pass itself. */
void ts_remain_of_first_pass(struct ts_inquiry *q);
/* Every cause that no record rules out, behind those that are there; nothing at high confidence. */
void ts_remain_rest(struct ts_inquiry *q);
/* Digests say that what went into step f is equal. */
bool ts_same_parameters(const struct ts_inquiry *q);
bool ts_worlds_differ(const struct ts_inquiry *q);
/* There are several ranks, whose gradients may have been summed by a collective. */
bool ts_several_ranks(const struct ts_inquiry *q);
/* What the noise of the losses says (pattern_noise.h): the batches are the same from the first difference on, or they are not. It is a
 * guess, which excludes nothing: a digest of batches that says the contrary comes first. */
bool ts_batches_seem_same(const struct ts_inquiry *q);
bool ts_batches_seem_other(const struct ts_inquiry *q);
/* Says so, if either is. */
void ts_say_noise(struct ts_inquiry *q);
/* A loss that agrees at the first step beside one that differs there: networks that are updated in turn. */
bool ts_in_turn(const struct ts_inquiry *q);
/* sentence without a full stop. */
void ts_conclude(struct ts_inquiry *q, enum ts_cause cause, enum ts_confidence confidence, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* What the records show of where in a step it began. */
enum ts_place {
	TS_PLACE_UNKNOWN = 0, /* no digests, or not enough of them */
	TS_PLACE_BATCH = 1,   /* in the batch, before anything else */
	TS_PLACE_PASS = 2,    /* equal parameters, batch and generators, and another loss or other gradients */
	TS_PLACE_UPDATE = 3,  /* equal gradients, and other parameters */
};

/* diagnose_facts.c: does a fact that differs explain it? Concludes, and then returns true. */
bool ts_diagnose_facts(struct ts_inquiry *q, enum ts_place place);
/* The setting that may be the cause and comes first, and its value in the first run as text; NULL: none differs that can be
 * put back. */
const struct ts_fact_row *ts_setting_to_put_back(struct ts_inquiry *q, struct ts_span *ret_value);
/* The code, and every setting that may change the numbers, is recorded by both and is the same. */
bool ts_recipe_agrees(const struct ts_inquiry *q);
/* So are the libraries, the devices and the flags of kernels, as far as both recorded them. */
bool ts_same_recipe_and_platform(const struct ts_inquiry *q);
/* Steps were equal with the same code, settings, libraries and devices, and then one is not: a damaged state is likelier than these. */
bool ts_damage_first(const struct ts_inquiry *q);
/* A setting differs of which nobody knows the effect: it may change the data as well. */
bool ts_setting_makes_data(const struct ts_inquiry *q);
/* A fact that differs may have this cause, and no record rules that out. */
bool ts_fact_names(const struct ts_inquiry *q, enum ts_cause cause);
/* Both say it, and not the same; or one alone does, and both recorded the whole group. */
bool ts_fact_differs(const struct ts_inquiry *q, const struct ts_fact_row *row);
/* The causes of all facts that differ, are not known to be harmless and are ruled out by no record; then of those that one run alone
 * recorded. */
void ts_remain_facts(struct ts_inquiry *q);
/* Names in the first sentence the facts that may be the cause, unless they stand there. */
void ts_name_facts(struct ts_inquiry *q);
/* A fact of known effect differs besides `cause`, and no record contradicts it. */
bool ts_other_fact_known(struct ts_inquiry *q, enum ts_cause cause);
/* Says which facts differ that explain nothing here, or of which nothing is known. */
void ts_say_facts(struct ts_inquiry *q);
/* Says which flags are off or not recorded; how many are off on either side, how many unknown. */
void ts_say_flags(struct ts_inquiry *q, unsigned *ret_off, unsigned *ret_unknown);
bool ts_config_known(const struct ts_inquiry *q); /* both say something of their configuration */
bool ts_group_differs(const struct ts_inquiry *q, enum ts_group group); /* in what has an effect, or one that is not known */
bool ts_topology_known(const struct ts_inquiry *q);

/* diagnose_inputs.c: what digests and the learning rate say. */
bool ts_diagnose_inputs(struct ts_inquiry *q);
/* diagnose_patterns.c: what an exact pattern says; false where there is none. */
bool ts_diagnose_stride(struct ts_inquiry *q); /* steps that are counted at another rate */
bool ts_diagnose_factor(struct ts_inquiry *q); /* an objective or a gradient that is multiplied */
bool ts_diagnose_skip(struct ts_inquiry *q);   /* an update that only one run skipped */
bool ts_diagnose_scale(struct ts_inquiry *q);  /* nothing of the training differs, but the loss scale does */
/* Only one run skipped an update just before the first difference: nothing is logged differently there. */
bool ts_one_skipped(const struct ts_inquiry *q);
/* Says by which factor the gradient norm alone differs, where it is one. */
void ts_say_factor(struct ts_inquiry *q);
/* diagnose_step.c: which part of a step gave other results from equal inputs. */
bool ts_diagnose_step(struct ts_inquiry *q);
/* diagnose_tensors.c: what operations and tensors show. The first two conclude where no other record differs, and then return true. */
bool ts_diagnose_operations(struct ts_inquiry *q);
bool ts_diagnose_tensors(struct ts_inquiry *q);
bool ts_any_operation_or_tensor(const struct ts_inquiry *q);
void ts_say_operations(struct ts_inquiry *q);
void ts_say_tensors(struct ts_inquiry *q);
/* A place leads where scalars alone decided. */
void ts_lead_by_tensors(struct ts_inquiry *q);
/* diagnose_scalars.c: what scalars and events say; always concludes. */
void ts_diagnose_scalars(struct ts_inquiry *q);
bool ts_diagnose_resume(struct ts_inquiry *q);
/* diagnose_next.c */
void ts_diagnose_tiers(struct ts_inquiry *q);
void ts_diagnose_features(struct ts_inquiry *q);
void ts_diagnose_experiments(struct ts_inquiry *q);

#endif
