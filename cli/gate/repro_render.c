#include "cli/gate/repro_render.h"

#include "base/text.h"
#include "cli/text/show_gate.h"
#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"

enum { TEXT_MOST = 600, FACTS_MOST = 40, OPEN_MOST = 20 };

/* --- text --- */

static const enum ts_style styles[] = {
	[TS_PROOF_GREEN] = TS_STYLE_GREEN, [TS_PROOF_RED] = TS_STYLE_RED, [TS_PROOF_UNPROVED] = TS_STYLE_YELLOW};

static void list(struct ts_cli *cli, const char *heading, const struct ts_golden_pair *pairs, size_t n)
{
	if (n)
		ts_text_heading(cli, heading);
	for (size_t i = 0; i < n; i++)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				ts_arena_phrase(&cli->arena, "%s: %s", ts_show_text(pairs[i].name, &cli->arena),
						ts_show_brief(pairs[i].value, TEXT_MOST, &cli->arena)));
}

enum ts_status ts_render_repro_text(struct ts_cli *cli, const struct ts_repro *r, struct ts_error *err)
{
	ts_text_wrapped(cli, styles[r->proof], 0, ts_show_text(r->sentence, &cli->arena));
	for (size_t i = 0; i < TS_REPRO_GATES; i++)
		ts_text_wrapped(cli, styles[r->gates[i].proof], 2,
				ts_arena_phrase(&cli->arena, "%s, %s: %s", ts_repro_name((enum ts_repro_name)i),
						ts_proof_word(r->gates[i].proof), ts_show_text(r->gates[i].sentence, &cli->arena)));
	ts_text_wrapped(cli, TS_STYLE_DIM, 0,
			ts_arena_phrase(&cli->arena, "Green under '%s' means that %s. It could miss %s.", r->profile->name,
					r->profile->holds, r->profile->misses));
	if (r->golden.len)
		ts_text_wrapped(
			cli, TS_STYLE_DIM, 0,
			ts_arena_phrase(&cli->arena, "%s was accepted by %s on %s: %s", ts_show_text(r->golden, &cli->arena),
					r->accepted.by.len ? ts_show_text(r->accepted.by, &cli->arena) : "nobody who is named",
					r->accepted.at.len ? ts_show_text(r->accepted.at, &cli->arena) : "no date",
					r->accepted.why.len ? ts_show_text(r->accepted.why, &cli->arena) : "no reason is given"));
	list(cli, "ON", r->facts, r->n_facts);
	list(cli, "THE GOLDEN RECORD WAS MADE WITH", r->other, r->n_other);
	if (r->n_open)
		ts_text_heading(cli, "NOT CONTROLLED");
	for (size_t i = 0; i < r->n_open; i++)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2, ts_show_text(r->open[i], &cli->arena));
	if (r->directory.len)
		ts_text_wrapped(cli, TS_STYLE_DIM, 0,
				ts_arena_phrase(&cli->arena, "The runs are in %s.", ts_show_text(r->directory, &cli->arena)));
	return ts_arena_check(&cli->arena, err);
}

/* --- for programs --- */

/* XML and HTML: what could end a text or begin a tag is an entity. In Markdown, every sign is one. */
static void put(struct ts_buf *out, const char *text, bool markdown)
{
	for (; *text; text++) {
		bool plain = ts_is_alpha((uint8_t)*text) || ts_is_digit((uint8_t)*text) || *text == ' ' || (uint8_t)*text >= 0x80;

		if (strchr("&<>\"'", *text) || (markdown && !plain))
			ts_buf_printf(out, "&#%d;", *text);
		else
			ts_buf_char(out, *text);
	}
}

static void put_span(struct ts_buf *out, struct ts_span text, struct ts_arena *arena, bool markdown)
{
	put(out, ts_show_brief(text, TEXT_MOST, arena), markdown);
}

