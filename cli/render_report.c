/* render_report.c - a report on a terminal: a panel a section, none longer than a screen, whatever the length of the run.
 *
 * Without its escapes coloured text is plain text. A panel that would be longer than that says how much it leaves out;
 * findings are then named by their codes.
 */
#include "cli/render.h"

#include "base/text.h"
#include "cli/grid.h"
#include "cli/show_value.h"
#include "cli/spark.h"

enum {
	PANEL_LINES = 24,
	WIDTH_PIPE = 100,
	BAR_CELLS = 30,
	BAR_LEAST = 8,
	LABEL = 13,
	LABEL_LONGEST = 20,
	SPARK_LONGEST = 60,
	SPARK_LEAST = 10,
	GAP = 2
};

struct page {
	struct ts_cli *cli;
	struct ts_buf *out; /* the item being written */
	int width;
	size_t room; /* lines that are left in the panel */
};

static enum ts_style severity_style(enum ts_severity severity)
{
	switch (severity) {
	case TS_SEVERITY_HIGH:
		return TS_STYLE_RED;
	case TS_SEVERITY_MEDIUM:
		return TS_STYLE_YELLOW;
	case TS_SEVERITY_LOW:
		return TS_STYLE_CYAN;
	}
	return TS_STYLE_PLAIN;
}

static enum ts_style light_style(enum ts_light light)
{
	switch (light) {
	case TS_LIGHT_HIGH:
		return TS_STYLE_RED;
	case TS_LIGHT_MEDIUM:
		return TS_STYLE_YELLOW;
	case TS_LIGHT_LOW:
		return TS_STYLE_CYAN;
	case TS_LIGHT_CLEAR:
		return TS_STYLE_GREEN;
	case TS_LIGHT_UNCHECKED:
	case TS_LIGHT_NONE:
		break;
	}
	return TS_STYLE_DIM;
}

static void spaces(struct page *p, int n)
{
	for (int i = 0; i < n; i++)
		ts_buf_char(p->out, ' ');
}

static void styled(struct page *p, enum ts_style style, const char *text)
{
	ts_styled(p->out, &p->cli->term, style, text);
}

static size_t lines_of(const struct ts_buf *text)
{
	size_t n = 0;

	for (size_t i = 0; i < text->len; i++)
		n += text->data[i] == '\n';
	return n;
}

static int wide(const char *text)
{
	return ts_text_width(ts_span_str(text));
}

/* A word, whose no-break spaces become spaces. */
static void word(struct page *p, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (i + 1 < len && text[i] == '\xc2' && text[i + 1] == '\xa0') {
			ts_buf_char(p->out, ' ');
			i++;
		} else {
			ts_buf_char(p->out, text[i]);
		}
	}
}

/* Words from column on, each further line indented; ends the line. A style does not reach over indents. */
static void flow(struct page *p, enum ts_style style, const char *text, int column, int indent)
{
	bool first = true;

	ts_style_on(p->out, &p->cli->term, style);
	while (*text) {
		size_t len = strcspn(text, " ");
		int w = ts_text_width(ts_span_of(text, len));

		if (len && !first && column + 1 + w > p->width) {
			ts_style_off(p->out, &p->cli->term, style);
			ts_buf_char(p->out, '\n');
			spaces(p, indent);
			ts_style_on(p->out, &p->cli->term, style);
			column = indent;
			first = true;
		}
		if (len) {
			if (!first)
				ts_buf_char(p->out, ' ');
			word(p, text, len);
			column += w + !first;
			first = false;
		}
		text += len;
		text += *text == ' ';
	}
	ts_style_off(p->out, &p->cli->term, style);
	ts_buf_char(p->out, '\n');
}

/* Foreign labels are cut to `width` and filled up to it. */
static void label(struct page *p, const char *text, int width)
{
	struct ts_span cut = ts_text_cut(ts_span_str(text), width, &p->cli->arena);

	spaces(p, 2);
	ts_buf_span(p->out, cut);
	spaces(p, width - ts_text_width(cut));
}

static void line_item(struct page *p, const struct ts_item *item)
{
	if (!item->label) {
		spaces(p, 2);
		flow(p, TS_STYLE_PLAIN, item->text, 2, 4);
		return;
	}
	label(p, item->label, LABEL - 1);
	spaces(p, 1);
	flow(p, TS_STYLE_PLAIN, item->text, LABEL + 2, LABEL + 2);
}

