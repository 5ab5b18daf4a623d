/* report.c - see report_parts.h. The sections that are made of these parts are in report_sections.c. */
#include "cli/report/report.h"

#include "base/grow.h"
#include "cli/report/report_parts.h"

#include "analysis/rules/rule.h"
#include "base/buf.h"
#include "base/text.h"
#include "cli/view/show_value.h"

#include <stdarg.h>

enum { ITEMS_FIRST = 16 };

static const char *const titles[TS_SECTIONS] = {
#define TS_SECTION_TITLE(symbol, title) [TS_SECTION_##symbol] = title,
	TS_SECTIONS_OF(TS_SECTION_TITLE)
#undef TS_SECTION_TITLE
};

/* Says which rules belong to a section: the longest prefix of their code counts. */
static const struct {
	enum ts_section_id section;
	const char *codes;
} sections_of_codes[] = {
	{TS_SECTION_TIMING, "TIMING."},		{TS_SECTION_MEMORY, "MEMORY."}, {TS_SECTION_CONVERGENCE, "CONVERGENCE."},
	{TS_SECTION_COINCIDENCES, "CROSS."},	{TS_SECTION_RANKS, "DIST."},	{TS_SECTION_EFFICIENCY_BUDGET, "EFFICIENCY."},
	{TS_SECTION_PIPELINE, "DIST.PIPELINE"}, {TS_SECTION_MACHINE, "MACHINE."},
};

/* Returns TS_SECTIONS if no section has rules of this code. */
static enum ts_section_id section_of_code(struct ts_span code)
{
	enum ts_section_id section = TS_SECTIONS;
	size_t longest = 0;

	for (size_t i = 0; i < sizeof sections_of_codes / sizeof sections_of_codes[0]; i++) {
		struct ts_span prefix = ts_span_str(sections_of_codes[i].codes);

		if (prefix.len <= longest || !ts_span_starts(code, prefix))
			continue;
		longest = prefix.len;
		section = sections_of_codes[i].section;
	}
	return section;
}

/* Every rule belongs to the findings. */
static bool belongs(struct ts_span code, enum ts_section_id section)
{
	return section == TS_SECTION_FINDINGS || section_of_code(code) == section;
}

const char *ts_report_say(struct ts_report *r, const char *format, ...)
{
	struct ts_buf text = TS_BUF_INIT((size_t)1 << 20);
	struct ts_span copy = {NULL, 0};
	va_list args;

	va_start(args, format);
	ts_buf_vprintf(&text, format, args);
	va_end(args);
	if (!text.failed)
		copy = ts_arena_span(r->arena, ts_buf_view(&text));
	ts_buf_finish(&text);
	r->failed |= !copy.data;
	return copy.data ? (const char *)copy.data : "";
}

const char *ts_report_kept(struct ts_report *r, const char *text)
{
	r->failed |= !text;
	return text ? text : "";
}

const char *ts_report_join(struct ts_report *r, const char *text, const char *between, const char *part)
{
	if (!part || !*part)
		return text;
	return text && *text ? ts_report_say(r, "%s%s%s", text, between, part) : part;
}

const char *ts_report_with(struct ts_report *r, const char *before, const char *value, const char *after)
{
	return value ? ts_report_say(r, "%s%s%s", before, value, after) : NULL;
}

const char *ts_report_text(struct ts_report *r, struct ts_span foreign)
{
	return ts_report_kept(r, ts_show_text(foreign, r->arena));
}

/* Keeps a number and its unit on one line. */
static const char *kept_together(struct ts_report *r, const char *text)
{
	struct ts_buf out = TS_BUF_INIT((size_t)1 << 16);
	const char *kept;

	for (; *text; text++)
		if (*text == ' ')
			ts_buf_str(&out, "\u00a0");
		else
			ts_buf_char(&out, *text);
	kept = ts_report_say(r, "%.*s", (int)out.len, out.data ? (const char *)out.data : "");
	r->failed |= out.failed != TS_OK;
	ts_buf_finish(&out);
	return kept;
}

const char *ts_report_number(struct ts_report *r, enum ts_unit unit, double value)
{
	struct ts_measure m = {.unit = unit, .known = true, .value = value};
	const char *text;

	/* Four digits are enough here. --rows shows more digits, and the JSON has all of them. */
	if (unit == TS_UNIT_NONE && isfinite(value) && value != floor(value))
		return ts_report_say(r, "%.4g", value);
	text = ts_show_measure(&m, r->arena);
	r->failed |= !text;
	return text ? kept_together(r, text) : "";
}

