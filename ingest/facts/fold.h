/* fold.h - keeps the digest of facts for which a run has no room.
 *
 * A run's facts have room in one object (run/head.h). Where they need more, the objects and lists that take most of it are folded:
 * the facts below config.model.id2label become one text at that path, which says their number and their digest, so that two runs
 * still differ where these facts do. Facts of columns are never folded, because they decide how series are compared.
 */
#ifndef TSCOPE_INGEST_FACTS_FOLD_H
#define TSCOPE_INGEST_FACTS_FOLD_H

#include "base/limits.h"
#include "ingest/core/notice.h"
#include "run/fact.h"

enum { TS_FACTS_ROOM = TS_HEAD_MAX - (128 << 10) }; /* a head without what 1,819 ranks take */

/* Folds sorted facts until they take at most `room` bytes, or nothing is left to fold. Texts lie in the arena. Each folded path is
 * the notice `folded_facts`; notices may be NULL. Fails for want of memory only. */
enum ts_status ts_facts_fold(struct ts_facts *facts, size_t room, struct ts_span file, struct ts_notices *notices,
			     struct ts_arena *arena, struct ts_error *err);

#endif
