#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/recorder.h"

#include "record/column_table.h"
#include "record/disk.h"
#include "record/keeper.h"
#include "record/occurrences.h"
#include "record/run_files.h"
#include "record/utf8.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
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

uint32_t ts_run_thread(void)
{
	static _Atomic uint32_t threads;
	static _Thread_local uint32_t mine; /* and one more */

	if (mine == 0)
		mine = atomic_fetch_add(&threads, 1) + 1;
	return mine - 1;
}

/* Each thread begins to look at another lane, and nearly always has it at once. */
struct ts_lane *ts_run_borrow(struct tscope_run *run)
{
	for (uint32_t i = ts_run_thread(), tries = 1;; i++, tries++) {
		struct ts_shared_lane *s = &run->shared[i % TS_RUN_SHARED];

		if (!atomic_flag_test_and_set_explicit(&s->busy, memory_order_acquire))
			return &s->lane;
		if (tries % TS_RUN_SHARED == 0)
			(void)sched_yield();
	}
}

void ts_run_return(struct ts_lane *lane)
{
	struct ts_shared_lane *s = (struct ts_shared_lane *)(void *)((char *)lane - offsetof(struct ts_shared_lane, lane));

	atomic_flag_clear_explicit(&s->busy, memory_order_release);
}

void ts_run_trouble(struct tscope_run *run, const char *what)
{
	int none = 0, length;
	char line[512];

	if (!atomic_compare_exchange_strong(&run->trouble, &none, 1))
		return;
	(void)snprintf(run->first, sizeof run->first, "%s", what);
	atomic_store_explicit(&run->trouble, 2, memory_order_release);
	length = snprintf(line, sizeof line, "tscope: %s: %s; training goes on\n", run->path, what);
	if (write(STDERR_FILENO, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1) < 0)
		errno = 0;
}

void ts_run_stopped(struct tscope_run *run)
{
	char what[256];
	int error = atomic_load(&run->space.error);

	if (atomic_load_explicit(&run->trouble, memory_order_relaxed))
		return;
	(void)snprintf(what, sizeof what, "recording has stopped: %s",
		       error == ESTALE ? "the file was cut or removed" : strerror(error));
	ts_run_trouble(run, what);
}

void ts_run_lost(struct tscope_run *run)
{
	atomic_fetch_add_explicit(&run->lost, 1, memory_order_relaxed);
	ts_run_stopped(run);
}

void ts_run_refused(struct tscope_run *run, tscope_column column)
{
	if (column == 0)
		return;
	atomic_fetch_add_explicit(&run->refused, 1, memory_order_relaxed);
	ts_run_trouble(run, "a value was given to a column of another kind, or was none");
}

void tscope_trouble(const struct tscope_run *run, struct tscope_trouble *ret_trouble)
{
	memset(ret_trouble, 0, sizeof *ret_trouble);
	if (!ts_run_live(run))
		return;
	ret_trouble->lost_frames = atomic_load_explicit(&run->lost, memory_order_relaxed);
	ret_trouble->waits = atomic_load_explicit(&run->space.waits, memory_order_relaxed);
	ret_trouble->refused_columns = atomic_load_explicit(&run->refused, memory_order_relaxed);
	ret_trouble->stopped = atomic_load_explicit(&run->space.stopped, memory_order_relaxed);
	if (atomic_load_explicit(&run->trouble, memory_order_acquire) == 2)
		memcpy(ret_trouble->first, run->first, sizeof run->first);
}

int64_t tscope_now_ns(void)
{
	return ts_tick_ns();
}

static void put_file_header(struct tscope_run *run, uint8_t *header)
{
	uint8_t token[16];

	ts_tick_token(token);
	memset(header, 0, TS_FRAME_FILE_HEADER);
	memcpy(header, TS_FRAME_MAGIC, 8);
	ts_put32(header + TS_FRAME_FILE_VERSION, TS_FRAME_VERSION);
	ts_put32(header + TS_FRAME_FILE_CHUNK, TS_FRAME_CHUNK);
	memcpy(header + TS_FRAME_FILE_TOKEN, token, 16);
	ts_put32(header + TS_FRAME_FILE_RANK, (uint32_t)run->rank);
	ts_put32(header + TS_FRAME_FILE_WORLD, (uint32_t)run->world_size);
	ts_put64(header + TS_FRAME_FILE_UNIX_NS, (uint64_t)run->began_unix);
	ts_put64(header + TS_FRAME_FILE_MONO_NS, (uint64_t)run->began);
	ts_put32(header + TS_FRAME_FILE_PROCESS, ts_tick_process());
	ts_put32(header + TS_FRAME_FILE_FLUSH_MS, run->flush_ms);
	ts_put32(header + TS_FRAME_FILE_CRC, ts_crc32c(0, header, TS_FRAME_FILE_CRC));
}

