#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/area.h"

#include "record/disk.h"
#include "record/tscope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 65536 }; /* at least that of any system */

static size_t head_bytes(void)
{
	return (sizeof(struct ts_area) + PAGE - 1) / PAGE * PAGE;
}

static size_t bytes_of(uint32_t slots)
{
	return head_bytes() + (size_t)slots * TS_FRAME_CHUNK;
}

static size_t facts_at(uint64_t n)
{
	return bytes_of(TS_AREA_SLOTS) + n % 2 * TS_AREA_FACTS;
}

static size_t area_bytes(void)
{
	return bytes_of(TS_AREA_SLOTS) + 2 * (size_t)TS_AREA_FACTS;
}

uint8_t *ts_area_slots(struct ts_area *area)
{
	return (uint8_t *)area + head_bytes();
}

static uint32_t first_slots(size_t least)
{
	size_t slots = (least + TS_FRAME_CHUNK - 1) / TS_FRAME_CHUNK;

	return slots < TS_AREA_FIRST ? TS_AREA_FIRST : slots < TS_AREA_SLOTS ? (uint32_t)slots : TS_AREA_SLOTS;
}

/* Returns NULL with errno. */
static struct ts_area *map(int fd)
{
	void *memory = mmap(NULL, area_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

int ts_area_create(size_t least, struct ts_area **ret_area, int *ret_fd)
{
	uint32_t first = first_slots(least);
	struct ts_area *area;
	int fd = ts_disk_memory(area_bytes(), bytes_of(first));

	area = fd >= 0 ? map(fd) : calloc(1, area_bytes());
	if (!area) {
		int error = errno;

		if (fd >= 0)
			(void)close(fd);
		return error;
	}
	if (fd >= 0)
		(void)ts_disk_warm(area, bytes_of(first));
	area->format = TS_AREA_FORMAT;
	area->size = sizeof *area;
	area->shared = fd >= 0;
	atomic_init(&area->ready, fd >= 0 ? first : TS_AREA_SLOTS);
	atomic_init(&area->step_last, TSCOPE_NEXT);
	*ret_area = area;
	*ret_fd = fd;
	return 0;
}

int ts_area_attach(int fd, struct ts_area **ret_area)
{
	struct stat st;
	struct ts_area *area;

	if (fstat(fd, &st) < 0)
		return errno;
	if ((uint64_t)st.st_size != area_bytes())
		return EINVAL;
	area = map(fd);
	if (!area)
		return errno;
	if (area->format != TS_AREA_FORMAT || area->size != sizeof *area) {
		ts_area_destroy(area);
		return EINVAL;
	}
	*ret_area = area;
	return 0;
}

void ts_area_destroy(struct ts_area *area)
{
	if (area->shared)
		(void)munmap(area, area_bytes());
	else
		free(area);
}

typedef int give_memory(struct ts_area *area, int fd, size_t at, size_t len);

/* For a stretch the lock of all of the memory is held, in which fallocate may wait for a CPU. */
static int allocate(struct ts_area *area, int fd, size_t at, size_t len)
{
	(void)area;
	return ts_disk_allocate(fd, at, len);
}

static int warm(struct ts_area *area, int fd, size_t at, size_t len)
{
	int error = ts_disk_warm((uint8_t *)area + at, len);

	return error == EINVAL ? allocate(area, fd, at, len) : error;
}

/* Any thread of both processes: what is allocated twice is so once. */
static void grow(struct ts_area *area, int fd, uint32_t slots, give_memory *give)
{
	uint32_t ready = atomic_load_explicit(&area->ready, memory_order_relaxed);
	uint32_t wanted = ready + slots < TS_AREA_SLOTS ? ready + slots : TS_AREA_SLOTS;

	if (!area->shared || wanted == ready || give(area, fd, bytes_of(ready), bytes_of(wanted) - bytes_of(ready)))
		return;
	while (ready < wanted && !atomic_compare_exchange_weak_explicit(&area->ready, &ready, wanted, memory_order_release,
									 memory_order_relaxed))
		;
}

void ts_area_ahead(struct ts_area *area, int fd)
{
	if (ts_area_is_short(area))
		grow(area, fd, atomic_load_explicit(&area->ready, memory_order_relaxed), allocate);
}

void ts_area_more(struct ts_area *area, int fd)
{
	grow(area, fd, TS_AREA_MORE, warm);
}

struct ts_slot *ts_area_take(struct ts_area *area)
{
	uint32_t ready = atomic_load_explicit(&area->ready, memory_order_acquire);

	if (atomic_load_explicit(&area->in_use, memory_order_relaxed) >= ready)
		return NULL;
	for (uint32_t i = 0; i < ready; i++) {
		struct ts_slot *slot = &area->slots[i];
		uint32_t state = TS_SLOT_EMPTY;

		if (atomic_load_explicit(&slot->state, memory_order_relaxed) != TS_SLOT_EMPTY ||
		    !atomic_compare_exchange_strong_explicit(&slot->state, &state, TS_SLOT_TAKEN, memory_order_acquire,
							     memory_order_relaxed))
			continue;
		atomic_fetch_add_explicit(&area->in_use, 1, memory_order_relaxed);
		slot->number = atomic_fetch_add_explicit(&area->taken, 1, memory_order_relaxed);
		return slot;
	}
	return NULL;
}

void ts_area_empty(struct ts_area *area, struct ts_slot *slot)
{
	slot->copied = 0;
	atomic_store_explicit(&slot->end, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->state, TS_SLOT_EMPTY, memory_order_release);
	atomic_fetch_sub_explicit(&area->in_use, 1, memory_order_relaxed);
}

/* Gives memory to so many bytes of a place for facts. */
static int allocate_facts(struct ts_area *area, int fd, uint64_t n, size_t len)
{
	uint32_t *allocated = &area->facts.allocated[n % 2];
	size_t wanted = (len + PAGE - 1) / PAGE * PAGE;
	int error;

	if (!area->shared || wanted <= *allocated)
		return 0;
	error = ts_disk_allocate(fd, facts_at(n), wanted);
	if (error == 0)
		*allocated = (uint32_t)wanted;
	return error;
}

int ts_area_put_facts(struct ts_area *area, int fd, const char *json, size_t len)
{
	struct ts_area_facts *f = &area->facts;
	uint64_t n = atomic_load_explicit(&f->done, memory_order_relaxed) + 1;
	int error = allocate_facts(area, fd, n, len);

	if (error)
		return error;
	atomic_store(&f->begun, n);
	memcpy((uint8_t *)area + facts_at(n), json, len);
	atomic_store(&f->length[n % 2], (uint32_t)len);
	atomic_store(&f->done, n);
	return 0;
}

char *ts_area_get_facts(struct ts_area *area, uint64_t *io_done)
{
	struct ts_area_facts *f = &area->facts;
	uint64_t n;
	char *text = NULL;

	while ((n = atomic_load(&f->done)) > *io_done) {
		uint32_t len = atomic_load(&f->length[n % 2]);
		char *grown = realloc(text, (size_t)len + 1);

		if (!grown || len > TS_AREA_FACTS) {
			free(grown ? grown : text);
			return NULL;
		}
		text = grown;
		memcpy(text, (uint8_t *)area + facts_at(n), len);
		text[len] = '\0';
		if (atomic_load(&f->begun) < n + 2) {
			*io_done = n;
			break;
		}
	}
	return text;
}

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Where the first frame of the slot begins. */
static uint32_t first_frame(const struct ts_slot *slot)
{
	return (slot->number == 0 ? TS_FRAME_FILE_HEADER : 0) + TS_FRAME_CHUNK_HEADER;
}

/* Where the frame at `at` ends; 0 if it does not end before `limit`. */
static uint32_t end_of(const uint8_t *bytes, uint32_t at, uint32_t limit)
{
	uint32_t length = at + TS_FRAME_HEADER <= limit ? TS_FRAME_LENGTH(get32(bytes + at)) : 0;

	return length >= TS_FRAME_HEADER && length <= limit - at ? at + length : 0;
}

uint32_t ts_area_whole(struct ts_area *area, const struct ts_slot *slot, uint32_t limit)
{
	const uint8_t *bytes = ts_area_bytes(area, slot);
	uint32_t at = first_frame(slot), next;

	while ((next = end_of(bytes, at, limit)))
		at = next;
	return at <= limit ? at : 0;
}

void ts_area_give_up(struct ts_area *area, struct ts_slot *slot)
{
	const uint8_t *bytes = ts_area_bytes(area, slot);
	uint32_t end = atomic_load_explicit(&slot->end, memory_order_acquire), at, next;

	if (slot->copied >= end)
		return;
	for (at = first_frame(slot); (next = end_of(bytes, at, end)); at = next) {
		if (next <= slot->copied)
			continue;
		atomic_fetch_add(&area->lost, 1);
		if (TS_FRAME_KIND(get32(bytes + at)) == TS_FRAME_STEP)
			atomic_fetch_add(&area->steps_lost, 1);
	}
	slot->copied = end;
}
