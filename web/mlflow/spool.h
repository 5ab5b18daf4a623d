/* spool.h - where runs lie that MLflow clients log: a folder as MLflow's own file store has it, which `tscope push` reads.
 *
 *	FOLDER/EXPERIMENT/meta.yaml
 *	FOLDER/EXPERIMENT/RUN/meta.yaml		status, name, times
 *	FOLDER/EXPERIMENT/RUN/metrics/KEY	a line "milliseconds value step" for each value, appended
 *	FOLDER/EXPERIMENT/RUN/params/KEY, tags/KEY, artifacts/PATH
 *	FOLDER/EXPERIMENT/RUN/models/KEY	what is known of a model, which MLflow's own store has elsewhere
 *	FOLDER/EXPERIMENT/RUN/pushed		there once an ended run is pushed
 *	FOLDER/EXPERIMENT/RUN/stored		there beside it if the push left out nothing: the store has all of the run
 *
 * What a function wrote when it returned survives the end of this process by any signal; it is not flushed to the disk. Lines that were
 * being written then are cut off or completed when their batch comes again, and a batch that comes twice is there once. A file that is
 * replaced is written beside and renamed.
 * One process has a folder at a time. Spans and texts that are returned lie in the arena of the call, but for those of experiments,
 * which live as long as the spool.
 * Threads: any number. Experiments are never taken out of a spool that is open, and runs by ts_spool_prune alone: who has one in hands
 * then finds that its files are not there.
 */
#ifndef TSCOPE_WEB_MLFLOW_SPOOL_H
#define TSCOPE_WEB_MLFLOW_SPOOL_H

#include "base/buf.h"
#include "web/mlflow/tracking_body.h"

enum {
	TS_SPOOL_ID = 40,	 /* bytes of an id, its NUL included */
	TS_SPOOL_EXPERIMENTS = 4096,
	TS_SPOOL_RUNS = 1 << 20,
	TS_SPOOL_ARTIFACT_MAX = 16 << 20, /* bytes */
	TS_SPOOL_LISTED = 1000,	 /* files of one folder of artifacts that are listed */
};

struct ts_spool;

struct ts_spool_experiment {
	char id[TS_SPOOL_ID];
	const char *name;
	int64_t created_ms;
};

enum ts_spool_status { TS_SPOOL_RUNNING = 1, TS_SPOOL_SCHEDULED, TS_SPOOL_FINISHED, TS_SPOOL_FAILED, TS_SPOOL_KILLED };

/* What meta.yaml says of a run. Times: TS_TRACKING_NO_TIME for none. */
struct ts_spool_run {
	char id[TS_SPOOL_ID], experiment[TS_SPOOL_ID];
	struct ts_span name, user;
	enum ts_spool_status status;
	int64_t start_ms, end_ms;
	bool deleted;
};

/* Held by whoever writes again what it has read (what is known of a run or of a model), from before it reads: of two at once the change
 * of one would be lost. For short: no push and no store is waited for. */
void ts_spool_hold(struct ts_spool *spool);
void ts_spool_let(struct ts_spool *spool);

/* Makes the folder if it is not there, and finds the runs in it. TS_CONFLICT: another process has it. */
enum ts_status ts_spool_open(const char *folder, struct ts_spool **ret_spool, struct ts_error *err);
void ts_spool_close(struct ts_spool *spool);

/* Copies of all of them, the oldest first. */
enum ts_status ts_spool_experiments(struct ts_spool *spool, struct ts_arena *arena, struct ts_spool_experiment **ret, size_t *ret_n,
				    struct ts_error *err);
/* By id or by name, of which the other is empty. TS_NOT_FOUND. */
enum ts_status ts_spool_experiment(struct ts_spool *spool, struct ts_span id, struct ts_span name, struct ts_spool_experiment *ret,
				   struct ts_error *err);
/* TS_CONFLICT: there is one of this name. */
enum ts_status ts_spool_make_experiment(struct ts_spool *spool, struct ts_span name, int64_t now_ms, struct ts_spool_experiment *ret,
					struct ts_error *err);

/* The id of the run is made here. */
enum ts_status ts_spool_make_run(struct ts_spool *spool, struct ts_spool_run *io_run, struct ts_error *err);
enum ts_status ts_spool_run(struct ts_spool *spool, struct ts_span id, struct ts_arena *arena, struct ts_spool_run *ret,
			    struct ts_error *err);
enum ts_status ts_spool_change_run(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_error *err);
/* The ids of all runs of an experiment, in no order. */
enum ts_status ts_spool_runs(struct ts_spool *spool, const char *experiment, struct ts_arena *arena, const char ***ret_ids,
			     size_t *ret_n, struct ts_error *err);

