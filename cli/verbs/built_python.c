/* built_python.c - see built_python.h. */
#include "cli/verbs/built_python.h"

#include "base/digest.h"
#include "base/file.h"
#include "base/system.h"
#include "base/text.h"
#include "cli/verbs/experiment_place.h"
#include "cli/view/show_value.h"
#include "ingest/host/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The pip from which on it fills another environment. */
enum { PIP_OTHERS = 23, PACKAGES_MOST = 4096, SHORT = 16, SAID = 4096, LINE_SHOWN = 200 };
#define LOOK_NS (INT64_C(30) * 1000000000)

extern char **environ;

/* --- the plan --- */

/* Runs a program, and takes the first line that it prints; NULL: it failed, or there is none. */
static const char *line_of(const char *const *words, struct ts_arena *arena)
{
	struct ts_buf said = TS_BUF_INIT(1 << 16);
	struct ts_error ignored;
	const char *line = NULL;

	if (!ts_spawn_output(words, LOOK_NS, &said, &ignored)) {
		struct ts_span all = ts_buf_view(&said), first = ts_trim(ts_span_next_line(&all));

		line = first.len ? ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(first)) : NULL;
	}
	ts_buf_finish(&said);
	return line;
}

static const char *version_of(const char *python, struct ts_arena *arena)
{
	static const char ask[] = "import sys; print('%d.%d' % sys.version_info[:2])";

	return line_of((const char *const[]){python, "-I", "-c", ask, NULL}, arena);
}

/* "3.11" of "3.11.7". */
static const char *short_version(struct ts_span full, struct ts_arena *arena)
{
	size_t n = 0, dots = 0;

	while (n < full.len && (ts_is_digit(full.data[n]) || (full.data[n] == '.' && ++dots < 2)))
		n++;
	return dots && n > 2 && n < 8 ? ts_arena_printf(arena, "%.*s", (int)n, (const char *)full.data) : NULL;
}

static bool is_made_of(struct ts_span text, const char *more)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ts_is_alnum(text.data[i]) && !strchr(more, text.data[i]))
			return false;
	return text.len && ts_is_alnum(text.data[0]);
}

/* Takes one line of the list, "NAME==VERSION" or with " @ ORIGIN" behind it. */
static void take(struct ts_python_plan *plan, struct ts_span line, const char **wanted, const char **left, struct ts_arena *arena)
{
	struct ts_span name = ts_span_part(line, 0, 0), version, origin = {NULL, 0};

	for (size_t i = 0; i + 1 < line.len && !name.len; i++)
		if (line.data[i] == '=' && line.data[i + 1] == '=')
			name = ts_span_part(line, 0, i);
	version = name.len ? ts_span_from(line, name.len + 2) : line;
	for (size_t i = 0; i + 3 <= version.len && !origin.len; i++)
		if (memcmp(version.data + i, " @ ", 3) == 0) {
			origin = ts_span_from(version, i + 3);
			version = ts_span_part(version, 0, i);
		}
	if (ts_span_is(name, "tscope_ml") || ts_span_is(name, "tscope-ml")) {
		if (!plan->recorder)
			left[plan->n_left++] = "tscope, the recorder, which no python here has: without it the new run records nothing";
	} else if (origin.len) {
		left[plan->n_left++] =
			ts_arena_printf(arena, "%s, which came from %s", ts_show_text(name, arena), ts_show_text(origin, arena));
	} else if (!is_made_of(name, "._-") || !is_made_of(version, ".!+_-")) {
		left[plan->n_left++] = ts_arena_printf(arena, "%s, which is no package of an index", ts_show_text(line, arena));
	} else {
		wanted[plan->n_wanted++] = ts_arena_printf(arena, "%.*s==%.*s", TS_SPAN_ARG(name), TS_SPAN_ARG(version));
	}
}

static bool has_tscope(const char *python, struct ts_arena *arena)
{
	return line_of((const char *const[]){python, "-I", "-c", "import tscope; print(1)", NULL}, arena);
}

