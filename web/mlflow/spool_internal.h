/* spool_internal.h - what the files of the spool share: its lock, the runs that it knows, and how a file of it is written. */
#ifndef TSCOPE_WEB_MLFLOW_SPOOL_INTERNAL_H
#define TSCOPE_WEB_MLFLOW_SPOOL_INTERNAL_H

#include "base/map.h"
#include "web/mlflow/spool.h"

#include <pthread.h>

/* A run, as it is known without a look at its files. */
struct ts_spool_known {
	char id[TS_SPOOL_ID]; /* empty: it has left the folder */
	uint32_t experiment;
	bool queued; /* it is among those that are to be pushed */
	bool marked; /* "pushed" stands in its folder */
	bool stored; /* "stored", too */
	bool begins; /* it was made here, and is in the store under no name yet */
	uint64_t changed;
	int64_t not_before_ns;
};

struct ts_spool {
	char *folder;
	int lock_fd;
	pthread_mutex_t changing; /* taken before lock: see ts_spool_hold */
	pthread_mutex_t lock; /* held while something is written, and for what follows */
	struct ts_spool_experiment *experiments;
	size_t n_experiments, cap_experiments;
	struct ts_spool_known *runs;
	size_t n_runs, cap_runs, n_left; /* n_left: of these, runs that have left the folder */
	struct ts_map by_id;
	uint32_t *queue; /* runs that changed since they were pushed */
	size_t n_queue, cap_queue;
	struct ts_arena names; /* of experiments */
};

/* The names of the files that say that a run is pushed, and that the store has all of it. */
extern const char ts_spool_marker[], ts_spool_stored[];

/* Takes the lock and says that the run changes: from now on it is to be pushed. */
enum ts_status ts_spool_lock(struct ts_spool *spool, const char *id, struct ts_error *err);
void ts_spool_unlock(struct ts_spool *spool);
/* FOLDER/EXPERIMENT/RUN and, with a name, /kind/name. NULL when the arena is full. */
const char *ts_spool_path(const struct ts_spool *spool, const struct ts_spool_run *run, const char *kind, const char *name,
			  struct ts_arena *arena);
/* Puts a file in place at once, whole; the lock is held. */
enum ts_status ts_spool_put(struct ts_spool *spool, const char *path, struct ts_span bytes, struct ts_error *err);

#endif
