#include "analysis/rank/efficiency.h"

#include "analysis/answer/phase.h"
#include "analysis/answer/row_words.h"
#include "analysis/rank/peaks.h"
#include "base/door.h"

static const double MFU_SUSPECT = 0.7;		/* published runs stay below it */
static const double EXPLAINED = 0.01;		/* so little unexplained time hides no cause */
static const double FULL_RECOMPUTE = 4.0 / 3.0; /* forward, backward (which is 2 forward), and one forward again */

/* An amount is a known number of seconds, or the reason why it is not known. */
struct amount {
	double value;
	const char *reason; /* NULL if known */
};

/* The times that the rows of timing give. */
struct times {
	const char *none; /* why there is no budget; NULL if there is one */
	double steps;
	bool phased; /* some phase was recorded */
	struct amount compute, data, comm, other;
	double unclassified;	   /* of which nobody can say what was done in it */
	double rest;		   /* behind the last mark of steps */
	bool seen[TS_RANK_PHASES]; /* such a phase; of TS_RANK_OTHER: the rest */
	bool whole, unknown;	   /* a phase that is the whole step, or whose name tscope does not know */
	double backward, checkpoint, evaluation;
	bool stamped;	       /* the step times are those of timestamps; if there are phases, these overlap */
	struct amount beyond;  /* wall minus phases, from the timestamps */
	struct amount outside; /* the part of it that is no work of training */
};

struct report {
	const struct ts_work *work;
	struct ts_measures *measures;
	struct ts_arena *arena;
	struct times times;
	struct amount lines[TS_BUDGET_LINES];
	double compute;		  /* s; without the wait inside backward */
	double wall;		  /* 0 if there is no budget */
	struct amount rank_flops; /* the FLOPs of one rank and step */
	struct amount peak;
	struct amount ideal; /* s, for all steps */
	struct amount mfu;
};

/* --- rows --- */

static void add_of(struct report *r, enum ts_measure_name what, struct ts_span of, struct amount a)
{
	if (a.reason)
		(void)ts_measure_unknown(r->measures, r->arena, what, of, a.reason);
	else
		(void)ts_measure_add(r->measures, r->arena, what, of, a.value);
}

static void add(struct report *r, enum ts_measure_name what, struct amount a)
{
	add_of(r, what, TS_NO_SUBJECT, a);
}

static void add_text(struct report *r, enum ts_measure_name what, const char *text)
{
	if (text)
		(void)ts_measure_text(r->measures, r->arena, what, TS_NO_SUBJECT, ts_span_str(text));
}

static struct amount known(double value)
{
	return (struct amount){.value = value};
}

static struct amount unknown(const char *reason)
{
	return (struct amount){.reason = reason};
}

/* Returns a / b for b above 0; an amount that is not known stays so. */
static struct amount over(struct amount a, double b)
{
	return a.reason ? a : known(a.value / b);
}

static struct amount of(const struct ts_work_number *n)
{
	return n->known ? known(n->value) : unknown(n->reason);
}

/* Returns the row as an amount. missing is the reason if there is no such row. */
static struct amount row_of(const struct report *r, enum ts_measure_name what, struct ts_span of, const char *missing)
{
	const struct ts_measure *m = ts_measure_find(r->measures, what, of);

	if (!m)
		return unknown(missing);
	if (!m->known)
		return unknown(ts_arena_phrase(r->arena, "%.*s", TS_SPAN_ARG(m->reason)));
	return isfinite(m->value) ? known(m->value) : unknown("its value is not finite");
}

/* --- what timing says --- */

/* Finds the rows that stand together under one subject: [from, to). A phase may be called "step" or "wall", so the
 * subject alone does not separate blocks; a name that occurs again begins another block. */
static size_t block_end(const struct ts_measures *m, size_t from)
{
	size_t to = from + 1;

	for (; to < m->n; to++) {
		if (!ts_span_eq(m->items[to].group, m->items[from].group) ||
		    !ts_span_eq(m->items[to].subject, m->items[from].subject))
			return to;
		for (size_t i = from; i < to; i++)
			if (ts_span_eq(m->items[i].name, m->items[to].name) && m->items[i].unit == m->items[to].unit)
				return to;
	}
	return to;
}

static const struct ts_measure *in_block(const struct ts_measures *m, size_t from, size_t to, enum ts_measure_name what)
{
	for (; from < to; from++)
		if (ts_measure_is(&m->items[from], what))
			return &m->items[from];
	return NULL;
}

