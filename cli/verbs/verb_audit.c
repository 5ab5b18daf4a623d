/* verb_audit.c - tscope audit: reads the audit log of a server on its own machine, and checks its chain. */
#include "base/clock.h"
#include "base/text.h"
#include "cli/core/context.h"
#include "cli/view/view.h"
#include "cli/view/show_value.h"
#include "cli/verbs/verbs.h"
#include "service/audit/audit_read.h"

#include <inttypes.h>
#include <stdio.h>

enum { SHOWN_ID = 12 };

struct shown {
	struct ts_audit_entry entry;
	uint64_t n;
};

struct reading {
	struct ts_cli *cli;
	struct ts_span who, kind, act, on; /* globs; empty: all */
	bool denied;
	uint64_t since_s; /* 0: all */
	struct shown *rows; /* the newest `cap` of those that are asked for, in a ring */
	size_t cap, n;
};

static bool fits(struct ts_span pattern, struct ts_span text)
{
	return pattern.len == 0 || ts_glob(pattern, text);
}

static bool is_meant(const struct reading *r, const struct ts_audit_entry *e)
{
	int64_t since = ts_now_real_ns() - (int64_t)r->since_s * 1000000000;

	return fits(r->who, e->who) && fits(r->kind, e->kind) && fits(r->act, e->act) && fits(r->on, e->on) &&
	       (!r->denied || e->denied) && (r->since_s == 0 || e->at_ns >= since);
}

static enum ts_status take(void *ctx, const struct ts_audit_entry *entry, uint64_t n, struct ts_error *err)
{
	struct reading *r = ctx;
	struct ts_audit_entry copy = *entry;
	struct ts_span *texts[] = {&copy.kind, &copy.who,    &copy.from,  &copy.act, &copy.on,
				   &copy.key,  &copy.before, &copy.after, &copy.text};

	if (!is_meant(r, entry))
		return TS_OK;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		*texts[i] = ts_arena_span(&r->cli->arena, *texts[i]);
		if (!texts[i]->data)
			return ts_arena_error(&r->cli->arena, err);
	}
	r->rows[r->n++ % r->cap] = (struct shown){copy, n};
	return TS_OK;
}

/* An id is cut as elsewhere; other values stay. */
static struct ts_span brief(struct ts_span value)
{
	struct ts_id id;

	return ts_id_parse(value, &id) ? ts_span_of(value.data, SHOWN_ID) : value;
}

static const char *what_of(struct ts_cli *cli, const struct ts_audit_entry *e)
{
	struct ts_span before = brief(e->before), after = brief(e->after);

	if (e->denied)
		return ts_arena_printf(&cli->arena, "refused: %.*s", TS_SPAN_ARG(e->text));
	if (!before.len && !after.len)
		return ts_arena_printf(&cli->arena, "%.*s", TS_SPAN_ARG(e->text));
	return ts_arena_printf(&cli->arena, "%.*s%s%.*s -> %.*s%s%.*s", TS_SPAN_ARG(e->key), e->key.len ? ": " : "",
			       TS_SPAN_ARG(before.len ? before : ts_span_str("nothing")),
			       TS_SPAN_ARG(after.len ? after : ts_span_str("nothing")), e->text.len ? ", " : "", TS_SPAN_ARG(e->text));
}

static enum ts_status text(struct reading *r, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {
		TS_RIGHT("line"),  TS_LEFT("when", 10), TS_LEFT("kind", 0),  TS_LEFT("who", 8),
		TS_LEFT("act", 0), TS_LEFT("on", 12),	TS_LEFT("what", 16),
	};
	struct ts_arena *arena = &r->cli->arena;
	size_t from = r->n > r->cap ? r->n - r->cap : 0;
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), arena);
	for (size_t i = from; i < r->n; i++) {
		const struct shown *row = &r->rows[i % r->cap];
		const char *what = what_of(r->cli, &row->entry);

		if (!what)
			return ts_arena_error(arena, err);
		ts_view_text(&view, TS_STYLE_PLAIN, ts_show_count(row->n, arena));
		ts_view_text(&view, TS_STYLE_PLAIN, ts_show_time(row->entry.at_ns, arena));
		ts_view_span(&view, TS_STYLE_DIM, row->entry.kind);
		ts_view_span(&view, TS_STYLE_BOLD, row->entry.who);
		ts_view_span(&view, row->entry.denied ? TS_STYLE_YELLOW : TS_STYLE_PLAIN, row->entry.act);
		ts_view_span(&view, TS_STYLE_PLAIN, row->entry.on);
		ts_view_span(&view, TS_STYLE_PLAIN, ts_span_str(what));
	}
	return ts_view_print(&view, &r->cli->term, 0, &r->cli->out, err);
}

static void field(struct ts_json *j, const char *key, struct ts_span value)
{
	ts_json_key(j, key);
	ts_json_span(j, value);
}

