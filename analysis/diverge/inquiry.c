#include "analysis/diverge/inquiry.h"
#include "analysis/diverge/testimony.h"

#include "analysis/answer/say.h"
#include "base/door.h"
#include "base/text.h"
#include "analysis/stats/stats.h"
#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

double ts_cut_of(const struct ts_inquiry *q, enum ts_cut cut)
{
	return q->cuts->value[cut];
}

/* --- what the series come to --- */

static bool is_number(enum ts_series_kind kind)
{
	return kind < TS_KIND_PARAMS;
}

/* Asks whether a series differs visibly: two doubles do if their bits differ, but a double and its float32 do not
 * differ by that alone. */
static bool parts_at(const struct ts_evidence_series *s, int64_t *ret_step, double *ret_jump)
{
	if (!s->parts)
		return false;
	*ret_step = s->first;
	*ret_jump = is_number(s->kind) ? ts_relative_gap(s->a, s->b) : (double)NAN;
	if (!is_number(s->kind) || !s->gap.known)
		return true;
	*ret_step = s->gap.visible_step;
	*ret_jump = s->gap.at_visible;
	/* If one side was rounded at every value from its first on, that is not a difference of the computation. */
	return s->gap.visible && (!s->gap.digits || s->after_known);
}

/* Returns the last common step up to which all values agree, or INT64_MIN if there is none. */
static int64_t agrees_through(const struct ts_evidence_series *s, bool parts, int64_t step)
{
	if (!parts)
		return s->last_common;
	if (step == s->first)
		return s->after_known ? s->after : INT64_MIN;
	return step - 1;
}

/* Do its records stand at every step of theirs, and if not, at steps that can be told? */
static void note_gaps(struct ts_first *first, const struct ts_evidence_series *s)
{
	double steps = (double)(s->parts ? s->first : s->last_common) - (double)s->first_common, cadence = fmax((double)s->cadence, 1);
	double most = ((double)s->common - 1) * cadence;

	first->even = (steps == most || s->parts) && (first->even || !first->recorded);
	first->gaps = first->gaps || cadence > 1 || steps > most;
	first->cadence = s->cadence > first->cadence ? s->cadence : first->cadence;
}

static void note_first(struct ts_first *first, const struct ts_evidence_series *s)
{
	int64_t step = 0, through;
	double jump = NAN;
	bool parts = parts_at(s, &step, &jump);

	through = agrees_through(s, parts, step);
	if (!first->recorded || through < first->through)
		first->through = through;
	if (!first->recorded || s->first_common < first->start)
		first->start = s->first_common;
	first->from_first = s->from_first && (first->from_first || !first->recorded);
	note_gaps(first, s);
	if (!first->recorded || s->last_common > first->last)
		first->last = s->last_common;
	first->common = s->common > first->common ? s->common : first->common;
	first->recorded = true;
	first->bits = first->bits || s->parts;
	/* A rank may have several series of one kind, which follow one another. */
	if (first->ranks == 0 || first->last_rank != s->rank)
		first->ranks++;
	first->last_rank = s->rank;
	if (!parts)
		return;
	if (first->parted == 0 || first->last_parted != s->rank)
		first->parted++;
	first->last_parted = s->rank;
	if (!first->parts || step < first->step) {
		first->parts = true;
		first->step = step;
		first->series = s;
		first->jump = jump;
		first->parted_first = 1;
		first->last_first = s->rank;
	} else if (step == first->step) {
		first->parted_first += first->last_first != s->rank;
		first->last_first = s->rank;
		if (jump > first->jump) {
			first->jump = jump;
			first->series = s;
		}
	}
}

static bool is_training(enum ts_series_kind kind)
{
	return kind == TS_KIND_LOSS || kind == TS_KIND_GRAD_NORM || kind == TS_KIND_PARAMS || kind == TS_KIND_GRADS ||
	       kind == TS_KIND_OTHER;
}