enum ts_status ts_render_repro_junit(const struct ts_repro *r, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	static const char *const tags[] = {[TS_PROOF_GREEN] = NULL, [TS_PROOF_RED] = "failure", [TS_PROOF_UNPROVED] = "error"};
	unsigned n[3] = {0, 0, 0};

	for (size_t i = 0; i < TS_REPRO_GATES; i++)
		n[r->gates[i].proof]++;
	ts_buf_printf(out,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"tscope.repro\" tests=\"%d\" "
		      "failures=\"%u\" errors=\"%u\">\n",
		      TS_REPRO_GATES, n[TS_PROOF_RED], n[TS_PROOF_UNPROVED]);
	for (size_t i = 0; i < TS_REPRO_GATES; i++) {
		const struct ts_repro_gate *g = &r->gates[i];

		ts_buf_printf(out, "    <testcase classname=\"tscope.repro\" name=\"%s\"", ts_repro_name((enum ts_repro_name)i));
		if (!tags[g->proof]) {
			ts_buf_str(out, "/>\n");
			continue;
		}
		ts_buf_printf(out, ">\n      <%s message=\"", tags[g->proof]);
		put_span(out, g->sentence, arena, false);
		ts_buf_printf(out, "\"/>\n    </testcase>\n");
	}
	ts_buf_str(out, "    <system-out>");
	for (size_t i = 0; i < TS_REPRO_GATES; i++) {
		ts_buf_printf(out, "%s: %s: ", ts_repro_name((enum ts_repro_name)i), ts_proof_word(r->gates[i].proof));
		put_span(out, r->gates[i].sentence, arena, false);
		ts_buf_char(out, '\n');
	}
	ts_buf_str(out, "</system-out>\n  </testsuite>\n</testsuites>\n");
	return ts_arena_check(arena, err) ? err->status : ts_buf_check(out, err);
}

static void rows(struct ts_buf *out, const char *heading, const struct ts_golden_pair *pairs, size_t n, struct ts_arena *arena)
{
	if (!n)
		return;
	ts_buf_printf(out, "\n%s\n\n", heading);
	for (size_t i = 0; i < n && i < FACTS_MOST; i++) {
		ts_buf_str(out, "* <code>");
		put_span(out, pairs[i].name, arena, true);
		ts_buf_str(out, "</code> <code>");
		put_span(out, pairs[i].value, arena, true);
		ts_buf_str(out, "</code>\n");
	}
	if (n > FACTS_MOST)
		ts_buf_printf(out, "* and %zu more\n", n - FACTS_MOST);
}

enum ts_status ts_render_repro_markdown(const struct ts_repro *r, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	ts_buf_printf(out, "<!-- tscope-repro -->\n**Reproducibility: %s**\n\n| gate | | |\n|---|---|---|\n", ts_proof_word(r->proof));
	for (size_t i = 0; i < TS_REPRO_GATES; i++) {
		ts_buf_printf(out, "| %s | **%s** | ", ts_repro_name((enum ts_repro_name)i), ts_proof_word(r->gates[i].proof));
		put_span(out, r->gates[i].sentence, arena, true);
		ts_buf_str(out, " |\n");
	}
	ts_buf_printf(out, "\nGreen under `%s` means that %s. It could miss %s.\n", r->profile->name, r->profile->holds,
		      r->profile->misses);
	if (r->golden.len) {
		ts_buf_str(out, "\nThe golden record <code>");
		put_span(out, r->golden, arena, true);
		ts_buf_str(out, "</code> was accepted by <code>");
		put_span(out, r->accepted.by, arena, true);
		ts_buf_str(out, "</code>: ");
		put_span(out, r->accepted.why, arena, true);
		ts_buf_char(out, '\n');
	}
	rows(out, "On:", r->facts, r->n_facts, arena);
	rows(out, "The golden record was made with:", r->other, r->n_other, arena);
	if (r->n_open)
		ts_buf_str(out, "\nNot controlled: ");
	for (size_t i = 0; i < r->n_open && i < OPEN_MOST; i++) {
		ts_buf_str(out, i ? ", " : "");
		put_span(out, r->open[i], arena, true);
	}
	if (r->n_open)
		ts_buf_str(out, r->n_open > OPEN_MOST ? " and more.\n" : ".\n");
	return ts_arena_check(arena, err) ? err->status : ts_buf_check(out, err);
}
