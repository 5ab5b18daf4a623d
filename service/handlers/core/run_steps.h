/* run_steps.h - finds the distinct steps of a rank, over all its tables, and opens as few key blocks as possible.
 *
 * The steps of a dense block (it has as many rows as its range has steps) are known without opening it, and so are those of any
 * other block inside that range. So two runs that each have a table with every step are compared by their indexes alone.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_RUN_STEPS_H
#define TSCOPE_SERVICE_HANDLERS_CORE_RUN_STEPS_H

#include "service/handlers/core/read.h"

/* The key blocks that hold the steps, sorted by first key, without those inside the range of a dense block. */
struct ts_step_set {
	const struct ts_block **blocks;
	size_t n;
	int64_t first, last; /* valid if n > 0 */
};

/* All the steps from first to last, both included. */
struct ts_step_range {
	int64_t first, last;
};

struct ts_step_ranges {
	struct ts_step_range *items; /* ascending and disjoint after ts_step_ranges_join */
	size_t n, cap;
	bool counting; /* for one comparison: items are not kept, only the number of steps, the first and the last */
	uint64_t steps;
	int64_t first, last; /* valid if steps > 0 */
};

/* Collects the blocks of the tables of steps for which want returns true (NULL: all). */
enum ts_status ts_steps_of(const struct ts_index *index, bool (*want)(const struct ts_table *table),
			   struct ts_arena *arena, struct ts_step_set *ret_set, struct ts_error *err);
enum ts_status ts_steps_count(struct ts_fetch *f, const struct ts_step_set *set, uint64_t *ret_n, struct ts_error *err);
enum ts_status ts_steps_fetch(struct ts_fetch *f, const struct ts_step_set *set, struct ts_arena *arena,
			      int64_t **ret_steps, size_t *ret_n, struct ts_error *err);
/* Whether both have the same key blocks, and therefore the same steps. If false, their steps may still be the same. */
bool ts_steps_same(const struct ts_step_set *a, const struct ts_step_set *b);
/* Appends the steps that only a has, and those that only b has; ranges lie in the arena. Equal key blocks are not opened. */
enum ts_status ts_steps_compare(struct ts_fetch *f, const struct ts_step_set *a, const struct ts_step_set *b,
				struct ts_arena *arena, struct ts_step_ranges *only_a, struct ts_step_ranges *only_b,
				struct ts_error *err);
/* Sorts the ranges, joins those that touch, and returns the number of steps in them. */
uint64_t ts_step_ranges_join(struct ts_step_ranges *ranges);

#endif
