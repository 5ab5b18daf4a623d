#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/keeper.h"

#include "record/disk.h"
#include "record/lane.h"
#include "record/process.h"
#include "record/run_files.h"
#include "record/tick.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SHORTEST_MS = 5,
	LONGEST_MS = 20,
	EXTENT = 16, /* chunks that get their place on the disk at once, where there is so much */
	OWN_LANE = 10,
};

struct keeper {
	struct ts_area *area;
	struct ts_keeper_place place;
	struct ts_run_files files;
	char *asked[TS_ASK_TEXTS];
	int training; /* ts_process_watch; -1: it cannot be watched, or it is this process */
	bool training_is_gone;

	uint64_t size; /* of the file */
	uint32_t used; /* chunks of it that hold something */
	uint64_t tail; /* where the END frame goes; 0: nowhere yet */
	bool dirty;
	int64_t flushed; /* ns */
	uint64_t facts;	 /* number of those that are in facts.json */
	int rest_ms;
	struct ts_lane lane; /* for what it measures itself */

	struct ts_slot *found[TS_AREA_SLOTS]; /* of one turn */
};

/* --- opening --- */

/* Copies the texts, whose memory is that of the slots. */
static bool take_texts(struct keeper *k)
{
	const char *text = (const char *)ts_area_slots(k->area);

	for (int i = 0; i < TS_ASK_TEXTS; i++) {
		uint32_t length = k->area->ask.length[i];

		if (length == 0)
			continue;
		k->asked[i] = malloc(length);
		if (!k->asked[i])
			return false;
		memcpy(k->asked[i], text, length);
		text += length;
	}
	return true;
}

static void free_texts(struct keeper *k)
{
	for (int i = 0; i < TS_ASK_TEXTS; i++)
		free(k->asked[i]);
}

/* Makes the file long enough for so many chunks. Returns 0 or errno. */
static int make_place(struct keeper *k, uint32_t chunks)
{
	uint64_t needed = (uint64_t)chunks * TS_FRAME_CHUNK;
	uint64_t wanted = (uint64_t)(chunks + EXTENT - 1) / EXTENT * EXTENT * TS_FRAME_CHUNK;
	int error;

	if (needed <= k->size)
		return 0;
	error = ts_disk_extend(k->files.file, k->size, (size_t)(wanted - k->size));
	if (error) {
		wanted = needed;
		error = ts_disk_extend(k->files.file, k->size, (size_t)(needed - k->size));
	}
	if (error == 0)
		k->size = wanted;
	return error;
}

static enum tscope_status make_files(struct keeper *k, struct tscope_error *err)
{
	const struct ts_ask *ask = &k->area->ask;
	enum tscope_status status;
	int error;

	k->files = (struct ts_run_files){
		.name = k->asked[TS_ASK_NAME],
		.config = k->asked[TS_ASK_CONFIG] ? k->asked[TS_ASK_CONFIG] : "{}",
		.rank = ask->rank,
		.world_size = ask->world_size,
		.resume = ask->resume,
		.began_unix = ask->began_unix,
	};
	status = ts_run_files_make(&k->files, k->asked[TS_ASK_DIRECTORY], err);
	if (status)
		return status;
	ts_disk_hold(k->files.file);
	error = make_place(k, 1);
	if (error)
		status = ts_record_fail(err, TSCOPE_IO, "cannot make space for %s: %s", k->files.path, strerror(error));
	if (status == TSCOPE_OK)
		status = ts_run_files_write(&k->files, -1, 0, err);
	if (status == TSCOPE_OK && k->asked[TS_ASK_FACTS])
		status = ts_run_files_facts(&k->files, k->asked[TS_ASK_FACTS], err);
	if (status)
		ts_run_files_unmake(&k->files);
	return status;
}

/* Says that the recording is open, or why it is not. Returns false if there is nothing to keep. */
static bool answer(struct keeper *k, enum tscope_status status, const struct tscope_error *err)
{
	uint32_t asked = TS_AREA_ASKED;

	k->area->status = status;
	if (status) {
		(void)snprintf(k->area->text, sizeof k->area->text, "%s", err->text);
		(void)atomic_compare_exchange_strong(&k->area->state, &asked, TS_AREA_REFUSED);
		return false;
	}
	(void)snprintf(k->area->path, sizeof k->area->path, "%s", k->files.path);
	k->area->attempt = k->files.attempt;
	if (atomic_compare_exchange_strong(&k->area->state, &asked, TS_AREA_OPEN))
		return true;
	ts_run_files_unmake(&k->files);
	return false;
}

