/* report_unknown.c - the section of a report on what the answer does not know: first what the run would have to record, in groups that
 * are recorded together, then the other reasons. --rows and --json have every reason with every row.
 */
#include "base/order.h"
#include "cli/report/report_parts.h"

#include "analysis/answer/say.h"
#include "analysis/rules/rule.h"
#include "base/text.h"

enum { NAMES_SHOWN = 2, RECORDS_SHOWN = 8, GROUP_WORDS = 6 };

/* What is recorded together. A reason that something was not recorded belongs to the first group of which it has a word. */
static const struct {
	const char *label;
	const char *words[GROUP_WORDS];
} groups[] = {
	{"memory", {"memory"}},
	{"work", {"work.", "device", "tokens", "samples"}},
	{"pipeline", {"pipeline", "stage", "microbatch"}},
	{"ranks", {"rank", "parallelism."}},
	{"times", {"timestamp", "phase"}},
	{"series", {"scalars."}},
	{"length", {NULL}},
};

enum { GROUPS = sizeof groups / sizeof groups[0], LENGTH = GROUPS - 1 };

/* Reasons that name a fact in words. */
static const struct {
	const char *words, *fact;
} in_words[] = {
	{"name of the device", "hardware.gpu"},
	{"memory of the device", "hardware.gpus[0].memory"},
};

/* A gap is a row, a rule or a share that is not known, and the reason. */
struct gap {
	struct ts_span reason;
	size_t at;     /* place in the answer: rows, then rules, then shares of the bound */
	int group;     /* of `groups`, if it lacks something that can be recorded; else GROUPS, and its reason stands alone */
	size_t first;  /* the first place with this group, or with this reason */
};

static bool has_any(struct ts_span text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ts_span_contains(text, words[i]))
			return true;
	return false;
}

/* Tells by its words whether a reason is that something was not recorded, or not for long enough. */
static int group_of(struct ts_span reason)
{
	static const char *const lacking[] = {" no column ", "not record", " needs memory.", "of the device is not known",
					      "have memory columns"};
	static const char *const few[] = {"fewer than ", "too few", "run has only ", "enough values"};

	if (!has_any(reason, lacking, sizeof lacking / sizeof lacking[0]))
		return has_any(reason, few, sizeof few / sizeof few[0]) ? LENGTH : GROUPS;
	for (int g = 0; g < GROUPS; g++)
		for (int w = 0; w < GROUP_WORDS && groups[g].words[w]; w++)
			if (ts_span_contains(reason, groups[g].words[w]))
				return g;
	return GROUPS;
}

static bool together(const struct gap *a, const struct gap *b)
{
	return a->group == b->group && (a->group < GROUPS || ts_span_eq(a->reason, b->reason));
}

TS_ORDER(by_kind, struct gap, TS_UP(group); if (a->group == GROUPS) TS_TEXT(reason); TS_UP(at))

/* Groups come first, in their order; other reasons in the order of the answer. */
TS_ORDER(by_place, struct gap, TS_UP(group); TS_UP(first); TS_UP(at))

static void put(struct gap *gaps, size_t *n, struct ts_span reason, size_t at)
{
	gaps[*n] = (struct gap){.reason = reason, .at = at, .group = group_of(reason)};
	++*n;
}

/* The reason why a rule is unchecked, with the ranks if it is not all of them. */
static struct ts_span unchecked_reason(struct ts_report *r, const struct ts_unchecked *u)
{
	const char *ranks = u->n_ranks ? ts_say_ranks(u->ranks, u->n_ranks, r->arena) : "";

	if (!u->n_ranks)
		return u->reason;
	r->failed |= !ranks;
	return ts_span_str(ts_report_say(r, "on %s, %.*s", ranks ? ranks : "", TS_SPAN_ARG(u->reason)));
}

static size_t gather(struct ts_report *r, struct gap *gaps)
{
	const struct ts_measures *m = &r->a->measures;
	const struct ts_findings *f = &r->a->findings;
	const struct ts_bound *b = &r->a->bound;
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		if (!m->items[i].known)
			put(gaps, &n, m->items[i].reason, i);
	for (size_t i = 0; i < f->n_unchecked; i++)
		put(gaps, &n, unchecked_reason(r, &f->unchecked[i]), m->n + i);
	for (size_t i = 0; i < sizeof b->shares / sizeof b->shares[0]; i++)
		if (b->shares[i].kind != TS_BOUND_UNKNOWN && !b->shares[i].known)
			put(gaps, &n, b->shares[i].reason, m->n + f->n_unchecked + i);
	TS_SORT(gaps, n, by_kind);
	for (size_t i = 0; i < n; i++)
		gaps[i].first = i && together(&gaps[i], &gaps[i - 1]) ? gaps[i - 1].first : gaps[i].at;
	TS_SORT(gaps, n, by_place);
	return n;
}

