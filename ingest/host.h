/* host.h - facts of the training host: what `tscope facts` collects and writes as facts.json.
 *
 * git (head, branch, up to 200 ancestors, digest of the uncommitted patch, shallow or not), CI variables, SLURM, GPUs with
 * driver and topology by nvidia-smi where there is one, an allow-list of determinism, NCCL and cuBLAS variables, host name,
 * boot id, time. What cannot be had is absent, never empty or zero. Programs are run by posix_spawn with a time limit.
 */
#ifndef TSCOPE_INGEST_HOST_H
#define TSCOPE_INGEST_HOST_H

#include "run/fact.h"

/* dir is where git is asked; facts are added with TS_SOURCE_HOST. */
enum ts_status ts_host_facts(const char *dir, struct ts_arena *arena, struct ts_facts *facts, struct ts_error *err);

#endif
