/* checks_convergence.c - rules on the loss, on the gradient norm, and on several signals at once. */
#include "analysis/answer/row_words.h"
#include "analysis/rules/check.h"

#include "analysis/stats/student.h"
#include "run/meaning.h"

/* One rank fires up to these chances: those of spikes.h and coincidence.h, and the 99 % interval of convergence.h on one side. */
#define SPIKES_LEVEL 0.0035
#define COINCIDENCE_LEVEL 0.01
/* What one clean run of a hundred shows by chance is not high. */
#define COINCIDENCE_HIGH 0.001
#define RISE_LEVEL 0.005
/* How often a rise at the end is found in a flat series of white noise, as tests/quality measured it (11 of 6,400); the search for it
 * has no probability of its own. So of 8 ranks two have to show it, and of 64 thirteen: a loss that really rises does so on all. */
#define END_RISE_CHANCE 0.002
#define END_RISE_LEVEL 0.01

/* The greatest rate at which a clean series of noise is said to move, as tests/quality measured it, is below this. */
#define MOVED_CHANCE 0.005
#define MOVED_LEVEL 0.01

/* The values that the levels and slopes of convergence.h are made of. */
enum { RECENT_PARTS = 32, INITIAL_LEAST = 5, INITIAL_MOST = 100 };

static bool has_values(const struct ts_measure *row)
{
	return ts_measure_is(row, TS_M_SERIES_COUNT) && row->known && row->value > 0;
}

/* How well a series stands for the loss: 0 is not at all. */
static int loss_rank(struct ts_span series)
{
	if (ts_span_is(series, "loss"))
		return 3;
	return ts_column_ends_as_loss(series) ? 2 : (ts_column_meaning(series) == TS_MEANS_OBJECTIVE ? 1 : 0);
}

static int norm_rank(struct ts_span series)
{
	if (ts_span_is(series, "grad_norm"))
		return 2;
	return ts_column_meaning(series) == TS_MEANS_GRAD_NORM ? 1 : 0;
}

/* The first series of the highest rank; NULL: none has one. */
static const struct ts_measure *highest(const struct ts_check *c, int (*rank_of)(struct ts_span))
{
	const struct ts_measure *found = NULL;
	int best = 0;

	for (size_t i = 0; i < c->measures->n; i++) {
		const struct ts_measure *row = &c->measures->items[i];
		int rank = has_values(row) ? rank_of(row->subject) : 0;

		if (rank > best) {
			best = rank;
			found = row;
		}
	}
	return found;
}

/* Its name; otherwise if there is none. */
static const char *series_of(struct ts_check *c, int (*rank_of)(struct ts_span), const char *otherwise)
{
	const struct ts_measure *found = highest(c, rank_of);
	const char *name = found ? (const char *)ts_arena_span(c->arena, found->subject).data : NULL;

	return name ? name : otherwise;
}

/* The series that stands for the loss: "loss", else the first whose name ends so ("train_loss"), else the first objective. "loss" if
 * there is none. */
static const char *loss_of(struct ts_check *c)
{
	return series_of(c, loss_rank, "loss");
}

/* How many values the series has; unchecked with the reason when it has none. */
static bool need_values(struct ts_check *c, const char *series, double *ret_count)
{
	const struct ts_measure *row = ts_measure_find(c->measures, TS_M_SERIES_COUNT, ts_span_str(series));

	if (row && row->known && row->value > 0) {
		*ret_count = row->value;
		return true;
	}
	row = ts_measure_find(c->measures, TS_M_SERIES_LAST, ts_span_str(series));
	if (row && !row->known)
		ts_check_leave(c, "%.*s", TS_SPAN_ARG(row->reason));
	else
		ts_check_leave(c, "the run has no column scalars.%s", series);
	return false;
}

/* Whether the series ends in values that are not finite, and from which step on. */
static bool is_lost(struct ts_check *c, const char *series, double *ret_from)
{
	return ts_check_want_of(c, TS_M_SERIES_LOST, series, ret_from);
}