static void plus(struct amount *a, double seconds)
{
	*a = known(a->reason ? seconds : a->value + seconds);
}

/* Takes a phase that is none of those of training by what its name says. */
static void take_named(struct times *t, struct ts_span name, double seconds)
{
	switch (ts_phase_kind_of(name)) {
	case TS_PHASE_REST:
		t->seen[TS_RANK_OTHER] = true;
		t->rest += seconds;
		return;
	case TS_PHASE_CHECKPOINT:
		t->checkpoint += seconds;
		break;
	case TS_PHASE_EVALUATION:
		t->evaluation += seconds;
		break;
	case TS_PHASE_HOST:
		break;
	case TS_PHASE_WHOLE:
		t->whole = true;
		t->unclassified += seconds;
		return;
	case TS_PHASE_UNKNOWN:
		t->unknown = true;
		t->unclassified += seconds;
		return;
	}
	plus(&t->other, seconds);
}

static void take_phase(struct times *t, struct ts_span name, double seconds)
{
	enum ts_rank_phase phase = ts_rank_phase_of(name);

	if (!isfinite(seconds)) {
		t->none = "the times of a phase are not finite";
		return;
	}
	if (seconds < 0.0) {
		t->none = "the times of a phase add up to less than 0";
		return;
	}
	if (phase == TS_RANK_BACKWARD)
		t->backward += seconds;
	if (phase == TS_RANK_OTHER) {
		take_named(t, name, seconds);
		return;
	}
	t->seen[phase] = true;
	plus(phase == TS_RANK_DATA ? &t->data : phase == TS_RANK_COMM ? &t->comm : &t->compute, seconds);
}

/* Takes the share of a phase from its block; without a total (rows of an older version) the mean is used instead. */
static void take_block(struct report *r, size_t from, size_t to)
{
	const struct ts_measures *m = r->measures;
	const struct ts_measure *total = in_block(m, from, to, TS_M_PHASE_TOTAL),
				*mean = in_block(m, from, to, TS_M_PHASE_MEAN);
	const struct ts_measure *count = in_block(m, from, to, TS_M_STEP_COUNT);
	const struct ts_measure *beyond = in_block(m, from, to, TS_M_WALL_UNATTRIBUTED);
	const struct ts_measure *source = in_block(m, from, to, TS_M_STEP_SOURCE);
	struct ts_span subject = m->items[from].subject;
	struct times *t = &r->times;

	if (in_block(m, from, to, TS_M_PHASE_SHARE)) {
		t->phased = true;
		if (total && total->known)
			take_phase(t, subject, total->value);
		else if (mean && mean->known)
			take_phase(t, subject, mean->value * t->steps);
	} else if (count) {
		t->steps = count->known ? count->value : 0.0;
		t->stamped = source && source->known && ts_time_source_of(source->text) == TS_TIME_BY_STAMPS;
	} else if (beyond) {
		if (beyond->known && isfinite(beyond->value))
			t->beyond = known(beyond->value);
		else if (!beyond->known)
			t->beyond = row_of(r, TS_M_WALL_UNATTRIBUTED, TS_NO_SUBJECT, "the run has no column timestamp");
	}
}

/* Returns whether all work of a training step has phases of its own, so that what is left is something else. */
static bool is_marked(const struct times *t)
{
	return t->seen[TS_RANK_COMPUTE] || (t->seen[TS_RANK_FORWARD] && t->seen[TS_RANK_BACKWARD] && t->seen[TS_RANK_OPTIMIZER]);
}

/* Returns whether next to nothing is left of the time that phases of known work do not explain. */
static bool is_explained(const struct times *t)
{
	double left = t->unclassified + t->rest + (t->beyond.reason || t->beyond.value < 0.0 ? 0.0 : t->beyond.value);
	double told =
		(t->compute.reason ? 0.0 : t->compute.value) + (t->data.reason ? 0.0 : t->data.value) +
		(t->comm.reason ? 0.0 : t->comm.value) + (t->other.reason ? 0.0 : t->other.value);

	return left <= EXPLAINED * told;
}

/* Decides what the rest of steps is, and what lies outside of all phases: work beside training where all of training is marked, else
 * nobody knows. */
