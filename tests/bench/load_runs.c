#include "load_runs.h"

#include "bench_store.h"

#include <stdlib.h>

static const struct bench_column columns[] = {{"phases.data", 0.01},   {"phases.forward", 0.1}, {"phases.backward", 0.2},
					      {"scalars.loss", 2},     {"scalars.lr", 0.001},	{"memory.allocated", 9},
					      {"scalars.grad_norm", 1}};

/* An engine to which a run is put, and which keeps it for the pushes. */
struct catcher {
	struct ts_engine engine;
	struct ts_arena arena;
	struct load_run *run;
};

static enum ts_status catch_objects(struct ts_engine *e, const struct ts_sealed *objects, size_t n, struct ts_put_stats *ret_stats,
				    struct ts_error *err)
{
	struct catcher *c = (struct catcher *)(void *)e;
	struct ts_sealed *all = realloc(c->run->objects, (c->run->n + n) * sizeof *all);

	(void)ret_stats;
	if (!all)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the runs");
	c->run->objects = all;
	for (size_t i = 0; i < n; i++) {
		struct ts_sealed *kept = &all[c->run->n++];

		*kept = objects[i];
		kept->bytes = ts_arena_span(&c->arena, objects[i].bytes);
		c->run->bytes += objects[i].bytes.len;
	}
	return TS_OK;
}

struct load_run *load_runs_make(size_t n)
{
	static const struct ts_engine_ops ops = {.put_many = catch_objects};
	static struct catcher c = {.engine.ops = &ops};
	struct load_run *runs = calloc(n, sizeof *runs);

	ts_arena_init(&c.arena, 0);
	for (size_t i = 0; runs && i < n; i++) {
		c.run = &runs[i];
		c.run->head = bench_run_of(
			&c.engine, bench_rank(&c.engine, 0, i * 7919 + 1, columns, sizeof columns / sizeof columns[0], LOAD_STEPS));
	}
	if (!runs)
		abort();
	return runs;
}