void ts_check_diverged(struct ts_check *c)
{
	const char *loss = loss_of(c), *end = "";
	double count, bad, first, from, last = 0;
	bool any;

	if (!need_values(c, loss, &count))
		return;
	if (!ts_check_want_of(c, TS_M_SERIES_NONFINITE, loss, &bad) || !(bad > 0) ||
	    !ts_check_need_of(c, TS_M_SERIES_FIRST_NONFINITE, loss, &first))
		return;
	from = first;
	if (is_lost(c, loss, &from))
		end = ts_arena_phrase(c->arena, ", and in all from step %.0f to the end", from);
	ts_check_steps(c, (int64_t)from, (int64_t)from);
	any = ts_check_want_of(c, TS_M_SERIES_LAST, loss, &last);
	ts_check_fire(c, TS_SEVERITY_HIGH, "%s is NaN or infinite in %s of %s, for the first time at step %.0f%s%s%s",
		      loss, ts_say_count(bad).text, ts_say_plural(count, "value").text, first, end,
		      any ? "; its last finite value is " : "", any ? ts_say_number(last).text : "");
}

/* Whether a series goes on after the loss for so long that the loss should have been logged again. */
static bool goes_on(struct ts_check *c, const char *series, double loss_end, double loss_every)
{
	double end, every;

	return ts_check_want_of(c, TS_M_SERIES_END, series, &end) && ts_check_want_of(c, TS_M_SERIES_EVERY, series, &every) &&
	       end - loss_end >= ts_check_threshold(c, "min_missing") * fmax(loss_every, every);
}

void ts_check_loss_ceased(struct ts_check *c)
{
	const char *const others[] = {series_of(c, norm_rank, "grad_norm"), "lr", "learning_rate"};
	const char *loss = loss_of(c), *other = NULL;
	double count, end, every, until;

	if (!need_values(c, loss, &count) || !ts_check_enough(c, count, "min_values", "value") ||
	    !ts_check_need_of(c, TS_M_SERIES_END, loss, &end) || !ts_check_need_of(c, TS_M_SERIES_EVERY, loss, &every))
		return;
	for (size_t i = 0; !other && i < sizeof others / sizeof others[0]; i++)
		if (goes_on(c, others[i], end, every))
			other = others[i];
	if (!other || !ts_check_need_of(c, TS_M_SERIES_END, other, &until))
		return;
	ts_check_steps(c, (int64_t)end, (int64_t)until);
	ts_check_fire(c, TS_SEVERITY_MEDIUM, "%s has no value after step %.0f, while %s goes on to step %.0f", loss, end, other, until);
}

/* "the gradient norm is not finite and the loss scale falls there, from 131,072 to 65,536 at first" */
static const char *skip_text(struct ts_check *c, bool overflowed, bool once)
{
	double before, after;

	if (!ts_check_need(c, TS_M_SKIPS_BEFORE, &before) || !ts_check_need(c, TS_M_SKIPS_AFTER, &after))
		return "";
	return ts_arena_phrase(c->arena, "%sthe loss scale falls there, from %s to %s%s",
			       overflowed ? "the gradient norm is not finite and " : "", ts_say_count(before).text,
			       ts_say_count(after).text, once ? "" : " at first");
}

void ts_check_skipped_updates(struct ts_check *c)
{
	double skipped, among, first, last, overflowed;
	bool often;

	if (!ts_check_want(c, TS_M_SKIPS, &skipped)) {
		ts_check_leave(c, "no loss scale is recorded, as in runs without a gradient scaler");
		return;
	}
	if (!ts_check_need(c, TS_M_SKIPS_AMONG, &among) || !(skipped > 0) || !ts_check_need(c, TS_M_SKIPS_FIRST, &first) ||
	    !ts_check_need(c, TS_M_SKIPS_LAST, &last) || !ts_check_need(c, TS_M_SKIPS_OVERFLOWED, &overflowed))
		return;
	often = among >= ts_check_threshold(c, "min_updates") && skipped / among >= ts_check_threshold(c, "medium_share");
	ts_check_steps(c, (int64_t)first, (int64_t)last);
	ts_check_fire(c, often ? TS_SEVERITY_MEDIUM : TS_SEVERITY_LOW, "The scaler skipped %s of %s, at step %.0f%s: %s",
		      ts_say_count(skipped).text, ts_say_plural(among, "recorded update").text, first,
		      last > first ? ts_arena_phrase(c->arena, " to step %.0f", last) : "",
		      skip_text(c, overflowed >= skipped, skipped <= 1));
}

/* A rise at the end of a series, as the analysis found it. */
struct rise {
	double from, low, end, by;
	bool relative; /* by is known */
};

