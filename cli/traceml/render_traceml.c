/* render_traceml.c - TraceML's verdict and ours beside it: text, and docs/schemas/diff.schema.json. */
#include "analysis/answer/say.h"
#include "cli/core/context.h"
#include "cli/json/json_parts.h"
#include "cli/text/text_parts.h"
#include "cli/traceml/diff_traceml.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"

static enum ts_style style_of(enum ts_traceml_verdict verdict)
{
	switch (verdict) {
	case TS_TRACEML_EQUIVALENT:
	case TS_TRACEML_IMPROVEMENT:
		return TS_STYLE_GREEN;
	case TS_TRACEML_REGRESSION:
	case TS_TRACEML_MIXED:
		return TS_STYLE_RED;
	case TS_TRACEML_INCONCLUSIVE:
		break;
	}
	return TS_STYLE_YELLOW;
}

static enum ts_status runs(struct ts_cli *cli, const struct ts_traceml_answer *answer, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {{.key = "side"}, {.key = "name", .least = 12}, {.key = "id"}};
	const struct ts_run_ref *both[] = {&answer->a, &answer->b};
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < 2; i++) {
		ts_view_row(&view, NULL);
		ts_view_set(&view, "side", TS_STYLE_PLAIN, i ? "b" : "a");
		ts_view_set_span(&view, "name", TS_STYLE_BOLD, both[i]->own_name);
		ts_view_set(&view, "id", TS_STYLE_PLAIN, ts_show_id(&both[i]->id, &cli->arena));
	}
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

static const char *number(struct ts_cli *cli, struct ts_traceml_number n, bool bytes)
{
	if (!n.known)
		return "none";
	return bytes ? ts_show_bytes(n.value, &cli->arena) : ts_arena_printf(&cli->arena, "%.4g ms", n.value);
}

static void number_row(struct ts_cli *cli, struct ts_view *view, const char *name, const struct ts_traceml_pair *p, double limit,
		       bool bytes)
{
	ts_view_row(view, NULL);
	ts_view_set(view, "", TS_STYLE_PLAIN, name);
	ts_view_set(view, "a", TS_STYLE_PLAIN, number(cli, p->a, bytes));
	ts_view_set(view, "b", TS_STYLE_PLAIN, number(cli, p->b, bytes));
	ts_view_set(view, "change", TS_STYLE_PLAIN,
		    p->pct.known ? ts_arena_printf(&cli->arena, "%+.2f %%", p->pct.value) : "not known");
	ts_view_set(view, "its limit", TS_STYLE_PLAIN, ts_arena_printf(&cli->arena, "%g %%", limit));
}

static enum ts_status numbers(struct ts_cli *cli, const struct ts_traceml_comparison *said, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {
		TS_LEFT("", 0), TS_RIGHT("a"), TS_RIGHT("b"), TS_RIGHT("change"), TS_RIGHT("its limit"),
	};
	struct ts_view view;
	const char *step = said->clock == TS_TRACEML_GPU   ? "step time, GPU clock"
			   : said->clock == TS_TRACEML_CPU ? "step time, CPU clock"
							   : "step time, no clock in common";

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	number_row(cli, &view, step, &said->step, TS_TRACEML_STEP_PCT, false);
	number_row(cli, &view, "peak reserved memory", &said->memory, TS_TRACEML_MEMORY_PCT, true);
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

static enum ts_status findings(struct ts_cli *cli, const struct ts_traceml_comparison *said, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_RIGHT("rule"), TS_LEFT("finds", 0), TS_LEFT("of", 0), TS_LEFT("why", 20)};
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < said->n_findings; i++) {
		const struct ts_traceml_finding *f = &said->findings[i];

		ts_view_row(&view, NULL);
		ts_view_set(&view, "rule", TS_STYLE_PLAIN, ts_arena_printf(&cli->arena, "%d", f->priority));
		ts_view_set(&view, "finds", i ? TS_STYLE_PLAIN : style_of(f->verdict), ts_traceml_verdict_word(f->verdict));
		ts_view_set(&view, "of", TS_STYLE_PLAIN,
			    f->metric ? ts_arena_printf(&cli->arena, "%s/%s", f->domain, f->metric) : f->domain);
		ts_view_set_span(&view, "why", TS_STYLE_PLAIN, f->why);
	}
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

static void comparability(struct ts_cli *cli, const struct ts_traceml_comparison *said)
{
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
			ts_arena_printf(&cli->arena, "comparability %s: step time %s, memory %s",
					ts_traceml_state_word(said->overall), ts_traceml_state_word(said->step_time),
					ts_traceml_state_word(said->step_memory)));
	if (said->warning.len)
		ts_text_wrapped(cli, TS_STYLE_YELLOW, 2,
				ts_arena_printf(&cli->arena, "warning: %.*s", TS_SPAN_ARG(said->warning)));
}

static void ours(struct ts_cli *cli, const struct ts_traceml_comparison *said)
{
	const char *word = ts_traceml_is_comparable(said) ? "undecided" : "not comparable";
	const char *sentence = ts_traceml_our_sentence(said, &cli->arena);

	ts_text_heading(cli, "Verdict of tscope");
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 2, sentence ? ts_arena_printf(&cli->arena, "%s: %s", word, sentence) : NULL);
	ts_text_heading(cli, "What TraceML's rule ignores");
	if (said->n_missed == 0)
		ts_buf_str(&cli->out, "  The summaries do not differ in anything else.\n");
	for (size_t i = 0; i < said->n_missed; i++)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				ts_arena_printf(&cli->arena, "- %.*s", TS_SPAN_ARG(said->missed[i].sentence)));
}

