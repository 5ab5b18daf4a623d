/* verb_list.c - tscope list: pages of runs, tags or branches. */
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/context.h"
#include "cli/core/list_pages.h"
#include "cli/core/listing.h"
#include "cli/json/json_list.h"
#include "cli/report/list_page.h"
#include "cli/report/page.h"
#include "cli/report/render_report.h"
#include "cli/text/csv_list.h"
#include "cli/text/text_groups.h"
#include "cli/text/text_list.h"
#include "cli/verbs/list_refs.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_copy.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"

enum { LIMIT_DEFAULT = 50, CURVES_MOST = 256 };

/* What is shown of runs without --columns. A terminal gets as many of them as fit (text_list.c); a page draws the loss (list_page.c).
 * */
static const char *default_columns(enum ts_ref_kind kind)
{
	return kind == TS_REF_RUN ? "name,id,state,steps,ranks,loss.last,loss.nonfinite,started,pushed" : "name,id,pushed";
}

/* Appends the columns that an option names. */
static enum ts_status split_columns(const char *text, const char *option, struct ts_listing *list, struct ts_error *err)
{
	size_t before = list->n_columns;

	while (*text) {
		/* A comma within a path cannot be told from a comma between paths, but no path of a fact needs one. */
		size_t len = strcspn(text, ",");

		if (len == 0)
			return ts_error_set(err, TS_INVALID, "list: a column in %s is empty", option);
		if (list->n_columns == TS_VIEW_COLUMNS_MAX)
			return ts_error_set(err, TS_INVALID, "list: %s takes at most %d columns", option, TS_VIEW_COLUMNS_MAX);
		list->columns[list->n_columns++] = ts_span_of(text, len);
		text += len;
		if (*text == ',' && !text[1])
			return ts_error_set(err, TS_INVALID, "list: a column in %s is empty", option);
		text += *text == ',';
	}
	return list->n_columns > before ? TS_OK : ts_error_set(err, TS_INVALID, "list: %s is empty", option);
}

static enum ts_status options(struct ts_cli *cli, struct ts_list_request *request, uint64_t *ret_limit,
			      struct ts_error *err)
{
	const char *filter = ts_cli_word(cli, 0), *sort = ts_args_text(&cli->args, "sort");
	const char *project;
	bool given;
	enum ts_status status = ts_args_uint(&cli->args, "limit", UINT32_MAX, &given, ret_limit, err);

	if (status)
		return ts_error_prefix(err, "list");
	if (given && *ret_limit == 0)
		return ts_error_set(err, TS_INVALID, "list: --limit must be at least 1; --all shows all runs");
	if (!given)
		*ret_limit = LIMIT_DEFAULT;
	if (ts_args_has(&cli->args, "all"))
		*ret_limit = UINT64_MAX;
	if (ts_args_has(&cli->args, "tags") && ts_args_has(&cli->args, "branches"))
		return ts_error_set(err, TS_INVALID, "list: --tags and --branches cannot be combined");
	request->kind = ts_args_has(&cli->args, "tags")	      ? TS_REF_TAG
			: ts_args_has(&cli->args, "branches") ? TS_REF_BRANCH
							      : TS_REF_RUN;
	request->filter = filter ? ts_span_str(filter) : ts_span_of(NULL, 0);
	request->sort = sort ? ts_span_str(sort) : ts_span_of(NULL, 0);
	if (!ts_args_has(&cli->args, "all-projects")) {
		status = ts_cli_project(cli, &project, err);
		if (!status)
			request->project = ts_span_str(project);
	}
	return status;
}

/* Asks for the loss of each run, on an axis of its own. A run without one has none. */
static enum ts_status ask_curves(struct ts_cli *cli, struct ts_list_page *page, struct ts_error *err)
{
	const struct ts_listing *list = page->list;

