/* render_report.c - a report on a terminal: a panel a section, none longer than a screen, whatever the length of the run.
 *
 * Without its escapes coloured text is plain text. A panel that would be longer than that says how much it leaves out;
 * findings are then named by their codes. A report that is asked for whole is not cut.
 */
#include "cli/report/render_report.h"

#include "base/text.h"
#include "base/words.h"
#include "cli/report/level_chart.h"
#include "cli/report/report.h"
#include "cli/report/spark.h"
#include "cli/view/show_value.h"

#include <float.h>

enum {
	PANEL_LINES = 24,
	WIDTH_PIPE = 100,
	BAR_CELLS = 30,
	BAR_LEAST = 8,
	LABEL = 13,
	LABEL_LONGEST = 20,
	SPARK_LONGEST = 60,
	SPARK_LEAST = 10,
	GAP = 2,
	CURVE_ROWS = 6,
	CURVE_COLUMNS = 120,
};

struct page {
	struct ts_cli *cli;
	struct ts_buf *out; /* the item being written */
	int width;
	size_t room; /* the number of lines that are left in the panel */
	bool whole;  /* nothing is cut */
	const struct ts_section *section; /* the one being written */
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

/* Writes a word and replaces its no-break spaces by spaces. */
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

/* Writes words from `column` on, indents each further line, and ends the line. A style is not applied to the indents. */
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

/* Writes a label and pads it to `width`. A label that is longer, as a foreign one may be, is cut. */
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

/* The text behind a sparkline: "9.1 ms to 60.3 ms". */
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
		return ts_arena_printf(&p->cli->arena, "always %s%s%s", a ? a : "?", *item->text ? ", " : "",
				       item->text);
	return ts_arena_printf(&p->cli->arena, "%s to %s%s%s", a ? a : "?", b ? b : "?", *item->text ? ", " : "",
			       item->text);
}

static const char *plot_range(struct page *p, const struct ts_item *item)
{
	struct ts_spark s = ts_spark_of(item->plot, SPARK_LONGEST);

	return range_of(p, item, &s);
}

/* Plots of as many cells in one section have as many columns: they stand below each other. */
static size_t spark_columns(struct page *p, const struct ts_item *item)
{
	int least = SPARK_LONGEST;

	for (size_t i = 0; i < p->section->n; i++) {
		const struct ts_item *other = &p->section->items[i];

		if (other->kind == TS_ITEM_PLOT && other->plot->n == item->plot->n) {
			const char *range = plot_range(p, other);
			int room = p->width - LABEL - 2 - GAP - (range ? wide(range) : 0);

			least = room < least ? room : least;
		}
	}
	return (size_t)(least < SPARK_LEAST ? SPARK_LEAST : least);
}

static void plot_item(struct page *p, const struct ts_item *item)
{
	struct ts_spark s = ts_spark_of(item->plot, spark_columns(p, item));
	const char *range = plot_range(p, item);

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
	int right;				/* the column at which the last one ends */
};

/* A column that is aligned left comes last and its width is not counted: its text goes to the next line if it does not fit. */
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
			c.value[v] = 0; /* a very narrow terminal: --rows has this column */
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

/* A value that is not known has no bar, because an empty bar would be read as zero. *gap counts the spaces before the
 * next text. */
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

/* Bars for which there is no space are counted. A bar takes up to three lines, the count takes one. */
static void bars_item(struct page *p, const struct ts_item *item)
{
	struct columns c = columns_of(p, item);
	size_t more = item->more, i = 0;

	bar_heads(p, item, &c);
	for (; i < item->n_bars && (i == 0 || lines_of(p->out) + 4 <= p->room); i++)
		bar_line(p, item, &item->bars[i], &c);
	more += item->n_bars - i;
	if (more) {
		const char *noun = ts_arena_printf(&p->cli->arena, "more %s", item->more_of ? item->more_of : "line");
		const char *text = noun ? ts_show_plural(more, noun, &p->cli->arena) : NULL;

		spaces(p, 2);
		ts_buf_printf(p->out, "and %s more\n", text ? text : "?");
	}
}

/* --- findings --- */

static TS_WORDS(tag, enum ts_severity, "?", [TS_SEVERITY_LOW] = "LOW", [TS_SEVERITY_MEDIUM] = "MEDIUM", [TS_SEVERITY_HIGH] = "HIGH")

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

/* --- tables --- */

/* Rows for which there is no space are counted. If three lines of a table belong together, either all three or none are
 * kept. */
