#include "cli/watch/hook.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/system.h"
#include "base/text.h"
#include "launch/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EVENT_MAX = 32768 /* a pipe takes 64 KiB at once */, POSTS = 64 };

const char *ts_watch_event_word(enum ts_watch_event_kind kind)
{
	static const char *const words[TS_EVENT_KINDS] = {"finding", "divergence", "hang", "death", "end"};

	return words[kind];
}

bool ts_watch_event_is(const struct ts_watch_event *event, const char *word)
{
	return strcmp(word, ts_watch_event_word(event->kind)) == 0 || (event->code.len && ts_glob(ts_span_str(word), event->code));
}

static void member(struct ts_json *j, const char *key, struct ts_span text)
{
	if (!text.len)
		return;
	ts_json_key(j, key);
	ts_json_span(j, ts_utf8_cut(text, EVENT_MAX / 8));
}

void ts_watch_event_json(const struct ts_watch_event *event, struct ts_buf *out)
{
	struct ts_json j = ts_json_of(out);
	char time[TS_TIME_TEXT];

	ts_json_object(&j);
	ts_json_key(&j, "event");
	ts_json_string(&j, ts_watch_event_word(event->kind));
	member(&j, "run", ts_span_str(event->run));
	member(&j, "code", event->code);
	member(&j, "severity", event->severity);
	member(&j, "title", event->title);
	member(&j, "detail", event->detail);
	if (event->has_step) {
		ts_json_key(&j, "step");
		ts_json_i64(&j, event->step);
	}
	if (isfinite(event->seconds)) {
		ts_json_key(&j, "since_step_s");
		ts_json_double(&j, event->seconds);
	}
	ts_json_key(&j, "time");
	ts_json_string(&j, ts_time_text(event->real_ns, time));
	ts_json_end(&j);
	ts_buf_char(out, '\n');
}

static void run(const char *const *words, int in, bool quiet)
{
	int nowhere = quiet ? open("/dev/null", O_WRONLY) : -1;

	ts_signals_give_back();
	(void)setpgid(0, 0);
	(void)dup2(in, STDIN_FILENO);
	(void)dup2(quiet ? nowhere : STDERR_FILENO, STDOUT_FILENO);
	if (quiet)
		(void)dup2(nowhere, STDERR_FILENO);
	(void)execvp(words[0], (char *const *)(uintptr_t)words);
	_exit(127);
}

static enum ts_status start(const char *option, const char *const *words, const struct ts_watch_event *event, bool quiet,
			    pid_t *ret_pid, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(EVENT_MAX);
	struct ts_error unread;
	int ends[2];
	pid_t pid;

	ts_watch_event_json(event, &text);
	if (ts_buf_check(&text, err) || ts_system_pipe(ends) < 0) {
		ts_buf_finish(&text);
		return ts_error_errno(err, errno, "%s", option);
	}
	pid = fork();
	if (pid == 0)
		run(words, ends[0], quiet);
	(void)close(ends[0]);
	if (pid > 0)
		(void)ts_write_full(ends[1], text.data, text.len, &unread);
	(void)close(ends[1]);
	ts_buf_finish(&text);
	*ret_pid = pid;
	return pid > 0 ? TS_OK : ts_error_errno(err, errno, "%s: fork", option);
}

enum ts_status ts_hook_run(const char *command, const struct ts_watch_event *event, bool quiet, struct ts_error *err)
{
	const char *const words[] = {"/bin/sh", "-c", command, NULL};
	pid_t ignored;

	return start("--exec", words, event, quiet, &ignored, err);
}

/* --- a web hook --- */

/* Those of curl that go on; more at once than there are kinds of events and findings are not remembered. */
static pid_t posts[POSTS];

static bool is_program(const char *name)
{
	const char *path = getenv("PATH");
	char at[4096];

	while (path && *path) {
		size_t n = strcspn(path, ":");
		int wrote = snprintf(at, sizeof at, "%.*s/%s", (int)n, path, name);

		if (wrote > 0 && (size_t)wrote < sizeof at && access(at, X_OK) == 0)
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

enum ts_status ts_hook_check(const char *url, struct ts_error *err)
{
	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return ts_error_set(err, TS_INVALID, "--webhook needs a URL that begins with http:// or https://");
	if (!is_program("curl"))
		return ts_error_set(err, TS_INVALID, "--webhook posts by the program curl, which is not installed");
	return TS_OK;
}

enum ts_status ts_hook_post(const char *url, const struct ts_watch_event *event, struct ts_error *err)
{
	const char *const words[] = {
		"curl",		 "--disable", "--silent", "--fail",	 "--location", "--max-time", "10",
		"--max-redirs",	 "0",	      "--proto",  "=http,https", "--globoff",  "--header",   "Content-Type: application/json",
		"--data-binary", "@-",	      "--output", "/dev/null",	 "--url",      url,	     NULL};
	pid_t pid;

	if (start("--webhook", words, event, true, &pid, err))
		return err->status;
	for (size_t i = 0; i < POSTS; i++)
		if (!posts[i]) {
			posts[i] = pid;
			break;
		}
	return TS_OK;
}

bool ts_hook_reap(int *ret_why)
{
	bool failed = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < POSTS; i++) {
			if (posts[i] != pid)
				continue;
			posts[i] = 0;
			if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
				continue;
			failed = true;
			*ret_why = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		}
	return failed;
}