static bool want_rise(struct ts_check *c, const char *series, struct rise *ret)
{
	bool any = ts_check_want_of(c, TS_M_SERIES_RISE_AT, series, &ret->from) &&
		   ts_check_want_of(c, TS_M_SERIES_RISE_LOW, series, &ret->low) &&
		   ts_check_want_of(c, TS_M_SERIES_RISE_END, series, &ret->end);

	ret->relative = any && ts_check_want_of(c, TS_M_SERIES_RISE, series, &ret->by);
	return any;
}

/* "has risen by 200 % since step 600, from 1.1 to 3.3, and did not come back" */
static const char *rise_text(struct ts_check *c, const struct rise *r)
{
	const char *by = r->relative ? ts_arena_phrase(c->arena, " by %s", ts_say_percent(r->by).text) : "";

	return ts_arena_phrase(c->arena, "has risen%s since about step %.0f, from %s to %s, and did not come back", by, r->from,
			       ts_say_number(r->low).text, ts_say_number(r->end).text);
}

/* Whether the loss of evaluations ends below its beginning, and does not rise at the end. */
static bool evaluation_fell(struct ts_check *c, double *ret_change)
{
	enum ts_series_trend trend = ts_series_trend_of(ts_check_text_of(c, TS_M_SERIES_TREND, "eval_loss"));
	double high;

	return ts_check_want_of(c, TS_M_SERIES_CHANGE_HIGH, "eval_loss", &high) && high < 0 &&
	       ts_check_want_of(c, TS_M_SERIES_CHANGE, "eval_loss", ret_change) && trend != TS_SERIES_TREND_DIVERGED &&
	       trend != TS_SERIES_TREND_WORSENING;
}

/* The loss rose over many steps, without a jump. Where the model becomes better, what is trained on has become harder, as in a
 * curriculum, or a term of the loss has more weight. */
static void slow_blow_up(struct ts_check *c, const char *loss)
{
	struct rise rise;
	double change;

	if (ts_series_trend_of(ts_check_text_of(c, TS_M_SERIES_TREND, loss)) != TS_SERIES_TREND_DIVERGED || !want_rise(c, loss, &rise))
		return;
	ts_check_steps(c, (int64_t)rise.from, (int64_t)rise.from);
	if (evaluation_fell(c, &change))
		ts_check_fire(c, TS_SEVERITY_MEDIUM,
			      "%s %s, while eval_loss fell by %s: other data, or another weight of a term of the loss, would "
			      "explain both",
			      loss, rise_text(c, &rise), ts_say_percent(-change).text);
	else
		ts_check_fire(c, TS_SEVERITY_HIGH, "%s %s", loss, rise_text(c, &rise));
}

void ts_check_blow_up(struct ts_check *c)
{
	const char *loss = loss_of(c);
	const struct ts_event *e;
	double count, best;
	size_t at = 0;

	if (!need_values(c, loss, &count))
		return;
	e = ts_check_event(c, TS_EVENT_BLOW_UP, TS_ANSWER_CONVERGENCE, loss, &at);
	if (!e) {
		slow_blow_up(c, loss);
		return;
	}
	(void)ts_check_want_of(c, TS_M_SERIES_BLOW_UP, loss, &count);
	(void)ts_check_want_of(c, TS_M_SERIES_BEST, loss, &best);
	ts_check_steps(c, e->first_step, e->last_step);
	ts_check_fire(c, TS_SEVERITY_HIGH,
		      "%s left its previous range at step %" PRId64
		      " and did not come back: it reached %s, and its usual value "
		      "was %s",
		      loss, e->first_step, ts_say_number(e->value).text, ts_say_number(e->expected).text);
}

/* A rise that comes from n values, by the lower end of its 95 % interval. */
static void chance_of_rise(struct ts_check *c, const char *loss, double rise, enum ts_measure_name low_end, double n)
{
	double low;

	if (ts_check_want_of(c, low_end, loss, &low) && rise > low)
		ts_check_chance(c, ts_student_cdf(-1.96 * rise / (rise - low), n - 1), RISE_LEVEL);
}

/* The trend is what the loss does over the second half of the run, its progress what it does over the whole run. A run
 * whose loss went down and then stays has converged. */
