#include "cli/trace/folder.h"

#include "base/below.h"
#include "base/grow.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/core/path_run.h"
#include "cli/trace/analyze_trace.h"
#include "ingest/rundir/run_dir.h"
#include "ingest/trace/trace_sniff.h"

enum { FILES_MAX = 1 << 20 };

/* --- listing --- */

struct list {
	const char *top;
	struct ts_arena *arena;
	const char **names; /* relative to top */
	size_t n, cap;
};

static enum ts_status add_name(struct list *l, const char *name, struct ts_error *err)
{
	if (l->n == FILES_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%s has more than %d files", l->top, FILES_MAX);
	if (!TS_GROW_IN(l->arena, l->names, l->cap, l->n + 1, 64))
		return ts_arena_error(l->arena, err);
	l->names[l->n++] = name;
	return TS_OK;
}

/* Adds the files of a folder, which is `within` top or, if that is empty, top itself. */
static enum ts_status list_folder(struct list *l, const char *within, struct ts_error *err)
{
	const char *path = *within ? ts_path_join(l->arena, l->top, within) : l->top;
	char **names;
	size_t n;

	if (!path)
		return ts_arena_error(l->arena, err);
	if (ts_below_list(l->top, path, l->arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		const char *name = *within ? ts_path_join(l->arena, within, names[i]) : names[i];
		const char *full = name ? ts_path_join(l->arena, l->top, name) : NULL;

		if (!full)
			return ts_arena_error(l->arena, err);
		if (names[i][0] == '.')
			continue;
		if (ts_below_kind(l->top, full) != TS_FILE_DIRECTORY) {
			if (add_name(l, name, err))
				return err->status;
		} else if (!*within && list_folder(l, name, err)) {
			if (err->status == TS_NO_MEMORY || err->status == TS_TOO_LARGE)
				return err->status;
			if (add_name(l, name, err)) /* a folder that may not be read is a row that says so */
				return err->status;
		}
	}
	return TS_OK;
}

static enum ts_status is_trace_below(const struct list *l, const char *name, bool *ret, struct ts_error *err)
{
	const char *path = ts_path_join(l->arena, l->top, name);

	*ret = false;
	if (!path)
		return ts_arena_error(l->arena, err);
	return ts_below_kind(l->top, path) == TS_FILE_REGULAR ? ts_trace_sniff(path, ret, err) : TS_OK;
}

/* --- is it one --- */

/* Whether this is a file of steps or facts, so that its folder is a run whatever lies beside it. */
static bool is_record(const char *path)
{
	static const char *const names[] = {"steps.jsonl", "recording.tscope", "run.json", "facts.json", "launch.json"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(ts_path_last(path), names[i]) == 0)
			return true;
	return false;
}

/* Whether a reader that is not about traces alone takes the folder for a run, or a rank in it records steps. *ret_known: some reader
 * takes it for one. */
static enum ts_status has_runs(struct ts_cli *cli, const struct list *l, bool *ret, bool *ret_known, struct ts_error *err)
{
	struct ts_found_run *runs;
	struct ts_error none;
	size_t n;

	*ret = *ret_known = false;
	if (ts_path_discover(cli, l->top, &runs, &n, &none)) {
		if (none.status != TS_NO_MEMORY)
			return TS_OK;
		*err = none;
		return err->status;
	}
	*ret_known = true;
	for (size_t i = 0; i < l->n; i++)
		*ret |= is_record(l->names[i]);
	for (size_t i = 0; i < n; i++)
		*ret |= runs[i].reader->read != ts_run_dir_read && !(runs[i].reader->flags & TS_READER_KEPT);
	return TS_OK;
}

/* Counts traces among the files, up to `enough`: by their names alone, or by what they begin with. */
static enum ts_status count_traces(const struct list *l, bool by_name, size_t enough, size_t *ret, struct ts_error *err)
{
	*ret = 0;
	for (size_t i = 0; i < l->n && *ret < enough; i++) {
		bool is = false;

		if ((!by_name || ts_trace_named(l->names[i])) && is_trace_below(l, l->names[i], &is, err))
			return err->status;
		*ret += is;
	}
	return TS_OK;
}

/* Asks what is cheap first: a folder of many files that is a run is not looked through. One trace alone in a folder that readers of
 * runs know is shown as a trace, by them. */
enum ts_status ts_is_trace_folder(struct ts_cli *cli, const char *word, bool *ret, struct ts_error *err)
{
	struct list l = {.top = word, .arena = &cli->arena};
	struct ts_error cannot;
	bool runs, known;
	size_t n;