static void judge_rest(struct times *t)
{
	static const char whole[] = "the run says how long whole steps take, and not what is done in them";
	static const char part[] = "the run does not mark forward, backward and optimizer, whose time may be in the rest of the steps";
	bool marked = is_marked(t) || (!t->compute.reason && is_explained(t));
	bool all = !t->compute.reason || t->seen[TS_RANK_OTHER] || t->whole || t->unknown;

	if (marked && t->seen[TS_RANK_OTHER])
		plus(&t->other, t->rest);
	else
		t->unclassified += t->rest;
	if (t->other.reason)
		t->other = marked ? known(0.0) : unknown(t->whole ? whole : part);
	t->outside = t->beyond;
	if (!marked && !t->whole && !t->beyond.reason && t->beyond.value > 0.0) {
		t->unclassified += t->beyond.value;
		t->outside = unknown(part);
	} else if (!all && t->beyond.reason) {
		t->none = "the phases of the run are not all of a step";
	}
}

static void read_timing(struct report *r)
{
	struct times *t = &r->times;
	size_t to;

	*t = (struct times){
		.compute = unknown("the run has no phase forward, backward, optimizer or compute"),
		.data = unknown(
			"the run has no phase data, so a wait for data counts in another phase or as unattributed"),
		.comm = unknown("the run has no phase comm, so communication counts in another phase"),
		.other = unknown(""),
		.beyond = unknown("the run has no column timestamp"),
	};
	for (size_t i = 0; i < r->measures->n; i = to) {
		to = block_end(r->measures, i);
		if (ts_measure_in(&r->measures->items[i], TS_ANSWER_TIMING))
			take_block(r, i, to);
	}
	if (!t->none && !(t->steps > 0.0 && t->phased))
		t->none = "no step has a phase";
	if (!t->none)
		judge_rest(t);
}

/* --- budget --- */

/* The only rank of a job does not communicate. */
static bool alone(const struct ts_work *w)
{
	return w->n_ranks <= 1 && w->world_size.known && w->world_size.value == 1.0;
}

/* Returns the seconds that this rank waits for others, from the rows of ranks, which describe the mean step common
 * to all ranks. */
static struct amount wait_of(const struct report *r, bool *ret_hidden)
{
	const struct ts_measure *mode = ts_measure_find(r->measures, TS_M_RANKS_MODE, TS_NO_SUBJECT);
	char *subject = ts_measure_subject(TS_M_RANK_WAIT, r->work->rank, r->arena);
	struct amount wait = unknown("out of memory");

	*ret_hidden = mode && mode->known && ts_ranks_mode_of(mode->text) == TS_RANKS_HIDDEN;
	if (alone(r->work))
		return known(0.0);
	if (subject)
		wait = row_of(r, TS_M_RANK_WAIT, ts_span_str(subject),
			      "one rank alone does not show which part of its communication is waiting");
	if (!wait.reason && wait.value < 0.0)
		wait.value = 0.0;
	return wait.reason ? wait : known(wait.value * r->times.steps);
}

/* Takes the wait out of *io and returns the part that was taken; the rest stays. */
static double take_out(double wait, double *io)
{
	double taken = wait < *io ? wait : *io;

	*io -= taken;
	return taken;
}

static void measured_lines(struct report *r)
{
	const struct times *t = &r->times;
	struct amount *l = r->lines;
	bool hidden;

	l[TS_LINE_DATA] = t->data;
	l[TS_LINE_COMM] = t->comm;
	l[TS_LINE_OTHER] = t->other;
	l[TS_LINE_UNCLASSIFIED] = known(t->unclassified);
	l[TS_LINE_WAIT] = wait_of(r, &hidden);
	r->compute = t->compute.reason ? 0.0 : t->compute.value;
	if (alone(r->work) && t->comm.reason)
		l[TS_LINE_COMM] = known(0.0);
	if (!l[TS_LINE_WAIT].reason && hidden) {
		double backward = t->backward, waited = take_out(l[TS_LINE_WAIT].value, &backward);

		r->compute -= waited;
		l[TS_LINE_WAIT].value = waited;
		l[TS_LINE_COMM] =
			t->comm.reason
				? unknown("the collectives run inside backward, so their transfer counts as compute")
				: t->comm;
	} else if (!l[TS_LINE_WAIT].reason && !l[TS_LINE_COMM].reason) {
		l[TS_LINE_WAIT].value = take_out(l[TS_LINE_WAIT].value, &l[TS_LINE_COMM].value);
	} else if (!l[TS_LINE_WAIT].reason && l[TS_LINE_WAIT].value > 0.0) {
		l[TS_LINE_WAIT] = unknown("the run has no phase comm");
	}
	l[TS_LINE_UNATTRIBUTED] = t->outside;
	if (!t->outside.reason && t->outside.value < 0.0)
		l[TS_LINE_UNATTRIBUTED] = known(0.0);
}

