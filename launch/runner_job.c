#include "launch/runner_job.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/system.h"
#include "base/text.h"
#include "launch/marked.h"
#include "launch/place.h"
#include "launch/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILL_AFTER_NS (INT64_C(5) * 1000000000)
#define FILES_MAX (INT64_C(4) << 30)

enum { CANNOT_BE_TESTED = 125, COPY = 1 << 18, LIST_MAX = 8192, RECIPE_MAX = 64 << 20 };

extern char **environ;

/* --- orders as bytes --- */

static void put(struct ts_buf *out, struct ts_span text)
{
	ts_buf_u32(out, (uint32_t)text.len);
	ts_buf_span(out, text);
	ts_buf_char(out, '\0');
}

static void put_list(struct ts_buf *out, const char *const *items)
{
	uint32_t n = 0;

	while (items && items[n])
		n++;
	ts_buf_u32(out, n);
	for (uint32_t i = 0; i < n; i++)
		put(out, ts_span_str(items[i]));
}

void ts_job_write(struct ts_buf *out, const struct ts_job_order *order)
{
	put(out, ts_span_str(order->state));
	put(out, ts_span_str(order->clone));
	put(out, ts_span_str(order->commit));
	put(out, ts_span_str(order->directory));
	put(out, ts_span_str(order->folder));
	put(out, order->patch);
	put_list(out, order->words);
	put_list(out, order->variables);
	put_list(out, order->files);
	ts_buf_u64(out, (uint64_t)order->limit_ns);
	ts_buf_u32(out, order->n_before);
	ts_buf_u32(out, order->n_inherited);
}

static struct ts_span get(struct ts_cursor *in)
{
	uint32_t n = (uint32_t)ts_cursor_uint(in, 4);
	struct ts_span text = ts_cursor_bytes(in, n);

	(void)ts_cursor_u8(in);
	return text;
}

static const char *get_text(struct ts_cursor *in)
{
	struct ts_span text = get(in);

	return in->failed || !text.data ? "" : (const char *)text.data;
}

static const char *const *get_list(struct ts_cursor *in, struct ts_arena *arena)
{
	uint32_t n = (uint32_t)ts_cursor_uint(in, 4);
	const char **items = n <= LIST_MAX ? ts_arena_array(arena, n + 1, sizeof *items) : NULL;

	for (uint32_t i = 0; items && i < n; i++)
		items[i] = get_text(in);
	if (items)
		items[n] = NULL;
	in->failed |= !items;
	return items;
}

bool ts_job_read(struct ts_span bytes, struct ts_arena *arena, struct ts_job_order *ret_order)
{
	struct ts_cursor in = ts_cursor_of(bytes);

	ret_order->state = get_text(&in);
	ret_order->clone = get_text(&in);
	ret_order->commit = get_text(&in);
	ret_order->directory = get_text(&in);
	ret_order->folder = get_text(&in);
	ret_order->patch = get(&in);
	ret_order->words = get_list(&in, arena);
	ret_order->variables = get_list(&in, arena);
	ret_order->files = get_list(&in, arena);
	ret_order->limit_ns = (int64_t)ts_cursor_uint(&in, 8);
	ret_order->n_before = (uint32_t)ts_cursor_uint(&in, 4);
	ret_order->n_inherited = (uint32_t)ts_cursor_uint(&in, 4);
	return !in.failed && in.at == bytes.len;
}

/* --- a job --- */

struct job {
	const struct ts_job_order *order;
	struct ts_place place;
	struct ts_ran *ran;
	int control, signals;
	int64_t begun_ns;
	pid_t group; /* of the command; 0: it has not begun */
	bool over;   /* and is over */
};

