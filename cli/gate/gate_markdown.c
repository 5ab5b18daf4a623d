/* gate_markdown.c - a verdict as the comment of a pull request, or as a step summary. See gate_render.h.
 *
 * Foreign text stands between <code> tags or in a sentence, with every character that could mean something to Markdown written as
 * an entity: entities are text and never structure. Outside of code, a zero-width space keeps words such as @team, #12 and !7 from
 * becoming mentions and links. Lists and texts are cut so that the whole stays below GitHub's limit for a comment.
 */
#include "cli/gate/gate_render.h"

#include "base/text.h"
#include "cli/text/show_gate.h"
#include "cli/view/show_value.h"

enum {
	NAME_MOST = 60,	     /* characters of a name or value */
	SENTENCE_MOST = 600, /* characters of a sentence */
	WHY_MOST = 12,
	FACTS_MOST = 20,
	RUNS_MOST = 12,
	WARNINGS_MOST = 6,
	DIFFERENCES_MOST = 10,
	LINE_MOST = 4000, /* bytes of a command */
	/* Behind this many bytes no foreign text is added. Our own text always fits into the rest. */
	FOREIGN_MOST = TS_GATE_COMMENT_MAX - (16 << 10),
};

#define WHY_LEAST 0.005 /* a part with a smaller share of the difference explains nothing */

struct page {
	const struct ts_verdict *v;
	const struct ts_gate_again *again;
	struct ts_arena *arena;
	struct ts_buf *out;
	size_t start; /* the offset in out at which this page begins */
	bool full;    /* the arena has no room left */
};

static void put(struct page *p, const char *text)
{
	ts_buf_str(p->out, text);
}

/* --- foreign text --- */

/* A character has at most four bytes. One character more than the limit is kept, so that entities() sees that the text
 * is cut. */
static const char *brief(struct page *p, struct ts_span s, size_t most)
{
	return ts_show_brief(s, 4 * (most + 1), p->arena);
}

/* The first character of a paragraph could turn it into a list or a block of code, and "www." would become a link. */
static bool is_plain(const char *s, bool first, char before)
{
	if (ts_is_alpha((unsigned char)*s) || (unsigned char)*s >= 0x80)
		return true;
	if (first || (*s == '.' && (before | 32) == 'w'))
		return false;
	return ts_is_digit((unsigned char)*s) || strchr(" .,();?%", *s);
}

/* GitHub and GitLab make links of @ # ! ~ $ & ^ % before a word, and browsers make links of ://. */
static bool addresses(const char *s, bool code)
{
	if (code)
		return false;
	return (strchr("@#!~$&^%", *s) && s[1] && s[1] != ' ') || (*s == ':' && s[1] == '/');
}

static void entities(struct page *p, const char *s, size_t most, bool code)
{
	size_t n = 0;
	char before = 0;

	for (size_t len; *s; s += len, n++) {
		uint32_t point;

		if (n == most || p->out->len - p->start > FOREIGN_MOST) {
			put(p, (before | 32) == 'w' ? "&#46;.." : "...");
			return;
		}
		len = ts_utf8_next(ts_span_str(s), &point);
		if (is_plain(s, n == 0 && !code, before))
			ts_buf_bytes(p->out, s, len);
		else
			ts_buf_printf(p->out, "&#%d;", *s);
		if (addresses(s, code))
			put(p, "&#8203;");
		before = *s;
	}
}

static void sentence(struct page *p, const char *s)
{
	if (!s)
		p->full = true;
	else
		entities(p, s, SENTENCE_MOST, false);
}

static void said(struct page *p, struct ts_span s)
{
	sentence(p, brief(p, s, SENTENCE_MOST));
}

static void code(struct page *p, const char *s, size_t most)
{
	if (!s) {
		p->full = true;
		return;
	}
	put(p, "<code>");
	entities(p, s, most, true);
	put(p, "</code>");
}

static void name(struct page *p, struct ts_span s)
{
	if (s.len)
		code(p, brief(p, s, NAME_MOST), NAME_MOST);
	else
		put(p, "not recorded");
}