/* Divides compute into two lines, once the MFU is known. */
static void compute_lines(struct report *r)
{
	struct amount *l = r->lines;
	bool split = !r->mfu.reason && r->mfu.value <= 1.0 && !r->times.compute.reason;

	l[TS_LINE_USEFUL] = r->times.compute.reason ? r->times.compute : known(r->compute);
	l[TS_LINE_OVERHEAD] = unknown(r->times.compute.reason ? r->times.compute.reason
				      : r->mfu.reason	      ? r->mfu.reason
							      : "the MFU is above 100 %");
	if (split) {
		if (r->ideal.value < r->compute)
			l[TS_LINE_USEFUL] = known(r->ideal.value);
		l[TS_LINE_OVERHEAD] = known(r->compute - l[TS_LINE_USEFUL].value);
	}
}

/* Adds the lines in their order: that sum is the wall, so rounding loses nothing. */
static double sum_of(const struct amount *lines, size_t n)
{
	double sum = 0.0;

	for (size_t i = 0; i < n; i++)
		if (!lines[i].reason)
			sum += lines[i].value;
	return sum;
}

static void line_rows(struct report *r, double wall)
{
	for (size_t i = 0; i < TS_BUDGET_LINES; i++) {
		add_of(r, TS_M_BUDGET_SECONDS, ts_span_str(ts_budget_lines[i]), r->lines[i]);
		add_of(r, TS_M_BUDGET_SHARE, ts_span_str(ts_budget_lines[i]), over(r->lines[i], wall));
	}
}

/* Returns the wall time that the run itself records, if it covers these steps. */
static struct amount session_of(const struct report *r)
{
	const struct ts_work *w = r->work;

	if (!w->wall_time_s.known)
		return unknown(w->wall_time_s.reason);
	if (w->warmup_cut > 0)
		return unknown("session.wall_time includes the steps that were left out at the start");
	if (w->n_steps.known && w->n_steps.value != r->times.steps)
		return unknown("session.wall_time covers a different number of steps");
	if (w->wall_time_s.value < r->wall * (1.0 - 1e-6))
		return unknown("session.wall_time is shorter than the steps took");
	return known(w->wall_time_s.value);
}

static void wall_rows(struct report *r)
{
	const struct amount *beyond = &r->times.beyond;
	bool stamped = !beyond->reason && beyond->value > 0.0;
	struct amount session = session_of(r);
	double outside = session.value - r->wall;

	add(r, TS_M_BUDGET_WALL, known(r->wall));
	add_text(r, TS_M_BUDGET_SOURCE, ts_time_source_word(stamped ? TS_TIME_BY_STAMPS : TS_TIME_BY_PHASES));
	if (beyond->reason)
		add_text(r, TS_M_BUDGET_NOTE, beyond->reason);
	else if (!stamped)
		add_text(r, TS_M_BUDGET_NOTE, "the phases add up to at least the time between the timestamps");
	if (!beyond->reason && beyond->value < 0.0)
		add(r, TS_M_BUDGET_OVERLAP, known(-beyond->value));
	add(r, TS_M_BUDGET_SESSION, session);
	add(r, TS_M_BUDGET_OUTSIDE, session.reason ? session : known(outside > 0.0 ? outside : 0.0));
}

static void no_budget(struct report *r)
{
	for (size_t i = 0; i < TS_BUDGET_LINES; i++)
		r->lines[i] = unknown(r->times.none);
	line_rows(r, 1.0);
	add(r, TS_M_BUDGET_WALL, unknown(r->times.none));
}

static void budget(struct report *r)
{
	if (!r->times.none && !(r->wall > 0.0))
		r->times.none = "no time is attributed to any phase";
	if (r->times.none) {
		no_budget(r);
		return;
	}
	line_rows(r, r->wall);
	wall_rows(r);
}

/* --- the peak and the count --- */

