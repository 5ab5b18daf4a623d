#include "tests/engines/s3_server.h"

#include "base/clock.h"
#include "store/bucket/http.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ts_http *http;

static void run(int in, int out, const char *word, const char *value)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)dup2(in, STDIN_FILENO);
	(void)dup2(out, STDOUT_FILENO);
	(void)unsetenv("LD_PRELOAD");
	(void)execlp("python3", "python3", "tests/engines/s3.py", word, value, (char *)NULL);
	_exit(127);
}

static unsigned read_port(int from)
{
	char text[16] = "";
	size_t n = 0;

	while (n < sizeof text - 1 && !memchr(text, '\n', n)) {
		ssize_t got = read(from, text + n, sizeof text - 1 - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return 0;
		n += (size_t)got;
	}
	return (unsigned)strtoul(text, NULL, 10);
}

bool s3_start(struct s3_server *s, const char *word, const char *value)
{
	int in[2], out[2];
	struct ts_error err;

	if ((!http && ts_http_open(&http, &err)) || pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
		return false;
	s->pid = (int)fork();
	if (s->pid == 0)
		run(in[0], out[1], word, value);
	(void)close(in[0]);
	(void)close(out[1]);
	s->stop = in[1];
	s->port = read_port(out[0]);
	(void)close(out[0]);
	if (!s->port)
		s3_stop(s);
	return s->port != 0;
}

void s3_stop(struct s3_server *s)
{
	(void)close(s->stop);
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void s3_control(const struct s3_server *s, const char *what, struct ts_buf *ret_answer)
{
	char url[256];
	struct ts_http_request request = {.method = "GET", .url = url, .most = 16 << 20, .limit_ns = 60 * INT64_C(1000000000)};
	struct ts_http_answer answer;
	struct ts_error err;

	(void)snprintf(url, sizeof url, "http://127.0.0.1:%u/-/%s", s->port, what);
	if (ts_http_ask(http, &request, &answer, &err) || answer.status != 200) {
		(void)fprintf(stderr, "%s: %s\n", url, err.text);
		abort();
	}
	if (ret_answer)
		*ret_answer = answer.body;
	else
		ts_buf_finish(&answer.body);
}

const char *s3_url(const struct s3_server *s, const char *path, char room[128])
{
	(void)snprintf(room, 128, "http://127.0.0.1:%u/%s", s->port, path);
	return room;
}
