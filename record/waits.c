/* waits.c - what was waited for a CPU in a turn of the keeper is given to steps. */
#include "record/waits.h"

#include "record/cpu.h"
#include "record/tscope.h"

#include <unistd.h>

void ts_waits_begin(struct ts_waits *w, int64_t now)
{
	w->fd = ts_cpu_open();
	w->thread = pthread_self();
	w->at = now;
	w->held_by = TSCOPE_NEXT;
	if (w->fd >= 0 && !ts_cpu_waited(w->fd, &w->waited))
		ts_waits_end(w);
}

void ts_waits_end(struct ts_waits *w)
{
	if (w->fd >= 0)
		(void)close(w->fd);
	w->fd = -1;
}

/* Takes up to `room` of what there is. */
static int64_t take(int64_t *io_ns, int64_t room)
{
	int64_t ns = *io_ns < room ? *io_ns : room;

	if (ns <= 0)
		return 0;
	*io_ns -= ns;
	return ns;
}

void ts_waits_turn(struct ts_waits *w, int64_t now, int64_t step, ts_waits_give *give, void *arg)
{
	uint32_t put = atomic_load_explicit(&w->put, memory_order_acquire);
	int64_t waited, fresh;

	if (w->fd < 0)
		return;
	/* Asked behind the notes: of the steps that they name, all is in it. */
	if (atomic_load_explicit(&w->others, memory_order_relaxed) || !ts_cpu_waited(w->fd, &waited)) {
		ts_waits_end(w);
		return;
	}
	fresh = waited - w->waited;
	for (uint32_t i = atomic_load_explicit(&w->taken, memory_order_relaxed); i != put; i++) {
		const struct ts_long_step *l = &w->ring[i % TS_WAITS_LONG];
		int64_t ns = l->begin < w->at ? take(&w->held, w->at - l->begin) : 0;

		ns += take(&fresh, l->end - l->begin - ns); /* a wait that began before the last turn is counted in this one */
		if (ns >= TS_WAITS_LEAST)
			give(arg, l->step, ns);
	}
	atomic_store_explicit(&w->taken, put, memory_order_release);
	if (w->held_by == TSCOPE_NEXT)
		w->held = 0;
	if (step != w->held_by && w->held >= TS_WAITS_LEAST) {
		give(arg, w->held_by, w->held);
		w->held = 0;
	}
	w->held += fresh;
	w->held_by = step;
	w->at = now;
	w->waited = waited;
}