static void find_peak(struct report *r, const char **ret_source)
{
	const struct ts_work *w = r->work;
	struct ts_peak p;
	const char *reason;

	*ret_source = NULL;
	if (w->peak_flops.known) {
		r->peak = known(w->peak_flops.value);
		*ret_source = ts_arena_phrase(r->arena, w->peak_flops.told ? "%s" : "work.peak_flops, %s", w->peak_flops.source);
	} else if (w->peak_flops.said) {
		r->peak = unknown(w->peak_flops.reason);
	} else if (w->device.text.len == 0) {
		r->peak = unknown(w->device.reason);
	} else if (w->dtype.text.len == 0) {
		r->peak = unknown("the run does not record work.dtype, on which the peak of a device depends");
	} else if (!ts_peak_find(w->device.text, w->dtype.text, &p, &reason)) {
		r->peak = unknown(reason);
	} else {
		r->peak = known(p.flops);
		*ret_source = ts_arena_phrase(r->arena, "table of peaks: %s, %s; %s (%s)", p.name, p.dtype, p.document, p.date);
	}
}

/* Returns the number of ranks that the count of FLOPs covers. */
static struct amount flops_ranks(const struct ts_work *w)
{
	if (!w->flops_ranks.said)
		return known(1.0);
	if (w->flops_ranks.known && w->world_size.known && w->flops_ranks.value > w->world_size.value)
		return unknown("work.flops_ranks is larger than the world size");
	return of(&w->flops_ranks);
}

/* Returns the FLOPs of one rank and step. */
static struct amount per_rank(const struct report *r, struct amount flops)
{
	struct amount ranks = flops_ranks(r->work);

	if (flops.reason)
		return flops;
	return ranks.reason ? ranks : known(flops.value / ranks.value);
}

/* Returns the seconds that the counted FLOPs take at the peak. */
static struct amount ideal_of(const struct report *r, struct amount rank_flops)
{
	double seconds = rank_flops.value * r->times.steps / r->peak.value;

	if (rank_flops.reason)
		return rank_flops;
	if (r->peak.reason)
		return r->peak;
	if (r->times.none)
		return unknown(r->times.none);
	return isnan(seconds) || seconds == 0.0 ? unknown("the count of FLOPs or the peak is out of range") : known(seconds);
}

/* The wall time of the steps: less than all phases where these overlap and timestamps tell. */
static double wall_of(const struct report *r)
{
	double sum = sum_of(r->lines, TS_BUDGET_LINES);

	return r->times.stamped && !r->times.beyond.reason && sum + r->times.beyond.value > 0.0 ? sum + r->times.beyond.value : sum;
}

static struct amount utilization(const struct report *r, struct amount ideal)
{
	if (!ideal.reason && !(r->wall > 0.0))
		return unknown("no time is attributed to any phase");
	return ideal.reason ? ideal : known(ideal.value / wall_of(r));
}

/* Returns the FLOPs of a step on flops_ranks ranks, including what is computed twice. */
static struct amount hardware_flops(const struct ts_work *w)
{
	if (w->hardware_flops_per_step.said)
		return of(&w->hardware_flops_per_step);
	if (!w->flops_per_step.known)
		return unknown(w->flops_per_step.reason);
	if (w->recompute_flops_per_step.known)
		return known(w->flops_per_step.value + w->recompute_flops_per_step.value);
	if (w->recompute_flops_per_step.said)
		return unknown(w->recompute_flops_per_step.reason);
	if (ts_span_is(w->recompute.text, "none"))
		return known(w->flops_per_step.value);
	if (ts_span_is(w->recompute.text, "full"))
		return known(w->flops_per_step.value * FULL_RECOMPUTE);
	return unknown(
		w->recompute.text.len
			? "work.recompute is neither \"full\" nor \"none\", so the amount of recomputation is not known"
			: "the run does not record work.recompute, so the amount of recomputation is not known");
}

/* --- efficiency --- */

static void text_row(struct report *r, enum ts_measure_name what, const struct ts_work_text *text)
{
	if (text->text.len)
		(void)ts_measure_text(r->measures, r->arena, what, TS_NO_SUBJECT, text->text);
	else
		(void)ts_measure_unknown(r->measures, r->arena, what, TS_NO_SUBJECT, text->reason);
}

