#include "cli/verbs/launch_folder.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "base/text.h"
#include "base/version.h"
#include "ingest/facts/facts_json.h"
#include "ingest/facts/redact.h"
#include "ingest/host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FACTS_MAX = 16 << 20, NAME_MAX_BYTES = 128 };

/* --- where --- */

static const char *variable(const char *const *names)
{
	for (; *names; names++) {
		const char *value = getenv(*names);

		if (value && *value)
			return value;
	}
	return NULL;
}

/* The number in the first of these variables that is set; -1: none is, or it has none. */
static int64_t number_in(const char *const *names)
{
	const char *text = variable(names);
	int64_t value = -1;

	for (; text && *text; text++) {
		if (*text < '0' || *text > '9' || value > INT32_MAX / 10)
			return -1;
		value = (value < 0 ? 0 : value * 10) + (*text - '0');
	}
	return value;
}

/* A word that all processes of a job share and no other job has; NULL: nothing tells. */
static const char *job_word(struct ts_arena *arena)
{
	static const char *const ids[] = {"SLURM_JOB_ID", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PBS_JOBID", "LSB_JOBID", NULL};
	static const char *const ports[] = {"MASTER_PORT", NULL}, *const steps[] = {"SLURM_STEP_ID", NULL};
	const char *id = variable(ids), *port = variable(ports), *step = variable(steps);
	char *word = id	     ? ts_arena_printf(arena, "%s%s%s", id, step ? "." : "", step ? step : "")
		     : port  ? ts_arena_printf(arena, "job-%s", port)
			     : NULL;

	for (char *at = word; at && *at; at++)
		if (!ts_is_alnum((uint8_t)*at) && *at != '.' && *at != '-' && *at != '_')
			*at = '-';
	return word;
}

/* runs/PROGRAM-TIME, or the same name for each process of a job. */
static const char *default_path(struct ts_launch_folder *f, const char *program, struct ts_error *err)
{
	const char *job = f->joins ? job_word(&f->cli->arena) : NULL;
	time_t now = (time_t)(f->began_ns / 1000000000);
	char text[32] = "";
	struct tm local;

	if (f->joins && !job)
		ts_error_set(err, TS_INVALID, "run: each of several processes needs --directory DIR, the same for all, because nothing "
					      "tells which job they are");
	else if (!job && localtime_r(&now, &local) && strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local) == 0)
		text[0] = '\0';
	return f->joins && !job ? NULL : ts_arena_printf(&f->cli->arena, "runs/%.*s-%s", NAME_MAX_BYTES, program, job ? job : text);
}

/* What makes a folder that of a run already; NULL: nothing does. */
static const char *holds(const struct ts_launch_folder *f)
{
	static const char *const names[] = {"recording.tscope", "steps.jsonl", "run.json", "launch.json", "rank0"};
	struct stat st;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *path = ts_path_join(&f->cli->arena, f->mine, names[i]);

		if (path && stat(path, &st) == 0)
			return names[i];
	}
	return NULL;
}

static bool goes_on(void)
{
	static const char *const counts[] = {"SLURM_RESTART_COUNT", "TORCHELASTIC_RESTART_COUNT", NULL};

	return number_in(counts) > 0;
}

/* Of several that begin in one folder at once, one has it. */
static enum ts_status claim(struct ts_launch_folder *f, struct ts_error *err)
{
	const char *other = goes_on() ? NULL : holds(f);
	int fd;

	if (other)
		return ts_error_set(err, TS_CONFLICT,
				    "run: %s holds a run already (%s is there); nothing was started, and another folder can be named",
				    f->mine, other);
	fd = open(f->lock, O_RDWR | O_CREAT | (goes_on() ? 0 : O_EXCL) | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0 && errno == EEXIST)
		return ts_error_set(err, TS_CONFLICT,
				    "run: another tscope run has begun in %s; nothing was started, and another folder can be named",
				    f->mine);
	if (fd < 0)
		return ts_error_errno(err, errno, "run: %s", f->lock);
	(void)close(fd);
	return TS_OK;
}

