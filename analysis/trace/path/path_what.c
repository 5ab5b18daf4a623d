/* path_what.c - what a stretch of a critical path is: the work of a device by category, what the host did, or why nothing ran. */
#include "analysis/trace/path/critical_path.h"
#include "base/words.h"

enum { FIRST = TS_PATH_LAUNCH };

static const struct {
	const char *word;
	enum ts_path_group group;
} rows[TS_PATH_WHATS - FIRST] = {
	[TS_PATH_LAUNCH - FIRST] = {"launch", TS_PATH_OF_LAUNCH},
	[TS_PATH_STREAM_ORDER - FIRST] = {"stream_order", TS_PATH_OF_QUEUE},
	[TS_PATH_STREAM_WAIT - FIRST] = {"stream_wait", TS_PATH_OF_QUEUE},
	[TS_PATH_RETURN - FIRST] = {"return", TS_PATH_OF_HOST},
	[TS_PATH_OPERATOR - FIRST] = {"operator", TS_PATH_OF_HOST},
	[TS_PATH_PYTHON - FIRST] = {"python", TS_PATH_OF_HOST},
	[TS_PATH_LAUNCH_CALL - FIRST] = {"launch_call", TS_PATH_OF_HOST},
	[TS_PATH_MEMORY_CALL - FIRST] = {"memory_call", TS_PATH_OF_HOST},
	[TS_PATH_CALL - FIRST] = {"call", TS_PATH_OF_HOST},
	[TS_PATH_THREADS - FIRST] = {"threads", TS_PATH_OF_HOST},
	[TS_PATH_UNSAID - FIRST] = {"unsaid", TS_PATH_OF_HOST},
	[TS_PATH_OTHER_SPAN - FIRST] = {"other_span", TS_PATH_OF_HOST},
	[TS_PATH_DATA - FIRST] = {"data_loading", TS_PATH_OF_DATA},
	[TS_PATH_WAIT - FIRST] = {"wait", TS_PATH_OF_WAIT},
	[TS_PATH_UNKNOWN - FIRST] = {"unknown", TS_PATH_OF_UNKNOWN},
};

const char *ts_path_what_word(uint32_t what)
{
	if (what < TS_PATH_COLLECTIVES)
		return ts_sum_category_word(what);
	return what < FIRST ? ts_collective_word((enum ts_collective)(what - TS_PATH_COLLECTIVES)) : rows[what - FIRST].word;
}

enum ts_path_group ts_path_group(uint32_t what)
{
	if (what >= FIRST)
		return rows[what - FIRST].group;
	if (what >= TS_PATH_COLLECTIVES)
		return TS_PATH_OF_COMMUNICATION;
	return what == TS_SUM_COPY ? TS_PATH_OF_COPIES : TS_PATH_OF_COMPUTATION;
}

TS_WORDS(ts_path_group_word, enum ts_path_group, "unknown", [TS_PATH_OF_COMPUTATION] = "computation",
	 [TS_PATH_OF_COMMUNICATION] = "communication", [TS_PATH_OF_COPIES] = "copies", [TS_PATH_OF_LAUNCH] = "launch",
	 [TS_PATH_OF_QUEUE] = "queue", [TS_PATH_OF_HOST] = "host", [TS_PATH_OF_DATA] = "data_loading", [TS_PATH_OF_WAIT] = "wait",
	 [TS_PATH_OF_UNKNOWN] = "unknown")

/* --- names --- */

/* Calls have one name for each of their makers: "cudaLaunchKernel", "hipLaunchKernel", "cuLaunchKernel". */
static bool made_by(struct ts_span *name)
{
	return ts_span_skip(name, "cuda") || ts_span_skip(name, "hip") || ts_span_skip(name, "cu");
}

static bool begins(struct ts_span name, const char *word)
{
	return ts_span_skip(&name, word);
}

enum ts_path_call ts_path_call(struct ts_span name)
{
	if (!made_by(&name))
		return TS_PATH_CALL_OTHER;
	if (begins(name, "DeviceSynchronize") || begins(name, "CtxSynchronize"))
		return TS_PATH_CALL_WAIT_DEVICE;
	if (begins(name, "StreamSynchronize"))
		return TS_PATH_CALL_WAIT_STREAM;
	if (begins(name, "EventSynchronize"))
		return TS_PATH_CALL_WAIT_EVENT;
	if (begins(name, "Malloc") || begins(name, "Free") || begins(name, "Mem") || begins(name, "HostAlloc")) {
		if (!begins(name, "Memcpy") && !begins(name, "Memset"))
			return TS_PATH_CALL_MEMORY;
		return ts_span_contains(name, "Async") || begins(name, "Memset") ? TS_PATH_CALL_LAUNCH : TS_PATH_CALL_COPY;
	}
	return ts_span_contains(name, "Launch") ? TS_PATH_CALL_LAUNCH : TS_PATH_CALL_OTHER;
}

bool ts_path_is_data(struct ts_span name)
{
	return begins(name, "enumerate(DataLoader)") ||
	       (ts_span_contains(name, "torch/utils/data/dataloader.py(") && ts_span_contains(name, "): __next__"));
}