/* Adds an error for an impossible value and a warning for an implausible one. */
static void doubts(struct report *r, const char *what, enum ts_measure_name error, enum ts_measure_name warning,
		   struct amount ratio)
{
	if (ratio.reason || !(ratio.value > MFU_SUSPECT))
		return;
	if (ratio.value > 1.0)
		add_text(r, error,
			 ts_arena_printf(r->arena,
					 "%s is %.4g %%, which is more than the devices can do: the FLOPs of a step, "
					 "the number of ranks "
					 "that they are for, the peak or its dtype is wrong",
					 what, 100.0 * ratio.value));
	else
		add_text(r, warning,
			 ts_arena_printf(r->arena,
					 "%s is %.4g %%; above 70 %% the FLOPs of a step, the peak or its dtype is "
					 "almost always wrong",
					 what, 100.0 * ratio.value));
}

/* What is declared of recomputation: the word, and the share of the model's FLOPs that is done again. The share of "full"
 * and of "none" is known without a count of FLOPs. */
static void recompute_rows(struct report *r, struct amount hardware)
{
	const struct ts_work *w = r->work;
	bool full = ts_span_is(w->recompute.text, "full"), none = ts_span_is(w->recompute.text, "none");

	if (w->recompute.text.len)
		text_row(r, TS_M_RECOMPUTE, &w->recompute);
	if (!hardware.reason && w->flops_per_step.known)
		add(r, TS_M_RECOMPUTED, known(hardware.value / w->flops_per_step.value - 1));
	else if (full || none)
		add(r, TS_M_RECOMPUTED, known(full ? FULL_RECOMPUTE - 1 : 0));
}

static void mfu_rows(struct report *r, const char *peak_source)
{
	const struct ts_work *w = r->work;
	struct amount hardware = hardware_flops(w), hfu;

	add(r, TS_M_MFU, r->mfu);
	text_row(r, TS_M_MFU_CONVENTION, &w->convention);
	add(r, TS_M_MFU_FLOPS_PER_STEP, of(&w->flops_per_step));
	add(r, TS_M_MFU_FLOPS_RANKS, flops_ranks(w));
	add(r, TS_M_MFU_PEAK, r->peak);
	if (peak_source)
		add_text(r, TS_M_MFU_PEAK_SOURCE, peak_source);
	else
		add(r, TS_M_MFU_PEAK_SOURCE, unknown(r->peak.reason));
	text_row(r, TS_M_MFU_DTYPE, &w->dtype);
	text_row(r, TS_M_MFU_DEVICE, &w->device);
	text_row(r, TS_M_DEVICE_KIND, &w->device_kind);
	if (!hardware.reason && w->flops_per_step.known && hardware.value < w->flops_per_step.value)
		hardware = unknown("work.hardware_flops_per_step is less than work.flops_per_step");
	hfu = utilization(r, ideal_of(r, per_rank(r, hardware)));
	add(r, TS_M_HFU, hfu);
	recompute_rows(r, hardware);
	doubts(r, "MFU", TS_M_MFU_ERROR, TS_M_MFU_WARNING, r->mfu);
	doubts(r, "HFU", TS_M_HFU_ERROR, TS_M_HFU_WARNING, hfu);
	if (!r->mfu.reason && r->mfu.value <= 1.0 && r->ideal.value > r->compute)
		add_text(r, TS_M_COMPUTE_WARNING,
			 "even at the peak the FLOPs of the steps would take longer than the compute phases did: the "
			 "phases do "
			 "not cover all of the work, or the count of FLOPs is wrong");
}

/* The productive time is that of the phases of compute; each loss is a share of wall. */
static void goodput_rows(struct report *r)
{
	const struct times *t = &r->times;
	const char *none = t->none ? t->none : t->compute.reason;
	struct amount productive = none ? unknown(none) : known(r->compute), session = session_of(r), rest = t->other;

	add(r, TS_M_GOODPUT, over(productive, r->wall));
	add(r, TS_M_GOODPUT_PRODUCTIVE, productive);
	if (!t->none) {
		add(r, TS_M_GOODPUT_DATA_STALL, over(r->lines[TS_LINE_DATA], r->wall));
		add(r, TS_M_GOODPUT_COMMUNICATION, over(r->lines[TS_LINE_COMM], r->wall));
		add(r, TS_M_GOODPUT_WAIT, over(r->lines[TS_LINE_WAIT], r->wall));
		rest.value -= t->checkpoint + t->evaluation;
		rest.value = rest.value > 0.0 ? rest.value : 0.0;
		add(r, TS_M_GOODPUT_CHECKPOINT, known(t->checkpoint / r->wall));
		add(r, TS_M_GOODPUT_EVALUATION, known(t->evaluation / r->wall));
		add(r, TS_M_GOODPUT_OTHER, over(rest, r->wall));
		add(r, TS_M_GOODPUT_UNATTRIBUTED, over(r->lines[TS_LINE_UNATTRIBUTED], r->wall));
	}
	add(r, TS_M_GOODPUT_SESSION,
	    productive.reason ? productive
	    : session.reason  ? session
			      : known(productive.value / session.value));
}

