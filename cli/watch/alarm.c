#include "cli/watch/alarm.h"

/* What no chance makes: bits that differ, numbers that are none, what the recorder or the allocator saw itself. */
static const char *const certain[] = {
	"CONVERGENCE.DIVERGED",
	"CONVERGENCE.NONFINITE",
	"CONVERGENCE.BATCHES_REPEAT",
	"CONVERGENCE.EQUAL_BATCHES",
	"CONVERGENCE.NOT_TRAINED",
	"CONVERGENCE.EVAL_MODE",
	"CONVERGENCE.EVAL_PART",
	"CONVERGENCE.PART_NOT_TRAINED",
	"CONVERGENCE.GRADIENTS_KEPT",
	"CONVERGENCE.GRADIENTS_STALE",
	"CONVERGENCE.LOSS_CONSTANT",
	"CONVERGENCE.INPUT_CONSTANT",
	"CONVERGENCE.EVALUATION_CHANGES",
	"DIST.REPLICAS",
	"MEMORY.OUT_OF_MEMORY",
	"MEMORY.OOM_FRAGMENTED",
	"MEMORY.PRESSURE",
};

/* What happens once. */
static const char *const changes[] = {
	"TIMING.SLOWDOWN",
	"CONVERGENCE.BLOW_UP",
	"CONVERGENCE.NO_PROGRESS",
	"CONVERGENCE.LEVEL_SHIFT",
	"CONVERGENCE.SPIKES",
	"CONVERGENCE.GRAD_SPIKES",
	"CONVERGENCE.SERIES_MOVED",
	"CONVERGENCE.LOSS_CEASED",
	"CONVERGENCE.SKIPPED_UPDATES",
	"CROSS.CORRELATED_INSTABILITY",
};

/* Looks with fresh steps after which a change that is still found is said. */
enum { CHANGE_LOOKS = 2, CHANGE_SHARE = 8 };

static bool among(struct ts_span code, const char *const *codes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ts_span_is(code, codes[i]))
			return true;
	return false;
}

enum ts_alarm_kind ts_alarm_kind_of(struct ts_span code)
{
	if (among(code, certain, sizeof certain / sizeof *certain))
		return TS_ALARM_CERTAIN;
	return among(code, changes, sizeof changes / sizeof *changes) ? TS_ALARM_CHANGE : TS_ALARM_STATE;
}

static struct ts_alarm *find(struct ts_alarms *a, struct ts_span code)
{
	for (size_t i = 0; i < a->n; i++)
		if (ts_span_is(code, a->items[i].code))
			return &a->items[i];
	return NULL;
}

static bool is_found(const struct ts_alarm *alarm, const struct ts_found *found, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ts_span_is(found[i].code, alarm->code))
			return !found[i].low || alarm->kind != TS_ALARM_CHANGE;
	return false;
}

/* What changed within a part of the run may be its usual ups and downs, and so may what a rule calls low. */
static bool is_worth(const struct ts_found *found, uint64_t from)
{
	return ts_alarm_kind_of(found->code) != TS_ALARM_CHANGE || (!from && !found->low);
}

static void remove_at(struct ts_alarms *a, size_t i)
{
	a->n--;
	memmove(a->items + i, a->items + i + 1, (a->n - i) * sizeof *a->items);
}

static void add(struct ts_alarms *a, const struct ts_found *found, uint64_t steps)
{
	struct ts_alarm *alarm;

	if (a->n == TS_ALARMS || found->code.len >= TS_ALARM_CODE || !found->code.len)
		return;
	alarm = &a->items[a->n++];
	*alarm = (struct ts_alarm){.kind = ts_alarm_kind_of(found->code), .state = TS_ALARM_SEEN, .since = steps};
	memcpy(alarm->code, found->code.data, found->code.len);
	if (alarm->kind == TS_ALARM_CERTAIN)
		alarm->state = TS_ALARM_DUE;
}

/* How many steps behind a sighting are asked. */
static uint64_t fresh_steps(uint64_t since)
{
	return since / TS_ALARM_FRESH_SHARE > TS_ALARM_FRESH_LEAST ? since / TS_ALARM_FRESH_SHARE : TS_ALARM_FRESH_LEAST;
}

/* A change that later looks still find. Each counts once the run has grown by an eighth. */
static void count_look(struct ts_alarm *alarm, uint64_t steps)
{
	uint64_t apart =
		alarm->since / CHANGE_SHARE > TS_ALARM_FRESH_LEAST ? alarm->since / CHANGE_SHARE : TS_ALARM_FRESH_LEAST;

	if (steps < alarm->since + (alarm->looks + 1) * apart)
		return;
	if (++alarm->looks == CHANGE_LOOKS)
		alarm->state = TS_ALARM_DUE;
}

static bool is_due(const struct ts_alarm *alarm, uint64_t steps)
{
	return alarm->kind == TS_ALARM_STATE && alarm->state == TS_ALARM_SEEN && steps >= alarm->since + fresh_steps(alarm->since);
}

/* A look at the whole run: changes that were seen are still found, or are none. */
static void look_at_changes(struct ts_alarms *a, const struct ts_found *found, size_t n, uint64_t steps)
{
	for (size_t i = a->n; i-- > 0;) {
		struct ts_alarm *alarm = &a->items[i];

		if (alarm->kind != TS_ALARM_CHANGE || alarm->state != TS_ALARM_SEEN)
			continue;
		if (is_found(alarm, found, n))
			count_look(alarm, steps);
		else
			remove_at(a, i);
	}
}

/* A look behind the steps at which something was seen: it is said, or forgotten. */
static void confirm(struct ts_alarms *a, const struct ts_found *found, size_t n, uint64_t from, uint64_t steps)
{
	for (size_t i = a->n; i-- > 0;) {
		struct ts_alarm *alarm = &a->items[i];

		if (alarm->since != from || !is_due(alarm, steps))
			continue;
		if (is_found(alarm, found, n))
			alarm->state = TS_ALARM_DUE;
		else
			remove_at(a, i);
	}
}

void ts_alarms_look(struct ts_alarms *a, const struct ts_found *found, size_t n, uint64_t from, uint64_t steps)
{
	if (from)
		confirm(a, found, n, from, steps);
	else
		look_at_changes(a, found, n, steps);
	for (size_t i = 0; i < n; i++)
		if (!find(a, found[i].code) && is_worth(&found[i], from))
			add(a, &found[i], steps);
}

uint64_t ts_alarms_fresh(struct ts_alarms *a, uint64_t steps)
{
	uint64_t from = UINT64_MAX, recent = steps / TS_ALARM_RECENT_SHARE;

	for (size_t i = 0; i < a->n; i++)
		if (is_due(&a->items[i], steps) && a->items[i].since < from)
			from = a->items[i].since;
	if (from != UINT64_MAX)
		return from;
	recent = recent > TS_ALARM_RECENT_LEAST ? recent : TS_ALARM_RECENT_LEAST;
	a->recent = !a->recent;
	return a->recent && steps > 2 * recent ? steps - recent : 0;
}

const struct ts_alarm *ts_alarms_next(struct ts_alarms *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->items[i].state == TS_ALARM_DUE) {
			a->items[i].state = TS_ALARM_SAID;
			return &a->items[i];
		}
	return NULL;
}

bool ts_alarms_said(const struct ts_alarms *a, struct ts_span code)
{
	for (size_t i = 0; i < a->n; i++)
		if (ts_span_is(code, a->items[i].code))
			return a->items[i].state != TS_ALARM_SEEN;
	return false;
}
