/* text_rows.c - every row of an analysis as text: what the report's panels are drawn from, and what they leave out.
 *
 * It knows no row by name: rows are grouped by what they say they are, so that later analyses need nothing here.
 * Neighbouring subjects of a group that have the same names make a table; a subject of its own is a line.
 */
#include "cli/text/text_rows.h"

#include "base/text.h"
#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"

static const char *shown(struct ts_cli *cli, struct ts_span text)
{
	const char *safe = ts_show_text(text, &cli->arena);

	return safe ? safe : "(out of memory)";
}

/* The measures of one subject are items [from, to). */
struct subject {
	size_t from, to;
};

static bool same_subject(const struct ts_measure *a, const struct ts_measure *b)
{
	return ts_span_eq(a->group, b->group) && ts_span_eq(a->subject, b->subject);
}

static struct subject subject_at(const struct ts_measures *m, size_t from)
{
	size_t to = from + 1;

	while (to < m->n && same_subject(&m->items[from], &m->items[to]))
		to++;
	return (struct subject){from, to};
}

static bool same_names(const struct ts_measures *m, struct subject a, struct subject b)
{
	if (a.to - a.from != b.to - b.from || !ts_span_eq(m->items[a.from].group, m->items[b.from].group))
		return false;
	for (size_t i = 0; i < a.to - a.from; i++)
		if (!ts_span_eq(m->items[a.from + i].name, m->items[b.from + i].name))
			return false;
	return true;
}

/* Writes one subject as a line: "step mean 22.1 ms, median 21.9 ms, ...". A name and its value stay together when lines
 * wrap. */
static enum ts_status line(struct ts_cli *cli, const struct ts_measures *m, struct subject s, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT((size_t)1 << 20), name = TS_BUF_INIT(1 << 16);
	int width = cli->term.width ? cli->term.width : 100, indent = 10, column;

	ts_escape(&name, m->items[s.from].subject);
	column = 2 + ts_text_width(ts_buf_view(&name));
	ts_buf_str(&cli->out, "  ");
	ts_buf_span(&cli->out, ts_buf_view(&name));
	for (; column < indent - 2; column++)
		ts_buf_char(&cli->out, ' ');
	for (size_t i = s.from; i < s.to; i++) {
		const char *value = ts_show_measure(&m->items[i], &cli->arena);
		int wide;

		text.len = 0;
		ts_escape(&text, m->items[i].name);
		ts_buf_str(&text, m->items[i].unit == TS_UNIT_STEP ? " step " : " ");
		ts_escape(&text, ts_span_str(value ? value : "?"));
		wide = ts_text_width(ts_buf_view(&text));
		if (column > indent && column + 3 + wide > width) {
			ts_buf_char(&cli->out, '\n');
			for (column = 0; column < indent; column++)
				ts_buf_char(&cli->out, ' ');
		} else {
			ts_buf_str(&cli->out, i == s.from ? "  " : "   ");
			column += i == s.from ? 2 : 3;
		}
		ts_buf_span(&cli->out, ts_buf_view(&text));
		column += wide;
	}
	ts_buf_char(&cli->out, '\n');
	ts_buf_lacks(&cli->out, &name);
	ts_buf_finish(&name);
	if (text.failed) {
		ts_buf_finish(&text);
		return ts_error_set(err, TS_NO_MEMORY, "not enough memory for a measure");
	}
	ts_buf_finish(&text);
	return TS_OK;
}

static enum ts_status table(struct ts_cli *cli, const struct ts_measures *m, struct subject first, size_t end,
			    struct ts_error *err)
{
	struct ts_view_column columns[TS_VIEW_COLUMNS_MAX] = {TS_LEFT("", 10)};
	size_t n = first.to - first.from;
	struct ts_view view;

