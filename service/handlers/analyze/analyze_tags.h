/* analyze_tags.h - the steps of a rank that its column `tags` marks, by the words of the tags. */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_TAGS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_TAGS_H

#include "analysis/rank/timing.h"
#include "service/handlers/core/read.h"

/* A cell is a tag, or a JSON list of tags. Of more than TS_TIMING_TAGS words the first count. Texts and steps lie in the arena. */
enum ts_status ts_analyze_tags(struct ts_fetch *f, const struct ts_index *index, struct ts_arena *arena,
			       struct ts_timing_tag ret_tags[TS_TIMING_TAGS], size_t *ret_n, struct ts_error *err);

#endif
