#include "run/trace_list.h"

#include "base/grow.h"
#include "base/limits.h"
#include "run/head.h"
#include "run/run_index.h"

struct listing {
	ts_object_source *get;
	void *ctx;
	enum ts_table_kind about; /* the table that such columns alone have */
	struct ts_arena *arena; /* what is given back */
	struct ts_arena work;
	struct ts_run_trace *traces;
	size_t n, cap;
};

static enum ts_status add(struct listing *l, int32_t rank, const struct ts_file *file, struct ts_error *err)
{
	struct ts_span name = ts_arena_span(l->arena, file->name);

	if (!TS_GROW_IN(l->arena, l->traces, l->cap, l->n + 1, 8))
		return ts_arena_error(l->arena, err);
	if (!name.data)
		return ts_arena_error(l->arena, err);
	l->traces[l->n++] = (struct ts_run_trace){.rank = rank, .name = name, .size = file->size, .columns = file->columns};
	return TS_OK;
}

enum ts_status ts_columns_have(ts_object_source *get, void *ctx, const struct ts_id *id, enum ts_table_kind table,
			       struct ts_arena *arena, bool *ret, struct ts_error *err)
{
	struct ts_index columns;

	if (ts_run_index(get, ctx, id, TS_RANK_JOB, arena, &columns, err))
		return err->status;
	*ret = false;
	for (size_t i = 0; i < columns.n_tables; i++)
		*ret |= columns.tables[i].kind == table;
	return TS_OK;
}

/* The columns of other files have other tables. */
static enum ts_status is_wanted(struct listing *l, const struct ts_file *file, bool *ret, struct ts_error *err)
{
	*ret = false;
	return file->has_columns ? ts_columns_have(l->get, l->ctx, &file->columns, l->about, &l->work, ret, err) : TS_OK;
}

static enum ts_status add_rank(struct listing *l, const struct ts_rank_ref *rank, struct ts_error *err)
{
	struct ts_index index;

	if (ts_run_index(l->get, l->ctx, &rank->index, rank->rank, &l->work, &index, err))
		return err->status;
	for (size_t i = 0; i < index.n_files; i++) {
		bool is = false;

		if (is_wanted(l, &index.files[i], &is, err) || (is && add(l, rank->rank, &index.files[i], err)))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status list(struct listing *l, const struct ts_id *id, struct ts_error *err)
{
	struct ts_arena of_head;
	struct ts_span object;
	struct ts_head head;
	enum ts_status status;

	ts_arena_init(&of_head, 0);
	status = l->get(l->ctx, id, &of_head, &object, err);
	if (!status)
		status = ts_head_decode(object, &of_head, &head, err);
	for (size_t i = 0; !status && i < head.n_ranks; i++) {
		ts_arena_reset(&l->work);
		status = add_rank(l, &head.ranks[i], err);
	}
	ts_arena_finish(&of_head);
	return status;
}

static enum ts_status list_all(ts_object_source *get, void *ctx, const struct ts_id *head, enum ts_table_kind about,
			       struct ts_arena *arena, struct ts_run_trace **ret_traces, size_t *ret_n, struct ts_error *err)
{
	struct listing l = {.get = get, .ctx = ctx, .about = about, .arena = arena};
	enum ts_status status;

	ts_arena_init(&l.work, TS_ANALYSIS_ARENA);
	status = list(&l, head, err);
	ts_arena_finish(&l.work);
	if (status)
		return status;
	*ret_traces = l.traces;
	*ret_n = l.n;
	return TS_OK;
}

enum ts_status ts_run_traces(ts_object_source *get, void *ctx, const struct ts_id *head, struct ts_arena *arena,
			     struct ts_run_trace **ret_traces, size_t *ret_n, struct ts_error *err)
{
	return list_all(get, ctx, head, TS_TABLE_ABOUT, arena, ret_traces, ret_n, err);
}

enum ts_status ts_run_snapshots(ts_object_source *get, void *ctx, const struct ts_id *head, struct ts_arena *arena,
				struct ts_run_trace **ret_snapshots, size_t *ret_n, struct ts_error *err)
{
	return list_all(get, ctx, head, TS_TABLE_SNAPSHOT_ABOUT, arena, ret_snapshots, ret_n, err);
}