static void run(struct page *p, const struct ts_gate_run *r)
{
	code(p, ts_show_gate_run(r, p->arena), NAME_MOST);
	if (r->workload.commit.len) {
		put(p, " of ");
		code(p, brief(p, r->workload.commit, TS_ID_SHORT), TS_ID_SHORT);
	}
}

static void more(struct page *p, size_t all, size_t most, const char *what)
{
	if (all > most)
		ts_buf_printf(p->out, "\nThere are %zu more %s.\n", all - most, what);
}

/* --- metrics --- */

static void cell(struct page *p, const char *text)
{
	if (!text)
		p->full = true;
	else
		ts_buf_printf(p->out, "%s%s |", *text ? " " : "", text);
}

/* The title of a logged series is a name that somebody else chose. */
static void title(struct page *p, const struct ts_gate_row *row)
{
	if (row->metric >= TS_METRICS)
		name(p, row->name);
	else
		put(p, ts_metrics[row->metric].title);
}

static void metric(struct page *p, const struct ts_gate_row *row)
{
	const char *miss = "";

	put(p, row->counts ? "| **" : "| ");
	title(p, row);
	put(p, row->counts ? "** |" : " |");
	cell(p, ts_show_metric(row->metric, row->base, p->arena));
	cell(p, ts_show_row_candidate(p->v, row, "not known", p->arena));
	cell(p, ts_show_row_change(row, p->arena));
	cell(p, ts_show_row_interval(row, p->arena));
	cell(p, ts_arena_printf(p->arena, "%s%s", ts_gate_state_word(row->state), row->counts ? "" : " (does not decide)"));
	if ((row->state == TS_GATE_PASS || row->state == TS_GATE_BLIND) && !isnan(row->could_miss))
		miss = ts_show_row_missed(row, p->arena);
	cell(p, miss && *miss ? ts_arena_printf(p->arena, "up to %s", miss) : miss);
	put(p, "\n");
}

/* The sentence of an inconclusive verdict contains the reason, which is then not repeated. */
static bool is_said(const struct page *p, struct ts_span reason)
{
	return ts_span_has(p->v->sentence, reason);
}

/* CPU time is a column that few runs have, so a comment misses it only where it decides. */
static bool is_rare(const struct ts_gate_row *row)
{
	return row->metric == TS_METRIC_CPU_TIME && !ts_show_gate_row(row);
}

/* Lists the metrics that are not known. Neighbours with the same reason share a line. */
static void unknown(struct page *p)
{
	const struct ts_gate_row *rows = p->v->rows;

	put(p, "\n");
	for (size_t i = 0; i < p->v->n_rows; i++) {
		struct ts_span reason = rows[i].reason;

		if (is_said(p, reason) || rows[i].floored || is_rare(&rows[i]))
			continue;
		put(p, "- not known: ");
		title(p, &rows[i]);
		for (; i + 1 < p->v->n_rows && ts_span_eq(rows[i + 1].reason, reason) && !is_rare(&rows[i + 1]); i++) {
			put(p, ", ");
			title(p, &rows[i + 1]);
		}
		put(p, ": ");
		said(p, reason);
		put(p, "\n");
	}
}

static void metrics(struct page *p)
{
	put(p, "\n| metric | baseline | candidate | change | 99 % interval | verdict | could have missed |\n"
	       "|---|--:|--:|--:|---|---|---|\n");
	for (size_t i = 0; i < p->v->n_rows; i++)
		if (ts_show_gate_row(&p->v->rows[i]))
			metric(p, &p->v->rows[i]);
	unknown(p);
}

/* --- why --- */

static bool is_sentence(const struct ts_gate_why *why)
{
	enum ts_gate_part part = ts_gate_part_of(why->kind);

	return part == TS_GATE_PART_MEMORY || part == TS_GATE_PART_MACHINE;
}

