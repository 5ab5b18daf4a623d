#include "cli/verbs/gc_policy.h"

#include "cli/core/ask.h"
#include "cli/core/policy_file.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "proto/shape/shapes.h"

enum { ITEMS_SHOWN = 20 };

enum ts_status ts_retain_policy(struct ts_cli *cli, struct ts_span *ret_policy, struct ts_error *err)
{
	const char *path = ts_args_text(&cli->args, "policy");
	struct ts_retention_policy policy;
	struct ts_policy items;

	if (ts_policy_file(cli, &items, err))
		return err->status;
	if (ts_policy_of_retention(&items, &cli->arena, &policy, err))
		return ts_error_prefix(err, "%s", path);
	return ts_policy_text(cli, ret_policy, err);
}

/* Lets the items of a plan go, and adds what went and what stays to io. */
static enum ts_status let_go(struct ts_cli *cli, struct ts_retain_request *request, const struct ts_retain_reply *plan,
			     struct ts_retain_reply *io, struct ts_error *err)
{
	struct ts_retain_item *all;
	struct ts_retain_reply done;

	request->items = plan->items;
	request->n = plan->n;
	if (ts_ask_retain(cli->target.channel, request, &cli->arena, &done, err))
		return err->status;
	io->names += done.names;
	io->entries += done.entries;
	all = ts_arena_array(&cli->arena, io->n + done.n, sizeof *all);
	if (!all)
		return ts_arena_error(&cli->arena, err);
	if (io->n)
		memcpy(all, io->items, io->n * sizeof *all);
	if (done.n)
		memcpy(all + io->n, done.items, done.n * sizeof *all);
	io->items = all;
	io->n += done.n;
	return TS_OK;
}

/* A plan has so many items at most, and further ones make another plan as of the same moment. */
static enum ts_status apply_all(struct ts_cli *cli, struct ts_retain_request *request, struct ts_retain_reply *io, struct ts_error *err)
{
	struct ts_retain_reply plan = *io;
	uint64_t before;

	io->names = io->entries = io->more_items = 0;
	io->n = 0;
	do {
		before = io->names + io->entries;
		if (plan.n == 0 || let_go(cli, request, &plan, io, err))
			return plan.n ? err->status : TS_OK;
		if (plan.more_items == 0)
			return TS_OK;
		request->n = 0;
		if (ts_ask_retain(cli->target.channel, request, &cli->arena, &plan, err))
			return err->status;
	} while (io->names + io->entries > before);
	io->more_items = plan.n + plan.more_items;
	return TS_OK;
}

enum ts_status ts_retain_ask(struct ts_cli *cli, struct ts_span policy, bool apply, struct ts_retain_reply *ret, struct ts_error *err)
{
	struct ts_retain_request request = {.policy = policy};

	if (ts_ask_retain(cli->target.channel, &request, &cli->arena, ret, err))
		return err->status;
	request.as_of_ns = ret->as_of_ns;
	return apply ? apply_all(cli, &request, ret, err) : TS_OK;
}

/* ---- text ---- */

/* "3 among the last, 1 tagged" */
static const char *why_of(const struct ts_retain_row *row, struct ts_arena *arena)
{
	const char *text = "";

	for (int i = TS_RETENTION_GOES + 1; i < TS_RETENTION_REASONS && text; i++)
		if (row->count[i])
			text = ts_arena_printf(arena, "%s%s%s %s", text, *text ? ", " : "", ts_show_count(row->count[i], arena),
					       ts_retention_reason_word(i));
	return text;
}

static enum ts_status rows(struct ts_cli *cli, const struct ts_retain_reply *reply, bool apply, struct ts_error *err)
{
	const struct ts_view_column made[] = {{.head = "kind", .key = "things"},
					      {.head = apply ? "went" : "goes", .key = "goes_count"},
					      {.head = "why others stay", .least = 20, .key = "why"}};
	struct ts_view view;

	ts_view_with(&view, &ts_shape_retain_row, "things name rule goes_count why", TS_VIEW_COLUMNS(made), &cli->arena);
	for (size_t i = 0; i < reply->n_rows; i++) {
		const struct ts_retain_row *row = &reply->rows[i];

		ts_view_row(&view, row);
		ts_view_set(&view, "things", TS_STYLE_PLAIN, row->kind == TS_REF_BRANCH ? "entries" : "names");
		ts_view_set(&view, "why", TS_STYLE_PLAIN, why_of(row, &cli->arena));
	}
	return reply->n_rows ? ts_view_print(&view, &cli->term, 0, &cli->out, err) : TS_OK;
}

