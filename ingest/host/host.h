/* host.h - facts of the training host: what `tscope facts` collects and writes as facts.json.
 *
 * git (head, branch, up to 200 ancestors, digest of the uncommitted patch, shallow or not), CI variables, SLURM, GPUs with
 * driver and topology by nvidia-smi where there is one, an allow-list of determinism, NCCL and cuBLAS variables, host name,
 * boot id, time. What cannot be had is absent, never empty or zero. Programs are run by posix_spawn with a time limit.
 */
#ifndef TSCOPE_INGEST_HOST_HOST_H
#define TSCOPE_INGEST_HOST_HOST_H

#include "run/fact.h"

struct ts_host_wanted {
	const char *dir; /* where git is asked */
	/* The line that starts the training, for session.command, and for session.directory where dir is not the top; may be NULL. */
	const char *command;
	bool patch; /* the text of what is not committed as well: session.patch */
};

/* Facts are added with TS_SOURCE_HOST. *ret_no_patch says why the text of the patch, which was wanted and is there, is not among
 * them (too long, no UTF-8, or looks as if it had a secret): its digest is; else NULL. TS_INVALID: the command is no text. */
enum ts_status ts_host_facts(const struct ts_host_wanted *wanted, struct ts_arena *arena, struct ts_facts *facts,
			     const char **ret_no_patch, struct ts_error *err);

#endif
