#include "base/alloc.h"
#include "base/arena.h"
#include "base/file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[64];
static char path_text[256];

/* Returns a path in this test's own directory; it is valid until the next call. */
static const char *in_root(const char *name)
{
	(void)snprintf(path_text, sizeof path_text, "%s/%s", root, name);
	return path_text;
}

static int make_root(void **unused)
{
	const char *tmp = getenv("TMPDIR");

	(void)unused;
	(void)snprintf(root, sizeof root, "%.40s/ts_file_XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **unused)
{
	(void)unused;
	ts_remove_tree(root);
	return ts_file_kind(root) != TS_FILE_NONE;
}

static size_t names_in_root(void)
{
	struct ts_arena arena;
	struct ts_error err;
	char **names;
	size_t n;

	ts_arena_init(&arena, 0);
	assert_int_equal(ts_list_dir(root, &arena, &names, &n, &err), TS_OK);
	ts_arena_finish(&arena);
	return n;
}

static void check_content(const char *name, const char *want)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	struct ts_error err;

	assert_int_equal(ts_file_read(in_root(name), &buf, &err), TS_OK);
	assert_true(ts_span_is(ts_buf_view(&buf), want));
	ts_buf_finish(&buf);
}

static void test_replace_and_read(void **unused)
{
	struct ts_error err;
	struct stat st;

	(void)unused;
	(void)umask(022);
	assert_int_equal(ts_file_replace(in_root("a"), ts_span_str("old"), 0600, &err), TS_OK);
	check_content("a", "old");
	assert_int_equal(stat(in_root("a"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(ts_file_replace(in_root("a"), ts_span_str("newer"), 0666, &err), TS_OK);
	check_content("a", "newer");
	assert_int_equal(stat(in_root("a"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(names_in_root(), 1); /* no temporary file is left beside it */
	assert_int_equal(ts_file_replace(in_root("a"), ts_span_of(NULL, 0), 0644, &err), TS_OK);
	check_content("a", "");
}

static void test_replace_that_fails_leaves_nothing(void **unused)
{
	struct ts_error err;

	(void)unused;
	assert_int_equal(ts_file_replace(in_root("none/a"), ts_span_str("x"), 0644, &err), TS_NOT_FOUND);
	assert_non_null(strstr(err.text, "none/a"));
	assert_int_equal(ts_make_dirs(in_root("full/below"), 0755, &err), TS_OK);
	/* A file cannot replace a directory. */
	assert_int_equal(ts_file_replace(in_root("full"), ts_span_str("x"), 0644, &err), TS_IO);
	assert_non_null(strstr(err.text, "/full: "));
	assert_int_equal(names_in_root(), 1);
	ts_alloc_fail_at(1);
	assert_int_equal(ts_file_replace(in_root("b"), ts_span_str("x"), 0644, &err), TS_NO_MEMORY);
	ts_alloc_fail_at(0);
	assert_int_equal(names_in_root(), 1);
}

/* A full disk fails on write. */
static void test_full_disk(void **unused)
{
	struct ts_error err;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)unused;
	if (fd < 0)
		skip();
	assert_int_equal(ts_write_full(fd, "x", 1, &err), TS_FULL);
	(void)close(fd);
}

static void test_replace_in_the_working_directory(void **unused)
{
	char before[4096];
	struct ts_error err;

	(void)unused;
	assert_non_null(getcwd(before, sizeof before));
	assert_int_equal(chdir(root), 0);
	assert_int_equal(ts_file_replace("bare", ts_span_str("x"), 0644, &err), TS_OK);
	assert_int_equal(chdir(before), 0);
	check_content("bare", "x");
}

static void test_read_limits(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(5);
	struct ts_error err;

	(void)unused;
	assert_int_equal(ts_file_replace(in_root("five"), ts_span_str("12345"), 0644, &err), TS_OK);
	assert_int_equal(ts_file_replace(in_root("six"), ts_span_str("123456"), 0644, &err), TS_OK);
	assert_int_equal(ts_file_read(in_root("five"), &buf, &err), TS_OK);
	assert_true(ts_span_is(ts_buf_view(&buf), "12345"));
	ts_buf_reset(&buf);
	assert_int_equal(ts_file_read(in_root("six"), &buf, &err), TS_TOO_LARGE);
	assert_non_null(strstr(err.text, "/six: more than 5 bytes"));
	ts_buf_finish(&buf);
}

static void test_read_appends_any_length(void **unused)
{
	struct ts_buf content = TS_BUF_INIT(1 << 20);
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	struct ts_error err;

	(void)unused;
	for (uint32_t i = 0; i < 150000; i++)
		ts_buf_u32(&content, i * 2654435761u);
	assert_int_equal(ts_file_replace(in_root("big"), ts_buf_view(&content), 0644, &err), TS_OK);
	ts_buf_str(&buf, "before");
	assert_int_equal(ts_file_read(in_root("big"), &buf, &err), TS_OK);
	assert_int_equal(buf.len, 600006);
	assert_memory_equal(buf.data, "before", 6);
	assert_memory_equal(buf.data + 6, content.data, 600000);
	ts_buf_finish(&buf);
	ts_buf_finish(&content);
}

/* Files in /proc have size 0 and yet content. */
static void test_size_is_only_a_hint(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	struct ts_error err;

	(void)unused;
	assert_int_equal(ts_file_read("/proc/self/status", &buf, &err), TS_OK);
	assert_true(buf.len > 100);
	ts_buf_finish(&buf);
}

static void test_open_takes_regular_files_only(void **unused)
{
	struct ts_error err;
	uint64_t size = 42;
	int fd = 42;

	(void)unused;
	assert_int_equal(ts_file_open(in_root("none"), &fd, &size, &err), TS_NOT_FOUND);
	assert_non_null(strstr(err.text, "/none: "));
	assert_int_equal(ts_file_open(root, &fd, &size, &err), TS_INVALID);
	assert_int_equal(mkfifo(in_root("pipe"), 0600), 0);
	assert_int_equal(ts_file_open(in_root("pipe"), &fd, &size, &err), TS_INVALID);
	assert_int_equal(fd, 42);
	assert_int_equal(ts_file_replace(in_root("a"), ts_span_str("abc"), 0644, &err), TS_OK);
	assert_int_equal(ts_file_open(in_root("a"), &fd, &size, &err), TS_OK);
	assert_int_equal(size, 3);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	(void)close(fd);
}

/* A pipe may return fewer bytes than asked for: the parts are joined. */
static void test_short_reads_are_put_together(void **unused)
{
	uint8_t data[64];
	struct ts_error err;
	size_t n = 0;
	int ends[2];

	(void)unused;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	if (fork() == 0) {
		for (int i = 0; i < 10; i++) {
			(void)!write(ends[1], "abc", 3);
			(void)usleep(1000);
		}
		_exit(0);
	}
	(void)close(ends[1]);
	assert_int_equal(ts_read_full(ends[0], data, sizeof data, &n, &err), TS_OK);
	assert_int_equal(n, 30);
	assert_memory_equal(data, "abcabcabcabcabcabcabcabcabcabc", 30);
	(void)close(ends[0]);
	assert_int_equal(ts_read_full(ends[0], data, 1, &n, &err), TS_IO);
}

static void test_pread(void **unused)
{
	uint8_t data[16];
	struct ts_error err;
	uint64_t size;
	size_t n;
	int fd;

	(void)unused;
	assert_int_equal(ts_file_replace(in_root("a"), ts_span_str("0123456789"), 0644, &err), TS_OK);
	assert_int_equal(ts_file_open(in_root("a"), &fd, &size, &err), TS_OK);
	assert_int_equal(ts_pread_full(fd, data, 4, 3, &n, &err), TS_OK);
	assert_int_equal(n, 4);
	assert_memory_equal(data, "3456", 4);
	assert_int_equal(ts_pread_full(fd, data, 16, 8, &n, &err), TS_OK);
	assert_int_equal(n, 2);
	assert_int_equal(ts_pread_full(fd, data, 16, 99, &n, &err), TS_OK);
	assert_int_equal(n, 0);
	(void)close(fd);
}

static void test_make_dirs(void **unused)
{
	struct ts_error err;

	(void)unused;
	assert_int_equal(ts_make_dirs(in_root("x//y/z/"), 0755, &err), TS_OK);
	assert_int_equal(ts_file_kind(in_root("x/y/z")), TS_FILE_DIRECTORY);
	assert_int_equal(ts_make_dirs(in_root("x/y/z"), 0755, &err), TS_OK);
	assert_int_equal(ts_make_dirs("/", 0755, &err), TS_OK);
	assert_int_equal(ts_file_replace(in_root("x/file"), ts_span_str(""), 0644, &err), TS_OK);
	assert_int_equal(ts_make_dirs(in_root("x/file"), 0755, &err), TS_IO);
	assert_non_null(strstr(err.text, "x/file: Not a directory"));
	assert_int_equal(ts_make_dirs(in_root("x/file/below"), 0755, &err), TS_IO);
	assert_int_equal(ts_make_dirs("", 0755, &err), TS_NOT_FOUND);
}

static void test_kinds(void **unused)
{
	struct ts_error err;

	(void)unused;
	assert_int_equal(ts_file_replace(in_root("f"), ts_span_str(""), 0644, &err), TS_OK);
	assert_int_equal(ts_file_kind(in_root("f")), TS_FILE_REGULAR);
	assert_int_equal(ts_file_kind(root), TS_FILE_DIRECTORY);
	assert_int_equal(ts_file_kind(in_root("none")), TS_FILE_NONE);
	assert_int_equal(ts_file_kind("/dev/null"), TS_FILE_OTHER);
	assert_int_equal(symlink("f", in_root("link")), 0);
	assert_int_equal(ts_file_kind(in_root("link")), TS_FILE_REGULAR);
}

static void test_list_dir_sorts_by_bytes(void **unused)
{
	static const char *const made[] = {"b", "a", "\xC3\xA9", "B", "10", "9", ".hidden"};
	static const char *const want[] = {".hidden", "10", "9", "B", "a", "b", "\xC3\xA9"};
	struct ts_arena arena;
	struct ts_error err;
	char **names = NULL;
	size_t n = 0;

	(void)unused;
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(ts_file_replace(in_root(made[i]), ts_span_str(""), 0644, &err), TS_OK);
	ts_arena_init(&arena, 0);
	assert_int_equal(ts_list_dir(root, &arena, &names, &n, &err), TS_OK);
	assert_int_equal(n, 7);
	for (size_t i = 0; i < 7; i++)
		assert_string_equal(names[i], want[i]);
	assert_int_equal(ts_list_dir(in_root("none"), &arena, &names, &n, &err), TS_NOT_FOUND);
	ts_arena_finish(&arena);
	ts_arena_init(&arena, 64);
	assert_int_equal(ts_list_dir(root, &arena, &names, &n, &err), TS_NO_MEMORY);
	ts_arena_finish(&arena);
}

int main(void)
{
#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)
	const struct CMUnitTest tests[] = {
		IN_ROOT(test_replace_and_read),
		IN_ROOT(test_replace_that_fails_leaves_nothing),
		cmocka_unit_test(test_full_disk),
		IN_ROOT(test_replace_in_the_working_directory),
		IN_ROOT(test_read_limits),
		IN_ROOT(test_read_appends_any_length),
		cmocka_unit_test(test_size_is_only_a_hint),
		IN_ROOT(test_open_takes_regular_files_only),
		cmocka_unit_test(test_short_reads_are_put_together),
		IN_ROOT(test_pread),
		IN_ROOT(test_make_dirs),
		IN_ROOT(test_kinds),
		IN_ROOT(test_list_dir_sorts_by_bytes),
	};

	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
