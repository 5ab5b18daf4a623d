/* housekeeping.h - a thread that, every few hours and while calls go on, lets go what a policy of retention does not keep, frees the
 * objects that no name reaches, and counts anew what projects use. */
#ifndef TSCOPE_SERVICE_HOUSEKEEPING_H
#define TSCOPE_SERVICE_HOUSEKEEPING_H

#include "store/engine.h"

struct ts_housekeeping;

struct ts_housekeeping_options {
	struct ts_engine *engine; /* must outlive the thread */
	int64_t interval_ns;	  /* the first time comes after one */
	int64_t keep_ns;	  /* how long removed names are kept */
	const char *retention;	  /* path of a policy file, which is read each time; empty = none. Must outlive the thread */
};

/* Starts the thread, which counts a store at once that an older version did not count. TS_INVALID if the policy is none. */
enum ts_status ts_housekeeping_start(const struct ts_housekeeping_options *options, struct ts_housekeeping **ret, struct ts_error *err);
/* Reads a policy file: whether it is one with rules of retention. */
enum ts_status ts_housekeeping_check(const char *path, struct ts_error *err);
/* Ends the thread; a count, a retention or a sweep that is running ends between two transactions. NULL is allowed. */
void ts_housekeeping_stop(struct ts_housekeeping *h);

#endif
