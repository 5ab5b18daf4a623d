/* lineage.h - which run a run goes on from, as its facts say, and what both share, by the ids of their blocks alone.
 *
 * lineage.parent is a run's name (project/name, or a name in the child's own project) or its id; lineage.resumed_step the
 * first step that was executed after the checkpoint was loaded. A parent that is not here is no error. No block is opened.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_LINEAGE_H
#define TSCOPE_SERVICE_HANDLERS_CORE_LINEAGE_H

#include "analysis/diverge/resume.h"
#include "service/handlers/core/read.h"

/* project: of the child, where a name is known for it; empty otherwise. Spans lie where the run's do. */
enum ts_status ts_lineage_find(struct ts_fetch *f, const struct ts_run *child, struct ts_span project, struct ts_arena *arena,
			       struct ts_lineage *ret, struct ts_error *err);
/* Counts the blocks of the child's trajectory that the parent has as well. */
void ts_lineage_share(const struct ts_run *child, const struct ts_run *parent, struct ts_lineage *io);

#endif
