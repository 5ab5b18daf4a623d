/* verb_export.c - tscope export: a run back to files. */
#include "base/csv.h"
#include "base/limits.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/json/json_parts.h"
#include "cli/trace/chosen_trace.h"
#include "cli/verbs/export_file.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"
#include "ingest/export/export.h"
#include "ingest/export/trace_csv.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* What is written: the run in a format, one file of it, or a table of a trace. */
struct export {
	const char *format;
	const struct ts_get_reply *run;
	const struct ts_file_info *file; /* NULL: the run */
	const struct ts_trace_sheet *sheet; /* NULL: none; the others are not set then */
};

static enum ts_status to_descriptor(struct ts_cli *cli, const struct export *what, int fd, struct ts_error *err)
{
	const struct ts_id *head = what->sheet ? NULL : &what->run->run.id;
	const char *format = what->format;

	if (what->sheet)
		return ts_trace_csv(what->sheet, ts_args_has(&cli->args, "no-formulas") ? TS_CSV_NO_FORMULA : 0, fd, err);
	if (what->file)
		return ts_export_file(cli, what->run, what->file, fd, err);
	if (strcmp(format, "csv") == 0 && ts_args_has(&cli->args, "no-formulas"))
		return ts_export_csv_no_formulas(head, ts_stored_object, cli, fd, err);
	if (strcmp(format, "csv") == 0)
		return ts_export_csv(head, ts_stored_object, cli, fd, err);
	if (strcmp(format, "jsonl") == 0)
		return ts_export_jsonl(head, ts_stored_object, cli, fd, err);
	return ts_export_npz(head, ts_stored_object, cli, fd, err);
}

/* Writes to a new file, and never overwrites one. The new file is removed if it could not be finished. */
static enum ts_status to_file(struct ts_cli *cli, const struct export *what, const char *path, struct ts_error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	enum ts_status status;

	if (fd < 0 && errno == EEXIST)
		return ts_error_set(err, TS_INVALID, "export: %s exists already, and export does not overwrite files", path);
	if (fd < 0)
		return ts_error_errno(err, errno, "export: %s", path);
	status = to_descriptor(cli, what, fd, err);
	if (!status && fsync(fd) && errno != EINVAL)
		status = ts_error_errno(err, errno, "export: %s", path);
	close(fd);
	if (status)
		unlink(path);
	return status;
}

/* Returns the path to write to, or NULL for stdout. */
static enum ts_status destination(const struct ts_cli *cli, const char *format, const char **ret_path,
				  struct ts_error *err)
{
	const char *output = ts_args_text(&cli->args, "output"), *word = ts_cli_word(cli, 1);
	bool file = ts_args_has(&cli->args, "file"), run = strcmp(format, "run") == 0 && !file;

	if (output && word)
		return ts_error_set(err, TS_INVALID, "export: two outputs are given: %s and --output %s", word, output);
	if (ts_args_has(&cli->args, "no-formulas") && strcmp(format, "csv") != 0)
		return ts_error_set(err, TS_INVALID, "export: --no-formulas is for --format csv");
	if (file && (ts_args_has(&cli->args, "format") || cli->json))
		return ts_error_set(err, TS_INVALID, "export: a file is written as it was pushed: --format and --json have no place "
						     "beside --file");
	if (!file && ts_args_has(&cli->args, "rank"))
		return ts_error_set(err, TS_INVALID, "export: --rank is for --file or --table");
	*ret_path = output ? output : word;
	if (run && !*ret_path)
		return ts_error_set(err, TS_INVALID, "export: no directory is given; usage: tscope export RUN DIRECTORY");
	if (!*ret_path && (strcmp(format, "npz") == 0 || cli->json))
		return ts_error_set(err, TS_INVALID, "export: give the file with --output");
	return TS_OK;
}

