/* render_html.c - a report as one page (page.h). */

#include "base/text.h"
#include "base/words.h"
#include "cli/core/context.h"
#include "cli/report/level_chart.h"
#include "cli/report/page.h"
#include "cli/report/render_report.h"
#include "cli/report/report.h"
#include "cli/report/svg.h"
#include "cli/view/html.h"
#include "cli/view/show_value.h"

struct page {
	struct ts_buf *out;
	const struct ts_report *r;
	struct ts_arena *arena;
};

static void put(struct page *p, const char *text)
{
	ts_buf_str(p->out, text);
}

static void text(struct page *p, const char *foreign)
{
	ts_html_text(p->out, foreign ? foreign : "");
}

static void element(struct page *p, const char *open, const char *content, const char *close)
{
	ts_page_element(p->out, open, content, close);
}

static const char *shown(struct page *p, struct ts_span foreign)
{
	const char *safe = ts_show_text(foreign, p->arena);

	return safe ? safe : "(out of memory)";
}

static TS_WORDS(light_class, enum ts_light, "unchecked", [TS_LIGHT_NONE] = "unchecked", [TS_LIGHT_UNCHECKED] = "unchecked",
		[TS_LIGHT_CLEAR] = "clear", [TS_LIGHT_LOW] = "low", [TS_LIGHT_MEDIUM] = "medium", [TS_LIGHT_HIGH] = "high")

/* --- items --- */

static void finding(struct page *p, const struct ts_finding *f)
{
	const char *severity = ts_severity_word(f->severity);

	ts_buf_printf(p->out, "<article class=\"finding %s\"><h3><span class=\"tag %s\">%s</span> ", severity, severity,
		      severity);
	text(p, shown(p, f->title));
	element(p, " <code>", shown(p, f->code), "</code></h3>");
	element(p, "<p>", shown(p, f->detail), "</p>");
	if (f->advice.len)
		element(p, "<p class=\"dim\">Try: ", shown(p, f->advice), "</p>");
	put(p, "</article>\n");
}

/* A column in which no bar has a value is left out. */
static bool used(const struct ts_item *item, size_t column)
{
	for (size_t i = 0; i < item->n_bars; i++)
		if (item->bars[i].values[column])
			return true;
	return false;
}

/* Our own names stay on one line. A long foreign name may break. */
static void bar_row(struct page *p, const struct ts_item *item, const struct ts_bar *bar)
{
	enum { LONG = 20 };
	bool breaks = ts_text_width(ts_span_str(bar->label)) > LONG;

	element(p, breaks ? "<tr><th scope=\"row\" class=\"long\">" : "<tr><th scope=\"row\">", bar->label,
		"</th><td class=\"bar\">");
	if (bar->known && !isnan(bar->share))
		ts_buf_printf(p->out, "<svg class=\"track\"><rect class=\"fill %s\" width=\"%.1f%%\" height=\"100%%\"/></svg>",
			      ts_severity_word(bar->severity),
			      bar->share > 1   ? 100
			      : bar->share > 0 ? bar->share * 100
					       : 0);
	put(p, "</td>");
	for (size_t v = 0; v < TS_BAR_VALUES; v++)
		if (used(item, v))
			element(p, item->right[v] ? "<td>" : "<td class=\"text\">", bar->values[v], "</td>");
	put(p, "</tr>\n");
}

static void bars(struct page *p, const struct ts_item *item)
{
	bool headed = false;

	for (size_t v = 0; v < TS_BAR_VALUES; v++)
		headed |= item->heads[v] && *item->heads[v];
	put(p, headed ? TS_HTML_SCROLL "<table class=\"bars headed\">\n" : TS_HTML_SCROLL "<table class=\"bars\">\n");
	if (headed) {
		put(p, "<thead><tr><td></td><td></td>");
		for (size_t v = 0; v < TS_BAR_VALUES; v++)
			if (used(item, v) && !(item->heads[v] && *item->heads[v])) /* as in view_html.c */
				put(p, "<td></td>");
			else if (used(item, v))
				element(p, item->right[v] ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"text\">",
					item->heads[v], "</th>");
		put(p, "</tr></thead>\n");
	}
	put(p, "<tbody>\n");
	for (size_t i = 0; i < item->n_bars; i++)
		bar_row(p, item, &item->bars[i]);
	put(p, "</tbody></table></div>\n");
	if (item->more)
		ts_buf_printf(p->out, "<p class=\"dim\">and %zu more</p>\n", item->more);
}

/* --- figures --- */

