#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/recorder.h"

#include "record/column_table.h"
#include "record/companion.h"
#include "record/json_merge.h"
#include "record/occurrences.h"
#include "record/run_files.h"
#include "record/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The recordings of this process, so that a fork can end them in the child. */
static pthread_mutex_t runs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct tscope_run *runs;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
	(void)pthread_mutex_lock(&runs_lock);
}

static void after_fork(void)
{
	(void)pthread_mutex_unlock(&runs_lock);
}

static void in_child(void)
{
	for (struct tscope_run *run = runs; run; run = run->next)
		atomic_store_explicit(&run->off, true, memory_order_relaxed);
	runs = NULL;
	(void)pthread_mutex_unlock(&runs_lock);
}

static void watch_forks(void)
{
	(void)pthread_atfork(before_fork, after_fork, in_child);
}

static void enlist(struct tscope_run *run)
{
	(void)pthread_once(&fork_once, watch_forks);
	(void)pthread_mutex_lock(&runs_lock);
	run->next = runs;
	runs = run;
	(void)pthread_mutex_unlock(&runs_lock);
}

static void delist(struct tscope_run *run)
{
	(void)pthread_mutex_lock(&runs_lock);
	for (struct tscope_run **p = &runs; *p; p = &(*p)->next) {
		if (*p == run) {
			*p = run->next;
			break;
		}
	}
	(void)pthread_mutex_unlock(&runs_lock);
}

int64_t tscope_now_ns(void)
{
	return ts_tick_ns();
}

static void put_file_header(const struct ts_ask *ask, uint8_t *header)
{
	uint8_t token[16];

	ts_tick_token(token);
	memset(header, 0, TS_FRAME_FILE_HEADER);
	memcpy(header, TS_FRAME_MAGIC, 8);
	ts_put32(header + TS_FRAME_FILE_VERSION, TS_FRAME_VERSION);
	ts_put32(header + TS_FRAME_FILE_CHUNK, TS_FRAME_CHUNK);
	memcpy(header + TS_FRAME_FILE_TOKEN, token, 16);
	ts_put32(header + TS_FRAME_FILE_RANK, (uint32_t)ask->rank);
	ts_put32(header + TS_FRAME_FILE_WORLD, (uint32_t)ask->world_size);
	ts_put64(header + TS_FRAME_FILE_UNIX_NS, (uint64_t)ask->began_unix);
	ts_put64(header + TS_FRAME_FILE_MONO_NS, (uint64_t)ask->began);
	ts_put32(header + TS_FRAME_FILE_PROCESS, ask->process);
	ts_put32(header + TS_FRAME_FILE_FLUSH_MS, ask->flush_ms);
	ts_put32(header + TS_FRAME_FILE_CRC, ts_crc32c(0, header, TS_FRAME_FILE_CRC));
}

static char *copy(const char *text)
{
	size_t n = strlen(text) + 1;
	char *c = malloc(n);

	return c ? memcpy(c, text, n) : NULL;
}

static void destroy(struct tscope_run *run)
{
	ts_column_table_destroy(run->columns);
	ts_occurrences_destroy(run->occurrences);
	free(run->facts);
	(void)pthread_mutex_destroy(&run->facts_lock);
	free(run);
}

/* What belongs to the keeper, too. */
static void destroy_area(struct tscope_run *run)
{
	ts_area_destroy(run->area);
	if (run->memory >= 0)
		(void)close(run->memory);
}

static enum tscope_status check_options(const struct tscope_options *o, struct tscope_error *err)
{
	int32_t world = o->world_size ? o->world_size : 1;
	enum tscope_status status = ts_run_files_check(o->config, "config", err);

	if (status == TSCOPE_OK)
		status = ts_run_files_check(o->facts, "facts", err);
	if (status)
		return status;
	if (world < 1 || o->rank < 0 || o->rank >= world)
		return ts_record_fail(err, TSCOPE_INVALID, "rank %d is not one of a world of %d", o->rank, world);
	if (o->name && (strlen(o->name) > 4096 || !ts_record_utf8_valid(o->name, strlen(o->name))))
		return ts_record_fail(err, TSCOPE_INVALID, "the run's name has to be at most 4,096 bytes of UTF-8");
	if (!o->directory || !*o->directory || strlen(o->directory) > TS_AREA_PATH - 256)
		return ts_record_fail(err, TSCOPE_INVALID, "a run needs a directory, whose path has at most %d bytes",
				      TS_AREA_PATH - 256);
	return TSCOPE_OK;
}

