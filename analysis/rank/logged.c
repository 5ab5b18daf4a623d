#include "analysis/rank/logged.h"

#include "analysis/answer/say.h"
#include "analysis/rank/peaks.h"
#include "analysis/stats/stats.h"
#include "base/door.h"
#include "base/text.h"
#include "run/role.h"

static const double SHARE_MOST = 1.5; /* no wrong peak or count of devices is taken for a percentage below it */
static const double AGREES = 1.1;     /* two counts of FLOPs by two conventions differ by as much */
static const double NEAR = 2;	      /* a reading that is wrong is off by 100 */
static const double EXPLAINS = 1.025; /* how near to a known factor a ratio must lie */
static const double RAW_RATE = 1e7;   /* no device reaches as many TFLOP/s: such a value is in FLOP/s */
static const double NOT_YET = -100;   /* nanoGPT, before it has measured any step */
static const double SLOW = 0.5;	      /* of the median, below which a first step compiles or warms up */

enum { SLOW_MOST = 10, SLOW_SHARE = 10 }; /* so many of them, and one in so many */

/* --- names --- */

static const char *word(const struct ts_name_words *w, size_t i)
{
	return i < w->n ? w->text[i] : "";
}

static bool has_any(const struct ts_name_words *w, const char *const *list)
{
	for (size_t i = 0; i < w->n; i++)
		if (ts_word_among(w->text[i], list))
			return true;
	return false;
}

/* Returns how many FLOP/s a value of 1 is, if the words at i say "tflops", "tflop s", "flops per sec" or the like; else 0. */
static double rate_at(const struct ts_name_words *w, size_t i)
{
	static const char *const seconds[] = {"s", "sec", "second", "seconds", NULL};
	static const struct {
		char letter;
		double factor;
	} prefixes[] = {{'g', 1e9}, {'t', 1e12}, {'p', 1e15}};
	const char *at = word(w, i), *next = word(w, i + 1);
	bool per_second = ts_word_among(next, seconds) || (strcmp(next, "per") == 0 && ts_word_among(word(w, i + 2), seconds));
	double factor = 1;

	for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++)
		if (at[0] == prefixes[k].letter && (at[1] == 'f')) {
			factor = prefixes[k].factor;
			at++;
			break;
		}
	/* A count of FLOPs has no prefix; with one, "flops" is a rate in every tool. */
	if (strcmp(at, "flops") == 0)
		return factor > 1 || per_second ? factor : 0;
	return strcmp(at, "flop") == 0 && per_second ? factor : 0;
}

static bool says_utilization(const struct ts_name_words *w)
{
	for (size_t i = 1; i < w->n; i++)
		if (strncmp(w->text[i], "utili", 5) == 0 && strncmp(w->text[i - 1], "flop", 4) == 0)
			return true;
	return false;
}

bool ts_logged_name_of(struct ts_span column, struct ts_logged_name *ret_name)
{
	static const char *const other[] = {"peak", "max",   "min",  "std",	    "var",	"total",  "cumulative", "step",
					    "iter", "token", "time", "theoretical", "promised", "target", NULL};
	static const char *const mfu[] = {"mfu", NULL}, *const hfu[] = {"hfu", NULL};
	static const char *const percent[] = {"pct", "percent", "percentage", NULL};
	static const char *const device[] = {"gpu", "device", "chip", "tpu", "npu", "rank", NULL};
	struct ts_span said = ts_column_said(column);
	struct ts_logged_name name = {.what = TS_LOGGED};
	struct ts_name_words w;

	if (!ts_name_words(said, &w) || has_any(&w, other))
		return false;
	name.words = w.n;
	name.percent = has_any(&w, percent) || memchr(said.data, '%', said.len);
	name.per_device = has_any(&w, device);
	if (has_any(&w, mfu) || says_utilization(&w))
		name.what = TS_LOGGED_MFU;
	else if (has_any(&w, hfu))
		name.what = TS_LOGGED_HFU;
	for (size_t i = 0; i < w.n && name.what == TS_LOGGED; i++) {
		name.factor = rate_at(&w, i);
		if (name.factor > 0)
			name.what = TS_LOGGED_RATE;
		name.per_device |= name.factor > 1;
	}
	*ret_name = name;
	return name.what != TS_LOGGED;
}