static enum ts_status find_place(struct ts_launch_folder *f, const char *program, struct ts_error *err)
{
	static const char *const ranks[] = {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", NULL};
	static const char *const worlds[] = {"WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
	const char *named = ts_args_text(&f->cli->args, "directory");
	int64_t rank = number_in(ranks);
	struct ts_arena *a = &f->cli->arena;

	f->joins = rank >= 0 && number_in(worlds) > 1;
	f->rank = f->joins ? rank : 0;
	f->run = named ? named : default_path(f, program, err);
	if (!f->run)
		return a->failed ? ts_arena_error(a, err) : err->status;
	for (int i = 2; !named && !f->joins && i < 1000 && access(f->run, F_OK) == 0; i++) /* two within a second */
		f->run = ts_arena_printf(a, "%s-%d", default_path(f, program, err), i);
	f->mine = f->joins ? ts_arena_printf(a, "%s/rank%" PRId64, f->run, rank) : f->run;
	f->lock = f->mine ? ts_path_join(a, f->mine, ".launch.lock") : NULL;
	return f->lock ? TS_OK : ts_arena_error(a, err);
}

/* --- facts --- */

enum ts_status ts_launch_fact(struct ts_launch_folder *folder, const struct ts_fact *fact, struct ts_error *err)
{
	struct ts_arena *a = &folder->cli->arena;
	struct ts_fact mine = *fact;

	if (mine.type == TS_FACT_TEXT && (!ts_utf8_valid(mine.text) || !mine.text.len))
		return TS_OK;
	if (ts_redact(&mine, ts_secret_path(mine.path), a, err))
		return err->status;
	for (size_t i = folder->facts.n; i-- > 0;) /* the last one counts */
		if (ts_span_eq(folder->facts.items[i].path, mine.path)) {
			folder->facts.items[i] = mine;
			return TS_OK;
		}
	return ts_facts_add(&folder->facts, &mine, a, err);
}

static enum ts_status add(struct ts_launch_folder *f, const char *name, struct ts_fact fact, struct ts_error *err)
{
	char *path = ts_arena_printf(&f->cli->arena, "session.launch.%s", name);

	if (!path)
		return ts_arena_error(&f->cli->arena, err);
	fact.path = ts_span_str(path);
	fact.source = TS_SOURCE_HOST;
	return ts_launch_fact(f, &fact, err);
}

enum ts_status ts_launch_fact_text(struct ts_launch_folder *folder, const char *name, const char *text, struct ts_error *err)
{
	struct ts_span copy = text ? ts_arena_span(&folder->cli->arena, ts_span_str(text)) : ts_span_of(NULL, 0);

	if (!text)
		return TS_OK;
	return copy.data ? add(folder, name, (struct ts_fact){.type = TS_FACT_TEXT, .text = copy}, err)
			 : ts_arena_error(&folder->cli->arena, err);
}

enum ts_status ts_launch_fact_int(struct ts_launch_folder *folder, const char *name, int64_t value, struct ts_error *err)
{
	return add(folder, name, (struct ts_fact){.type = TS_FACT_INT, .integer = value}, err);
}

enum ts_status ts_launch_fact_real(struct ts_launch_folder *folder, const char *name, double value, struct ts_error *err)
{
	return add(folder, name, (struct ts_fact){.type = TS_FACT_FLOAT, .real = value}, err);
}

/* Appends a word as a shell reads it. */
static void put_word(struct ts_buf *line, const char *word)
{
	static const char plain[] = "@%_-+=:,./";
	bool quote = !*word;

	for (const char *at = word; *at; at++)
		quote |= !ts_is_alnum((uint8_t)*at) && !strchr(plain, *at);
	if (line->len)
		ts_buf_char(line, ' ');
	if (quote)
		ts_buf_char(line, '\'');
	for (const char *at = word; *at; at++)
		ts_buf_str(line, *at == '\'' ? "'\\''" : (const char[]){*at, '\0'});
	if (quote)
		ts_buf_char(line, '\'');
}

/* The facts of the host with the command line as a shell reads it; what is not UTF-8 cannot be kept. */
static enum ts_status host_facts(struct ts_launch_folder *f, const char *const *words, struct ts_error *err)
{
	struct ts_buf line = TS_BUF_INIT(1 << 20);
	struct ts_host_wanted wanted = {.dir = ".", .patch = !ts_args_has(&f->cli->args, "no-patch")};
	const char *no_patch = NULL;
	enum ts_status status;

	for (; *words; words++)
		put_word(&line, *words);
	ts_buf_char(&line, '\0');
	if (!line.failed && ts_utf8_valid(ts_span_of(line.data, line.len - 1)))
		wanted.command = (const char *)line.data;
	status = ts_host_facts(&wanted, &f->cli->arena, &f->facts, &no_patch, err);
	/* What the processes record as their command has no launcher before it. */
	if (!status && wanted.command)
		status = ts_launch_fact_text(f, "command", wanted.command, err);
	ts_buf_finish(&line);
	if (!status && no_patch)
		status = ts_launch_fact_text(f, "no_patch", no_patch, err);
	return status;
}

static enum ts_status own_facts(struct ts_launch_folder *f, struct ts_error *err)
{
	const char *by = ts_arena_printf(&f->cli->arena, "tscope run %s", ts_version());
	char *here = realpath(".", NULL);
	enum ts_status status = ts_launch_fact_text(f, "working_directory", here, err);

	free(here);
	if (status || ts_launch_fact_text(f, "by", by, err) || ts_launch_fact_int(f, "process", getpid(), err) ||
	    ts_launch_fact_real(f, "began", (double)f->began_ns / 1e9, err) || ts_launch_fact_text(f, "end.state", "running", err) ||
	    ts_launch_fact_text(f, "name", ts_args_text(&f->cli->args, "name"), err))
		return err->status;
	return TS_OK;
}

enum ts_status ts_launch_folder_write(struct ts_launch_folder *folder, struct ts_error *err)
{
	const char *path = ts_path_join(&folder->cli->arena, folder->mine, "launch.json");
	struct ts_buf text = TS_BUF_INIT(FACTS_MAX);
	struct ts_facts sorted = folder->facts;
	enum ts_status status;

	(void)ts_facts_sort(&sorted);
	ts_facts_to_json(&sorted, &text);
	ts_buf_char(&text, '\n');
	status = path ? ts_buf_check(&text, err) : ts_arena_error(&folder->cli->arena, err);
	if (!status)
		status = ts_file_replace(path, ts_buf_view(&text), 0644, err);
	ts_buf_finish(&text);
	return status;
}

enum ts_status ts_launch_folder_make(struct ts_cli *cli, const char *const *words, const char *program, struct ts_launch_folder *ret,
				     struct ts_error *err)
{
	struct ts_launch_folder f = {.cli = cli, .began_ns = ts_now_real_ns(), .mono_ns = ts_now_mono_ns()};

	if (find_place(&f, program, err) || ts_make_dirs(f.mine, 0777, err) || claim(&f, err) || own_facts(&f, err) ||
	    ts_launch_folder_write(&f, err) || host_facts(&f, words, err) || ts_launch_folder_write(&f, err))
		return err->status;
	*ret = f;
	return TS_OK;
}
