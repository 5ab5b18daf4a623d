#include "analysis/trace/device/stretches.h"

#include "base/bisect.h"
#include "base/door.h"

void ts_stretches_find(struct ts_stretches *b, const struct ts_device_event *w, size_t n)
{
	TS_DOOR_SORTED(i, n, w[i - 1].begin <= w[i].begin);
	b->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct ts_trace_stretch *last = b->n ? &b->items[b->n - 1] : NULL;

		if (last && w[i].begin <= last->end) {
			last->end = w[i].end > last->end ? w[i].end : last->end;
			continue;
		}
		b->items[b->n++] =
			(struct ts_trace_stretch){.begin = w[i].begin,
						  .end = w[i].end,
						  .before = last ? last->before + ((uint64_t)last->end - (uint64_t)last->begin) : 0};
	}
}

uint64_t ts_stretches_before(const struct ts_stretches *b, int64_t t)
{
	size_t low = 0;
	const struct ts_trace_stretch *s;

	TS_BISECT(low, b->n, i, b->items[i].begin < t);
	if (!low)
		return 0;
	s = &b->items[low - 1];
	return s->before + (uint64_t)(t < s->end ? t : s->end) - (uint64_t)s->begin;
}