bool ts_logged_speed_of(struct ts_span column, struct ts_logged_name *ret_name)
{
	static const char *const other[] = {"peak", "max", "min", "std", "var", "total", "target", "eval", "val", "flops", NULL};
	static const char *const of[] = {"tokens", "token",    "tok", "toks", "samples",   "sample", "images", "img",
					 "imgs",   "frames",   "fps", "it",   "its",	   "iter",   "iters",  "steps",
					 "step",   "examples", "seq", "seqs", "sequences", NULL};
	static const char *const alone[] = {"tps", "throughput", "ips", "sps", NULL};
	static const char *const tokens[] = {"tokens", "tok", "toks", "tps", NULL};
	static const char *const seconds[] = {"s", "sec", "second", "seconds", NULL};
	struct ts_logged_name name = {.what = TS_LOGGED};
	struct ts_name_words w;

	if (!ts_name_words(ts_column_said(column), &w) || has_any(&w, other))
		return false;
	name.words = w.n;
	name.tokens = has_any(&w, tokens);
	for (size_t i = 0; i < w.n; i++) {
		size_t at = i + 1 + (strcmp(word(&w, i + 1), "per") == 0);

		if (ts_word_among(w.text[i], alone) || (ts_word_among(w.text[i], of) && ts_word_among(word(&w, at), seconds)))
			name.what = TS_LOGGED_SPEED;
	}
	*ret_name = name;
	return name.what != TS_LOGGED;
}

/* --- values --- */

static bool better(const struct ts_logged_name *a, const struct ts_logged_name *b)
{
	if (a->tokens != b->tokens)
		return a->tokens;
	return a->per_device != b->per_device ? a->per_device : a->words < b->words;
}

/* Whether the series is one of these, and which. */
static bool name_of(struct ts_span column, struct ts_logged_name *ret_name)
{
	return ts_logged_name_of(column, ret_name) || ts_logged_speed_of(column, ret_name);
}

/* How many of the first values are those of steps that compile or warm up; 0 if too many are as slow. work has space for n. */
static size_t slow_of(const double *values, size_t n, double *work)
{
	size_t slow = 0;
	double usual;

	memcpy(work, values, n * sizeof *values);
	usual = ts_median(work, n, work);
	while (slow < n && values[slow] < SLOW * usual)
		slow++;
	return slow <= SLOW_MOST && slow * SLOW_SHARE <= n ? slow : 0;
}

enum ts_status ts_logged_take(struct ts_logged_use *use, struct ts_span column, const struct ts_series *series, int64_t first,
			      struct ts_arena *arena, struct ts_error *err)
{
	struct ts_logged got = {.found = true, .column = ts_column_said(column)}, *best;
	double *values, *at, *usual;
	size_t n = 0;

	TS_DOOR(ts_series_holds(series));
	if (!name_of(column, &got.name))
		return TS_OK;
	best = &use->of[got.name.what];
	if (best->found && !better(&got.name, &best->name))
		return TS_OK;
	values = ts_arena_array(arena, 3 * series->n, sizeof *values);
	if (!values)
		return ts_arena_error(arena, err);
	at = values + series->n;
	usual = at + series->n;
	for (size_t i = 0; i < series->n; i++) {
		double v = series->values[i];

		got.marked |= v == NOT_YET;
		if (series->keys[i] < first || !isfinite(v) || !(v > 0))
			continue;
		got.most = v > got.most ? v : got.most;
		at[n] = (double)series->keys[i];
		values[n++] = v;
	}
	if (n == 0)
		return TS_OK;
	got.slow = slow_of(values, n, usual);
	if (got.slow) {
		got.slow_first = (int64_t)at[0];
		got.slow_last = (int64_t)at[got.slow - 1];
		got.slowest = values[0];
	}
	for (size_t i = 0; i < got.slow; i++)
		got.slowest = values[i] < got.slowest ? values[i] : got.slowest;
	got.value = ts_median(values + got.slow, n - got.slow, usual);
	*best = got;
	return TS_OK;
}

/* --- rows --- */

enum unit { SHARE, PERCENT, EITHER };

