/* verb_projects.c - tscope projects: what each project uses of a store, and how much it may. */
#include "base/text.h"
#include "base/uri.h"
#include "cli/core/ask.h"
#include "cli/core/context.h"
#include "cli/json/json_parts.h"
#include "cli/verbs/verbs.h"
#include "cli/view/html.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"

/* "1.2 GiB of 50 GiB", or "1.2 GiB" without a limit. */
static const char *share(const char *used, bool limited, const char *limit, struct ts_arena *arena)
{
	return limited ? ts_arena_printf(arena, "%s of %s", used, limit) : used;
}

static const char *bytes(uint64_t used, bool limited, uint64_t limit, struct ts_arena *arena)
{
	return share(ts_show_bytes((double)used, arena), limited, ts_show_bytes((double)limit, arena), arena);
}

static const char *count(uint64_t used, bool limited, uint64_t limit, struct ts_arena *arena)
{
	return share(ts_show_count(used, arena), limited, ts_show_count(limit, arena), arena);
}

static enum ts_status print_projects(struct ts_cli *cli, const struct ts_usage_reply *reply, struct ts_error *err)
{
	static const struct ts_view_column made[] = {TS_RIGHT("names"), TS_RIGHT("notes"), TS_RIGHT("stored"),
						     TS_RIGHT("uncompressed")};
	struct ts_arena *arena = &cli->arena;
	struct ts_view view;

	if (reply->n_projects == 0) {
		ts_cli_say(cli, "no project uses anything");
		return TS_OK;
	}
	ts_view_with(&view, &ts_shape_project, "project names notes stored uncompressed row_limit", TS_VIEW_COLUMNS(made), arena);
	for (size_t i = 0; i < reply->n_projects; i++) {
		const struct ts_project_usage *p = &reply->projects[i];

		ts_view_row(&view, p);
		ts_view_set(&view, "names", TS_STYLE_PLAIN, count(p->names, p->has_names_limit, p->names_limit, arena));
		ts_view_set(&view, "notes", TS_STYLE_PLAIN, count(p->notes, p->has_notes_limit, p->notes_limit, arena));
		ts_view_set(&view, "stored", TS_STYLE_PLAIN, bytes(p->sealed_bytes, p->has_sealed_limit, p->sealed_limit, arena));
		ts_view_set(&view, "uncompressed", TS_STYLE_PLAIN, bytes(p->raw_bytes, p->has_raw_limit, p->raw_limit, arena));
	}
	return ts_view_print(&view, &cli->term, 0, &cli->out, err);
}

/* On a page of a server: the way to the runs of each project. */
static void print_links(struct ts_cli *cli, const struct ts_usage_reply *reply)
{
	if (!cli->served || !cli->term.page || reply->n_projects == 0)
		return;
	ts_buf_str(&cli->out, "<p>Runs of");
	for (size_t i = 0; i < reply->n_projects; i++) {
		ts_buf_str(&cli->out, i ? ", <a href=\"/p/" : " <a href=\"/p/");
		ts_uri_encode(&cli->out, reply->projects[i].project, false);
		ts_buf_str(&cli->out, "/runs\">");
		ts_html_text(&cli->out, ts_show_text(reply->projects[i].project, &cli->arena));
		ts_buf_str(&cli->out, "</a>");
	}
	ts_buf_str(&cli->out, "</p>\n");
}

/* Those who sent something that no name has reached. */
static enum ts_status print_senders(struct ts_cli *cli, const struct ts_usage_reply *reply, struct ts_error *err)
{
	static const struct ts_view_column made[] = {{.head = "without a name", .align = TS_ALIGN_RIGHT, .key = "unnamed"}};
	struct ts_view view;

	ts_view_with(&view, &ts_shape_sender, "sender unnamed", TS_VIEW_COLUMNS(made), &cli->arena);
	for (size_t i = 0; i < reply->n_senders; i++) {
		const struct ts_sender_usage *s = &reply->senders[i];

		if (s->unnamed_bytes == 0)
			continue;
		ts_view_row(&view, s);
		ts_view_set(&view, "unnamed", TS_STYLE_PLAIN,
			    bytes(s->unnamed_bytes, s->has_unnamed_limit, s->unnamed_limit, &cli->arena));
	}
	if (ts_view_n(&view) == 0)
		return TS_OK;
	ts_buf_char(&cli->out, '\n');
	return ts_view_print(&view, &cli->term, 0, &cli->out, err);
}

enum ts_status ts_verb_projects(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_usage_reply reply;

	if (ts_cli_open(cli, TS_USE_READ, err) || ts_ask_usage(cli->target.channel, &cli->arena, &reply, err))
		return err->status;
	if (cli->json)
		return ts_json_answer(cli, &ts_shape_usage_reply, &reply, err);
	if (reply.uncounted)
		ts_cli_say(cli, "this store was made by an older version and is not counted yet, so there is more; gc counts it");
	if (print_projects(cli, &reply, err))
		return err->status;
	print_links(cli, &reply);
	return print_senders(cli, &reply, err);
}
