/* recorded_ops.c - see recorded_ops.h. */
#include "cli/verbs/recorded_ops.h"

#include "base/grow.h"
#include "base/map.h"
#include "cli/core/ask.h"
#include "ingest/export/run_view.h"

struct gathering {
	struct ts_cli *cli;
	struct ts_recorded_ops *ops;
	struct ts_map map;
	size_t cap, most;
};

static enum ts_status add(struct gathering *g, struct ts_span name, struct ts_error *err)
{
	struct ts_recorded_ops *ops = g->ops;
	uint64_t hash = ts_hash_bytes(ts_hash_open, name);
	uint32_t number;

	TS_MAP_FIND(g->map, hash, i, ts_span_eq(ops->names[i], name), number);
	if (number != TS_MAP_NONE)
		return TS_OK;
	if (ops->n == g->most) {
		ops->more = true;
		return TS_OK;
	}
	name = ts_arena_span(&g->cli->arena, name);
	if (!name.data || !TS_GROW_IN(&g->cli->arena, ops->names, g->cap, ops->n + 1, 64))
		return ts_arena_error(&g->cli->arena, err);
	if (!ts_map_add(&g->map, hash, (uint32_t)ops->n))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for names of operations");
	ops->names[ops->n++] = name;
	return TS_OK;
}

static enum ts_status of_rank(struct gathering *g, const struct ts_view *view, size_t which, struct ts_error *err)
{
	struct ts_arena arena;
	struct ts_index index;
	struct ts_rows rows;
	enum ts_status status;
	bool more = true;

	ts_arena_init(&arena, 0);
	status = ts_view_index(view, which, &arena, &index, err);
	if (!status && ts_index_column(&index, TS_TABLE_DIGESTS, ts_span_str("name"), TS_COLUMN_TEXT, NULL)) {
		status = ts_rows_open(&rows, view, &index, TS_TABLE_DIGESTS, err);
		if (!status) {
			size_t at = ts_rows_find(&rows, "name", TS_COLUMN_TEXT);

			while (!status && !(status = ts_rows_next(&rows, &more, err)) && more)
				if (ts_rows_has(&rows, at))
					status = add(g, ts_rows_text(&rows, at), err);
			ts_rows_close(&rows);
		}
	}
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_recorded_ops_of(struct ts_cli *cli, const struct ts_get_reply *run, size_t most, struct ts_recorded_ops *ret,
				  struct ts_error *err)
{
	struct gathering g = {.cli = cli, .ops = ret, .most = most};
	enum ts_status status = TS_OK;
	struct ts_view view;

	*ret = (struct ts_recorded_ops){.n = 0};
	if (ts_view_open(&view, &run->run.id, ts_stored_object, cli, err))
		return err->status;
	for (size_t i = 0; !status && i < view.head.n_ranks; i++)
		status = of_rank(&g, &view, i, err);
	ts_view_close(&view);
	ts_map_finish(&g.map);
	return status;
}