static void say(struct job *j, enum ts_ran_kind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void say(struct job *j, enum ts_ran_kind kind, const char *format, ...)
{
	va_list args;

	j->ran->kind = kind;
	va_start(args, format);
	(void)vsnprintf(j->ran->why, sizeof j->ran->why, format, args);
	va_end(args);
}

/* --- code --- */

/* Whether a branch, a tag, HEAD or a reflog of the clone leads to the commit: what lies in it otherwise may be anybody's. */
static bool is_reached(const struct job *j)
{
	const char *beyond[] = {"rev-list", "--max-count=1", j->order->commit, "--not", "--all", "--reflog", NULL};
	char said[TS_GIT_SAID];

	return ts_place_git(&j->place, beyond, said) && !said[0];
}

static bool make_tree(struct job *j)
{
	const struct ts_job_order *o = j->order;
	char object[80], said[TS_GIT_SAID];
	const char *there[] = {"cat-file", "-e", object, NULL};
	const char *add[] = {"worktree", "add", "--quiet", "--detach", j->place.tree, o->commit, NULL};

	(void)snprintf(object, sizeof object, "%s^{commit}", o->commit);
	if (!ts_place_git(&j->place, there, NULL)) {
		say(j, TS_RAN_CANNOT, "there is no commit %.12s in %.200s: git fetch may bring it", o->commit, o->clone);
		return false;
	}
	if (!is_reached(j)) {
		say(j, TS_RAN_CANNOT, "no branch, tag or reflog of %.200s leads to the commit %.12s, so it may be anybody's", o->clone,
		    o->commit);
		return false;
	}
	if (!ts_place_git(&j->place, add, said)) {
		say(j, TS_RAN_CANNOT, "git worktree: %s", said);
		return false;
	}
	return true;
}

static bool apply_patch(struct job *j)
{
	char path[TS_PLACE_PATH + 8], said[TS_GIT_SAID];
	const char *apply[] = {"apply", "--whitespace=nowarn", path, NULL};
	struct ts_error err;

	if (!j->order->patch.len)
		return true;
	(void)snprintf(path, sizeof path, "%s/patch", j->place.folder);
	if (ts_file_replace(path, j->order->patch, 0600, &err)) {
		say(j, TS_RAN_CANNOT, "%.300s", err.text);
		return false;
	}
	if (ts_git(j->place.tree, apply, said))
		return true;
	say(j, TS_RAN_CANNOT, "the patch does not apply: %s", said);
	return false;
}

/* --- files beside it --- */

/* Makes the folders of a path within the worktree. */
static bool make_folders(char *path, size_t top)
{
	for (char *at = strchr(path + top, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST) {
			*at = '/';
			return false;
		}
		*at = '/';
	}
	return true;
}

static bool copy(int from, int to, int64_t *io_left)
{
	static uint8_t bytes[COPY];
	struct ts_error ignored;
	size_t n;

	do {
		if (ts_read_full(from, bytes, sizeof bytes, &n, &ignored) || (*io_left -= (int64_t)n) < 0 ||
		    ts_write_full(to, bytes, n, &ignored))
			return false;
	} while (n == sizeof bytes);
	return true;
}

static bool copy_file(struct job *j, const char *name, int64_t *io_left)
{
	char from[TS_PLACE_PATH], to[TS_PLACE_PATH];
	int a = snprintf(from, sizeof from, "%s/%s", j->order->clone, name), in = -1, out = -1;
	int b = snprintf(to, sizeof to, "%s/%s", j->place.tree, name);
	struct ts_error err;
	uint64_t size;
	bool well;

	if (a < 0 || b < 0 || (size_t)a >= sizeof from || (size_t)b >= sizeof to) {
		say(j, TS_RAN_CANNOT, "the path of a file is too long");
		return false;
	}
	if (ts_file_open(from, &in, &size, &err)) {
		say(j, TS_RAN_CANNOT, "%.300s", err.text);
		return false;
	}
	if (make_folders(to, strlen(j->place.tree) + 1))
		out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	well = out >= 0 ? copy(in, out, io_left) : errno == EEXIST; /* the commit or its patch has it */
	if (!well && *io_left < 0)
		say(j, TS_RAN_CANNOT, "the files that git does not track have more than 4 GiB: name them by absolute paths");
	else if (!well)
		say(j, TS_RAN_CANNOT, "%.200s cannot be copied: %s", name, strerror(errno));
	if (out >= 0)
		(void)close(out);
	(void)close(in);
	return well;
}

static bool copy_files(struct job *j)
{
	int64_t left = FILES_MAX;

	for (size_t i = 0; j->order->files[i]; i++)
		if (!copy_file(j, j->order->files[i], &left))
			return false;
	return true;
}

/* --- the command --- */

_Noreturn static void become(const struct job *j, const char *cwd, const char **variables, int output, int tell)
{
	int null = open("/dev/null", O_RDONLY), error;

	(void)setsid();
	ts_signals_give_back();
	(void)dup2(null, 0);
	(void)dup2(output, 1);
	(void)dup2(output, 2);
	environ = (char **)(uintptr_t)variables;
	if (chdir(cwd) == 0)
		(void)execvp(j->order->words[0], (char *const *)(uintptr_t)j->order->words);
	error = errno;
	while (write(tell, &error, sizeof error) < 0 && errno == EINTR)
		;
	_exit(127);
}

static int open_output(struct job *j)
{
	char path[TS_PLACE_PATH];
	int n = snprintf(path, sizeof path, "%s/output.txt", j->order->folder);

	return n > 0 && (size_t)n < sizeof path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666) : -1;
}

