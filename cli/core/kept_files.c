#include "cli/core/kept_files.h"

#include "cli/core/ask.h"

/* The columns' indexes are asked for at once. */
static enum ts_status prefetch(struct ts_cli *cli, const struct ts_run_trace *files, size_t n, struct ts_error *err)
{
	struct ts_id *ids = ts_arena_array(&cli->arena, n, sizeof *ids);

	if (!ids)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < n; i++)
		ids[i] = files[i].columns;
	return ts_stored_prefetch(cli, ids, n, err);
}

enum ts_status ts_cli_kept_files(struct ts_cli *cli, const struct ts_get_reply *run, enum ts_table_kind table,
				struct ts_run_trace **ret_files, size_t *ret_n, struct ts_error *err)
{
	struct ts_run_trace *files = ts_arena_array(&cli->arena, run->n_files, sizeof *files);
	enum ts_status status;
	struct ts_arena work;
	size_t n = 0, kept = 0;

	if (!files)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < run->n_files; i++) {
		const struct ts_file_info *f = &run->files[i];

		if (f->has_columns)
			files[n++] = (struct ts_run_trace){f->rank, f->name, f->size, f->columns};
	}
	status = prefetch(cli, files, n, err);
	ts_arena_init(&work, 0);
	for (size_t i = 0; !status && i < n; i++) {
		bool has = false;

		status = ts_columns_have(ts_stored_object, cli, &files[i].columns, table, &work, &has, err);
		if (has)
			files[kept++] = files[i];
		ts_arena_reset(&work);
	}
	ts_arena_finish(&work);
	*ret_files = files;
	*ret_n = kept;
	return status;
}
