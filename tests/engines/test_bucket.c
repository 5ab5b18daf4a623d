/* Asks store/bucket against a server of S3 (s3.py) that checks every signature and fails on demand: what passes is tried again, what
 * stays is said in one sentence, and no sentence has a part of a key. */
#include "store/bucket/bucket.h"
#include "tests/engines/s3_server.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define SECRET "xyzzy/plugh+1" /* of all keys */

static struct s3_server server;
static uint8_t content[300000];

static struct ts_bucket *open_at(const char *path)
{
	char room[128];
	const struct ts_bucket_options options = {.url = s3_url(&server, path, room)};
	struct ts_bucket *b;
	struct ts_error err;

	if (ts_bucket_open(&options, &b, &err))
		fail_msg("%s", err.text);
	return b;
}

static enum ts_status put(struct ts_bucket *b, const char *name, struct ts_span bytes, struct ts_error *err)
{
	struct ts_id digest;

	ts_digest(bytes, &digest);
	return ts_bucket_put(b, name, bytes, &digest, err);
}

static void use_keys(const char *id, const char *secret, const char *token)
{
	(void)setenv("AWS_ACCESS_KEY_ID", id, 1);
	(void)setenv("AWS_SECRET_ACCESS_KEY", secret, 1);
	(void)setenv("AWS_SESSION_TOKEN", token, 1);
}

static int setup(void **state)
{
	(void)state;
	use_keys("tester", SECRET, "");
	s3_control(&server, "clear", NULL);
	return 0;
}

static void test_put_get_delete(void **state)
{
	struct ts_bucket *b = open_at("packs/folder");
	uint8_t out[1000];
	struct ts_error err;
	uint64_t size;

	(void)state;
	assert_int_equal(put(b, "a/b.pack", ts_span_of(content, sizeof content), &err), TS_OK);
	assert_int_equal(ts_bucket_size(b, "a/b.pack", &size, &err), TS_OK);
	assert_int_equal(size, sizeof content);
	assert_int_equal(ts_bucket_get(b, "a/b.pack", 1234, sizeof out, out, &err), TS_OK);
	assert_memory_equal(out, content + 1234, sizeof out);
	assert_int_equal(put(b, "a/b.pack", ts_span_of(content, sizeof content), &err), TS_OK); /* it is there */
	assert_int_equal(put(b, "a/b.pack", ts_span_of(content, 10), &err), TS_DAMAGED);	/* and stays as it is */
	assert_int_equal(ts_bucket_get(b, "a/b.pack", sizeof content - 10, sizeof out, out, &err), TS_DAMAGED);
	assert_int_equal(ts_bucket_get(b, "a/b.pack", sizeof content + 10, sizeof out, out, &err), TS_DAMAGED);
	assert_int_equal(ts_bucket_delete(b, "a/b.pack", &err), TS_OK);
	assert_int_equal(ts_bucket_delete(b, "a/b.pack", &err), TS_OK);
	assert_int_equal(ts_bucket_get(b, "a/b.pack", 0, 1, out, &err), TS_NOT_FOUND);
	ts_bucket_close(b);
}

/* Each kind of failure, twice in a row, for each kind of request. */
static void test_passing_failures(void **state)
{
	static const char *const kinds[] = {"500", "503", "429", "409", "cut", "deaf", "half"};
	static const char *const methods[] = {"PUT", "GET", "DELETE", "HEAD"};
	struct ts_bucket *b = open_at("packs");
	struct ts_bucket_stats stats;
	struct ts_error err;
	uint64_t before = 0;
	uint8_t out[100];

	(void)state;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
			char what[64];
			uint64_t size;

			(void)snprintf(what, sizeof what, "fault?kind=%s&times=2&method=%s", kinds[k], methods[m]);
			s3_control(&server, what, NULL);
			if (put(b, "x", ts_span_of(content, 5000), &err) || ts_bucket_size(b, "x", &size, &err) ||
			    ts_bucket_get(b, "x", 100, sizeof out, out, &err) || ts_bucket_delete(b, "x", &err))
				fail_msg("%s: %s", what, err.text);
			assert_memory_equal(out, content + 100, sizeof out);
			ts_bucket_stats(b, &stats);
			/* Only an answer to GET has a body; curl itself asks again where a connection that it had kept is cut;
			 * and a read that is asked twice meets both failures at once. */
			if (strcmp(kinds[k], "half") != 0 ? kinds[k][0] != 'c' && kinds[k][0] != 'd' : strcmp(methods[m], "GET") == 0)
				assert_true(stats.retries > before);
			before = stats.retries;
			for (int i = 0; i < 20; i++) /* fills the budget again */
				assert_int_equal(ts_bucket_delete(b, "none", &err), TS_OK);
		}
	ts_bucket_close(b);
}