/* What a launcher may want to know, as it is in runner.h. */
static bool write_recipe(struct job *j, const char *path, const char *cwd)
{
	const struct ts_job_order *o = j->order;
	const char *const *sets = o->variables + o->n_inherited;
	struct ts_buf text = TS_BUF_INIT(RECIPE_MAX);
	struct ts_json json = ts_json_of(&text);
	struct ts_error err;
	bool well;

	ts_json_object(&json);
	ts_json_key(&json, "command");
	ts_json_array(&json);
	for (size_t i = o->n_before; o->words[i]; i++)
		ts_json_string(&json, o->words[i]);
	ts_json_end(&json);
	ts_json_key(&json, "directory");
	ts_json_string(&json, cwd);
	ts_json_key(&json, "worktree");
	ts_json_string(&json, j->place.tree);
	ts_json_key(&json, "clone");
	ts_json_string(&json, o->clone);
	ts_json_key(&json, "commit");
	ts_json_string(&json, o->commit);
	ts_json_key(&json, "folder");
	ts_json_string(&json, o->folder);
	ts_json_key(&json, "variables");
	ts_json_object(&json);
	for (size_t i = 0; sets[i]; i++) {
		size_t n = strcspn(sets[i], "=");

		ts_json_key_span(&json, ts_span_of(sets[i], n));
		ts_json_string(&json, sets[i] + n + 1);
	}
	ts_json_end(&json);
	ts_json_end(&json);
	ts_buf_char(&text, '\n');
	well = !ts_buf_check(&text, &err) && !ts_file_replace(path, ts_buf_view(&text), 0600, &err);
	ts_buf_finish(&text);
	if (!well)
		say(j, TS_RAN_CANNOT, "%.300s", err.text);
	return well;
}

/* Writes the names of what the recipe sets, and of the mark that every process of the job has. */
static bool write_names(struct job *j, struct ts_buf *names)
{
	const char *const *sets = j->order->variables + j->order->n_inherited;
	struct ts_error err;

	ts_buf_str(names, "TSCOPE_VARIABLES=TSCOPE_RUNNER");
	for (size_t i = 0; sets[i]; i++) {
		ts_buf_char(names, ' ');
		ts_buf_bytes(names, sets[i], strcspn(sets[i], "="));
	}
	ts_buf_char(names, '\0');
	if (!ts_buf_check(names, &err))
		return true;
	say(j, TS_RAN_CANNOT, "%.300s", err.text);
	return false;
}

/* The variables of the order, with more of them, which end with NULL. */
static const char **variables_of(struct job *j, const char *const *more)
{
	size_t n = 0, k = 0;
	const char **made;

	while (j->order->variables[n])
		n++;
	while (more[k])
		k++;
	made = ts_alloc_array(n + k + 1, sizeof *made);
	for (size_t i = 0; made && i < n + k; i++)
		made[i] = i < n ? j->order->variables[i] : more[i - n];
	if (made)
		made[n + k] = NULL;
	return made;
}

static bool begin(struct job *j)
{
	char cwd[2 * TS_PLACE_PATH], mark[TS_PLACE_NAME + 16], recipe[TS_PLACE_PATH + 32];
	int ends[2] = {-1, -1}, error = 0, output;
	struct ts_buf names = TS_BUF_INIT(RECIPE_MAX);
	const char *more[] = {mark, NULL, NULL, NULL};
	const char **variables;
	pid_t pid = -1;

	(void)snprintf(cwd, sizeof cwd, "%s%s%s", j->place.tree, j->order->directory[0] ? "/" : "", j->order->directory);
	(void)snprintf(mark, sizeof mark, "TSCOPE_RUNNER=%s", j->place.name);
	(void)snprintf(recipe, sizeof recipe, "TSCOPE_RECIPE=%s/recipe.json", j->place.folder);
	if (j->order->n_before) {
		if (!write_names(j, &names) || !write_recipe(j, strchr(recipe, '=') + 1, cwd)) {
			ts_buf_finish(&names);
			return false;
		}
		more[1] = recipe;
		more[2] = (const char *)names.data;
	}
	output = open_output(j);
	variables = variables_of(j, more);
	if (variables && output >= 0 && ts_system_pipe(ends) == 0)
		pid = fork();
	if (pid == 0)
		become(j, cwd, variables, output, ends[1]);
	error = pid < 0 ? errno : 0;
	ts_free(variables);
	ts_buf_finish(&names);
	if (output >= 0)
		(void)close(output);
	if (ends[1] >= 0)
		(void)close(ends[1]);
	while (pid > 0 && read(ends[0], &error, sizeof error) < 0 && errno == EINTR)
		;
	if (ends[0] >= 0)
		(void)close(ends[0]);
	if (error && pid > 0)
		(void)waitpid(pid, NULL, 0);
	if (error || pid < 0) {
		j->ran->ended.cannot = error;
		say(j, TS_RAN_CANNOT, "%.200s could not be started: %s", j->order->words[0], strerror(error));
		return false;
	}
	j->group = pid;
	j->begun_ns = ts_now_mono_ns();
	j->ran->ended.begun = true;
	j->ran->ended.pid = pid;
	return true;
}