static void find_range(struct ts_inquiry *q)
{
	for (int k = 0; k < TS_KINDS; k++) {
		const struct ts_first *first = &q->first[k];

		if (!first->recorded || !is_training(k))
			continue;
		if (!q->has_start || first->start < q->start)
			q->start = first->start;
		if (!q->has_start || first->last > q->last)
			q->last = first->last;
		q->common = first->common > q->common ? first->common : q->common;
		q->has_start = true;
	}
	q->cadence = 0;
	for (size_t i = 0; i < q->e->n_series; i++) {
		const struct ts_evidence_series *s = &q->e->series[i];

		if (is_training(s->kind) && s->cadence > 0 && (!q->cadence || s->cadence < q->cadence))
			q->cadence = s->cadence;
	}
	q->cadence = q->cadence ? q->cadence : 1;
}

static void find_first(struct ts_inquiry *q)
{
	static const enum ts_series_kind kinds[] = {TS_KIND_LOSS, TS_KIND_GRAD_NORM, TS_KIND_PARAMS, TS_KIND_GRADS,
						    TS_KIND_OTHER};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const struct ts_first *first = &q->first[kinds[i]];

		/* A derived value, an accuracy for instance, tells where it began only if nothing better was
		 * recorded. */
		if (!first->parts || (kinds[i] == TS_KIND_OTHER && q->first[TS_KIND_LOSS].recorded))
			continue;
		if (!q->has_f || first->step < q->f)
			q->f = first->step;
		q->has_f = true;
	}
}

static double relative_quantum(const struct ts_evidence_series *s)
{
	double size = fmax(fabs(s->a), fabs(s->b));

	return s->gap.known && s->gap.quantum > 0 && size > 0 && isfinite(size) ? s->gap.quantum / size : 0;
}

/* A log of every tenth step that begins at step 9 or 10 lacks the steps before. */
static bool begins_late(const struct ts_first *first)
{
	return !first->from_first || (first->start > 1 && first->series && first->series->cadence > 1);
}

/* Counts the steps from the one at which it may have begun to the one at which it is seen: those without a record,
 * or, in a coarse source, those since digests differ. */
static double hidden_steps(const struct ts_inquiry *q, const struct ts_first *first, bool coarse)
{
	double begin = first->through == INT64_MIN ? (double)first->step : (double)first->through + 1;

	if (first->step == first->start)
		begin = begins_late(first) ? (double)first->step - fmax((double)first->series->cadence, 2) + 1
					   : (double)first->step;
	if (q->f < first->step && ((double)q->f > begin || coarse))
		begin = (double)q->f;
	return fmax((double)first->step - begin, 0);
}

/* Uses the loss if it differs, otherwise the gradient norm, otherwise any other series. */
static void find_jump(struct ts_inquiry *q)
{
	static const enum ts_series_kind kinds[] = {TS_KIND_LOSS, TS_KIND_GRAD_NORM, TS_KIND_OTHER};
	const struct ts_first *first = NULL;
	double coarse;

	q->jump = NAN;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && isnan(q->jump); i++) {
		if (!q->first[kinds[i]].parts)
			continue;
		first = &q->first[kinds[i]];
		q->jump = first->jump;
		q->quantum = relative_quantum(first->series);
	}
	coarse = ts_cut_of(q, TS_CUT_QUANTUM) * q->quantum;
	q->limit = ts_cut_of(q, TS_CUT_NUMERIC);
	q->coarse = coarse > q->limit && q->jump <= coarse;
	if (q->e->repeats.runs > 1 && q->e->repeats.spread * ts_cut_of(q, TS_CUT_SPREAD) > q->limit)
		q->limit = q->e->repeats.spread * ts_cut_of(q, TS_CUT_SPREAD);
	q->hidden = first ? hidden_steps(q, first, coarse > q->limit) : 0;
	q->late = q->jump >= q->limit && q->jump < q->limit * exp(ts_cut_of(q, TS_CUT_GROWTH) * q->hidden);
}

/* True for a rank's series that one run lacks while both have it for other ranks. */
static bool ranks_differ(const struct ts_evidence *e)
{
	for (size_t i = 0; i < e->n_series; i++)
		for (size_t k = 0; k < e->n_series; k++)
			if (e->series[i].kind == TS_KIND_BATCH && e->series[i].in_a != e->series[i].in_b &&
			    e->series[k].kind == TS_KIND_BATCH && e->series[k].in_a && e->series[k].in_b &&
			    ts_span_eq(e->series[i].name, e->series[k].name))
				return true;
	return false;
}