void ts_check_no_progress(struct ts_check *c)
{
	const char *loss = loss_of(c);
	enum ts_series_trend trend;
	enum ts_series_progress progress;
	double count, best, last, rise = 0;
	struct rise at_end;
	enum ts_severity severity;
	bool rises, fell;

	if (!need_values(c, loss, &count) || !ts_check_enough(c, count, "min_values", "value"))
		return;
	trend = ts_series_trend_of(ts_check_text_of(c, TS_M_SERIES_TREND, loss));
	progress = ts_series_progress_of(ts_check_text_of(c, TS_M_SERIES_PROGRESS, loss));
	if (trend == TS_SERIES_TREND_UNKNOWN || progress == TS_PROGRESS_UNKNOWN) {
		ts_check_leave(c, "the trend of %s is not known", loss);
		return;
	}
	rises = trend == TS_SERIES_TREND_WORSENING;
	fell = progress == TS_PROGRESS_FELL;
	severity = progress == TS_PROGRESS_ROSE ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM;
	if (trend == TS_SERIES_TREND_DIVERGED || trend == TS_SERIES_TREND_IMPROVING || (fell && !rises))
		return;
	if (!ts_check_need_of(c, TS_M_SERIES_BEST, loss, &best) || !ts_check_need_of(c, TS_M_SERIES_LAST, loss, &last))
		return;
	if (rises && want_rise(c, loss, &at_end)) {
		if (at_end.relative && at_end.by < ts_check_threshold(c, "min_rise"))
			return;
		ts_check_steps(c, (int64_t)at_end.from, (int64_t)at_end.from);
		ts_check_chance(c, END_RISE_CHANCE, END_RISE_LEVEL);
		ts_check_worse(c, at_end.relative ? at_end.by : at_end.end - at_end.low);
		ts_check_fire(c, severity, "%s %s%s", loss, rise_text(c, &at_end),
			      fell ? "; before, it fell" : "");
	} else if (rises) {
		if (!ts_check_need_of(c, TS_M_SERIES_RECENT, loss, &rise) || rise < ts_check_threshold(c, "min_rise"))
			return;
		ts_check_worse(c, rise);
		chance_of_rise(c, loss, rise, TS_M_SERIES_RECENT_LOW, RECENT_PARTS);
		ts_check_fire(c, severity,
			      "%s rises by %s over the second half of the run%s; its best value is %s, its last %s",
			      loss, ts_say_percent(rise).text, fell ? ", after a fall" : "", ts_say_number(best).text,
			      ts_say_number(last).text);
	} else if (progress == TS_PROGRESS_ROSE) {
		if (!ts_check_need_of(c, TS_M_SERIES_CHANGE, loss, &rise))
			return;
		ts_check_worse(c, rise);
		chance_of_rise(c, loss, rise, TS_M_SERIES_CHANGE_LOW,
			       fmin(fmax(count / 50, INITIAL_LEAST), INITIAL_MOST));
		ts_check_fire(c, severity, "%s ends %s higher than it began; its best value is %s, its last %s",
			      loss, ts_say_percent(rise).text, ts_say_number(best).text, ts_say_number(last).text);
	} else {
		ts_check_fire(c, TS_SEVERITY_LOW, "%s ends where it began, after %s; its best value is %s, its last %s",
			      loss, ts_say_plural(count, "value").text, ts_say_number(best).text,
			      ts_say_number(last).text);
	}
}

/* Checks the spikes of one series: the severity is low, or medium where there are many. */
static void spikes_of(struct ts_check *c, const char *series)
{
	const struct ts_event *e, *worst = NULL;
	double count, spikes, p;
	size_t at = 0;

	if (!need_values(c, series, &count) || !ts_check_need_of(c, TS_M_SERIES_SPIKES, series, &spikes))
		return;
	if (spikes < ts_check_threshold(c, "min_spikes"))
		return;
	while ((e = ts_check_event(c, TS_EVENT_SPIKE, TS_ANSWER_CONVERGENCE, series, &at)) != NULL)
		if (!worst || e->score > worst->score)
			worst = e;
	if (worst)
		ts_check_steps(c, worst->first_step, worst->last_step);
	ts_check_worse(c, spikes);
	if (ts_check_want_of(c, TS_M_SERIES_SPIKES_P_VALUE, series, &p))
		ts_check_chance(c, p, SPIKES_LEVEL);
	ts_check_fire(
		c, spikes >= ts_check_threshold(c, "medium_spikes") ? TS_SEVERITY_MEDIUM : TS_SEVERITY_LOW,
		"%s has %s%s", series, ts_say_plural(spikes, "spike").text,
		worst ? ts_arena_phrase(c->arena,
					spikes > 1 ? "; the strongest one, at %s, reaches %s, and the usual value is %s"
						   : ": at %s it reaches %s, and the usual value is %s",
					ts_say_steps(worst->first_step, worst->last_step).text,
					ts_say_number(worst->value).text, ts_say_number(worst->expected).text)
		      : "");
}

