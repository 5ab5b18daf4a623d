/* gate_junit.c - a verdict as JUnit XML. See gate_render.h.
 *
 * It uses only elements and attributes that Jenkins' schema (junit-10.xsd) and GitLab's reader have in common. A passing case cannot
 * hold any text, so the system-out of the suite lists every metric as well.
 */
#include "cli/gate/gate_render.h"

#include "base/text.h"
#include "cli/text/show_gate.h"
#include "cli/view/show_value.h"

enum { TEXT_MOST = 2000, FACTS_MOST = 20, ROWS_MOST = 50, RUNS_MOST = 500 };

enum outcome { PASSES, FAILS, ERRORS, SKIPPED };

struct page {
	const struct ts_verdict *v;
	struct ts_arena *arena;
	struct ts_buf *out;
	bool full; /* the arena has no room left */
};

/* XML cannot hold every character. What is harmless to print is also allowed in XML, except U+FFFE and U+FFFF. */
static void text(struct page *p, const char *s)
{
	if (!s) {
		p->full = true;
		return;
	}
	for (size_t len; *s; s += len) {
		uint32_t point = 0;

		len = ts_utf8_next(ts_span_str(s), &point);
		len = len ? len : 1;
		if (*s == '&')
			ts_buf_str(p->out, "&amp;");
		else if (*s == '<')
			ts_buf_str(p->out, "&lt;");
		else if (*s == '>')
			ts_buf_str(p->out, "&gt;");
		else if (*s == '"')
			ts_buf_str(p->out, "&quot;");
		else if (point == 0xFFFE || point == 0xFFFF)
			ts_buf_str(p->out, "\xEF\xBF\xBD");
		else
			ts_buf_bytes(p->out, s, len);
	}
}

static void foreign(struct page *p, struct ts_span s)
{
	text(p, ts_show_brief(s, TEXT_MOST, p->arena));
}

static void attribute(struct page *p, const char *name, const char *value)
{
	ts_buf_printf(p->out, " %s=\"", name);
	text(p, value);
	ts_buf_char(p->out, '"');
}

static enum outcome outcome_of(const struct ts_verdict *v, const struct ts_gate_row *row)
{
	switch (row->state) {
	case TS_GATE_PASS:
	case TS_GATE_IMPROVEMENT:
		return PASSES;
	case TS_GATE_REGRESSION:
		return row->counts ? FAILS : SKIPPED;
	case TS_GATE_SUSPECT:
		return row->counts ? ERRORS : SKIPPED;
	case TS_GATE_INCONCLUSIVE:
		return row->counts && v->input.policy.on_inconclusive == TS_GATE_FAILS ? FAILS : SKIPPED;
	case TS_GATE_BLIND:
		return row->counts && v->input.policy.on_blind == TS_GATE_FAILS ? FAILS : SKIPPED;
	case TS_GATE_COLLECTING:
		break;
	}
	return SKIPPED;
}

static unsigned count(const struct ts_verdict *v, enum outcome wanted)
{
	unsigned n = 0;

	for (size_t i = 0; i < v->n_rows; i++)
		n += outcome_of(v, &v->rows[i]) == wanted;
	return n;
}

static void counts(struct page *p)
{
	ts_buf_printf(p->out, " tests=\"%zu\" failures=\"%u\" errors=\"%u\"", p->v->n_rows, count(p->v, FAILS), count(p->v, ERRORS));
}

/* --- properties --- */

static void property(struct page *p, const char *name, const char *value)
{
	ts_buf_str(p->out, "      <property");
	attribute(p, "name", name);
	attribute(p, "value", value);
	ts_buf_str(p->out, "/>\n");
}

static void number(struct page *p, const char *name, uint64_t value)
{
	property(p, name, ts_arena_printf(p->arena, "%" PRIu64, value));
}

/* Readers of JUnit files keep one property per name, so each run gets its own name. */
static void runs(struct page *p, enum ts_gate_role role)
{
	const struct ts_gate_input *input = &p->v->input;

	for (size_t i = 0, n = 0; i < input->n_runs && n < RUNS_MOST; i++)
		if (input->runs[i].role == role)
			property(p, ts_arena_printf(p->arena, "tscope.%s.%zu", ts_gate_role_word(role), ++n),
				 ts_show_hex(&input->runs[i].id, p->arena));
}

static void properties(struct page *p)
{
	ts_buf_str(p->out, "    <properties>\n");
	property(p, "tscope.state", ts_gate_state_word(p->v->state));
	number(p, "tscope.exit_code", p->v->exit_code);
	property(p, "tscope.workload", ts_show_workload(&p->v->input, p->arena));
	property(p, "tscope.against", ts_show_brief(p->v->input.baseline, TEXT_MOST, p->arena));
	property(p, "tscope.policy_sha256", ts_show_hex(&p->v->policy_digest, p->arena));
	number(p, "tscope.analysis_version", p->v->input.analysis_version);
	if (p->v->rates.len)
		property(p, "tscope.rates", ts_show_brief(p->v->rates, TEXT_MOST, p->arena));
	runs(p, TS_GATE_CANDIDATE);
	runs(p, TS_GATE_BASELINE);
	runs(p, TS_GATE_PAIR_BASE);
	runs(p, TS_GATE_PAIR_CANDIDATE);
	ts_buf_str(p->out, "    </properties>\n");
}

/* --- cases --- */

