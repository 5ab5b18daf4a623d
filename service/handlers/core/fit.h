/* fit.h - whether the objects below a run are what its head and indexes say they are: kind, size, rows, first and last key.
 *
 * An engine knows that all objects of a run are there, not what they mean. A client may send an index that names objects of another
 * kind; what reads them later would fail for ever. The outlines of the objects tell all but the keys and the rows of texts, so
 * only blocks of keys and texts are opened, each once. With `values` blocks of numbers are opened, too.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_FIT_H
#define TSCOPE_SERVICE_HANDLERS_CORE_FIT_H

#include "base/map.h"
#include "service/handlers/core/read.h"

/* What was found to fit, so that blocks that many runs share are opened once. {0} at first. */
struct ts_fit_seen {
	uint64_t *hashes;
	size_t cap;
	struct ts_map map; /* of hashes, which counts them */
};

void ts_fit_seen_finish(struct ts_fit_seen *seen);
/* Adds a run; false if it was there. Out of memory: true. */
bool ts_fit_seen_run(struct ts_fit_seen *seen, const struct ts_id *run);

/* TS_DAMAGED with the first object that does not fit: "rank 0, steps, column scalars.loss, block 2: object <id> is a block of u64, and
 * the index says a block of f64". seen may be NULL. */
enum ts_status ts_run_fits(struct ts_fetch *f, const struct ts_run *run, bool values, struct ts_fit_seen *seen, struct ts_error *err);

/* For a call that failed with err: if that is TS_DAMAGED and objects of one of these runs do not fit, says that instead and names the
 * run, "default/a: rank 0, ...", so that who asked about several knows which to leave out or to push again. Returns err->status. */
enum ts_status ts_blame(const struct ts_call *call, const struct ts_span *specs, size_t n, struct ts_error *err);

#endif