/* What holds more memory, and what machines have different, is a sentence, not a part of the time. */
static size_t sentences(struct page *p, enum ts_gate_part kind, const char *heading)
{
	const struct ts_verdict *v = p->v;
	size_t n = 0;

	for (size_t i = 0; i < v->n_why; i++) {
		if (ts_gate_part_of(v->why[i].kind) != kind)
			continue;
		put(p, n++ ? "\n" : heading);
		sentence(p, ts_show_why(&v->why[i], p->arena));
		put(p, "\n");
	}
	return n;
}

static void why(struct page *p)
{
	const struct ts_verdict *v = p->v;

	size_t n = sentences(p, TS_GATE_PART_MEMORY, "\n#### What holds more memory\n\n");

	n += sentences(p, TS_GATE_PART_MACHINE, "\n#### What else differs\n\n");
	if (n == v->n_why)
		return;
	put(p, "\n#### Where the time went\n\n| | | baseline | candidate | of the difference |\n|---|---|--:|--:|--:|\n");
	for (size_t i = 0; i < v->n_why && i < WHY_MOST; i++) {
		const struct ts_gate_why *w = &v->why[i];

		if (fabs(w->share) < WHY_LEAST || is_sentence(w))
			continue;
		put(p, "| ");
		sentence(p, brief(p, w->kind, NAME_MOST));
		put(p, " | ");
		name(p, w->name);
		put(p, " |");
		cell(p, ts_show_metric(TS_METRIC_STEP_TIME, w->base, p->arena));
		cell(p, ts_show_metric(TS_METRIC_STEP_TIME, w->candidate, p->arena));
		cell(p, isnan(w->share) ? "not known"
			: w->share < 0	? ts_show_change(w->share, p->arena)
					: ts_show_size(w->share, p->arena));
		put(p, "\n");
	}
	more(p, v->n_why, WHY_MOST, "parts");
}

static void facts(struct page *p)
{
	const struct ts_gate_input *in = &p->v->input;

	if (in->n_facts == 0)
		return;
	put(p, "\n#### What changed since the newest baseline\n\n| fact | baseline | candidate |\n|---|---|---|\n");
	for (size_t i = 0; i < in->n_facts && i < FACTS_MOST; i++) {
		put(p, "| ");
		name(p, in->facts[i].path);
		put(p, " | ");
		name(p, in->facts[i].a);
		put(p, " | ");
		name(p, in->facts[i].b);
		put(p, " |\n");
	}
	more(p, in->n_facts + in->facts_more, FACTS_MOST, "facts");
}

static void differences(struct page *p)
{
	const struct ts_gate_input *in = &p->v->input;

	if (in->n_differences == 0)
		return;
	put(p, "\n#### How the workloads differ\n\n| part | fact | baseline | candidate |\n|---|---|---|---|\n");
	for (size_t i = 0; i < in->n_differences && i < DIFFERENCES_MOST; i++) {
		const struct ts_workload_difference *d = &in->differences[i];

		ts_buf_printf(p->out, "| %s | ", ts_workload_part_word(d->part));
		name(p, d->path);
		put(p, " | ");
		name(p, d->a);
		put(p, " | ");
		name(p, d->b);
		put(p, " |\n");
	}
	more(p, in->n_differences, DIFFERENCES_MOST, "differences");
}

/* --- runs --- */

static void runs(struct page *p, enum ts_gate_role role, const char *title)
{
	const struct ts_gate_input *in = &p->v->input;
	size_t n = 0;

	for (size_t i = 0; i < in->n_runs; i++) {
		if (in->runs[i].role != role)
			continue;
		if (n < RUNS_MOST) {
			put(p, n ? ", " : title);
			run(p, &in->runs[i]);
		}
		n++;
	}
	if (n)
		put(p, "\n");
	more(p, n, RUNS_MOST, "runs");
}