static void put_end(struct tscope_run *run, int64_t now)
{
	bool stopped = atomic_load(&run->space.stopped);
	int error = atomic_load(&run->space.error);
	bool no_space = error == ENOSPC || error == EFBIG || error == EDQUOT;
	uint8_t *frame = ts_lane_at(&run->steps); /* there is room: TS_LANE_TAIL */

	memset(frame + TS_FRAME_HEADER, 0, TS_FRAME_END_SIZE - TS_FRAME_HEADER);
	ts_put64(frame + TS_FRAME_END_TIME, (uint64_t)now);
	ts_put64(frame + TS_FRAME_END_STEPS, run->steps_ended);
	ts_put64(frame + TS_FRAME_END_LOST, atomic_load(&run->lost));
	ts_put64(frame + TS_FRAME_END_WAITS, atomic_load(&run->space.waits));
	ts_put32(frame + TS_FRAME_END_REASON, !stopped ? TS_FRAME_CLOSED : no_space ? TS_FRAME_NO_SPACE : TS_FRAME_STOPPED);
	ts_lane_put(&run->steps, frame, TS_FRAME_END, TS_FRAME_END_SIZE);
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
	free(run->name);
	free(run->config);
	free(run);
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
	return TSCOPE_OK;
}

/* Returns NULL if there is no memory. */
static struct tscope_run *create(const struct tscope_options *o)
{
	struct tscope_run *run = calloc(1, sizeof *run);

	if (!run)
		return NULL;
	run->rank = o->rank;
	run->world_size = o->world_size ? o->world_size : 1;
	run->flush_ms = o->flush_ms ? o->flush_ms : 1000;
	run->resume = o->resume != 0;
	run->attempt = 1;
	run->file = run->directory = -1;
	run->row.serial = 1;
	atomic_init(&run->step_open, TS_FRAME_NO_STEP);
	atomic_init(&run->step_last, TSCOPE_NEXT);
	for (uint32_t i = 0; i < TS_RUN_SHARED; i++) {
		run->shared[i].lane.space = &run->space;
		run->shared[i].lane.number = i + 1;
		atomic_flag_clear(&run->shared[i].busy);
	}
	run->steps.space = &run->space;
	run->columns = ts_column_table_create();
	run->config = copy(o->config ? o->config : "{}");
	run->name = o->name ? copy(o->name) : NULL;
	if (run->columns && run->config && (run->name || !o->name))
		return run;
	destroy(run);
	return NULL;
}

/* The first chunk, with the header of the file and the recorder's own columns. */
static enum tscope_status begin(struct tscope_run *run, struct tscope_error *err)
{
	int error = ts_space_open(&run->space, run->file);

	if (error)
		return ts_record_fail(err, error == ENOMEM ? TSCOPE_NO_MEMORY : TSCOPE_IO, "cannot make space for %s: %s", run->path,
				      strerror(error));
	ts_disk_hold(run->file);
	ts_tick_wall(&run->began_unix, &run->began);
	put_file_header(run, run->space.extents->map);
	(void)ts_lane_next(&run->steps);
	(void)ts_run_declare(run, &run->steps, TSCOPE_PHASE, "other");
	(void)ts_run_declare(run, &run->steps, TSCOPE_PHASE, "between");
	(void)ts_run_declare(run, &run->steps, TSCOPE_PHASE, "step");
	return TSCOPE_OK;
}

static enum tscope_status write_files(struct tscope_run *run, const struct tscope_options *o, struct tscope_error *err)
{
	enum tscope_status status = ts_run_files_write(run, -1, 0, err);

	if (status == TSCOPE_OK && o->facts)
		status = ts_run_files_facts(run, o->facts, err);
	return status;
}

enum tscope_status tscope_open(const struct tscope_options *options, struct tscope_run **ret_run, struct tscope_error *err)
{
	enum tscope_status status = check_options(options, err);
	struct tscope_run *run;

	*ret_run = NULL;
	if (status)
		return status;
	run = create(options);
	if (!run)
		return ts_record_fail(err, TSCOPE_NO_MEMORY, "no memory for a recording");
	status = ts_run_files_make(run, options->directory, err);
	if (status) {
		destroy(run);
		return status;
	}
	status = begin(run, err);
	if (status == TSCOPE_OK) {
		status = write_files(run, options, err);
		if (status)
			ts_space_close(&run->space);
	}
	if (status) {
		ts_run_files_unmake(run);
		destroy(run);
		return status;
	}
	ts_waits_begin(&run->waits, run->began);
	enlist(run);
	run->keeper = ts_keeper_start(run);
	if (!run->keeper)
		ts_run_trouble(run, "there can be no thread to make space ahead and to flush; the recording waits for the disk itself");
	*ret_run = run;
	return TSCOPE_OK;
}

void tscope_close(struct tscope_run *run)
{
	int64_t now;

	if (!ts_run_live(run))
		return;
	ts_keeper_stop(run->keeper);
	ts_waits_end(&run->waits);
	delist(run);
	if (run->row.open)
		atomic_fetch_add_explicit(&run->lost, 1, memory_order_relaxed);
	now = ts_tick_ns();
	put_end(run, now);
	ts_space_flush(&run->space);
	(void)ts_run_files_write(run, now - run->began, run->steps_ended, NULL);
	ts_space_close(&run->space);
	(void)close(run->file);
	(void)close(run->directory);
	free(run->path);
	destroy(run);
}

uint32_t tscope_attempt(const struct tscope_run *run)
{
	return run ? run->attempt : 0;
}

enum tscope_status tscope_facts(struct tscope_run *run, const char *json, struct tscope_error *err)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	enum tscope_status status;

	if (!ts_run_live(run))
		return TSCOPE_OK;
	if (!json)
		return ts_record_fail(err, TSCOPE_INVALID, "facts are a JSON object");
	(void)pthread_mutex_lock(&lock);
	status = ts_run_files_facts(run, json, err);
	(void)pthread_mutex_unlock(&lock);
	return status;
}