struct said {
	const struct ts_logged_use *use;
	const struct ts_work *work;
	struct ts_arena *arena;
	struct ts_measures *measures;
	double own, peak; /* MFU and peak that are computed here; 0 if not known */
	double mfu, rate; /* as they were read; 0 if not known */
};

static void number(struct said *s, enum ts_measure_name what, double value)
{
	(void)ts_measure_add(s->measures, s->arena, what, TS_NO_SUBJECT, value);
}

static void text(struct said *s, enum ts_measure_name what, const char *sentence)
{
	(void)ts_measure_text(s->measures, s->arena, what, TS_NO_SUBJECT, ts_span_str(sentence));
}

static bool near(double a, double b, double factor)
{
	return a > 0 && b > 0 && a < b * factor && b < a * factor;
}

/* What a device can do at most in a format of 16 bits, in which models are trained where the run does not say otherwise. */
static double nominal_peak(const struct ts_work *work)
{
	struct ts_peak peak;
	const char *reason;

	if (work->device.text.len && (ts_peak_find(work->device.text, ts_span_str("bf16"), &peak, &reason) ||
				      ts_peak_find(work->device.text, ts_span_str("fp16"), &peak, &reason)))
		return peak.flops;
	return 0;
}

static const char *rate_text(struct said *s, double flops)
{
	return ts_arena_phrase(s->arena, "%.4g TFLOP/s", flops / 1e12);
}

/* With three digits, as two utilizations are compared. */
static const char *percent_text(struct said *s, double ratio)
{
	return ts_arena_phrase(s->arena, "%.3g %%", 100 * ratio);
}

/* Peaks that training programs have as a constant. */
static const struct constant {
	double flops;
	const char *whose;
} constants[] = {
	{312e12, "an A100 in bf16, which nanoGPT and programs made from it have as a constant"},
	{989e12, "an H100 in bf16"},
	{1979e12, "an H100 in fp8, or in bf16 with structured sparsity"},
};

enum { CONSTANTS = sizeof constants / sizeof constants[0] };

/* Returns what a program does whose MFU is `times` the one computed here, as half a sentence; empty if nothing known does that. */
static const char *explanation(struct said *s, double times)
{
	const struct ts_work *w = s->work;
	double ranks = w->world_size.known ? w->world_size.value : w->n_ranks;
	double again = w->recompute_flops_per_step.known && w->flops_per_step.known
			       ? 1 + w->recompute_flops_per_step.value / w->flops_per_step.value
			       : 4.0 / 3;

	for (size_t i = 0; i < CONSTANTS; i++)
		if (!near(constants[i].flops, s->peak, EXPLAINS) && near(times, s->peak / constants[i].flops, EXPLAINS))
			return ts_arena_phrase(s->arena, "it was computed with a peak of %s, that of %s, and here it is %s",
					       rate_text(s, constants[i].flops), constants[i].whose, rate_text(s, s->peak));
	if (ranks > 1 && near(times, ranks, EXPLAINS))
		return ts_arena_phrase(s->arena, "the FLOPs of all %s were divided by the peak of one",
				       ts_say_plural(ranks, "rank").text);
	if (ranks > 1 && near(times, 1 / ranks, EXPLAINS))
		return ts_arena_phrase(s->arena, "the FLOPs of one rank were divided by the peak of all %s",
				       ts_say_plural(ranks, "rank").text);
	if (near(times, again, EXPLAINS))
		return "it counts the FLOPs of recomputation, which makes it an HFU";
	if (near(times, 1.0 / 3, EXPLAINS))
		return "it counts the forward pass alone";
	if (near(times, 2, EXPLAINS) || near(times, 0.5, EXPLAINS))
		return "one of the two counts a multiplication and an addition as one operation, or a peak with structured sparsity";
	return "";
}

/* Whether the MFU that is computed here makes this reading of a logged one likely: it is near, or off by a factor that is known. */
static bool fits(struct said *s, double mfu)
{
	return s->own > 0 && (near(mfu, s->own, NEAR) || *explanation(s, mfu / s->own));
}

static enum unit unit_of(struct said *s, const struct ts_logged *l, const char **ret_why)
{
	bool as_share, as_percent;

