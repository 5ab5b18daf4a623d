/* get.c - GetRun: what show, facts and export begin with. */
#include "base/order.h"
#include "service/handlers/core/copied.h"
#include "service/handlers/core/describe.h"
#include "service/handlers/core/each_ref.h"
#include "service/handlers/core/lineage.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/resolve.h"
#include "service/handlers/core/run_ending.h"
#include "service/handlers/core/run_happenings.h"
#include "service/handlers/core/scores.h"

TS_REPLIER(get_reply, ts_get_reply);

enum { NAMES_MAX = 64 };

/* Orders the columns of all ranks by (table kind, name, type). */
TS_ORDER(compare_columns, struct ts_column_info, TS_UP(table); TS_TEXT(name); TS_UP(type); TS_UP(rank))

/* Events measure cost, and digests show what was computed; for steps, the names and the facts determine the role. */
static enum ts_role role_of(const struct ts_run *run, const struct ts_table *table, const struct ts_column *column)
{
	if (table->kind == TS_TABLE_PIPELINE || table->kind == TS_TABLE_EVENTS)
		return TS_ROLE_OBSERVATION;
	if (table->kind == TS_TABLE_DIGESTS || table->kind == TS_TABLE_SKETCHES)
		return TS_ROLE_TRAJECTORY;
	return ts_role_of(column->name, &run->head.facts);
}

static struct ts_column_info column_info(const struct ts_run *run, int32_t rank, const struct ts_table *table,
					 const struct ts_column *column)
{
	struct ts_column_info info = {
		.name = column->name,
		.type = column->type,
		.role = role_of(run, table, column),
		.precision = column->precision,
		.digits = column->digits,
		.table = table->kind,
		.rank = rank,
		.ranks = 1,
		.rows = table->rows,
		.rows_all = table->rows,
	};

	if (table->n_blocks > 0) {
		info.first_key = table->blocks[0].first_key;
		info.last_key = table->blocks[table->n_blocks - 1].last_key;
	}
	return info;
}

/* Merges sorted rows of the same column into one row, that of the lowest rank, which counts the others. */
static size_t merge_columns(struct ts_column_info *rows, size_t n)
{
	size_t out = 0;

	for (size_t i = 1; i < n; i++) {
		if (rows[i].table == rows[out].table && rows[i].type == rows[out].type &&
		    ts_span_eq(rows[i].name, rows[out].name)) {
			rows[out].ranks++;
			rows[out].rows_all += rows[i].rows;
		} else {
			rows[++out] = rows[i];
		}
	}
	return n ? out + 1 : 0;
}

static enum ts_status list_columns(const struct ts_run *run, struct ts_arena *arena, struct ts_get_reply *reply,
				   struct ts_error *err)
{
	size_t n = 0;

	reply->columns = ts_arena_array(arena, ts_run_count_columns(run), sizeof *reply->columns);
	if (!reply->columns)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < run->head.n_ranks; i++) {
		const struct ts_index *index = &run->indexes[i];

		for (size_t t = 0; t < index->n_tables; t++)
			for (size_t c = 0; c < index->tables[t].n_columns; c++)
				reply->columns[n++] =
					column_info(run, index->rank, &index->tables[t], &index->tables[t].columns[c]);
	}
	TS_SORT(reply->columns, n, compare_columns);
	reply->n_columns = merge_columns(reply->columns, n);
	return TS_OK;
}

static struct ts_column_metric metric_of(const struct ts_column_score *column)
{
	const struct ts_score *s = &column->score;
	enum ts_direction direction = ts_direction_of(column->name);
	struct ts_column_metric m = {.count = s->count, .nonfinite = s->nonfinite, .has_values = s->count > 0};
	struct ts_score_value value;

	if (!m.has_values)
		return m;
	m.last = s->last;
	m.min = s->min;
	m.max = s->max;
	m.last_step = s->last_step;
	m.min_step = s->min_step;
	m.max_step = s->max_step;
	m.has_mean = ts_score_value(s, direction, TS_STAT_MEAN, &value);
	if (m.has_mean)
		m.mean = value.real;
	m.has_best = ts_score_value(s, direction, TS_STAT_BEST, &value);
	if (m.has_best) {
		m.best = value.real;
		(void)ts_score_value(s, direction, TS_STAT_BEST_STEP, &value);
		m.best_step = value.integer;
	}
	return m;
}

/* Both lists are sorted by name. A run with damaged blocks is shown without metrics: verify says what is damaged. */
static enum ts_status add_metrics(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_get_reply *reply,
				  struct ts_error *err)
{
	struct ts_scores scores;
	size_t at = 0;

	if (ts_scores_of(f, run, arena, &scores, err))
		return err->status == TS_DAMAGED ? TS_OK : err->status;
	for (size_t i = 0; i < reply->n_columns; i++) {
		struct ts_column_info *column = &reply->columns[i];

		if (column->table != TS_TABLE_STEPS || column->type != TS_COLUMN_F64)
			continue;
		while (at < scores.n && ts_span_cmp(scores.items[at].name, column->name) < 0)
			at++;
		column->has_metric = at < scores.n && ts_span_eq(scores.items[at].name, column->name);
		if (column->has_metric)
			column->metric = metric_of(&scores.items[at]);
	}
	return TS_OK;
}

/* As above: damaged blocks of events cost the events alone. */
static enum ts_status add_happenings(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_get_reply *reply,
				     struct ts_error *err)
{
	if (ts_happenings_of_run(f, run, arena, &reply->happenings, err))
		return err->status == TS_DAMAGED ? TS_OK : err->status;
	reply->has_happenings = true;
	return TS_OK;
}

