/* snapshot.h - the tables of a snapshot of a device allocator's memory, as torch.cuda.memory writes it, with nothing repeated.
 *
 * Every text, frame and stack is there once and is named by its index: a snapshot that refers to 700,000 frames may have 200 stacks.
 * A stack is a list of frames, the innermost call first. TS_SNAPSHOT_NONE stands for a text or a stack that the snapshot does not have,
 * which is another thing than an empty text.
 *
 * Sizes are bytes, times microseconds since 1970, addresses those of the device. `size` of a block is what it takes in its segment and
 * `requested` what was asked for, which torch leaves stale in blocks that are free; the size of an event is what was asked for.
 * Blocks of a segment lie one after the other in `blocks`, events of a device in `events`, oldest first as the allocator wrote them
 * (times may go back: threads write in the order in which they hold the allocator's lock).
 *
 * The tables are read only; their memory belongs to whoever made them (the reader: an arena). Indexes are valid: who makes the
 * tables checks that. Source: torch/csrc/cuda/memory_snapshot.cpp, c10/cuda/CUDACachingAllocator.h.
 */
#ifndef TSCOPE_RUN_SNAPSHOT_H
#define TSCOPE_RUN_SNAPSHOT_H

#include "base/span.h"

#define TS_SNAPSHOT_NONE UINT32_MAX
#define TS_SNAPSHOT_NO_POOL UINT64_MAX /* in both numbers of an event's pool: before torch 2.10 files do not say it */

enum ts_snapshot_action {
	TS_ACTION_ALLOC = 0,
	TS_ACTION_FREE_REQUESTED = 1, /* the program let go of it; other streams may still use it */
	TS_ACTION_FREE_COMPLETED = 2, /* its memory can be used again */
	TS_ACTION_SEGMENT_ALLOC = 3,  /* cudaMalloc, or the first pages of an expandable segment */
	TS_ACTION_SEGMENT_FREE = 4,
	TS_ACTION_SEGMENT_MAP = 5,
	TS_ACTION_SEGMENT_UNMAP = 6,
	TS_ACTION_SNAPSHOT = 7,
	TS_ACTION_OOM = 8,
	TS_ACTION_OTHER = 9, /* a word that this version does not know */
	TS_ACTIONS
};

/* The words of torch; NULL for TS_ACTION_OTHER. */
extern const char *const ts_snapshot_actions[TS_ACTIONS];

enum ts_block_state {
	TS_BLOCK_INACTIVE = 0,
	TS_BLOCK_ACTIVE = 1,
	TS_BLOCK_PENDING = 2, /* freed by the program, and waiting for a stream */
	TS_BLOCK_OTHER = 3,   /* a word that this version does not know; counts as neither used nor free */
};

struct ts_snapshot_frame {
	uint32_t file, function; /* texts */
	int32_t line;
};

struct ts_snapshot_stack {
	size_t first; /* in stack_frames */
	uint32_t n;   /* at least 1 */
};

struct ts_snapshot_segment {
	uint64_t address, total, allocated, active, requested;
	uint64_t stream;
	uint64_t pool[2]; /* {0, 0}: the default pool; others are private, of graphs or of torch.cuda.MemPool */
	size_t first_block;
	uint32_t n_blocks;
	uint32_t stack;
	uint16_t device;
	bool small; /* of the pool of blocks up to 1 MiB */
	bool expandable;
};

struct ts_snapshot_block {
	uint64_t address, size, requested;
	uint32_t stack;
	uint8_t state; /* enum ts_block_state */
};

struct ts_snapshot_event {
	uint64_t address; /* TS_ACTION_OOM: the bytes that the device had free */
	uint64_t size, stream;
	uint64_t pool[2];		   /* as of a segment, or TS_SNAPSHOT_NO_POOL */
	int64_t time_us;		   /* INT64_MIN: early versions have none */
	uint32_t stack, context, metadata; /* the two texts are what torch.compile and the program attached */
	uint8_t action;			   /* enum ts_snapshot_action */
};

/* Whether the event is memory that the allocator took from the device, or gave back to it. */
static inline bool ts_snapshot_takes(const struct ts_snapshot_event *e)
{
	return e->action == TS_ACTION_SEGMENT_ALLOC || e->action == TS_ACTION_SEGMENT_MAP;
}

static inline bool ts_snapshot_gives(const struct ts_snapshot_event *e)
{
	return e->action == TS_ACTION_SEGMENT_FREE || e->action == TS_ACTION_SEGMENT_UNMAP;
}

/* What the profiler marked: "Optimizer.step#AdamW.step", stage "START" or "END". */
struct ts_snapshot_mark {
	int64_t time_us;
	uint32_t name, stage;
	uint16_t device; /* UINT16_MAX: of none */
};

/* A setting of the allocator. One within another has both names: "roundup_power2_divisions.1". */
struct ts_snapshot_setting {
	struct ts_span name, value;
};

struct ts_snapshot_device {
	size_t first_event, n_events;
};

#define TS_SNAPSHOT_NO_PLACE UINT64_MAX

/* A key whose values were passed over, and how often: no table has it; or it is known, and these values are of another type or out of
 * range, so that what they should say is unknown. */
struct ts_snapshot_unknown {
	uint32_t key; /* text */
	uint64_t n;
	uint64_t at; /* the byte of the pickle of the first such value of a known key; TS_SNAPSHOT_NO_PLACE: no table has the key */
};

struct ts_snapshot {
	const struct ts_span *texts;
	const struct ts_snapshot_frame *frames;
	const struct ts_snapshot_stack *stacks;
	const uint32_t *stack_frames;
	const struct ts_snapshot_segment *segments;
	const struct ts_snapshot_block *blocks;
	const struct ts_snapshot_event *events;
	const struct ts_snapshot_mark *marks;
	const struct ts_snapshot_setting *settings;
	const struct ts_snapshot_unknown *unknown;
	const struct ts_snapshot_device *devices; /* by number; those that have neither segments nor events are there, too */
	size_t n_texts, n_frames, n_stacks, n_stack_frames, n_segments, n_blocks, n_events, n_marks, n_settings, n_unknown, n_devices;
	bool traced;		 /* it has a list of events, even if that is empty: the history was recorded */
	uint64_t n_passed;	 /* values that were passed over because no table has a place for them, beside unknown keys */
	uint64_t pickle_bytes;	 /* of the pickle, unpacked, through its end */
	bool cut;		 /* the file ends before the pickle does: what stands before pickle_bytes is here, whole rows alone */
	bool damaged;		 /* and cut: what was packed is not what was written, so that any number may be wrong */
	uint64_t n_cut_events;	 /* read before that, of the device in whose events the file ends: they are not here, see the reader */
	uint64_t trailing_bytes; /* behind its end, at least so many; they were not looked at */
};

/* Indexes are valid, and what lies in another table lies there whole. */
bool ts_snapshot_holds(const struct ts_snapshot *s);

/* The text, or an empty span for TS_SNAPSHOT_NONE. */
static inline struct ts_span ts_snapshot_text(const struct ts_snapshot *s, uint32_t text)
{
	return text == TS_SNAPSHOT_NONE ? ts_span_of(NULL, 0) : s->texts[text];
}

#endif