static void passed_over(struct page *p)
{
	const struct ts_gate_input *in = &p->v->input;

	for (size_t i = 0; i < in->n_passed_over && i < RUNS_MOST; i++) {
		const struct ts_gate_passed_over *o = &in->passed_over[i];

		put(p, "- does not count: ");
		code(p, o->name.len ? brief(p, o->name, NAME_MOST) : ts_show_id(&o->id, p->arena), NAME_MOST);
		put(p, ": ");
		code(p, brief(p, o->reason, 2 * NAME_MOST), 2 * NAME_MOST);
		put(p, "\n");
	}
	more(p, in->n_passed_over, RUNS_MOST, "runs that do not count");
}

static void evidence(struct page *p)
{
	const struct ts_gate_input *in = &p->v->input;

	put(p, "\n<details><summary>Runs and policy</summary>\n\n");
	runs(p, TS_GATE_CANDIDATE, "- candidate: ");
	runs(p, TS_GATE_BASELINE, "- baselines: ");
	runs(p, TS_GATE_PAIR_BASE, "- pairs, base: ");
	runs(p, TS_GATE_PAIR_CANDIDATE, "- pairs, candidate: ");
	passed_over(p);
	if (in->baseline.len) {
		put(p, "- compared with ");
		name(p, in->baseline);
		put(p, ": ");
		said(p, in->sentence);
		put(p, "\n");
	}
	if (in->loss.sentence.len) {
		put(p, "- loss: ");
		said(p, in->loss.sentence);
		put(p, "\n");
	}
	put(p, "- policy ");
	code(p, ts_show_id(&p->v->policy_digest, p->arena), NAME_MOST);
	ts_buf_printf(p->out, ", analysis version %u, exit code %u\n\n</details>\n", in->analysis_version, p->v->exit_code);
}

/* --- what to do --- */

/* Writes a command as a code block. The fence is longer than any run of backticks in the command, so the line stays
 * unchanged. */
static void command(struct page *p, const char *line)
{
	size_t longest = 2, at = 0, n;

	if (!line) {
		p->full = true;
		return;
	}
	if (strlen(line) > LINE_MOST) {
		put(p, "\n(The command is too long to show.)\n");
		return;
	}
	for (; line[at]; at += n ? n : 1) {
		n = strspn(line + at, "`");
		longest = n > longest ? n : longest;
	}
	put(p, "\n");
	for (size_t i = 0; i <= longest; i++)
		put(p, "`");
	ts_buf_printf(p->out, "\n%s\n", line);
	for (size_t i = 0; i <= longest; i++)
		put(p, "`");
	put(p, "\n");
}

static void ask(struct page *p)
{
	const struct ts_gate_ask *a = &p->v->ask;

	put(p, "\n#### What to do\n\n");
	ts_buf_printf(p->out, "One run cannot show whether the change or the machine is slower. Pairs on one machine can. Run base ");
	name(p, a->base_commit);
	put(p, " and candidate ");
	name(p, a->candidate_commit);
	ts_buf_printf(p->out, " in turn until there are %" PRIu64 " pairs, push the runs as ", a->pairs);
	code(p, ts_gate_pair_name(a, ts_gate_first_pair(p->v), true, p->arena), NAME_MOST);
	put(p, ", ");
	code(p, ts_gate_pair_name(a, ts_gate_first_pair(p->v), false, p->arena), NAME_MOST);
	put(p, " and so on, and gate again. Running the same job again does not help, because all runs of a commit count together.\n");
	if (p->again && p->again->n)
		command(p, ts_gate_again_line(p->v, p->again, p->arena));
}

static bool is_hex(struct ts_span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!ts_is_digit(s.data[i]) && !(s.data[i] >= 'a' && s.data[i] <= 'f'))
			return false;
	return s.len >= 7 && s.len <= 64;
}

