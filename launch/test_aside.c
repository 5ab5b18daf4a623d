/* test_aside.c - sentences that stderr takes in parts, late, or between what a command prints. */
#include "launch/aside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TURNS = 64 };

struct stage {
	struct ts_aside aside;
	int read, kept; /* what stderr leads to is read from; where stderr led before */
};

/* ends: the one that is read, and the one that stderr becomes. */
static void set(struct stage *s, const int ends[2])
{
	struct ts_error err;

	assert_int_equal(ts_aside_open(&s->aside, &err), TS_OK);
	s->read = ends[0];
	s->kept = dup(STDERR_FILENO);
	assert_int_equal(fcntl(s->read, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	(void)close(ends[1]);
}

static void clear(struct stage *s)
{
	assert_int_equal(dup2(s->kept, STDERR_FILENO), STDERR_FILENO);
	(void)close(s->kept);
	(void)close(s->read);
	(void)close(s->aside.from);
	(void)close(s->aside.to);
}

static void say(struct stage *s, char letter, size_t len)
{
	char *line = malloc(len);

	assert_non_null(line);
	memset(line, letter, len - 1);
	line[len - 1] = '\n';
	ts_aside_say(&s->aside, ts_span_of(line, len));
	free(line);
}

/* Serves what is waited for until nothing is; a write is as long as allowed, and ends a line where whole. Returns how much came. */
static size_t served(struct stage *s, uint8_t *out, size_t room, bool whole)
{
	size_t n = 0;

	for (int i = 0; i < TURNS; i++) {
		struct pollfd wait = ts_aside_wait(&s->aside);
		ssize_t came;

		if (poll(&wait, 1, 0) <= 0)
			break;
		ts_aside_serve(&s->aside, NULL, 0);
		came = read(s->read, out + n, room - n);
		assert_in_range(came > 0 ? came : 0, 0, TS_ASIDE_SHOWN);
		if (came > 0) {
			n += (size_t)came;
			assert_true(!whole || out[n - 1] == '\n');
		}
	}
	return n;
}

static void sentences_are_whole_and_none_is_lost(void **state)
{
	static const size_t lens[] = {3000, 2000, 1, TS_ASIDE_BYTES, TS_ASIDE_BYTES + 1, 7};
	uint8_t out[32768], *at = out;
	struct stage s;
	size_t n;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	set(&s, ends);
	for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
		say(&s, (char)('a' + (int)i), lens[i]);
	n = served(&s, out, sizeof out, true);
	clear(&s);
	assert_int_equal(n, 3000 + 2000 + 1 + TS_ASIDE_BYTES + 7); /* the one that is too long is left out */
	for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
		if (lens[i] > TS_ASIDE_BYTES)
			continue;
		for (size_t k = 0; k + 1 < lens[i]; k++)
			assert_int_equal(at[k], 'a' + (int)i);
		at += lens[i];
	}
}

/* A socket that has little room, and something in it, takes a part of what it is given. */
static void what_stderr_does_not_take_waits(void **state)
{
	uint8_t out[8192];
	int ends[2], least = 1;
	struct stage s;
	size_t part;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &least, sizeof least), 0);
	assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(write(ends[1], "-", 1), 1);
	set(&s, ends);
	say(&s, 'a', 4000);
	ts_aside_serve(&s.aside, NULL, 0);
	part = s.aside.at;
	assert_int_equal(ts_aside_wait(&s.aside).fd, part < 4000 ? STDERR_FILENO : s.aside.from); /* other kernels may take all */
	assert_int_equal(read(s.read, out, sizeof out), 1 + part);
	assert_int_equal(part + served(&s, out, sizeof out, false), 4000);
	assert_int_equal(ts_aside_wait(&s.aside).fd, s.aside.from);
	clear(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sentences_are_whole_and_none_is_lost),
		cmocka_unit_test(what_stderr_does_not_take_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
