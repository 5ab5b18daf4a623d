/* tracking.h - the door for MLflow clients: MLFLOW_TRACKING_URI=http://127.0.0.1:8765 logs into tscope.
 *
 * It answers the calls of MLflow's REST interface by which runs are logged and looked up (docs/mlflow.md has the list), keeps what is
 * logged in a spool (spool.h), and has it pushed as `tscope push` does, some seconds after it came. The store has no second truth
 * beside it: a run is what push makes of its folder.
 *
 * An experiment is the first part of a run's name, EXPERIMENT/RUN, and a fact of it; not a project. Projects say who may read and how
 * much may be stored, which a library's call does not decide.
 * Threads: any number may ask; one of its own pushes.
 */
#ifndef TSCOPE_WEB_MLFLOW_TRACKING_H
#define TSCOPE_WEB_MLFLOW_TRACKING_H

#include "base/arena.h"
#include "base/buf.h"

struct ts_tracking;

/* What a push has of a run: all; all but what a push does not take; or not the artifacts, for which the store has no room. */
enum ts_tracking_kept { TS_TRACKING_KEPT_ALL, TS_TRACKING_LEFT_OUT, TS_TRACKING_NO_ROOM };

/* What a door asks of whoever knows the store. Functions are called by several threads at once. */
struct ts_tracking_wanted {
	const char *folder; /* of the spool */
	const char *token;  /* with which the store is asked; NULL: with what this program has itself */
	/* A name for a run of an experiment that no run of the store has: "project/experiment/run". NULL when the arena is full. */
	const char *(*name)(void *ctx, const char *token, struct ts_span experiment, struct ts_span run, const char *id,
			    struct ts_arena *arena);
	/* Pushes the folder of a run under this name. state: as of `tscope push --state`. begins: it was not pushed before, so that a
	 * name that points at another run is TS_CONFLICT; else the name moves. */
	enum ts_status (*push)(void *ctx, const char *token, const char *folder, const char *name, const char *state, bool begins,
			       enum ts_tracking_kept *ret_kept, struct ts_error *err);
	/* Runs that ended and of which the store has all leave the folder after so many days, and this is told how many did; 0: they
	 * stay. */
	uint64_t days;
	void (*left)(void *ctx, const char *folder, size_t n);
	/* Takes the name out of the store, or puts it back. */
	enum ts_status (*remove)(void *ctx, const char *token, const char *name, bool back, struct ts_error *err);
	void *ctx;
};

enum ts_tracking_method { TS_TRACKING_GET, TS_TRACKING_POST, TS_TRACKING_PUT, TS_TRACKING_PATCH };

/* A request, and the answer. */
struct ts_tracking_call {
	enum ts_tracking_method method;
	struct ts_span path; /* as it came, encoded: "/api/2.0/mlflow/runs/create" */
	struct ts_span query, body;
};

struct ts_tracking_reply {
	int status;
	const char *type;
	struct ts_buf *out;
};

enum ts_status ts_tracking_open(const struct ts_tracking_wanted *wanted, struct ts_tracking **ret, struct ts_error *err);
/* Whether something that was logged is not pushed yet. Nobody asks beside it. */
bool ts_tracking_waits(struct ts_tracking *tracking);
/* Pushes what is to be pushed, for two seconds at most. */
void ts_tracking_close(struct ts_tracking *tracking);

/* Whether an address is one of MLflow's, which are answered as MLflow does, with errors of its form. */
bool ts_tracking_is(struct ts_span path);
/* Whether it is one to which a client sends files. */
bool ts_tracking_takes_files(struct ts_span path);
void ts_tracking_answer(struct ts_tracking *tracking, const struct ts_tracking_call *call, struct ts_arena *arena,
			struct ts_tracking_reply *reply);
/* The answer where there is no door: {"error_code": ..., "message": ...}. */
void ts_tracking_refuse(const struct ts_error *err, struct ts_tracking_reply *reply);
/* The name in the store of a run of this id; NULL: there is none here. */
const char *ts_tracking_run_name(struct ts_tracking *tracking, struct ts_span id, struct ts_arena *arena);

#endif