/* Takes the end of the command, if it is there. */
static void look(struct job *j)
{
	int status;

	if (!j->over && waitpid(j->group, &status, WNOHANG) == j->group) {
		ts_ended_by(&j->ran->ended, status);
		j->over = true;
		j->ran->took_ns = ts_now_mono_ns() - j->begun_ns;
	}
}

/* Waits for the end of the command until a time. Returns whether the job is to end. */
static bool wait_until(struct job *j, int64_t until_ns, bool hears)
{
	struct ts_signal signal;

	while (!j->over) {
		struct pollfd polls[2] = {{.fd = j->signals, .events = POLLIN}, {.fd = hears ? j->control : -1, .events = POLLIN}};
		int64_t left = until_ns ? until_ns - ts_now_mono_ns() : 1000000000;

		look(j);
		if (j->over || left <= 0)
			break;
		left = left / 1000000 + 1;
		(void)poll(polls, 2, left > 1000 ? 1000 : (int)left);
		while (ts_signals_next(j->signals, &signal))
			;
		look(j);
		if (polls[1].revents)
			return true;
	}
	return false;
}

static bool is_to_end(const struct job *j)
{
	struct pollfd one = {.fd = j->control, .events = POLLIN};

	return poll(&one, 1, 0) > 0;
}

/* Ends the command, which may need a moment to write what it has. */
static void end(struct job *j)
{
	(void)kill(-j->group, SIGTERM);
	(void)wait_until(j, ts_now_mono_ns() + KILL_AFTER_NS, false);
	(void)kill(-j->group, SIGKILL);
	(void)wait_until(j, ts_now_mono_ns() + KILL_AFTER_NS, false);
}

/* Ends what the command left behind, and waits a moment for it. */
static void end_rest(const struct job *j)
{
	static const struct timespec moment = {.tv_nsec = 2000000};
	int64_t until = ts_now_mono_ns() + KILL_AFTER_NS;
	pid_t pid;

	(void)ts_place_end_processes(&j->place);
	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && ts_now_mono_ns() < until)
		if (pid == 0)
			(void)nanosleep(&moment, NULL);
}

static void judge(struct job *j)
{
	int code = ts_ended_code(&j->ran->ended);

	if (code == CANNOT_BE_TESTED)
		say(j, TS_RAN_CANNOT, "the command ended with %d, which says that it cannot be tested", CANNOT_BE_TESTED);
	else if (j->ran->ended.signal)
		say(j, TS_RAN_FAILED, "signal %d ended the command", j->ran->ended.signal);
	else if (code)
		say(j, TS_RAN_FAILED, "the command ended with exit code %d", code);
	else
		j->ran->kind = TS_RAN_WELL;
}

static void run_command(struct job *j)
{
	int64_t limit = j->order->limit_ns;
	bool asked;

	if (!begin(j))
		return;
	asked = wait_until(j, limit ? j->begun_ns + limit : 0, true);
	if (j->over) {
		judge(j);
	} else if (asked) {
		say(j, TS_RAN_ENDED, "the run was ended");
		end(j);
	} else {
		say(j, TS_RAN_LIMIT, "it ran longer than %" PRId64 " s, and was ended", limit / 1000000000);
		end(j);
	}
	if (!j->ran->took_ns)
		j->ran->took_ns = ts_now_mono_ns() - j->begun_ns;
	end_rest(j);
}

void ts_job_do(const struct ts_job_order *order, int control, void (*placed)(void *ctx, const char *name), void *ctx,
	       struct ts_ran *ran)
{
	static const int numbers[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, 0};
	struct job j = {.order = order, .control = control, .ran = ran};
	struct ts_error err;

	ran->kind = TS_RAN_FAILED;
	ts_marked_adopt();
	if (ts_signals_catch(numbers, &j.signals, &err) || ts_place_make(order->state, order->clone, &j.place, &err)) {
		say(&j, TS_RAN_CANNOT, "%.300s", err.text);
		return;
	}
	placed(ctx, j.place.name);
	if (is_to_end(&j))
		say(&j, TS_RAN_ENDED, "the run was ended before it began");
	else if (make_tree(&j) && apply_patch(&j) && copy_files(&j)) {
		if (is_to_end(&j))
			say(&j, TS_RAN_ENDED, "the run was ended before it began");
		else
			run_command(&j);
	}
	ts_place_clear(&j.place);
}