static void table_item(struct page *p, const struct ts_view *table)
{
	struct ts_view cut = *table;
	struct ts_buf lines = TS_BUF_INIT((size_t)64 << 20);
	size_t unit = (table->mono ? 3 : 1) * table->n_columns;
	enum ts_status status;
	struct ts_error err;

	status = ts_view_print(&cut, &p->cli->term, 2, &lines, &err);
	while (!p->whole && !status && !lines.failed && lines_of(&lines) + (cut.more != 0) > p->room && cut.n > unit) {
		cut.n -= unit;
		cut.more++;
		ts_buf_reset(&lines);
		status = ts_view_print(&cut, &p->cli->term, 2, &lines, &err);
	}
	ts_buf_span(p->out, ts_buf_view(&lines));
	ts_buf_lacks(p->out, &lines);
	if (status)
		p->out->failed = status;
	ts_buf_finish(&lines);
	if (cut.more)
		ts_buf_printf(p->out, "  and %zu more%s\n", cut.more, table->counted ? "" : "; --all shows them");
}

/* --- curves --- */

/* What is drawn in one character cell of a figure. */
enum ink { BLANK, SPLIT, A, B, BOTH, BROKEN };

static void ink(struct page *p, enum ink what)
{
	static const char *const glyphs[] = {" ", "┊", "a", "b", "•", "×"};
	static const enum ts_style styles[] = {TS_STYLE_PLAIN, TS_STYLE_DIM,   TS_STYLE_RED,
					       TS_STYLE_GREEN, TS_STYLE_PLAIN, TS_STYLE_RED};

	styled(p, styles[what], glyphs[what]);
}

/* Computes the mean of some cells, and returns false if there is none. *ret_broken: the cells have values, but all are
 * NaN or infinite. */
static bool mean_of(const struct ts_plot *plot, size_t from, size_t to, double *ret_mean, bool *ret_broken)
{
	double mean = 0, weight = 0;
	bool any = false;

	for (size_t i = from; i < to; i++) {
		double part;

		any |= plot->count[i] != 0;
		if (!plot->count[i] || !isfinite(plot->mean[i]))
			continue;
		weight += (double)plot->count[i];
		part = (double)plot->count[i] / weight;
		/* The mean lies between the two values, but rounding may exceed the range of a double. */
		mean = fmin(fmax(mean * (1 - part) + plot->mean[i] * part, -DBL_MAX), DBL_MAX);
	}
	*ret_mean = mean;
	*ret_broken = any && !(weight > 0);
	return weight > 0;
}

struct canvas {
	enum ink at[CURVE_ROWS][CURVE_COLUMNS];
	size_t columns;
	double low, high;
	size_t split; /* the column of the first difference; equal to columns if it lies outside */
	bool broken[2]; /* for a and b: some column has values, but all are NaN or infinite */
};

static size_t cell_of(const struct canvas *c, const struct ts_plot *plot, size_t column)
{
	return column * plot->n / c->columns;
}

static void range_over(struct canvas *c, const struct ts_plot *plot)
{
	for (size_t i = 0; i < c->columns; i++) {
		double mean;
		bool broken;

		if (!mean_of(plot, cell_of(c, plot, i), cell_of(c, plot, i + 1), &mean, &broken))
			continue;
		c->low = c->low <= mean ? c->low : mean;
		c->high = c->high >= mean ? c->high : mean;
	}
}

static void put(enum ink *place, enum ink what)
{
	*place = *place == A && what == B ? BOTH : what;
}

static void draw(struct canvas *c, const struct ts_plot *plot, enum ink what)
{
	for (size_t i = 0; i < c->columns; i++) {
		double mean, height = 0;
		bool broken;

		if (!mean_of(plot, cell_of(c, plot, i), cell_of(c, plot, i + 1), &mean, &broken)) {
			if (broken)
				c->at[0][i] = BROKEN;
			c->broken[what == B] |= broken;
			continue;
		}
		/* The values are halved before they are subtracted, because the difference of two doubles may exceed
		 * the range of a double. */
		if (c->high > c->low)
			height = (mean / 2 - c->low / 2) / (c->high / 2 - c->low / 2) * (CURVE_ROWS - 1);
		put(&c->at[CURVE_ROWS - 1 - (int)nearbyint(fmin(height, CURVE_ROWS - 1))][i], what);
	}
}

static struct canvas canvas_of(const struct ts_curves *curves, size_t columns)
{
	struct canvas c = {.columns = columns, .low = NAN, .high = NAN};
	/* This is computed in unsigned 64 bits, because the split may lie far from the first step. */
	uint64_t cell = ((uint64_t)curves->split - (uint64_t)curves->a->first_step) / curves->a->width;

