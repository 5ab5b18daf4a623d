/* lineage.h - finds the run that a run continues, by its facts, and counts the blocks that both share, by their ids alone.
 *
 * The fact lineage.parent is a run's name (project/name, or a name in the child's own project) or its id. lineage.resumed_step
 * is the first step that was executed after the checkpoint was loaded. It is not an error if the store does not have the
 * parent. No block is opened.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_LINEAGE_H
#define TSCOPE_SERVICE_HANDLERS_CORE_LINEAGE_H

#include "analysis/diverge/resume.h"
#include "service/handlers/core/read.h"

/* project is that of the child's name, empty if it has no known name. Spans lie where those of the run do. */
enum ts_status ts_lineage_find(struct ts_fetch *f, const struct ts_run *child, struct ts_span project, struct ts_arena *arena,
			       struct ts_lineage *ret, struct ts_error *err);
/* Counts the blocks of the child's series that the parent has too. */
void ts_lineage_share(const struct ts_run *child, const struct ts_run *parent, struct ts_lineage *io);

#endif
