#include "cli/report/list_served.h"

#include "base/clock.h"
#include "base/uri.h"
#include "cli/report/page.h"
#include "cli/text/text_list.h"
#include "cli/view/show_value.h"

/* -- addresses -- */

static void field(struct ts_buf *out, const char *name, struct ts_span value, bool *io_first)
{
	if (value.len == 0)
		return;
	ts_buf_str(out, *io_first ? "?" : "&amp;");
	ts_buf_str(out, name);
	ts_buf_char(out, '=');
	ts_uri_encode(out, value, false);
	*io_first = false;
}

/* The columns as --columns takes them; empty where nobody chose them. */
static struct ts_span columns_of(const struct ts_list_page *page, struct ts_arena *arena)
{
	struct ts_buf all = TS_BUF_INIT(TS_PAGE_MAX_BYTES);
	struct ts_span copy = ts_span_of("", 0);

	for (size_t c = 0; c < page->list->n_columns && !page->list->by_default; c++) {
		ts_buf_str(&all, c ? "," : "");
		ts_buf_span(&all, page->list->columns[c]);
	}
	if (all.len)
		copy = ts_arena_span(arena, ts_buf_view(&all));
	ts_buf_finish(&all);
	return copy;
}

static void address_of(struct ts_buf *out, const struct ts_list_page *page, struct ts_span filter, struct ts_span sort,
		       struct ts_span token, struct ts_arena *arena)
{
	bool first = true;

	field(out, "q", filter, &first);
	field(out, "sort", sort, &first);
	field(out, "columns", columns_of(page, arena), &first);
	field(out, "page", token, &first);
	if (first)
		ts_buf_char(out, '?');
}

static void address(struct ts_buf *out, const struct ts_list_page *page, struct ts_span sort, struct ts_span token,
		    struct ts_arena *arena)
{
	address_of(out, page, page->filter, sort, token, arena);
}

/* The name without its project. */
static struct ts_span short_name(const struct ts_list_page *page, size_t row)
{
	struct ts_span name = page->list->rows[row].name;
	size_t n = page->list->project.len;

	return n && name.len > n ? ts_span_from(name, n + 1) : name;
}

static const char *text_of(struct ts_span s, struct ts_arena *arena)
{
	const char *text = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(s));

	return text ? text : "";
}

/* -- parts -- */

static void since_link(struct ts_buf *out, const struct ts_list_page *page, struct ts_span filter, const char *text,
		       struct ts_arena *arena)
{
	bool here = ts_span_eq(filter, page->filter);

	ts_buf_str(out, "<a href=\"");
	address_of(out, page, filter, page->sort, ts_span_of("", 0), arena);
	ts_buf_printf(out, "\"%s>%s</a>\n", here ? " aria-current=\"true\"" : "", text);
}

/* Links to what was pushed in the last days, where nothing else is filtered. */
static void since_links(struct ts_buf *out, const struct ts_list_page *page, struct ts_arena *arena)
{
	static const struct {
		const char *text;
		int days;
	} links[] = {{"last day", 1}, {"last week", 7}, {"last month", 30}};
	static const char begin[] = "pushed>=";
	struct ts_span date = page->filter;
	char text[TS_TIME_TEXT];
	int64_t at;

	if (page->filter.len && (!ts_span_skip(&date, begin) || !ts_time_parse(date, &at)))
		return;
	ts_buf_str(out, "<p>Pushed in the\n");
	for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
		int64_t day_ns = INT64_C(86400) * 1000000000, days = ts_now_real_ns() / day_ns - links[i].days;
		const char *filter = ts_arena_printf(arena, "%s%.10s", begin, ts_time_text(days * day_ns, text));

		since_link(out, page, ts_span_str(filter ? filter : ""), links[i].text, arena);
	}
	ts_buf_str(out, "or at\n");
	since_link(out, page, ts_span_of("", 0), "any time", arena);
	ts_buf_str(out, "</p>\n");
}

void ts_list_served_form(struct ts_buf *out, const struct ts_list_page *page, struct ts_arena *arena)
{
	struct ts_span columns = columns_of(page, arena);

	ts_page_element(
		out,
		"<form class=\"filter\" method=\"get\"><label for=\"q\">Filter</label> <input id=\"q\" name=\"q\" size=\"40\" value=\"",
		text_of(page->filter, arena), "\" placeholder=\"part of a name, or loss.last&lt;2.5 and config.lr&gt;1e-4\"/>\n");
	if (page->sort.len)
		ts_page_element(out, "<input type=\"hidden\" name=\"sort\" value=\"", text_of(page->sort, arena), "\"/>\n");
	ts_page_element(out, "<label for=\"columns\">Columns</label> <input id=\"columns\" name=\"columns\" size=\"30\" value=\"",
			text_of(columns, arena), "\" placeholder=\"name,steps,loss.last,config.lr\"/>\n");
	ts_buf_str(out, "<button>Show</button></form>\n");
	if (page->list->kind == TS_REF_RUN) {
		ts_page_element(out,
				"<form class=\"filter\" action=\"groups\" method=\"get\"><input type=\"hidden\" name=\"q\" value=\"",
				text_of(page->filter, arena), "\"/>\n");
		ts_buf_str(out, "<label for=\"by\">Group by</label> <input id=\"by\" name=\"by\" size=\"20\" "
				"placeholder=\"config.lr\"/>\n"
				"<input type=\"hidden\" name=\"columns\" value=\"loss.last\"/><button>Group</button></form>\n");
		since_links(out, page, arena);
	}
	ts_buf_str(out, "<form id=\"pick\" action=\"compare\" method=\"get\"></form>\n");
}

