/* shape_run.c - the tables of a run in an answer, of what it shares with its parent, and of the settings of a
 * policy. */
#include "analysis/diverge/resume.h"
#include "analysis/policy.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

#define TYPE struct ts_run_ref
static bool has_steps(const void *in)
{
	return ((const TYPE *)in)->steps > 0;
}

static const struct ts_shape_field run_rows[] = {
	{"id", "id", ID(id)},
	{"own_name", "own_name", BYTES(own_name, TS_WIRE_CELL_MAX), OR_NULL},
	{"steps", "step_count", U64(steps)},
	{"first_step", "first_step", I64(first_step), WHEN(has_steps)},
	{"last_step", "last_step", I64(last_step), WHEN(has_steps)},
	{"ranks", "rank_count", U32(ranks), MAX(TS_RANKS_MAX)},
};
const struct ts_shape ts_shape_run = {SHAPE("run", run_ref, run_rows)};
#undef TYPE

#define TYPE struct ts_lineage
static bool is_found(const void *in)
{
	return ((const TYPE *)in)->found;
}

static bool has_prefix(const void *in)
{
	return ((const TYPE *)in)->prefix;
}

static void check_lineage(struct ts_wire_reader *r, void *in)
{
	TYPE *l = in;

	l->named = l->parent.len > 0;
	l->shared_blocks = ts_wire_uint(r, l->shared_blocks, l->blocks, "shared_blocks");
}

static const struct ts_shape_field prefix_rows[] = {
	{"first", "shared_first_step", I64(prefix_first), WHEN(has_prefix)},
	{"last", "shared_last_step", I64(prefix_last), WHEN(has_prefix)},
};
static const struct ts_shape prefix_shape = {SHAPE("prefix", step_range, prefix_rows)};

static const struct ts_shape_field lineage_rows[] = {
	{"parent", "parent", BYTES(parent, TS_FACT_TEXT_MAX), OR_NULL},
	{"id", "parent_id", ID(id), HAS(found)},
	{"step", "resumed_step", I64(step), HAS(has_step)},
	{"blocks", "block_count", U64(blocks), WHEN(is_found)},
	{"shared_blocks", "shared_block_count", U64(shared_blocks), WHEN(is_found)},
	{"prefix", FLAT, HERE(prefix_shape), HAS(prefix)},
};
const struct ts_shape ts_shape_lineage = {
	SHAPE("lineage", lineage, lineage_rows),
	.about = "what is shared with the run that this one goes on from, by the ids of blocks; null where that run is not here",
	.check = check_lineage,
};
#undef TYPE

#define TYPE struct ts_policy_item
static const struct ts_shape_field policy_rows[] = {
	{"code", NULL, TEXT(code, TS_PATH_MAX)},
	{"threshold", NULL, TEXT(threshold, TS_PATH_MAX)},
	{"off", NULL, BOOL(off)},
	{"value", NULL, F64(value)},
	{"text", NULL, TEXT(text, TS_WIRE_TEXT_MAX)},
};
const struct ts_shape ts_shape_policy_item = {SHAPE("policy_item", policy_item, policy_rows)};
#undef TYPE