/* Does the pip of a python fill another environment? */
static bool fills_others(const char *python, struct ts_arena *arena)
{
	const char *pip = line_of((const char *const[]){python, "-I", "-m", "pip", "--version", NULL}, arena);

	return pip && strncmp(pip, "pip ", 4) == 0 && strtoul(pip + 4, NULL, 10) >= PIP_OTHERS;
}

/* Which program makes it. */
static enum ts_status find_tool(struct ts_python_plan *plan, struct ts_arena *arena, struct ts_error *err)
{
	const char *const names[] = {"python3", "python", ts_arena_phrase(arena, "python%s", plan->version)};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *own = version_of(names[i], arena);

		if (!own || strcmp(own, plan->version) != 0)
			continue;
		plan->base = plan->base ? plan->base : names[i];
		plan->recorder = !plan->recorder && has_tscope(names[i], arena) ? names[i] : plan->recorder;
	}
	plan->tool = line_of((const char *const[]){"uv", "--version", NULL}, arena) ? "uv" : "pip";
	plan->base_pip = plan->base && strcmp(plan->tool, "pip") == 0 && fills_others(plan->base, arena);
	if (!plan->base && strcmp(plan->tool, "pip") == 0)
		return ts_error_set(err, TS_NOT_FOUND, "--build: there is no Python %s here, and no uv, which would bring one",
				    plan->version);
	plan->base = plan->base ? plan->base : plan->version;
	return TS_OK;
}

static const char *mark_of(const struct ts_python_plan *plan, struct ts_arena *arena)
{
	return ts_arena_phrase(arena, "%s/built-by-tscope", plan->folder);
}

enum ts_status ts_python_plan(struct ts_cli *cli, const struct ts_again *again, struct ts_python_plan *ret_plan, struct ts_error *err)
{
	struct ts_arena *arena = &cli->arena;
	const char **wanted = ts_arena_array(arena, PACKAGES_MOST + 1, sizeof *wanted), **left;
	struct ts_python_plan plan = {.wanted = wanted};
	const char *parent;
	char hex[TS_ID_HEX + 1];
	struct ts_id id;
	size_t n = 0;

	left = ts_arena_array(arena, PACKAGES_MOST + 1, sizeof *left);
	if (!wanted || !left)
		return ts_arena_error(arena, err);
	plan.left = left;
	plan.version = short_version(again->python, arena);
	if (!plan.version || !again->packages.len)
		return ts_error_set(err, TS_NOT_FOUND, "--build: the record has no %s",
				    plan.version ? "packages" : "version of Python");
	if (find_tool(&plan, arena, err))
		return err->status;
	for (struct ts_span rest = again->packages; rest.len && n < PACKAGES_MOST; n++) {
		struct ts_span line = ts_trim(ts_span_next_line(&rest));

		if (line.len)
			take(&plan, line, wanted, left, arena);
	}
	ts_digest(ts_span_str(ts_arena_phrase(arena, "%s %s %s\n%.*s", plan.tool, plan.version, plan.recorder ? plan.recorder : "",
					      TS_SPAN_ARG(again->packages))),
		  &id);
	if (ts_experiment_state(cli, "python", &parent, err))
		return err->status;
	plan.folder = ts_arena_printf(arena, "%s/%.*s", parent, SHORT, ts_id_hex(&id, hex));
	if (ts_arena_check(arena, err))
		return err->status;
	plan.there = ts_file_kind(mark_of(&plan, arena)) == TS_FILE_REGULAR;
	*ret_plan = plan;
	return TS_OK;
}

/* --- building it --- */

/* Runs a program whose output goes behind that of the others in a log. */
static enum ts_status logged(const char *const *words, const char *log, struct ts_error *err)
{
	posix_spawn_file_actions_t actions;
	int status = 0, error;
	pid_t pid = -1;

