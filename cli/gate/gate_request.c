#include "cli/gate/gate_request.h"

#include "analysis/policy.h"
#include "base/file.h"
#include "base/limits.h"
#include "cli/core/ask.h"
#include "cli/core/find_runs.h"
#include "cli/core/names.h"
#include "cli/core/path_run.h"
#include "cli/core/policy_file.h"
#include "cli/core/verb.h"
#include "cli/gate/gate_record.h"
#include "run/head.h"
#include "run/name.h"
#include "service/handlers/gate/gate_subject.h"

enum { ITEMS_MAX = 1024 };

/* --- the policy --- */

/* The options that change a setting of the policy. */
static const struct {
	const char *option, *setting;
} settings[] = {
	{"metric", "metrics"}, {"better", "better"},   {"workload", "workload"},
	{"across", "across"},  {"exclude", "exclude"}, {"inconclusive", "inconclusive"},
};

enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* Joins the values of an option into the list that a policy file would have. Returns NULL if the arena is full. */
static const char *values_of(struct ts_cli *cli, const char *option)
{
	const char *all = "", *value;

	for (size_t i = 0; all && (value = ts_args_nth(&cli->args, option, i)); i++)
		all = ts_arena_printf(&cli->arena, "%s%s%s", all, i ? ", " : "", value);
	return all;
}

static enum ts_status add_option(struct ts_cli *cli, size_t i, struct ts_policy *policy, struct ts_error *err)
{
	struct ts_policy_item *item = &policy->items[policy->n];
	struct ts_buf why = TS_BUF_INIT(TS_ERROR_TEXT);
	const char *values = values_of(cli, settings[i].option);
	enum ts_status status = TS_OK;

	*item = (struct ts_policy_item){.code = ts_span_str(TS_GATE_CODE),
					.threshold = ts_span_str(settings[i].setting)};
	if (!values)
		status = ts_arena_error(&cli->arena, err);
	else if (!ts_gate_setting_read(ts_span_str(values), item, &why))
		status =
			ts_error_set(err, TS_INVALID, "--%s: %.*s", settings[i].option, TS_SPAN_ARG(ts_buf_view(&why)));
	else
		policy->n++;
	ts_buf_finish(&why);
	return status;
}

enum ts_status ts_gate_options(struct ts_cli *cli, struct ts_policy *ret_items, struct ts_gate_policy *ret_policy,
			       struct ts_error *err)
{
	struct ts_policy file, all = {.n = 0};
	struct ts_gate_policy policy;

	if (ts_policy_file(cli, &file, err))
		return err->status;
	all.items = ts_arena_array(&cli->arena, file.n + SETTINGS, sizeof *all.items);
	if (!all.items)
		return ts_arena_error(&cli->arena, err);
	/* The other sections of the file belong to other verbs. */
	for (size_t i = 0; i < file.n; i++)
		if (ts_span_is(file.items[i].code, TS_GATE_CODE))
			all.items[all.n++] = file.items[i];
	for (size_t i = 0; i < SETTINGS; i++)
		if (ts_args_has(&cli->args, settings[i].option) && add_option(cli, i, &all, err))
			return err->status;
	if (all.n > ITEMS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "a policy may have at most %d GATE settings, and this one has %zu",
				    ITEMS_MAX, all.n);
	ts_gate_policy_default(&policy);
	if (ts_policy_of_gate(&all, &cli->arena, &policy, err))
		return err->status;
	if (ts_args_has(&cli->args, "better") && policy.n_logged == 0)
		return ts_error_set(err, TS_INVALID,
				    "--better is about a series that the runs log, and no metric here is one: of the others it is "
				    "known");
	*ret_items = all;
	*ret_policy = policy;
	return TS_OK;
}

/* --- runs --- */

/* The runs that the options name, before any run was read. */
struct asked {
	struct ts_found_runs found[2]; /* the runs of --baseline and of --paired */
	const char **names;	       /* the words of --baseline NAME, which stay names */
	size_t n_names;
	const char *bundle;
};

enum { BASELINES, PAIRS };

static enum ts_status take_baseline(struct ts_cli *cli, const char *word, struct asked *io, struct ts_error *err)
{
	struct ts_found_runs *found = &io->found[BASELINES];

	if (ts_is_path(word) && ts_file_kind(word) == TS_FILE_REGULAR) {
		if (io->bundle)
			return ts_error_set(err, TS_INVALID, "only one bundle can be given, and these are two: %s and %s", io->bundle,
					    word);
		io->bundle = word;
		return TS_OK;
	}
	if (ts_is_path(word) || ts_name_is_glob(ts_span_str(word)))
		return ts_find_runs(cli, "--baseline", word, found, err);
	if (io->n_names == TS_GATE_SPECS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "--baseline takes at most %d runs", TS_GATE_SPECS_MAX);
	io->names[io->n_names++] = word;
	return TS_OK;
}