/* "9.1 ms to 60.3 ms" behind a sparkline. */
static const char *range_of(struct page *p, const struct ts_item *item, const struct ts_spark *s)
{
	struct ts_measure low = {.unit = item->plot->unit, .known = true, .value = s->low}, high = low;
	const char *a, *b;

	high.value = s->high;
	a = ts_show_measure(&low, &p->cli->arena);
	b = ts_show_measure(&high, &p->cli->arena);
	if (isnan(s->low))
		return item->text;
	if (s->low >= s->high)
		return ts_arena_printf(&p->cli->arena, "all %s%s%s", a ? a : "?", *item->text ? ", " : "", item->text);
	return ts_arena_printf(&p->cli->arena, "%s to %s%s%s", a ? a : "?", b ? b : "?", *item->text ? ", " : "",
			       item->text);
}

static void plot_item(struct page *p, const struct ts_item *item)
{
	struct ts_spark s = ts_spark_of(item->plot, SPARK_LONGEST);
	const char *range = range_of(p, item, &s);
	int room = p->width - LABEL - 2 - GAP - (range ? wide(range) : 0);

	if (room > SPARK_LONGEST)
		room = SPARK_LONGEST;
	s = ts_spark_of(item->plot, (size_t)(room < SPARK_LEAST ? SPARK_LEAST : room));
	label(p, item->label, LABEL - 1);
	spaces(p, 1);
	for (size_t i = 0; i < s.n; i++)
		styled(p, s.levels[i] == TS_SPARK_NONFINITE ? TS_STYLE_RED : TS_STYLE_PLAIN,
		       ts_spark_glyph(s.levels[i]));
	spaces(p, GAP);
	flow(p, TS_STYLE_DIM, range ? range : "", LABEL + 2 + (int)s.n + GAP, LABEL + 2);
}

/* --- bars --- */

struct columns {
	int label, cells, value[TS_BAR_VALUES]; /* value 0: the column is left out */
	int right;				/* where the last one ends */
};

/* Text on the left of its column comes last and is not counted: it goes on the next line where it does not fit. */
static struct columns columns_of(const struct page *p, const struct ts_item *item)
{
	struct columns c = {.label = 0};
	int used;

	for (size_t i = 0; i < item->n_bars; i++) {
		const struct ts_bar *bar = &item->bars[i];

		if (wide(bar->label) > c.label)
			c.label = wide(bar->label);
		for (size_t v = 0; v < TS_BAR_VALUES; v++)
			if (bar->values[v] && wide(bar->values[v]) > c.value[v])
				c.value[v] = wide(bar->values[v]);
	}
	c.label = c.label > LABEL_LONGEST ? LABEL_LONGEST : c.label < LABEL - 1 ? LABEL - 1 : c.label;
	used = 2 + c.label + 1;
	for (size_t v = 0; v < TS_BAR_VALUES; v++) {
		if (c.value[v] && item->heads[v] && wide(item->heads[v]) > c.value[v] && item->right[v])
			c.value[v] = wide(item->heads[v]);
		if (!item->right[v] || !c.value[v])
			continue;
		if (used + GAP + c.value[v] > p->width)
			c.value[v] = 0; /* a very narrow terminal: --rows has it */
		else
			used += GAP + c.value[v];
	}
	c.cells = p->width - used > BAR_CELLS ? BAR_CELLS : p->width - used;
	if (c.cells < BAR_LEAST)
		c.cells = 0;
	c.right = used + c.cells;
	return c;
}

static void bar_heads(struct page *p, const struct ts_item *item, const struct columns *c)
{
	bool any = false;

	for (size_t v = 0; v < TS_BAR_VALUES; v++)
		any |= c->value[v] && item->heads[v] && *item->heads[v];
	if (!any)
		return;
	spaces(p, 2 + c->label + 1 + c->cells);
	for (size_t v = 0; v < TS_BAR_VALUES; v++) {
		bool fits = item->right[v] || (item->heads[v] && c->right + GAP + wide(item->heads[v]) <= p->width);

		if (!c->value[v] || !item->heads[v] || !fits)
			continue;
		spaces(p, GAP + (item->right[v] ? c->value[v] - wide(item->heads[v]) : 0));
		styled(p, TS_STYLE_DIM, item->heads[v]);
	}
	ts_buf_char(p->out, '\n');
}