static enum ts_status list_files(const struct ts_run *run, struct ts_arena *arena, struct ts_get_reply *reply,
				 struct ts_error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < run->head.n_ranks; i++)
		n += run->indexes[i].n_files;
	reply->files = ts_arena_array(arena, n, sizeof *reply->files);
	if (!reply->files)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < run->head.n_ranks; i++)
		for (size_t k = 0; k < run->indexes[i].n_files; k++) {
			const struct ts_file *file = &run->indexes[i].files[k];

			reply->files[reply->n_files++] =
				(struct ts_file_info){run->indexes[i].rank, file->name, file->size, file->has_columns, file->columns};
		}
	return TS_OK;
}

/* Returns "project" of the requested name, or nothing for an id. */
static struct ts_span project_of(const struct ts_get_reply *reply)
{
	const uint8_t *slash = reply->by_ref ? memchr(reply->ref.name.data, '/', reply->ref.name.len) : NULL;

	return slash ? ts_span_of(reply->ref.name.data, (size_t)(slash - reply->ref.name.data)) : ts_span_of(NULL, 0);
}

static enum ts_status copy_name(struct ts_get_reply *reply, const struct ts_ref *ref, struct ts_arena *arena,
				struct ts_error *err)
{
	struct ts_ref copy = *ref;

	copy.name = ts_arena_span(arena, ref->name);
	copy.who = ts_arena_span(arena, ref->who);
	copy.summary = ts_arena_span(arena, ref->summary);
	if (!copy.name.data || !copy.who.data || !copy.summary.data)
		return ts_arena_error(arena, err);
	reply->names[reply->n_names++] = copy;
	return TS_OK;
}

/* Returns "project/"; for an id, the empty prefix of all projects. */
static struct ts_span project_prefix(const struct ts_get_reply *reply)
{
	struct ts_span project = project_of(reply);

	return project.len ? ts_span_of(project.data, project.len + 1) : project;
}

struct naming {
	struct ts_call *call;
	struct ts_get_reply *reply;
};

/* A ts_ref_visit: names are not indexed by the object that they point at. */
static enum ts_status take_name(void *ctx, const struct ts_ref *ref, bool *ret_enough, struct ts_error *err)
{
	struct naming *n = ctx;

	if (ts_id_eq(&ref->id, &n->reply->run.id) && copy_name(n->reply, ref, n->call->arena, err))
		return err->status;
	*ret_enough = n->reply->n_names == NAMES_MAX;
	return TS_OK;
}

static enum ts_status list_names(struct ts_call *call, struct ts_get_reply *reply, struct ts_error *err)
{
	static const enum ts_ref_kind kinds[] = {TS_REF_RUN, TS_REF_TAG, TS_REF_BRANCH};
	struct naming n = {call, reply};

	reply->names = ts_arena_array(call->arena, NAMES_MAX, sizeof *reply->names);
	if (!reply->names)
		return ts_arena_error(call->arena, err);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && reply->n_names < NAMES_MAX; i++)
		if (ts_each_ref(call, call->engine, kinds[i], project_prefix(reply), TS_ORDER_NAME, take_name, &n, err))
			return err->status;
	return TS_OK;
}

/* Where the name points, and its notes, at one moment: it may have been moved since it was resolved. */
static enum ts_status list_notes(struct ts_call *call, struct ts_get_reply *reply, struct ts_error *err)
{
	if (!reply->by_ref || reply->ref.kind != TS_REF_RUN)
		return TS_OK;
	if (call->engine->ops->note_list(call->engine, reply->ref.name, call->arena, &reply->ref, &reply->notes, &reply->n_notes, err))
		return err->status;
	reply->run.id = reply->ref.id;
	return TS_OK;
}

static enum ts_status fill(struct ts_call *call, struct ts_fetch *f, const struct ts_get_request *request, struct ts_arena *arena,
			   struct ts_get_reply *reply, struct ts_error *err)
{
	struct ts_description d;
	struct ts_run run;

	if (list_notes(call, reply, err) || ts_fetch_object(f, &reply->run.id, arena, &reply->head, err) ||
	    ts_run_open(f, &reply->run.id, arena, &run, err) || ts_describe(f, &run, arena, &d, err) ||
	    list_columns(&run, arena, reply, err) ||
	    (request->metrics && add_metrics(f, &run, arena, reply, err)) || list_files(&run, arena, reply, err) ||
	    ts_run_ending(f, &run, arena, &reply->ending, err) ||
	    (request->metrics && add_happenings(f, &run, arena, reply, err)) ||
	    ts_lineage_find(f, &run, project_of(reply), arena, &reply->lineage, err))
		return err->status;
	reply->run = d.run;
	reply->missing_ranks = d.missing;
	reply->n_missing = d.n_missing;
	if (list_names(call, reply, err) || ts_call_copied(call, &reply->copy, err) ||
	    ts_run_lose(call, &run, reply->by_ref ? &reply->ref : NULL, arena, &reply->ending, err))
		return err->status;
	return reply_get_reply(call, reply, err);
}

enum ts_status ts_handle_get_run(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_get_request request;
	struct ts_get_reply reply;
	struct ts_resolved what;
	struct ts_arena arena;
	struct ts_fetch f;
	enum ts_status status;

	(void)state;
	if (ts_wire_unpack_get_request(in, call->arena, &request, err) ||
	    ts_resolve(call->engine, request.spec, call->arena, &what, err))
		return err->status;
	memset(&reply, 0, sizeof reply);
	reply.run.id = what.id;
	reply.by_ref = what.by_ref;
	reply.ref = what.ref;
	ts_fetch_init(&f, call);
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	status = fill(call, &f, &request, &arena, &reply, err);
	ts_arena_finish(&arena);
	ts_fetch_finish(&f);
	return status;
}