static enum ts_status take_pairs(struct ts_cli *cli, const char *word, struct asked *io, struct ts_error *err)
{
	struct ts_found_runs *found = &io->found[PAIRS];

	return ts_find_runs(cli, "--paired", word, found, err);
}

static enum ts_status ask_options(struct ts_cli *cli, struct asked *io, struct ts_error *err)
{
	const char *word;

	io->names = ts_arena_array(&cli->arena, TS_GATE_SPECS_MAX, sizeof *io->names);
	if (!io->names)
		return ts_arena_error(&cli->arena, err);
	for (size_t k = 0; k < 2; k++)
		if (ts_found_runs_init(&io->found[k], TS_GATE_SPECS_MAX, &cli->arena, err))
			return err->status;
	for (size_t i = 0; (word = ts_args_nth(&cli->args, "baseline", i)); i++)
		if (take_baseline(cli, word, io, err))
			return err->status;
	for (size_t i = 0; (word = ts_args_nth(&cli->args, "paired", i)); i++)
		if (take_pairs(cli, word, io, err))
			return err->status;
	return TS_OK;
}

static enum ts_status check_asked(const struct ts_cli *cli, const struct asked *a, struct ts_error *err)
{
	size_t named = a->n_names + a->found[BASELINES].n_ids + a->found[BASELINES].n_words;

	if (a->bundle && named)
		return ts_error_set(err, TS_INVALID, "%s: a bundle (%s) cannot be combined with other baselines",
				    cli->verb->name, a->bundle);
	if (!a->bundle && !named)
		return ts_error_set(err, TS_INVALID, "%s: no baselines are given; --baseline takes a branch, runs or a bundle",
				    cli->verb->name);
	return TS_OK;
}

/* Appends the specs of the words in `more` to `words`. */
static enum ts_status specs_of(struct ts_cli *cli, const struct ts_span *words, size_t n_words,
			       const struct ts_span *more, size_t n_more, struct ts_span **ret, size_t *ret_n,
			       struct ts_error *err)
{
	struct ts_span *all = ts_arena_array(&cli->arena, n_words + n_more, sizeof *all);

	if (!all)
		return ts_arena_error(&cli->arena, err);
	if (n_words)
		memcpy(all, words, n_words * sizeof *all);
	if (n_more)
		memcpy(all + n_words, more, n_more * sizeof *all);
	*ret = all;
	*ret_n = n_words + n_more;
	return TS_OK;
}

/* Resolves all words in one call: if one of them is a path, every name has to become an id. */
static enum ts_status resolve(struct ts_cli *cli, const char *const *candidates, size_t n, const struct asked *a,
			      struct ts_gate_request *request, struct ts_error *err)
{
	const struct ts_found_runs *base = &a->found[BASELINES], *pairs = &a->found[PAIRS];
	size_t all = n + base->n_words + pairs->n_words;
	const char **words = ts_arena_array(&cli->arena, all, sizeof *words);
	struct ts_span *specs = ts_arena_array(&cli->arena, all, sizeof *specs), *ids;
	struct ts_span *names = ts_arena_array(&cli->arena, a->n_names, sizeof *names);
	size_t n_ids;

	if (!words || !specs || !names)
		return ts_arena_error(&cli->arena, err);
	if (n)
		memcpy(words, candidates, n * sizeof *words);
	if (base->n_words)
		memcpy(words + n, base->words, base->n_words * sizeof *words);
	if (pairs->n_words)
		memcpy(words + n + base->n_words, pairs->words, pairs->n_words * sizeof *words);
	if (ts_cli_specs_or_words(cli, a->names, a->n_names, names, err) || ts_cli_runs(cli, words, all, specs, err) ||
	    specs_of(cli, specs, n, NULL, 0, &request->candidates, &request->n_candidates, err) ||
	    specs_of(cli, specs + n, base->n_words, base->ids, base->n_ids, &ids, &n_ids, err) ||
	    specs_of(cli, ids, n_ids, names, a->n_names, &request->baselines, &request->n_baselines, err) ||
	    specs_of(cli, specs + n + base->n_words, pairs->n_words, pairs->ids, pairs->n_ids, &request->pairs,
		     &request->n_pairs, err))
		return err->status;
	return TS_OK;
}

