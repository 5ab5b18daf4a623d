/* wandb_history.h - turns the steps of a W&B log (its messages HistoryRecord, SummaryRecord and StatsRecord) into rows and facts.
 *
 *	ts_wandb_history_init(&h, arena, &notices, &facts, err)
 *	  h.axis					set by the caller
 *	ts_wandb_history_begin(&h, rows, err)		begins a feed
 *	ts_wandb_history_part(&h)			begins a further log of the run
 *	  h.resumes					set by the caller: the log says that it resumes the run
 *	  h.s.file, h.s.at				set by the caller, for notices
 *	  ts_wandb_history_steps, _system, _summary	each takes one message
 *	ts_wandb_history_end(&h, err)
 *	ts_wandb_history_facts(&h, err)			what only the summary says becomes other.wandb.summary.*
 *	ts_wandb_history_finish(&h)
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_WANDB_WANDB_HISTORY_H
#define TSCOPE_INGEST_WANDB_WANDB_HISTORY_H

#include "ingest/facts/fact_tree.h"
#include "ingest/wandb/wandb_axis.h"
#include "ingest/wandb/wandb_series.h"

struct ts_wandb_metric;

struct ts_wandb_history {
	struct ts_wandb_series s;
	struct ts_fact_tree *facts;
	struct ts_wandb_axis axis;
	uint32_t key_step, key_timestamp, key_runtime, key_internal;
	uint32_t key_axis, key_axis_parts; /* as one name, and "a.b" as b in a; TS_KEY_NONE: _step is the axis */
	struct ts_keys system;
	struct ts_wandb_metric *metrics; /* one per key of system */
	uint32_t timestamp;		 /* column + 1 */
	bool any_step, any_sample;
	bool resumes, fresh; /* fresh: no step of this log was read yet */
	int64_t step;
	int64_t offset;	  /* of the steps of this log */
	uint64_t record; /* number of the current record */
	struct ts_buf items;
};

enum ts_status ts_wandb_history_init(struct ts_wandb_history *w, struct ts_arena *arena, struct ts_notices *notices,
				     struct ts_fact_tree *facts, struct ts_error *err);
enum ts_status ts_wandb_history_begin(struct ts_wandb_history *w, struct ts_rows *rows, struct ts_error *err);
void ts_wandb_history_part(struct ts_wandb_history *w);
void ts_wandb_history_finish(struct ts_wandb_history *w);
/* To be called after each message: TS_NO_MEMORY if there was no memory for a name. */
enum ts_status ts_wandb_history_check(const struct ts_wandb_history *w, struct ts_error *err);

enum ts_status ts_wandb_history_steps(struct ts_wandb_history *w, struct ts_span history, struct ts_error *err);
void ts_wandb_history_system(struct ts_wandb_history *w, struct ts_span message);
enum ts_status ts_wandb_history_summary(struct ts_wandb_history *w, struct ts_span message, struct ts_error *err);
enum ts_status ts_wandb_history_end(struct ts_wandb_history *w, struct ts_error *err);
enum ts_status ts_wandb_history_facts(struct ts_wandb_history *w, struct ts_error *err);

#endif
