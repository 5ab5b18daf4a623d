/* host.h - collects the facts of the training host, which `tscope facts` writes as facts.json.
 *
 * The facts are: git (head, branch, up to 200 ancestors, digest of the uncommitted patch, shallow or not), CI variables, SLURM,
 * where the launcher put this process, GPUs with driver and topology by nvidia-smi where there is one, an allow-list of determinism,
 * NCCL and cuBLAS variables, host name, boot id, container, time. A fact that cannot be found out is absent, never empty or zero.
 * Programs are run by posix_spawn with a time limit. The package for Python is built with this file and what it needs
 * (python/setup.py), so that both collect the same.
 */
#ifndef TSCOPE_INGEST_HOST_HOST_H
#define TSCOPE_INGEST_HOST_HOST_H

#include "run/fact.h"

struct ts_host_wanted {
	const char *dir; /* the directory in which git runs */
	/* The command line that starts the training, for session.command; with it goes session.directory where dir is not the top
	 * directory. May be NULL. */
	const char *command;
	bool patch; /* also collect the text of the uncommitted changes: session.patch */
};

/* Adds facts with TS_SOURCE_HOST. If a patch was wanted and exists but its text is left out (too long, not UTF-8, or it seems
 * to contain a secret), *ret_no_patch says why, and the facts have its digest only; else it is NULL. TS_INVALID: the command is
 * not a text. */
enum ts_status ts_host_facts(const struct ts_host_wanted *wanted, struct ts_arena *arena, struct ts_facts *facts,
			     const char **ret_no_patch, struct ts_error *err);

#endif
