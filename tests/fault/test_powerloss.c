/* P1 against power loss: a writer's writes and syncs are logged by powerlog.so; the files are then rebuilt as they could be after a
 * power cut at a random instant, with what was not synced dropped or torn, and must open, verify clean, hold every run
 * acknowledged before that instant, and take another push. Writes through an O_DSYNC descriptor count as synced once they
 * have returned, and as torn at 512 bytes while they have not. */
#include "base/cursor.h"
#include "base/file.h"
#include "base/limits.h"
#include "store/test_store.h"
#include "tests/fault/fault.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { POINTS = 250, FILE_MAX = 64 << 20, RECORDS_MAX = 1 << 17, ACKS_MAX = 1 << 16, PAGE = 4096, SECTOR = 512 };

struct record {
	char type;
	bool synced;
	uint8_t file; /* one of both */
	uint64_t offset;
	struct ts_span bytes;
};

static struct record records[RECORDS_MAX];
static size_t n_records;
static const char *const files[2] = {"data.mdb", "superblock"};
static uint8_t *synced[2]; /* the bytes of each that are safe at this point */
static uint8_t *torn[2];   /* the bytes that a power loss at this point could leave */
static size_t synced_size[2];
static uint8_t acks[ACKS_MAX];
static uint64_t random_state = 20261120;

static uint32_t next_random(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33);
}

static void parse_log(struct ts_span log)
{
	struct ts_cursor c = ts_cursor_of(log);

	for (n_records = 0; ts_cursor_left(&c); n_records++) {
		struct record *r = &records[n_records];
		uint32_t len;

		assert_true(n_records < RECORDS_MAX);
		r->type = (char)ts_cursor_u8(&c);
		r->synced = ts_cursor_u8(&c);
		r->file = ts_cursor_u8(&c);
		(void)ts_cursor_u8(&c);
		len = ts_cursor_u32(&c);
		r->offset = ts_cursor_u64(&c);
		r->bytes = ts_cursor_bytes(&c, len);
		assert_false(c.failed);
		assert_in_range(r->file, 0, 1);
		assert_true(r->type != 'W' || r->offset + len <= FILE_MAX);
	}
}

static void apply(uint8_t *image, size_t *size, uint64_t offset, struct ts_span bytes)
{
	memcpy(image + offset, bytes.data, bytes.len);
	if (offset + bytes.len > *size)
		*size = offset + bytes.len;
}

/* Keeps each piece of that size with a probability of keep percent. */
static void apply_torn(uint8_t *image, size_t *size, const struct record *r, size_t piece, unsigned keep)
{
	size_t n;

	for (size_t at = 0; at < r->bytes.len; at += n) {
		n = piece - (r->offset + at) % piece;
		if (n > r->bytes.len - at)
			n = r->bytes.len - at;
		if (next_random() % 100 < keep)
			apply(image, size, r->offset + at, ts_span_of(r->bytes.data + at, n));
	}
}

/* Moves the synced image of a file on to record `to`, that is, applies everything up to its last sync before it. Returns the
 * first record behind that sync. */
static size_t advance(uint8_t file, size_t from, size_t to)
{
	size_t last = from;

	for (size_t i = from; i < to; i++)
		if (records[i].file == file && records[i].type == 'S')
			last = i + 1;
	for (size_t i = from; i < last; i++) {
		if (records[i].file == file && records[i].type == 'W')
			apply(synced[file], &synced_size[file], records[i].offset, records[i].bytes);
		else if (records[i].file == file && records[i].type == 'T')
			synced_size[file] = records[i].offset;
	}
	return last;
}

/* Makes a file as a power loss just before record `at`, or in the middle of it, could leave it. */
static size_t tear(uint8_t file, size_t from, size_t at)
{
	static const unsigned chances[] = {0, 10, 50, 90, 100};
	unsigned keep = chances[next_random() % 5];
	size_t piece = next_random() % 2 ? PAGE : SECTOR;
	size_t size = synced_size[file];

	memcpy(torn[file], synced[file], size);
	for (size_t i = from; i < at; i++) {
		const struct record *r = &records[i];

		if (r->file != file)
			continue;
		if (r->type == 'T')
			size = r->offset;
		if (r->type == 'W' && r->synced)
			apply(torn[file], &size, r->offset, r->bytes);
		else if (r->type == 'W')
			apply_torn(torn[file], &size, r, piece, keep);
	}
	if (at < n_records && records[at].type == 'W' && records[at].file == file)
		apply_torn(torn[file], &size, &records[at], SECTOR, keep);
	return size;
}