static void detail(struct page *p, const struct ts_gate_row *row)
{
	const struct ts_verdict *v = p->v;
	uint64_t facts = v->input.n_facts + v->input.facts_more;

	ts_buf_char(p->out, '\n');
	foreign(p, v->sentence);
	ts_buf_char(p->out, '\n');
	text(p, ts_show_row_title(row, p->arena));
	ts_buf_str(p->out, ": ");
	text(p, ts_show_row(row, p->arena));
	ts_buf_char(p->out, '\n');
	for (size_t i = 0; i < v->n_why && i < ROWS_MOST; i++) {
		ts_buf_str(p->out, "  ");
		text(p, ts_show_why(&v->why[i], p->arena));
		ts_buf_char(p->out, '\n');
	}
	for (size_t i = 0; i < v->input.n_facts && i < FACTS_MOST; i++) {
		const struct ts_gate_fact *f = &v->input.facts[i];

		ts_buf_str(p->out, "  changed fact ");
		foreign(p, f->path);
		ts_buf_str(p->out, ": ");
		foreign(p, f->a.len ? f->a : ts_span_str("not recorded"));
		ts_buf_str(p->out, " -> ");
		foreign(p, f->b.len ? f->b : ts_span_str("not recorded"));
		ts_buf_char(p->out, '\n');
	}
	if (facts > FACTS_MOST)
		ts_buf_printf(p->out, "  %" PRIu64 " more fact%s changed\n", facts - FACTS_MOST, facts == FACTS_MOST + 1 ? "" : "s");
}

static const char *message(struct page *p, const struct ts_gate_row *row)
{
	const char *known = ts_show_row(row, p->arena), *state = ts_gate_state_word(row->state);

	if (!known)
		return NULL;
	known = ts_arena_printf(p->arena, "%s%s: %s", state, row->counts ? "" : " (this metric does not decide)", known);
	if (!known || (row->state != TS_GATE_PASS && row->state != TS_GATE_BLIND) || isnan(row->could_miss))
		return known;
	return ts_arena_printf(p->arena, "%s; the gate could have missed a regression of up to %s", known,
			       ts_show_row_missed(row, p->arena));
}

static void end(struct page *p, const struct ts_gate_row *row, const char *element)
{
	ts_buf_printf(p->out, ">\n      <%s", element);
	attribute(p, "type", ts_gate_state_word(row->state));
	attribute(p, "message", message(p, row));
	ts_buf_char(p->out, '>');
	detail(p, row);
	ts_buf_printf(p->out, "</%s>\n    </testcase>\n", element);
}

/* Where the metric is a time, it is also the time of its test case, to the three digits of the schema, so that a server that plots
 * the duration of tests over builds plots the step time. A time below half a millisecond would be 0 and is left out. */
static void time_of(struct page *p, const struct ts_gate_row *row)
{
	if (ts_metrics[row->metric].unit == TS_UNIT_SECONDS && row->candidate >= 0.0005 && row->candidate < 1e6)
		ts_buf_printf(p->out, " time=\"%.3f\"", row->candidate);
}

static void test_case(struct page *p, const struct ts_gate_row *row)
{
	struct ts_span workload = ts_span_of(NULL, 0);
	size_t n;
	const struct ts_gate_run *run = ts_gate_first(&p->v->input, TS_GATE_CANDIDATE, &n);

	if (run)
		workload = run->workload.name;
	ts_buf_str(p->out, "    <testcase classname=\"tscope.gate");
	if (workload.len) {
		ts_buf_char(p->out, '.');
		foreign(p, workload);
	}
	ts_buf_char(p->out, '"');
	attribute(p, "name", ts_show_row_name(row, p->arena));
	time_of(p, row);
	switch (outcome_of(p->v, row)) {
	case PASSES:
		ts_buf_str(p->out, "/>\n");
		return;
	case FAILS:
		end(p, row, "failure");
		return;
	case ERRORS:
		end(p, row, "error");
		return;
	case SKIPPED:
		break;
	}
	ts_buf_str(p->out, ">\n      <skipped");
	attribute(p, "message", message(p, row));
	ts_buf_str(p->out, "/>\n    </testcase>\n");
}

static void system_out(struct page *p)
{
	const struct ts_verdict *v = p->v;

	ts_buf_str(p->out, "    <system-out>");
	foreign(p, v->sentence);
	ts_buf_char(p->out, '\n');
	foreign(p, v->input.sentence);
	ts_buf_char(p->out, '\n');
	if (v->rates.len) {
		foreign(p, v->rates);
		ts_buf_char(p->out, '\n');
	}
	for (size_t i = 0; i < v->n_warnings && i < ROWS_MOST; i++) {
		ts_buf_str(p->out, "warning: ");
		foreign(p, v->warnings[i]);
		ts_buf_char(p->out, '\n');
	}
	for (size_t i = 0; i < v->n_rows; i++) {
		const struct ts_gate_row *row = &v->rows[i];

		text(p, ts_show_row_name(row, p->arena));
		ts_buf_str(p->out, ": ");
		text(p, message(p, row));
		ts_buf_char(p->out, '\n');
	}
	ts_buf_str(p->out, "</system-out>\n");
}

enum ts_status ts_render_gate_junit(const struct ts_verdict *v, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	struct page p = {.v = v, .arena = arena, .out = out};

	ts_buf_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tscope gate\"");
	counts(&p);
	ts_buf_str(out, ">\n  <testsuite");
	attribute(&p, "name", ts_arena_printf(arena, "tscope gate %s", ts_show_workload(&v->input, arena)));
	counts(&p);
	ts_buf_printf(out, " skipped=\"%u\">\n", count(v, SKIPPED)); /* the schema allows this attribute only on a suite */
	properties(&p);
	for (size_t i = 0; i < v->n_rows; i++)
		test_case(&p, &v->rows[i]);
	system_out(&p);
	ts_buf_str(out, "  </testsuite>\n</testsuites>\n");
	return p.full ? ts_arena_error(arena, err) : ts_buf_check(out, err);
}
