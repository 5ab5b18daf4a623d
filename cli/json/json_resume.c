/* json_resume.c - docs/schemas/check-resume.schema.json. */
#include "cli/json/json_resume.h"

#include "cli/core/context.h"
#include "cli/json/json_diagnosis.h"
#include "cli/json/json_parts.h"
#include "cli/text/show_value.h"

void ts_json_lineage(struct ts_json *j, const char *key, const struct ts_lineage *l)
{
	ts_json_key(j, key);
	ts_json_object(j);
	ts_json_text(j, "parent", l->parent);
	if (l->found) {
		ts_json_id(j, "parent_id", &l->id);
	} else {
		ts_json_key(j, "parent_id");
		ts_json_null(j);
	}
	ts_json_known_step(j, "resumed_step", l->has_step, l->step);
	ts_json_known_count(j, "block_count", l->found, l->blocks);
	ts_json_known_count(j, "shared_block_count", l->found, l->shared_blocks);
	ts_json_known_step(j, "shared_first_step", l->prefix, l->prefix_first);
	ts_json_known_step(j, "shared_last_step", l->prefix, l->prefix_last);
	ts_json_end(j);
}

enum ts_status ts_render_resume_json(struct ts_cli *cli, const struct ts_resume *r, struct ts_error *err)
{
	struct ts_json json = ts_cli_json(cli), *j = &json;

	ts_json_object(j);
	ts_json_key(j, "verdict");
	ts_json_string(j, ts_resume_word(r->verdict));
	if (ts_json_diagnosis(j, &r->why, &cli->arena, err))
		return err->status;
	if (r->restart) {
		ts_json_key(j, "parent");
		ts_json_null(j);
	} else {
		ts_json_run(j, "parent", &r->parent);
	}
	ts_json_run(j, "child", &r->child);
	ts_json_known_count(j, "restart_count", r->restart, r->restarts);
	ts_json_lineage(j, "lineage", &r->lineage);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
	return TS_OK;
}