static size_t acks_before(size_t at)
{
	size_t n = 0;

	for (size_t i = 0; i < at; i++)
		if (records[i].type == 'A' && records[i].bytes.len == FAULT_ACK) {
			assert_true(n + FAULT_ACK <= sizeof acks);
			memcpy(acks + n, records[i].bytes.data, FAULT_ACK);
			n += FAULT_ACK;
		}
	return n;
}

static void write_file(const char *dir, const char *name, const uint8_t *bytes, size_t n)
{
	char path[512];
	struct ts_error err;
	int fd;

	(void)snprintf(path, sizeof path, "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ts_write_full(fd, bytes, n, &err), TS_OK);
	(void)close(fd);
}

static void run_writer(const char *dir, const char *log)
{
	char preload[640];
	char powerlog[640];
	const char *argv[] = {FAULT_WRITER_PLAIN, dir, "1", "70", "3", NULL};
	const char *env[] = {preload, powerlog, NULL};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int status = -1;
	pid_t pid;

	(void)snprintf(preload, sizeof preload, "LD_PRELOAD=%s", FAULT_POWERLOG);
	(void)snprintf(powerlog, sizeof powerlog, "TS_POWERLOG=%s", log);
	pid = fault_spawn(argv, env, null);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	(void)close(null);
}

static int compare_points(const void *a, const void *b)
{
	const size_t *x = a;
	const size_t *y = b;

	return (*x > *y) - (*x < *y);
}

/* The first records create the store. Before they are synced, no writer has been promised anything. */
static size_t first_point(void)
{
	for (size_t i = 0; i < n_records; i++)
		if (records[i].type == 'A')
			return i;
	return n_records;
}

static void p1_survives_power_loss(void **state)
{
	static size_t points[POINTS];
	struct ts_buf log = TS_BUF_INIT((size_t)1 << 30);
	char path[512];
	char dir[256];
	char after[256];
	struct ts_error err;
	size_t from[2] = {0, 0};
	size_t most = 0;

	(void)state;
	test_make_dir(dir, sizeof dir);
	(void)snprintf(path, sizeof path, "%s/log", dir);
	run_writer(dir, path);
	assert_int_equal(ts_file_read(path, &log, &err), TS_OK);
	parse_log(ts_buf_view(&log));
	for (int k = 0; k < 2; k++) {
		synced[k] = test_calloc(1, FILE_MAX);
		torn[k] = test_calloc(1, FILE_MAX);
	}
	for (int i = 0; i < POINTS; i++)
		points[i] = first_point() + next_random() % (n_records - first_point() + 1);
	qsort(points, POINTS, sizeof *points, compare_points);
	for (int i = 0; i < POINTS; i++) {
		struct ts_store_stats stats;
		const char *bad;
		size_t n = acks_before(points[i]);

		test_make_dir(after, sizeof after);
		for (uint8_t k = 0; k < 2; k++) {
			from[k] = advance(k, from[k], points[i]);
			write_file(after, files[k], torn[k], tear(k, from[k], points[i]));
		}
		bad = fault_check(after, acks, n, &stats);
		if (bad)
			fail_msg("cut %d at record %zu of %zu, %zu acknowledged: %s", i, points[i], n_records, n / FAULT_ACK, bad);
		test_remove_dir(after);
		most = n / FAULT_ACK;
	}
	print_message("%d cuts in %zu records, up to %zu runs acknowledged\n", POINTS, n_records, most);
	assert_true(most > 50);
	for (int k = 0; k < 2; k++) {
		test_free(synced[k]);
		test_free(torn[k]);
	}
	ts_buf_finish(&log);
	test_remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(p1_survives_power_loss)};
	struct ts_error err;

	if (ts_digest_init(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
