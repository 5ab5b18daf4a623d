/* verb_repro_op.c - tscope repro-op: a script that runs one recorded operation of torch alone, for the report of a bug. */
#include "base/number.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"
#include "run/head.h"

#include <inttypes.h>
#include <string.h>

enum { CALL_MOST = 1 << 16, LONG_MOST = 4 << 20 };

/* Everything foreign in it is one string of JSON, which Python reads as its own. */
static const char script[] =
	"import json, sys\n"
	"import torch.utils._pytree as tree, torch\n"
	"args, kwargs = json.loads(CALL)\n"
	"device = sys.argv[1] if len(sys.argv) > 1 else None  # another one than that of the run\n"
	"\n"
	"\n"
	"def made(a):\n"
	"    if isinstance(a, list):\n"
	"        return [made(x) for x in a]\n"
	"    if not isinstance(a, dict):\n"
	"        return a\n"
	"    if \"dtype\" in a:\n"
	"        return getattr(torch, a[\"dtype\"])\n"
	"    if \"torch.device\" in a:\n"
	"        return torch.device(device or a[\"torch.device\"])\n"
	"    if \"shape\" not in a:\n"
	"        sys.exit(f\"an argument was not recorded: {a}\")\n"
	"    kind, where = getattr(torch, a[\"type\"]), device or a[\"device\"]\n"
	"    if \"range\" in a:\n"
	"        return torch.randint(a[\"range\"][0], a[\"range\"][1] + 1, a[\"shape\"], dtype=kind).to(where)\n"
	"    if kind is torch.bool:\n"
	"        return (torch.rand(a[\"shape\"]) < 0.5).to(where)\n"
	"    return torch.randn(a[\"shape\"]).abs().to(kind).to(where)  # none below 0, as second moments are\n"
	"\n"
	"operation = torch.ops\n"
	"for part in NAME.split(\".\"):\n"
	"    operation = getattr(operation, part)\n"
	"outputs = []\n"
	"for _ in range(20):\n"
	"    torch.manual_seed(0)\n"
	"    given, named = made(args), {k: made(v) for k, v in kwargs.items()}\n"
	"    out = operation(*given, **named)  # one that gives nothing back wrote to what it was given\n"
	"    out = [t for t in tree.tree_flatten([given, named] if out is None else out)[0] if isinstance(t, torch.Tensor)]\n"
	"    outputs.append([t.cpu().reshape(-1).view(torch.uint8).numpy().tobytes() for t in out])\n"
	"differ = sum(o != outputs[0] for o in outputs)\n"
	"print(f\"{NAME}: {differ} of {len(outputs)} outputs differ from the first, torch {torch.__version__}\")\n"
	"sys.exit(differ > 0)\n";

/* The same of what was saved of the call, of one run or of several. */
static const char replay[] =
	"import sys\n"
	"import torch\n"
	"device = sys.argv[1] if len(sys.argv) > 1 else None  # another one than that of the run\n"
	"\n"
	"\n"
	"def moved(a, where):\n"
	"    if isinstance(a, torch.Tensor):\n"
	"        return a.to(where, copy=True)\n"
	"    return [moved(x, where) for x in a] if isinstance(a, list) else a\n"
	"\n"
	"\n"
	"def bits(a):\n"
	"    if isinstance(a, torch.Tensor):\n"
	"        return a.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()\n"
	"    return [bits(x) for x in a] if isinstance(a, (list, tuple)) else repr(a)\n"
	"\n"
	"operation, wrong, gave = torch.ops, 0, []\n"
	"for part in NAME.split(\".\"):\n"
	"    operation = getattr(operation, part)\n"
	"for path in FILES:\n"
	"    kept = torch.load(path, weights_only=True)\n"
	"    where = device or kept[\"device\"]\n"
	"    if kept[\"name\"] != NAME:\n"
	"        sys.exit(f\"{path} has a call of {kept['name']}\")\n"
	"    named = {k: where if k == \"device\" else v for k, v in kept[\"kwargs\"].items()}\n"
	"    outputs = []\n"
	"    for _ in range(20):\n"
	"        args, kwargs = moved(kept[\"args\"], where), {k: moved(v, where) for k, v in named.items()}\n"
	"        out = operation(*args, **kwargs)  # one that gives nothing back wrote to what it was given\n"
	"        outputs.append(bits([*args, *kwargs.values()] if out is None else out))\n"
	"    differ, again = sum(o != outputs[0] for o in outputs), outputs[0] == bits(kept[\"out\"])\n"
	"    print(f\"{path}: {differ} of 20 outputs differ from the first, which is {'that' if again else 'not that'} of the run\")\n"
	"    wrong |= differ > 0 or not again\n"
	"    gave.append(bits([kept[\"args\"], sorted(kept[\"kwargs\"].items())]))\n"
	"same = 'the same' if gave == gave[:1] * len(gave) else 'not the same'\n"
	"print(f\"torch {torch.__version__}; what it was given is {same} in all files\")\n"
	"sys.exit(wrong)\n";

/* 2:aten.mm.default, or 2:aten.mm.default#3, which is the fourth in that step. */
static enum ts_status read_at(struct ts_cli *cli, int64_t *ret_step, struct ts_span *ret_name, uint64_t *ret_occurrence,
			      struct ts_error *err)
{
	const char *text = ts_args_text(&cli->args, "at"), *colon = text ? strchr(text, ':') : NULL;
	const char *sharp = colon ? strrchr(colon, '#') : NULL;