void ts_check_loss_spikes(struct ts_check *c)
{
	spikes_of(c, loss_of(c));
}

void ts_check_grad_spikes(struct ts_check *c)
{
	spikes_of(c, series_of(c, norm_rank, "grad_norm"));
}

void ts_check_loss_shift(struct ts_check *c)
{
	const char *loss = loss_of(c);
	double least = ts_check_threshold(c, "min_rise"), greatest = 0, count, shifts;
	const struct ts_event *e, *worst = NULL;
	size_t at = 0;

	if (!need_values(c, loss, &count) || !ts_check_need_of(c, TS_M_SERIES_SHIFTS, loss, &shifts))
		return;
	while ((e = ts_check_event(c, TS_EVENT_SHIFT, TS_ANSWER_CONVERGENCE, loss, &at)) != NULL) {
		double rise = (e->value - e->expected) / fabs(e->expected);

		if (e->value - e->expected >= least * fabs(e->expected) && rise > greatest) {
			greatest = rise;
			worst = e;
		}
	}
	if (!worst)
		return;
	ts_check_steps(c, worst->first_step, worst->last_step);
	ts_check_worse(c, greatest);
	ts_check_fire(c, TS_SEVERITY_MEDIUM, "%s rose by %s at step %" PRId64 ", from %s to %s, and stayed there", loss,
		      ts_say_percent(greatest).text, worst->first_step, ts_say_number(worst->expected).text,
		      ts_say_number(worst->value).text);
}

/* How many values of the series that are not finite belong to updates that a scaler is known to have skipped. */
static double skipped_of(struct ts_check *c, struct ts_span series)
{
	double overflowed;

	return ts_span_is(series, "grad_norm") && ts_check_want(c, TS_M_SKIPS_OVERFLOWED, &overflowed) ? overflowed : 0;
}

/* Looks at all series but the loss. A gradient norm overflows now and then where a loss scaler looks for its scale: such steps
 * are those of CONVERGENCE.SKIPPED_UPDATES, unless the series ends in them. */
void ts_check_nonfinite(struct ts_check *c)
{
	const char *loss = loss_of(c);
	struct ts_buf names = TS_BUF_INIT(4096);
	double worst = 0, first = INFINITY;
	size_t series = 0;
	bool lost = false;

	for (size_t i = 0; i < c->measures->n; i++) {
		const struct ts_measure *row = &c->measures->items[i], *bad;
		const char *subject;
		double from = INFINITY;
		bool ends;

		if (!has_values(row) || ts_span_is(row->subject, loss))
			continue;
		subject = (const char *)ts_arena_span(c->arena, row->subject).data;
		if (!subject)
			break;
		bad = ts_measure_find(c->measures, TS_M_SERIES_NONFINITE, row->subject);
		if (!bad || !bad->known || !(bad->value > 0) ||
		    (!is_lost(c, subject, &from) && bad->value <= skipped_of(c, row->subject)))
			continue;
		ts_check_evidence(c, bad);
		if (bad->value / row->value > worst)
			worst = bad->value / row->value;
		(void)ts_check_want_of(c, TS_M_SERIES_FIRST_NONFINITE, subject, &from);
		ends = is_lost(c, subject, &from);
		/* The step from which a series was lost tells more than that at which one came back. */
		if (ends && !lost)
			first = from;
		else if (ends == lost && from < first)
			first = from;
		lost |= ends;
		ts_buf_printf(&names, "%s%s (%s of %s", series++ ? ", " : "", subject, ts_say_count(bad->value).text,
			      ts_say_count(row->value).text);
		ts_buf_str(&names, ends ? ", all to the end)" : ")");
	}
	if (series) {
		if (isfinite(first))
			ts_check_steps(c, (int64_t)first, (int64_t)first);
		ts_check_fire(c,
			      lost						  ? TS_SEVERITY_HIGH
			      : worst >= ts_check_threshold(c, "medium_share") ? TS_SEVERITY_MEDIUM
									       : TS_SEVERITY_LOW,
			      "Some values are NaN or infinite%s: %.*s%s",
			      isfinite(first) ? ts_arena_phrase(c->arena,
								lost ? ", from step %.0f on to the end"
								     : ", for the first time at step %.0f",
								first)
					      : "",
			      TS_SPAN_ARG(ts_buf_view(&names)), lost && !highest(c, loss_rank) ? "; no loss was logged" : "");
	}
	c->arena->failed |= names.failed == TS_NO_MEMORY;
	ts_buf_finish(&names);
}

