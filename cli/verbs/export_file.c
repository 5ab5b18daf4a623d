/* export_file.c - see export_file.h. */
#include "cli/verbs/export_file.h"

#include "base/text.h"
#include "cli/core/ask.h"
#include "ingest/export/run_view.h"
#include "run/file_path.h"
#include "run/head.h"

static bool is_called(const struct ts_file_info *file, struct ts_span wanted, struct ts_arena *arena)
{
	return ts_span_eq(file->name, wanted) || ts_span_eq(ts_file_path(file->name, arena), wanted);
}

enum ts_status ts_export_find_file(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_file_info **ret,
				   struct ts_error *err)
{
	struct ts_span wanted = ts_span_str(ts_args_text(&cli->args, "file"));
	const struct ts_file_info *found = NULL;
	bool has_rank = false, several = false;
	uint64_t rank = 0;

	if (ts_args_uint(&cli->args, "rank", INT32_MAX, &has_rank, &rank, err))
		return ts_error_prefix(err, "export");
	for (size_t i = 0; i < run->n_files; i++) { /* the job's come first */
		const struct ts_file_info *file = &run->files[i];

		if (!is_called(file, wanted, &cli->arena) || (has_rank && file->rank != (int32_t)rank))
			continue;
		several |= found && found->rank != TS_RANK_JOB;
		found = found ? found : file;
	}
	if (!found)
		return ts_error_set(err, TS_NOT_FOUND, "export: the run has no file %s; 'tscope show' lists its files",
				    ts_show(wanted).text);
	if (several)
		return ts_error_set(err, TS_AMBIGUOUS, "export: several ranks have a file %s; say which with --rank",
				    ts_show(wanted).text);
	*ret = found;
	return TS_OK;
}

enum ts_status ts_export_file(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_file_info *file, int fd,
			      struct ts_error *err)
{
	struct ts_file found;
	enum ts_status status;
	struct ts_view view;

	if (fd < 0 && file->size > TS_EXPORT_SERVED_MAX)
		return ts_error_set(err, TS_TOO_LARGE,
				    "%s has %" PRIu64 " bytes, and a page gives files of at most %d MiB: 'tscope export RUN --file' "
				    "writes it",
				    ts_show(file->name).text, file->size, TS_EXPORT_SERVED_MAX >> 20);
	if (ts_view_open(&view, &run->run.id, ts_stored_object, cli, err))
		return err->status;
	status = ts_view_find_file(&view, file->rank, file->name, &cli->arena, &found, err);
	if (!status)
		status = fd < 0 ? ts_view_file(&view, &found, &cli->out, err) : ts_view_write_file(&view, &found, fd, err);
	ts_view_close(&view);
	return status;
}