static void json_row(struct ts_json *j, const struct shown *row)
{
	const struct ts_audit_entry *e = &row->entry;
	char time[TS_TIME_TEXT];

	ts_json_object(j);
	ts_json_key(j, "line");
	ts_json_u64(j, row->n);
	ts_json_key(j, "at");
	ts_json_string(j, ts_time_text(e->at_ns, time));
	field(j, "kind", e->kind);
	field(j, "who", e->who);
	field(j, "from", e->from);
	field(j, "act", e->act);
	field(j, "on", e->on);
	field(j, "key", e->key);
	field(j, "before", e->before);
	field(j, "after", e->after);
	field(j, "text", e->text);
	ts_json_key(j, "denied");
	ts_json_bool(j, e->denied);
	ts_json_end(j);
}

static void json(const struct reading *r, const struct ts_audit_report *report)
{
	struct ts_json writer = ts_cli_json(r->cli), *j = &writer;

	ts_json_object(j);
	ts_json_key(j, "entries");
	ts_json_array(j);
	for (size_t i = r->n > r->cap ? r->n - r->cap : 0; i < r->n; i++)
		json_row(j, &r->rows[i % r->cap]);
	ts_json_end(j);
	ts_json_key(j, "line_count");
	ts_json_u64(j, report->lines);
	ts_json_key(j, "first_line");
	ts_json_u64(j, report->first);
	ts_json_key(j, "last_line");
	ts_json_u64(j, report->last);
	ts_json_key(j, "torn_count");
	ts_json_u64(j, report->torn);
	ts_json_key(j, "chain");
	ts_json_string(j, report->chain);
	ts_json_end(j);
	ts_cli_json_end(r->cli, j);
}

/* Whether the log reaches a line that was written down elsewhere. */
static enum ts_status check_least(const char *text_of_n, const struct ts_audit_report *report, struct ts_error *err)
{
	uint64_t n = 0;
	const char *c = text_of_n;

	for (; ts_is_digit((uint8_t)*c) && n < UINT64_MAX / 16; c++)
		n = 10 * n + (uint64_t)(*c - '0');
	if (c == text_of_n || *c)
		return ts_error_set(err, TS_INVALID,
				    "audit: --least must be the number of a line, as the server's own log has it (event=audit)");
	if (report->last >= n)
		return TS_OK;
	return ts_error_set(err, TS_DAMAGED,
			    "the audit log ends with line %" PRIu64 ", and line %" PRIu64 " was written: lines are missing at its end",
			    report->last, n);
}

static enum ts_status check(struct reading *r, const struct ts_audit_report *report, struct ts_error *err)
{
	const char *least = ts_args_text(&r->cli->args, "least");

	if (report->broken)
		return ts_error_set(err, TS_DAMAGED,
				    "line %" PRIu64 " of the audit log does not follow the one before: that one, or itself, was "
				    "changed, or lines between them were taken out",
				    report->broken);
	if (least && check_least(least, report, err))
		return err->status;
	if (report->torn)
		ts_cli_say(r->cli, "%" PRIu64 " lines are torn, as when power is lost; the chain goes on behind them", report->torn);
	if (report->first > 1)
		ts_cli_say(r->cli, "the log begins with line %" PRIu64 ": older files of it are not here", report->first);
	return TS_OK;
}

static struct ts_span glob_of(const struct ts_cli *cli, const char *option)
{
	const char *given = ts_args_text(&cli->args, option);

	return ts_span_str(given ? given : "");
}

enum ts_status ts_verb_audit(struct ts_cli *cli, struct ts_error *err)
{
	struct reading r = {.cli = cli, .who = glob_of(cli, "who"), .kind = glob_of(cli, "kind"), .act = glob_of(cli, "act"),
			    .on = glob_of(cli, "on"), .denied = ts_args_has(&cli->args, "denied"), .cap = 1000};
	struct ts_audit_report report;
	uint64_t limit = 0;
	bool given, since;
	enum ts_status status = ts_args_uint(&cli->args, "limit", 1000000, &given, &limit, err);

	if (!status)
		status = ts_args_seconds(&cli->args, "since", &since, &r.since_s, err);
	if (status)
		return ts_error_prefix(err, "audit");
	r.cap = given && limit ? (size_t)limit : r.cap;
	r.rows = ts_arena_array(&cli->arena, r.cap, sizeof *r.rows);
	if (!r.rows)
		return ts_arena_error(&cli->arena, err);
	if (ts_audit_read(ts_cli_word(cli, 0), take, &r, &report, err))
		return err->status;
	if (!cli->json && !ts_args_has(&cli->args, "check") && text(&r, err))
		return err->status;
	if (r.n > r.cap)
		ts_cli_say(cli, "these are the newest %zu of %zu lines; --limit shows more", r.cap, r.n);
	if (check(&r, &report, err))
		return err->status;
	if (cli->json)
		json(&r, &report);
	else if (ts_args_has(&cli->args, "check"))
		ts_buf_printf(&cli->out,
			      "%" PRIu64 " line%s in %" PRIu64 " file%s, all sound; the last is line %" PRIu64 ", chain %s\n",
			      report.lines, report.lines == 1 ? "" : "s", report.files, report.files == 1 ? "" : "s", report.last,
			      report.chain);
	return TS_OK;
}
