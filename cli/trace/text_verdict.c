/* text_verdict.c - advice and findings of a trace, or of those of a job, which stand before the tables. */
#include "analysis/trace/advice/trace_answer.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/view/show_value.h"

static void sentence(struct ts_cli *cli, enum ts_style style, const char *text)
{
	ts_text_wrapped(cli, style, 2, text);
}

static const char *shown(struct ts_cli *cli, struct ts_span text)
{
	const char *said = ts_show_text(text, &cli->arena);

	return said ? said : "";
}

static const char *ms(struct ts_cli *cli, uint64_t ns)
{
	const char *text = ts_arena_printf(&cli->arena, "%" PRIu64 ".%06" PRIu64 " ms", ns / 1000000, ns % 1000000);

	return text ? text : "";
}

/* Findings without advice would look as if the advice had been lost. */
static void nothing_to_try(struct ts_cli *cli, size_t n_slight, const char *of)
{
	if (!n_slight)
		return;
	ts_text_heading(cli, "What to try first");
	sentence(cli, TS_STYLE_PLAIN,
		 ts_arena_printf(
			 &cli->arena,
			 "Nothing: but for first launches, which a later recording does not have, no finding is about as much as "
			 "%.0f %% of the time of %s.",
			 100 * TS_TRACE_ADVICE_LEAST, of));
}

static void to_try(struct ts_cli *cli, const struct ts_trace_verdict *v)
{
	if (v->captures) {
		ts_text_heading(cli, "What to try first");
		sentence(cli, TS_STYLE_PLAIN,
			 "Nothing: the trace records the capture of CUDA graphs, in which a quarter or more of what is launched does "
			 "not run. A trace of their replay shows what devices wait for.");
		return;
	}
	if (!v->n_advice) {
		nothing_to_try(cli, v->n_slight, "the devices");
		return;
	}
	ts_text_heading(cli, "What to try first (and the time of the devices that it would save at most)");
	for (size_t i = 0; i < v->n_advice; i++) {
		const struct ts_trace_advice *a = &v->advice[i];

		sentence(cli, TS_STYLE_PLAIN,
			 ts_arena_printf(&cli->arena, "%zu. %s: up to %s of %s. %s", i + 1, shown(cli, a->what),
					 ms(cli, a->saves_most_ns), ms(cli, v->span_ns), shown(cli, a->how)));
	}
}

static enum ts_style style_of(enum ts_severity severity)
{
	return severity == TS_SEVERITY_HIGH ? TS_STYLE_RED : severity == TS_SEVERITY_MEDIUM ? TS_STYLE_YELLOW : TS_STYLE_PLAIN;
}

static bool alike(const struct ts_unchecked *a, const struct ts_unchecked *b)
{
	return ts_span_eq(a->reason, b->reason);
}

/* Rules that could not be checked for the same reason share a line. */
static void unchecked(struct ts_cli *cli, const struct ts_findings *f)
{
	for (size_t i = 0; i < f->n_unchecked; i++) {
		const char *codes = "";
		bool said = false;

		for (size_t k = 0; k < i; k++)
			said |= alike(&f->unchecked[k], &f->unchecked[i]);
		for (size_t k = i; k < f->n_unchecked && !said; k++)
			if (codes && alike(&f->unchecked[k], &f->unchecked[i]))
				codes = ts_arena_printf(&cli->arena, "%s%s%s", codes, *codes ? ", " : "",
							shown(cli, f->unchecked[k].code));
		if (codes && !said)
			sentence(cli, TS_STYLE_DIM,
				 ts_arena_printf(&cli->arena, "not checked: %s: %s", codes, shown(cli, f->unchecked[i].reason)));
	}
}

static void findings(struct ts_cli *cli, const struct ts_findings *f)
{
	ts_text_heading(cli, "Findings (tscope explain CODE has the rule)");
	if (!f->n)
		sentence(cli, TS_STYLE_PLAIN, "No rule on traces found anything.");
	for (size_t i = 0; i < f->n; i++)
		sentence(cli, style_of(f->items[i].severity),
			 ts_arena_printf(&cli->arena, "%s: %s: %s", ts_severity_word(f->items[i].severity),
					 shown(cli, f->items[i].code), shown(cli, f->items[i].detail)));
	unchecked(cli, f);
}

void ts_text_trace_job_verdict(struct ts_cli *cli, const struct ts_trace_job *j)
{
	if (j->n_advice)
		ts_text_heading(cli, "What to try first");
	else
		nothing_to_try(cli, j->n_slight, "the devices of the rank");
	for (size_t i = 0; i < j->n_advice; i++)
		sentence(cli, TS_STYLE_PLAIN,
			 ts_arena_printf(&cli->arena, "%zu. %s. %s", i + 1, shown(cli, j->advice[i].title),
					 shown(cli, j->advice[i].advice)));
	findings(cli, &j->findings);
}

void ts_text_trace_verdict(struct ts_cli *cli, const struct ts_trace_verdict *v)
{
	to_try(cli, v);
	findings(cli, &v->findings);
}
