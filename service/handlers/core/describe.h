/* describe.h - what every answer says of a run in one line (name, steps, ranks, what is missing), and the summary
 * that a list keeps of it.
 *
 * Threads: as the fetch.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_DESCRIBE_H
#define TSCOPE_SERVICE_HANDLERS_CORE_DESCRIBE_H

#include "service/handlers/core/read.h"

struct ts_description {
	struct ts_run_ref run;
	bool has_world;
	int64_t world_size; /* parallelism.world_size, 1 to TS_WORLD_MAX */
	bool has_started;
	int64_t started_ns; /* session.started */
	int32_t *missing; /* ranks of the world that are not there, ascending */
	size_t n_missing;
};

/* Spans lie where the run's do, or in the arena. */
enum ts_status ts_describe(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena,
			   struct ts_description *ret_description, struct ts_error *err);

/* Text of the effective fact at path, if it is TS_FACT_TEXT; else empty. */
struct ts_span ts_fact_text(const struct ts_facts *facts, const char *path);
/* The effective fact at path, if it is an integer. */
bool ts_fact_int(const struct ts_facts *facts, const char *path, int64_t *ret);

#endif