static void told(struct ts_cli *cli, const struct ts_run_ref *run, const char *format, const char *path,
		 const struct ts_renamed *renamed)
{
	struct ts_json json, *j = &json;

	if (ts_args_has(&cli->args, "file")) {
		ts_cli_say(cli, "wrote %s", path);
		return;
	}
	if (!cli->json) {
		ts_cli_say(cli, "wrote %s as %s to %s", ts_show_id(&run->id, &cli->arena),
			   strcmp(format, "run") == 0 ? "a run directory" : format, path);
		for (const struct ts_renamed *row = renamed; row; row = row->next)
			ts_cli_say(cli,
				   "the file %s is written as %s, since its name can be none there: a push of the directory has "
				   "another id",
				   ts_show_text(row->was, &cli->arena), row->is);
		return;
	}
	json = ts_cli_json(cli);
	ts_json_object(j);
	ts_json_run(j, "run", run);
	ts_json_key(j, "format");
	ts_json_string(j, format);
	ts_json_key(j, "path");
	ts_json_string(j, path);
	ts_json_key(j, "renamed");
	ts_json_array(j);
	for (const struct ts_renamed *row = renamed; row; row = row->next) {
		ts_json_object(j);
		ts_json_key(j, "from");
		ts_json_span(j, row->was);
		ts_json_key(j, "to");
		ts_json_string(j, row->is);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}

/* --table: of a trace that is a file, or of a run. */
static enum ts_status table_of_trace(struct ts_cli *cli, const char *table, struct ts_error *err)
{
	const char *output = ts_args_text(&cli->args, "output"), *word = ts_cli_word(cli, 1), *path = output ? output : word;
	const char *format = ts_args_text(&cli->args, "format");
	struct ts_trace_choice choice = {.word = ts_cli_word(cli, 0), .name = ts_args_text(&cli->args, "file")};
	struct ts_chosen_trace chosen;
	struct ts_trace_sheet sheet;
	enum ts_status status;
	uint64_t rank = 0;

	if (output && word)
		return ts_error_set(err, TS_INVALID, "export: two outputs are given: %s and --output %s", word, output);
	if (cli->json || (format && strcmp(format, "csv") != 0))
		return ts_error_set(err, TS_INVALID, "export: --table writes CSV; tscope.trace() of the Python package gives the same "
						     "table to pandas, polars, pyarrow and DuckDB");
	if (cli->served)
		return ts_error_set(err, TS_UNSUPPORTED, "export: a page does not give tables of traces");
	if (ts_args_uint(&cli->args, "rank", INT32_MAX, &choice.has_rank, &rank, err))
		return ts_error_prefix(err, "export");
	choice.rank = (int32_t)rank;
	if (ts_choose_trace(cli, &choice, &chosen, err))
		return ts_error_prefix(err, "export");
	if (chosen.trace.cut && !chosen.is_file) /* of a file that was said as it was read */
		ts_cli_say(cli, "%s: the file of its trace ended too early when it was pushed; the table has what stood before",
			   choice.word);
	status = ts_trace_sheet_open(&chosen.trace, ts_span_str(table), &cli->arena, &sheet, err);
	if (status)
		(void)ts_error_prefix(err, "export");
	else
		status = path ? to_file(cli, &(struct export){.sheet = &sheet}, path, err)
			      : to_descriptor(cli, &(struct export){.sheet = &sheet}, STDOUT_FILENO, err);
	ts_chosen_trace_finish(&chosen);
	if (!status && path)
		ts_cli_say(cli, "wrote %zu rows of %s to %s", sheet.rows, sheet.name, path);
	return status;
}

enum ts_status ts_verb_export(struct ts_cli *cli, struct ts_error *err)
{
	const char *format = ts_args_text(&cli->args, "format"), *path = NULL;
	struct ts_export_names names = {.arena = &cli->arena};
	struct ts_get_reply run;
	struct export what = {.run = &run};
	struct ts_span spec;
	enum ts_status status;

	if (ts_args_has(&cli->args, "table"))
		return table_of_trace(cli, ts_args_text(&cli->args, "table"), err);
	if (!format)
		format = "run";
	status = destination(cli, format, &path, err);
	if (!status)
		status = ts_cli_run(cli, ts_cli_word(cli, 0), &spec, err);
	if (!status)
		status = ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err);
	if (!status && ts_args_has(&cli->args, "file"))
		status = ts_export_find_file(cli, &run, &what.file, err);
	if (status)
		return status;
	what.format = format;
	if (!what.file && strcmp(format, "run") == 0)
		status = ts_export_run_dir(&run.run.id, ts_stored_object, cli, path, &names, err);
	else if (path)
		status = to_file(cli, &what, path, err);
	else
		/* This is the only answer that is not held back until it is complete, because it may be as long as the run. */
		status = to_descriptor(cli, &what, cli->served ? -1 : STDOUT_FILENO, err);
	if (!status && path)
		told(cli, &run.run, format, path, names.first);
	return status;
}
