/* flame_page.c - a flame graph on a page: rectangles that fill the width of their place, read without a script. A few lines of plain
 * JavaScript zoom by click and search. */
#include "cli/report/page.h"
#include "cli/report/svg.h"
#include "cli/trace/page_trace.h"
#include "cli/trace/trace_cells.h"
#include "cli/view/show_value.h"

/* At most GRAPH_BYTES of page for a graph, or FRAMES_LEAST stacks. */
enum { FRAMES_MOST = 1600, FRAMES_LEAST = 100, LEVELS_MOST = 150, GRAPH_BYTES = 900 << 10 };
enum { ROW_PIXELS = 18, LABEL_BYTES = 90, NAME_BYTES = 200, NAME_ESCAPED = 500 };

/* It stands in a page that is well-formed XML, too: without the signs that XML reserves. */
static const char *const pieces[] = {
#include "cli/trace/flame_script.inc"
};
const struct ts_page_script ts_flame_script = {pieces, sizeof pieces / sizeof pieces[0]};

static const char *class_of(const struct ts_flame_node *node, const struct ts_flame_frame *frame)
{
	static const char *const classes[] = {"t", "a", "p", "o", "c", "w", "k", "z"};

	return classes[frame->folded ? TS_FLAME_FOLDED : node->kind];
}

/* Foreign: what is shown of a name. A hostile name may take several times its bytes, so that the page's size has a bound. */
static const char *shown(struct ts_cli *cli, struct ts_span name, size_t most)
{
	struct ts_span part = ts_name_cut(name, most);
	const char *text = ts_show_text(part, &cli->arena);
	size_t len = text ? strlen(text) : 0;

	if (text && len > NAME_ESCAPED)
		text = ts_show_text(ts_name_cut(name, most / 8), &cli->arena);
	return text && part.len < name.len ? ts_arena_printf(&cli->arena, "%s…", text) : text;
}

static const char *name_of(struct ts_cli *cli, const struct ts_flame *flame, const struct ts_flame_frame *frame, size_t most)
{
	const struct ts_flame_node *node = &flame->nodes[frame->node];

	if (frame->folded)
		return ts_arena_printf(&cli->arena, "other: %s", ts_trace_plural(cli, frame->folded, "stack"));
	if (node->kind != TS_FLAME_THREADS)
		return shown(cli, node->name, most);
	return ts_arena_printf(&cli->arena, "%s: %s", ts_host_thread_word((enum ts_host_thread_kind)node->name_id),
			       ts_trace_plural(cli, node->count, "thread"));
}

static double share(uint64_t part, uint64_t whole)
{
	double percent = 100.0 * (double)part / (double)whole;

	return percent > 100 ? 100 : percent;
}

static void one_frame(struct ts_cli *cli, const struct ts_flame *flame, const struct ts_flame_view *v,
		      const struct ts_flame_frame *frame, struct ts_buf *out)
{
	const struct ts_flame_node *node = &flame->nodes[frame->node];

	ts_buf_printf(out, "<svg class=\"%s\" x=\"%.3f%%\" width=\"%.3f%%\" y=\"%u\" height=\"17\"><title>", class_of(node, frame),
		      share(frame->left, v->whole), share(frame->width, v->whole), frame->depth * ROW_PIXELS);
	ts_page_element(out, "", name_of(cli, flame, frame, NAME_BYTES), "&#10;");
	ts_page_element(out, "", ts_trace_ms(cli, frame->width), "");
	ts_buf_printf(out, ", %.1f %%", share(frame->width, v->whole));
	if (!frame->folded && node->kind != TS_FLAME_THREADS) {
		const char *own = node->kind == TS_FLAME_KERNEL ? "; itself " : "; launched by itself ";

		ts_page_element(out, v->weight == TS_FLAME_HOST ? "; itself " : own, ts_trace_ms(cli, node->self_ns[v->weight]), "; ");
		ts_page_element(out, "", ts_trace_plural(cli, node->count, "time"), "");
	}
	ts_page_element(out, "</title><rect/><text x=\"3\" y=\"12\">", name_of(cli, flame, frame, LABEL_BYTES), "</text></svg>\n");
}

