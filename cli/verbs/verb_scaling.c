/* verb_scaling.c - tscope scaling: how throughput grows with the number of ranks. Each run is analyzed where it is stored, so that a
 * server of any version that analyzes answers, too. */
#include "analysis/gate/gate_policy.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/json/json_parts.h"
#include "cli/text/text_worlds.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"
#include "run/head.h"

enum { SHOWN = 4 };

/* What a larger world changes by itself, or that changes nothing of what a sample costs. */
static const char *const of_the_world[] = {
	"config.*batch*",  "config.*world*", "config.*gpus*",  "config.*devices*", "config.*nodes*", "config.*nproc*",
	"config.*ranks*",  "config.*accum*", "config.*steps*", "config.*epochs*",  "config.*lr*",    "config.*learning_rate*",
	"config.*warmup*", "work.*flops*",   "work.*tokens*",  "work.*samples*",   "work.*batch*",
};
enum { OF_THE_WORLD = sizeof of_the_world / sizeof of_the_world[0] };

static enum ts_status ignored(struct ts_cli *cli, struct ts_ignore *ret, struct ts_error *err)
{
	struct ts_gate_policy policy;
	struct ts_span *globs;
	const char *given;
	size_t n = 0;

	ts_gate_policy_default(&policy);
	globs = ts_arena_array(&cli->arena, policy.ignore.n + OF_THE_WORLD + cli->args.n + 1, sizeof *globs);
	if (!globs)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < policy.ignore.n; i++)
		globs[n++] = policy.ignore.globs[i];
	for (size_t i = 0; i < OF_THE_WORLD; i++)
		globs[n++] = ts_span_str(of_the_world[i]);
	for (size_t i = 0; (given = ts_args_nth(&cli->args, "ignore", i)); i++)
		globs[n++] = ts_span_str(given);
	*ret = (struct ts_ignore){globs, n};
	return TS_OK;
}

/* Of the hardware only what a device is: how many there are is the question. */
static bool is_work(const struct ts_workload_difference *d)
{
	return d->part == TS_WORKLOAD_CONFIG ||
	       (d->part == TS_WORKLOAD_HARDWARE && (ts_span_ends(d->path, "name") || ts_span_ends(d->path, ".gpu")));
}

static enum ts_status refuse(struct ts_cli *cli, const char *a, const char *b, const struct ts_workload_difference *rows, size_t n,
			     struct ts_error *err)
{
	const char *said = "";
	size_t shown = 0, all = 0;

	for (size_t i = 0; i < n; i++)
		all += is_work(&rows[i]);
	for (size_t i = 0; i < n && shown < SHOWN && said; i++)
		if (is_work(&rows[i]))
			said = ts_arena_printf(&cli->arena, "%s%s%s is %s and %s", said, shown++ ? ", " : "",
					       ts_show_text(rows[i].path, &cli->arena),
					       rows[i].a.len ? ts_show_text(rows[i].a, &cli->arena) : "not recorded",
					       rows[i].b.len ? ts_show_text(rows[i].b, &cli->arena) : "not recorded");
	if (said && all > shown)
		said = ts_arena_printf(&cli->arena, "%s, and %zu more facts differ", said, all - shown);
	if (!said)
		return ts_arena_error(&cli->arena, err);
	return ts_error_set(err, TS_INVALID,
			    "scaling: %s and %s did not do the same work: %s; --ignore GLOB leaves out facts that do not matter", a, b,
			    said);
}

/* Whether both runs did the same work, by their facts. */
static enum ts_status check_work(struct ts_cli *cli, const struct ts_facts *facts, const char *const *words, size_t i,
				 struct ts_ignore ignore, struct ts_error *err)
{
	struct ts_workload_difference *rows;
	size_t n;

	if (ts_workload_compare(&facts[0], &facts[i], ignore, &cli->arena, &rows, &n, err))
		return err->status;
	for (size_t k = 0; k < n; k++)
		if (is_work(&rows[k]))
			return refuse(cli, words[0], words[i], rows, n, err);
	return TS_OK;
}

static enum ts_status see(struct ts_cli *cli, const char *word, struct ts_span spec, struct ts_world_seen *ret_seen,
			  struct ts_facts *ret_facts, struct ts_error *err)
{
	struct ts_analyze_request request = {.spec = spec};
	struct ts_analysis analysis;
	struct ts_get_reply run;
	struct ts_head head;
	const char *why = NULL;

	if (ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) || ts_head_decode(run.head, &cli->arena, &head, err) ||
	    ts_ask_analyze(cli->target.channel, &request, &cli->arena, &analysis, err))
		return err->status;
	*ret_facts = head.facts;
	if (!ts_world_seen(&analysis.measures, analysis.run.ranks, ret_seen, &why))
		return ts_error_set(err, TS_INVALID, "scaling: %s %s, so its throughput is not known", word, why);
	ret_seen->run = analysis.run;
	ts_cli_call_run(cli, word, &ret_seen->run);
	return TS_OK;
}

enum ts_status ts_verb_scaling(struct ts_cli *cli, struct ts_error *err)
{
	size_t n = cli->args.n_words;
	struct ts_world_seen *seen = ts_arena_array(&cli->arena, n, sizeof *seen);
	struct ts_facts *facts = ts_arena_array(&cli->arena, n, sizeof *facts);
	struct ts_span *specs = ts_arena_array(&cli->arena, n, sizeof *specs);
	struct ts_ignore ignore;
	struct ts_worlds worlds;

	if (!seen || !facts || !specs)
		return ts_arena_error(&cli->arena, err);
	if (ignored(cli, &ignore, err) || ts_cli_runs(cli, cli->args.words, n, specs, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		if (see(cli, ts_cli_word(cli, i), specs[i], &seen[i], &facts[i], err) ||
		    check_work(cli, facts, cli->args.words, i, ignore, err))
			return err->status;
	if (ts_worlds_judge(seen, n, &cli->arena, &worlds, err))
		return ts_error_prefix(err, "scaling");
	return cli->json ? ts_json_answer(cli, &ts_shape_worlds, &worlds, err) : ts_render_worlds_text(cli, &worlds, err);
}