enum ts_status ts_gate_request_of(struct ts_cli *cli, const char *const *candidates, size_t n_candidates,
				  const char *bundle, const struct ts_policy *items,
				  struct ts_gate_request *ret_request, struct ts_error *err)
{
	struct ts_gate_request request = {.policy = *items};
	struct asked asked = {.bundle = bundle};

	if (ts_cli_settle(cli, err) || ts_cli_open(cli, TS_USE_READ, err) || ask_options(cli, &asked, err) ||
	    check_asked(cli, &asked, err))
		return err->status;
	request.has_given = asked.bundle != NULL;
	if (asked.bundle && ts_gate_record_read(asked.bundle, &cli->arena, &request.given, err))
		return err->status;
	if (resolve(cli, candidates, n_candidates, &asked, &request, err))
		return err->status;
	*ret_request = request;
	return TS_OK;
}

/* --- a candidate that the server does not have --- */

/* Returns true if the candidate is on this machine and the baselines are names on the server, which the local overlay
 * does not know. */
static bool split(const struct ts_cli *cli, const struct ts_gate_request *request)
{
	if (!cli->target.server || cli->target.channel == cli->target.server || request->has_given)
		return false;
	for (size_t i = 0; i < request->n_baselines; i++)
		if (!ts_span_starts(request->baselines[i], ts_span_str("id:")))
			return true;
	return false;
}

/* Adds the ancestors of the candidate. The server cannot read them from a run that it does not have. */
static enum ts_status add_ancestors(struct ts_cli *cli, struct ts_span spec, struct ts_gate_request *io,
				    struct ts_error *err)
{
	const struct ts_fact *ancestors, *shallow;
	struct ts_get_reply run;
	struct ts_head head;
	size_t lines = 0;

	if (ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) ||
	    ts_head_decode(run.head, &cli->arena, &head, err))
		return err->status;
	ancestors = ts_facts_find(&head.facts, ts_span_str("code.ancestors"));
	shallow = ts_facts_find(&head.facts, ts_span_str("code.shallow"));
	if (ancestors && ancestors->type == TS_FACT_TEXT)
		io->ancestors = ancestors->text;
	else if (ancestors && ancestors->type == TS_FACT_LONG &&
		 ts_ask_long_text(cli->target.channel, ancestors, &cli->arena, &io->ancestors, err))
		return err->status;
	for (size_t i = 0; i < io->ancestors.len; i++)
		lines += io->ancestors.data[i] == '\n';
	io->ancestors_cut =
		lines + 1 >= TS_GATE_ANCESTORS || (shallow && shallow->type == TS_FACT_BOOL && shallow->boolean);
	return TS_OK;
}

/* Asks the server which runs are the baselines of the candidate, and replaces their names by these runs. */
static enum ts_status ask_server(struct ts_cli *cli, struct ts_gate_request *io, struct ts_error *err)
{
	struct ts_gate_request here = {.policy = io->policy, .has_given = true},
			       there = {.policy = io->policy, .has_given = true};
	struct ts_verdict alone;

	ts_gate_policy_default(&here.given.policy);
	ts_gate_policy_default(&there.given.policy);
	here.candidates = io->candidates;
	here.n_candidates = io->n_candidates;
	there.baselines = io->baselines;
	there.n_baselines = io->n_baselines;
	if (io->n_candidates) {
		if (ts_ask_gate(cli->target.channel, &here, &cli->arena, &alone, err) ||
		    add_ancestors(cli, io->candidates[0], &there, err))
			return err->status;
		there.given = alone.input;
		there.given.n_runs = there.given.n_runs ? 1 : 0; /* only the candidate that was named first */
	}
	if (ts_ask_baseline(cli->target.server, &there, &cli->arena, &io->given, err))
		return err->status;
	io->has_given = true;
	io->n_baselines = 0;
	return TS_OK;
}

enum ts_status ts_gate_ask(struct ts_cli *cli, const struct ts_gate_request *request, struct ts_verdict *ret_verdict,
			   struct ts_error *err)
{
	struct ts_gate_request asked = *request;

	if (split(cli, request) && ask_server(cli, &asked, err))
		return err->status;
	return ts_ask_gate(cli->target.channel, &asked, &cli->arena, ret_verdict, err);
}

enum ts_status ts_baseline_ask(struct ts_cli *cli, const struct ts_gate_request *request,
			       struct ts_gate_input *ret_input, struct ts_error *err)
{
	struct ts_gate_request asked = *request;

	if (!split(cli, request))
		return ts_ask_baseline(cli->target.channel, &asked, &cli->arena, ret_input, err);
	if (ask_server(cli, &asked, err))
		return err->status;
	*ret_input = asked.given;
	return TS_OK;
}
