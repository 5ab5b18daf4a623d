#include "cli/text/show_ops.h"

#include "base/order.h"
#include "cli/view/show_value.h"
#include "run/head.h"

enum { RANKS_SHOWN = 32 };

/* How another rank's row relates to the row that the sentence is about. */
enum relation { ALSO_THERE, ELSEWHERE, RECEIVES };

static enum relation relation_of(const struct ts_op_row *row, const struct ts_op_row *culprit)
{
	if (row->role == TS_OP_RECEIVER)
		return RECEIVES;
	return row->step == culprit->step && row->occurrence == culprit->occurrence && ts_span_eq(row->name, culprit->name)
		       ? ALSO_THERE
		       : ELSEWHERE;
}

/* Says "; ranks 0, 1, 3 receive the difference". The text is empty if there are no such ranks. */
static const char *others(const struct ts_op_diff *ops, const struct ts_op_row *culprit, enum relation relation,
			  const char *one, const char *many, struct ts_arena *arena)
{
	int32_t *ranks = ts_arena_array(arena, ops->n, sizeof *ranks);
	const char *list;
	size_t n = 0;

	if (!ranks)
		return NULL;
	for (size_t i = 0; i < ops->n; i++)
		if (&ops->rows[i] != culprit && relation_of(&ops->rows[i], culprit) == relation)
			ranks[n++] = ops->rows[i].rank;
	if (n == 0)
		return "";
	TS_SORT(ranks, n, ts_by_i32);
	list = ts_show_ranks(ranks, n < RANKS_SHOWN ? n : RANKS_SHOWN, n, arena);
	return list ? ts_arena_printf(arena, "; %s %s %s", n == 1 ? "rank" : "ranks", list, n == 1 ? one : many) : NULL;
}

/* An operation that one run alone has does have a digest. */
static const char *role_words(const struct ts_op_diff *ops, const struct ts_op_row *row)
{
	if (row->role == TS_OP_ORIGIN || !row->has_inputs)
		return ts_op_role_says(row);
	return ts_op_inserted(ops) ? "its inputs already differ, for which the operation that the runs do not share may be the reason"
				   : "its inputs already differ, so the difference began in an operation that has no digest";
}

const char *ts_show_first_op(const struct ts_op_diff *ops, bool ranks, struct ts_arena *arena)
{
	const struct ts_op_row *row = ts_op_culprit(ops);
	const char *name, *where = "", *too, *elsewhere, *receive;
	bool origin = row && row->role == TS_OP_ORIGIN;

	if (!row)
		return NULL;
	name = ts_show_text(row->name, arena);
	if (row->rank == TS_RANK_JOB)
		where = " of the job";
	else if (ranks)
		where = ts_arena_printf(arena, " on rank %d", (int)row->rank);
	too = others(ops, row, ALSO_THERE, "differs in the same place", "differ in the same place", arena);
	elsewhere = others(ops, row, ELSEWHERE, "has an origin of its own elsewhere",
			   "have origins of their own elsewhere", arena);
	receive = others(ops, row, RECEIVES, origin ? "receives the difference" : "differs too",
			 origin ? "receive the difference" : "differ too", arena);
	if (!name || !where || !too || !elsewhere || !receive)
		return NULL;
	return ts_arena_printf(arena, "at step %" PRId64 " %s (occurrence %" PRIu64 ")%s differs: %s%s%s%s", row->step,
			       name, row->occurrence, where, role_words(ops, row), too, elsewhere, receive);
}