static void accept(struct page *p)
{
	size_t n;
	const struct ts_gate_run *candidate = ts_gate_first(&p->v->input, TS_GATE_CANDIDATE, &n);
	bool known = candidate && is_hex(candidate->workload.commit);

	put(p, "\n#### What to do\n\nIf the change is worth its cost, accept it after it is merged. Later runs are then compared with "
	       "the new level:\n");
	command(p, known ? ts_arena_printf(p->arena, "tscope baseline accept %.*s --reason 'why it is worth it'",
					   TS_SPAN_ARG(candidate->workload.commit))
			 : "tscope baseline accept COMMIT --reason 'why it is worth it'");
	put(p, "\nRunning the same job again does not help, because all runs of a commit count together. "
	       "If a broken machine slowed a run down, exclude that run with\n");
	command(p, "tscope note RUN bad='why'");
}

static bool is_path(struct ts_span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!ts_is_alpha(s.data[i]) && !ts_is_digit(s.data[i]) && !memchr("._[]", s.data[i], 4))
			return false;
	return s.len > 0 && s.len <= 200;
}

static void let_differ(struct page *p)
{
	const struct ts_workload_difference *d = p->v->input.differences;

	if (p->v->input.n_differences == 0)
		return;
	put(p, "\n#### What to do\n\nIf such a difference does not matter, allow it in the policy, for example with\n");
	if (d->part != TS_WORKLOAD_CONFIG)
		command(p, ts_arena_printf(p->arena, "GATE.across = %s", ts_workload_part_word(d->part)));
	else if (is_path(d->path))
		command(p, ts_arena_printf(p->arena, "GATE.ignore = %.*s", TS_SPAN_ARG(d->path)));
	else
		command(p, "GATE.ignore = PATH");
}

static void see_more(struct page *p)
{
	if (p->v->ask.pairs)
		ask(p);
	else
		put(p, "\n#### What to do\n");
	put(p, "\nIf the team accepts verdicts that could have missed this much, say so in the policy, for example with\n");
	command(p, "GATE.must_catch = off");
}

static void what_now(struct page *p)
{
	switch (p->v->state) {
	case TS_GATE_SUSPECT:
		if (p->v->ask.pairs)
			ask(p);
		return;
	case TS_GATE_REGRESSION:
		accept(p);
		return;
	case TS_GATE_COLLECTING:
		put(p, "\n#### What to do\n\nTo add a run of the base branch as a baseline, push it to that branch:\n");
		command(p, "tscope push --branch main RUN_DIRECTORY");
		return;
	case TS_GATE_INCONCLUSIVE:
		let_differ(p);
		return;
	case TS_GATE_BLIND:
		see_more(p);
		return;
	case TS_GATE_PASS:
	case TS_GATE_IMPROVEMENT:
		break;
	}
}

static void warnings(struct page *p)
{
	const struct ts_verdict *v = p->v;

	for (size_t i = 0; i < v->n_warnings && i < WARNINGS_MOST; i++) {
		put(p, i ? "- **warning:** " : "\n- **warning:** ");
		said(p, v->warnings[i]);
		put(p, "\n");
	}
	more(p, v->n_warnings, WARNINGS_MOST, "warnings");
}

enum ts_status ts_render_gate_markdown(const struct ts_verdict *v, const struct ts_gate_again *again, bool marker,
				       struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	struct page p = {.v = v, .again = again, .arena = arena, .out = out, .start = out->len};
	const char *workload = ts_show_workload(&v->input, arena);

	if (!workload)
		return ts_arena_error(arena, err);
	if (marker)
		ts_buf_printf(out, "<!-- tscope-gate:%s -->\n", workload);
	ts_buf_printf(out, "### tscope gate: %s\n\n", ts_gate_state_word(v->state));
	said(&p, v->sentence);
	put(&p, "\n");
	if (v->rates.len) {
		put(&p, "\n");
		said(&p, v->rates);
		put(&p, "\n");
	}
	if (!is_said(&p, v->input.not_comparable)) {
		put(&p, "\nNot comparable: ");
		said(&p, v->input.not_comparable);
		put(&p, "\n");
	}
	warnings(&p);
	metrics(&p);
	why(&p);
	differences(&p);
	facts(&p);
	what_now(&p);
	evidence(&p);
	return p.full ? ts_arena_error(arena, err) : ts_buf_check(out, err);
}