/* True unless it is known that neither the loss nor the gradient norm goes up in any of the places: then a longer batch, an
 * evaluation or a checkpoint explains them. */
static bool training_rises(struct ts_check *c)
{
	bool any = false;

	for (size_t i = 0; i < c->measures->n; i++) {
		const struct ts_measure *row = &c->measures->items[i];

		if (!ts_measure_is(row, TS_M_COINCIDENCE_RISING) || !row->known)
			continue;
		ts_check_evidence(c, row);
		if (ts_span_contains(row->text, "loss") || ts_span_contains(row->text, "grad_norm"))
			return true;
		any = true;
	}
	return !any;
}

void ts_check_correlated(struct ts_check *c)
{
	enum { NAMED = 3 };
	struct ts_buf named = TS_BUF_INIT(4096);
	const struct ts_event *e, *worst = NULL;
	double significant, p;
	size_t at = 0, n = 0;
	bool training;

	if (!ts_check_need(c, TS_M_COINCIDENCES_SIGNIFICANT, &significant) ||
	    !ts_check_need(c, TS_M_COINCIDENCES_P_VALUE, &p))
		return;
	if (significant < ts_check_threshold(c, "min_events"))
		return;
	while ((e = ts_check_event(c, TS_EVENT_COINCIDENCE, TS_ANSWER_CROSS, NULL, &at)) != NULL) {
		if (!worst || e->score > worst->score)
			worst = e;
		if (n++ < NAMED)
			ts_buf_printf(&named, "%s%s (%.*s)", n > 1 ? "; " : ": ",
				      ts_say_steps(e->first_step, e->last_step).text, TS_SPAN_ARG(e->subject));
	}
	if (n > NAMED)
		ts_buf_printf(&named, "; and %zu more", n - NAMED);
	if (worst)
		ts_check_steps(c, worst->first_step, worst->last_step);
	ts_check_worse(c, -p);
	ts_check_chance(c, p, COINCIDENCE_LEVEL);
	training = training_rises(c);
	ts_check_fire(c, !training ? TS_SEVERITY_LOW : p <= COINCIDENCE_HIGH ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM,
		      "Signals jump together in %s%.*s. Independent signals would do so with a probability of %s%s",
		      ts_say_plural(significant, "place").text, TS_SPAN_ARG(ts_buf_view(&named)),
		      ts_say_number(p).text,
		      training ? "" : ". Neither the loss nor the gradient norm goes up there: a longer batch, an evaluation or a "
				     "checkpoint is enough to explain it");
	c->arena->failed |= named.failed == TS_NO_MEMORY;
	ts_buf_finish(&named);
}

/* --- series of any name --- */

/* What moved, as the rows of one series say it. */
struct moved {
	const char *series;
	enum ts_move_kind kind;
	double from, before, after, worse, frozen;
};

static bool want_moved(struct ts_check *c, const struct ts_measure *row, struct moved *ret)
{
	const char *series = (const char *)ts_arena_span(c->arena, row->subject).data;

	if (!series)
		return false;
	*ret = (struct moved){.series = series, .kind = ts_move_of(row->text)};
	ts_check_evidence(c, row);
	return ts_check_want_of(c, TS_M_SERIES_MOVE_AFTER, series, &ret->after) &&
	       ts_check_want_of(c, TS_M_SERIES_MOVE_AT, series, &ret->from) &&
	       ts_check_want_of(c, TS_M_SERIES_MOVE_BEFORE, series, &ret->before) &&
	       ts_check_want_of(c, TS_M_SERIES_MOVE_WORSE, series, &ret->worse) &&
	       ts_check_want_of(c, TS_M_SERIES_MOVE_FROZEN, series, &ret->frozen);
}

/* The rules on the loss say these of it, and with more weight. */
static bool said_elsewhere(const struct ts_check *c, const struct ts_measure *row)
{
	enum ts_move_kind move = ts_move_of(row->text);
	double worse = 0, at;

	if (!ts_measure_find(c->measures, TS_M_SERIES_COUNT, row->subject))
		return false;
	(void)ts_measure_value(c->measures, TS_M_SERIES_MOVE_WORSE, row->subject, &worse);
	if (move == TS_MOVE_LEFT)
		return ts_measure_value(c->measures, TS_M_SERIES_BLOW_UP, row->subject, &at);
	return move != TS_MOVE_JUMP || worse > 0;
}

