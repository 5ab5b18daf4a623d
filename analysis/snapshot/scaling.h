/* scaling.h - what would fit: the peaks of snapshots of one training at several sizes (batch, or sequence length), and the size up to
 * which a device's memory suffices.
 *
 * A step has its peak in one of its parts: forward and backward, the optimizer, or what no stack tells (setup, evaluation). What each
 * part needs at most is exact by replay, and follows a line of its own over the sizes,
 *
 *	need(s) = fixed + per_unit x s	     (+ per_square x s^2 for lengths, where there are three snapshots or more)
 *
 * by least squares, no coefficient below 0. The peak is that of the part that needs most.
 *
 * The moment at which forward and backward need most moves as the size grows: where activations are few it is the end of backward,
 * when all gradients are there, and where they are many its begin. So each stretch of forward, and each of backward (with
 * recomputation), is cut into pieces of as many allocations and frees each; what a piece needs at most follows a line of its own,
 * too, and the piece that needs most decides. What no stack tells counts for the stretch before it. Stretches that the history cuts
 * off count only where no other is there. For lengths with squares the pieces stand for their part, where they say as much as it in
 * every snapshot: a square through the most of each snapshot, which other pieces need, is steeper than any piece's own line.
 *
 * With as many snapshots as coefficients nothing is left to tell the error by; with more, `off` is the largest distance of a snapshot
 * from its line.
 *
 *	most	  the largest size at which the requested bytes alone fit: nothing lost by the allocator, and snapshots below the line
 *	least	  that at which they fit with the largest ratio of reserved to requested bytes of any snapshot and up to 0.2 more, and
 *		  above the line; for lengths of two snapshots also if all that grows grew with the square
 *	likely	  that at which they fit with what the allocator held beyond them at the largest size, and up to a tenth more of them;
 *		  two lengths do not tell it, because nothing shows how much grows with the square
 *
 * What the allocator loses grows faster than what is requested, because blocks of other sizes fit worse into what is free: by
 * (1 - the largest snapshot's size / s) of the 0.2, which tests/golden/snapshot/scales.py chose and measures.
 *
 * Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_SCALING_H
#define TSCOPE_ANALYSIS_SNAPSHOT_SCALING_H

#include "analysis/snapshot/memory_answer.h"

enum { TS_SCALING_MOST = 16, TS_SCALING_PIECES = 32 };
enum { TS_SCALING_MOMENTS = 2 * TS_SCALING_PIECES }; /* of forward, then of backward */

enum ts_scaling_part { TS_PART_PASSES, TS_PART_OPTIMIZER, TS_PART_OTHER, TS_SCALING_PARTS };

const char *ts_scaling_part_word(enum ts_scaling_part part); /* "forward and backward" */

struct ts_scaling_line {
	bool known;    /* every snapshot has the part */
	bool any;      /* some snapshot has it */
	double fixed, per_unit, per_square;
	double off;    /* bytes; valid with own_error */
	bool own_error;
};

struct ts_scaling_point {
	double size;
	const struct ts_memory_device *device;
	uint64_t needs[TS_SCALING_PARTS]; /* the most that was requested in each part */
	uint32_t at[TS_SCALING_PARTS];	  /* the event of that */
	bool has[TS_SCALING_PARTS];
	uint64_t moments[TS_SCALING_MOMENTS]; /* the most in each piece; 0: nothing is known of it */
	uint32_t moments_at[TS_SCALING_MOMENTS];
	uint64_t peak, reserved; /* requested and reserved at their peaks */
	uint64_t kinds[TS_MEMORY_KINDS]; /* at one moment of all snapshots, see below */
};

struct ts_scaling {
	bool lengths; /* of sequences; else batches */
	struct ts_scaling_point *points; /* by size; room for TS_SCALING_MOST, which the caller gives */
	size_t n;
	struct ts_scaling_line lines[TS_SCALING_PARTS];
	struct ts_scaling_line moments[TS_SCALING_MOMENTS];
	struct ts_scaling_line kinds[TS_MEMORY_KINDS]; /* at the piece that decides, else where the largest snapshot needs most */
	double state_off; /* parameters and optimizer state at the end: their largest difference, as a share of the larger */
	bool has_capacity;
	double capacity;
	bool grows; /* some part does: else no size is too large, and the sizes below are not set */
	double least, likely, most; /* whole sizes; below 1: not even one fits */
	bool by_pieces; /* of lengths: the pieces of forward and backward stand for their part */
	/* The piece that needs most at the likely size, where one needs more than the lines of the parts that count say. */
	bool moves;
	uint32_t decides; /* of moments[] */
	struct ts_scaling_line deciding;
};

/* Adds a snapshot. TS_INVALID: its size is not above 0, there are too many, or it has no events. */
enum ts_status ts_scaling_add(struct ts_scaling *s, double size, const struct ts_memory_device *d, struct ts_error *err);
/* Fits lines to at least two snapshots of different sizes. capacity: bytes, 0 if not known. TS_INVALID: there are fewer. */
enum ts_status ts_scaling_fit(struct ts_scaling *s, uint64_t capacity, struct ts_error *err);

#endif