/* begins: the tag of the cell, which is not closed. The link leads to the greatest values first, or to the least first. */
static void head_of(struct ts_buf *out, const struct ts_list_page *page, const char *begins, struct ts_span name, const char *text,
		    bool least_first, struct ts_arena *arena)
{
	struct ts_span sort = page->sort;
	bool falls = sort.len > 1 && sort.data[0] == '-' && ts_span_eq(ts_span_from(sort, 1), name), rises = ts_span_eq(sort, name);
	const char *other = ts_arena_printf(arena, "%s%.*s", (least_first ? rises : !falls) ? "-" : "", TS_SPAN_ARG(name));

	ts_buf_printf(out, "%s aria-sort=\"%s\"><a href=\"", begins, falls ? "descending" : rises ? "ascending" : "none");
	address(out, page, ts_span_str(other ? other : ""), ts_span_of("", 0), arena);
	ts_page_element(out, "\">", text, falls ? " ▼</a></th>" : rises ? " ▲</a></th>" : "</a></th>");
}

void ts_list_served_head(struct ts_buf *out, const struct ts_list_page *page, size_t column, struct ts_arena *arena)
{
	struct ts_span name = page->list->columns[column];

	head_of(out, page, ts_list_is_numeric(page->list, column) ? "<th scope=\"col\"" : "<th scope=\"col\" class=\"text\"", name,
		ts_show_text(name, arena), false, arena);
}

void ts_list_served_loss(struct ts_buf *out, const struct ts_list_page *page, struct ts_arena *arena)
{
	head_of(out, page, "<th scope=\"col\" class=\"text\"", ts_span_str("loss.last"), "loss", true, arena);
}

void ts_list_served_name(struct ts_buf *out, const struct ts_list_page *page, size_t row, const char *text, struct ts_arena *arena)
{
	static const char *const routes[] = {[TS_REF_RUN] = "r/", [TS_REF_TAG] = "r/tag:", [TS_REF_BRANCH] = "b/"};
	struct ts_span name = short_name(page, row);

	if (page->list->kind == TS_REF_RUN) {
		ts_page_element(out, "<input type=\"checkbox\" form=\"pick\" name=\"run\" value=\"", text_of(name, arena), "\"");
		ts_page_element(out, " aria-label=\"choose ", text, "\"/> ");
	}
	ts_buf_printf(out, "<a href=\"%s", routes[page->list->kind]);
	ts_uri_encode_name(out, name);
	ts_page_element(out, "\">", text, "</a>");
}

/* Which words that takes depends on where the reader sits, which the server does not know. */
#define WHICH_STORE ", with --server or --store where your commands go to another store than this page.</p>\n"

void ts_list_served_none(struct ts_buf *out, const struct ts_list_page *page, struct ts_arena *arena)
{
	const char *project = text_of(page->list->project, arena);

	if (page->filter.len) {
		ts_buf_str(out, "<p>Nothing matches the filter.</p>\n");
	} else if (page->list->kind == TS_REF_TAG) {
		ts_buf_str(out, "<p>There are no tags yet. <i>Change</i> on the page of a run makes one, and so does "
				"<code>tscope tag</code>.</p>\n");
	} else if (page->list->kind == TS_REF_BRANCH) {
		ts_page_element(out, "<p>There are no branches yet. This makes one: <code>tscope push --project ", project,
				" --branch main DIRECTORY</code>" WHICH_STORE);
	} else {
		ts_page_element(out, "<p>There are no runs yet. This adds the run in a directory: <code>tscope push --project ",
				project, " DIRECTORY</code>" WHICH_STORE);
	}
}

void ts_list_served_foot(struct ts_buf *out, const struct ts_list_page *page, struct ts_arena *arena)
{
	if (page->list->kind == TS_REF_RUN && page->list->n)
		ts_buf_str(out, "<p class=\"picked\"><button form=\"pick\">Compare the chosen runs</button>\n"
				"<span class=\"pair\"><button form=\"pick\" formaction=\"draw\">Draw</button> "
				"<label for=\"column\">the column</label> "
				"<input form=\"pick\" id=\"column\" name=\"column\" size=\"12\" value=\"loss\"/></span>\n"
				"<button form=\"pick\" formaction=\"change\">Tag or note</button></p>\n");
	if (page->list->next_token.len) {
		ts_buf_str(out, "<p><a rel=\"next\" href=\"");
		address(out, page, page->sort, page->list->next_token, arena);
		ts_buf_str(out, "\">Next page</a></p>\n");
	}
}
