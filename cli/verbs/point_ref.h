/* point_ref.h - functions that the verbs name, tag, note and rm share. */
#ifndef TSCOPE_CLI_VERBS_POINT_REF_H
#define TSCOPE_CLI_VERBS_POINT_REF_H

#include "cli/core/context.h"
#include "proto/wire.h"

/* Lets the name of that kind point at the run, and prints what changed (docs/schemas/name.schema.json, tag.schema.json). */
enum ts_status ts_point_ref(struct ts_cli *cli, enum ts_ref_kind kind, const char *run, const char *name,
			    struct ts_error *err);
/* The ref that a word names, which must be one (not an id, not a path): "exp1", "tag:v1", "project/exp1". */
enum ts_status ts_find_ref(struct ts_cli *cli, const char *word, struct ts_ref *ret_ref, struct ts_error *err);
/* Refuses a path where only a name is allowed. */
enum ts_status ts_no_path(const struct ts_cli *cli, const char *word, struct ts_error *err);

#endif
