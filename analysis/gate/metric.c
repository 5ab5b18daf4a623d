#include "analysis/gate/metric.h"

#include "base/text.h"
#include "base/words.h"
#include "run/direction.h"
#include "run/role.h"

/* The floor of a time is the spread that a quiet machine shows between runs of one binary. An allocator repeats its peak to the last
 * block, so memory has a smaller floor. A relative size of a share is relative to the share: stalls that grow from 1 % to 2 % are
 * 100 % more. Nobody knows how large a change of a logged series matters, so it has no least size, and a floor that only keeps runs
 * which repeat to the last bit from calling a rounding a change. */
#define LOGGED                                                                                                                         \
	{                                                                                                                              \
		"series", "series", TS_UNIT_NONE, true, false, 0.0001, 0, 0, 0, TS_LOGGED_WHAT                                         \
	}

const struct ts_metric_row ts_metrics[TS_METRICS_ALL] = {
	[TS_METRIC_STEP_TIME] = {"step_time", "step time", TS_UNIT_SECONDS, true, true, 0.001, 0.02, 0, 0,
				 "wall time of an optimizer step, median over windows of steps"},
	[TS_METRIC_STEP_TIME_MEAN] = {"step_time_mean", "mean step time", TS_UNIT_SECONDS, true, true, 0.001, 0.02, 0, 0.04,
				      "wall time of all counted steps divided by their number, so that rare slow steps count in full"},
	[TS_METRIC_STEP_TIME_P95] = {"step_time_p95", "95th percentile of step time", TS_UNIT_SECONDS, true, true, 0.002, 0.05, 0, 0,
				     "95th percentile of the wall times of single records"},
	[TS_METRIC_STALL_SHARE] = {"stall_share", "share of stalls", TS_UNIT_RATIO, true, false, 0.05, 0.5, 0.01, 0,
				   "share of all time that stalled records (longer than three medians) took beyond one median"},
	[TS_METRIC_PEAK_MEMORY] = {"peak_memory", "peak memory", TS_UNIT_BYTES, true, true, 0.0005, 0.01, 4.0 * (1 << 20), 0.05,
				   "largest memory that any rank had allocated"},
	[TS_METRIC_TOKENS_PER_S] = {"tokens_per_s", "tokens per second", TS_UNIT_PER_SECOND, false, true, 0.001, 0.02, 0, 0,
				    "tokens per second of the whole job, median over windows of steps"},
	[TS_METRIC_TOKENS_PER_S_DEVICE] = {"tokens_per_s_device", "tokens per second and device", TS_UNIT_PER_SECOND, false, true,
					   0.001, 0.02, 0, 0, "tokens per second divided by the number of devices"},
	[TS_METRIC_SAMPLES_PER_S] = {"samples_per_s", "samples per second", TS_UNIT_PER_SECOND, false, true, 0.001, 0.02, 0, 0,
				     "samples per second of the whole job, median over windows of steps"},
	[TS_METRIC_SAMPLES_PER_S_DEVICE] = {"samples_per_s_device", "samples per second and device", TS_UNIT_PER_SECOND, false, true,
					    0.001, 0.02, 0, 0, "samples per second divided by the number of devices"},
	[TS_METRIC_MFU] = {"mfu", "MFU", TS_UNIT_RATIO, false, true, 0.001, 0.02, 0, 0,
			   "model FLOPs per second of a device at step_time, divided by its peak"},
	[TS_METRIC_LOSS] = {"loss", "loss at the end", TS_UNIT_NONE, true, false, 0.001, 0.01, 0, 0.25,
			    "mean of the last tenth of the loss curve"},
	[TS_METRIC_STEP_TIME_P10] = {"step_time_p10", "10th percentile of step time", TS_UNIT_SECONDS, true, true, 0.001, 0.02, 0, 0,
				     "10th percentile over windows of steps, which other work on the machine disturbs least"},
	[TS_METRIC_STEP_TIME_END] = {"step_time_end", "step time at the end", TS_UNIT_SECONDS, true, true, 0.001, 0.02, 0, 0.1,
				     "wall time of an optimizer step, median over the last quarter of the windows of steps"},
	[TS_METRIC_STEP_TIME_FLOOR] = {"step_time_floor", "floor of step time", TS_UNIT_SECONDS, true, true, 0.001, 0.02, 0, 0,
				       "10th percentile of the wall times of single steps, which bursts of other work leave as it is"},
	[TS_METRIC_CPU_TIME] = {"cpu_time", "CPU time of a step", TS_UNIT_SECONDS, true, true, 0.001, 0.02, 0, 0,
				"CPU time of all processes per optimizer step, median over windows of steps"},
	[TS_METRICS] = LOGGED,
	LOGGED,
	LOGGED,
	LOGGED,
	LOGGED,
	LOGGED,
	LOGGED,
	LOGGED,
};

