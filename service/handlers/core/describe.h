/* describe.h - describes a run as every answer does: its name, steps and ranks, and which ranks are missing.
 *
 * Threads: a ts_fetch belongs to one call.
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
	int32_t *missing; /* the ranks that are missing from the world, ascending */
	size_t n_missing;
};

/* Describes the run. Spans lie where those of the run do, or in the arena. */
enum ts_status ts_describe(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena,
			   struct ts_description *ret_description, struct ts_error *err);

/* The text of the effective fact at path, if it is TS_FACT_TEXT; else an empty span. */
struct ts_span ts_fact_text(const struct ts_facts *facts, const char *path);
/* Gets the effective fact at path; false if there is none or it is not an integer. */
bool ts_fact_int(const struct ts_facts *facts, const char *path, int64_t *ret);
/* Fills in how a renderer shows the run; own_name is the fact session.name. */
enum ts_status ts_run_describe(struct ts_fetch *f, const struct ts_run *run, struct ts_run_ref *ret_ref,
			       struct ts_error *err);

#endif
