/* retain.c - Retain: what a policy of retention lets go, why the rest stays, and what letting go would free. */
#include "base/clock.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/store/retention.h"

TS_REPLIER(retain_reply, ts_retain_reply);

/* ---- why things stay ---- */

struct rows {
	struct ts_arena *arena;
	struct ts_retain_row *rows;
	size_t n;
};

static void count_branches(const struct ts_retention_store *store, struct rows *rows, struct ts_retain_reply *reply)
{
	for (size_t i = 0; i < store->n_branches; i++) {
		const struct ts_retention_branch *branch = &store->branches[i];
		struct ts_retain_row *row = &rows->rows[rows->n];

		if (!branch->rule) {
			reply->other_entries += branch->n;
			continue;
		}
		rows->n++;
		*row = (struct ts_retain_row){.kind = TS_REF_BRANCH, .name = branch->name, .rule = branch->rule->text};
		for (size_t k = 0; k < branch->n; k++)
			row->count[branch->entries[k].why]++;
	}
}

/* A row for each rule and project; first is where the rows of this project begin. */
static struct ts_retain_row *row_of(struct rows *rows, size_t first, struct ts_span project, const struct ts_retention_rule *rule)
{
	for (size_t i = first; i < rows->n; i++)
		if (rows->rows[i].rule.data == rule->text.data)
			return &rows->rows[i];
	rows->rows[rows->n] = (struct ts_retain_row){.kind = TS_REF_RUN, .name = project, .rule = rule->text};
	return &rows->rows[rows->n++];
}

static void count_names(const struct ts_retention_work *work, struct rows *rows, struct ts_retain_reply *reply)
{
	struct ts_span project = {NULL, 0};
	size_t first = rows->n;

	for (size_t i = 0; i < work->store.n_names; i++) {
		const struct ts_retention_name *name = &work->store.names[i];
		const struct ts_retention_rule *rule = ts_retention_rule_for(&work->policy, false, name->name);
		struct ts_span through = ts_span_through(name->name, '/');

		if (!rule) {
			reply->other_names++;
			continue;
		}
		through.len -= through.len > 0;
		if (!ts_span_eq(through, project)) {
			project = through;
			first = rows->n;
		}
		row_of(rows, first, project, rule)->count[name->why]++;
	}
}

/* "pattern: what stays", of each row that is sent. */
static enum ts_status name_rules(const struct ts_retention_work *work, struct ts_retain_row *rows, size_t n, struct ts_arena *arena,
				 struct ts_error *err)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < work->policy.n_rules; k++) {
			const struct ts_retention_rule *rule = &work->policy.rules[k];
			const char *text;

			if (rule->text.data != rows[i].rule.data)
				continue;
			text = ts_arena_printf(arena, "%.*s: %.*s", TS_SPAN_ARG(rule->pattern), TS_SPAN_ARG(rule->text));
			if (!text)
				return ts_arena_error(arena, err);
			rows[i].rule = ts_span_str(text);
			break;
		}
	return TS_OK;
}

/* Those of which something goes come first. */
static enum ts_status fill_rows(struct ts_retention_work *work, struct ts_retain_reply *reply, struct ts_error *err)
{
	struct rows rows = {.arena = &work->arena};
	size_t room = work->store.n_branches + work->store.n_names;

	rows.rows = ts_arena_array(rows.arena, room, sizeof *rows.rows);
	reply->rows = ts_arena_array(rows.arena, room, sizeof *rows.rows);
	if (!rows.rows || !reply->rows)
		return ts_arena_error(rows.arena, err);
	count_branches(&work->store, &rows, reply);
	count_names(work, &rows, reply);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < rows.n; i++)
			if ((rows.rows[i].count[TS_RETENTION_GOES] == 0) == (pass == 1))
				reply->rows[reply->n_rows++] = rows.rows[i];
	if (reply->n_rows > TS_RETAIN_ROWS_MAX) {
		reply->more_rows = reply->n_rows - TS_RETAIN_ROWS_MAX;
		reply->n_rows = TS_RETAIN_ROWS_MAX;
	}
	return name_rules(work, reply->rows, reply->n_rows, rows.arena, err);
}