/* --- the whole job --- */

/* Returns the MFU of steps that take this long. */
static struct amount mfu_at(const struct report *r, struct amount step)
{
	double ratio = r->rank_flops.value / (step.value * r->peak.value);

	if (r->rank_flops.reason)
		return r->rank_flops;
	if (r->peak.reason)
		return r->peak;
	if (step.reason)
		return step;
	return isfinite(ratio) && step.value > 0.0 ? known(ratio) : unknown("no time is attributed to any phase");
}

/* Returns the seconds of a step of the job, which ends when the slowest rank ends. */
static struct amount job_step(const struct report *r)
{
	struct amount all = row_of(r, TS_M_RANKS_WALL, TS_NO_SUBJECT, "the answer has no rows of ranks");
	double own = r->wall / r->times.steps;

	if (r->times.none)
		return unknown(r->times.none);
	return known(!all.reason && all.value > own ? all.value : own);
}

static void rank_rows(struct report *r)
{
	size_t n = r->measures->n; /* rows are added during this loop */

	for (size_t i = 0; i < n; i++) {
		struct ts_measure m = r->measures->items[i];

		if (ts_measure_is(&m, TS_M_RANK_MEDIAN))
			add_of(r, TS_M_RANK_MFU, m.subject,
			       mfu_at(r, row_of(r, TS_M_RANK_MEDIAN, m.subject, "its step time is not known")));
	}
}

/* Adds tokens or samples per second: from columns that count them, otherwise from the number per step in the facts. */
static void rate_rows(struct report *r, enum ts_measure_name what, enum ts_measure_name each,
		      const struct ts_work_number *total, const struct ts_work_number *per_step)
{
	struct amount step = job_step(r);
	double devices = r->work->world_size.known ? r->work->world_size.value : r->work->n_ranks;
	struct amount rate;

	if (step.reason)
		rate = step;
	else if (total->known)
		rate = known(total->value / (step.value * r->times.steps));
	else if (per_step->known)
		rate = known(per_step->value / step.value);
	else
		rate = unknown(per_step->said ? per_step->reason : total->reason);
	add(r, what, rate);
	add(r, each, devices > 0.0 ? over(rate, devices) : unknown("the number of devices is not known"));
}

/* What is outside all phases is known of the rank in view only; the other ranks are taken to have the same share of it, since the steps
 * of a job end together. */
static struct amount job_unattributed(const struct report *r, double inside)
{
	struct amount own = r->lines[TS_LINE_UNATTRIBUTED];
	double share = own.value / r->wall;

	if (own.reason)
		return own;
	if (!(share < 1.0))
		return unknown("all of the time is outside the phases");
	return known(share > 0.0 ? inside * share / (1.0 - share) : 0.0);
}

/* Divides the own time of the ranks (all time but communication and wait), of which the ideal part is useful, as
 * means over ranks. */