	*ret = false;
	if (!ts_is_path(word) || ts_below_kind(word, word) != TS_FILE_DIRECTORY)
		return TS_OK;
	if (list_folder(&l, "", &cannot)) {
		if (cannot.status != TS_NO_MEMORY)
			return TS_OK; /* whoever reads it as a run says why it cannot be read */
		*err = cannot;
		return err->status;
	}
	for (size_t i = 0; i < l.n; i++)
		if (is_record(l.names[i]) && !strchr(l.names[i], '/'))
			return TS_OK;
	if (has_runs(cli, &l, &runs, &known, err))
		return err->status;
	if (runs)
		return TS_OK;
	if (count_traces(&l, true, 2, &n, err) || (n < 2 && count_traces(&l, false, 2, &n, err)))
		return err->status;
	*ret = n > 1 || (n && !known);
	return TS_OK;
}

/* --- reading --- */

/* HOST of a file that TensorBoard's handler named HOST_PID.TIME.pt.trace.json; empty: it is not named so. */
static struct ts_span host_in(const char *name)
{
	struct ts_span file = ts_span_str(ts_path_last(name)), head;
	size_t pid;

	if (!ts_span_contains(file, ".pt.trace.json"))
		return ts_span_str("");
	head = ts_span_through(file, '.');
	head.len -= head.len > 0;
	for (pid = head.len; pid && ts_is_digit(head.data[pid - 1]); pid--)
		;
	return pid > 1 && pid < head.len && head.data[pid - 1] == '_' ? ts_span_part(head, 0, pid - 1) : ts_span_str("");
}

enum ts_status ts_trace_of_job(const struct ts_cli *cli, struct ts_trace *trace, const char *name, struct ts_arena *arena,
			       struct ts_job_trace *ret, struct ts_measures *ret_rows, struct ts_error *err)
{
	struct ts_arena scratch;
	enum ts_status status;

	if (trace->about.rank != TS_TRACE_NONE && ts_cut_trace(cli, name, trace, err))
		return err->status;
	ts_arena_init(&scratch, cli->arena.ceiling);
	*ret_rows = (struct ts_measures){0};
	status = ts_job_trace_of(trace, &scratch, arena, ret, err);
	if (!status && ret->has_rank)
		status = ts_trace_rows_of(trace, &scratch, arena, ret_rows, err);
	ts_arena_finish(&scratch);
	if (status)
		return status;
	ret->file = name;
	if (!ret->host.len)
		ret->host = host_in(name);
	return TS_OK;
}

/* The error without the path before it, which the row has. */
static const char *without(const char *text, const char *path)
{
	size_t len = strlen(path);

	return strncmp(text, path, len) == 0 && text[len] == ':' && text[len + 1] == ' ' ? text + len + 2 : text;
}

static enum ts_status read_trace(struct ts_cli *cli, const struct list *l, struct ts_job_file *row, struct ts_job_trace *ret,
				 struct ts_measures *ret_rows, struct ts_error *err)
{
	struct ts_notices notices = {.arena = l->arena};
	const char *path = ts_path_join(l->arena, l->top, row->name);
	struct ts_trace_file file;
	struct ts_error cannot;
	struct ts_trace trace;
	enum ts_status status;

	if (!path)
		return ts_arena_error(l->arena, err);
	status = ts_load_trace(cli, l->top, path, &notices, &trace, &file, &cannot);
	if (status == TS_NO_MEMORY) {
		*err = cannot;
		return status;
	}
	if (status) {
		row->state = TS_JOB_FILE_FAILED;
		row->why = ts_arena_printf(l->arena, "%s", without(cannot.text, path));
		return row->why ? TS_OK : ts_arena_error(l->arena, err);
	}
	ts_say_notices(cli, path, &notices, false);
	row->state = TS_JOB_FILE_READ;
	row->cut = file.cut;
	status = ts_trace_of_job(cli, &trace, row->name, l->arena, ret, ret_rows, err);
	ts_trace_finish(&trace);
	ts_trace_file_finish(&file);
	return status == TS_NO_MEMORY ? ts_error_prefix(err, "%s", path) : status;
}

enum ts_status ts_trace_folder_read(struct ts_cli *cli, const char *path, struct ts_arena *arena, struct ts_trace_folder *ret,
				    struct ts_error *err)
{
	struct list l = {.top = path, .arena = arena};
	struct ts_trace_folder out = {0};

	if (list_folder(&l, "", err))
		return err->status;
	out.files = ts_arena_array(arena, l.n, sizeof *out.files);
	out.traces = ts_arena_array(arena, l.n, sizeof *out.traces);
	out.rows = ts_arena_array(arena, l.n, sizeof *out.rows);
	out.file_of = ts_arena_array(arena, l.n, sizeof *out.file_of);
	if (!out.files || !out.traces || !out.rows || !out.file_of)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < l.n; i++) {
		struct ts_job_file *row = &out.files[out.n_files++];
		const char *full = ts_path_join(arena, path, l.names[i]);
		bool is_trace;

		if (!full)
			return ts_arena_error(arena, err);
		*row = (struct ts_job_file){.name = l.names[i], .state = TS_JOB_FILE_OTHER, .why = ts_below_what(path, full)};
		if (is_trace_below(&l, l.names[i], &is_trace, err))
			return err->status;
		if (is_trace && read_trace(cli, &l, row, &out.traces[out.n_traces], &out.rows[out.n_traces], err))
			return err->status;
		if (row->state == TS_JOB_FILE_READ)
			out.file_of[out.n_traces++] = i;
	}
	*ret = out;
	return TS_OK;
}
