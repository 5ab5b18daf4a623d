/* capability.c - see capability.h. */
#include "proto/capability.h"

#include "base/pb.h"

/* Below, a name for each row, in the same order and each once. */
#define FOLLOW "follow"
#define NOTE_HISTORY "note-history"
#define CHART_CELLS "chart-cells"
#define CHART_EPOCH "chart-epoch"
#define LOST_BASELINES "lost-baselines"
#define VERIFY_NEW "verify-new"
#define REDUCE_RUNS "reduce-runs"

const struct ts_capability ts_capabilities[TS_CAPABILITIES] = {
	{FOLLOW, "what a store that follows this one lacks", "Follow", {0, 0}, 0},
	{NOTE_HISTORY, "what the notes of a run were", "RefLog", {3, 0}, 0},
	{CHART_CELLS, "what a stretch of a curve comes to, cell by cell", "Chart", {10, 0}, 0},
	{CHART_CELLS, "what a stretch of a curve comes to, cell by cell", "Chart", {11, 0}, 0},
	{CHART_CELLS, "what a stretch of a curve comes to, cell by cell", "Chart", {12, 0}, 0},
	{CHART_EPOCH, "what a curve is over epochs", "Chart", {3, 0}, 4},
	{LOST_BASELINES, "what is to be held of a verdict that lost baselines", "Gate", {5, 13}, 0},
	{LOST_BASELINES, "what is to be held of a verdict that lost baselines", "Baseline", {5, 13}, 0},
	{VERIFY_NEW, "whether what changed since the last verify is sound", "Verify", {1, 0}, 0},
	{REDUCE_RUNS, "what a trend needs of some runs", "ReduceRuns", {0, 0}, 0},
	{TS_CAPABILITY_SEALED_TEXT, "text by its lines and columns of numbers", "PutObjects", {1, 2}, 3},
	{TS_CAPABILITY_SEALED_TEXT, "text by its lines and columns of numbers", "PutObjects", {1, 2}, 4},
};

static const char names[] =
	FOLLOW " " NOTE_HISTORY " " CHART_CELLS " " CHART_EPOCH " " LOST_BASELINES " " VERIFY_NEW " " REDUCE_RUNS " "
	TS_CAPABILITY_SEALED_TEXT;

const char *ts_capability_names(void)
{
	return names;
}

static bool has_field(struct ts_span message, const uint32_t *fields, int depth, uint64_t value)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f)) {
		if (f.number != fields[0])
			continue;
		if (depth + 1 < TS_CAPABILITY_DEPTH && fields[1]) {
			if (has_field(f.bytes, fields + 1, depth + 1, value))
				return true;
		} else if (!value || (f.wire == TS_PB_VARINT && f.value == value)) {
			return true;
		}
	}
	return false;
}

bool ts_capability_is_among(struct ts_span has, const char *name)
{
	while (has.len) {
		const uint8_t *blank = memchr(has.data, ' ', has.len);
		size_t n = blank ? (size_t)(blank - has.data) : has.len;

		if (ts_span_is(ts_span_of(has.data, n), name))
			return true;
		n += blank ? 1 : 0;
		has = ts_span_of(has.data + n, has.len - n);
	}
	return false;
}

const struct ts_capability *ts_capability_lacking(const char *method, struct ts_span request, struct ts_span has)
{
	for (size_t i = 0; i < TS_CAPABILITIES; i++) {
		const struct ts_capability *c = &ts_capabilities[i];

		if (strcmp(c->method, method) == 0 && (!c->fields[0] || has_field(request, c->fields, 0, c->value)) &&
		    !ts_capability_is_among(has, c->name))
			return c;
	}
	return NULL;
}

bool ts_capabilities_are_all(struct ts_span has)
{
	for (size_t i = 0; i < TS_CAPABILITIES; i++)
		if (!ts_capability_is_among(has, ts_capabilities[i].name))
			return false;
	return true;
}