static bool open_recording(struct keeper *k)
{
	struct tscope_error err = {0};
	enum tscope_status status = take_texts(k) ? make_files(k, &err) : ts_record_fail(&err, TSCOPE_NO_MEMORY, "no memory");

	k->training = k->place.is_process ? ts_process_watch(k->area->ask.process) : -1;
	k->lane = (struct ts_lane){.area = k->area, .number = OWN_LANE};
	k->rest_ms = SHORTEST_MS;
	k->flushed = ts_tick_ns();
	return answer(k, status, &err);
}

/* --- copying --- */

/* A file that was cut would grow again with holes, and one without a name would be written for nobody. */
static void look_at_file(struct keeper *k)
{
	struct stat st;

	if (fstat(k->files.file, &st) < 0)
		ts_area_stop(k->area, errno);
	else if ((uint64_t)st.st_size < k->size || st.st_nlink == 0)
		ts_area_stop(k->area, ESTALE);
}

/* Returns 0 or errno; slot->copied says how far it came. */
static int write_slot(struct keeper *k, struct ts_slot *slot, uint32_t end)
{
	const uint8_t *bytes = ts_area_bytes(k->area, slot);
	uint64_t at = (uint64_t)slot->number * TS_FRAME_CHUNK;

	while (slot->copied < end) {
		ssize_t n = pwrite(k->files.file, bytes + slot->copied, end - slot->copied, (off_t)(at + slot->copied));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EIO;
		slot->copied += (uint32_t)n;
		k->dirty = true;
	}
	return 0;
}

static void copy_slot(struct keeper *k, struct ts_slot *slot)
{
	bool full = atomic_load_explicit(&slot->state, memory_order_acquire) == TS_SLOT_FULL;
	uint32_t end = atomic_load_explicit(&slot->end, memory_order_acquire);

	if (!atomic_load(&k->area->stopped) && slot->copied < end) {
		int error = make_place(k, slot->number + 1);

		if (error == 0)
			error = write_slot(k, slot, end);
		if (error)
			ts_area_stop(k->area, error);
		if (slot->copied > 0 && slot->number + 1 > k->used)
			k->used = slot->number + 1;
		if (slot->copied > 0 && slot->lane == 0)
			k->tail = (uint64_t)slot->number * TS_FRAME_CHUNK + ts_area_whole(k->area, slot, slot->copied);
	}
	if (atomic_load(&k->area->stopped))
		ts_area_give_up(k->area, slot);
	if (full)
		ts_area_empty(k->area, slot);
}

