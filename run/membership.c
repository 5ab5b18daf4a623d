#include "run/membership.h"

#include "base/door.h"

static const struct {
	const char *word, *paths[TS_MEMBERSHIP_PATHS];
} memberships[] = {
	[TS_IN_SWEEP] = {"sweep",
			 {"lineage.sweep", "other.wandb.sweep", "session.sweep.WANDB_SWEEP_ID", "session.sweep.hydra.id",
			  "session.sweep.ray.id", "session.sweep.optuna.id", "session.slurm.SLURM_ARRAY_JOB_ID"}},
	[TS_IN_GROUP] = {"group",
			 {"lineage.group", "other.group", "other.wandb.group", "other.trackio.group", "session.sweep.WANDB_RUN_GROUP",
			  "other.mlflow.experiment"}},
	[TS_IN_JOB] = {"job",
		       {"session.slurm.SLURM_JOB_ID", "session.scheduler.PBS_JOBID", "session.scheduler.LSB_JOBID",
			"session.scheduler.RAY_JOB_ID", "session.ci.GITHUB_RUN_ID", "session.ci.CI_PIPELINE_ID"}},
	[TS_IN_PARENT] = {"parent", {"lineage.parent", "lineage.nested_in", "other.wandb.forked_from"}},
};

const char *ts_membership_word(enum ts_membership membership)
{
	return memberships[membership].word;
}

struct ts_span ts_membership_path(enum ts_membership membership, size_t i)
{
	const char *path;

	TS_DOOR(membership < TS_MEMBERSHIPS && i < TS_MEMBERSHIP_PATHS);
	path = memberships[membership].paths[i];
	return ts_span_str(path ? path : "");
}
