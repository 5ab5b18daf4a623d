/* report_diff_outcomes.c - the section of a diff's report on what the two runs came to: losses, times, rates, memory. */
#include "cli/report/report_diff.h"

#include "cli/view/show_value.h"

static const char *value(struct ts_report *r, double of, enum ts_unit unit)
{
	const struct ts_measure m = {.unit = unit, .known = true, .value = of};

	return ts_report_kept(r, ts_show_measure(&m, r->arena));
}

/* Two significant digits below 10 %, then one decimal, and none from 100 % on. */
static const char *percent(struct ts_report *r, const char *sign, double ratio)
{
	double of = 100 * fabs(ratio);

	if (of < 9.95)
		return ts_report_say(r, "%s%.2g %%", sign, of);
	return ts_report_say(r, "%s%.*f %%", sign, of < 99.95, of);
}

static const char *sign_of(double change)
{
	return change < 0 ? "-" : "+";
}

/* Counts and values that are not above 0 have no percentage that says anything. */
static const char *size(struct ts_report *r, const struct ts_outcome *o, const char *sign, double of)
{
	if (o->unit != TS_UNIT_COUNT && o->a.value > 0)
		return percent(r, sign, of / o->a.value);
	return ts_report_say(r, "%s%s", sign, value(r, fabs(of), o->unit));
}

static const char *change_of(struct ts_report *r, const struct ts_outcome *o)
{
	const char *text;

	if (!o->compared)
		return "not compared";
	if (o->change == 0)
		return "the same";
	text = size(r, o, sign_of(o->change), o->change);
	return o->has_noise ? ts_report_say(r, "%s ±%s", text, size(r, o, "", o->noise)) : text;
}

static const char *side(struct ts_report *r, const struct ts_outcome *o, const struct ts_outcome_side *s)
{
	return s->known ? value(r, s->value, o->unit) : "not known";
}

enum { WHY_NOT_COMPARED, WHY_NOT_A, WHY_NOT_B, WHYS };

static struct ts_span why(const struct ts_outcome *o, int which)
{
	return which == WHY_NOT_COMPARED ? o->reason : which == WHY_NOT_A ? o->a.reason : o->b.reason;
}

/* Says why a value or a change is missing, once for all rows that share the reason. */
static void reasons(struct ts_report *r, struct ts_section *s, const struct ts_diff *diff)
{
	static const char *const of[WHYS] = {"", " of a", " of b"};

	for (size_t i = 0; i < diff->n_outcomes; i++)
		for (int k = 0; k < WHYS; k++) {
			struct ts_span text = why(&diff->outcomes[i], k);
			bool said = text.len == 0;

			for (size_t j = 0; j < i && !said; j++)
				said = ts_span_eq(text, why(&diff->outcomes[j], k));
			if (!said)
				ts_report_line(r, s, NULL,
					       ts_report_say(r, "%s%s: %s", ts_report_text(r, diff->outcomes[i].title), of[k],
							     ts_report_text(r, text)));
		}
}

static bool stands_out(const struct ts_outcome *o)
{
	return o->has_noise && fabs(o->change) > o->noise;
}

enum { COST_TIME, COST_RATE, COST_MEMORY, COSTS };

/* Peak memory has no noise that one run would show. Less than this part of it is not worth a line at the top. */
#define MEMORY_MATTERS 0.05

/* The names of the outcomes that are costs, by what they are the cost in; steps per second is the mean step time again. */
static int cost_of(const struct ts_outcome *o)
{
	static const struct {
		const char *name;
		int cost;
	} names[] = {{"step_time_mean", COST_TIME},
		     {"step_time", COST_TIME},
		     {"tokens_per_s", COST_RATE},
		     {"samples_per_s", COST_RATE},
		     {"peak_memory", COST_MEMORY}};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (ts_span_is(o->name, names[i].name))
			return names[i].cost;
	return COSTS;
}

/* How its steps vary within a run does not show how runs of the same code vary: other tenants, clocks and hosts lie between them. Two
 * equal trainings on one machine, the second beside other work, took twice as long and more; what is beyond that is said. */
#define BEYOND_EQUAL_RUNS 2.25

static bool is_costly(const struct ts_outcome *o)
{
	double ratio = o->compared && o->a.value > 0 ? o->b.value / o->a.value : 1;

	if (cost_of(o) == COST_MEMORY && o->compared && !o->has_noise)
		return fabs(o->change) > MEMORY_MATTERS * o->a.value;
	return stands_out(o) && (ratio >= BEYOND_EQUAL_RUNS || ratio <= 1 / BEYOND_EQUAL_RUNS);
}

const char *ts_report_diff_costs(struct ts_report *r, const struct ts_diff *diff)
{
	const char *text = NULL;
	bool said[COSTS + 1] = {[COSTS] = true};

	for (size_t i = 0; i < diff->n_outcomes; i++) {
		const struct ts_outcome *o = &diff->outcomes[i];
		int cost = cost_of(o);

		if (said[cost] || !is_costly(o))
			continue;
		said[cost] = true;
		text = ts_report_join(r, text, "; ", ts_report_say(r, "%s %s", ts_report_text(r, o->title), change_of(r, o)));
	}
	return text ? ts_report_say(r, "costs of b against a: %s", text) : NULL;
}

void ts_report_diff_outcomes(struct ts_report *r, const struct ts_diff *diff)
{
	static const struct ts_view_column columns[] = {TS_LEFT("", 0), TS_RIGHT("a"), TS_RIGHT("b"), TS_RIGHT("b - a")};
	struct ts_section *s;
	struct ts_view *table;
	bool noisy = false;

	if (diff->n_outcomes == 0)
		return;
	s = ts_report_section(r, TS_SECTION_OUTCOMES);
	table = ts_report_table(r, s, TS_VIEW_COLUMNS(columns));
	for (size_t i = 0; i < diff->n_outcomes; i++) {
		const struct ts_outcome *o = &diff->outcomes[i];

		noisy |= o->has_noise && o->change != 0;
		ts_view_row(table, NULL);
		ts_view_set(table, "", TS_STYLE_PLAIN, ts_report_text(r, o->title));
		ts_view_set(table, "a", TS_STYLE_PLAIN, side(r, o, &o->a));
		ts_view_set(table, "b", TS_STYLE_PLAIN, side(r, o, &o->b));
		ts_view_set(table, "b - a", stands_out(o) ? TS_STYLE_BOLD : TS_STYLE_PLAIN, change_of(r, o));
	}
	reasons(r, s, diff);
	if (diff->machines.len)
		ts_report_line(r, s, NULL,
			       ts_report_say(r,
					     "the machine of b, beside that of a: %s. This may explain a time that differs, and proves "
					     "nothing.",
					     ts_report_text(r, diff->machines)));
	if (noisy)
		ts_report_line(r, s, NULL,
			       "± is the 95 % interval from how the steps vary within each run. Runs of the same code differ by more; "
			       "tscope gate compares with several.");
}