static void legend(const struct ts_flame_view *v, struct ts_buf *out)
{
	static const struct {
		const char *class, *word;
	} keys[] = {{"t", "threads"},  {"p", "Python"}, {"a", "annotation"},
		    {"o", "operator"}, {"c", "call"},	{"w", "waits for a device"},
		    {"k", "kernel of a graph"}, {"z", "folded"}};

	ts_buf_str(out, "<div class=\"key flames\">");
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (*keys[i].class != (v->weight == TS_FLAME_HOST ? 'k' : 'w'))
			ts_buf_printf(out, "<span><i class=\"%s\"></i>%s</span>", keys[i].class, keys[i].word);
	ts_buf_str(out, "</div>\n");
}

static void graph(struct ts_cli *cli, const struct ts_flame *flame, const struct ts_flame_view *v, const char *title,
		  struct ts_buf *out)
{
	const char *whole = ts_trace_ms(cli, v->whole);

	ts_page_element(out, "</section>\n<section><h2>", title, "</h2>\n");
	ts_page_element(out,
			"<p class=\"dim\">Wider is more time; what stands below a frame ran within it. All steps are merged by name. ",
			ts_trace_plural(cli, v->folded, "stack"), "");
	ts_page_element(out, " of less than ", ts_trace_ms(cli, v->least), v->folded == 1 ? " is folded.</p>\n" : " are folded.</p>\n");
	legend(v, out);
	ts_buf_str(out, "<p class=\"tools\" hidden=\"hidden\">"
			"<label>Find <input type=\"search\" aria-label=\"Find in this graph\"/></label> "
			"<button type=\"button\">whole</button> <span class=\"dim\" aria-live=\"polite\"></span></p>\n");
	ts_buf_printf(out, "<svg class=\"flame\" height=\"%u\">\n", (v->deepest + 1) * ROW_PIXELS);
	ts_page_element(out, "<svg class=\"t\" x=\"0.000%\" width=\"100.000%\" y=\"0\" height=\"17\"><title>all&#10;", whole, "");
	ts_page_element(out, "</title><rect/><text x=\"3\" y=\"12\">all: ", whole, "</text></svg>\n");
	for (size_t i = 0; i < v->n; i++)
		one_frame(cli, flame, v, &v->frames[i], out);
	ts_buf_str(out, "</svg>\n");
}

/* Draws a graph, with fewer stacks where hostile names would make it too large. */
static enum ts_status bounded(struct ts_cli *cli, const struct ts_flame *flame, enum ts_flame_weight weight, const char *title,
			      struct ts_buf *out, struct ts_error *err)
{
	struct ts_buf part = TS_BUF_INIT(TS_PAGE_MAX_BYTES);
	enum ts_status status = TS_OK;

	for (size_t most = FRAMES_MOST; most >= FRAMES_LEAST; most /= 2) {
		struct ts_flame_view view;

		ts_buf_reset(&part);
		status = ts_flame_look(flame, weight, most, LEVELS_MOST, &cli->arena, &view, err);
		if (status || !view.whole)
			break;
		graph(cli, flame, &view, title, &part);
		if (part.len <= GRAPH_BYTES)
			break;
	}
	ts_buf_span(out, ts_buf_view(&part));
	ts_buf_lacks(out, &part);
	ts_buf_finish(&part);
	return status;
}

enum ts_status ts_flame_page(struct ts_cli *cli, const struct ts_flame *flame, struct ts_buf *out, struct ts_error *err)
{
	const char *lost = flame->unlaunched_ns ? ts_arena_printf(&cli->arena, "; %s was launched by calls that the trace lacks",
								  ts_trace_ms(cli, flame->unlaunched_ns))
						: "";
	const char *devices =
		ts_arena_printf(&cli->arena, "Flame graph of devices: their work by the stack that launched it%s", lost ? lost : "");

	if (bounded(cli, flame, TS_FLAME_HOST, "Flame graph of the host: where its threads spent their time", out, err))
		return err->status;
	return bounded(cli, flame, TS_FLAME_DEVICE, devices, out, err);
}

bool ts_flame_is_drawn(const struct ts_flame *flame)
{
	return flame->nodes[0].ns[TS_FLAME_HOST] || flame->nodes[0].ns[TS_FLAME_DEVICE];
}