static void series(struct page *p, const struct ts_item *item)
{
	struct ts_buf svg = TS_BUF_INIT((size_t)16 << 20);
	bool log = ts_svg_series(&svg, item->plot, p->r->events, item->label, p->arena);

	if (svg.len) {
		element(p, "<figure><figcaption>", item->label, "");
		put(p, log ? ", logarithmic" : "");
		if (*item->text)
			element(p, ", ", item->text, "");
		put(p, "</figcaption>\n");
		ts_buf_span(p->out, ts_buf_view(&svg));
		put(p, "</figure>\n");
	}
	p->out->failed = p->out->failed ? p->out->failed : svg.failed;
	ts_buf_finish(&svg);
}

/* A line ends where its values are NaN or infinite. The page says so, because otherwise the run would seem to end there. */
static void broken(struct page *p, const struct ts_plot *plot, const char *name)
{
	size_t i = 0, next;
	bool lasts;

	while (i < plot->n && (!plot->count[i] || isfinite(plot->mean[i])))
		i++;
	if (i == plot->n)
		return;
	for (next = i; next < plot->n && (!plot->count[next] || !isfinite(plot->mean[next])); next++)
		;
	lasts = plot->width == 1 && next == plot->n;
	ts_buf_printf(p->out, "<span>%s is not finite %s step %" PRId64 "%s</span>", name,
		      plot->width > 1 ? "soon after"
		      : lasts	      ? "from"
				      : "at",
		      (uint64_t)plot->first_step + i * plot->width, lasts ? " on" : "");
}

/* One run of a legend, with its line as the figure draws it. */
static void key(struct page *p, const char *letter, const char *name)
{
	ts_buf_printf(p->out, "<span><svg class=\"sample %s\" viewBox=\"0 0 44 12\"><path class=\"line\" d=\"M2 6H42\"/></svg> %s  ",
		      letter, letter);
	element(p, "", name, "</span>");
}

/* Draws both runs in one figure, and below it their relative difference if that is known for each point. */
static void curves(struct page *p, const struct ts_item *item)
{
	const struct ts_curves *c = &item->curves;
	struct ts_plot *apart = c->near ? ts_curves_apart(c, p->arena) : NULL;
	struct ts_buf svg = TS_BUF_INIT((size_t)16 << 20);
	bool log = ts_svg_curves(&svg, c->a, c->b, c->split, item->label, p->arena);

	if (svg.len) {
		element(p, "<figure><figcaption>", item->label, "");
		element(p, *item->text ? ", " : "", item->text, "");
		put(p, log ? ", logarithmic" : "");
		put(p, "<span class=\"key\">");
		key(p, "a", c->name_a);
		key(p, "b", c->name_b);
		ts_buf_printf(p->out, "<span>the runs first differ at step %" PRId64 "</span>", c->split);
		broken(p, c->a, "a");
		broken(p, c->b, "b");
		put(p, "</span></figcaption>\n");
		ts_buf_span(p->out, ts_buf_view(&svg));
		put(p, "</figure>\n");
	}
	ts_buf_lacks(p->out, &svg);
	ts_buf_reset(&svg);
	if (apart)
		log = ts_svg_curves(&svg, apart, NULL, c->split, "relative difference", p->arena);
	if (svg.len) {
		element(p, "<figure><figcaption>relative difference: ", item->label, ", |a - b| / max(|a|, |b|)");
		put(p, log ? ", logarithmic</figcaption>\n" : "</figcaption>\n");
		ts_buf_span(p->out, ts_buf_view(&svg));
		put(p, "</figure>\n");
	}
	p->out->failed = p->out->failed ? p->out->failed : svg.failed;
	ts_buf_finish(&svg);
}

static void levels(struct page *p, const struct ts_item *item)
{
	element(p, "<figure><figcaption>", item->label, "</figcaption>\n");
	ts_svg_levels(p->out, item->levels, item->label, p->r->links, p->arena);
	put(p, "</figure>\n");
}

static void areas(struct page *p, const struct ts_item *item)
{
	element(p, "<figure class=\"areas\"><figcaption>", item->label, "</figcaption>\n");
	ts_svg_areas(p->out, item->areas, item->label, p->arena);
	put(p, "</figure>\n");
}

static bool is_figure(enum ts_item_kind kind)
{
	return kind == TS_ITEM_PLOT || kind == TS_ITEM_CURVES || kind == TS_ITEM_LEVELS || kind == TS_ITEM_AREAS;
}