/* A rank of two has half of the batch of a single rank: the digests of the same batch differ. */
static void leave_out_shares(struct ts_inquiry *q)
{
	bool known = q->e->world_a && q->e->world_b;

	if (!q->first[TS_KIND_BATCH].parts || (known ? q->e->world_a == q->e->world_b : !ranks_differ(q->e)))
		return;
	q->dealt = true;
	q->first[TS_KIND_BATCH] = (struct ts_first){.recorded = false};
}

/* A run that begins within the other, whose first digest of a batch alone differs: its loader first gave the batches that were
 * used already, and all that a loader gives for a step is in its digest. */
static void leave_out_passed_over(struct ts_inquiry *q)
{
	const struct ts_batch_relation *r = &q->e->batches;
	const struct ts_first *batch = &q->first[TS_KIND_BATCH];
	int64_t a = q->e->first_step_a, b = q->e->first_step_b;
	bool alone = r->kept + 1 == r->compared && r->step == batch->step;

	if (!batch->parts || !q->e->first_steps_known || a == b || !alone || batch->step != (a > b ? a : b))
		return;
	/* Those behind it agree, or the loss that was computed from it does. */
	if (!(r->answer == TS_BATCHES_REPLACED && r->kept > 0) && !ts_agrees_at(q, TS_KIND_LOSS, batch->step))
		return;
	q->passed_over = true;
	q->passed_at = batch->step;
	if (q->has_f)
		q->first[TS_KIND_BATCH] = (struct ts_first){.recorded = false};
}

/* Counts the facts of each group that one source gave to both runs, and those that one run alone has. */
static void find_whole(struct ts_inquiry *q)
{
	uint64_t of_a[TS_GROUPS] = {0}, only_a[TS_GROUPS] = {0}, only_b[TS_GROUPS] = {0};
	static const enum ts_group groups[] = {TS_GROUP_CONFIG, TS_GROUP_LIBRARIES};

	for (size_t i = 0; q->e->facts_a && i < q->e->facts_a->n; i++) {
		enum ts_group group;

		if (ts_group_of(q->e->facts_a->items[i].path, &group))
			of_a[group]++;
	}
	for (size_t i = 0; i < q->e->n_facts; i++) {
		only_a[q->e->facts[i].group] += !q->e->facts[i].b;
		only_b[q->e->facts[i].group] += !q->e->facts[i].a;
	}
	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		uint64_t both = of_a[groups[i]] > only_a[groups[i]] ? of_a[groups[i]] - only_a[groups[i]] : 0;

		q->whole[groups[i]] = both > 0 && only_a[groups[i]] <= both && only_b[groups[i]] <= both;
	}
}

static bool first_holds(const struct ts_first *first)
{
	if (!first->recorded)
		return !first->parts && !first->bits && !first->ranks;
	if (first->start > first->last || first->common == 0 || first->ranks == 0)
		return false;
	if (first->parts && (!first->series || first->step < first->start || first->step > first->last || first->jump < 0))
		return false;
	return first->parted <= first->ranks && first->parted_first <= first->parted && (first->parted > 0) == first->parts;
}

static bool diagnosis_holds(const struct ts_diagnosis *d)
{
	return d->cause < TS_CAUSES && d->confidence <= TS_CONFIDENCE_HIGH && d->n_for <= TS_INQUIRY_SENTENCES &&
	       d->n_against <= TS_INQUIRY_SENTENCES && d->n_remaining <= TS_INQUIRY_CAUSES &&
	       d->n_experiments <= TS_INQUIRY_EXPERIMENTS && d->bits.answer <= TS_TIER_FAILS && d->numeric.answer <= TS_TIER_FAILS &&
	       d->statistical.answer <= TS_TIER_FAILS && d->features.n <= d->features.cap;
}

bool ts_inquiry_holds(const struct ts_inquiry *q)
{
	for (int k = 0; k < TS_KINDS; k++)
		if (!first_holds(&q->first[k]))
			return false;
	if (q->cadence < 1 || (q->has_start && q->start > q->last) || (q->has_f && !q->has_start))
		return false;
	return diagnosis_holds(&q->d);
}

