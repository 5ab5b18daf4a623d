/* verbs.c - see verbs.h. Long because it is data: every word of help lies here and nowhere else. */
#include "cli/verbs/verbs.h"

#include "analysis/diverge/matrix.h"
#include "base/suggest.h"
#include "proto/wire.h"

#define EXITS_DONE "0 done\n2 could not be done: wrong usage, no such run, no connection, damaged data"
#define END_OPTIONS {.name = NULL}
#define END_EXAMPLES {.command = NULL}

const struct ts_option ts_common_options[] = {
	{.name = "project", .letter = 'p', .argument = "NAME",
	 .help = "the project of names that do not say theirs (else TSCOPE_PROJECT, the nearest .tscope file, 'default')"},
	{.name = "server", .argument = "ADDRESS",
	 .help = "talk to this server: unix:PATH, HOST:PORT or ssh://HOST (else TSCOPE_SERVER, else the local store)"},
	{.name = "store", .argument = "DIR", .complete = TS_COMPLETE_DIR,
	 .help = "the local store (else TSCOPE_STORE, else tscope/store in the XDG data folder)"},
	{.name = "json", .help = "print JSON, errors included; docs/schemas has its schemas"},
	{.name = "color", .argument = "WHEN", .complete = TS_COMPLETE_CHOICE, .choices = "auto always never",
	 .help = "auto, always or never (else NO_COLOR, FORCE_COLOR, else when it is a terminal)"},
	{.name = "no-pager", .help = "do not send long output through a pager"},
	{.name = "quiet", .letter = 'q', .help = "no progress and no remarks on stderr"},
	{.name = "help", .letter = 'h', .help = "show this help"},
	END_OPTIONS,
};

static const struct ts_option push_options[] = {
	{.name = "name", .letter = 'n', .argument = "NAME",
	 .help = "call the run NAME, not by its directory; for one directory, or with --join"},
	{.name = "branch", .letter = 'b', .argument = "NAME", .help = "also make it the newest entry of this branch"},
	{.name = "fact", .argument = "GROUP.KEY=VALUE", .repeat = true,
	 .help = "add a fact; the value is JSON if it reads as a JSON scalar, else text"},
	{.name = "host-facts", .help = "add the facts of this host, as 'tscope facts' collects them"},
	{.name = "state", .argument = "STATE",
	 .help = "running, finished, crashed or unknown (else finished if run.json says how long it took)",
	 .complete = TS_COMPLETE_CHOICE, .choices = "running finished crashed unknown"},
	{.name = "message", .letter = 'm', .argument = "TEXT", .help = "a line for the log of the name"},
	{.name = "join",
	 .help = "these are some ranks of a run: collect them under the name until the world is complete"},
	{.name = "expose", .help = "with --join: show the run now, whether ranks are missing or not"},
	{.name = "strict", .help = "refuse a run of which anything would be skipped"},
	{.name = "force", .letter = 'f',
	 .help = "move the name even if the run does not continue the one it points at"},
	{.name = "dry-run", .help = "read and compare, send nothing"},
	END_OPTIONS,
};
static const struct ts_example push_examples[] = {
	{"tscope push runs/exp1", "names the run exp1"},
	{"tscope push runs/exp1 runs/exp2", "several at once"},
	{"tscope push --fact data.sha256=4f1c... --state running runs/exp1", "while it still trains"},
	{"tscope push --join --name exp1 runs/exp1", "on every host of a job that writes to local disks"},
	END_EXAMPLES,
};

static const struct ts_option list_options[] = {
	{.name = "columns", .letter = 'c', .argument = "A,B,...",
	 .help = "columns: name, id, state, steps, first_step, last_step, ranks, world_size, started, pushed, project, own_name, who, note.KEY, or a fact such as config.lr"},
	{.name = "sort", .letter = 's', .argument = "KEY",
	 .help = "sort by a column; -KEY sorts downwards (default: pushed last first)"},
	{.name = "limit", .letter = 'l', .argument = "N", .help = "show at most N runs (default 50)"},
	{.name = "all", .letter = 'a', .help = "show all of them"},
	{.name = "page", .argument = "TOKEN", .help = "go on where an earlier page ended"},
	{.name = "all-projects", .help = "runs of every project"},
	{.name = "tags", .help = "list tags, not runs"},
	{.name = "branches", .help = "list branches, not runs"},
	{.name = "names", .help = "only names, one a line, for scripts"},
	END_OPTIONS,
};
static const struct ts_example list_examples[] = {
	{"tscope list", "the runs pushed last"},
	{"tscope list 'config.lr>1e-4 and steps>=1000' --columns name,steps,config.lr --sort -started", "filtered, with a fact as a column"},
	{"tscope list --tags --all-projects", "every tag there is"},
	END_EXAMPLES,
};