TS_WORDS(ts_better_word, enum ts_better, "unknown", [TS_BETTER_UNKNOWN] = "unknown", [TS_BETTER_LOWER] = "lower",
	 [TS_BETTER_HIGHER] = "higher")

/* The first that matches the last key of the name decides. */
static const struct {
	const char *pattern;
	enum ts_better better;
} between_runs[] = {
	{"target_*", TS_BETTER_UNKNOWN}, /* settings */
	{"*_target", TS_BETTER_UNKNOWN},    {"kl", TS_BETTER_LOWER},	      {"*_kl", TS_BETTER_LOWER},
	{"kl_div*", TS_BETTER_LOWER},	    {"*_kl_div*", TS_BETTER_LOWER},   {"kl_mean", TS_BETTER_LOWER},
	{"*_kl_mean", TS_BETTER_LOWER},	    {"time", TS_BETTER_LOWER},	      {"*_time", TS_BETTER_LOWER},
	{"latency", TS_BETTER_LOWER},	    {"*_latency", TS_BETTER_LOWER},   {"score", TS_BETTER_HIGHER},
	{"*_score", TS_BETTER_HIGHER},	    {"throughput", TS_BETTER_HIGHER}, {"*_throughput", TS_BETTER_HIGHER},
	{"*_per_second", TS_BETTER_HIGHER}, {"*_per_sec", TS_BETTER_HIGHER},
};

enum ts_better ts_better_of(struct ts_span series)
{
	enum ts_direction direction = ts_direction_of(series);
	uint8_t room[TS_PATH_MAX];
	struct ts_span leaf = ts_column_leaf(series, room);

	if (direction != TS_DIRECTION_UNKNOWN)
		return direction == TS_DIRECTION_DOWN ? TS_BETTER_LOWER : TS_BETTER_HIGHER;
	for (size_t i = 0; i < sizeof between_runs / sizeof between_runs[0]; i++)
		if (ts_glob(ts_span_str(between_runs[i].pattern), leaf))
			return between_runs[i].better;
	return TS_BETTER_UNKNOWN;
}

bool ts_metric_find(struct ts_span name, enum ts_metric *ret_metric)
{
	for (size_t i = 0; i < TS_METRICS; i++)
		if (ts_span_is(name, ts_metrics[i].name)) {
			*ret_metric = (enum ts_metric)i;
			return true;
		}
	return false;
}

/* Returns the name of a column without its group and the marks of escapes. */
static const char *plain(struct ts_span column, const char *usual, struct ts_arena *arena)
{
	struct ts_span name = column;
	char *out;
	size_t n = 0;

	if (column.len == 0)
		return usual;
	out = ts_arena_array(arena, column.len + 1, 1);
	if (!out)
		return NULL;
	(void)ts_span_skip(&name, "scalars.");
	for (size_t i = 0; i < name.len; i++)
		if (name.data[i] != '\\')
			out[n++] = (char)name.data[i];
	out[n] = 0;
	return out;
}

const char *ts_metric_title(const char *title, const char *usual, struct ts_span column, struct ts_span other, const char *whose,
			    struct ts_arena *arena)
{
	const char *name, *others;

	if (column.len == 0 && other.len == 0)
		return title;
	name = plain(column, usual, arena);
	others = plain(other, usual, arena);
	if (!name || !others)
		return NULL;
	return ts_span_eq(column, other) ? ts_arena_printf(arena, "%s (%s)", title, name)
					 : ts_arena_printf(arena, "%s (%s, of %s %s)", title, name, whose, others);
}