static int by_number(const void *a, const void *b)
{
	const struct ts_slot *x = *(struct ts_slot *const *)a, *y = *(struct ts_slot *const *)b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* Copies what there is, in the order of the file, so that a reader finds no hole. Returns whether there was anything. */
static bool copy(struct keeper *k)
{
	uint32_t ready = atomic_load_explicit(&k->area->ready, memory_order_acquire), n = 0;

	for (uint32_t i = 0; i < ready; i++) {
		struct ts_slot *slot = &k->area->slots[i];

		if (atomic_load_explicit(&slot->state, memory_order_acquire) == TS_SLOT_FULL ||
		    atomic_load_explicit(&slot->end, memory_order_acquire) > slot->copied)
			k->found[n++] = slot;
	}
	qsort(k->found, n, sizeof *k->found, by_number);
	for (uint32_t i = 0; i < n; i++)
		copy_slot(k, k->found[i]);
	return n > 0;
}

static void copy_facts(struct keeper *k)
{
	char *json = ts_area_get_facts(k->area, &k->facts);
	struct tscope_error err = {0};

	if (json && ts_run_files_facts(&k->files, json, &err)) {
		if (atomic_load(&k->area->facts_failed) == 0)
			(void)snprintf(k->area->text, sizeof k->area->text, "%s", err.text);
		atomic_fetch_add(&k->area->facts_failed, 1);
	}
	free(json);
}

static void flush(struct keeper *k)
{
	int error;

	if (!k->dirty)
		return;
	k->dirty = false;
	k->flushed = ts_tick_ns();
	error = ts_disk_flush(k->files.file);
	if (error)
		ts_area_stop(k->area, error);
}

/* --- waits for a CPU --- */

static void give_wait(void *arg, int64_t step, int64_t waited_ns)
{
	struct keeper *k = arg;
	uint16_t column = (uint16_t)atomic_load(&k->area->cpu_wait);
	uint64_t waited = (uint64_t)waited_ns;

	if (column)
		(void)ts_lane_late(&k->lane, step, &column, &waited, 1); /* what finds no room here is no frame of training's */
}

static void look_for_waits(struct keeper *k)
{
	if (!atomic_load(&k->area->stopped))
		ts_waits_turn(&k->area->waits_of_steps, ts_tick_ns(), atomic_load(&k->area->step_last), give_wait, k);
}

/* --- turns --- */

/* Returns whether the recording is at its end. */
static bool turn(struct keeper *k)
{
	uint64_t wanted = atomic_load(&k->area->sync_wanted);
	bool closing = atomic_load(&k->area->state) != TS_AREA_OPEN, any;

	ts_area_ahead(k->area, k->place.memory);
	look_at_file(k);
	look_for_waits(k);
	any = copy(k);
	copy_facts(k);
	atomic_store(&k->area->sync_done, wanted);
	if (ts_tick_ns() - k->flushed >= (int64_t)k->area->ask.flush_ms * 1000000)
		flush(k);
	k->rest_ms = any ? SHORTEST_MS : 2 * k->rest_ms < LONGEST_MS ? 2 * k->rest_ms : LONGEST_MS;
	return closing;
}

/* Nobody is at the other end: training is gone, or has become another program; or it closed a descriptor that it does not know. */
static void hung_up(struct keeper *k)
{
	k->place.link = -1;
	if (k->place.is_process && !ts_process_has_memory(k->area->ask.process))
		k->training_is_gone = true;
}

static void rest(struct keeper *k)
{
	struct pollfd ends[] = {{.fd = k->place.link, .events = POLLIN}, {.fd = k->training, .events = POLLIN}};
	char bytes[256];

	if (poll(ends, 2, k->rest_ms) > 0) {
		if (ends[0].revents && read(k->place.link, bytes, sizeof bytes) <= 0)
			hung_up(k);
		k->training_is_gone |= ends[1].revents != 0;
	}
	if (k->place.is_process && k->training < 0 && !ts_process_lives(k->area->ask.process))
		k->training_is_gone = true;
}

/* --- the end --- */

static uint64_t steps(const struct keeper *k)
{
	return atomic_load(&k->area->steps) - atomic_load(&k->area->steps_lost);
}

static void put_end(struct keeper *k)
{
	int error = atomic_load(&k->area->error);
	bool stopped = atomic_load(&k->area->stopped), no_space = error == ENOSPC || error == EFBIG || error == EDQUOT;
	uint8_t frame[TS_FRAME_END_SIZE] = {0};

	if (k->tail == 0 || error == ESTALE)
		return;
	ts_put64(frame + TS_FRAME_END_TIME, (uint64_t)k->area->closed);
	ts_put64(frame + TS_FRAME_END_STEPS, steps(k));
	ts_put64(frame + TS_FRAME_END_LOST, atomic_load(&k->area->lost));
	ts_put64(frame + TS_FRAME_END_WAITS, atomic_load(&k->area->waits));
	ts_put32(frame + TS_FRAME_END_REASON, !stopped ? TS_FRAME_CLOSED : no_space ? TS_FRAME_NO_SPACE : TS_FRAME_STOPPED);
	ts_lane_seal(frame, TS_FRAME_END, sizeof frame);
	if (pwrite(k->files.file, frame, sizeof frame, (off_t)k->tail) == (ssize_t)sizeof frame)
		k->dirty = true;
}

/* The trainer waits for this. */
static void end_recording(struct keeper *k)
{
	put_end(k);
	(void)ts_run_files_write(&k->files, k->area->closed - k->area->ask.began, steps(k), NULL);
}

/* What is not cut off is zeros, which readers know. */
static void cut(struct keeper *k)
{
	if (atomic_load(&k->area->error) != ESTALE && ftruncate(k->files.file, (off_t)((uint64_t)k->used * TS_FRAME_CHUNK)) < 0)
		errno = 0;
}

static void close_files(struct keeper *k)
{
	(void)close(k->files.file);
	(void)close(k->files.directory);
	free(k->files.path);
}

/* Returns once training has ended the recording, or has ended itself: the turn behind the look that showed it copies what it left. */
static void keep(struct keeper *k)
{
	while (!turn(k) && !k->training_is_gone)
		rest(k);
	if (atomic_load(&k->area->state) == TS_AREA_CLOSING)
		end_recording(k);
	cut(k);
	flush(k);
	close_files(k);
}

static void keep_if_open(struct keeper *k)
{
	bool is_open = open_recording(k);

	if (is_open)
		keep(k);
	ts_waits_end(&k->area->waits_of_steps);
	if (k->training >= 0)
		(void)close(k->training);
	if (is_open)
		atomic_store(&k->area->state, TS_AREA_CLOSED);
}

void ts_keeper_run(const struct ts_keeper_place *place)
{
	struct keeper *k = calloc(1, sizeof *k);

	if (!k) {
		struct keeper none = {.area = place->area};
		struct tscope_error err;

		(void)answer(&none, ts_record_fail(&err, TSCOPE_NO_MEMORY, "no memory for a recording"), &err);
		return;
	}
	k->area = place->area;
	k->place = *place;
	keep_if_open(k);
	free_texts(k);
	free(k);
}