/* What is not known has no bar: an empty one would be taken for zero. *gap: spaces to come before what comes next. */
static void cells(struct page *p, const struct ts_bar *bar, int n, int *gap)
{
	double share = bar->share > 1 ? 1 : bar->share > 0 ? bar->share : 0;
	int lit = (int)nearbyint(share * n);

	if (!bar->known || isnan(bar->share)) {
		*gap += n;
		return;
	}
	spaces(p, *gap);
	*gap = 0;
	ts_style_on(p->out, &p->cli->term, severity_style(bar->severity));
	for (int i = 0; i < lit; i++)
		ts_buf_str(p->out, "█");
	ts_style_off(p->out, &p->cli->term, severity_style(bar->severity));
	if (lit == n)
		return;
	ts_style_on(p->out, &p->cli->term, TS_STYLE_DIM);
	for (int i = lit; i < n; i++)
		ts_buf_str(p->out, "░");
	ts_style_off(p->out, &p->cli->term, TS_STYLE_DIM);
}

static void bar_line(struct page *p, const struct ts_item *item, const struct ts_bar *bar, const struct columns *c)
{
	const char *behind = NULL;
	int gap = 1;

	label(p, bar->label, c->label);
	cells(p, bar, c->cells, &gap);
	for (size_t v = 0; v < TS_BAR_VALUES; v++) {
		const char *value = bar->values[v] ? bar->values[v] : "";

		if (!c->value[v])
			continue;
		if (!item->right[v]) {
			behind = bar->values[v];
			continue;
		}
		gap += GAP + c->value[v] - wide(value);
		if (!*value)
			continue;
		spaces(p, gap);
		word(p, value, strlen(value));
		gap = 0;
	}
	if (!behind) {
		ts_buf_char(p->out, '\n');
	} else if (c->right + GAP + wide(behind) <= p->width) {
		spaces(p, gap + GAP);
		flow(p, severity_style(bar->severity), behind, c->right + GAP, 0);
	} else {
		ts_buf_char(p->out, '\n');
		spaces(p, 2 + c->label + 1);
		flow(p, severity_style(bar->severity), behind, 2 + c->label + 1, 2 + c->label + 1);
	}
}

/* What has no room is counted: a bar takes up to three lines, and the count one. */
static void bars_item(struct page *p, const struct ts_item *item)
{
	struct columns c = columns_of(p, item);
	size_t more = item->more, i = 0;

	bar_heads(p, item, &c);
	for (; i < item->n_bars && (i == 0 || lines_of(p->out) + 4 <= p->room); i++)
		bar_line(p, item, &item->bars[i], &c);
	more += item->n_bars - i;
	if (more) {
		const char *text = ts_show_plural(more, item->more_of ? item->more_of : "line", &p->cli->arena);

		spaces(p, 2);
		ts_buf_printf(p->out, "and %s more\n", text ? text : "?");
	}
}

/* --- findings --- */

static const char *tag(enum ts_severity severity)
{
	static const char *const tags[] = {"", "LOW", "MEDIUM", "HIGH"};

	return severity >= TS_SEVERITY_LOW && severity <= TS_SEVERITY_HIGH ? tags[severity] : "?";
}

static const char *shown(struct page *p, struct ts_span foreign)
{
	const char *text = ts_show_text(foreign, &p->cli->arena);

	return text ? text : "(out of memory)";
}

static void finding_item(struct page *p, const struct ts_finding *f)
{
	enum { INDENT = 10 };
	const char *title = ts_arena_printf(&p->cli->arena, "%s (%s)", shown(p, f->title), shown(p, f->code));
	const char *advice = ts_arena_printf(&p->cli->arena, "try: %s", shown(p, f->advice));

	spaces(p, 2);
	styled(p, severity_style(f->severity), tag(f->severity));
	spaces(p, INDENT - 2 - wide(tag(f->severity)));
	flow(p, TS_STYLE_BOLD, title ? title : "", INDENT, INDENT);
	spaces(p, INDENT);
	flow(p, TS_STYLE_PLAIN, shown(p, f->detail), INDENT, INDENT);
	if (f->advice.len) {
		spaces(p, INDENT);
		flow(p, TS_STYLE_CYAN, advice ? advice : "", INDENT, INDENT);
	}
}

/* --- panels --- */