	*ret_why = l->name.percent ? "percent, by its name" : "percent, as -100 stands for a value that is not measured yet";
	if (l->name.percent || l->marked)
		return PERCENT;
	as_share = fits(s, l->value);
	as_percent = fits(s, l->value / 100);
	*ret_why = as_percent ? "percent, by the MFU that is computed here" : "a share, by the MFU that is computed here";
	if (as_share != as_percent)
		return as_percent ? PERCENT : SHARE;
	*ret_why = "percent, as values are above 1.5";
	if (l->most > SHARE_MOST)
		return PERCENT;
	*ret_why = l->value > 1 ? "a share or percent" : "a share, as the run has no value above 1";
	return l->value > 1 ? EITHER : SHARE;
}

static void compare(struct said *s)
{
	double times = s->mfu / s->own;
	const char *why;

	if (!(s->own > 0) || !(s->mfu > 0) || !isfinite(times))
		return;
	number(s, TS_M_LOGGED_TIMES, times);
	if (near(times, 1, AGREES))
		return;
	why = explanation(s, times);
	text(s, TS_M_LOGGED_NOTE,
	     ts_arena_phrase(s->arena, "the logged MFU is %s, and %s is computed here%s%s", percent_text(s, s->mfu),
			     percent_text(s, s->own), *why ? ": as if " : "", why));
}

/* Returns what an MFU above 1 becomes with the device's own peak, where a constant of many programs explains it; else "". */
static const char *with_own_peak(struct said *s, double mfu, double peak)
{
	for (size_t i = 0; i < CONSTANTS; i++) {
		double real = mfu * constants[i].flops / peak;

		if (peak > constants[i].flops * EXPLAINS && real > 0 && real <= 1)
			return ts_arena_phrase(
				s->arena,
				"; if it was computed with a peak of %s, that of %s, it is %s of the %s of this device (%.*s)",
				rate_text(s, constants[i].flops), constants[i].whose, percent_text(s, real), rate_text(s, peak),
				TS_SPAN_ARG(s->work->device.text));
	}
	return "";
}

static void impossible_mfu(struct said *s, const char *what, double mfu, bool either)
{
	double peak = s->peak > 0 ? s->peak : nominal_peak(s->work);
	const char *with = mfu > 1 && peak > 0 ? with_own_peak(s, mfu, peak) : "";

	if (!(mfu > 1))
		return;
	if (either)
		text(s, TS_M_LOGGED_ERROR,
		     ts_arena_phrase(s->arena,
				     "the run logs an %s of %s; as a share this is %s, which is impossible, and as a percentage %s%s",
				     what, ts_say_number(mfu).text, percent_text(s, mfu), percent_text(s, mfu / 100), with));
	else
		text(s, TS_M_LOGGED_ERROR,
		     ts_arena_phrase(
			     s->arena,
			     "the run logs an %s of %s, which is impossible: the FLOPs of a step, the peak or the number of devices "
			     "in it is wrong%s",
			     what, percent_text(s, mfu), with));
}

static void utilization(struct said *s, enum ts_logged_what of, const enum ts_measure_name rows[3])
{
	const struct ts_logged *l = &s->use->of[of];
	const char *word = of == TS_LOGGED_HFU ? "HFU" : "MFU", *why;
	enum unit unit;
	double value;

	if (!l->found)
		return;
	unit = unit_of(s, l, &why);
	value = unit == PERCENT ? l->value / 100 : l->value;
	if (unit != EITHER)
		number(s, rows[0], value);
	(void)ts_measure_text(s->measures, s->arena, rows[1], TS_NO_SUBJECT, l->column);
	text(s, rows[2], why);
	if (of == TS_LOGGED_MFU && unit != EITHER)
		s->mfu = value;
	impossible_mfu(s, word, value, unit == EITHER);
}

