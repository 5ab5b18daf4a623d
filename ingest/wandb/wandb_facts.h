/* wandb_facts.h - what the records of a .wandb file say of the run, as facts: its run, environment, telemetry, config, exit.
 *
 * Config becomes config.*; versions libraries.*; host, user, name, start and words session.*; git code.*; machine hardware.*; the rest
 * other.wandb.*. A later record overrules an earlier one. E-mail addresses are left out; secrets are taken out by facts_json.h.
 */
#ifndef TSCOPE_INGEST_WANDB_WANDB_FACTS_H
#define TSCOPE_INGEST_WANDB_WANDB_FACTS_H

#include "ingest/facts/fact_tree.h"

/* Each takes one message. TS_INVALID and TS_TOO_LARGE: something of it, err says what, was not kept; the rest was. */
enum ts_status ts_wandb_run(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err);
enum ts_status ts_wandb_environment(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err);
enum ts_status ts_wandb_telemetry(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err);
enum ts_status ts_wandb_config(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err);
enum ts_status ts_wandb_header(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err);
/* *ret_code: what the process said at its end; 0 is success. */
enum ts_status ts_wandb_exit(struct ts_fact_tree *t, struct ts_span message, int64_t *ret_code, struct ts_error *err);
/* files/wandb-metadata.json: what old versions wrote instead of a record of the environment. */
enum ts_status ts_wandb_metadata(struct ts_fact_tree *t, struct ts_span json, struct ts_error *err);
/* files/requirements.txt: "name==version" a line. Of these, what computes or trains becomes libraries.<name>. */
enum ts_status ts_wandb_requirements(struct ts_fact_tree *t, struct ts_span text, struct ts_error *err);

#endif