static void say_moved(struct ts_buf *out, const struct moved *m)
{
	const char *way = m->after > m->before ? "rises" : "falls";

	if (m->kind == TS_MOVE_DRIFT)
		ts_buf_printf(out, "%s %s from %s to %s over the run", m->series, way, ts_say_number(m->before).text,
			      ts_say_number(m->after).text);
	else
		ts_buf_printf(out, "%s %s from %s to %s %s step %.0f", m->series, way, ts_say_number(m->before).text,
			      ts_say_number(m->after).text, m->kind == TS_MOVE_RISE ? "from about" : "suddenly at", m->from);
	if (m->frozen > 0)
		ts_buf_str(out, " although the learning rate is 0, so that no weight changes");
}

/* A running mean is NaN for good behind one value that is; the series of which it is the mean may be as it was. */
static const char *mean_of(struct ts_check *c, struct ts_span series)
{
	static const char *const endings[] = {"_avg", "_mean", ".avg", "/avg"};
	double count, bad;

	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		struct ts_span of = series;
		const char *name;

		if (!ts_span_ends(series, endings[i]))
			continue;
		of.len -= strlen(endings[i]);
		name = (const char *)ts_arena_span(c->arena, of).data;
		if (name && ts_check_want_of(c, TS_M_SERIES_COUNT, name, &count) && count > 0 &&
		    !(ts_check_want_of(c, TS_M_SERIES_NONFINITE, name, &bad) && bad > 0))
			return name;
	}
	return NULL;
}

/* of: the series whose running mean it is; NULL: none. */
static void say_lost(struct ts_check *c, struct ts_buf *out, const struct ts_measure *row, const char *of)
{
	ts_check_evidence(c, row);
	ts_buf_printf(out, "%.*s is NaN or infinite from step %.0f to the end", TS_SPAN_ARG(row->subject), row->value);
	if (of)
		ts_buf_printf(
			out,
			", while all that is logged of %s is finite: a running mean stays so behind a single value that is not, as "
			"where mixed precision overflows, and does not show that training is lost",
			of);
}

static bool is_medium(const struct moved *m)
{
	double small = fmin(fabs(m->before), fabs(m->after)), large = fmax(fabs(m->before), fabs(m->after));

	return m->frozen > 0 || (m->worse > 0 && large >= 2 * small);
}

void ts_check_series_moved(struct ts_check *c)
{
	enum { NAMED = 4 };
	struct ts_buf named = TS_BUF_INIT(4096);
	double asked, first = INFINITY;
	bool medium = false;
	size_t n = 0;

	if (!ts_check_want(c, TS_M_MOVES_ASKED, &asked)) {
		ts_check_leave(c, "the run has no series of scalars beside times, rates and settings");
		return;
	}
	for (size_t i = 0; i < c->measures->n; i++) {
		const struct ts_measure *row = &c->measures->items[i];
		bool lost = ts_measure_is(row, TS_M_SERIES_LOST);
		struct moved m = {.from = row->value};
		const char *of;

		if (lost ? ts_measure_find(c->measures, TS_M_SERIES_COUNT, row->subject) != NULL
			 : !ts_measure_is(row, TS_M_SERIES_MOVE) || said_elsewhere(c, row) || !want_moved(c, row, &m))
			continue;
		of = lost ? mean_of(c, row->subject) : NULL;
		medium |= lost ? !of : is_medium(&m);
		first = fmin(first, m.from);
		if (n++ >= NAMED)
			continue;
		ts_buf_str(&named, n > 1 ? "; " : "");
		if (lost)
			say_lost(c, &named, row, of);
		else
			say_moved(&named, &m);
	}
	if (n > NAMED)
		ts_buf_printf(&named, "; and %zu more series", n - NAMED);
	if (n) {
		ts_check_steps(c, (int64_t)first, (int64_t)first);
		ts_check_chance(c, MOVED_CHANCE, MOVED_LEVEL);
		ts_check_fire(c, medium ? TS_SEVERITY_MEDIUM : TS_SEVERITY_LOW, "%.*s", TS_SPAN_ARG(ts_buf_view(&named)));
	}
	c->arena->failed |= named.failed == TS_NO_MEMORY;
	ts_buf_finish(&named);
}

