/* area.h - the memory in which a recording waits for its file: slots of the size of a chunk, which recording threads fill and the
 * keeper empties.
 *
 *	ts_area_create(&area, &fd)		the training program
 *	ts_area_attach(fd, &area)		the keeper, where it is a process of its own
 *	slot = ts_area_take(area)		a recording thread: an empty slot, NULL if there is none
 *	ts_area_fill(slot, end)			so many bytes of it are whole
 *	ts_area_full(slot)			nothing more comes into it
 *	ts_area_empty(slot)			the keeper: all of it is in the file
 *	ts_area_ahead(area)			the keeper, now and then: gives memory to more slots while few are empty
 *
 * Promise. What a recording thread touches is memory of this process or of it and its keeper, which nobody can cut short: no file, so
 * no disk can make it wait or fault. Memory that is shared is allocated before a slot may be taken, so writing to it cannot be refused.
 *
 * A slot is taken by one exchange, and belongs to its taker until it is full. The lowest empty slot is taken first, so that few are
 * touched while the keeper keeps up. Threads: safe, except that a slot has one taker and an area one keeper.
 */
#ifndef TSCOPE_RECORD_AREA_H
#define TSCOPE_RECORD_AREA_H

#include "record/frame.h"
#include "record/waits.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TS_AREA_FORMAT = 1,   /* of this struct: a keeper of another build does not take it */
	TS_AREA_SLOTS = 1024, /* 64 MiB of addresses, so much a disk may be behind */
	TS_AREA_FIRST = 64,   /* slots that have memory at first: 4 MiB, some 30,000 steps */
	TS_AREA_MORE = 4,
	TS_AREA_PATH = 4352,
	TS_AREA_TEXT = 512,
};

enum ts_slot_state { TS_SLOT_EMPTY, TS_SLOT_TAKEN, TS_SLOT_FULL };

struct ts_slot {
	_Atomic uint32_t state;
	_Atomic uint32_t end; /* bytes that are whole */
	uint32_t number;      /* of its chunk in the file; valid once end > 0 */
	uint32_t lane;
	uint32_t copied; /* the keeper's: bytes that are in the file, or given up */
};

enum ts_area_state {
	TS_AREA_ASKED,	 /* the keeper is to open the recording */
	TS_AREA_REFUSED, /* it could not: status and text say why */
	TS_AREA_OPEN,
	TS_AREA_CLOSING, /* the keeper is to end it */
	TS_AREA_CLOSED,
	TS_AREA_LEFT, /* nobody waits for the keeper's answer any more: it takes back what it made */
};

/* The four texts of tscope_options lie in the slots' memory, one behind the other with a zero each, until the area is open. */
enum { TS_ASK_DIRECTORY, TS_ASK_NAME, TS_ASK_CONFIG, TS_ASK_FACTS, TS_ASK_TEXTS };

struct ts_ask {
	uint32_t length[TS_ASK_TEXTS]; /* bytes with the zero; 0: none */
	int32_t rank, world_size;
	uint32_t flush_ms;
	uint32_t process; /* of training */
	bool resume;
	int64_t began_unix, began;
};

/* The facts as they are now, the newest in one of two places, each TS_AREA_FACTS bytes. Writer `n` begins with begun = n, writes into
 * place n % 2, and ends with done = n; so what was read of place n % 2 is whole unless begun has reached n + 2. */
enum { TS_AREA_FACTS = 2 << 20 };

struct ts_area_facts {
	_Atomic uint64_t begun, done; /* 0: there are none */
	_Atomic uint32_t length[2];   /* bytes */
	uint32_t allocated[2];	      /* the writer's: bytes that have memory */
};

struct ts_area {
	uint32_t format, size; /* of this struct */
	struct ts_ask ask;
	_Atomic uint32_t state; /* enum ts_area_state */
	uint32_t status;	/* enum tscope_status, and why, where it was refused */
	char text[TS_AREA_TEXT];
	char path[TS_AREA_PATH]; /* of the file, for messages; valid from OPEN on */
	uint32_t attempt;	 /* valid from OPEN on */