static const struct ts_example show_examples[] = {
	{"tscope show exp1", "by name"},
	{"tscope show ./runs/exp1", "a directory that was never pushed"},
	{"tscope show 4f1c2a", "by the first digits of its id"},
	END_EXAMPLES,
};

static const struct ts_option facts_options[] = {
	{.name = "output", .letter = 'o', .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "without RUN: write to FILE, not to stdout"},
	{.name = "command", .argument = "LINE",
	 .help = "without RUN: also the line that starts the training, and where in the repository; secrets in it are left out"},
	{.name = "with-patch", .help = "without RUN: also the text of what is not committed, not only its digest"},
	{.name = "raw", .help = "the value of the fact at the path GLOB and nothing else, for another program"},
	END_OPTIONS,
};
static const struct ts_example facts_examples[] = {
	{"tscope facts exp1", "everything that is recorded about exp1"},
	{"tscope facts exp1 'config.*'", "its configuration"},
	{"tscope facts -o runs/exp1/facts.json", "on the training host, beside the run"},
	{"tscope facts -o runs/exp1/facts.json --with-patch --command 'torchrun train.py --lr 3e-4'", "with what diff --reproduce wants to know"},
	{"tscope facts --raw exp1 session.patch | git apply", "the uncommitted changes that exp1 ran with"},
	END_EXAMPLES,
};

