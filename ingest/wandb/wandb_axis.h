/* wandb_axis.h - finds the axis of a W&B log: which of its series counts the steps of the training.
 *
 *	ts_wandb_axes_init(&a, arena)
 *	ts_wandb_axes_metric, ts_wandb_axes_steps	each takes one message of the log
 *	ts_wandb_axes_choose(&a, &axis)
 *	ts_wandb_axes_finish(&a)
 *
 * W&B's own _step counts calls of run.log, so it says little about the training. define_metric says over which other series a series
 * is to be drawn (all of "train/" over "train/global_step"). The axis that most values are drawn over is the axis of the run, if its
 * values are whole numbers. Where nothing is declared, a series is the axis that has the name by which the integrations of Hugging
 * Face and Lightning log the step, and is in at least half of the records. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_WANDB_WANDB_AXIS_H
#define TSCOPE_INGEST_WANDB_WANDB_AXIS_H

#include "ingest/facts/keys.h"

enum { TS_WANDB_DECLARED_MAX = 1024 }; /* further declarations are passed over */

struct ts_wandb_axis {
	struct ts_span name;	/* len 0: no series, but W&B's own _step */
	int64_t first;		/* its first value */
	struct ts_span refused; /* the axis that most values are drawn over, if not all its values are whole numbers; len 0: none */
};

struct ts_wandb_drawn;
struct ts_wandb_declared;

struct ts_wandb_axes {
	struct ts_arena *arena;
	struct ts_wandb_declared *declared;
	size_t n_declared;
	uint64_t records;
	struct ts_keys names;
	struct ts_wandb_drawn *drawn; /* one per key of names */
	size_t cap;
	struct ts_buf name;
	bool no_memory;
};

enum ts_status ts_wandb_axes_init(struct ts_wandb_axes *a, struct ts_arena *arena, struct ts_error *err);
void ts_wandb_axes_finish(struct ts_wandb_axes *a);
/* Take a MetricRecord and a HistoryRecord. What does not fit its length is passed over. */
enum ts_status ts_wandb_axes_metric(struct ts_wandb_axes *a, struct ts_span message, struct ts_error *err);
enum ts_status ts_wandb_axes_steps(struct ts_wandb_axes *a, struct ts_span message, struct ts_error *err);
/* The names lie in the arena. */
enum ts_status ts_wandb_axes_choose(struct ts_wandb_axes *a, struct ts_wandb_axis *ret_axis, struct ts_error *err);

#endif
