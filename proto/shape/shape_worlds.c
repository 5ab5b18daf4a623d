/* shape_worlds.c - the tables of throughput over worlds (analysis/worlds/worlds.h), JSON alone. */
#include "analysis/worlds/worlds.h"
#include "proto/shape/shape_rows.h"

static const char *kind_word(int kind)
{
	return ts_worlds_kind_word((enum ts_worlds_kind)kind);
}
static const struct ts_shape_words kinds = {TS_WORLDS_NONE, TS_WORLDS_MIXED, TS_WORLDS_NONE, .word = kind_word};

#define TYPE struct ts_world
static bool counts_tokens(const void *in)
{
	return ((const TYPE *)in)->seen.tokens;
}
static bool counts_samples(const void *in)
{
	return !((const TYPE *)in)->seen.tokens;
}
static const struct ts_shape_field lost_rows[] = {
	{NULL, "computation_ratio", F64(lost[TS_WORLD_COMPUTE])},
	{NULL, "communication_ratio", F64(lost[TS_WORLD_COMMUNICATION])},
	{NULL, "imbalance_ratio", F64(lost[TS_WORLD_IMBALANCE]), ABOUT("waiting for ranks that come later")},
	{NULL, "input_ratio", F64(lost[TS_WORLD_INPUT])},
	{NULL, "other_ratio", F64(lost[TS_WORLD_OTHER])},
};
static const struct ts_shape lost_shape = {JSON_SHAPE("world_lost", lost_rows)};

static const struct ts_shape_field world_rows[] = {
	{NULL, "run", ONE(seen.run, ts_shape_run)},
	{NULL, "ranks", U32(seen.ranks)},
	{NULL, "samples_per_s", F64(seen.rate), WHEN(counts_samples), ABOUT("of all ranks")},
	{NULL, "tokens_per_s", F64(seen.rate), WHEN(counts_tokens), ABOUT("of all ranks")},
	{NULL, "step_mean_s", F64(seen.step_s)},
	{NULL, "batch", F64(batch), ABOUT("samples or tokens a step, of all ranks")},
	{NULL, "speedup", F64(speedup), ABOUT("over the smallest world")},
	{NULL, "speedup_half", F64(speedup_half), ABOUT("half of the 95 % interval, by how the steps vary within the runs")},
	{NULL, "efficiency_ratio", F64(efficiency)},
	{NULL, "lost", HERE(lost_shape), HAS(split), ABOUT("parts of the time of all ranks, which add up to 1 - efficiency_ratio")},
	{NULL, "smaller_batch", BOOL(smaller_batch), ABOUT("a rank has less to compute in a step than in the smallest world")},
	{NULL, "slower", BOOL(slower), ABOUT("it has more ranks than the smallest world, and a lower throughput")},
};
static const struct ts_shape world_shape = {JSON_SHAPE("world", world_rows)};
#undef TYPE

#define TYPE struct ts_worlds_fit
static bool has_most(const void *in)
{
	return ((const TYPE *)in)->most > 0;
}
static const struct ts_shape_field fit_rows[] = {
	{NULL, "serial_ratio", F64(serial), ABOUT("of Amdahl's law where the scaling is strong, of Gustafson's where it is weak")},
	{NULL, "serial_half", F64(half), ABOUT("half of its 95 % interval")},
	{NULL, "most_speedup", F64(most), WHEN(has_most), ABOUT("that no number of ranks exceeds, by Amdahl's law")},
};
static const struct ts_shape fit_shape = {JSON_SHAPE("world_fit", fit_rows)};
#undef TYPE

#define TYPE struct ts_worlds
static const struct ts_shape_field worlds_rows[] = {
	{NULL, "scaling", ENUM(kind, kinds), ABOUT("none: all runs have one number of ranks")},
	{NULL, "smallest_ranks", U32(base_ranks)},
	{NULL, "worlds", MANY(rows, n, world_shape, 0)},
	{NULL, "fit", ONE(fit, fit_shape), HAS(fit.known)},
	{NULL, "sentences", LIST(BYTES, sentences, n_sentences, 0)},
};
const struct ts_shape ts_shape_worlds = {JSON_SHAPE("scaling", worlds_rows)};
#undef TYPE
