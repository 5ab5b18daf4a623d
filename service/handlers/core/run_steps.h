/* run_steps.h - the distinct steps of a rank, over all its tables, opening as few key blocks as possible.
 *
 * The steps of a dense block (as many rows as its range has steps) are known without opening it, and so are those of any
 * block inside its range: two runs that have a table of every step are compared by their indexes alone.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_RUN_STEPS_H
#define TSCOPE_SERVICE_HANDLERS_CORE_RUN_STEPS_H

#include "service/handlers/core/read.h"

/* The key blocks that make up the steps, by first key; those inside a dense one are left out. */
struct ts_step_set {
	const struct ts_block **blocks;
	size_t n;
	int64_t first, last; /* valid if n > 0 */
};

/* Steps [first, last], each of them. */
struct ts_step_range {
	int64_t first, last;
};

struct ts_step_ranges {
	struct ts_step_range *items; /* ascending and apart after ts_step_ranges_join */
	size_t n, cap;
	bool counting; /* of one comparison: keeps no items, but how many steps there were, the first and the last */
	uint64_t steps;
	int64_t first, last; /* valid if steps > 0 */
};

/* Of the tables of steps for which want says yes (NULL: all). */
enum ts_status ts_steps_of(const struct ts_index *index, bool (*want)(const struct ts_table *table),
			   struct ts_arena *arena, struct ts_step_set *ret_set, struct ts_error *err);
enum ts_status ts_steps_count(struct ts_fetch *f, const struct ts_step_set *set, uint64_t *ret_n, struct ts_error *err);
enum ts_status ts_steps_fetch(struct ts_fetch *f, const struct ts_step_set *set, struct ts_arena *arena,
			      int64_t **ret_steps, size_t *ret_n, struct ts_error *err);
/* Have both the same key blocks? Then they have the same steps; if not, they may still. */
bool ts_steps_same(const struct ts_step_set *a, const struct ts_step_set *b);
/* Appends the steps that only a, or only b has; ranges lie in the arena. Equal key blocks are not opened. */
enum ts_status ts_steps_compare(struct ts_fetch *f, const struct ts_step_set *a, const struct ts_step_set *b,
				struct ts_arena *arena, struct ts_step_ranges *only_a, struct ts_step_ranges *only_b,
				struct ts_error *err);
/* Sorts, joins what touches, returns how many steps that is. */
uint64_t ts_step_ranges_join(struct ts_step_ranges *ranges);

#endif
