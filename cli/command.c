/* command.c - see command.h. */
#include "cli/command.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/sigbus.h"
#include "base/text.h"
#include "cli/verbs/answer.h"
#include "cli/core/path_run.h"
#include "cli/verbs/manual.h"
#include "cli/verbs/verbs.h"

#include <signal.h>
#include <unistd.h>

/* An answer of a million lines is still an answer. */
static const size_t out_max = (size_t)1 << 30;

static void init(struct ts_cli *cli)
{
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN); /* EFBIG says it */
	*cli = (struct ts_cli){.out = TS_BUF_INIT(out_max)};
	ts_arena_init(&cli->arena, TS_ANALYSIS_ARENA);
	ts_term_init(&cli->term, NULL);
}

/* This also works when the words of the command make no sense: a command that asked for JSON gets its error as JSON. */
static bool asks_for_json(int argc, char *const *argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--json") == 0)
			return true;
	return false;
}

static enum ts_status check_words(const struct ts_cli *cli, struct ts_error *err)
{
	const struct ts_verb *verb = cli->verb;
	size_t n = cli->args.n_words;

	if (n >= verb->min_words && n <= verb->max_words)
		return TS_OK;
	if (n > verb->max_words)
		return ts_error_set(err, TS_INVALID, "%s: '%s' is one word too many; usage: tscope %s%s%s", verb->name,
				    cli->args.words[verb->max_words], verb->name, *verb->usage ? " " : "", verb->usage);
	return ts_error_set(err, TS_INVALID, "%s: usage: tscope %s %s", verb->name, verb->name, verb->usage);
}

/* Says of a path at which nothing is that it is not there, before a server is asked, or it is taken for a file of another kind. */
static enum ts_status check_paths(struct ts_cli *cli, struct ts_error *err)
{
	for (size_t i = 0; i < cli->args.n_words && i < cli->verb->paths; i++)
		if (ts_path_check(cli->args.words[i], &cli->arena, err))
			return err->status;
	for (size_t i = 0; i < cli->args.n; i++)
		if (cli->args.items[i].option->complete == TS_COMPLETE_RUN &&
		    ts_path_check(cli->args.items[i].value, &cli->arena, err))
			return err->status;
	return TS_OK;
}

/* Options may stand before the verb. Behind the verb stand its words and options. */
static enum ts_status parse(struct ts_cli *cli, int argc, const char *const *argv, struct ts_error *err)
{
	static const struct ts_option version[] = {{"version", 'V', NULL, "", TS_COMPLETE_NONE, NULL, false},
						   {NULL, 0, NULL, NULL, TS_COMPLETE_NONE, NULL, false}};
	struct ts_args front = {0};
	enum ts_status status =
		ts_args_parse(&front, version, ts_common_options, argc - 1, argv + 1, true, &cli->arena, err);
	int rest = (int)front.n_words;

	if (status)
		return status;
	if (rest == 0 && ts_args_has(&front, "version"))
		cli->verb = ts_verb_find("version");
	else if (rest == 0 && ts_args_has(&front, "help"))
		cli->verb = ts_verb_find("help");
	else if (rest == 0)
		return ts_error_set(err, TS_INVALID, "which verb? 'tscope help' lists them");
	else
		cli->verb = ts_verb_find(front.words[0]);
	if (!cli->verb)
		return ts_verb_unknown(front.words[0], err);
	cli->args = (struct ts_args){.items = front.items, .n = front.n};
	status = ts_args_parse(&cli->args, cli->verb->options, ts_common_options, rest ? rest - 1 : 0,
			       argv + argc - (rest ? rest - 1 : 0), cli->verb->command, &cli->arena, err);
	if (status)
		return ts_error_prefix(err, "%s", cli->verb->name);
	return ts_args_has(&cli->args, "help") ? TS_OK : check_words(cli, err);
}

/* Adds a and b behind the text of the error. What does not fit is cut off. */
static void add_to_error(struct ts_error *err, const char *a, const char *b)
{
	struct ts_error whole = *err;

	ts_error_set(err, whole.status, "%s%s%s", whole.text, a, b);
}

static enum ts_status run(struct ts_cli *cli, int argc, char **argv, pid_t *ret_pager, struct ts_error *err)
{
	enum ts_status status = parse(cli, argc, (const char *const *)argv, err);

	if (status)
		return status;
	ts_term_init(&cli->term, ts_args_text(&cli->args, "color"));
	cli->json = ts_args_has(&cli->args, "json");
	cli->quiet = ts_args_has(&cli->args, "quiet");
	if (cli->verb->pages && !cli->json && !ts_args_has(&cli->args, "no-pager"))
		ts_pager_start(&cli->term, ret_pager);
	if (ts_args_has(&cli->args, "help") && strcmp(cli->verb->name, "help") != 0) {
		if (ts_args_by_letter(&cli->args, "help"))
			ts_manual_brief(cli->verb, &cli->term, &cli->out);
		else
			ts_manual_help(cli->verb, &cli->term, &cli->out);
		return ts_buf_check(&cli->out, err);
	}
	if (check_paths(cli, err))
		return err->status;
	status = cli->verb->run(cli, err);
	if (status == TS_NOT_FOUND && cli->target.absent)
		add_to_error(err, "; ", cli->target.absent);
	ts_target_close(&cli->target);
	if (!status)
		status = ts_buf_check(&cli->out, err);
	/* If memory ran out while a word was written, that word is missing in the answer, so the arena is checked. */
	return status ? status : ts_arena_check(&cli->arena, err);
}

static void report(struct ts_cli *cli, bool json, const struct ts_error *err)
{
	ts_buf_reset(&cli->out);
	if (json)
		ts_answer_error(&cli->out, err);
	cli->quiet = false;
	ts_cli_say(cli, "%s", err->text);
	cli->exit_code = TS_EXIT_FAILED;
}

#define CUT_SHORT "the store's data.mdb was cut short, or its disk cannot be read; it has to come back from a backup"

static bool fault_json;

static void say_fault(void)
{
	static const char text[] = "tscope: " CUT_SHORT "\n";
	static const char json[] =
		"{\n  \"error\": {\n    \"status\": \"damaged\",\n    \"message\": \"" CUT_SHORT "\"\n  }\n}\n";
	struct ts_error err;

	(void)ts_write_full(STDERR_FILENO, text, sizeof text - 1, &err);
	if (fault_json)
		(void)ts_write_full(STDOUT_FILENO, json, sizeof json - 1, &err);
}

int ts_command(int argc, char **argv)
{
	/* Who fails without saying why is then found in every build, and not by what lies on the stack. */
	struct ts_error err = {.status = TS_INTERNAL, .text = "something failed and did not say why"};
	struct ts_cli cli;
	pid_t pager = 0;

	fault_json = asks_for_json(argc, argv);
	ts_sigbus_catch(say_fault, TS_EXIT_FAILED);
	init(&cli);
	if (run(&cli, argc, argv, &pager, &err))
		report(&cli, fault_json, &err);
	if (cli.out.len && ts_write_full(STDOUT_FILENO, cli.out.data, cli.out.len, &err)) {
		ts_cli_say(&cli, "stdout: %s", err.text);
		cli.exit_code = TS_EXIT_FAILED;
	}
	ts_pager_wait(pager);
	ts_buf_finish(&cli.out);
	ts_arena_finish(&cli.arena);
	return cli.exit_code;
}