	c.split = columns;
	if (curves->split >= curves->a->first_step && cell < curves->a->n)
		for (c.split = 0; cell_of(&c, curves->a, c.split + 1) <= cell; c.split++)
			;
	range_over(&c, curves->a);
	range_over(&c, curves->b);
	for (size_t row = 0; c.split < columns && row < CURVE_ROWS; row++)
		c.at[row][c.split] = SPLIT;
	draw(&c, curves->a, A);
	draw(&c, curves->b, B);
	return c;
}

/* Writes the labels below the axis: "40    80        199". */
static void step_labels(struct page *p, const struct ts_curves *curves, const struct canvas *c)
{
	struct ts_arena *arena = &p->cli->arena;
	const struct ts_plot *plot = curves->a;
	const char *first = ts_show_step(plot->first_step, arena);
	const char *last = ts_show_step(curves->last, arena);
	const char *split = c->split < c->columns ? ts_show_step(curves->split, arena) : "";
	int columns = (int)c->columns, at = 0, left, end;

	if (!first || !last || !split)
		return;
	left = (int)c->split - wide(split) / 2;
	end = columns - wide(last);
	spaces(p, LABEL + 2);
	if (!*split || left > wide(first)) {
		styled(p, TS_STYLE_DIM, first);
		at = wide(first);
	}
	if (*split) {
		left = left < at ? at : left;
		spaces(p, left - at);
		styled(p, TS_STYLE_BOLD, split);
		at = left + wide(split);
	}
	if (end > at) {
		spaces(p, end - at);
		styled(p, TS_STYLE_DIM, last);
	}
	ts_buf_char(p->out, '\n');
}

/* Draws ln r as a line. Where the two runs agree, r is 0 and has no logarithm. */
static void apart_line(struct page *p, const struct ts_curves *curves, size_t columns)
{
	struct ts_plot *r = ts_curves_apart(curves, &p->cli->arena);
	const char *least, *most;
	struct ts_spark s;
	double low = NAN, high = NAN;

	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++) {
		low = low <= r->mean[i] ? low : r->mean[i];
		high = high >= r->mean[i] ? high : r->mean[i];
		r->mean[i] = log(r->mean[i]); /* NaN stays NaN */
	}
	if (isnan(low))
		return;
	least = ts_show_apart(low, &p->cli->arena);
	most = ts_show_apart(high, &p->cli->arena);
	s = ts_spark_of(r, columns);
	label(p, "r", LABEL - 1);
	spaces(p, 1);
	for (size_t i = 0; i < s.n; i++)
		ts_buf_str(p->out, ts_spark_glyph(s.levels[i]));
	ts_buf_char(p->out, '\n');
	spaces(p, LABEL + 2);
	flow(p, TS_STYLE_DIM,
	     least && most ? ts_arena_printf(&p->cli->arena, "r from %s to %s, logarithmic", least, most) : "", LABEL + 2,
	     LABEL + 2);
}

/* Draws both runs in one figure: letters where they differ. */
static void curves_item(struct page *p, const struct ts_item *item)
{
	const struct ts_curves *curves = &item->curves;
	int room = p->width - LABEL - 2;
	size_t columns = room < SPARK_LEAST ? SPARK_LEAST : room > CURVE_COLUMNS ? CURVE_COLUMNS : (size_t)room;
	struct canvas c = canvas_of(curves, columns < curves->a->n ? columns : curves->a->n);

	label(p, item->label, LABEL - 1);
	spaces(p, 1);
	styled(p, TS_STYLE_DIM, item->text);
	styled(p, TS_STYLE_DIM, *item->text ? "; " : "");
	styled(p, TS_STYLE_DIM, "a, b, • both");
	if (c.broken[0] || c.broken[1])
		styled(p, TS_STYLE_DIM,
		       !c.broken[1] ? "; × a not finite" : !c.broken[0] ? "; × b not finite" : "; × not finite");
	ts_buf_char(p->out, '\n');
	for (size_t row = 0; row < CURVE_ROWS; row++) {
		double value = row ? c.low : c.high;
		const char *text = (row == 0 || row == CURVE_ROWS - 1) && !isnan(value)
					   ? ts_arena_printf(&p->cli->arena, "%.4g", value)
					   : "";

		spaces(p, LABEL - wide(text ? text : ""));
		styled(p, TS_STYLE_DIM, text ? text : "");
		styled(p, TS_STYLE_DIM, " │");
		for (size_t i = 0; i < c.columns; i++)
			ink(p, c.at[row][i]);
		while (p->out->len && p->out->data[p->out->len - 1] == ' ')
			p->out->len--;
		ts_buf_char(p->out, '\n');
	}
	step_labels(p, curves, &c);
	if (curves->near)
		apart_line(p, curves, c.columns);
}