/* What stays away ends with a sentence, and soon: the budget is used up, and later calls do not flood. */
static void test_away(void **state)
{
	struct ts_bucket *b = open_at("packs");
	struct ts_bucket_stats stats;
	struct ts_error err;
	uint8_t out[1];

	(void)state;
	s3_control(&server, "fault?kind=503&times=1000000", NULL);
	for (int i = 0; i < 8; i++)
		assert_int_equal(ts_bucket_get(b, "x", 0, 1, out, &err), TS_UNAVAILABLE);
	assert_non_null(strstr(err.text, "its bucket answers 503, SlowDown"));
	ts_bucket_stats(b, &stats);
	assert_true(stats.retries <= 16);
	s3_control(&server, "fault?kind=500&times=0", NULL);
	assert_int_equal(ts_bucket_get(b, "x", 0, 1, out, &err), TS_NOT_FOUND);
	ts_bucket_close(b);
}

/* A read that takes much longer than those before is asked once more, and the second answer counts. */
static void test_slow_read(void **state)
{
	struct ts_bucket *b = open_at("packs");
	struct ts_bucket_stats stats;
	struct ts_error err;
	uint8_t out[100];

	(void)state;
	assert_int_equal(put(b, "x", ts_span_of(content, 5000), &err), TS_OK);
	for (int i = 0; i < 30; i++)
		assert_int_equal(ts_bucket_get(b, "x", 0, sizeof out, out, &err), TS_OK);
	s3_control(&server, "fault?kind=slow&times=1&method=GET", NULL);
	assert_int_equal(ts_bucket_get(b, "x", 0, sizeof out, out, &err), TS_OK);
	ts_bucket_stats(b, &stats);
	assert_true(stats.hedged >= 1);
	ts_bucket_close(b);
}

static void refuses(const char *path, const char *region, const char *keys_file, enum ts_status status, const char *says)
{
	char room[128];
	const struct ts_bucket_options options = {.url = s3_url(&server, path, room), .region = region, .keys_file = keys_file};
	struct ts_bucket *b;
	struct ts_buf keys;
	struct ts_error err;

	if (ts_bucket_open(&options, &b, &err))
		fail_msg("%s", err.text);
	assert_int_equal(ts_bucket_check(b, &err), status);
	if (!strstr(err.text, says))
		fail_msg("'%s' in place of '%s'", err.text, says);
	assert_null(strstr(err.text, SECRET));
	ts_bucket_close(b);
	s3_control(&server, "keys", &keys);
	assert_true(ts_span_is(ts_buf_view(&keys), "{\"packs\": {}, \"plain\": {}}")); /* nothing changed */
	ts_buf_finish(&keys);
}

static void test_what_is_refused(void **state)
{
	(void)state;
	refuses("nowhere", NULL, NULL, TS_INVALID, "there is no such bucket: make it, or correct bucket=");
	refuses("plain", NULL, NULL, TS_DENIED, "turn versioning on, or write versions = no");
	refuses("packs", "eu-west-7", NULL, TS_INVALID, "it is of another region than region= says; it says us-east-1");
	use_keys("keeper", SECRET, "");
	refuses("packs", NULL, NULL, TS_DENIED, "its keys may not delete: allow s3:GetObject, PutObject, DeleteObject");
	use_keys("blind", SECRET, "");
	refuses("packs", NULL, NULL, TS_DENIED, "not told which objects are absent: allow s3:GetObject, PutObject");
	use_keys("stranger", SECRET, "");
	refuses("packs", NULL, NULL, TS_DENIED, "it does not know the key");
	use_keys("tester", "hushhush", "");
	refuses("packs", NULL, NULL, TS_DENIED, "the secret does not belong to the key");
	use_keys("session", SECRET, "old");
	refuses("packs", NULL, NULL, TS_DENIED, "the token of the session is not valid");
	refuses("packs", NULL, "/nowhere/keys", TS_NOT_FOUND, "/nowhere/keys, which cannot be read");
}