/* ---- the plan ---- */

static enum ts_status weigh(struct ts_retention_work *work, const struct ts_retired *items, size_t n, struct ts_retain_reply *reply,
			    struct ts_error *err)
{
	const struct ts_call *call = work->call;
	struct ts_sweep_options options = {.now_ns = ts_now_real_ns(),
					   .lease_ns = TS_LEASE_SECONDS * INT64_C(1000000000),
					   .removed_ns = (int64_t)call->server->keep_removed_s * 1000000000,
					   .dry_run = true,
					   .without = items,
					   .n_without = n};
	struct ts_sweep_report report;

	if (call->engine->ops->sweep(call->engine, &options, &report, err))
		return err->status;
	reply->objects = report.retired;
	reply->bytes = report.retired_bytes;
	return TS_OK;
}

static enum ts_status plan(struct ts_retention_work *work, struct ts_retain_reply *reply, struct ts_error *err)
{
	struct ts_retired *items;

	if (ts_retention_items(work, TS_RETENTION_ITEMS_MAX, &items, &reply->n, &reply->more_items, err) ||
	    fill_rows(work, reply, err) || weigh(work, items, reply->n, reply, err))
		return err->status;
	reply->items = ts_arena_array(&work->arena, reply->n, sizeof *reply->items);
	if (!reply->items)
		return ts_arena_error(&work->arena, err);
	for (size_t i = 0; i < reply->n; i++) {
		reply->items[i].what = items[i];
		reply->entries += items[i].kind == TS_REF_BRANCH;
		reply->names += items[i].kind == TS_REF_RUN;
	}
	return TS_OK;
}

static enum ts_status let_go(struct ts_retention_work *work, const struct ts_retain_request *request, struct ts_retain_reply *reply,
			     struct ts_error *err)
{
	struct ts_retired *items = ts_arena_array(&work->arena, request->n, sizeof *items);
	const char **why = ts_arena_array(&work->arena, request->n, sizeof(const char *));
	struct ts_retention_done done;

	reply->items = ts_arena_array(&work->arena, request->n, sizeof *reply->items);
	if (!items || !why || !reply->items)
		return ts_arena_error(&work->arena, err);
	for (size_t i = 0; i < request->n; i++)
		items[i] = request->items[i].what;
	if (ts_retention_let_go(work, items, request->n, ts_now_real_ns(), why, &done, err))
		return ts_error_prefix(err, "after %" PRIu64 " names and %" PRIu64 " entries went", done.names, done.entries);
	reply->names = done.names;
	reply->entries = done.entries;
	for (size_t i = 0; i < request->n; i++)
		if (why[i])
			reply->items[reply->n++] = (struct ts_retain_item){items[i], ts_span_str(why[i])};
	return TS_OK;
}

enum ts_status ts_handle_retain(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_retain_request request;
	struct ts_retain_reply reply = {.keep_removed_s = call->server->keep_removed_s};
	struct ts_retention_work work;
	int64_t now_ns = ts_now_real_ns();
	enum ts_status status;

	(void)state;
	if (ts_wire_unpack_retain_request(in, call->arena, &request, err))
		return err->status;
	if (request.n && request.as_of_ns == 0)
		return ts_error_set(err, TS_INVALID, "the request names what is to go, but not the moment of the plan that had it");
	if (request.as_of_ns > now_ns)
		return ts_error_set(err, TS_INVALID, "the moment of the plan lies in the future");
	reply.as_of_ns = request.as_of_ns ? request.as_of_ns : now_ns;
	if (ts_retention_open(&work, call, request.policy, "policy", reply.as_of_ns, err))
		return err->status;
	status = request.n ? let_go(&work, &request, &reply, err) : plan(&work, &reply, err);
	if (!status)
		status = reply_retain_reply(call, &reply, err);
	ts_retention_close(&work);
	return status;
}