/* Keys and values hold what tracking_key.h asks. */
enum ts_status ts_spool_add_metrics(struct ts_spool *spool, const struct ts_spool_run *run, const struct ts_tracking_metric *metrics,
				    size_t n, struct ts_error *err);
/* TS_INVALID, as MLflow says it: the param has another value. */
enum ts_status ts_spool_put_param(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_span key, struct ts_span value,
				  struct ts_error *err);
enum ts_status ts_spool_put_tag(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_span key, struct ts_span value,
				struct ts_error *err);
/* TS_NOT_FOUND: the run has no such tag. */
enum ts_status ts_spool_drop_tag(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_span key, struct ts_error *err);

/* kind: "params" or "tags". In the order of keys. */
enum ts_status ts_spool_pairs(struct ts_spool *spool, const struct ts_spool_run *run, const char *kind, struct ts_arena *arena,
			      struct ts_tracking_pair **ret, size_t *ret_n, struct ts_error *err);
/* One tag; no data: there is none. */
enum ts_status ts_spool_tag(struct ts_spool *spool, const struct ts_spool_run *run, const char *key, struct ts_arena *arena,
			    struct ts_span *ret, struct ts_error *err);
/* Of each metric the value that MLflow calls the last: of the highest step, then the latest, then the largest. */
enum ts_status ts_spool_latest(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_arena *arena,
			       struct ts_tracking_metric **ret, size_t *ret_n, struct ts_error *err);
/* All values of one metric in the order in which they came; none for a key that was not logged. */
enum ts_status ts_spool_history(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_span key, struct ts_arena *arena,
				struct ts_tracking_metric **ret, size_t *ret_n, struct ts_error *err);

/* What is known of a model, a document under a key of letters and digits; no data: there is none. */
enum ts_status ts_spool_put_model(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_span key, struct ts_span document,
				  struct ts_error *err);
enum ts_status ts_spool_model(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_span key, struct ts_arena *arena,
			      struct ts_span *ret, struct ts_error *err);

struct ts_spool_file {
	const char *name;
	bool folder;
	uint64_t size;
};

/* Paths are those below artifacts/, decoded. TS_INVALID for one that leads elsewhere. */
enum ts_status ts_spool_put_artifact(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_span path, struct ts_span bytes,
				     struct ts_error *err);
/* Makes a folder of artifacts. TS_CONFLICT: it is there. */
enum ts_status ts_spool_make_artifacts(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_span path,
				       struct ts_error *err);
enum ts_status ts_spool_get_artifact(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_span path, struct ts_buf *out,
				     struct ts_error *err);
/* A folder that is not there has none. */
enum ts_status ts_spool_list_artifacts(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_span path,
				       struct ts_arena *arena, struct ts_spool_file **ret, size_t *ret_n, struct ts_error *err);

/* The next run that changed since it was pushed, and whose turn it is at that time: not before what ts_spool_pushed said. False:
 * none. */
bool ts_spool_next(struct ts_spool *spool, int64_t now_ns, char ret_id[TS_SPOOL_ID], uint64_t *ret_change);
/* Whether any run changed since it was pushed. */
bool ts_spool_waits(struct ts_spool *spool);
/* Whether it was made here, and ts_spool_begun was not said of it: its name may be another run's still. Of a run that was found when
 * the spool was opened that is not known, and false. */
bool ts_spool_begins(struct ts_spool *spool, const char *id);
void ts_spool_begun(struct ts_spool *spool, const char *id);
enum ts_spool_outcome {
	TS_SPOOL_FAILED_PUSH,
	TS_SPOOL_PUSHED,   /* the run goes on, or the store is to be asked again at the next start */
	TS_SPOOL_ENDED,	   /* the run has ended, and the push left out some of its files */
	TS_SPOOL_STORED,   /* the run has ended, and the store has all of it */
};

/* How the push of what ts_spool_next gave ended; nothing is pushed before not_before_ns. */
void ts_spool_pushed(struct ts_spool *spool, const char *id, uint64_t change, enum ts_spool_outcome outcome, int64_t not_before_ns);
/* Removes the folders of runs that the store has since before that second of the clock (TS_SPOOL_STORED), and that have not changed
 * since. A run with models stays, because no push has what is known of them. Returns how many. */
size_t ts_spool_prune(struct ts_spool *spool, int64_t before_s);
/* The folder of a run, as push takes it. */
const char *ts_spool_folder(const struct ts_spool *spool, const struct ts_spool_run *run, struct ts_arena *arena);

#endif
