#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/space.h"

#include "record/disk.h"
#include "record/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXTENT_BYTES = TS_SPACE_EXTENT * TS_FRAME_CHUNK };

static uint32_t ready(struct ts_space *s)
{
	return atomic_load_explicit(&s->made, memory_order_acquire) - atomic_load_explicit(&s->taken, memory_order_relaxed);
}

/* Under the lock. Returns 0 or errno. */
static int make_extent(struct ts_space *s)
{
	uint32_t first = atomic_load_explicit(&s->made, memory_order_relaxed);
	uint64_t at = (uint64_t)first * TS_FRAME_CHUNK;
	struct ts_extent *e = malloc(sizeof *e);
	void *map = NULL;
	int error = e ? ts_disk_extend(s->fd, at, EXTENT_BYTES) : ENOMEM;

	if (error == 0)
		error = ts_disk_map(s->fd, at, EXTENT_BYTES, &map);
	if (error) {
		free(e);
		return error;
	}
	e->next = s->extents;
	e->map = map;
	e->first = first;
	atomic_init(&e->finished, 0);
	s->extents = e;
	atomic_store_explicit(&s->ring[first / TS_SPACE_EXTENT % TS_SPACE_RING], e, memory_order_relaxed);
	atomic_store_explicit(&s->made, first + TS_SPACE_EXTENT, memory_order_release);
	return 0;
}

static void fail(struct ts_space *s, int error)
{
	int none = 0;

	(void)atomic_compare_exchange_strong(&s->error, &none, error);
}

static void stop(struct ts_space *s, int error)
{
	fail(s, error);
	atomic_store(&s->stopped, true);
}

/* Makes extents until `wanted` chunks are ready. Returns whether at least one is. */
static bool make(struct ts_space *s, uint32_t wanted)
{
	bool any;

	(void)pthread_mutex_lock(&s->lock);
	while (ready(s) < wanted && atomic_load(&s->error) == 0) {
		int error = make_extent(s);

		if (error)
			fail(s, error);
	}
	any = ready(s) > 0;
	if (!any)
		atomic_store(&s->stopped, true);
	(void)pthread_mutex_unlock(&s->lock);
	return any;
}

int ts_space_open(struct ts_space *s, int fd)
{
	int error;

	s->fd = fd;
	atomic_init(&s->ahead, TS_SPACE_AHEAD);
	(void)pthread_mutex_init(&s->lock, NULL);
	error = make_extent(s);
	if (error)
		(void)pthread_mutex_destroy(&s->lock);
	return error;
}

/* The keeper fell behind. */
static bool make_here(struct ts_space *s)
{
	uint32_t ahead = atomic_load(&s->ahead);

	atomic_fetch_add(&s->waits, 1);
	if (ahead < TS_SPACE_AHEAD_MAX)
		atomic_store(&s->ahead, 2 * ahead);
	return make(s, 1);
}

bool ts_space_take(struct ts_space *s, struct ts_chunk *ret_chunk)
{
	uint32_t n = atomic_load_explicit(&s->taken, memory_order_relaxed);

	for (;;) {
		struct ts_extent *e;

		if (atomic_load_explicit(&s->stopped, memory_order_relaxed))
			return false;
		if (n == atomic_load_explicit(&s->made, memory_order_acquire)) {
			if (!make_here(s))
				return false;
			n = atomic_load_explicit(&s->taken, memory_order_relaxed);
			continue;
		}
		/* The place in the ring holds another extent only if n was taken long ago, and then the exchange fails. */
		e = atomic_load_explicit(&s->ring[n / TS_SPACE_EXTENT % TS_SPACE_RING], memory_order_relaxed);
		if (!atomic_compare_exchange_weak(&s->taken, &n, n + 1))
			continue;
		*ret_chunk = (struct ts_chunk){.extent = e, .at = e->map + (size_t)(n - e->first) * TS_FRAME_CHUNK, .number = n};
		return true;
	}
}

void ts_space_ahead(struct ts_space *s)
{
	uint32_t ahead = atomic_load(&s->ahead);

	if (ready(s) < ahead)
		(void)make(s, ahead);
}

static void unmap(struct ts_extent *e)
{
	(void)munmap(e->map, EXTENT_BYTES);
	free(e);
}

/* Takes the full extents from the list. They go where nobody looks for them any more. */
static struct ts_extent *take_full(struct ts_space *s)
{
	struct ts_extent *full = NULL;

	(void)pthread_mutex_lock(&s->lock);
	for (struct ts_extent **place = &s->extents; *place;) {
		struct ts_extent *e = *place;

		if (atomic_load_explicit(&e->finished, memory_order_acquire) < TS_SPACE_EXTENT) {
			place = &e->next;
			continue;
		}
		*place = e->next;
		e->next = full;
		full = e;
	}
	(void)pthread_mutex_unlock(&s->lock);
	return full;
}

/* Without the lock while the disk works, or a taker would wait for it: only the keeper takes from the list, and others put in front. */
void ts_space_flush(struct ts_space *s)
{
	struct ts_extent *first, *full;
	int error = 0;

	(void)pthread_mutex_lock(&s->lock);
	first = s->extents;
	(void)pthread_mutex_unlock(&s->lock);
	for (struct ts_extent *e = first; e && error == 0; e = e->next)
		error = ts_disk_flush_map(e->map, EXTENT_BYTES);
	if (error == 0)
		error = ts_disk_flush(s->fd);
	if (error)
		stop(s, error);
	full = take_full(s);
	while (full) {
		struct ts_extent *e = full;

		full = e->next;
		unmap(e);
	}
}

void ts_space_warm(struct ts_space *s, uint8_t *at, size_t len)
{
	struct ts_extent *e, *newer = NULL;
	size_t left;

	(void)pthread_mutex_lock(&s->lock);
	for (e = s->extents; e && (at < e->map || at >= e->map + EXTENT_BYTES); e = e->next)
		newer = e;
	(void)pthread_mutex_unlock(&s->lock);
	if (!e)
		return;
	left = (size_t)(e->map + EXTENT_BYTES - at);
	ts_disk_warm(at, len < left ? len : left);
	if (len > left && newer)
		ts_disk_warm(newer->map, len - left < EXTENT_BYTES ? len - left : EXTENT_BYTES);
}

void ts_space_check(struct ts_space *s)
{
	uint64_t size = (uint64_t)atomic_load(&s->made) * TS_FRAME_CHUNK;
	struct stat st;

	if (fstat(s->fd, &st) < 0 || ((uint64_t)st.st_size >= size && st.st_nlink > 0))
		return;
	stop(s, ESTALE);
	(void)pthread_mutex_lock(&s->lock);
	for (struct ts_extent *e = s->extents; e; e = e->next)
		ts_disk_detach(e->map, EXTENT_BYTES);
	(void)pthread_mutex_unlock(&s->lock);
}

void ts_space_close(struct ts_space *s)
{
	uint64_t used = (uint64_t)atomic_load(&s->taken) * TS_FRAME_CHUNK;

	while (s->extents) {
		struct ts_extent *e = s->extents;

		s->extents = e->next;
		unmap(e);
	}
	/* What is not cut off is zeros, which readers know. */
	if (atomic_load(&s->error) != ESTALE && ftruncate(s->fd, (off_t)used) < 0)
		errno = 0;
	(void)pthread_mutex_destroy(&s->lock);
}