	if (posix_spawn_file_actions_init(&actions))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory");
	error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	if (!error)
		error = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	if (error)
		return ts_error_errno(err, error, "%s", words[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0 ? TS_OK : ts_error_set(err, TS_IO, "%s failed", words[0]);
}

/* The line of a log that says most: the last with "error" in it, else the last. */
static const char *complaint(const char *log, struct ts_arena *arena)
{
	struct ts_buf text = TS_BUF_INIT(16 << 20);
	struct ts_span best = {NULL, 0}, last = {NULL, 0};
	struct ts_error ignored;
	const char *said = "";

	if (!ts_file_read(log, &text, &ignored))
		for (struct ts_span rest = ts_buf_view(&text); rest.len;) {
			struct ts_span line = ts_trim(ts_span_next_line(&rest));

			last = line.len ? line : last;
			best = ts_span_contains(line, "ERROR") || ts_span_contains(line, "error:") ? line : best;
		}
	best = ts_utf8_cut(best.len ? best : last, LINE_SHOWN);
	if (best.len)
		said = ts_show_text(best, arena);
	ts_buf_finish(&text);
	return said;
}

static enum ts_status write_list(const struct ts_python_plan *plan, const char *path, struct ts_error *err)
{
	struct ts_buf list = TS_BUF_INIT(16 << 20);
	enum ts_status status;

	for (size_t i = 0; i < plan->n_wanted; i++)
		ts_buf_printf(&list, "%s\n", plan->wanted[i]);
	status = ts_buf_check(&list, err);
	if (!status)
		status = ts_file_replace(path, ts_buf_view(&list), 0600, err);
	ts_buf_finish(&list);
	return status;
}

/* Links the recorder into the environment: the folder of its package, and what says its version. */
static const char link_recorder[] =
	"import glob, os, sys, tscope\n"
	"own = os.path.dirname(tscope.__file__)\n"
	"for path in [own, *glob.glob(os.path.join(glob.escape(os.path.dirname(own)), 'tscope_ml-*.dist-info'))]:\n"
	"    os.symlink(path, os.path.join(sys.argv[1], os.path.basename(path)))\n";

enum ts_status ts_python_build(const struct ts_python_plan *plan, struct ts_arena *arena, struct ts_error *err)
{
	const char *log = ts_arena_phrase(arena, "%s.log", plan->folder), *list = ts_arena_phrase(arena, "%s.txt", plan->folder);
	const char *python = ts_arena_phrase(arena, "%s/bin/python", plan->folder);
	const char *site = ts_arena_phrase(arena, "%s/lib/python%s/site-packages", plan->folder, plan->version);
	bool uv = strcmp(plan->tool, "uv") == 0;
	const char *const make_uv[] = {"uv", "venv", "--clear", "--python", plan->base, plan->folder, NULL};
	const char *const make_pip[] = {plan->base, "-I", "-m", "venv", "--clear", plan->folder,
					plan->base_pip ? "--without-pip" : NULL, NULL};
	const char *const fill_uv[] = {"uv",	   "pip",	  "install", "--python", python, "--no-deps",
				       "--only-binary", ":all:", "--requirement", list, NULL};
	const char *const fill_own[] = {python, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--no-deps",
					"--only-binary", ":all:", "--requirement", list, NULL};
	const char *const fill_pip[] = {plan->base, "-I", "-m", "pip", "--python", python, "--disable-pip-version-check", "--no-input",
					"install", "--no-deps", "--only-binary", ":all:", "--requirement", list, NULL};
	enum ts_status status;

	if (plan->there)
		return TS_OK;
	(void)unlink(log);
	if (ts_arena_check(arena, err) || write_list(plan, list, err))
		return err->status;
	status = logged(uv ? make_uv : make_pip, log, err);
	if (!status && plan->n_wanted)
		status = logged(uv ? fill_uv : plan->base_pip ? fill_pip : fill_own, log, err);
	if (!status && plan->recorder)
		status = logged((const char *const[]){plan->recorder, "-I", "-c", link_recorder, site, NULL}, log, err);
	if (status)
		return ts_error_set(err, TS_IO, "the environment could not be built: %s (%s)", complaint(log, arena), log);
	return ts_file_replace(mark_of(plan, arena), ts_span_str("\n"), 0600, err);
}