/* A run without digests of batches has no rows on them. */
void ts_check_batches(struct ts_check *c)
{
	double recorded, repeated, period, from, doubled;

	if (!ts_check_want(c, TS_M_BATCHES_RECORDED, &recorded)) {
		ts_check_applies_not(c);
		return;
	}
	if (ts_check_want(c, TS_M_BATCHES_NEXT, &repeated) && ts_check_need(c, TS_M_BATCHES_NEXT_OF, &recorded) &&
	    repeated >= recorded && ts_check_need(c, TS_M_BATCHES_NEXT_AT, &from)) {
		ts_check_steps(c, (int64_t)from, (int64_t)from);
		ts_check_worse(c, repeated);
		ts_check_fire(c, TS_SEVERITY_MEDIUM,
			      "The batch never changes: behind each of %s, from step %" PRId64 " on, the next batch has the same bits; "
			      "it is meant so only where a model is tried on one batch",
			      ts_say_plural(recorded, "watched step").text, (int64_t)from);
		return;
	}
	if (!ts_check_want(c, TS_M_BATCHES_PERIOD, &period) && ts_check_want(c, TS_M_BATCHES_DOUBLED, &doubled) &&
	    doubled >= ts_check_threshold(c, "min_doubled") && doubled / recorded >= ts_check_threshold(c, "min_share")) {
		ts_check_worse(c, doubled);
		ts_check_fire(c, TS_SEVERITY_MEDIUM, "%s of %s are equal to the one before", ts_say_count(doubled).text,
			      ts_say_plural(recorded, "batch digest").text);
		return;
	}
	if (!ts_check_want(c, TS_M_BATCHES_PERIOD, &period) || !ts_check_need(c, TS_M_BATCHES_REPEATED, &repeated) ||
	    !ts_check_need(c, TS_M_BATCHES_REPEATED_AT, &from))
		return;
	ts_check_steps(c, (int64_t)from, (int64_t)from);
	ts_check_worse(c, repeated);
	if (period > 1)
		ts_check_fire(c, TS_SEVERITY_MEDIUM,
			      "From step %" PRId64
			      " on, each of %s is the one of %s before: every epoch has the same batches in the same order",
			      (int64_t)from, ts_say_plural(repeated, "batch digest").text, ts_say_plural(period, "record").text);
	else
		ts_check_fire(c, TS_SEVERITY_MEDIUM,
			      "From step %" PRId64 " on the batch never changes: %s are equal to the one before; it is meant so only "
			      "where a model is tried on one batch",
			      (int64_t)from, ts_say_plural(repeated, "batch digest").text);
}

void ts_check_equal_batches(struct ts_check *c)
{
	double recorded, ranks;

	if (!ts_check_want(c, TS_M_BATCHES_RECORDED, &recorded)) {
		ts_check_applies_not(c);
		return;
	}
	if (!ts_check_want(c, TS_M_BATCHES_SHARED, &ranks))
		return;
	ts_check_worse(c, ranks);
	ts_check_fire(c, TS_SEVERITY_HIGH,
		      "The batches are those of %s at every one of %s, and the parameters are equal: replicas of a model read the "
		      "same data",
		      ts_say_plural(ranks, "other rank").text, ts_say_plural(recorded, "recorded step").text);
}

/* A rate of 0 at the end of a schedule leaves the parameters as they are. */
void ts_check_still(struct ts_check *c)
{
	double recorded, still, from, rate;

	if (!ts_check_want(c, TS_M_PARAMS_RECORDED, &recorded)) {
		ts_check_applies_not(c);
		return;
	}
	if (!ts_check_need(c, TS_M_PARAMS_STILL, &still) || !(still > 0) || !ts_check_need(c, TS_M_PARAMS_STILL_AT, &from))
		return;
	if (!ts_check_want(c, TS_M_PARAMS_STILL_RATE, &rate)) {
		ts_check_leave(c, "the run logs no learning rate at the steps at which its parameters stay the same");
		return;
	}
	if (!(rate > 0))
		return;
	ts_check_steps(c, (int64_t)from, (int64_t)from);
	ts_check_fire(
		c, TS_SEVERITY_HIGH,
		"The parameters are the same at %s of %s, from step %.0f to the last, although the learning rate is above 0 there",
		ts_say_count(still).text, ts_say_plural(recorded, "record").text, from);
}