	*ret_occurrence = 0;
	if (!colon || !ts_parse_i64(ts_span_of(text, (size_t)(colon - text)), ret_step) ||
	    (sharp && !ts_parse_u64(ts_span_str(sharp + 1), ret_occurrence)))
		return ts_error_set(err, TS_INVALID,
				    "--at STEP:OPERATION is needed, such as 2:aten.mm.default, or 2:aten.mm.default#3");
	*ret_name = ts_span_of(colon + 1, sharp ? (size_t)(sharp - colon - 1) : strlen(colon + 1));
	return TS_OK;
}

static enum ts_status calls_of(struct ts_cli *cli, struct ts_span spec, int64_t step, struct ts_get_reply *run, struct ts_span *ret,
			       struct ts_error *err)
{
	const char *path = ts_arena_phrase(&cli->arena, "session.operations.%" PRId64, step);
	const struct ts_fact *fact;
	struct ts_head head;

	if (ts_ask_get(cli->target.channel, spec, &cli->arena, run, err) || ts_head_decode(run->head, &cli->arena, &head, err))
		return err->status;
	fact = ts_facts_find(&head.facts, ts_span_str(path));
	if (!fact || (fact->type != TS_FACT_TEXT && fact->type != TS_FACT_LONG))
		return ts_error_set(
			err, TS_NOT_FOUND,
			"the run has no calls of step %" PRId64 ": TSCOPE_OPERATIONS=FIRST-LAST:aten has the recorder keep them", step);
	*ret = fact->text;
	return fact->type == TS_FACT_LONG ? ts_ask_long_text(cli->target.channel, fact, &cli->arena, ret, err) : TS_OK;
}

/* The arguments of the call, as JSON. */
static enum ts_status find(struct ts_span calls, struct ts_span name, uint64_t occurrence, struct ts_span *ret, struct ts_error *err)
{
	uint64_t seen = 0;

	while (calls.len) {
		struct ts_span line = ts_span_through(calls, '\n');
		size_t n = line.len ? line.len : calls.len, end = n - (line.len > 0);

		line = ts_span_part(calls, 0, end);
		calls = ts_span_from(calls, n);
		if (!ts_span_starts(line, name) || (line.len > name.len && line.data[name.len] != ' ') || seen++ != occurrence)
			continue;
		if (line.len <= name.len + 1 || line.len > CALL_MOST)
			return ts_error_set(err, TS_INVALID, "what it was called with is not recorded");
		*ret = ts_span_from(line, name.len + 1);
		return TS_OK;
	}
	return ts_error_set(err, TS_NOT_FOUND, "the step has %" PRIu64 " recorded calls of %.*s%s", seen, TS_SPAN_ARG(name),
			    seen ? ", counted from 0" : "; 'tscope diff' names the operation as it has to be written");
}

/* --inputs FILE, once for each run. */
static enum ts_status print_replay(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_json json;
	struct ts_span name;
	uint64_t occurrence;
	const char *file;
	int64_t step;

	if (read_at(cli, &step, &name, &occurrence, err))
		return err->status;
	ts_buf_printf(&cli->out,
		      "# An operation of step %" PRId64 ", with what it was given in the runs, as TSCOPE_INPUTS saved it.\nNAME = ",
		      step);
	json = ts_json_of(&cli->out);
	ts_json_span(&json, name);
	ts_buf_str(&cli->out, "\nFILES = ");
	json = ts_json_of(&cli->out);
	ts_json_array(&json);
	for (size_t i = 0; (file = ts_args_nth(&cli->args, "inputs", i)) != NULL; i++)
		ts_json_string(&json, file);
	ts_json_end(&json);
	ts_buf_printf(&cli->out, "\n%s", replay);
	return ts_buf_check(&cli->out, err);
}

static enum ts_status print(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_json json = ts_json_of(&cli->out);
	struct ts_span spec, name, calls, call;
	struct ts_get_reply run;
	uint64_t occurrence;
	int64_t step;

	if (read_at(cli, &step, &name, &occurrence, err) || ts_cli_run(cli, ts_cli_word(cli, 0), &spec, err) ||
	    calls_of(cli, spec, step, &run, &calls, err) || find(calls, name, occurrence, &call, err))
		return err->status;
	ts_buf_printf(&cli->out,
		      "# An operation of step %" PRId64
		      " of run %.12s, as tscope recorded its call. Its values were not saved: they are drawn "
		      "from a seed.\nNAME = ",
		      step, ts_show_id(&run.run.id, &cli->arena));
	ts_json_span(&json, name);
	ts_buf_str(&cli->out, "\nCALL = ");
	json = ts_json_of(&cli->out);
	ts_json_span(&json, call);
	ts_buf_printf(&cli->out, "\n%s", script);
	return ts_buf_check(&cli->out, err);
}

enum ts_status ts_verb_repro_op(struct ts_cli *cli, struct ts_error *err)
{
	if (cli->json)
		return ts_error_set(err, TS_INVALID, "repro-op prints a script, and no JSON");
	if (ts_args_nth(&cli->args, "inputs", 0) ? print_replay(cli, err) : print(cli, err))
		return ts_error_prefix(err, "repro-op");
	return TS_OK;
}