/* --- names --- */

/* A list of texts, each once. */
struct names {
	const char *text;
	struct ts_span seen[64];
	size_t n, shown;
};

static void name(struct ts_report *r, struct names *to, struct ts_span text)
{
	for (size_t i = 0; i < to->n && i < sizeof to->seen / sizeof to->seen[0]; i++)
		if (ts_span_eq(to->seen[i], text))
			return;
	if (to->n < sizeof to->seen / sizeof to->seen[0])
		to->seen[to->n] = text;
	if (to->n++ < to->shown)
		to->text = ts_report_join(r, to->text, ", ", ts_report_text(r, text));
}

static const char *names_of(struct ts_report *r, const struct names *of)
{
	return of->n > of->shown ? ts_report_say(r, "%s and %zu more", of->text, of->n - of->shown) : of->text;
}

static bool is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || ts_is_digit(c) || c == '_' || c == '.' || c == '[' || c == ']';
}

/* The columns and facts in a reason: words with a dot inside, and the word after "column". */
static void name_records(struct ts_report *r, struct names *to, struct ts_span reason)
{
	bool after_column = false;

	for (size_t i = 0; i < sizeof in_words / sizeof in_words[0]; i++)
		if (ts_span_contains(reason, in_words[i].words))
			name(r, to, ts_span_str(in_words[i].fact));
	for (size_t i = 0, end; i < reason.len; i = end) {
		struct ts_span word;

		for (end = i; end < reason.len && is_of_name(reason.data[end]);)
			end++;
		word = ts_span_of(reason.data + i, end - i);
		while (word.len && (word.data[word.len - 1] == '.' || word.data[word.len - 1] == ','))
			word.len--;
		if (word.len && (after_column || memchr(word.data, '.', word.len)))
			name(r, to, word);
		if (word.len)
			after_column = ts_span_is(word, "column");
		end += end == i;
	}
}

/* Says "growth", "MEMORY.GROWTH" or "share of wait". */
static struct ts_span said(struct ts_report *r, const struct gap *g)
{
	const struct ts_measures *m = &r->a->measures;
	const struct ts_findings *f = &r->a->findings;

	if (g->at < m->n)
		return m->items[g->at].subject;
	if (g->at < m->n + f->n_unchecked)
		return f->unchecked[g->at - m->n].code;
	return ts_span_str(ts_report_say(r, "share of %s", ts_bound_word(r->a->bound.shares[g->at - m->n - f->n_unchecked].kind)));
}

/* Says "record memory.alloc, memory.peak_alloc, for MEMORY.GROWTH and 3 more". The rows are named where no rule needs them. */
static void line(struct ts_report *r, struct ts_section *s, const struct gap *gaps, size_t n)
{
	struct names records = {.shown = RECORDS_SHOWN}, rows = {.shown = NAMES_SHOWN}, rules = {.shown = NAMES_SHOWN};
	const char *what, *label = gaps->group < GROUPS ? groups[gaps->group].label : NULL;

	for (size_t i = 0; i < n; i++) {
		name_records(r, &records, gaps[i].reason);
		name(r, gaps[i].at < r->a->measures.n ? &rows : &rules, said(r, &gaps[i]));
	}
	what = names_of(r, rules.n ? &rules : &rows);
	if (gaps->group == LENGTH)
		ts_report_line(r, s, label, ts_report_say(r, "the run is too short for %s; --rows says how long it has to be", what));
	else if (gaps->group < GROUPS && records.n)
		ts_report_line(r, s, label, ts_report_say(r, "record %s, for %s", names_of(r, &records), what));
	else
		ts_report_line(r, s, label,
			       ts_report_say(r, "%s: %s",
					     gaps->reason.len ? ts_report_text(r, gaps->reason) : "the answer gives no reason", what));
}

void ts_report_unknown(struct ts_report *r)
{
	size_t most = r->a->measures.n + r->a->findings.n_unchecked +
		      sizeof r->a->bound.shares / sizeof r->a->bound.shares[0],
	       n, end;
	struct gap *gaps = ts_arena_array(r->arena, most, sizeof *gaps);
	struct ts_section *s;

	if (!gaps) {
		r->failed = true;
		return;
	}
	n = gather(r, gaps);
	if (n == 0)
		return;
	s = ts_report_section(r, TS_SECTION_NOT_KNOWN);
	s->head = "what the run would have to record, and for which rules or measures; then other reasons";
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && gaps[end].group == gaps[i].group && gaps[end].first == gaps[i].first;)
			end++;
		line(r, s, gaps + i, end - i);
	}
}