enum ts_status ts_render_traceml_text(struct ts_cli *cli, const struct ts_traceml_answer *answer, struct ts_error *err)
{
	const struct ts_traceml_comparison *said = &answer->said;
	const struct ts_traceml_finding *first = &said->findings[0];

	ts_text_wrapped(cli, style_of(first->verdict), 0,
			ts_arena_printf(&cli->arena, "TraceML's compare says %s: %.*s", ts_traceml_verdict_word(first->verdict),
					TS_SPAN_ARG(first->why)));
	if (runs(cli, answer, err))
		return err->status;
	ts_text_heading(cli, "Verdict of TraceML's rule");
	if (numbers(cli, said, err) || findings(cli, said, err))
		return err->status;
	comparability(cli, said);
	ours(cli, said);
	return TS_OK;
}

/* --- JSON --- */

static void json_number(struct ts_json *j, const char *key, struct ts_traceml_number n)
{
	ts_json_key(j, key);
	if (n.known)
		ts_json_double(j, n.value);
	else
		ts_json_null(j);
}

static void json_pair(struct ts_json *j, const char *key, const char *a, const char *b, const struct ts_traceml_pair *p)
{
	ts_json_key(j, key);
	ts_json_object(j);
	json_number(j, a, p->a);
	json_number(j, b, p->b);
	json_number(j, "change_percent", p->pct);
	ts_json_end(j);
}

static void json_findings(struct ts_json *j, const struct ts_traceml_comparison *said)
{
	ts_json_key(j, "findings");
	ts_json_array(j);
	for (size_t i = 0; i < said->n_findings; i++) {
		const struct ts_traceml_finding *f = &said->findings[i];

		ts_json_object(j);
		ts_json_key(j, "priority");
		ts_json_i64(j, f->priority);
		ts_json_word(j, "status", ts_traceml_verdict_word(f->verdict));
		ts_json_word(j, "severity", f->severity);
		ts_json_word(j, "domain", f->domain);
		ts_json_word(j, "metric", f->metric);
		ts_json_text(j, "why", f->why);
		ts_json_end(j);
	}
	ts_json_end(j);
}

static void json_theirs(struct ts_json *j, const struct ts_traceml_comparison *said)
{
	const struct ts_traceml_finding *first = &said->findings[0];

	ts_json_key(j, "traceml");
	ts_json_object(j);
	ts_json_word(j, "status", ts_traceml_verdict_word(first->verdict));
	ts_json_word(j, "outcome", ts_traceml_outcome(first->verdict));
	ts_json_word(j, "severity", first->severity);
	ts_json_word(j, "primary_domain", first->domain);
	ts_json_word(j, "primary_metric", first->metric);
	ts_json_text(j, "why", first->why);
	json_findings(j, said);
	ts_json_key(j, "comparability");
	ts_json_object(j);
	ts_json_word(j, "overall", ts_traceml_state_word(said->overall));
	ts_json_word(j, "step_time", ts_traceml_state_word(said->step_time));
	ts_json_word(j, "step_memory", ts_traceml_state_word(said->step_memory));
	ts_json_end(j);
	ts_json_word(j, "clock", ts_traceml_clock_name(said->clock));
	json_pair(j, "step_time", "a_ms", "b_ms", &said->step);
	json_pair(j, "peak_reserved", "a_bytes", "b_bytes", &said->memory);
	ts_json_key(j, "warnings");
	ts_json_array(j);
	if (said->warning.len)
		ts_json_span(j, said->warning);
	ts_json_end(j);
	ts_json_end(j);
}

static void json_ours(struct ts_cli *cli, struct ts_json *j, const struct ts_traceml_comparison *said)
{
	ts_json_key(j, "ours");
	ts_json_object(j);
	ts_json_word(j, "verdict", ts_traceml_our_word(said));
	ts_json_word(j, "sentence", ts_traceml_our_sentence(said, &cli->arena));
	ts_json_key(j, "size_ratio");
	ts_json_double(j, said->size);
	ts_json_key(j, "baselines");
	ts_json_array(j);
	for (size_t i = 0; i < TS_TRACEML_NOISES; i++) {
		ts_json_object(j);
		ts_json_key(j, "noise_ratio");
		ts_json_double(j, said->baselines[i].noise);
		ts_json_known_count(j, "baseline_count", said->baselines[i].n > 0, said->baselines[i].n);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_key(j, "missed");
	ts_json_array(j);
	for (size_t i = 0; i < said->n_missed; i++) {
		ts_json_object(j);
		ts_json_word(j, "code", said->missed[i].code);
		ts_json_text(j, "sentence", said->missed[i].sentence);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_end(j);
}

void ts_render_traceml_json(struct ts_cli *cli, const struct ts_traceml_answer *answer)
{
	struct ts_json j = ts_cli_json(cli);

	ts_json_object(&j);
	ts_json_word(&j, "as", "traceml");
	ts_json_run(&j, "a", &answer->a);
	ts_json_run(&j, "b", &answer->b);
	json_theirs(&j, &answer->said);
	json_ours(cli, &j, &answer->said);
	ts_json_end(&j);
	ts_cli_json_end(cli, &j);
}
