/* What lies below a named path is opened; what a link, a pipe or ".." leads to is not, not even while somebody swaps them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/below.h"

#include <cmocka.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char root[64];
static struct ts_error err;

/* The path of base/name in one of a few buffers. */
static const char *in(const char *name)
{
	static _Thread_local char texts[4][256];
	static _Thread_local int next;
	char *text = texts[next++ % 4];

	(void)snprintf(text, sizeof texts[0], "%s/%s", root, name);
	return text;
}

static void put(const char *name, const char *text)
{
	int fd = open(in(name), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	(void)st;
	(void)kind;
	(void)walk;
	return remove(path);
}

/* root/run is what is named, root/secret lies outside. */
static int begin(void **unused)
{
	(void)unused;
	(void)snprintf(root, sizeof root, "/tmp/tscope-below-XXXXXX");
	assert_non_null(mkdtemp(root));
	assert_int_equal(mkdir(in("run"), 0700), 0);
	assert_int_equal(mkdir(in("run/rank0"), 0700), 0);
	assert_int_equal(mkdir(in("out"), 0700), 0);
	put("run/steps", "mine");
	put("run/rank0/steps", "mine");
	put("secret", "secret");
	put("out/steps", "secret");
	return 0;
}

static int end(void **unused)
{
	(void)unused;
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Returns what stands in the file, "" if it may not be read. */
static const char *text_of(const char *top, const char *path)
{
	static char text[64];
	struct ts_buf buf = TS_BUF_INIT(1 << 10);

	text[0] = '\0';
	if (!ts_below_read(top, path, &buf, &err))
		(void)snprintf(text, sizeof text, "%.*s", (int)buf.len, (const char *)buf.data);
	ts_buf_finish(&buf);
	return text;
}

static void files_below_are_read(void **state)
{
	(void)state;
	assert_string_equal(text_of(in("run"), in("run/steps")), "mine");
	assert_string_equal(text_of(in("run"), in("run/rank0/steps")), "mine");
	assert_string_equal(text_of(in("run/"), in("run//rank0//./steps")), "mine");
	assert_string_equal(text_of(in("run/steps"), in("run/steps")), "mine");
	assert_string_equal(text_of("/", in("run/steps")), "mine");
	assert_string_equal(text_of(in("run/steps"), in("run/rank0/steps")), "mine");
	assert_string_equal(text_of(in("run"), in("run/none")), "");
	assert_int_equal(err.status, TS_NOT_FOUND);
	assert_string_equal(text_of(in("run"), in("run/rank0")), "");
	assert_int_equal(err.status, TS_INVALID);
}

static void a_link_that_was_named_is_followed(void **state)
{
	(void)state;
	assert_int_equal(symlink("run", in("latest")), 0);
	assert_int_equal(symlink("../secret", in("run/named")), 0);
	assert_string_equal(text_of(in("latest"), in("latest/rank0/steps")), "mine");
	assert_string_equal(text_of(in("run/named"), in("run/named")), "secret");
	assert_int_equal(unlink(in("latest")), 0);
	assert_int_equal(unlink(in("run/named")), 0);
}

static void links_below_are_refused(void **state)
{
	static const char *const to[] = {"../secret", "steps", "nowhere", "rank0"};

	(void)state;
	for (size_t i = 0; i < sizeof to / sizeof to[0]; i++) {
		assert_int_equal(symlink(to[i], in("run/trace")), 0);
		assert_int_equal(ts_below_kind(in("run"), in("run/trace")), TS_FILE_LINK);
		assert_string_equal(ts_below_what(in("run"), in("run/trace")), "a symbolic link");
		assert_string_equal(text_of(in("run"), in("run/trace")), "");
		assert_int_equal(err.status, TS_INVALID);
		assert_non_null(strstr(err.text, "run/trace: a symbolic link"));
		assert_int_equal(unlink(in("run/trace")), 0);
	}
	assert_int_equal(symlink("../out", in("run/rank1")), 0);
	assert_string_equal(text_of(in("run"), in("run/rank1/steps")), "");
	assert_non_null(strstr(err.text, "rank1 in it is a symbolic link"));
	assert_string_equal(text_of(in("run"), in("run/../secret")), "");
	assert_string_equal(text_of(in("run"), in("run/rank0/../../secret")), "");
	assert_string_equal(text_of(in("run/steps"), in("run/rank1")), "");
	assert_int_equal(unlink(in("run/rank1")), 0);
}

/* Nothing waits for a writer, and a device is not even opened. */
static void pipes_sockets_and_devices_are_refused(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	assert_int_equal(mkfifo(in("run/pipe"), 0600), 0);
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", in("run/socket"));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_string_equal(text_of(in("run"), in("run/pipe")), "");
	assert_non_null(strstr(err.text, "run/pipe: a named pipe"));
	assert_string_equal(text_of(in("run"), in("run/socket")), "");
	assert_non_null(strstr(err.text, "run/socket: a socket"));
	assert_string_equal(text_of("/dev", "/dev/zero"), "");
	assert_string_equal(err.text, "/dev/zero: a device, which is not read");
	close(fd);
}

static void folders_are_listed_alike(void **state)
{
	struct ts_arena arena;
	char **names;
	size_t n = 0;

	(void)state;
	ts_arena_init(&arena, 0);
	assert_int_equal(symlink("../out", in("run/rank1")), 0);
	assert_int_equal(ts_below_list(in("run"), in("run/rank0"), &arena, &names, &n, &err), TS_OK);
	assert_int_equal(n, 1);
	assert_string_equal(names[0], "steps");
	assert_int_equal(ts_below_list(in("run/rank1"), in("run/rank1"), &arena, &names, &n, &err), TS_OK);
	assert_int_equal(ts_below_list(in("run"), in("run/rank1"), &arena, &names, &n, &err), TS_INVALID);
	assert_int_equal(ts_below_list(in("run"), in("run/steps"), &arena, &names, &n, &err), TS_INVALID);
	assert_int_equal(unlink(in("run/rank1")), 0);
	ts_arena_finish(&arena);
}

/* --- races --- */

static atomic_bool done;

/* Puts in turn what is named below, a link to what lies outside, and a pipe at the same path. */
static void *swap(void *unused)
{
	(void)unused;
	while (!atomic_load(&done)) {
		(void)rename(in("hold/link"), in("run/trace"));
		(void)symlink("../secret", in("hold/link"));
		(void)rename(in("run/deep"), in("hold/deep"));
		(void)symlink("../out", in("run/deep"));
		(void)rename(in("hold/pipe"), in("run/trace"));
		(void)mkfifo(in("hold/pipe"), 0600);
		(void)unlink(in("run/deep"));
		(void)rename(in("hold/deep"), in("run/deep"));
		(void)link(in("run/steps"), in("hold/file"));
		(void)rename(in("hold/file"), in("run/trace"));
	}
	return NULL;
}

static void a_swap_between_look_and_opening_gives_nothing(void **state)
{
	char top[128], trace[128], deep[128];
	pthread_t thread;
	int mine = 0, secret = 0;

	(void)state;
	assert_int_equal(mkdir(in("hold"), 0700), 0);
	assert_int_equal(mkdir(in("run/deep"), 0700), 0);
	put("run/deep/steps", "mine");
	assert_int_equal(symlink("../secret", in("hold/link")), 0);
	(void)snprintf(top, sizeof top, "%s", in("run"));
	(void)snprintf(trace, sizeof trace, "%s", in("run/trace"));
	(void)snprintf(deep, sizeof deep, "%s", in("run/deep/steps"));
	assert_int_equal(pthread_create(&thread, NULL, swap, NULL), 0);
	for (int i = 0; i < 20000; i++) {
		const char *text = text_of(top, i % 2 ? trace : deep);

		secret += strcmp(text, "secret") == 0;
		mine += strcmp(text, "mine") == 0;
	}
	atomic_store(&done, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(secret, 0);
	assert_true(mine > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_below_are_read),	    cmocka_unit_test(a_link_that_was_named_is_followed),
		cmocka_unit_test(links_below_are_refused),  cmocka_unit_test(pipes_sockets_and_devices_are_refused),
		cmocka_unit_test(folders_are_listed_alike), cmocka_unit_test(a_swap_between_look_and_opening_gives_nothing),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