static const struct ts_option analyze_options[] = {
	{.name = "warmup", .letter = 'w', .argument = "N",
	 .help = "leave out the first N steps; 0 leaves out none (default: those that the data show to be warm-up)"},
	{.name = "rank", .letter = 'r', .argument = "N",
	 .help = "the rank to look at (default: the lowest that has steps)"},
	{.name = "flops-per-step", .argument = "F",
	 .help = "floating-point operations of the model in one step, as 6.1e12"},
	{.name = "peak-tflops", .argument = "T", .help = "what one device can do, in 10^12 operations a second"},
	{.name = "dtype", .argument = "NAME",
	 .help = "the number format of the matrix products: bf16, fp16, tf32, ...; it chooses the peak"},
	{.name = "microbatches", .argument = "M", .help = "microbatches of a step of the pipeline"},
	{.name = "policy", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "thresholds of rules, and rules that are off: CODE.threshold = number, CODE = off"},
	{.name = "fail-on", .argument = "SEVERITY", .complete = TS_COMPLETE_CHOICE, .choices = "low medium high",
	 .help = "exit 1 when there is a finding of this severity or above: low, medium, high"},
	{.name = "html", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write a page with plots, which needs nothing else; - writes it to stdout in place of the report"},
	{.name = "rows", .help = "every row of every analysis in place of the report"},
	{.name = "fresh", .help = "compute anew what was computed before"},
	END_OPTIONS,
};
static const struct ts_example analyze_examples[] = {
	{"tscope analyze exp1", "what it is bound by, what was found, then time, memory, loss, ranks"},
	{"tscope analyze --warmup 0 --rank 3 exp1", "rank 3, from its first step"},
	{"tscope analyze --html exp1.html exp1", "and a page to pass on"},
	{"tscope analyze --policy ci.policy --fail-on high ./runs/exp1", "in CI: exit 1 when something is badly wrong"},
	END_EXAMPLES,
};

static const struct ts_option explain_options[] = {
	{.name = "markdown", .help = "print docs/findings.md"},
	END_OPTIONS,
};
static const struct ts_example explain_examples[] = {
	{"tscope explain", "every rule, a line each"},
	{"tscope explain DIST.STRAGGLER", "when it fires, how sure it is, what to try, how to set it"},
	END_EXAMPLES,
};

static const struct ts_option diff_options[] = {
	{.name = "ignore", .letter = 'i', .argument = "GLOB", .repeat = true,
	 .help = "leave out facts whose path matches, such as 'session.*'"},
	{.name = "exit-on", .argument = "WHAT",
	 .help = "also exit 1 when these differ: times, memory, facts",
	 .complete = TS_COMPLETE_CHOICE, .choices = "times memory facts", .repeat = true},
	{.name = "first", .letter = '1',
	 .help = "one line: first step, series and rank at which the runs part, tabs between"},
	{.name = "all", .letter = 'a', .help = "every fact and every series of every rank"},
	{.name = "by", .argument = "COLUMN",
	 .help = "pair points by samples, tokens or another column of totals in place of the step"},
	{.name = "curves", .help = "also the curves of the whole run"},
	{.name = "html", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write a page with plots, which needs nothing else; - writes it to stdout in place of the report"},
	{.name = "repeats", .argument = "GLOB", .complete = TS_COMPLETE_RUN, .repeat = true,
	 .help = "hold the second run against the spread of these runs of the first one's recipe"},
	{.name = "policy", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "cut-offs of the diagnosis: DIVERGENCE.name = number (docs/divergence.md)"},
	{.name = "as", .argument = "TOOL", .complete = TS_COMPLETE_CHOICE, .choices = "traceml",
	 .help = "what TraceML's compare says of two of its summaries, and what it passes over: traceml"},
	{.name = "reproduce", .help = "also what would run each of the two again, as far as it is recorded"},
	END_OPTIONS,
};
static const struct ts_example diff_examples[] = {
	{"tscope diff exp1 exp2", "two runs that were pushed"},
	{"tscope diff exp1 ./runs/exp1-rerun", "a run and a directory, which is not pushed"},
	{"tscope diff exp1 exp2 exp3 exp4", "which of several part, and where"},
	{"tscope diff base new --repeats 'base-*'", "is new farther from base than base is from itself?"},
	{"tscope diff --html diff.html exp1 exp2", "and a page to pass on"},
	{"tscope diff --ignore 'session.*' --exit-on facts a b", "exit 1 when a fact differs that is not of the session"},
	{"tscope diff --as traceml ./a/final_summary.json ./b/final_summary.json", "TraceML's verdict of two summaries, and ours beside it"},
	END_EXAMPLES,
};

static const struct ts_option check_resume_options[] = {
	{.name = "tolerance", .letter = 't', .argument = "R",
	 .help = "how far the first losses may be off, relative (default: 1e-6 in fp32, 5e-3 in bf16 and other reduced formats)"},
	END_OPTIONS,
};
static const struct ts_example check_resume_examples[] = {
	{"tscope check-resume base resumed", "base went on beyond the checkpoint that resumed began from"},
	{"tscope check-resume ./runs/exp1", "a directory that training was restarted into"},
	{"tscope check-resume --tolerance 1e-4 base ./runs/resumed", "with a tolerance of your own"},
	END_EXAMPLES,
};

#define GATE_POLICY_OPTIONS                                                                                                   \
	{"policy", 0, "FILE", "settings of the gate: GATE.must_catch = 5 %, and so on; docs/gate.md lists them", TS_COMPLETE_FILE, NULL, false}, \
	{"workload", 'w', "NAME", "compare with runs that declare this work.workload, whatever their config says", TS_COMPLETE_NONE, NULL, false}, \
	{"across", 0, "PART", "let these differ: config, hardware, parallelism, libraries", TS_COMPLETE_CHOICE, "config hardware parallelism libraries", true}, \
	{"exclude", 0, "WHAT", "leave out steps: tag:NAME, phase:NAME (and the step after), every:N; in the place of those of the policy", TS_COMPLETE_NONE, NULL, true}

static const struct ts_option gate_options[] = {
	{.name = "baseline", .letter = 'b', .argument = "WHAT", .complete = TS_COMPLETE_RUN, .repeat = true,
	 .help = "a branch, a run, a tag, a glob of names, a directory, or the path of a bundle"},
	{.name = "bundle", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "baselines from a file that 'tscope baseline --bundle' wrote, with no server"},
	{.name = "paired", .argument = "RUN", .complete = TS_COMPLETE_RUN, .repeat = true,
	 .help = "runs of base and candidate on one allocation, in turn, as a suspect asks for; also a glob"},
	{.name = "metric", .argument = "METRIC", .repeat = true,
	 .help = "what decides, in the place of GATE.metrics: step_time, peak_memory, ..."},
	GATE_POLICY_OPTIONS,
	{.name = "inconclusive", .argument = "HOW", .complete = TS_COMPLETE_CHOICE, .choices = "fail pass",
	 .help = "fail: exit 1 with what cannot be compared; pass: exit 0 with a warning (default: exit 3)"},
	{.name = "junit", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write JUnit XML, a case a metric"},
	{.name = "markdown", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write a comment for a pull request; its first line is hidden and always the same for the workload"},
	{.name = "github",
	 .help = "also print commands of a GitHub runner, and append the comment to what GITHUB_STEP_SUMMARY names"},
	{.name = "gitlab", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write the metrics as OpenMetrics text, GitLab's metrics report"},
	{.name = "request", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write which pairs are asked for, a line a run: side, number, commit, name"},
	{.name = "verdict", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write what --json prints, for --replay"},
	{.name = "explain", .help = "say in words what would be tested, and test nothing"},
	{.name = "replay", .argument = "VERDICT", .complete = TS_COMPLETE_FILE,
	 .help = "judge what an earlier verdict (--json) rested on once more; the runs need not be there"},
	END_OPTIONS,
};
static const struct ts_example gate_examples[] = {
	{"tscope gate exp9 --baseline main", "against the runs of branch main"},
	{"tscope gate exp9 --baseline main --paired 'pair-*'", "with the pairs that a suspect asked for"},
	{"tscope gate ./runs/exp9 --bundle baselines.json", "with neither a server nor a store"},
	{"tscope gate exp9 --baseline main --junit gate.xml --markdown comment.md --github", "in a job of continuous integration"},
	{"tscope gate --replay verdict.json", "the same verdict again"},
	{"tscope gate --explain --policy ci.policy", "what is tested, in words"},
	END_EXAMPLES,
};

static const struct ts_option baseline_options[] = {
	{.name = "baseline", .letter = 'b', .argument = "WHAT", .complete = TS_COMPLETE_RUN, .repeat = true,
	 .help = "a branch, a run, a tag, a glob of names, a directory, or the path of a bundle"},
	{.name = "bundle", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write them to FILE, for jobs that have no access to the server"},
	GATE_POLICY_OPTIONS,
	{.name = "reason", .letter = 'r', .argument = "TEXT", .help = "with accept: why the change is right"},
	{.name = "branch", .argument = "NAME", .help = "with accept: the branch (default: main)"},
	END_OPTIONS,
};
static const struct ts_example baseline_examples[] = {
	{"tscope baseline --baseline main", "the baselines of the newest workload of branch main"},
	{"tscope baseline exp9 --baseline main", "those that exp9 would be held against, and why not the others"},
	{"tscope baseline --baseline main --bundle baselines.json", "and a file to take along"},
	{"tscope baseline accept 3f2a9c81d0 --reason 'exact softmax'", "baselines begin anew with that commit"},
	END_EXAMPLES,
};

static const struct ts_option trend_options[] = {
	{.name = "metric", .letter = 'm', .argument = "METRIC",
	 .help = "what is followed (default: step_time); also step_time_mean, step_time_p95, peak_memory, tokens_per_s, mfu, loss, ...",
	 .complete = TS_COMPLETE_CHOICE, .choices = "step_time step_time_mean step_time_p95 stall_share peak_memory tokens_per_s tokens_per_s_device samples_per_s samples_per_s_device mfu loss"},
	{.name = "limit", .letter = 'l', .argument = "N",
	 .help = "look at the newest N entries of the branch (default, and at most: 10,000)"},
	{.name = "like", .argument = "RUN", .complete = TS_COMPLETE_RUN,
	 .help = "follow the workload of RUN (default: that of the newest run)"},
	GATE_POLICY_OPTIONS,
	{.name = "html", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write a page with a figure, which needs nothing else; - writes it to stdout in place of the report"},
	{.name = "exit-code",
	 .help = "exit 1 when the newest level is worse than the one before and nobody accepted it"},
	END_OPTIONS,
};
static const struct ts_example trend_examples[] = {
	{"tscope trend main", "step time of the runs of branch main, and where it changed"},
	{"tscope trend main --metric peak_memory --limit 200", "memory, of the newest 200 runs"},
	{"tscope trend main --like exp9 --html trend.html", "of the workload of exp9, and a page to pass on"},
	{"tscope trend main --exit-code", "in a nightly job: exit 1 when the branch has become slower"},
	END_EXAMPLES,
};

static const struct ts_option name_options[] = {
	{.name = "force", .letter = 'f', .help = "move a name that points at another run"},
	{.name = "message", .letter = 'm', .argument = "TEXT", .help = "a line for the log of the name"},
	END_OPTIONS,
};
static const struct ts_example name_examples[] = {
	{"tscope name exp1 baseline", "baseline is a second name of exp1; 'tscope rm exp1' makes it the only one"},
	END_EXAMPLES,
};

static const struct ts_option tag_options[] = {
	{.name = "force", .letter = 'f', .help = "move a tag that exists"},
	{.name = "message", .letter = 'm', .argument = "TEXT", .help = "a line for the log of the tag"},
	END_OPTIONS,
};
static const struct ts_example tag_examples[] = {
	{"tscope tag exp1 v1.0", "v1.0 stays where it is, wherever exp1 goes"},
	{"tscope tag", "lists the tags of the project"},
	END_EXAMPLES,
};

static const struct ts_example note_examples[] = {
	{"tscope note exp1 bad='loss spike at 1200'", "keeps a note"},
	{"tscope note exp1 bad=", "takes it away"},
	{"tscope note exp1", "shows its notes"},
	END_EXAMPLES,
};

static const struct ts_option log_options[] = {
	{.name = "limit", .letter = 'l', .argument = "N", .help = "show at most N entries"},
	END_OPTIONS,
};
static const struct ts_example log_examples[] = {
	{"tscope log exp1", "which runs the name has pointed at, newest first"},
	{"tscope log branch:nightly", "the history of a branch"},
	END_EXAMPLES,
};

static const struct ts_example rm_examples[] = {
	{"tscope rm exp1 exp2", "removes two names"},
	{"tscope rm tag:v1.0", "removes a tag"},
	END_EXAMPLES,
};

static const struct ts_option export_options[] = {
	{.name = "format", .letter = 'F', .argument = "FORMAT",
	 .help = "run (a run directory, the default), csv, jsonl or npz",
	 .complete = TS_COMPLETE_CHOICE, .choices = "run csv jsonl npz"},
	{.name = "output", .letter = 'o', .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "write to FILE, which must not exist (default: stdout; npz wants a file)"},
	END_OPTIONS,
};
static const struct ts_example export_examples[] = {
	{"tscope export exp1 ./exp1-copy", "a run directory; pushed again it has the same id"},
	{"tscope export exp1 --format csv -o exp1.csv", "one row a step and rank"},
	END_EXAMPLES,
};

static const struct ts_example verify_examples[] = {
	{"tscope verify", "reads everything there is"},
	END_EXAMPLES,
};

static const struct ts_option gc_options[] = {
	{.name = "dry-run", .help = "only count"},
	{.name = "lease", .argument = "DURATION",
	 .help = "free what no name reaches and nobody sent or asked for since: 0s, 90s, 15m, 24h, 7d (default 24h)"},
	END_OPTIONS,
};
static const struct ts_example gc_examples[] = {
	{"tscope gc --dry-run", "how much would be freed"},
	END_EXAMPLES,
};

static const struct ts_example version_examples[] = {
	{"tscope version", "of this program, and of the server if one is named"},
	END_EXAMPLES,
};

static const struct ts_option help_options[] = {
	{.name = "man", .help = "print the man page (roff)"},
	{.name = "completion", .argument = "SHELL", .complete = TS_COMPLETE_CHOICE, .choices = "bash zsh",
	 .help = "print a completion script for bash or zsh"},
	END_OPTIONS,
};
static const struct ts_example help_examples[] = {
	{"tscope help diff", "all about diff"},
	{"tscope help --completion bash > ~/.local/share/bash-completion/completions/tscope", "completion for bash"},
	END_EXAMPLES,
};

#define ABOUT_PUSHED                                                                                                \
	"RUN is a name (exp1, project/exp1), a tag, a branch, or the first digits (4 or more) of an id; run:, tag:, " \
	"branch: and id: in front say which."
#define ABOUT_RUN                                                                                                   \
	ABOUT_PUSHED " What begins with /, ./ or ../ is a run directory: it is read for this one command, and "       \
		     "nothing is stored."

const struct ts_verb ts_verbs[] = {
	{
		.name = "push", .summary = "store runs and give them names", .usage = "PATH...",
		.about = "Reads run directories (pytscope's format and its superset, docs/run-directory.md) and what other tools leave: TensorBoard's "
			 "event files, W&B's logs, Hugging Face's trainer_state.json, MLflow's folders and databases, TraceML's summaries, CSV, JSON "
			 "Lines and more (docs/importers.md). It says what it took PATH for. Of a folder of runs (wandb/, mlruns/) each becomes one.\n\n"
			 "Sends what is not there yet, and lets a name point at the run. The same input always has the same id, pushing it twice "
			 "stores nothing, and an interrupted push goes on where it stopped.\n\n"
			 "A name moves by itself only to a run that continues the one it points at, as when a run that still trains is "
			 "pushed again and again; otherwise it needs --force. What could not be read is reported with file and line.",
		.options = push_options, .examples = push_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = SIZE_MAX, .words = TS_COMPLETE_DIR,
		.run = ts_verb_push,
	},
	{
		.name = "list", .summary = "list runs, filtered, sorted, with the columns asked for",
		.usage = "[FILTER]",
		.about = "FILTER compares columns and facts: steps>=1000 and (config.lr>1e-4 or state=running). Text is quoted if it has "
			 "spaces; ~ matches a glob. A run that does not record a fact matches no comparison with it.",
		.options = list_options, .examples = list_examples,
		.exits = EXITS_DONE,
		.max_words = 1, .pages = true,
		.run = ts_verb_list,
	},
	{
		.name = "show", .summary = "what a run is: names, facts, series, files", .usage = "RUN",
		.about = ABOUT_RUN,
		.examples = show_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = 1, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_show,
	},
	{
		.name = "facts", .summary = "what is recorded about a run, or about this host",
		.usage = "[RUN [GLOB]]",
		.about = "With RUN: every fact, its value and who said so; GLOB chooses by path. Without: collects the facts of this host "
			 "(code, CI, SLURM, GPUs, driver, environment) and prints them as facts.json, which lies beside run.json. A script of bash "
			 "passes its own words on as --command \"${*@Q}\". A patch that is longer than 1 MiB, is no UTF-8, or looks as if it had a "
			 "secret is left out and said.\n\n"
			 ABOUT_RUN,
		.options = facts_options, .examples = facts_examples,
		.exits = EXITS_DONE,
		.max_words = 2, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_facts,
	},
	{
		.name = "analyze", .summary = "what a run is bound by, what is wrong with it, and why", .usage = "RUN",
		.about = "Says what the run's time goes into and what to try about it; then what rules found, worst first; then, in a panel each, "
			 "step times, memory, loss, ranks, efficiency, and what could not be known. The light in front of a panel has the colour "
			 "of the worst finding in it.\n\n" ABOUT_RUN,
		.options = analyze_options, .examples = analyze_examples,
		.exits = "0 done\n1 with --fail-on: there is a finding of that severity or above\n"
			 "2 could not be done: wrong usage, no such run, no connection, damaged data",
		.min_words = 1, .max_words = 1, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_analyze,
	},
	{
		.name = "explain", .summary = "the rules behind the findings of analyze", .usage = "[CODE]",
		.about = "Without CODE: every rule, what it may say and when. With CODE: what makes it fire, its thresholds and how a policy file sets them, how "
			 "severe it is, what to try, and where the rule is from. docs/findings.md has the same in one document.",
		.options = explain_options, .examples = explain_examples,
		.exits = EXITS_DONE,
		.max_words = 1, .words = TS_COMPLETE_RULE, .pages = true,
		.run = ts_verb_explain,
	},
	{
		.name = "diff", .summary = "the first step at which two runs part, and what else differs",
		.usage = "RUN RUN [RUN...]",
		.about = "Says in one sentence whether the two runs computed the same and, if not, why and how sure that is; then for every series the "
			 "first step where its bits differ and how far apart it is from there on, the curves, the facts that differ, the evidence, and "
			 "what to run next. Times and memory are shown and do not decide.\n\n"
			 "With --repeats, runs of the project whose names match GLOB, or directories that do, are taken as runs of the first one's recipe: which of them are the same, which is "
			 "the odd one out, and whether the second run's loss and gradient norm stay within three times their spread.\n\n"
			 "With three runs or more, up to 256: a matrix of the first step at which each two of them part, or, where it does not fit the "
			 "terminal, groups of runs that computed the same. It exits 0 when all are the same, 1 when two of them part, 3 otherwise.\n\n"
			 "With --as traceml, of two summaries of TraceML (final_summary.json): the verdict of its compare, by its rules, ours beside it, and what "
			 "its rules pass over. It exits 0 where TraceML says EQUIVALENT or IMPROVEMENT, 1 where it says REGRESSION or MIXED, 3 where it says "
			 "INCONCLUSIVE.\n\n"
			 ABOUT_RUN,
		.options = diff_options, .examples = diff_examples,
		.exits = "0 the same: what was computed has the same columns, steps and bits\n"
			 "1 different: some step that both have differs, or what --exit-on names does\n"
			 "2 could not be determined: wrong usage, no such run, no connection, damaged data\n"
			 "3 inconclusive: the steps that both have agree, but one has more or they have none in common, or only series of "
			 "unknown meaning differ",
		.min_words = 2, .max_words = TS_MATRIX_RUNS_MAX, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_diff,
	},
	{
		.name = "check-resume", .summary = "whether a run went on correctly from a checkpoint",
		.usage = "[PARENT] RUN",
		.about = "Compares RUN, from the step on which it resumed, with PARENT's steps of the same number: the first losses, those that "
			 "follow, gradient norm, learning rate, and the digests of batches, parameters and random generators where both record "
			 "them; and says whether what differs looks like the data's position or like state that was not restored. Where the parent ends "
			 "before the resume, it says how many steps to run.\n\n"
			 "Without PARENT: what RUN's directory holds twice, because training was restarted into it, is compared with its first "
			 "execution. A run that was not restarted is compared with the run that its fact lineage.parent names. The step of the resume is the fact "
			 "lineage.resumed_step, else where the last restart began, else the first step.\n\n"
			 ABOUT_RUN,
		.options = check_resume_options, .examples = check_resume_examples,
		.exits = "0 resumed correctly\n1 not\n"
			 "2 could not be determined: wrong usage, no such run, no connection, damaged data\n"
			 "3 cannot be decided: too few common steps, or it depends on a number format that is not declared",
		.min_words = 1, .max_words = 2, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_check_resume,
	},
	{
		.name = "gate", .summary = "whether a run is slower than its baselines, by a test",
		.usage = "CANDIDATE...",
		.about = "Holds the step time of CANDIDATE (and of all other runs of its commit and workload) against earlier runs and says whether it is a "
			 "regression, how sure that is, and what a pass could have missed; where a regression lies, by phase and rank; and which facts changed. Runs "
			 "are the unit, not steps. A branch stands for its newest 20 runs of the candidate's workload, among its ancestors, since the last "
			 "change of level or accepted change.\n\n"
			 "A candidate that looks slower is suspect: the gate asks for pairs of base and candidate, run in turn on one allocation (exit 4), "
			 "and decides by them when they are named with --paired. docs/gate.md has the test, its measured rates and every setting.\n\n"
			 ABOUT_RUN,
		.options = gate_options, .examples = gate_examples,
		.exits = "0 no regression found: pass, improvement, or too few baselines yet (a warning)\n1 regression\n"
			 "2 could not be done: wrong usage, no such run, a run that still trains, no connection, damaged data\n"
			 "3 inconclusive: not comparable, or the metric is missing (--inconclusive)\n4 suspect: pairs are asked for",
		.max_words = TS_GATE_SPECS_MAX, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_gate,
	},
	{
		.name = "baseline", .summary = "which runs a gate would compare with, and why not others",
		.usage = "[RUN] | accept COMMIT",
		.about = "Shows the baselines of RUN, or of the newest run, and for every other run that was looked at why it is none. With --bundle it "
			 "writes them to a file that stands for them where there is no server.\n\n"
			 "accept COMMIT says that the change of speed at that commit of the branch is meant: baselines begin anew with its runs, and what "
			 "lies before only says how far runs lie apart. It writes the note 'accepted'; 'tscope note RUN accepted=' takes it back.\n\n"
			 ABOUT_RUN,
		.options = baseline_options, .examples = baseline_examples,
		.exits = EXITS_DONE,
		.max_words = 2, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_baseline,
	},
	{
		.name = "trend", .summary = "where the level of a branch's step time changed, and between which commits",
		.usage = "BRANCH",
		.about = "Draws a metric over the runs of a branch, each one value, and marks where its level changed: by how much, between which two "
			 "commits, how many runs ago, and whether the change was accepted ('tscope baseline accept'). It finds what no gate of one run can: "
			 "many small steps, and what was let through. Runs of another workload, runs marked bad and runs that still train do not count; how "
			 "many of them there are is said, and why.\n\n"
			 "A change is found when three runs of a new level stand behind some fifty of the old one; behind fewer it takes more. "
			 "docs/trend.md has the test and its measured rates.",
		.options = trend_options, .examples = trend_examples,
		.exits = "0 done\n1 with --exit-code: the newest level is worse than the one before, and was not accepted\n"
			 "2 could not be done: wrong usage, no such branch, no connection, damaged data",
		.min_words = 1, .max_words = 1, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_trend,
	},
	{
		.name = "name", .summary = "give a run another name", .usage = "RUN NAME",
		.about = ABOUT_PUSHED,
		.options = name_options, .examples = name_examples,
		.exits = EXITS_DONE,
		.min_words = 2, .max_words = 2, .words = TS_COMPLETE_RUN,
		.run = ts_verb_name,
	},
	{
		.name = "tag", .summary = "pin a run under a name that does not move, or list tags",
		.usage = "[RUN TAG]",
		.about = ABOUT_PUSHED,
		.options = tag_options, .examples = tag_examples,
		.exits = EXITS_DONE,
		.max_words = 2, .words = TS_COMPLETE_RUN,
		.run = ts_verb_tag,
	},
	{
		.name = "note", .summary = "keep or show notes on a run", .usage = "RUN [KEY=VALUE...]",
		.about = "Notes lie beside a run's name, not in the run: its id stays the same. KEY= without a value takes a note away. "
			 "The key state holds the run's state.",
		.examples = note_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = SIZE_MAX, .words = TS_COMPLETE_RUN,
		.run = ts_verb_note,
	},
	{
		.name = "log", .summary = "where a name has pointed, newest first", .usage = "NAME",
		.about = "NAME is a run's name, tag:NAME or branch:NAME.",
		.options = log_options, .examples = log_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = 1, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_log,
	},
	{
		.name = "rm", .summary = "remove names, tags or branches", .usage = "NAME...",
		.about = "The run stays while another name, tag or branch reaches it; what nothing reaches goes at the next gc.",
		.examples = rm_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = SIZE_MAX, .words = TS_COMPLETE_RUN,
		.run = ts_verb_rm,
	},
	{
		.name = "export", .summary = "write a run back to files", .usage = "RUN [DIRECTORY]",
		.about = "As a run directory, as CSV or JSON Lines with one row a step and rank, or as a zip of NumPy arrays. Nothing that "
			 "exists is overwritten.\n\n" ABOUT_RUN,
		.options = export_options, .examples = export_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = 2, .words = TS_COMPLETE_RUN,
		.run = ts_verb_export,
	},
	{
		.name = "verify", .summary = "read everything again and recompute every digest", .usage = "",
		.about = "Finds damaged and missing objects.",
		.examples = verify_examples,
		.exits = "0 everything is sound\n1 something is damaged or missing\n2 could not be done: wrong usage, no connection",
		.run = ts_verb_verify,
	},
	{
		.name = "gc", .summary = "free what no name reaches", .usage = "",
		.about = "Frees objects that no name, tag or branch reaches and that nobody sent or asked for within the lease. Safe beside "
			 "pushes.",
		.options = gc_options, .examples = gc_examples,
		.exits = EXITS_DONE,
		.run = ts_verb_gc,
	},
	{
		.name = "version", .summary = "versions of this program and of the server", .usage = "",
		.about = "Asks the server only if one is named.",
		.examples = version_examples,
		.exits = EXITS_DONE,
		.run = ts_verb_version,
	},
	{
		.name = "help", .summary = "help, man pages, shell completion", .usage = "[VERB]",
		.about = "Without VERB: everything at a glance.",
		.options = help_options, .examples = help_examples,
		.exits = EXITS_DONE,
		.max_words = 1, .words = TS_COMPLETE_VERB, .pages = true,
		.run = ts_verb_help,
	},
};
const size_t ts_verbs_n = sizeof ts_verbs / sizeof ts_verbs[0];

const struct ts_verb *ts_verb_find(const char *name)
{
	for (size_t i = 0; i < ts_verbs_n; i++)
		if (strcmp(ts_verbs[i].name, name) == 0)
			return &ts_verbs[i];
	return NULL;
}

enum ts_status ts_verb_unknown(const char *name, struct ts_error *err)
{
	size_t bound = ts_suggest_bound(name);
	const char *best = NULL;

	for (size_t i = 0; i < ts_verbs_n; i++)
		best = ts_suggest(name, ts_verbs[i].name, best, &bound);
	if (best)
		return ts_error_set(err, TS_INVALID, "'%s' is no verb of tscope; did you mean '%s'?", name, best);
	return ts_error_set(err, TS_INVALID, "'%s' is no verb of tscope; 'tscope help' lists them", name);
}