const struct ts_measure *ts_report_row(const struct ts_report *r, enum ts_measure_name what, struct ts_span of)
{
	const struct ts_measure *m = ts_measure_find(&r->a->measures, what, of);

	return m && m->known ? m : NULL;
}

const char *ts_report_value_of(struct ts_report *r, enum ts_measure_name what, struct ts_span of)
{
	const struct ts_measure *m = ts_report_row(r, what, of);

	if (!m)
		return NULL;
	return m->unit == TS_UNIT_TEXT ? ts_report_text(r, m->text) : ts_report_number(r, m->unit, m->value);
}

const char *ts_report_value(struct ts_report *r, enum ts_measure_name what)
{
	return ts_report_value_of(r, what, TS_NO_SUBJECT);
}

const char *ts_report_chance(struct ts_report *r, enum ts_measure_name p_value)
{
	const struct ts_measure *p = ts_report_row(r, p_value, TS_NO_SUBJECT);

	return p ? ts_report_say(r, "p\u00a0%.2g", p->value) : NULL;
}

const char *ts_report_interval(struct ts_report *r, struct ts_interval interval, struct ts_span of)
{
	const char *value = ts_report_value_of(r, interval.value, of);
	const char *low = ts_report_value_of(r, interval.low, of), *high = ts_report_value_of(r, interval.high, of);

	return value && low && high ? ts_report_say(r, "%s (95\u00a0%% interval %s to %s)", value, low, high) : value;
}

/* Makes "median 13.4 ms" from the word "median", and "12 steps" from "% steps". */
static const char *figure(struct ts_report *r, const char *word, const char *value)
{
	const char *place = strchr(word, '%');

	if (place)
		return ts_report_say(r, "%.*s%s%s", (int)(place - word), word, value, place + 1);
	return *word ? ts_report_say(r, "%s\u00a0%s", word, value) : value;
}

const char *ts_report_figures(struct ts_report *r, struct ts_span of, const struct ts_figure *figures)
{
	const char *text = NULL;

	for (; figures->word; figures++) {
		const char *value = ts_report_value_of(r, figures->what, of);

		if (value)
			text = ts_report_join(r, text, *figures->word == ' ' ? "" : ", ",
					      figure(r, figures->word, value));
	}
	return text;
}

bool ts_report_known(const struct ts_report *r, enum ts_answer_group group)
{
	for (size_t i = 0; i < r->a->measures.n; i++)
		if (r->a->measures.items[i].known && ts_measure_in(&r->a->measures.items[i], group))
			return true;
	return false;
}

const struct ts_plot *ts_report_plot(const struct ts_report *r, enum ts_answer_group group, struct ts_span subject)
{
	for (size_t i = 0; i < r->a->plots.n; i++) {
		const struct ts_plot *p = &r->a->plots.items[i];

		if (ts_span_eq(p->group, ts_answer_group_name(group)) && ts_span_eq(p->subject, subject) && p->n)
			return p;
	}
	return NULL;
}

static bool same_row(const struct ts_measure *a, const struct ts_measure *b)
{
	return ts_span_eq(a->group, b->group) && ts_span_eq(a->subject, b->subject) && ts_span_eq(a->name, b->name) &&
	       a->unit == b->unit;
}

/* A finding that was asked of each rank marks the rows of the rank in view only if this rank shows it. */
static bool is_about_view(const struct ts_report *r, const struct ts_finding *f)
{
	for (size_t k = 0; f->has_rank && k < f->n_ranks; k++)
		if (f->ranks[k] == r->a->rank)
			return true;
	return !f->has_rank;
}

enum ts_severity ts_report_severity(const struct ts_report *r, const struct ts_measure *row)
{
	const struct ts_findings *f = &r->a->findings;
	enum ts_severity worst = 0;

	for (size_t i = 0; row && i < f->n; i++)
		for (size_t k = 0; k < f->items[i].n_evidence && f->items[i].severity > worst; k++)
			if (same_row(&f->items[i].evidence[k], row) && is_about_view(r, &f->items[i]))
				worst = f->items[i].severity;
	return worst;
}

struct ts_item *ts_report_item(struct ts_report *r, struct ts_section *s, enum ts_item_kind kind, const char *label)
{
	static struct ts_item nowhere;

	if (!TS_GROW_IN(r->arena, s->items, s->cap, s->n + 1, ITEMS_FIRST)) {
		r->failed = true;
		nowhere = (struct ts_item){.kind = kind, .label = "", .text = ""};
		return &nowhere;
	}
	s->items[s->n] = (struct ts_item){.kind = kind, .label = label, .text = ""};
	return &s->items[s->n++];
}

void ts_report_line(struct ts_report *r, struct ts_section *s, const char *label, const char *text)
{
	if (text && *text)
		ts_report_item(r, s, TS_ITEM_LINE, label)->text = text;
}