/* An MFU that was not logged follows from the rate, if the peak is known. */
static void rate(struct said *s)
{
	const struct ts_logged *l = &s->use->of[TS_LOGGED_RATE];
	const struct ts_work *w = s->work;
	double ranks = w->world_size.known ? w->world_size.value : w->n_ranks;
	double peak = s->peak > 0 ? s->peak : nominal_peak(w), each;

	if (!l->found)
		return;
	s->rate = l->value * (l->value >= RAW_RATE ? 1 : l->name.factor);
	each = l->name.per_device || !(ranks > 1) ? s->rate : s->rate / ranks;
	number(s, TS_M_LOGGED_RATE, s->rate);
	(void)ts_measure_text(s->measures, s->arena, TS_M_LOGGED_RATE_COLUMN, TS_NO_SUBJECT, l->column);
	text(s, TS_M_LOGGED_RATE_OF,
	     each == s->rate ? "one device" : ts_arena_phrase(s->arena, "%s", ts_say_plural(ranks, "device").text));
	if (s->mfu > 0 && isfinite(each / s->mfu))
		number(s, TS_M_LOGGED_PEAK, each / s->mfu);
	else if (!s->use->of[TS_LOGGED_MFU].found && s->peak > 0 && isfinite(each / s->peak)) {
		s->mfu = each / s->peak;
		number(s, TS_M_LOGGED_RATE_SHARE, s->mfu);
	}
	/* Formats of 8 bits have twice the peak of those of 16. */
	if (peak > 0 && each > (s->peak > 0 ? peak : 2 * peak))
		text(s, TS_M_LOGGED_ERROR,
		     ts_arena_phrase(s->arena,
				     "the run logs %s for a device, and the peak of this one (%.*s) is %s: it counts the FLOPs of a "
				     "step too high",
				     rate_text(s, each), TS_SPAN_ARG(w->device.text), rate_text(s, peak)));
}

static void speed(struct said *s)
{
	const struct ts_logged *l = &s->use->of[TS_LOGGED_SPEED];

	if (!l->found)
		return;
	number(s, TS_M_LOGGED_SPEED, l->value);
	(void)ts_measure_text(s->measures, s->arena, TS_M_LOGGED_SPEED_COLUMN, TS_NO_SUBJECT, l->column);
}

static const char *steps_text(struct said *s, const struct ts_logged *l)
{
	if (l->slow == 1)
		return ts_arena_phrase(s->arena, "step %" PRId64 " has", l->slow_first);
	return ts_arena_phrase(s->arena, "steps %" PRId64 " to %" PRId64 " have at least", l->slow_first, l->slow_last);
}

/* Says which first steps the logged figures leave out. */
static void warmup(struct said *s)
{
	const struct ts_logged *l = &s->use->of[TS_LOGGED_SPEED];

	for (size_t i = 0; i < TS_LOGGED && !(l->found && l->slow); i++)
		l = &s->use->of[i];
	if (l->found && l->slow)
		text(s, TS_M_LOGGED_WARMUP,
		     ts_arena_phrase(s->arena, "%s %s of the usual %.*s, as while a program compiles or warms up; %s left out",
				     steps_text(s, l), percent_text(s, l->slowest / l->value), TS_SPAN_ARG(l->column),
				     l->slow == 1 ? "it is" : "they are"));
}

enum ts_status ts_logged_rows(const struct ts_logged_use *use, const struct ts_work *work, struct ts_arena *arena,
			      struct ts_measures *measures, struct ts_error *err)
{
	static const enum ts_measure_name mfu[] = {TS_M_LOGGED_MFU, TS_M_LOGGED_MFU_COLUMN, TS_M_LOGGED_MFU_UNIT};
	static const enum ts_measure_name hfu[] = {TS_M_LOGGED_HFU, TS_M_LOGGED_HFU_COLUMN, TS_M_LOGGED_HFU_UNIT};
	struct said s = {.use = use, .work = work, .arena = arena, .measures = measures};

	TS_DOOR(ts_measures_hold(measures));
	(void)ts_measure_value(measures, TS_M_MFU, TS_NO_SUBJECT, &s.own);
	(void)ts_measure_value(measures, TS_M_MFU_PEAK, TS_NO_SUBJECT, &s.peak);
	utilization(&s, TS_LOGGED_MFU, mfu);
	utilization(&s, TS_LOGGED_HFU, hfu);
	rate(&s);
	speed(&s);
	warmup(&s);
	compare(&s);
	return ts_arena_check(arena, err);
}
