/* verb_facts.c - tscope facts: what is recorded about a run, or what can be known about this host. */
#include "base/file.h"
#include "base/limits.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/core/listing.h"
#include "cli/json/json_facts.h"
#include "cli/text/text_facts.h"
#include "cli/verbs/verbs.h"
#include "ingest/facts/facts_json.h"
#include "ingest/host/host.h"

enum { HOST_FACTS_MAX = 16 << 20 };

static enum ts_status host_facts(struct ts_cli *cli, struct ts_error *err)
{
	const struct ts_host_wanted wanted = {
		.dir = ".",
		.command = ts_args_text(&cli->args, "command"),
		.patch = ts_args_has(&cli->args, "with-patch"),
	};
	const char *path = ts_args_text(&cli->args, "output"), *no_patch;
	struct ts_buf text = TS_BUF_INIT(HOST_FACTS_MAX);
	struct ts_facts facts = {0};
	enum ts_status status = ts_host_facts(&wanted, &cli->arena, &facts, &no_patch, err);

	if (status)
		return ts_error_prefix(err, "facts");
	if (no_patch)
		ts_cli_say(cli, "the patch is left out, and only its digest is recorded: %s", no_patch);
	ts_facts_sort(&facts);
	ts_facts_to_json(&facts, &text);
	if (text.len && text.data[text.len - 1] != '\n')
		ts_buf_char(&text, '\n');
	status = ts_buf_check(&text, err);
	if (!status && path)
		status = ts_file_replace(path, ts_buf_view(&text), 0644, err);
	else if (!status)
		ts_buf_span(&cli->out, ts_buf_view(&text));
	if (!status && path)
		ts_cli_say(cli, "wrote %zu facts to %s", facts.n, path);
	ts_buf_finish(&text);
	return status;
}

/* Long texts are stored in objects of their own. */
static enum ts_status load_long(struct ts_cli *cli, struct ts_facts *facts, struct ts_error *err)
{
	for (size_t i = 0; i < facts->n; i++) {
		struct ts_fact *fact = &facts->items[i];

		if (fact->type != TS_FACT_LONG)
			continue;
		if (ts_ask_long_text(cli->target.channel, fact, &cli->arena, &fact->text, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status load_rank(struct ts_cli *cli, const struct ts_rank_ref *ref, struct ts_rank_facts *ret,
				struct ts_error *err)
{
	struct ts_index index = {0};
	struct ts_id next = ref->index;
	bool more = true;

	/* A chain cannot loop: each object's id depends on its successor's. */
	while (more) {
		struct ts_span bytes;

		if (ts_ask_object(cli->target.channel, &next, &cli->arena, &bytes, err) ||
		    ts_index_decode(bytes, &cli->arena, &index, &more, &next, err))
			return ts_error_prefix(err, "index of rank %d", ref->rank);
	}
	*ret = (struct ts_rank_facts){ref->rank, index.facts};
	return load_long(cli, &ret->facts, err);
}

/* Another program gets the text as it was recorded. A terminal gets its lines with control characters escaped. */
static void put_raw(struct ts_cli *cli, struct ts_span text)
{
	while (cli->term.out_tty && text.len) {
		const uint8_t *newline = memchr(text.data, '\n', text.len);
		size_t len = newline ? (size_t)(newline - text.data) : text.len;

		ts_escape(&cli->out, ts_span_of(text.data, len));
		ts_buf_char(&cli->out, '\n');
		len += newline != NULL;
		text = ts_span_of(text.data + len, text.len - len);
	}
	ts_buf_span(&cli->out, text);
}

/* Writes the value of one fact and nothing else. */
static enum ts_status raw_fact(struct ts_cli *cli, const struct ts_facts *facts, const char *path, struct ts_error *err)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(path));
	struct ts_buf text = TS_BUF_INIT(2 * TS_FACT_TEXT_MAX);
	enum ts_status status;

	if (!fact)
		return ts_error_set(err, TS_NOT_FOUND, "facts: the run has no fact %s", path);
	if (fact->type == TS_FACT_TEXT || fact->type == TS_FACT_LONG) {
		put_raw(cli, fact->text);
		return TS_OK;
	}
	ts_fact_print(fact, &text);
	status = ts_buf_check(&text, err);
	put_raw(cli, ts_buf_view(&text));
	ts_buf_finish(&text);
	return status;
}

static enum ts_status run_facts(struct ts_cli *cli, struct ts_error *err)
{
	const char *glob = ts_cli_word(cli, 1);
	struct ts_fact_listing list = {.glob = glob ? ts_span_str(glob) : ts_span_of(NULL, 0)};
	struct ts_rank_facts *ranks;
	struct ts_get_reply run;
	struct ts_head head;
	struct ts_span spec;
	enum ts_status status = ts_cli_run(cli, ts_cli_word(cli, 0), &spec, err);

	if (!status)
		status = ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err);
	if (!status)
		status = ts_head_decode(run.head, &cli->arena, &head, err);
	if (!status)
		status = load_long(cli, &head.facts, err);
	if (status)
		return status;
	if (ts_args_has(&cli->args, "raw"))
		return raw_fact(cli, &head.facts, glob, err);
	ranks = ts_arena_array(&cli->arena, head.n_ranks + 1, sizeof *ranks);
	if (!ranks)
		return ts_arena_error(&cli->arena, err);
	ranks[0] = (struct ts_rank_facts){TS_RANK_JOB, head.facts};
	for (size_t i = 0; !status && i < head.n_ranks; i++)
		status = load_rank(cli, &head.ranks[i], &ranks[i + 1], err);
	if (status)
		return status;
	list.run = &run.run;
	list.ranks = ranks;
	list.n_ranks = head.n_ranks + 1;
	if (!cli->json)
		return ts_render_facts_text(cli, &list, err);
	ts_render_facts_json(cli, &list);
	return TS_OK;
}

enum ts_status ts_verb_facts(struct ts_cli *cli, struct ts_error *err)
{
	static const char *const of_host[] = {"output", "command", "with-patch"};

	for (size_t i = 0; ts_cli_word(cli, 0) && i < sizeof of_host / sizeof of_host[0]; i++)
		if (ts_args_has(&cli->args, of_host[i]))
			return ts_error_set(err, TS_INVALID, "facts: --%s can only be used without RUN, for the facts of this host",
					    of_host[i]);
	if (ts_args_has(&cli->args, "raw") && (cli->json || !ts_cli_word(cli, 1)))
		return ts_error_set(err, TS_INVALID, "facts: --raw needs RUN and the path of one fact%s",
				    cli->json ? ", and cannot be combined with --json" : "");
	return ts_cli_word(cli, 0) ? run_facts(cli, err) : host_facts(cli, err);
}