	page->n_curves = list->n < CURVES_MOST ? list->n : CURVES_MOST;
	page->curves = ts_arena_array(&cli->arena, page->n_curves, sizeof *page->curves);
	if (!page->curves)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < page->n_curves; i++) {
		char hex[TS_ID_HEX + 1];
		const char *id = ts_arena_printf(&cli->arena, "id:%s", ts_id_hex(&list->rows[i].id, hex));
		struct ts_span spec = ts_span_str(id ? id : "");
		struct ts_chart_request request = {
			.runs = &spec, .n = 1, .column = ts_span_str("loss"), .columns = TS_SPARK_COLUMNS};

		if (!id)
			return ts_arena_error(&cli->arena, err);
		if (ts_ask_chart(cli->target.channel, &request, &cli->arena, &page->curves[i], err) && err->status != TS_NOT_FOUND)
			return ts_error_prefix(err, "list: the loss of %.*s", TS_SPAN_ARG(list->rows[i].name));
	}
	return TS_OK;
}

static enum ts_status html(struct ts_cli *cli, const struct ts_listing *list, bool *ret_answered, struct ts_error *err)
{
	const char *filter = ts_cli_word(cli, 0), *sort = ts_args_text(&cli->args, "sort");
	struct ts_list_page page = {.list = list, .served = cli->served, .filter = ts_span_str(filter ? filter : ""),
				    .sort = ts_span_str(sort ? sort : "")};

	if (!ts_args_has(&cli->args, "html"))
		return TS_OK;
	if (ask_curves(cli, &page, err))
		return err->status;
	return ts_page_write(cli, ts_list_page, &page, ret_answered, err);
}

static void names_only(struct ts_cli *cli, const struct ts_listing *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct ts_span name = list->rows[i].name;
		size_t skip = list->project.len && name.len > list->project.len ? list->project.len + 1 : 0;

		ts_escape(&cli->out, ts_span_of(name.data + skip, name.len - skip));
		ts_buf_char(&cli->out, '\n');
	}
}

/* Whether nobody asked for the column but we: it is one of the usual ones, and not what a filter without a match names. */
static bool is_own_choice(const struct ts_listing *list, struct ts_span column)
{
	for (size_t c = 0; c < list->n_columns && list->by_default && list->n; c++)
		if (ts_span_eq(list->columns[c], column))
			return true;
	return false;
}

static void say_copy(struct ts_cli *cli, const struct ts_listing *list)
{
	if (list->copy.of.len && !cli->json)
		ts_cli_say(cli, "this store is a read-only copy of %s", ts_show_copy(&list->copy, &cli->arena));
}

static void say_unknown(struct ts_cli *cli, const struct ts_listing *list)
{
	for (size_t i = 0; i < list->n_unrecorded; i++)
		if (!is_own_choice(list, list->unrecorded[i]))
			ts_cli_say(cli, "none of these runs records %.*s", TS_SPAN_ARG(list->unrecorded[i]));
	if (list->unscored)
		ts_cli_say(cli,
			   "the metrics of %s of these runs are not known, because an older tscope pushed them; 'tscope gc' "
			   "makes them",
			   ts_show_count(list->unscored, &cli->arena));
}

static enum ts_status render_rows(struct ts_cli *cli, const struct ts_listing *list, struct ts_error *err)
{
	if (list->next_token.len && !cli->json)
		ts_cli_say(cli, "there are more: --all shows all, --page %.*s the next page", TS_SPAN_ARG(list->next_token));
	if (cli->json)
		ts_render_list_json(cli, list);
	else if (ts_args_has(&cli->args, "csv"))
		ts_render_list_csv(cli, list);
	else if (ts_args_has(&cli->args, "names"))
		names_only(cli, list);
	else
		return ts_render_list_text(cli, list, err);
	return TS_OK;
}

static enum ts_status render_groups(struct ts_cli *cli, const struct ts_listing *list, struct ts_groups *groups, uint64_t limit,
				    struct ts_error *err)
{
	if (limit < groups->n && !cli->json)
		ts_cli_say(cli, "there are %s more groups; --all shows all of them", ts_show_count(groups->n - limit, &cli->arena));
	if (cli->json)
		ts_render_groups_json(cli, list, groups, limit);
	else if (ts_args_has(&cli->args, "csv"))
		ts_render_groups_csv(cli, groups, limit);
	else if (list->n == 0)
		return ts_render_list_text(cli, list, err);
	else
		return ts_render_groups_text(cli, groups, limit, err);
	return TS_OK;
}