/* Digests of a state are read together. Where the gradients of the first step differ, an update makes another state of the optimizer
 * of them: one that still agrees there was read before the update. Without configurations a model of another size looks the same. */
static enum ts_digest_time params_time(const struct ts_inquiry *q)
{
	const struct ts_first *optimizer = &q->first[TS_KIND_OPTIMIZER], *grads = &q->first[TS_KIND_GRADS];
	bool later = optimizer->parts && optimizer->from_first && optimizer->start == q->start && optimizer->step > q->start;

	if (q->e->params_time != TS_DIGEST_UNKNOWN || !later || !ts_config_known(q) || !grads->parts || grads->step != q->start)
		return q->e->params_time;
	return TS_DIGEST_BEFORE;
}

bool ts_inquiry_begin(struct ts_inquiry *q, const struct ts_evidence *e, const struct ts_cuts *cuts, struct ts_arena *arena)
{
	*q = (struct ts_inquiry){.e = e, .cuts = cuts, .arena = arena};
	q->d.evidence_for = ts_arena_array(arena, TS_INQUIRY_SENTENCES, sizeof *q->d.evidence_for);
	q->d.evidence_against = ts_arena_array(arena, TS_INQUIRY_SENTENCES, sizeof *q->d.evidence_against);
	q->d.remaining = ts_arena_array(arena, TS_INQUIRY_CAUSES, sizeof *q->d.remaining);
	q->d.experiments = ts_arena_array(arena, TS_INQUIRY_EXPERIMENTS, sizeof *q->d.experiments);
	if (!q->d.evidence_for || !q->d.evidence_against || !q->d.remaining || !q->d.experiments)
		return false;
	for (size_t i = 0; i < e->n_series; i++)
		if (e->series[i].in_a && e->series[i].in_b && e->series[i].common > 0)
			note_first(&q->first[e->series[i].kind], &e->series[i]);
	leave_out_shares(q);
	find_whole(q);
	find_range(q);
	find_first(q);
	find_jump(q);
	leave_out_passed_over(q);
	q->params_time = params_time(q);
	TS_DOOR(ts_inquiry_holds(q));
	return true;
}

bool ts_without_means(struct ts_inquiry *q)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS];
	const struct ts_evidence_series *s = loss->series;

	TS_DOOR(ts_inquiry_holds(q));
	if (!loss->parts || !s->other_cadence || s->after_known || loss->step != s->first_common)
		return false;
	q->first[TS_KIND_LOSS] = (struct ts_first){0};
	q->has_f = false;
	q->means = true;
	find_first(q);
	find_jump(q);
	return true;
}

/* --- questions --- */

static bool has_record(const struct ts_inquiry *q, const struct ts_first *first, int64_t step)
{
	if (!first->gaps || first->cadence <= q->cadence || step == first->start || step == first->last)
		return true;
	return first->even && ((double)step - (double)first->start) / (double)first->cadence ==
				      floor(((double)step - (double)first->start) / (double)first->cadence);
}

bool ts_agrees_at(const struct ts_inquiry *q, enum ts_series_kind kind, int64_t step)
{
	const struct ts_first *first = &q->first[kind];

	TS_DOOR(ts_inquiry_holds(q));
	return first->recorded && first->through >= step &&
	       ((kind != TS_KIND_BATCH && kind != TS_KIND_INDICES) || has_record(q, first, step));
}

bool ts_same_parameters(const struct ts_inquiry *q)
{
	TS_DOOR(ts_inquiry_holds(q));
	/* A digest taken after an update describes the state of the next step. */
	if (q->params_time == TS_DIGEST_AFTER)
		return q->f > q->start && ts_agrees_at(q, TS_KIND_PARAMS, q->f - q->cadence);
	return ts_agrees_at(q, TS_KIND_PARAMS, q->f);
}

double ts_records(const struct ts_inquiry *q, int64_t from, int64_t to)
{
	return ((double)to - (double)from) / (double)q->cadence;
}

bool ts_at_start(const struct ts_inquiry *q)
{
	return q->has_f && q->f == q->start;
}