static void figures(struct page *p, const struct ts_section *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += is_figure(s->items[i].kind);
	if (n == 0)
		return;
	put(p, s->items[0].kind == TS_ITEM_AREAS    ? "<div class=\"figures whole\">\n"
	       : s->items[0].kind == TS_ITEM_LEVELS ? "<div class=\"figures wide\">\n"
	       : n > 1			    ? "<div class=\"figures\">\n"
						    : "<div class=\"figures alone\">\n");
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].kind == TS_ITEM_PLOT)
			series(p, &s->items[i]);
		else if (s->items[i].kind == TS_ITEM_CURVES)
			curves(p, &s->items[i]);
		else if (s->items[i].kind == TS_ITEM_LEVELS)
			levels(p, &s->items[i]);
		else if (s->items[i].kind == TS_ITEM_AREAS)
			areas(p, &s->items[i]);
	put(p, "</div>\n");
}

static void heat(struct page *p)
{
	static const char *const keys[] = {"below 0.9", "0.9 to 0.97", "0.97 to 1.03", "above 1.03",
					   "above 1.1", "above 1.25",  "above 1.5"};
	const struct ts_plots *plots = p->r->plots;
	const struct ts_plot **rows = ts_arena_array(p->arena, plots->n, sizeof *rows);
	size_t n = 0;

	for (size_t i = 0; rows && i < plots->n; i++)
		if (ts_span_eq(plots->items[i].group, ts_answer_group_name(TS_ANSWER_RANKS)) &&
		    ts_span_is(plots->items[i].name, "slowdown") && plots->items[i].n)
			rows[n++] = &plots->items[i];
	if (n == 0)
		return;
	put(p, "<div class=\"figures alone\"><figure><figcaption>own time of each rank, divided by the median of all "
	       "ranks; steps run from left to "
	       "right</figcaption>\n");
	ts_svg_heat(p->out, rows, n, "own time of each rank over the steps, divided by the median of all ranks",
		    p->arena);
	put(p, "<div class=\"key\">");
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		ts_buf_printf(p->out, "<span><i class=\"h%zu\"></i>%s</span>", i, keys[i]);
	put(p, "</div></figure></div>\n");
}

/* The same cause has the same colour in the verdict and in the budget. */
static int colour_of(const char *label)
{
	static const struct {
		const char *label;
		int colour;
	} known[] = {
		{"compute", 0}, {"useful compute", 0}, {"own rest", 0},	     {"compute overhead", 1},
		{"input", 2},	{"data stall", 2},     {"communication", 3}, {"wait", 4},
		{"host", 5},	{"other", 5},	       {"unattributed", 6},
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(known[i].label, label) == 0)
			return known[i].colour;
	return 7;
}

static void parts(struct page *p, const struct ts_item *item, const char *title)
{
	struct ts_svg_part *list = ts_arena_array(p->arena, item->n_bars, sizeof *list);

	if (!list)
		return;
	put(p, "<div class=\"figures whole\"><figure>");
	for (size_t i = 0; i < item->n_bars; i++)
		list[i] = (struct ts_svg_part){.label = item->bars[i].label,
					       .share = item->bars[i].known ? item->bars[i].share : 0,
					       .colour = colour_of(item->bars[i].label)};
	ts_svg_parts(p->out, list, item->n_bars, title);
	put(p, "<div class=\"key\">");
	for (size_t i = 0; i < item->n_bars; i++) {
		if (!(list[i].share > 0))
			continue;
		ts_buf_printf(p->out, "<span><i class=\"p%d\"></i>", list[i].colour);
		text(p, list[i].label);
		put(p, "</span>");
	}
	put(p, "</div></figure></div>\n");
}

/* --- sections --- */

/* Lines with a label that follow each other form one list. A line without a label is a paragraph. Figures stand above the
 * lines here, so a line that on a terminal follows its sparkline, and has no name of its own, gets the name of the plot. */
static void items(struct page *p, const struct ts_section *s)
{
	bool list = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct ts_item *item = &s->items[i];
		bool line = item->kind == TS_ITEM_LINE && item->label;

		if (is_figure(item->kind))
			continue;
		if (line != list)
			put(p, line ? "<dl>\n" : "</dl>\n");
		list = line;
		if (line) {
			element(p, "<dt>",
				!*item->label && s->items[i - 1].kind == TS_ITEM_PLOT ? s->items[i - 1].label
										      : item->label,
				"</dt>");
			element(p, "<dd>", item->text, "</dd>\n");
		} else if (item->kind == TS_ITEM_LINE) {
			element(p, "<p>", item->text, "</p>\n");
		} else if (item->kind == TS_ITEM_BARS) {
			bars(p, item);
		} else if (item->kind == TS_ITEM_FINDING) {
			finding(p, item->finding);
		} else if (item->kind == TS_ITEM_TABLE) {
			ts_view_html(item->table, p->r->links, p->out);
		} else if (item->kind == TS_ITEM_COMMAND) {
			element(p, "<pre><code>", item->text, "</code></pre>\n");
		}
	}
	put(p, list ? "</dl>\n" : "");
}