static enum ts_status look_at(const char *path, bool keeps_no_versions, struct ts_error *err)
{
	char room[128];
	const struct ts_bucket_options options = {.url = s3_url(&server, path, room), .keeps_no_versions = keeps_no_versions};
	struct ts_bucket *b;
	enum ts_status status;

	if (ts_bucket_open(&options, &b, err))
		fail_msg("%s", err->text);
	status = ts_bucket_look(b, err);
	ts_bucket_close(b);
	return status;
}

/* Whoever only looks is told the same, also where versions are not asked for. */
static void test_look(void **state)
{
	struct ts_error err;

	(void)state;
	assert_int_equal(look_at("packs", false, &err), TS_OK);
	assert_int_equal(look_at("plain", false, &err), TS_DENIED);
	assert_int_equal(look_at("plain", true, &err), TS_OK);
	assert_int_equal(look_at("nowhere", true, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "there is no such bucket"));
	use_keys("blind", SECRET, "");
	assert_int_equal(look_at("packs", true, &err), TS_DENIED);
	assert_non_null(strstr(err.text, "ListBucket"));
}

enum { STARTS = 8, STARTS_EACH = 12 };

struct start {
	enum ts_status status;
	struct ts_error err;
};

static void *start_often(void *ctx)
{
	struct ts_bucket *b = open_at("packs");
	struct start *start = ctx;

	for (int i = 0; i < STARTS_EACH && !start->status; i++)
		start->status = ts_bucket_check(b, &start->err);
	ts_bucket_close(b);
	return NULL;
}

/* Servers that start at the same time do not take what another one has put to see whether it can. */
static void test_starts_at_once(void **state)
{
	struct start starts[STARTS] = {{.status = TS_OK}};
	pthread_t threads[STARTS];

	(void)state;
	for (int i = 0; i < STARTS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, start_often, &starts[i]), 0);
	for (int i = 0; i < STARTS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < STARTS; i++)
		if (starts[i].status)
			fail_msg("%s", starts[i].err.text);
}

static void test_clock(void **state)
{
	struct s3_server sound = server;

	(void)state;
	if (!s3_start(&server, "--skew", "1200"))
		fail();
	refuses("packs", NULL, NULL, TS_DENIED, "the clock of this machine differs from that of the bucket");
	s3_stop(&server);
	server = sound;
}

static void test_addresses(void **state)
{
	static const char *const bad[] = {"",
					  "s3.example.org/bucket",
					  "ftp://s3.example.org/bucket",
					  "https://s3.example.org",
					  "https://s3.example.org/",
					  "https:///bucket",
					  "https://user:secret@s3.example.org/bucket",
					  "https://s3.example.org/buc ket",
					  "https://s3.example.org/bucket/../other",
					  "https://s3.example.org/bucket?x=y"};
	struct ts_bucket *b;
	struct ts_error err;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(ts_bucket_open(&(struct ts_bucket_options){.url = bad[i]}, &b, &err), TS_INVALID);
		assert_null(strstr(err.text, "secret"));
	}
}

static void write_keys(const char *path, const char *id, mode_t mode)
{
	FILE *out = fopen(path, "w");

	if (!out || fprintf(out, "[default]\naws_access_key_id = %s\naws_secret_access_key = " SECRET "\n", id) < 0 ||
	    fclose(out) != 0 || chmod(path, mode) != 0)
		abort();
}

/* A key that was revoked: the file with the next one is read without a restart. */
static void test_rotation(void **state)
{
	char path[] = "/tmp/tscope-test-XXXXXX", room[128];
	int fd = mkstemp(path);
	const struct ts_bucket_options options = {.url = s3_url(&server, "packs", room), .keys_file = path};
	struct ts_bucket *b;
	struct ts_error err;

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	write_keys(path, "tester", 0644);
	refuses("packs", NULL, path, TS_DENIED, "holds keys that others may read: chmod 600");
	write_keys(path, "tester", 0600);
	assert_int_equal(ts_bucket_open(&options, &b, &err), TS_OK);
	assert_int_equal(ts_bucket_check(b, &err), TS_OK);
	s3_control(&server, "revoke?key=tester&new=fresh", NULL);
	assert_int_equal(ts_bucket_check(b, &err), TS_DENIED);
	write_keys(path, "fresh", 0600);
	assert_int_equal(ts_bucket_check(b, &err), TS_OK);
	write_keys(path, "half a key", 0600); /* as it is being replaced: those that were read are valid still */
	assert_int_equal(ts_bucket_check(b, &err), TS_OK);
	s3_control(&server, "revoke?key=fresh&new=tester", NULL);
	assert_int_equal(ts_bucket_check(b, &err), TS_INVALID); /* and now what is wrong with the file is said */
	ts_bucket_close(b);
	(void)unlink(path);
}