/* "● TIMING  1 high  160 steps, ..."; what does not fit beside goes below. */
static void heading(struct page *p, const struct ts_section *s)
{
	const char *parts[] = {s->state, s->head};
	const enum ts_style styles[] = {light_style(s->light), TS_STYLE_PLAIN};
	int column = wide(s->title);

	if (s->light != TS_LIGHT_NONE) {
		styled(p, light_style(s->light), "●");
		ts_buf_char(p->out, ' ');
		column += 2;
	}
	styled(p, TS_STYLE_BOLD, s->title);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (!parts[i] || !*parts[i])
			continue;
		if (column + GAP + wide(parts[i]) <= p->width) {
			spaces(p, GAP);
			ts_style_on(p->out, &p->cli->term, styles[i]);
			word(p, parts[i], strlen(parts[i]));
			ts_style_off(p->out, &p->cli->term, styles[i]);
			column += GAP + wide(parts[i]);
			continue;
		}
		ts_buf_str(p->out, "\n  ");
		flow(p, styles[i], parts[i], 2, 2);
		p->out->len--; /* the line may go on */
		column = p->width;
	}
	ts_buf_char(p->out, '\n');
}

static void item(struct page *p, const struct ts_item *it)
{
	switch (it->kind) {
	case TS_ITEM_LINE:
		line_item(p, it);
		return;
	case TS_ITEM_BARS:
		bars_item(p, it);
		return;
	case TS_ITEM_PLOT:
		plot_item(p, it);
		return;
	case TS_ITEM_FINDING:
		finding_item(p, it->finding);
		return;
	}
}

/* Findings that have no room keep their severity and code. */
static void left_out(struct page *p, const struct ts_section *s, size_t from)
{
	struct ts_buf text = TS_BUF_INIT(1 << 16);

	ts_buf_printf(&text, "and %zu more", s->n - from);
	for (size_t i = from; i < s->n; i++)
		if (s->items[i].kind == TS_ITEM_FINDING)
			ts_buf_printf(&text, "%s%s %s", i == from ? ": " : ", ",
				      ts_severity_word(s->items[i].finding->severity),
				      shown(p, s->items[i].finding->code));
	if (s->items[from].kind != TS_ITEM_FINDING)
		ts_buf_str(&text, "; --json has them");
	ts_buf_char(&text, '\0');
	spaces(p, 2);
	flow(p, TS_STYLE_DIM, text.failed ? "" : (const char *)text.data, 2, 4);
	ts_buf_finish(&text);
}

/* No item fills a panel alone: a foreign name may be as long as a page. Lines end without a style, so any may be the last. */
static void cut_lines(struct ts_buf *text, size_t most)
{
	size_t at = 0;

	if (lines_of(text) <= most)
		return;
	for (size_t n = 0; n + 1 < most; at++)
		n += text->data[at] == '\n';
	text->len = at;
	ts_buf_str(text, "    …\n");
}

/* Each item is written apart, and taken where it fits together with the line that says what is left out behind it. */
static void panel(struct page *p, const struct ts_section *s)
{
	struct ts_buf one = TS_BUF_INIT((size_t)4 << 20), rest = TS_BUF_INIT((size_t)1 << 20);
	struct ts_buf *out = p->out;
	size_t used;

	p->out = &one;
	heading(p, s);
	used = lines_of(&one);
	ts_buf_span(out, ts_buf_view(&one));
	for (size_t i = 0; i < s->n; i++) {
		ts_buf_reset(&rest);
		p->out = &rest;
		if (i + 1 < s->n)
			left_out(p, s, i + 1);
		ts_buf_reset(&one);
		p->out = &one;
		p->room = used + lines_of(&rest) < PANEL_LINES ? PANEL_LINES - used - lines_of(&rest) : 0;
		item(p, &s->items[i]);
		if (i == 0)
			cut_lines(&one, p->room ? p->room : 1);
		if (i > 0 && lines_of(&one) > p->room) {
			ts_buf_reset(&one);
			left_out(p, s, i);
			i = s->n;
		}
		used += lines_of(&one);
		ts_buf_span(out, ts_buf_view(&one));
	}
	p->out = out;
	out->failed = out->failed ? out->failed : one.failed ? one.failed : rest.failed;
	ts_buf_finish(&one);
	ts_buf_finish(&rest);
}

enum ts_status ts_render_report_text(struct ts_cli *cli, const struct ts_report *r, struct ts_error *err)
{
	struct page p = {.cli = cli, .out = &cli->out, .width = cli->term.width ? cli->term.width : WIDTH_PIPE};

	if (wide(r->title) <= p.width) {
		styled(&p, TS_STYLE_BOLD, r->title);
		ts_buf_char(p.out, '\n');
	} else {
		flow(&p, TS_STYLE_BOLD, r->title, 0, 2);
	}
	flow(&p, TS_STYLE_DIM, r->view, 0, 2);
	for (size_t i = 0; i < r->n; i++) {
		ts_buf_char(p.out, '\n');
		panel(&p, &r->sections[i]);
	}
	return ts_buf_check(&cli->out, err);
}