/* Returns NULL if there is no memory. */
static struct tscope_run *create(const struct tscope_options *o)
{
	struct tscope_run *run = calloc(1, sizeof *run);

	if (!run)
		return NULL;
	run->row.serial = 1;
	run->memory = -1;
	atomic_init(&run->step_open, TS_FRAME_NO_STEP);
	(void)pthread_mutex_init(&run->facts_lock, NULL);
	run->columns = ts_column_table_create();
	run->facts = copy(o->facts ? o->facts : "{\"format\": 1}");
	run->facts_length = run->facts ? strlen(run->facts) : 0;
	if (run->columns && run->facts)
		return run;
	destroy(run);
	return NULL;
}

/* Writes down for the keeper what is to be opened. Returns 0 or errno. */
static int ask(struct tscope_run *run, const struct tscope_options *o)
{
	const char *const texts[TS_ASK_TEXTS] = {o->directory, o->name, o->config, o->facts};
	size_t length[TS_ASK_TEXTS] = {0}, sum = 0;
	struct ts_ask *a;
	uint8_t *to;
	int error;

	for (int i = 0; i < TS_ASK_TEXTS; i++)
		sum += length[i] = texts[i] ? strlen(texts[i]) + 1 : 0;
	error = ts_area_create(sum, &run->area, &run->memory);
	if (error)
		return error;
	a = &run->area->ask;
	to = ts_area_slots(run->area);
	for (int i = 0; i < TS_ASK_TEXTS; to += length[i], i++) {
		a->length[i] = (uint32_t)length[i];
		if (texts[i])
			memcpy(to, texts[i], length[i]);
	}
	a->rank = o->rank;
	a->world_size = o->world_size ? o->world_size : 1;
	a->flush_ms = o->flush_ms ? o->flush_ms : 1000;
	a->process = ts_tick_process();
	a->resume = o->resume != 0;
	ts_tick_follow();
	ts_tick_wall(&a->began_unix, &a->began);
	ts_waits_begin(&run->area->waits_of_steps, a->began);
	return 0;
}

static void give_lanes(struct tscope_run *run)
{
	run->steps.area = run->area;
	run->steps.companion = run->companion;
	for (uint32_t i = 0; i < TS_RUN_SHARED; i++) {
		run->shared[i].lane.area = run->area;
		run->shared[i].lane.companion = run->companion;
		run->shared[i].lane.number = i + 1;
		atomic_flag_clear(&run->shared[i].busy);
	}
}

/* The first chunk, with the header of the file and the recorder's own columns. */
static void begin(struct tscope_run *run)
{
	(void)ts_lane_next(&run->steps);
	put_file_header(&run->area->ask, run->steps.base);
	(void)ts_run_declare(run, &run->steps, TSCOPE_PHASE, "other");
	(void)ts_run_declare(run, &run->steps, TSCOPE_PHASE, "between");
	(void)ts_run_declare(run, &run->steps, TSCOPE_PHASE, "step");
	if (run->area->waits_of_steps.fd >= 0)
		atomic_store(&run->area->cpu_wait, ts_run_declare(run, &run->steps, TSCOPE_REGION, "cpu_wait"));
}

static enum tscope_status open_here(struct tscope_run *run, const struct tscope_options *o, struct tscope_error *err)
{
	enum tscope_status status;
	bool kept;
	int error = ask(run, o);

	if (error)
		return ts_record_fail(err, TSCOPE_NO_MEMORY, "no memory for a recording: %s", strerror(error));
	status = ts_companion_start(&run->companion, run->area, run->memory, o->keeper, &kept, err);
	if (status && !kept)
		destroy_area(run);
	return status;
}

/* --- what the environment asks for --- */

/* A step in decimal digits; INT64_MAX where there is none. */
static int64_t step_of(const char *text)
{
	int64_t step = 0;

	if (!text || !*text)
		return INT64_MAX;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || step > INT64_MAX / 16)
			return INT64_MAX;
		step = step * 10 + (*text - '0');
	}
	return step;
}

/* Of the first run of this process the environment says where it is recorded, and where it ends. */
static int64_t take_asked(struct tscope_options *io_options)
{
	static atomic_flag taken = ATOMIC_FLAG_INIT;
	const char *directory = getenv("TSCOPE_DIRECTORY");

	if (io_options->asked || atomic_flag_test_and_set(&taken))
		return INT64_MAX;
	if (directory && *directory)
		io_options->directory = directory;
	return step_of(getenv("TSCOPE_STOP"));
}

