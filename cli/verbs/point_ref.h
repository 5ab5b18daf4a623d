/* point_ref.h - what the verbs name and tag share. */
#ifndef TSCOPE_CLI_VERBS_POINT_REF_H
#define TSCOPE_CLI_VERBS_POINT_REF_H

#include "cli/core/context.h"
#include "proto/wire.h"

/* Lets the name of that kind point at the run, and prints what changed (docs/schemas/name.schema.json, tag.schema.json). */
enum ts_status ts_point_ref(struct ts_cli *cli, enum ts_ref_kind kind, const char *run, const char *name,
			    struct ts_error *err);

#endif
