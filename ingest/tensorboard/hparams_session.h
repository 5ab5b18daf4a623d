/* hparams_session.h - finds the folder that SummaryWriter.add_hparams made in the folder of a training, and reads it.
 *
 * add_hparams writes its hyperparameters and final metrics into a folder of its own, whose name is the time in seconds
 * ("1795391825.0812"). This is the training's configuration and no run, if it is the only such folder, begins a session of hparams, and
 * has each number once. Threads: safe.
 */
#ifndef TSCOPE_INGEST_TENSORBOARD_HPARAMS_SESSION_H
#define TSCOPE_INGEST_TENSORBOARD_HPARAMS_SESSION_H

#include "base/arena.h"

struct ts_hparams_session {
	const char *name;	/* of the folder; NULL: there is none */
	struct ts_span config;	/* JSON object: the hyperparameters */
	struct ts_span metrics; /* JSON object: the numbers, by their tags; empty if there are none */
};

/* Returns whether such a folder could have this name. */
bool ts_hparams_session_name(const char *name);
/* Fails only with TS_NO_MEMORY and TS_TOO_LARGE of the arena; what cannot be read is no session. Everything lies in the arena. */
enum ts_status ts_hparams_session(const char *top, const char *directory, struct ts_arena *arena,
				  struct ts_hparams_session *ret_session, struct ts_error *err);

#endif