_Noreturn void ts_run_stop(struct tscope_run *run)
{
	char facts[160];

	(void)snprintf(facts, sizeof facts,
		       "{\"session\": {\"end\": {\"state\": \"finished\", \"stopped_behind\": %" PRId64
		       ", \"asked_by\": \"TSCOPE_STOP\"}}}",
		       run->stop);
	(void)tscope_facts(run, facts, NULL);
	(void)tscope_close(run);
	exit(0);
}

enum tscope_status tscope_open(const struct tscope_options *given, struct tscope_run **ret_run, struct tscope_error *err)
{
	struct tscope_options options = *given;
	int64_t stop = take_asked(&options);
	enum tscope_status status = check_options(&options, err);
	struct tscope_run *run;

	*ret_run = NULL;
	if (status)
		return status;
	run = create(&options);
	if (!run)
		return ts_record_fail(err, TSCOPE_NO_MEMORY, "no memory for a recording");
	run->stop = stop;
	status = open_here(run, &options, err);
	if (status) {
		destroy(run);
		return status;
	}
	give_lanes(run);
	begin(run);
	enlist(run);
	*ret_run = run;
	return TSCOPE_OK;
}

/* Whether the keeper could not write facts that were given, and nobody was told. */
static bool facts_failed(struct tscope_run *run)
{
	uint32_t times = atomic_load(&run->area->facts_failed);
	bool is_news = times != run->facts_failed;

	run->facts_failed = times;
	return is_news;
}

/* Says what the end found. */
static void say_end(struct tscope_run *run, bool ended, bool died)
{
	if (died)
		ts_area_stop(run->area, ECHILD);
	if (atomic_load(&run->area->stopped)) {
		ts_run_stopped_at_end(run);
	} else if (!ended) {
		ts_run_trouble(run, "the file system does not answer, and nobody waits for the end of the recording");
	} else if (facts_failed(run)) {
		ts_run_trouble(run, run->area->text);
	}
}

int tscope_close(struct tscope_run *run)
{
	bool is_closed, may_free, died;

	if (!ts_run_live(run))
		return 1;
	delist(run);
	if (run->row.open)
		atomic_fetch_add_explicit(&run->area->lost, 1, memory_order_relaxed);
	run->area->closed = ts_tick_ns();
	may_free = ts_companion_stop(run->companion, &died);
	is_closed = atomic_load(&run->area->state) == TS_AREA_CLOSED;
	say_end(run, is_closed, died);
	if (may_free)
		destroy_area(run); /* else the keeper's thread still has it */
	destroy(run);
	return is_closed;
}

int tscope_sync(struct tscope_run *run, int ms)
{
	return !ts_run_live(run) || ts_companion_sync(run->companion, ms);
}

uint32_t tscope_attempt(const struct tscope_run *run)
{
	return run ? run->area->attempt : 0;
}

/* Under the lock. */
static enum tscope_status add_facts(struct tscope_run *run, const char *json, struct tscope_error *err)
{
	size_t len = 0;
	char *text = ts_record_json_merge(run->facts, run->facts_length, json, strlen(json), &len);
	int error;

	if (!text)
		return ts_record_fail(err, TSCOPE_NO_MEMORY, "the facts are too large");
	free(run->facts);
	run->facts = text;
	run->facts_length = len;
	error = ts_area_put_facts(run->area, run->memory, text, len);
	if (error)
		return ts_record_fail(err, TSCOPE_NO_MEMORY, "no memory for facts: %s", strerror(error));
	return facts_failed(run) ? ts_record_fail(err, TSCOPE_IO, "%s", run->area->text) : TSCOPE_OK;
}

enum tscope_status tscope_facts(struct tscope_run *run, const char *json, struct tscope_error *err)
{
	enum tscope_status status;

	if (!ts_run_live(run))
		return TSCOPE_OK;
	if (!json)
		return ts_record_fail(err, TSCOPE_INVALID, "facts are a JSON object");
	status = ts_run_files_check(json, "facts", err);
	if (status)
		return status;
	(void)pthread_mutex_lock(&run->facts_lock);
	status = add_facts(run, json, err);
	(void)pthread_mutex_unlock(&run->facts_lock);
	return status;
}