/* What goes or, once it went, what stays after all. */
static enum ts_status items(struct ts_cli *cli, const struct ts_retain_reply *reply, bool apply, struct ts_error *err)
{
	const struct ts_view_column made[] = {{.head = apply ? "stays" : "goes", .key = "what"},
					      {.head = "entry", .align = TS_ALIGN_RIGHT, .key = "number"}};
	size_t n = reply->n < ITEMS_SHOWN ? reply->n : ITEMS_SHOWN;
	struct ts_view view;

	if (n == 0)
		return TS_OK;
	ts_view_with(&view, &ts_shape_retain_item, apply ? "what name number id why" : "what name number id", TS_VIEW_COLUMNS(made),
		     &cli->arena);
	for (size_t i = 0; i < n; i++) {
		const struct ts_retain_item *item = &reply->items[i];
		bool entry = item->what.kind == TS_REF_BRANCH;

		ts_view_row(&view, item);
		ts_view_set(&view, "what", TS_STYLE_PLAIN, entry ? "entry" : "name");
		ts_view_set(&view, "number", TS_STYLE_PLAIN, entry ? ts_show_count(item->what.seq, &cli->arena) : "");
	}
	ts_buf_char(&cli->out, '\n');
	if (ts_view_print(&view, &cli->term, 0, &cli->out, err))
		return err->status;
	if (reply->n > n)
		ts_buf_printf(&cli->out, "and %s more, which --json lists\n", ts_show_count(reply->n - n, &cli->arena));
	return TS_OK;
}

const char *ts_retain_amount(const struct ts_retain_reply *reply, struct ts_arena *arena)
{
	const char *names = ts_show_plural(reply->names, "run name", arena);
	const char *entries = ts_arena_printf(arena, "%s %s of branches", ts_show_count(reply->entries, arena),
					      reply->entries == 1 ? "entry" : "entries");

	if (reply->names == 0)
		return entries;
	return reply->entries ? ts_arena_printf(arena, "%s and %s", entries, names) : names;
}

static const char *how_long(uint64_t seconds, struct ts_arena *arena)
{
	return seconds && seconds % 86400 == 0 ? ts_show_plural(seconds / 86400, "day", arena)
					       : ts_show_seconds((double)seconds, arena);
}

/* How long names that were removed are kept was told with --removed, or is 0: what goes is gone for good. */
static const char *way_back(const struct ts_retain_reply *reply, struct ts_arena *arena)
{
	if (reply->keep_removed_s == 0)
		return "";
	return ts_arena_printf(arena, "; for %s tscope restore brings them back", how_long(reply->keep_removed_s, arena));
}

static const char *later(const struct ts_retain_reply *reply, struct ts_arena *arena)
{
	return reply->keep_removed_s ? ts_arena_printf(arena, "%s later this", how_long(reply->keep_removed_s, arena)) : "this";
}

static void sum_up(struct ts_cli *cli, const struct ts_retain_reply *reply, bool apply)
{
	struct ts_arena *arena = &cli->arena;

	if (reply->names + reply->entries == 0) {
		ts_buf_printf(&cli->out, "nothing %s by this policy\n", apply ? "went" : "goes");
	} else if (apply) {
		ts_buf_printf(&cli->out, "let go %s%s\n", ts_retain_amount(reply, arena), way_back(reply, arena));
	} else {
		ts_buf_printf(&cli->out, "would let go %s; %s frees %s, %s, which nothing else reaches\n",
			      ts_retain_amount(reply, arena), later(reply, arena),
			      ts_show_plural(reply->objects, "object", arena), ts_show_bytes((double)reply->bytes, arena));
		ts_cli_say(cli, "nothing was changed; --apply lets them go");
	}
	if (reply->more_items)
		ts_buf_printf(&cli->out, "%s more go by this policy%s\n", ts_show_count(reply->more_items, &cli->arena),
			      apply ? "; run this again" : ", which these figures do not count");
}

enum ts_status ts_retain_text(struct ts_cli *cli, const struct ts_retain_reply *reply, bool apply, struct ts_error *err)
{
	if (rows(cli, reply, apply, err) || items(cli, reply, apply, err))
		return err->status;
	if (reply->more_rows)
		ts_buf_printf(&cli->out, "%s more branches and projects are not shown\n", ts_show_count(reply->more_rows, &cli->arena));
	if (reply->n_rows || reply->n)
		ts_buf_char(&cli->out, '\n');
	if (reply->other_names + reply->other_entries)
		ts_buf_printf(&cli->out, "%s and %s of branches stay because no rule is for them\n",
			      ts_show_plural(reply->other_names, "name", &cli->arena),
			      ts_arena_printf(&cli->arena, "%s %s", ts_show_count(reply->other_entries, &cli->arena),
					      reply->other_entries == 1 ? "entry" : "entries"));
	sum_up(cli, reply, apply);
	return TS_OK;
}
