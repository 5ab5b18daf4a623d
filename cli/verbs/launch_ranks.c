#include "cli/verbs/launch_ranks.h"

#include "cli/core/verb.h"
#include "cli/verbs/launch_python.h"
#include "launch/port.h"

#include <stdlib.h>
#include <string.h>

/* What the options say. */
struct ranks {
	uint64_t n, nodes, node, port;
	bool given, has_nodes, has_node, has_port;
	const char *addr, *launcher;
};

static size_t count(const char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	return n;
}

/* --nproc-per-node behind a script is ours, as its users write it; all other words are the script's. */
static enum ts_status take_ranks(struct ts_cli *cli, struct ts_error *err)
{
	static const char *const names[] = {"--nproc-per-node", "--nproc_per_node"};
	const struct ts_option *option = cli->verb->options;
	struct ts_args *args = &cli->args;
	size_t to = 1;

	while (strcmp(option->name, names[0] + 2) != 0)
		option++;
	for (size_t i = 1; i < args->n_words; i++) {
		const char *word = args->words[i], *value = NULL;

		for (size_t k = 0; k < 2; k++) {
			size_t n = strlen(names[k]);

			if (strncmp(word, names[k], n) == 0 && word[n] == '=')
				value = word + n + 1;
			else if (strcmp(word, names[k]) == 0)
				value = i + 1 < args->n_words ? args->words[++i] : "";
		}
		if (!value)
			args->words[to++] = word;
		else if (!*value)
			return ts_error_set(err, TS_INVALID, "run: --nproc-per-node needs a value: --nproc-per-node N");
		else
			args->items[args->n++] = (struct ts_arg){.option = option, .value = value};
	}
	args->n_words = to;
	args->words[to] = NULL;
	return TS_OK;
}

static enum ts_status read_options(const struct ts_args *args, struct ranks *r, struct ts_error *err)
{
	r->addr = ts_args_text(args, "master-addr");
	r->launcher = ts_args_text(args, "launcher");
	if (ts_args_uint(args, "nproc-per-node", TS_LAUNCH_MAX, &r->given, &r->n, err) ||
	    ts_args_uint(args, "nnodes", 65536, &r->has_nodes, &r->nodes, err) ||
	    ts_args_uint(args, "node-rank", 65535, &r->has_node, &r->node, err) ||
	    ts_args_uint(args, "master-port", 65535, &r->has_port, &r->port, err))
		return ts_error_prefix(err, "run");
	if (!r->given && (r->has_nodes || r->has_node || r->has_port || r->addr || r->launcher))
		return ts_error_set(err, TS_INVALID,
				    "run: --nnodes, --node-rank, --master-addr, --master-port and --launcher need --nproc-per-node N");
	if (!r->given)
		return TS_OK;
	r->nodes = r->has_nodes ? r->nodes : 1;
	if (!r->n || !r->nodes)
		return ts_error_set(err, TS_INVALID, "run: --nproc-per-node and --nnodes are 1 or more");
	if (r->nodes > 1 && (!r->addr || !r->has_port || !r->has_node))
		return ts_error_set(err, TS_INVALID, "run: several nodes need --node-rank, --master-addr and --master-port");
	if (r->has_node && r->node >= r->nodes)
		return ts_error_set(err, TS_INVALID, "run: --node-rank is below --nnodes, which is %" PRIu64, r->nodes);
	return TS_OK;
}

/* words: python and the script. */
static enum ts_status by_torchrun(struct ts_cli *cli, const struct ranks *r, const char *const **io_words, struct ts_error *err)
{
	static const char *const passed[] = {"nproc-per-node", "nnodes", "node-rank", "master-addr", "master-port"};
	const char *const *words = *io_words;
	size_t n = count(words), to = 0;
	const char **made = ts_arena_array(&cli->arena, n + sizeof passed / sizeof *passed + 4, sizeof *made);

	if (!made)
		return ts_arena_error(&cli->arena, err);
	made[to++] = words[0];
	made[to++] = "-m";
	made[to++] = "torch.distributed.run";
	if (r->nodes == 1 && !r->has_port)
		made[to++] = "--standalone";
	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
		const char *value = ts_args_text(&cli->args, passed[i]);

		if (value)
			made[to++] = ts_arena_printf(&cli->arena, "--%s=%s", passed[i], value);
	}
	memcpy(made + to, words + 1, n * sizeof *made);
	*io_words = made;
	return ts_arena_check(&cli->arena, err);
}

static enum ts_status by_ours(struct ts_cli *cli, const struct ranks *r, struct ts_launch_wanted *wanted, struct ts_error *err)
{
	const char **variables = ts_arena_array(&cli->arena, 4, sizeof *variables);

	if (!variables)
		return ts_arena_error(&cli->arena, err);
	wanted->ranks = r->n;
	wanted->first_rank = r->node * r->n;
	wanted->world_size = r->nodes * r->n;
	variables[0] = ts_arena_printf(&cli->arena, "MASTER_ADDR=%s", r->addr ? r->addr : "127.0.0.1");
	variables[1] = ts_arena_printf(&cli->arena, "MASTER_PORT=%d", r->has_port ? (int)r->port : ts_port_free());
	/* As torchrun has it: a thread for each core in each rank is too many. */
	variables[2] = r->n > 1 && !getenv("OMP_NUM_THREADS") ? "OMP_NUM_THREADS=1" : NULL;
	variables[3] = NULL;
	wanted->variables = variables;
	return ts_arena_check(&cli->arena, err);
}

static enum ts_status put_python(struct ts_cli *cli, const char *const **io_words, struct ts_error *err)
{
	size_t n = count(*io_words);
	const char **made = ts_arena_array(&cli->arena, n + 2, sizeof *made);

	if (!made)
		return ts_arena_error(&cli->arena, err);
	made[0] = ts_python_program();
	if (!made[0])
		return ts_error_set(err, TS_NOT_FOUND, "run: there is no python3 in PATH that could run %s", (*io_words)[0]);
	memcpy(made + 1, *io_words, (n + 1) * sizeof *made);
	*io_words = made;
	return TS_OK;
}

enum ts_status ts_launch_words(struct ts_cli *cli, struct ts_launch_wanted *wanted, const char *const **ret_words, struct ts_error *err)
{
	bool script = ts_python_is_script(cli->args.words[0]), torch;
	const char *const *words = cli->args.words;
	struct ranks r = {.n = 0};

	if ((script && take_ranks(cli, err)) || read_options(&cli->args, &r, err) || (script && put_python(cli, &words, err)))
		return err->status;
	torch = r.given && script && !(r.launcher && strcmp(r.launcher, "own") == 0) && ts_python_has(words[0], "torch");
	if (r.launcher && strcmp(r.launcher, "torchrun") == 0 && !torch)
		return ts_error_set(err, TS_INVALID, "run: --launcher torchrun needs a script of Python, and a python with torch");
	if (torch ? by_torchrun(cli, &r, &words, err) : r.given && by_ours(cli, &r, wanted, err))
		return err->status;
	*ret_words = words;
	return TS_OK;
}
