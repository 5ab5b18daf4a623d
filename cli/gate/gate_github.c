/* gate_github.c - a verdict as commands of a GitHub runner. See gate_render.h.
 *
 * A command is "::error title=T::MESSAGE", in which % CR LF are written as %25 %0D %0A and, in a property, : , as %3A %2C. GitHub's own
 * toolkit uses the same escapes.
 */
#include "cli/gate/gate_render.h"

#include "cli/text/show_gate.h"
#include "cli/view/show_value.h"

enum { OF_A_KIND = 8 /* GitHub shows ten annotations of a kind per step; a script may write some of its own */, TEXT_MOST = 2000 };

struct page {
	const struct ts_verdict *v;
	struct ts_arena *arena;
	struct ts_buf *out;
	bool full; /* the arena has no room left */
};

static void escaped(struct page *p, const char *s, bool property)
{
	if (!s) {
		p->full = true;
		return;
	}
	for (; *s; s++) {
		if (*s == '%' || *s == '\r' || *s == '\n' || (property && (*s == ':' || *s == ',')))
			ts_buf_printf(p->out, "%%%02X", (unsigned)*s);
		else
			ts_buf_char(p->out, *s);
	}
}

static void begin(struct page *p, const char *level, const char *title)
{
	ts_buf_printf(p->out, "::%s title=", level);
	escaped(p, title, true);
	ts_buf_str(p->out, "::");
}

static const char *level_of(const struct ts_verdict *v)
{
	if (v->exit_code == 1)
		return "error";
	switch (v->state) {
	case TS_GATE_PASS:
	case TS_GATE_IMPROVEMENT:
		return "notice";
	case TS_GATE_REGRESSION:
		return "error";
	case TS_GATE_SUSPECT:
	case TS_GATE_INCONCLUSIVE:
	case TS_GATE_COLLECTING:
	case TS_GATE_BLIND:
		break;
	}
	return "warning";
}

static void verdict(struct page *p)
{
	const struct ts_verdict *v = p->v;

	begin(p, level_of(v), ts_arena_printf(p->arena, "tscope gate: %s", ts_gate_state_word(v->state)));
	escaped(p, ts_show_brief(v->sentence, TEXT_MOST, p->arena), false);
	for (size_t i = 0; i < v->n_why && i < OF_A_KIND; i++) {
		escaped(p, "\n", false);
		escaped(p, ts_show_why(&v->why[i], p->arena), false);
	}
	ts_buf_char(p->out, '\n');
}

static void warnings(struct page *p)
{
	const struct ts_verdict *v = p->v;

	for (size_t i = 0; i < v->n_warnings && i < OF_A_KIND; i++) {
		begin(p, "warning", "tscope gate");
		escaped(p, ts_show_brief(v->warnings[i], TEXT_MOST, p->arena), false);
		if (i + 1 == OF_A_KIND && v->n_warnings > OF_A_KIND)
			escaped(p, ts_arena_printf(p->arena, " (the report has %zu more warnings)", v->n_warnings - OF_A_KIND), false);
		ts_buf_char(p->out, '\n');
	}
}

/* Writes a line for each metric that regressed or is suspect, because the sentence of the verdict names only one.
 * Metrics that do not decide are included. */
static void metrics(struct page *p)
{
	for (size_t i = 0; i < p->v->n_rows; i++) {
		const struct ts_gate_row *row = &p->v->rows[i];
		const char *title = ts_show_row_title(row, p->arena);

		if (row->state != TS_GATE_REGRESSION && row->state != TS_GATE_SUSPECT)
			continue;
		begin(p, !row->counts ? "notice" : row->state == TS_GATE_REGRESSION ? "error" : "warning",
		      ts_arena_printf(p->arena, "%s: %s%s", title, ts_gate_state_word(row->state),
				      row->counts ? "" : " (this metric does not decide)"));
		escaped(p, ts_show_row(row, p->arena), false);
		ts_buf_char(p->out, '\n');
	}
}

enum ts_status ts_render_gate_github(const struct ts_verdict *v, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	struct page p = {.v = v, .arena = arena, .out = out};

	verdict(&p);
	metrics(&p);
	warnings(&p);
	return p.full ? ts_arena_error(arena, err) : ts_buf_check(out, err);
}