static void section(struct page *p, const struct ts_section *s)
{
	bool verdict = s->id == TS_SECTION_VERDICT, budget = s->id == TS_SECTION_EFFICIENCY_BUDGET;

	if (s->id == TS_SECTION_HEAD) {
		put(p, "<section>\n");
		items(p, s);
		put(p, "</section>\n");
		return;
	}
	put(p, "<section><h2>");
	if (s->light != TS_LIGHT_NONE)
		ts_buf_printf(p->out, "<span class=\"light %s\"></span>", light_class(s->light));
	text(p, s->title);
	if (s->state) {
		ts_buf_printf(p->out, " <span class=\"state %s\">", light_class(s->light));
		element(p, "", s->state, "</span>");
	}
	put(p, "</h2>\n");
	if (s->head && *s->head)
		element(p, verdict ? "<p class=\"sentence\">" : "<p>", s->head, "</p>\n");
	if ((verdict || budget) && s->n && s->items[0].kind == TS_ITEM_BARS)
		parts(p, &s->items[0], verdict ? "shares of the wall time" : "where the wall time went");
	figures(p, s);
	if (s->id == TS_SECTION_RANKS)
		heat(p);
	items(p, s);
	put(p, "</section>\n");
}

static void all_rows(struct page *p)
{
	const struct ts_measures *m = p->r->rows;

	if (m->n == 0)
		return;
	ts_buf_printf(p->out,
		      "<section><h2>ALL ROWS</h2>\n<details><summary>%zu rows</summary>" TS_HTML_SCROLL "<table>\n<thead><tr>"
		      "<th scope=\"col\">group</th><td class=\"text\">subject</td><td class=\"text\">name</td>"
		      "<td class=\"text\">value</td></tr></thead><tbody>\n",
		      m->n);
	for (size_t i = 0; i < m->n; i++) {
		const struct ts_measure *row = &m->items[i];

		element(p, "<tr><th>", shown(p, row->group), "</th>");
		element(p, "<td class=\"text\">", shown(p, row->subject), "</td>");
		element(p, "<td class=\"text\">", shown(p, row->name), "</td>");
		if (row->known)
			element(p, "<td class=\"text\">", ts_show_measure(row, p->arena), "</td></tr>\n");
		else
			element(p, "<td class=\"text dim\">unknown: ", shown(p, row->reason), "</td></tr>\n");
	}
	put(p, "</tbody></table></div></details></section>\n");
}

static void ended(struct page *p)
{
	for (size_t i = 0; i < 2; i++)
		if (p->r->ended[i])
			element(p, "<p>", p->r->ended[i], "</p>\n");
}

enum ts_status ts_render_report_html(const struct ts_report *r, struct ts_buf *out, struct ts_error *err)
{
	struct page p = {.out = out, .r = r, .arena = r->arena};

	ts_page_open(out, r->name, NULL);
	put(&p, "<header>");
	if (r->light == TS_LIGHT_NONE) {
		element(&p, "<h1>", r->name, "</h1>");
		ended(&p);
		element(&p, "<p class=\"dim\">", r->title, "; ");
	} else {
		ts_buf_printf(out, "<h1><span class=\"light %s\"></span>", light_class(r->light));
		element(&p, "", r->title, "</h1>\n");
		ended(&p);
		if (r->costs)
			element(&p, "<p>", r->costs, "</p>\n");
		put(&p, "<p class=\"dim\">");
	}
	element(&p, "", r->view, "</p></header>\n<main>\n");
	for (size_t i = 0; i < r->n; i++)
		section(&p, &r->sections[i]);
	all_rows(&p);
	put(&p, "</main>\n");
	ts_page_close(out, r->foot);
	return ts_buf_check(out, err) ? err->status : ts_arena_check(p.arena, err);
}

static enum ts_status draw(const void *report, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	(void)arena; /* the report has its own */
	return ts_render_report_html(report, out, err);
}

enum ts_status ts_render_report_page(struct ts_cli *cli, const struct ts_report *r, bool *ret_answered, struct ts_error *err)
{
	return ts_page_write(cli, draw, r, ret_answered, err);
}

enum ts_status ts_check_page_option(const struct ts_cli *cli, const char *other, struct ts_error *err)
{
	const char *path = ts_args_text(&cli->args, "html");

	if (path && !*path)
		return ts_error_set(err, TS_INVALID, "--html needs the name of a file");
	if (path && strcmp(path, "-") == 0 && (cli->json || ts_args_has(&cli->args, other)))
		return ts_error_set(err, TS_INVALID,
				    "--html - writes to stdout, and so does --%s; give --html the name of a file",
				    cli->json ? "json" : other);
	return TS_OK;
}