bool ts_at_first_pass(const struct ts_inquiry *q)
{
	TS_DOOR(ts_inquiry_holds(q));
	if (!ts_at_start(q))
		return false;
	for (int k = 0; k < TS_KINDS; k++)
		if (q->first[k].parts && q->first[k].step == q->f && begins_late(&q->first[k]))
			return false;
	return true;
}

/* Repeats differ from one another as the second run differs from the first. */
static bool within_repeats(const struct ts_inquiry *q)
{
	return q->e->repeats.runs >= 3 && q->e->repeats.answer == TS_REPEATS_SCATTERED && q->e->repeats.inside == TS_TIER_HOLDS;
}

bool ts_is_finite(const struct ts_inquiry *q)
{
	return !q->coarse && !q->late && q->jump >= q->limit && !within_repeats(q);
}

bool ts_is_rounding(const struct ts_inquiry *q)
{
	return !q->coarse && (q->jump < q->limit || (!isnan(q->jump) && within_repeats(q)));
}

bool ts_is_pushed(const struct ts_inquiry *q)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS], *norm = &q->first[TS_KIND_GRAD_NORM];
	const struct ts_gap *gap = loss->parts ? &loss->series->gap : NULL;

	TS_DOOR(ts_inquiry_holds(q));
	if (within_repeats(q))
		return false;
	if (norm->parts && norm->jump >= ts_cut_of(q, TS_CUT_GRAD) && norm->step <= q->f + q->cadence && q->hidden == 0)
		return true;
	return q->hidden == 0 && gap && gap->known && loss->series->cadence <= 1 && gap->after_10 >= q->limit &&
	       !(gap->slope >= ts_cut_of(q, TS_CUT_LATCH));
}

/* Returns the last step that agrees before the difference at `step`: where records are missing, the difference may
 * have begun anywhere in between. */
static int64_t agreed_before(const struct ts_inquiry *q, int64_t step)
{
	int64_t through = INT64_MIN;

	for (int k = 0; k < TS_KINDS; k++)
		if (q->first[k].parts && q->first[k].step == step && q->first[k].through > through)
			through = q->first[k].through;
	return through == INT64_MIN ? step : through;
}

static bool resume_in(const struct ts_inquiry *q, const struct ts_steps_list *list, int64_t step, int64_t *ret_resume)
{
	int64_t agreed = agreed_before(q, step);

	for (size_t i = list->n; i-- > 0;) {
		double distance = ts_records(q, list->items[i], step);

		if (distance >= 0 && (distance <= ts_cut_of(q, TS_CUT_RESUME_STEPS) || list->items[i] > agreed)) {
			*ret_resume = list->items[i];
			return true;
		}
	}
	return false;
}

bool ts_resume_before(const struct ts_inquiry *q, int64_t step, int64_t *ret_resume)
{
	return resume_in(q, &q->e->resumes_a, step, ret_resume) || resume_in(q, &q->e->resumes_b, step, ret_resume);
}

bool ts_buffers_lost(const struct ts_inquiry *q, int64_t *ret_resume)
{
	const struct ts_first *buffers = &q->first[TS_KIND_BUFFERS];

	TS_DOOR(ts_inquiry_holds(q));
	return buffers->parts && ts_resume_before(q, buffers->step, ret_resume) && buffers->through < *ret_resume;
}

bool ts_resume_guessed(const struct ts_inquiry *q, int64_t *ret_step)
{
	const struct ts_evidence *e = q->e;

	TS_DOOR(ts_inquiry_holds(q));
	if (!e->first_steps_known || e->same_length || e->moved.by || e->resumes_a.n + e->resumes_b.n > 0)
		return false;
	*ret_step = e->first_step_a > e->first_step_b ? e->first_step_a : e->first_step_b;
	return ts_records(q, e->first_step_a < e->first_step_b ? e->first_step_a : e->first_step_b, *ret_step) > 1;
}

bool ts_is_epoch(const struct ts_inquiry *q, int64_t step)
{
	TS_DOOR(ts_inquiry_holds(q));
	for (size_t i = 0; i < q->e->epochs.n; i++)
		if (q->e->epochs.items[i] == step)
			return true;
	return false;
}

/* --- sentences --- */

static struct ts_span format_text(struct ts_inquiry *q, const char *format, va_list args)
{
	char text[768];
	int n = vsnprintf(text, sizeof text, format, args);
	struct ts_span span = ts_span_of(text, n < 0 ? 0 : ((size_t)n < sizeof text ? (size_t)n : sizeof text - 1));

