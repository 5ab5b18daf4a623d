/* wandb_facts.h - turns the records of a .wandb file that describe the run (run, environment, telemetry, config, exit) into facts.
 *
 * Config becomes config.*, versions libraries.*, git code.*, the machine hardware.*; host, user, name, start and command line
 * become session.*, and the rest other.wandb.*. A later record overrides an earlier one. E-mail addresses are left out;
 * facts_json.h removes secrets.
 */
#ifndef TSCOPE_INGEST_WANDB_WANDB_FACTS_H
#define TSCOPE_INGEST_WANDB_WANDB_FACTS_H

#include "ingest/core/reader.h"
#include "ingest/facts/fact_tree.h"

/* Each function takes one message. TS_INVALID and TS_TOO_LARGE: a part of it, which err names, was not kept; the rest was. */
/* first: the log is the first part of its run, so its start is the run's. */
enum ts_status ts_wandb_run(struct ts_fact_tree *t, struct ts_span message, bool first, struct ts_error *err);
enum ts_status ts_wandb_environment(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err);
enum ts_status ts_wandb_telemetry(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err);
enum ts_status ts_wandb_config(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err);
enum ts_status ts_wandb_header(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err);
/* *ret_code: the exit code of the process; 0 is success. */
enum ts_status ts_wandb_exit(struct ts_fact_tree *t, struct ts_span message, int64_t *ret_code, struct ts_error *err);
/* Takes files/wandb-metadata.json, which old versions wrote instead of a record of the environment. */
enum ts_status ts_wandb_metadata(struct ts_fact_tree *t, struct ts_span json, struct ts_error *err);
/* Takes files/requirements.txt, with lines "name==version". Libraries that compute or train become libraries.<name>. */
enum ts_status ts_wandb_requirements(struct ts_fact_tree *t, struct ts_span text, struct ts_error *err);

/* Reads a RunRecord for its display name, and its project and id as a key. */
enum ts_status ts_wandb_run_about(struct ts_span message, struct ts_arena *arena, struct ts_run_about *ret_about, struct ts_error *err);

#endif