static void job_budget(struct report *r)
{
	static const char none[] = "the rows of ranks do not contain it";
	struct amount steps = row_of(r, TS_M_RANKS_ALIGNED_STEPS, TS_NO_SUBJECT, none);
	struct amount lines[TS_JOB_LINES] = {
		[TS_JOB_USEFUL] = unknown(r->mfu.reason ? r->mfu.reason : "the MFU is above 100 %"),
		[TS_JOB_OWN_REST] = unknown(none),
		[TS_JOB_COMM] = row_of(r, TS_M_RANKS_TRANSFER, TS_NO_SUBJECT, none),
		[TS_JOB_WAIT] = row_of(r, TS_M_RANKS_WAIT, TS_NO_SUBJECT, none),
		[TS_JOB_UNATTRIBUTED] = unknown(none),
	};
	double own = 0.0, ideal, wall;
	size_t ranks = 0;

	if (r->work->n_ranks <= 1)
		return;
	for (size_t i = 0; i < r->measures->n; i++) {
		const struct ts_measure *m = &r->measures->items[i];

		if (!ts_measure_is(m, TS_M_RANK_OWN) || !m->known)
			continue;
		own += m->value;
		ranks++;
	}
	if (steps.reason || ranks == 0 || !isfinite(own) || !(own > 0.0) || !(steps.value > 0.0)) {
		add(r, TS_M_JOB_WALL, unknown(steps.reason ? steps.reason : none));
		return;
	}
	own = own / (double)ranks * steps.value;
	lines[TS_JOB_COMM].value *= steps.value;
	lines[TS_JOB_WAIT].value *= steps.value;
	lines[TS_JOB_OWN_REST] = known(own);
	if (!r->mfu.reason && r->mfu.value <= 1.0) {
		ideal = r->rank_flops.value * steps.value / r->peak.value;
		lines[TS_JOB_USEFUL] = known(ideal < own ? ideal : own);
		lines[TS_JOB_OWN_REST] = known(own - lines[TS_JOB_USEFUL].value);
	}
	lines[TS_JOB_UNATTRIBUTED] = job_unattributed(r, sum_of(lines, TS_JOB_UNATTRIBUTED));
	wall = sum_of(lines, TS_JOB_LINES);
	for (size_t i = 0; i < TS_JOB_LINES; i++) {
		add_of(r, TS_M_JOB_SECONDS, ts_span_str(ts_job_lines[i]), lines[i]);
		add_of(r, TS_M_JOB_SHARE, ts_span_str(ts_job_lines[i]), over(lines[i], wall));
	}
	add(r, TS_M_JOB_WALL, known(wall));
}

enum ts_status ts_mfu_terms(const struct ts_work *work, struct ts_arena *arena, struct ts_mfu_terms *ret_terms, struct ts_error *err)
{
	struct report r = {.work = work, .arena = arena};
	struct ts_mfu_terms t = {.reason = NULL};

	find_peak(&r, &t.peak_source);
	r.rank_flops = per_rank(&r, of(&work->flops_per_step));
	if (ts_arena_check(arena, err))
		return err->status;
	t.reason = r.rank_flops.reason ? r.rank_flops.reason : r.peak.reason;
	t.flops = r.rank_flops.value;
	t.peak = r.peak.value;
	*ret_terms = t;
	return TS_OK;
}

enum ts_status ts_efficiency(const struct ts_work *work, struct ts_arena *arena, struct ts_measures *measures,
			     struct ts_error *err)
{
	struct report r = {.work = work, .measures = measures, .arena = arena};
	const char *peak_source;

	TS_DOOR(ts_measures_hold(measures));
	read_timing(&r);
	find_peak(&r, &peak_source);
	r.rank_flops = per_rank(&r, of(&work->flops_per_step));
	r.ideal = ideal_of(&r, r.rank_flops);
	if (!r.times.none) {
		measured_lines(&r);
		/* Compute is one line or two: both have the same seconds, except for the rounding of the second sum. */
		r.lines[TS_LINE_USEFUL] = r.times.compute.reason ? r.times.compute : known(r.compute);
		r.lines[TS_LINE_OVERHEAD] = unknown("");
		r.wall = sum_of(r.lines, TS_BUDGET_LINES);
		r.mfu = utilization(&r, r.ideal);
		compute_lines(&r);
		r.wall = sum_of(r.lines, TS_BUDGET_LINES);
		r.mfu = utilization(&r, r.ideal);
	} else {
		r.mfu = r.ideal;
	}
	budget(&r);
	job_budget(&r);
	mfu_rows(&r, peak_source);
	goodput_rows(&r);
	add(&r, TS_M_JOB_MFU, mfu_at(&r, job_step(&r)));
	rank_rows(&r);
	rate_rows(&r, TS_M_THROUGHPUT_TOKENS, TS_M_THROUGHPUT_TOKENS_PER_DEVICE, &work->tokens, &work->tokens_per_step);
	rate_rows(&r, TS_M_THROUGHPUT_SAMPLES, TS_M_THROUGHPUT_SAMPLES_PER_DEVICE, &work->samples,
		  &work->samples_per_step);
	return ts_arena_check(arena, err);
}