	/* The text is never cut within a character. */
	while ((size_t)n >= sizeof text && span.len && (text[span.len] & 0xc0) == 0x80)
		span.len--;
	span = ts_arena_span(q->arena, span);
	if (!span.data) {
		q->full = true;
		return ts_span_str("");
	}
	return span;
}

struct ts_span ts_inquiry_text(struct ts_inquiry *q, const char *format, ...)
{
	struct ts_span text;
	va_list args;

	TS_DOOR(ts_inquiry_holds(q));
	va_start(args, format);
	text = format_text(q, format, args);
	va_end(args);
	return text;
}

struct ts_span ts_values_text(struct ts_inquiry *q, double a, double b)
{
	struct ts_say x = ts_say_number(a), y = ts_say_number(b);
	char exact[2][TS_DOUBLE_TEXT];

	TS_DOOR(ts_inquiry_holds(q));
	if (strcmp(x.text, y.text) != 0)
		return ts_inquiry_text(q, "%s in the first run and %s in the second", x.text, y.text);
	return ts_inquiry_text(q, "%.*s in the first run and %.*s in the second", (int)ts_print_double(a, exact[0]),
			       exact[0], (int)ts_print_double(b, exact[1]), exact[1]);
}

void ts_say_for(struct ts_inquiry *q, const char *format, ...)
{
	va_list args;

	TS_DOOR(ts_inquiry_holds(q));
	if (q->d.n_for == TS_INQUIRY_SENTENCES)
		return;
	va_start(args, format);
	q->d.evidence_for[q->d.n_for++] = format_text(q, format, args);
	va_end(args);
}

void ts_say_against(struct ts_inquiry *q, const char *format, ...)
{
	va_list args;

	TS_DOOR(ts_inquiry_holds(q));
	if (q->d.n_against == TS_INQUIRY_SENTENCES)
		return;
	va_start(args, format);
	q->d.evidence_against[q->d.n_against++] = format_text(q, format, args);
	va_end(args);
}

void ts_say_hidden(struct ts_inquiry *q)
{
	TS_DOOR(ts_inquiry_holds(q));
	ts_say_against(
		q,
		"no record shows how large the difference was in the %s before: the first visible difference (relative "
		"difference %s) may have grown from rounding in these steps",
		ts_say_plural(q->hidden, "step").text, ts_say_number(q->jump).text);
}

bool ts_several_ranks(const struct ts_inquiry *q)
{
	const struct ts_evidence *e = q->e;

	TS_DOOR(ts_inquiry_holds(q));
	return e->world_a > 1 || e->world_b > 1 || e->ranks_a > 1 || e->ranks_b > 1 ||
	       (!e->world_a && !e->world_b && e->ranks_a != 1);
}

bool ts_worlds_differ(const struct ts_inquiry *q)
{
	const struct ts_evidence *e = q->e;

	TS_DOOR(ts_inquiry_holds(q));
	if (e->world_a && e->world_b)
		return e->world_a != e->world_b;
	return e->ranks_a && e->ranks_b && e->ranks_a != e->ranks_b;
}

void ts_remain(struct ts_inquiry *q, enum ts_cause cause)
{
	TS_DOOR(ts_inquiry_holds(q));
	if (cause == q->d.cause || cause == TS_CAUSE_UNKNOWN || ts_contradicts(q, cause))
		return;
	for (size_t i = 0; i < q->d.n_remaining; i++)
		if (q->d.remaining[i] == cause)
			return;
	q->d.remaining[q->d.n_remaining++] = cause;
}

void ts_remain_of_first_pass(struct ts_inquiry *q)
{
	static const enum ts_cause causes[] = {TS_CAUSE_INIT, TS_CAUSE_CODE, TS_CAUSE_CONFIG, TS_CAUSE_PRECISION, TS_CAUSE_RNG_STREAM};

	TS_DOOR(ts_inquiry_holds(q));
	for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
		ts_remain(q, causes[i]);
}

