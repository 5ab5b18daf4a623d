/* verb_check_determinism.c - tscope check-determinism: what of a run is known to keep two runs of it from being equal bit for bit. */
#include "analysis/determinism/determinism.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/json/json_parts.h"
#include "cli/text/text_determinism.h"
#include "cli/verbs/recorded_ops.h"
#include "cli/verbs/verbs.h"
#include "run/head.h"

static uint32_t world_of(const struct ts_facts *facts)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str("parallelism.world_size"));

	return fact && fact->type == TS_FACT_INT && fact->integer > 0 && fact->integer <= UINT32_MAX ? (uint32_t)fact->integer : 0;
}

static enum ts_status check(struct ts_cli *cli, struct ts_span spec, struct ts_determinism *ret, struct ts_error *err)
{
	struct ts_determinism_record record;
	struct ts_recorded_ops ops;
	struct ts_get_reply run;
	struct ts_head head;

	if (ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) || ts_head_decode(run.head, &cli->arena, &head, err) ||
	    ts_recorded_ops_of(cli, &run, TS_DETERMINISM_KINDS, &ops, err))
		return err->status;
	record = (struct ts_determinism_record){.facts = &head.facts,
						.world = world_of(&head.facts),
						.ops = ops.names,
						.n_ops = ops.n,
						.more_ops = ops.more};
	if (ts_determinism_of(&record, &cli->arena, ret, err))
		return err->status;
	ret->run = run.run;
	return TS_OK;
}

enum ts_status ts_verb_check_determinism(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_determinism answer;
	struct ts_span spec;

	if (ts_cli_run(cli, ts_cli_word(cli, 0), &spec, err))
		return err->status;
	if (check(cli, spec, &answer, err))
		return ts_error_prefix(err, "check-determinism");
	ts_cli_call_run(cli, ts_cli_word(cli, 0), &answer.run);
	cli->exit_code = answer.exit_code;
	return cli->json ? ts_json_answer(cli, &ts_shape_determinism, &answer, err) : ts_render_determinism_text(cli, &answer, err);
}