/* --- panels --- */

/* Writes "● TIMING  1 high  160 steps, ...". What does not fit on this line goes below it. */
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
		if (!p->out->failed)
			p->out->len--; /* without the newline, because the line may go on */
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
	case TS_ITEM_TABLE:
		table_item(p, it->table);
		return;
	case TS_ITEM_LEVELS:
		ts_level_chart(it->levels, &p->cli->term, p->width, &p->cli->arena, p->out);
		return;
	case TS_ITEM_CURVES:
		curves_item(p, it);
		return;
	case TS_ITEM_AREAS:
		return;
	case TS_ITEM_COMMAND:
		spaces(p, 6);
		ts_buf_printf(p->out, "%s\n", it->text);
		return;
	}
}

/* Findings for which there is no space are listed by severity and code. */
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
	ts_buf_lacks(p->out, &text);
	ts_buf_finish(&text);
}

/* No single item may fill a panel, because a foreign name may be as long as a page. A line ends without an open style,
 * so the text can be cut behind any line. */
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

/* Each item is written to a buffer of its own, and is kept if it fits together with the line that says what is left out
 * behind it. */
static void panel(struct page *p, const struct ts_section *s)
{
	struct ts_buf one = TS_BUF_INIT((size_t)4 << 20), rest = TS_BUF_INIT((size_t)1 << 20);
	struct ts_buf *out = p->out;
	size_t used;

	p->out = &one;
	p->section = s;
	if (*s->title)
		heading(p, s);
	used = lines_of(&one);
	ts_buf_span(out, ts_buf_view(&one));
	ts_buf_lacks(out, &one);
	for (size_t i = 0; i < s->n; i++) {
		ts_buf_reset(&rest);
		p->out = &rest;
		if (i + 1 < s->n)
			left_out(p, s, i + 1);
		ts_buf_lacks(out, &rest);
		ts_buf_reset(&one);
		p->out = &one;
		p->room = used + lines_of(&rest) < PANEL_LINES ? PANEL_LINES - used - lines_of(&rest) : 0;
		item(p, &s->items[i]);
		if (i == 0 && !p->whole)
			cut_lines(&one, p->room ? p->room : 1);
		ts_buf_lacks(out, &one);
		if (i > 0 && !p->whole && lines_of(&one) > p->room) {
			ts_buf_reset(&one);
			left_out(p, s, i);
			i = s->n;
		}
		used += lines_of(&one);
		ts_buf_span(out, ts_buf_view(&one));
		ts_buf_lacks(out, &one);
	}
	p->out = out;
	out->failed = out->failed ? out->failed : one.failed ? one.failed : rest.failed;
	ts_buf_finish(&one);
	ts_buf_finish(&rest);
}

static enum ts_style title_style(enum ts_light light)
{
	return light == TS_LIGHT_NONE ? TS_STYLE_BOLD : light_style(light);
}

enum ts_status ts_render_report_text(struct ts_cli *cli, const struct ts_report *r, struct ts_error *err)
{
	struct page p = {
		.cli = cli, .out = &cli->out, .width = cli->term.width ? cli->term.width : WIDTH_PIPE, .whole = r->whole};

	/* A sentence stays on one line for a program that reads a pipe. */
	if (wide(r->title) <= p.width || (r->light != TS_LIGHT_NONE && !cli->term.width)) {
		styled(&p, title_style(r->light), r->title);
		ts_buf_char(p.out, '\n');
	} else {
		flow(&p, title_style(r->light), r->title, 0, r->light == TS_LIGHT_NONE ? 2 : 0);
	}
	for (size_t i = 0; i < 2; i++)
		if (r->ended[i])
			flow(&p, TS_STYLE_BOLD, r->ended[i], 0, 2);
	if (r->costs)
		flow(&p, TS_STYLE_BOLD, r->costs, 0, 2);
	if (r->view)
		flow(&p, TS_STYLE_DIM, r->view, 0, 2);
	for (size_t i = 0; i < r->n; i++) {
		if (*r->sections[i].title)
			ts_buf_char(p.out, '\n');
		panel(&p, &r->sections[i]);
	}
	return ts_buf_check(&cli->out, err);
}