void ts_remain_rest(struct ts_inquiry *q)
{
	static const enum ts_cause finite[] = {
		TS_CAUSE_STEP_NUMBERING, TS_CAUSE_LOCAL_LOSSES, TS_CAUSE_RANK_ORDER, TS_CAUSE_RESUME_STATE, TS_CAUSE_RESUME_DATA,
		TS_CAUSE_CONFIG, TS_CAUSE_CODE, TS_CAUSE_INIT, TS_CAUSE_DATA_ORDER, TS_CAUSE_DATA_SET, TS_CAUSE_DATA_POSITION,
		TS_CAUSE_RNG_STREAM, TS_CAUSE_ON_POLICY, TS_CAUSE_REPORTING, TS_CAUSE_GRADIENT_PATH, TS_CAUSE_CORRUPTION,
		TS_CAUSE_PRECISION, TS_CAUSE_REDUCTION_ORDER, TS_CAUSE_PLATFORM, TS_CAUSE_NONDETERMINISM,
	};
	static const enum ts_cause small[] = {
		TS_CAUSE_NONDETERMINISM, TS_CAUSE_REDUCTION_ORDER, TS_CAUSE_PRECISION, TS_CAUSE_PLATFORM, TS_CAUSE_CORRUPTION,
		TS_CAUSE_CONFIG, TS_CAUSE_CODE,
	};

	TS_DOOR(ts_inquiry_holds(q));
	if (q->d.confidence == TS_CONFIDENCE_HIGH)
		return;
	if (ts_is_rounding(q) && !ts_is_pushed(q))
		for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
			ts_remain(q, small[i]);
	for (size_t i = 0; i < sizeof finite / sizeof finite[0]; i++)
		ts_remain(q, finite[i]);
}

bool ts_batches_seem_same(const struct ts_inquiry *q)
{
	TS_DOOR(ts_inquiry_holds(q));
	return q->e->noise.answer == TS_NOISE_TOGETHER && !q->means && !q->first[TS_KIND_BATCH].parts;
}

bool ts_batches_seem_other(const struct ts_inquiry *q)
{
	TS_DOOR(ts_inquiry_holds(q));
	/* What a run makes itself follows from its weights, and no longer is the same once they differ. */
	return q->e->noise.answer == TS_NOISE_APART && !q->means && !q->e->rewards && !ts_agrees_at(q, TS_KIND_BATCH, q->f);
}

void ts_say_noise(struct ts_inquiry *q)
{
	const struct ts_pattern_noise *noise = &q->e->noise;
	struct ts_say over = ts_say_plural((double)noise->records, "record");

	if (ts_batches_seem_same(q))
		ts_say_for(q,
			   "the losses still rise and fall together from there on (rank correlation %s over %s), as where the batches "
			   "are the same",
			   ts_say_number(noise->correlation).text, over.text);
	else if (ts_batches_seem_other(q))
		ts_say_for(q,
			   "the losses no longer rise and fall together from there on (rank correlation %s over %s), as where the "
			   "batches are other ones",
			   ts_say_number(noise->correlation).text, over.text);
}

bool ts_in_turn(const struct ts_inquiry *q)
{
	TS_DOOR(ts_inquiry_holds(q));
	if (!ts_at_start(q) || !q->first[TS_KIND_LOSS].parts)
		return false;
	for (size_t i = 0; i < q->e->n_series; i++) {
		const struct ts_evidence_series *s = &q->e->series[i];

		if (s->kind == TS_KIND_LOSS && s->common && s->first_common == q->start && (!s->parts || s->first > q->start))
			return true;
	}
	return false;
}

static void forget_remaining(struct ts_diagnosis *d, enum ts_cause cause)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_remaining; i++)
		if (d->remaining[i] != cause)
			d->remaining[n++] = d->remaining[i];
	d->n_remaining = n;
}

void ts_conclude(struct ts_inquiry *q, enum ts_cause cause, enum ts_confidence confidence, const char *format, ...)
{
	va_list args;

	TS_DOOR(ts_inquiry_holds(q));
	q->d.cause = cause;
	q->d.confidence = confidence;
	forget_remaining(&q->d, cause);
	q->d.has_step = q->has_f;
	q->d.step = q->f;
	va_start(args, format);
	q->d.sentence = format_text(q, format, args);
	va_end(args);
}