/* Begins a list: by (NULL: rows, no groups) and columns (NULL: none) are what was typed. */
static enum ts_status begin(struct ts_cli *cli, struct ts_list_request *request, const char *by, const char *columns,
			    struct ts_listing *list, size_t *ret_n_by, struct ts_error *err)
{
	*list = (struct ts_listing){
		.project = request->project, .kind = request->kind, .filtered = request->filter.len > 0};
	list->columns = ts_arena_array(&cli->arena, TS_VIEW_COLUMNS_MAX, sizeof *list->columns);
	if (!list->columns)
		return ts_arena_error(&cli->arena, err);
	if (by && split_columns(by, "--by", list, err))
		return err->status;
	*ret_n_by = list->n_columns;
	if (columns && split_columns(columns, "--columns", list, err))
		return err->status;
	request->columns = list->columns;
	request->n_columns = list->n_columns;
	return ts_cli_open(cli, TS_USE_READ, err);
}

enum ts_status ts_list_refs(struct ts_cli *cli, struct ts_list_request *request, const char *columns, uint64_t limit,
			    struct ts_error *err)
{
	struct ts_listing list;
	bool answered = false;
	size_t n_by;

	if (begin(cli, request, NULL, columns ? columns : default_columns(request->kind), &list, &n_by, err))
		return err->status;
	list.by_default = !columns;
	if (ts_list_pages(cli, request, ts_args_text(&cli->args, "page"), limit, &list, err))
		return err->status;
	say_copy(cli, &list);
	say_unknown(cli, &list);
	if (html(cli, &list, &answered, err))
		return err->status;
	return answered ? TS_OK : render_rows(cli, &list, err);
}

/* Groups are made of all runs that match; limit is that of the groups that are shown. */
static enum ts_status list_groups(struct ts_cli *cli, struct ts_list_request *request, const char *by, const char *columns,
				  uint64_t limit, struct ts_error *err)
{
	struct ts_span sort = request->sort;
	bool descending = sort.len && sort.data[0] == '-';
	struct ts_listing list;
	struct ts_groups groups;
	size_t n_by;

	if (ts_args_has(&cli->args, "names") || ts_args_has(&cli->args, "page") || ts_args_has(&cli->args, "html"))
		return ts_error_set(err, TS_INVALID, "list: --by shows groups and no names, pages or curves of runs");
	request->sort = ts_span_of(NULL, 0);
	if (begin(cli, request, by, columns, &list, &n_by, err) || ts_list_pages(cli, request, NULL, UINT64_MAX, &list, err))
		return err->status;
	if (ts_groups_make(&list, n_by, &cli->arena, &groups, err))
		return ts_error_prefix(err, "list");
	if (sort.len && ts_groups_sort(&groups, ts_span_of(sort.data + descending, sort.len - descending), descending,
				       &cli->arena, err))
		return ts_error_prefix(err, "list");
	say_copy(cli, &list);
	say_unknown(cli, &list);
	return render_groups(cli, &list, &groups, limit, err);
}

enum ts_status ts_verb_list(struct ts_cli *cli, struct ts_error *err)
{
	const char *columns = ts_args_text(&cli->args, "columns"), *by = ts_args_text(&cli->args, "by");
	struct ts_list_request request = {0};
	uint64_t limit = 0;
	enum ts_status status = ts_check_page_option(cli, "names", err) ? ts_error_prefix(err, "list") : TS_OK;

	if (!status && ts_args_has(&cli->args, "no-formulas") && !ts_args_has(&cli->args, "csv"))
		status = ts_error_set(err, TS_INVALID, "list: --no-formulas is for --csv");
	if (!status)
		status = options(cli, &request, &limit, err);
	if (status)
		return status;
	if (by)
		return list_groups(cli, &request, by, columns, limit, err);
	return ts_list_refs(cli, &request, columns, limit, err);
}