static struct ts_view *new_table(struct ts_report *r, struct ts_section *s)
{
	struct ts_view *table = ts_arena_alloc(r->arena, sizeof *table);
	static struct ts_view nowhere;

	r->failed |= !table;
	table = table ? table : &nowhere;
	ts_report_item(r, s, TS_ITEM_TABLE, "")->table = table;
	return table;
}

struct ts_view *ts_report_table(struct ts_report *r, struct ts_section *s, const struct ts_view_column *columns, size_t n)
{
	struct ts_view *table = new_table(r, s);

	ts_view_init(table, columns, n, r->arena);
	return table;
}

struct ts_view *ts_report_view(struct ts_report *r, struct ts_section *s, const struct ts_shape *shape, const char *keys,
			       const struct ts_view_column *made, size_t n)
{
	struct ts_view *table = new_table(r, s);

	ts_view_with(table, shape, keys, made, n, r->arena);
	return table;
}

struct ts_item *ts_report_bars(struct ts_report *r, struct ts_section *s, const char *const *heads, const char *more_of)
{
	struct ts_item *item = ts_report_item(r, s, TS_ITEM_BARS, "");

	for (size_t i = 0; i < TS_BAR_VALUES && heads[i]; i++) {
		item->heads[i] = heads[i];
		item->right[i] = true;
	}
	item->more_of = more_of;
	return item;
}

void ts_report_bar(struct ts_report *r, struct ts_item *item, size_t most, const struct ts_bar *bar)
{
	if (item->n_bars == most) {
		item->more++;
		return;
	}
	if (!item->bars)
		item->bars = ts_arena_array(r->arena, most, sizeof *item->bars);
	if (item->bars)
		item->bars[item->n_bars++] = *bar;
	r->failed |= !item->bars;
}

/* Rules on snapshots, and those on traces alone, are no rules of a run that has none. */
static bool may_apply(const struct ts_report *r, const struct ts_rule *rule)
{
	if (rule->of_snapshot)
		return ts_report_known(r, TS_ANSWER_SNAPSHOT);
	if (rule->of_machine)
		return ts_report_known(r, TS_ANSWER_MACHINE);
	if (rule->of_job)
		return false;
	return strncmp(rule->code, "TRACE.", 6) != 0 || ts_report_known(r, TS_ANSWER_TRACE);
}

/* Sets the light of a section and says what it means. */
static void light_up(struct ts_report *r, struct ts_section *s)
{
	const struct ts_findings *f = &r->a->findings;
	size_t found[TS_SEVERITY_HIGH + 1] = {0}, rules = 0, unchecked = 0;
	const char *state = NULL;

	for (size_t i = 0; i < ts_rules_n; i++)
		if (may_apply(r, &ts_rules[i]))
			rules += belongs(ts_span_str(ts_rules[i].code), s->id);
	for (size_t i = 0; i < f->n_unchecked; i++) /* what could be checked on some ranks was checked */
		unchecked += f->unchecked[i].n_ranks == 0 && belongs(f->unchecked[i].code, s->id);
	for (size_t i = 0; i < f->n; i++)
		if (belongs(f->items[i].code, s->id))
			found[f->items[i].severity]++;
	for (int severity = TS_SEVERITY_HIGH; severity >= TS_SEVERITY_LOW; severity--) {
		if (!found[severity])
			continue;
		if (!state)
			s->light = TS_LIGHT_CLEAR + severity;
		state = ts_report_join(r, state, ", ",
				       ts_report_say(r, "%zu %s", found[severity], ts_severity_word(severity)));
	}
	if (!state && rules) {
		s->light = unchecked < rules ? TS_LIGHT_CLEAR : TS_LIGHT_UNCHECKED;
		state = unchecked < rules ? "nothing found" : "unchecked";
	}
	if (state && unchecked && unchecked < rules)
		state = ts_report_say(r, "%s, %zu of %zu rules unchecked", state, unchecked, rules);
	s->state = state;
}

struct ts_section *ts_report_section(struct ts_report *r, enum ts_section_id id)
{
	struct ts_section *s = &r->sections[r->n < TS_REPORT_SECTIONS ? r->n++ : TS_REPORT_SECTIONS - 1];
	bool judged = id == TS_SECTION_FINDINGS;

	*s = (struct ts_section){.id = id, .title = titles[id]};
	for (size_t i = 0; i < sizeof sections_of_codes / sizeof sections_of_codes[0]; i++)
		judged |= sections_of_codes[i].section == id;
	if (r->a && judged)
		light_up(r, s);
	return s;
}