static void test_instance(void **state)
{
	struct ts_bucket *b;
	struct ts_error err;
	char room[128];

	(void)state;
	(void)unsetenv("AWS_ACCESS_KEY_ID");
	(void)setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", s3_url(&server, "", room), 1);
	getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT")[strlen(room) - 1] = 0;
	b = open_at("packs");
	if (ts_bucket_check(b, &err))
		fail_msg("%s", err.text);
	ts_bucket_close(b);
	(void)setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1", 1);
	refuses("packs", NULL, NULL, TS_UNAVAILABLE, "there are no keys for the bucket: name a file by credentials=");
}

/* How often the metadata of the instance was asked. */
static unsigned long instance_asked(void)
{
	struct ts_buf answer = TS_BUF_INIT(1 << 16);
	const char *at;
	unsigned long n;

	s3_control(&server, "instance", &answer);
	ts_buf_char(&answer, 0);
	at = strstr((const char *)answer.data, "\"asked\": ");
	assert_non_null(at);
	n = strtoul(at + 9, NULL, 10);
	ts_buf_finish(&answer);
	return n;
}

static void *ask_size(void *ctx)
{
	struct ts_error err;
	uint64_t bytes;

	(void)ts_bucket_size(ctx, "none", &bytes, &err);
	return NULL;
}

/* While keys that expire soon are renewed at a metadata service that is silent, others go on with them and wait for nobody. */
static void test_silent_instance(void **state)
{
	struct ts_bucket *b;
	struct ts_error err;
	pthread_t thread;
	unsigned long before;
	uint64_t bytes;
	char room[128];

	(void)state;
	(void)unsetenv("AWS_ACCESS_KEY_ID");
	(void)setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", s3_url(&server, "", room), 1);
	getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT")[strlen(room) - 1] = 0;
	s3_control(&server, "instance?seconds=120", NULL);
	b = open_at("packs");
	assert_int_equal(ts_bucket_size(b, "none", &bytes, &err), TS_NOT_FOUND);
	s3_control(&server, "instance?seconds=120&held=1", NULL);
	before = instance_asked();
	assert_int_equal(pthread_create(&thread, NULL, ask_size, b), 0);
	while (instance_asked() == before)
		(void)usleep(1000);
	assert_int_equal(ts_bucket_size(b, "none", &bytes, &err), TS_NOT_FOUND);
	assert_int_equal(instance_asked(), before + 1); /* whoever waits for the thread asks for itself afterwards */
	s3_control(&server, "release", NULL);
	(void)pthread_join(thread, NULL);
	s3_control(&server, "instance?seconds=3600", NULL);
	ts_bucket_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_put_get_delete, setup),
		cmocka_unit_test_setup(test_passing_failures, setup),
		cmocka_unit_test_setup(test_away, setup),
		cmocka_unit_test_setup(test_slow_read, setup),
		cmocka_unit_test_setup(test_what_is_refused, setup),
		cmocka_unit_test_setup(test_look, setup),
		cmocka_unit_test_setup(test_starts_at_once, setup),
		cmocka_unit_test_setup(test_clock, setup),
		cmocka_unit_test_setup(test_addresses, setup),
		cmocka_unit_test_setup(test_rotation, setup),
		cmocka_unit_test_setup(test_instance, setup),
		cmocka_unit_test_setup(test_silent_instance, setup),
	};
	struct ts_error err;
	int failed;

	if (ts_digest_init(&err))
		return 1;
	for (size_t i = 0; i < sizeof content; i++)
		content[i] = (uint8_t)(i * 2654435761u >> 24);
	if (!s3_start(&server, NULL, NULL)) {
		(void)printf("test_bucket: skipped: %s\n", "the server of S3 for tests does not start");
		return 77;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	s3_stop(&server);
	return failed;
}