	bool shared;		/* ts_area_ahead has to allocate what a slot needs */
	_Atomic uint32_t ready; /* slots that have memory */
	_Atomic uint32_t in_use;
	_Atomic uint32_t taken; /* the number of the next chunk of the file */
	_Atomic bool stopped;	/* nothing is to be recorded any more */
	_Atomic int error;	/* errno of what stopped it; 0: none */
	_Atomic uint64_t lost;	/* frames */
	_Atomic uint64_t waits; /* times that a thread waited for a slot */
	_Atomic uint64_t steps; /* that ended and found room */
	_Atomic uint64_t steps_lost; /* of them */
	_Atomic uint64_t sync_wanted, sync_done;
	_Atomic int64_t step_last; /* open or ended; TSCOPE_NEXT: none yet */
	int64_t closed;		   /* when, by the recorder's clock; valid from CLOSING on */
	_Atomic uint32_t facts_failed; /* times that facts.json could not be written; text says why the first time */
	struct ts_area_facts facts;
	_Atomic uint32_t cpu_wait; /* the column for waits of steps; 0: none is wanted */
	struct ts_waits waits_of_steps;
	struct ts_slot slots[TS_AREA_SLOTS];
};

/* `least` bytes of slots have memory from the beginning, if that is more than TS_AREA_FIRST. *ret_fd is what a process of its own
 * needs to attach, or -1: there is none, and the keeper has to be a thread. Returns 0 or errno. */
int ts_area_create(size_t least, struct ts_area **ret_area, int *ret_fd);
/* Returns 0 or errno; EINVAL: that is no area of this build. */
int ts_area_attach(int fd, struct ts_area **ret_area);
void ts_area_destroy(struct ts_area *area);
/* The keeper: twice as many slots have memory where few are empty. `fd` is that of ts_area_attach. Without more memory nothing
 * changes. */
void ts_area_ahead(struct ts_area *area, int fd);
/* A recording thread, where none is empty: TS_AREA_MORE slots more have memory, within a fraction of a millisecond. It waits for no
 * lock that the keeper may hold meanwhile, which may itself wait for a CPU. */
void ts_area_more(struct ts_area *area, int fd);

uint8_t *ts_area_slots(struct ts_area *area);

static inline uint8_t *ts_area_bytes(struct ts_area *area, const struct ts_slot *slot)
{
	return ts_area_slots(area) + (size_t)(slot - area->slots) * TS_FRAME_CHUNK;
}

struct ts_slot *ts_area_take(struct ts_area *area);

/* Makes JSON of `len` bytes, at most TS_AREA_FACTS, the newest facts. One at a time. `fd` is that of ts_area_create. Returns 0 or
 * errno. */
int ts_area_put_facts(struct ts_area *area, int fd, const char *json, size_t len);
/* Copies the newest facts, if they are newer than number *io_done, with a zero behind them; else returns NULL. The caller frees
 * them. */
char *ts_area_get_facts(struct ts_area *area, uint64_t *io_done);

/* From here on the keeper copies it, and the end of this process does not take it away. */
static inline void ts_area_fill(struct ts_slot *slot, size_t end)
{
	atomic_store_explicit(&slot->end, (uint32_t)end, memory_order_release);
}

static inline void ts_area_full(struct ts_slot *slot)
{
	atomic_store_explicit(&slot->state, TS_SLOT_FULL, memory_order_release);
}

void ts_area_empty(struct ts_area *area, struct ts_slot *slot);

/* Where the frame ends that is the last one whole before `limit` bytes of the slot. */
uint32_t ts_area_whole(struct ts_area *area, const struct ts_slot *slot, uint32_t limit);
/* Gives up what of the slot is not in the file, and counts it. */
void ts_area_give_up(struct ts_area *area, struct ts_slot *slot);

/* Nothing is to be recorded any more; the first cause (an errno) is kept. */
static inline void ts_area_stop(struct ts_area *area, int error)
{
	int none = 0;

	(void)atomic_compare_exchange_strong(&area->error, &none, error);
	atomic_store(&area->stopped, true);
}

/* Whether so few slots are empty that the keeper had better be woken. */
static inline bool ts_area_is_short(const struct ts_area *area)
{
	return 2 * atomic_load_explicit(&area->in_use, memory_order_relaxed) > atomic_load_explicit(&area->ready, memory_order_relaxed);
}

#endif