	for (size_t i = 0; i < n; i++)
		columns[i + 1] =
			(struct ts_view_column)TS_RIGHT(ts_arena_printf(&cli->arena, "%s%s", shown(cli, m->items[first.from + i].name),
									m->items[first.from + i].unit == TS_UNIT_STEP ? " step" : ""));
	ts_view_init(&view, columns, n + 1, &cli->arena);
	for (size_t at = first.from; at < end; at += n) {
		ts_view_span(&view, TS_STYLE_PLAIN, m->items[at].subject);
		for (size_t i = 0; i < n; i++)
			ts_view_text(&view, m->items[at + i].known ? TS_STYLE_PLAIN : TS_STYLE_DIM,
				     m->items[at + i].known ? ts_show_measure(&m->items[at + i], &cli->arena) : "unknown");
	}
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

static bool all_unknown(const struct ts_measures *m, struct subject s)
{
	for (size_t i = s.from; i < s.to; i++)
		if (m->items[i].known)
			return false;
	return true;
}

/* Says why measures of a group are not known, each reason once. Subjects of which nothing is known are named. */
static void reasons(struct ts_cli *cli, const struct ts_measures *m, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		bool seen = m->items[i].known;

		for (size_t k = from; k < i && !seen; k++)
			seen = !m->items[k].known && ts_span_eq(m->items[k].reason, m->items[i].reason);
		if (seen)
			continue;
		ts_text_field(cli, " unknown",
			      ts_arena_printf(&cli->arena, "%s %s: %s", shown(cli, m->items[i].subject),
					      shown(cli, m->items[i].name), shown(cli, m->items[i].reason)));
	}
}

static size_t group_end(const struct ts_measures *m, size_t from)
{
	size_t to = from + 1;

	while (to < m->n && ts_span_eq(m->items[from].group, m->items[to].group))
		to++;
	return to;
}

/* A subject of which nothing is known has no line. The reasons name it. */
static enum ts_status group(struct ts_cli *cli, const struct ts_measures *m, size_t from, size_t to,
			    struct ts_error *err)
{
	enum ts_status status = TS_OK;

	ts_text_heading(cli, shown(cli, m->items[from].group));
	for (size_t at = from; !status && at < to;) {
		struct subject first = subject_at(m, at);
		size_t end = first.to;

		if (all_unknown(m, first)) {
			at = end;
			continue;
		}
		while (end < to && same_names(m, first, subject_at(m, end)) && !all_unknown(m, subject_at(m, end)))
			end = subject_at(m, end).to;
		if (end > first.to && first.to - first.from < TS_VIEW_COLUMNS_MAX) {
			status = table(cli, m, first, end, err);
			at = end;
		} else {
			status = line(cli, m, first, err);
			at = first.to;
		}
	}
	reasons(cli, m, from, to);
	return status;
}

static enum ts_status measures(struct ts_cli *cli, const struct ts_measures *m, struct ts_error *err)
{
	enum ts_status status = TS_OK;

	for (size_t at = 0; !status && at < m->n; at = group_end(m, at))
		status = group(cli, m, at, group_end(m, at), err);
	return status;
}

enum ts_status ts_render_rows_text(struct ts_cli *cli, const struct ts_analysis *a, struct ts_error *err)
{
	struct ts_arena *arena = &cli->arena;
	const char *cut = ts_show_plural(a->warmup_cut, "step", arena);
	enum ts_status status;

	ts_text_field(cli, "run", ts_show_run(&a->run, arena));
	ts_text_field(cli, "rank", ts_show_step(a->rank, arena));
	ts_text_field(cli, "warm-up",
		      cut && a->warmup_cut ? ts_arena_printf(arena, "%s left out", cut) : "no steps left out");
	status = measures(cli, &a->measures, err);
	if (a->n_notes)
		ts_buf_char(&cli->out, '\n');
	for (size_t i = 0; i < a->n_notes; i++)
		ts_text_field(cli, i ? "" : "note", shown(cli, a->notes[i]));
	return status;
}
