/* verbs.c - see verbs.h. The file is long because it is data: it holds every text of the help, and no other file does. */
#include "cli/verbs/verbs.h"

#include "analysis/diverge/matrix.h"
#include "base/suggest.h"
#include "cli/gate/gate_init.h"
#include "proto/wire.h"

#define EXITS_DONE "0 the command succeeded\n2 the command failed: wrong usage, no such run, no connection, damaged data"
/* Goes with html. */
#define REPLACES_PAGE {.name = "force", .help = "with --html: replace a file that exists"}
#define END_OPTIONS {.name = NULL}
#define END_EXAMPLES {.command = NULL}

const struct ts_option ts_common_options[] = {
	{.name = "project", .letter = 'p', .argument = "NAME", .complete = TS_COMPLETE_PROJECT,
	 .help = "the project of names without one (default: TSCOPE_PROJECT, else the nearest .tscope file, else 'default')"},
	{.name = "server", .argument = "ADDRESS",
	 .help = "use this server: unix:PATH, tls:HOST:PORT, HOST:PORT or ssh://HOST; several of one store: A,B "
		 "(default: TSCOPE_SERVER, else that of tscope login, else the local store)"},
	{.name = "store", .argument = "DIR", .complete = TS_COMPLETE_DIR,
	 .help = "use this local store (default: TSCOPE_STORE, else tscope/store in the XDG data folder)"},
	{.name = "json", .help = "print JSON, also for errors; docs/schemas has the schemas"},
	{.name = "color", .argument = "WHEN", .complete = TS_COMPLETE_CHOICE, .choices = "auto always never",
	 .help = "use colour: auto, always or never (default: NO_COLOR, else FORCE_COLOR, else colour on a terminal only)"},
	{.name = "no-pager", .help = "do not send long output through a pager"},
	{.name = "quiet", .letter = 'q', .help = "print no progress and no remarks on stderr"},
	{.name = "help", .letter = 'h', .help = "show all of the help; -h shows one screen of it"},
	END_OPTIONS,
};

/* How a path is read: for each command that takes one. */
#define READ_OPTIONS \
	{.name = "pattern", .argument = "TEMPLATE", .repeat = true, \
	 .help = "read a text log whose lines look like TEMPLATE, such as 'step {step} loss {loss} lr {lr}'"}, \
	{.name = "map", .argument = "SOURCE=COLUMN", .repeat = true, \
	 .help = "what a table or a text log calls SOURCE is COLUMN: step, timestamp, loss, memory.peak_alloc or others; - leaves " \
		 "it out (docs/importers.md)"}

static const struct ts_option run_options[] = {
	{.name = "directory", .letter = 'd', .argument = "DIR", .complete = TS_COMPLETE_DIR,
	 .help = "the folder of the run, which holds none yet (default: runs/PROGRAM-TIME)"},
	{.name = "name", .letter = 'n', .argument = "NAME", .help = "the name of the run"},
	{.name = "log", .help = "keep all that the command prints, and not only its last 64 KiB"},
	{.name = "no-patch", .help = "keep only the digest of uncommitted changes, and not their text"},
	{.name = "push", .argument = "=SECONDS",
	 .help = "push the run while it goes on, every 10 s or so many, and when it is over; the training does not wait for it"},
	{.name = "no-output", .help = "with --push: keep what the command prints in the folder alone, and do not push it"},
	{.name = "hang-after", .argument = "SECONDS",
	 .help = "say that the run hangs if no recorded rank makes a step for so long (default: 20 times as long as a step usually "
		 "takes, 3 times as long as the longest took, and 30s)"},
	{.name = "kill-hung", .help = "end a run that hangs: by SIGTERM, and by SIGKILL 10 s later"},
	{.name = "no-auto", .help = "do not record a script of Python, which 'python -m tscope' records (docs/recording.md)"},
	{.name = "nproc-per-node", .argument = "N",
	 .help = "start N processes, each told its rank by RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT; may also "
		 "stand behind a script"},
	{.name = "launcher", .argument = "WHICH", .complete = TS_COMPLETE_CHOICE, .choices = "auto torchrun own",
	 .help = "with --nproc-per-node: who starts them (default: torchrun for a script of Python where torch is installed)"},
	{.name = "nnodes", .argument = "N", .help = "with --nproc-per-node: of so many machines, each with a tscope run of its own"},
	{.name = "node-rank", .argument = "N", .help = "with --nnodes: which of them this is, from 0"},
	{.name = "master-addr", .argument = "HOST", .help = "with --nproc-per-node: where rank 0 is (default: 127.0.0.1)"},
	{.name = "master-port", .argument = "PORT", .help = "with --nproc-per-node: at which port (default: a free one)"},
	END_OPTIONS,
};
static const struct ts_example run_examples[] = {
	{"tscope run --push train.py", "also pushes it every 10 s, to the server or the local store"},
	{"tscope run train.py --lr 0.1 --nproc-per-node 4", "four ranks of it, in one run"},
	{"tscope run train.py --lr 0.1", "starts a script of Python and records it"},
	{"tscope run -d runs/exp1 -- ./train --epochs 3", "starts a program of any language, whose run is the folder runs/exp1"},
	END_EXAMPLES,
};

static const struct ts_option watch_options[] = {
	{.name = "once", .help = "show one frame, for a script, and end"},
	{.name = "columns", .letter = 'c', .argument = "A,B,...",
	 .help = "draw curves of these columns, eight at most (default: loss,lr,grad_norm)"},
	{.name = "rank", .letter = 'r', .argument = "N", .help = "begin with the curves and memory of this rank (default: the lowest)"},
	{.name = "baseline", .argument = "RUN", .complete = TS_COMPLETE_RUN,
	 .help = "compare each step with this run, or the newest of a branch, and say from which step the run differs"},
	{.name = "repeats", .argument = "RUN", .repeat = true, .complete = TS_COMPLETE_RUN,
	 .help = "with --baseline: runs of the same recipe; only what differs by more than they do among themselves is a "
		 "difference"},
	{.name = "exec", .argument = "COMMAND",
	 .help = "run this by sh on a finding, a divergence, a hang, a death and the end, once each, with JSON on its stdin"},
	{.name = "webhook", .argument = "URL", .help = "post the same JSON to this URL, once each, by curl"},
	{.name = "until", .argument = "WHAT", .repeat = true,
	 .help = "end with exit code 1 when this happens: finding, divergence, hang, death, end, or the code of a finding, also "
		 "as a glob"},
	{.name = "interval", .letter = 'i', .argument = "SECONDS", .help = "refresh as often (default 1)"},
	{.name = "wait", .argument = "TIME",
	 .help = "wait so long for a run that is not there yet, such as 10s or 1h (default 60s; 0s: not at all)"},
	READ_OPTIONS,
	END_OPTIONS,
};
static const struct ts_example watch_examples[] = {
	{"tscope watch runs/exp1", "shows a training whose folder this is, refreshed in place; q leaves"},
	{"tscope watch exp1 --once", "prints one frame of a run that was pushed"},
	{"tscope watch runs/exp1 --baseline golden --until divergence", "ends with 1 when the run first differs from golden"},
	{"tscope watch runs/exp1 --webhook https://example.org/hook", "tells a server what happens"},
	{"python train.py | tee log | tscope watch -", "shows what a training prints"},
	END_EXAMPLES,
};

/* Who makes them. */
#define RUNNER_OPTION													\
	{.name = "runner", .argument = "PROGRAM",									\
	 .help = "make each run by this program, with its words, before COMMAND: 'srun -N1', './in-container image'"}

/* Where experiments run. */
#define COPY_OPTION													\
	{.name = "copy", .argument = "PATH", .complete = TS_COMPLETE_FILE, .repeat = true,				\
	 .help = "a file or folder of the clone that git does not track"}

#define EXPERIMENT_OPTIONS												\
	{.name = "clone", .argument = "DIR", .complete = TS_COMPLETE_DIR,						\
	 .help = "the clone whose commits are run, in worktrees that end with each run (default: that of this folder)"},	\
	{.name = "directory", .letter = 'd', .argument = "DIR", .complete = TS_COMPLETE_DIR,				\
	 .help = "keep the runs here (default: below tscope in the XDG state folder, ~/.local/state)"},		\
	{.name = "limit", .argument = "TIME", .help = "end a run that takes longer, 90s or 2h, as one that cannot be tested"},	\
	COPY_OPTION,													\
	RUNNER_OPTION,													\
	{.name = "jobs", .argument = "N",										\
	 .help = "make up to N runs side by side, with some that turn out not to be needed (default: 1)"},		\
	{.name = "no-push", .help = "do not push the runs of experiments"}

static const struct ts_option why_options[] = {
	{.name = "budget", .argument = "RUNS|TIME", .help = "make at most so many runs, or begin none after so long: 20, 30m, 2h"},
	{.name = "dry-run", .help = "show which runs would be made, to which step, and run nothing"},
	{.name = "checkpoint", .argument = "STEP:FILE", .repeat = true,
	 .help = "begin runs at the nearest checkpoint before the first difference (the step behind which it was written, and its "
		 "path; or one path with {step} in its name, for all that are there)"},
	{.name = "resume", .argument = "WORDS",
	 .help = "what is added to COMMAND to go on from one: '--load {checkpoint}'"},
	{.name = "yes", .letter = 'y',
	 .help = "run recorded changes of code that were not committed without asking, after they are shown"},
	EXPERIMENT_OPTIONS,
	READ_OPTIONS,
	END_OPTIONS,
};
static const struct ts_example why_examples[] = {
	{"tscope why base tuned -- python train.py --config {config-file}",
	 "the settings, variables and commits that make base into tuned"},
	{"tscope why base tuned -- python train.py --lr {config.lr} --wd {config.wd}", "of these two settings, and of the code"},
	{"tscope why base tuned --dry-run -- python train.py --config {config-file}",
	 "what it would run, and how many steps that takes"},
	END_EXAMPLES,
};

static const struct ts_option bisect_options[] = {
	{.name = "judge",
	 .argument = "JUDGE",
	 .complete = TS_COMPLETE_OFFER,
	 .choices = "diff gate",
	 .help = "who calls a run bad: diff, where it differs from the good one in what the training computed (the default); gate, "
		 "where it is slower, or worse by --metric; or a program, called with the folder of the run, that ends with 0 for "
		 "good, 125 for cannot tell, "
		 "anything else for bad"},
	{.name = "noise",
	 .argument = "SHARE",
	 .help = "the judge prints a number, and runs of one version scatter by this share of it: 0.01"},
	{.name = "metric",
	 .argument = "METRIC",
	 .help = "what the gate judges by: step_time (the default), cpu_time, peak_memory, ..., or a series that the runs log, such as "
		 "val_bpb"},
	{.name = "wrong",
	 .argument = "SHARE",
	 .help = "how often the judge is wrong (default: diff 0.000001, gate 0.008, a program 0.01)"},
	{.name = "versions",
	 .argument = "A,B,...",
	 .help = "versions in place of commits, from good to bad; {version} in COMMAND is one of them"},
	{.name = "steps", .argument = "N", .help = "end each run after N steps (default: at its own end)"},
	{.name = "budget", .argument = "RUNS", .help = "make at most so many runs"},
	{.name = "part", .argument = "I/N",
	 .help = "one of N machines that search together: each asks the same question of one server, makes other runs, and takes "
		 "what the others found"},
	EXPERIMENT_OPTIONS,
	END_OPTIONS,
};
static const struct ts_example bisect_examples[] = {
	{"tscope bisect v1.0 main --steps 20 -- python train.py --out x", "the commit that changed what 20 steps compute"},
	{"tscope bisect v1.0 main --judge ./final_loss.sh --noise 0.01 -- python train.py --out x",
	 "that made a number worse, which scatters by 1 %"},
	{"tscope bisect 2.1 2.4 --versions 2.1,2.2,2.3,2.4 -- ./in-venv {version} train.py", "the version of a library"},
	END_EXAMPLES,
};

static const struct ts_option scaling_options[] = {
	{.name = "ignore", .argument = "GLOB", .repeat = true,
	 .help = "leave facts of this path out of the question whether the runs did the same work"},
	END_OPTIONS,
};
static const struct ts_example scaling_examples[] = {
	{"tscope scaling one-gpu two-gpus eight-gpus", "shows the speedup over one-gpu, and what is lost"},
	{"tscope scaling --json ./runs/np1 ./runs/np4", "compares two folders that were not pushed"},
	END_EXAMPLES,
};

static const struct ts_option compare_options[] = {
	{.name = "settings", .argument = "A,B,...",
	 .help = "compare these facts (default: what of the configuration differs among the runs)"},
	{.name = "by", .argument = "COLUMN",
	 .help = "compare groups of runs by this column instead: sweep, group, job, parent, or a fact such as config.optimizer"},
	{.name = "all-projects", .help = "take runs of every project"},
	END_OPTIONS,
};
static const struct ts_example compare_examples[] = {
	{"tscope compare loss", "shows which settings the best loss goes with, over all runs"},
	{"tscope compare loss 'config.lr>1e-5'", "looks at the runs that match alone, such as those of a search: sweep=x7"},
	{"tscope compare loss.last --settings config.lr,config.batch", "compares two settings alone"},
	{"tscope compare loss.best --by sweep", "shows which searches found a better one than others"},
	END_EXAMPLES,
};

static const struct ts_option push_options[] = {
	{.name = "name",
	 .letter = 'n',
	 .argument = "NAME",
	 .help = "name the run NAME instead of after the place where it lies; for one directory, or with --join; a slash "
		 "belongs to the name, and project:PROJECT/NAME says the project"},
	{.name = "branch",
	 .letter = 'b',
	 .argument = "NAME",
	 .complete = TS_COMPLETE_BRANCH,
	 .help = "also make the run the newest entry of this branch"},
	{.name = "also",
	 .argument = "STORE",
	 .repeat = true,
	 .complete = TS_COMPLETE_DIR,
	 .help = "push to this store, too: a folder, or the address of a server; done again, it sends what is lacking alone"},
	{.name = "fact",
	 .argument = "GROUP.KEY=VALUE",
	 .repeat = true,
	 .help = "add a fact; the value is JSON if it is a valid JSON scalar, else text"},
	{.name = "host-facts", .help = "add the facts of this host, as 'tscope facts' collects them"},
	{.name = "state",
	 .argument = "STATE",
	 .help = "how the run ended or goes on; running, finished, crashed, killed, hung or unknown (default: what it records of its "
		 "end)",
	 .complete = TS_COMPLETE_CHOICE,
	 .choices = "running finished crashed killed hung unknown"},
	{.name = "message", .letter = 'm', .argument = "TEXT", .help = "write this line into the log of the name"},
	{.name = "join",
	 .help = "the directories hold only some ranks of a run: collect them under the name until all ranks of the "
		 "world size are there"},
	{.name = "expose", .help = "with --join: make the run visible now, even if ranks are missing"},
	READ_OPTIONS,
	{.name = "artifacts",
	 .help = "keep the artifacts of a run in MLflow's folder: files of at most 16 MiB each, 2,048 files and 256 MiB together"},
	{.name = "no-output", .help = "leave out what tscope run kept of what the run printed"},
	{.name = "summarize-traces",
	 .help = "keep of each profiler's trace what its kernels took in each step, by which diff compares runs, and not the trace"},
	{.name = "strict", .help = "refuse a run if any part of it would be skipped"},
	{.name = "force", .letter = 'f', .help = "move the name even if the new run does not continue the run that the name points at"},
	{.name = "dry-run", .help = "read the runs and compare them with the store, but send nothing"},
	END_OPTIONS,
};
static const struct ts_example push_examples[] = {
	{"tscope push runs/exp1", "stores the run and names it exp1"},
	{"tscope push runs/exp1 runs/exp2", "stores two runs"},
	{"tscope push --fact data.sha256=4f1c... --state running runs/exp1", "stores a run that is still training"},
	{"tscope push --join --name exp1 runs/exp1", "run this on every host of a job that writes to local disks"},
	{"tscope push --also tls:backup.example.org:7717 runs/exp1", "stores the run in two stores, under one name and with one id"},
	END_EXAMPLES,
};

/* --limit means the same everywhere: the first N of what is shown without it. */
#define LIMIT_SAID "; a line says whether there are more"

#define NO_FORMULAS                                                                                                                    \
	"with csv: put ' before texts that begin with = + - or @ and are no numbers, so that a program for tables runs none as a "     \
	"formula"

static const struct ts_option list_options[] = {
	{.name = "columns",
	 .letter = 'c',
	 .argument = "A,B,...",
	 .complete = TS_COMPLETE_COLUMNS,
	 .help = "show these columns: name, id, state, steps, first_step, last_step, ranks, world_size, started, "
		 "pushed, project, own_name, who, sweep, group, job, parent, note.KEY, a metric such as loss.best, or a fact such as "
		 "config.lr"},
	{.name = "sort",
	 .letter = 's',
	 .argument = "KEY",
	 .complete = TS_COMPLETE_SORT,
	 .help = "sort by this column; -KEY sorts in descending order (default: newest push first)"},
	{.name = "by",
	 .argument = "A,B,...",
	 .help = "group the runs by these columns, and show of each other column (--columns) the mean and the standard "
		 "deviation over the runs of a group; --sort then sorts the groups"},
	{.name = "limit", .letter = 'l', .argument = "N", .help = "show at most the first N runs or groups (default 50)" LIMIT_SAID},
	{.name = "all", .letter = 'a', .help = "show all runs or groups"},
	{.name = "page", .argument = "TOKEN", .help = "continue after the page that printed TOKEN"},
	{.name = "all-projects", .help = "list runs of every project"},
	{.name = "tags", .help = "list tags instead of runs"},
	{.name = "branches", .help = "list branches instead of runs"},
	{.name = "names", .help = "print only names, one per line, for scripts"},
	{.name = "html",
	 .argument = "FILE",
	 .complete = TS_COMPLETE_FILE,
	 .help = "also write a self-contained HTML page with the loss of each run; - writes it to stdout instead of the list"},
	REPLACES_PAGE,
	{.name = "csv", .help = "print CSV with exact values"},
	{.name = "no-formulas", .help = NO_FORMULAS},
	END_OPTIONS,
};
static const struct ts_example list_examples[] = {
	{"tscope list", "lists the newest runs"},
	{"tscope list exp", "lists runs with exp in their names"},
	{"tscope list 'loss.last<2.5' --sort loss.last", "lists only the runs that match, the lowest loss first"},
	{"tscope list 'config.lr>1e-4 and steps>=1000' --columns name,steps,config.lr --sort -started", "lists only "
													"matching "
													"runs, with a "
													"fact as a "
													"column"},
	{"tscope list 'val_acc.best>0.9' -c name,loss.last,val_acc.best --sort -val_acc.best", "lists the runs with the best "
											       "accuracy first"},
	{"tscope list --by config.lr -c val_acc.best,loss.last --sort -val_acc.best", "compares learning rates over all their "
										      "runs"},
	{"tscope list --by sweep -c val_loss.best", "compares the searches for settings that runs belong to"},
	{"tscope list --tags --all-projects", "lists the tags of all projects"},
	END_EXAMPLES,
};

static const struct ts_option web_options[] = {
	{.name = "port", .argument = "N", .help = "listen at this port (default 8765; 0: any that is free)"},
	{.name = "address", .argument = "IP",
	 .help = "listen at this numeric address (default 127.0.0.1, which only programs of this machine reach)"},
	{.name = "host", .argument = "NAME", .repeat = true,
	 .help = "also answer requests for this host, as a proxy in front sends them; those for another name are refused"},
	{.name = "sign-in",
	 .help = "have users sign in with a token of the server, and do what that allows; else who has the link does what you may"},
	{.name = "spool", .argument = "DIR",
	 .help = "keep what MLflow's clients log here in DIR (default: beside the local store, with .mlflow behind its name)",
	 .complete = TS_COMPLETE_DIR},
	{.name = "spool-days",
	 .argument = "N",
	 .help = "remove from there runs that ended and were pushed N days ago or more, if the store has all of them (default: 0, "
		 "which is never)"},
	{.name = "open", .help = "open the page in a browser"},
	END_OPTIONS,
};
static const struct ts_example web_examples[] = {
	{"tscope web --open", "opens the runs of the store in a browser"},
	{"tscope web ./runs", "shows a folder of runs that nobody pushed, also while they grow"},
	{"tscope web exp1", "opens the page of that run"},
	{"tscope web --port 0", "takes any port that is free, and prints the link"},
	{"tscope web --server tls:train.example.com:7443", "shows what that server has, as you may see it"},
	END_EXAMPLES,
};

static const struct ts_option serve_options[] = {
	{.name = "values", .argument = "FD",
	 .help = "write the numbers of columns to this open descriptor, as the Python package asks for them (docs/python.md)"},
	END_OPTIONS,
};
static const struct ts_example serve_examples[] = {
	{"tscope serve", "answers a program that writes JSON-RPC messages to its stdin"},
	{"claude mcp add tscope -- tscope serve", "lets a coding agent ask: other agents take the same two words as a command of MCP"},
	END_EXAMPLES,
};

static const struct ts_option plot_options[] = {
	{.name = "x", .argument = "AXIS", .complete = TS_COMPLETE_CHOICE, .choices = "step time samples tokens epoch",
	 .help = "the horizontal axis: step, time, samples, tokens or epoch (default: step; time is that since the run's first "
		 "record)"},
	{.name = "smooth", .letter = 's', .argument = "N",
	 .help = "smooth by an exponentially weighted mean of span N values, corrected for the bias of its beginning"},
	{.name = "log", .help = "use a logarithmic vertical scale"},
	{.name = "logx", .help = "use a logarithmic horizontal scale"},
	{.name = "bands",
	 .help = "draw the runs as repeats of each other: their median and their range (10 % to 90 % of ten runs or more)"},
	{.name = "highlight", .argument = "NAME", .repeat = true, .complete = TS_COMPLETE_RUN,
	 .help = "draw the lines whose names match this pattern strong, and the others pale"},
	{.name = "by", .argument = "FACT",
	 .help = "with --bands: one band for each value of this fact, such as config.lr; else show the fact beside each run"},
	{.name = "html", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write a self-contained HTML page; - writes it to stdout instead of the picture"},
	REPLACES_PAGE,
	{.name = "rank", .letter = 'r', .argument = "N", .help = "draw this rank's column (default: the lowest rank that has it)"},
	{.name = "cells", .argument = "N",
	 .help = "with --json: no picture, but the least, mean and greatest value of at most N stretches of equally many rows (1 to "
		 "2000); where the rows are fewer, each of them"},
	{.name = "from", .argument = "X", .help = "with --cells: only what lies from here on the horizontal axis, and a cell before"},
	{.name = "to", .argument = "X", .help = "with --cells: only what lies up to here, and a cell behind"},
	END_OPTIONS,
};
static const struct ts_example plot_examples[] = {
	{"tscope plot loss exp1 exp2", "draws the losses of two runs"},
	{"tscope plot loss 'exp*' --x tokens --log --smooth 50", "all runs whose names match, smoothed, by tokens seen"},
	{"tscope plot loss 'exp*' --highlight exp9", "exp9 among all others"},
	{"tscope plot loss 'config.lr>1e-4' --bands --by config.lr", "one band of repeats for each learning rate"},
	{"tscope plot loss exp1 exp2 --html loss.html", "also writes a page to share"},
	{"tscope plot phases.forward ./runs/exp1 ./runs/exp2", "two directories; nothing is stored"},
	END_EXAMPLES,
};

static const struct ts_option timeline_options[] = {
	{.name = "trace", .argument = "NAME", .complete = TS_COMPLETE_FILE, .help = "of a run: this one of its traces"},
	{.name = "rank", .letter = 'r', .argument = "N", .help = "of a run: the trace of this rank"},
	{.name = "from", .argument = "NS", .help = "begin so many nanoseconds behind the first event (default: 0)"},
	{.name = "to", .argument = "NS", .help = "end so many nanoseconds behind the first event (default: with the last event)"},
	{.name = "at", .argument = "NS",
	 .help = "mark this time of the trace's clock, as --json of analyze and diff has it; without --from and --to show a hundredth "
		 "of the trace around it"},
	{.name = "cells", .argument = "N",
	 .help = "cut the stretch into at most N cells of one length (1 to 2000; default: as many as there is room for)"},
	{.name = "html", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write a self-contained HTML page; - writes it to stdout instead of the text"},
	REPLACES_PAGE,
	END_OPTIONS,
};
static const struct ts_example timeline_examples[] = {
	{"tscope timeline ./trace.json.gz", "all of the trace"},
	{"tscope timeline exp1 --rank 0 --from 1200000 --to 1500000", "0.3 ms of what rank 0 did"},
	{"tscope timeline exp1 --trace trace.json.gz --cells 500 --json", "cells with their longest events, for programs"},
	END_EXAMPLES,
};

#define SNAPSHOT_OPTIONS                                                                                                               \
	{.name = "at", .argument = "EVENT",                                                                                            \
	 .help = "of a memory snapshot: show what was in use after this event: its number, start, peak, end or oom"},                  \
		{.name = "device", .argument = "N",                                                                                    \
		 .help = "of a memory snapshot: show this device (default: the one that refused a request, else the one that held "    \
			 "most)"}

static const struct ts_option reproduce_options[] = {
	{.name = "steps", .argument = "N", .help = "end behind so many steps (default: behind the record's last step)"},
	{.name = "from", .argument = "CHECKPOINT", .complete = TS_COMPLETE_FILE,
	 .help = "of a run that went on from a checkpoint: go on from this one, in whose place the recorded command names another"},
	{.name = "build",
	 .help = "run it in an environment with the recorded packages, built here once by uv or pip: wheels of its index alone"},
	{.name = "yes", .letter = 'y', .help = "execute it without asking"},
	{.name = "dry-run", .help = "show what would be executed, and execute nothing"},
	{.name = "directory", .letter = 'd', .argument = "DIR", .complete = TS_COMPLETE_DIR,
	 .help = "the folder of the new run (default: runs/again-ID-TIME)"},
	{.name = "clone", .argument = "PATH", .complete = TS_COMPLETE_DIR,
	 .help = "the git clone that has the code (default: the one in which you are)"},
	{.name = "limit", .argument = "MINUTES",
	 .help = "end the training after so long (default: 10 minutes and 10 times as long as the record took, if it says so)"},
	RUNNER_OPTION,
	END_OPTIONS,
};
static const struct ts_example reproduce_examples[] = {
	{"tscope reproduce exp1", "shows what would be executed, asks, and runs it"},
	{"tscope reproduce exp1 --steps 100 --yes", "the first 100 steps, without asking"},
	{"tscope reproduce exp1 --dry-run", "shows it, and executes nothing"},
	END_EXAMPLES,
};
static const struct ts_option show_options[] = {
	SNAPSHOT_OPTIONS,
	{.name = "snapshot", .argument = "NAME", .help = "of a run: show this memory snapshot of it (default: its only one)"},
	{.name = "rank", .letter = 'r', .argument = "N",
	 .help = "of a run: the rank whose memory snapshot or output is meant, where several ranks have one"},
	{.name = "output", .help = "of a run of tscope run: show what it printed last"},
	{.name = "machine", .help = "of a run of tscope run: show what its machine did"},
	{.name = "reproduce", .help = "of a run: show what its record lacks for being run again"},
	END_OPTIONS,
};
static const struct ts_example show_examples[] = {
	{"tscope show exp1", "shows a run by its name"},
	{"tscope show ./runs/exp1", "shows a directory that was not pushed"},
	{"tscope show 4f1c2a", "shows a run by the first digits of its id"},
	{"tscope show --at peak ./snapshot.pickle", "shows what a device's memory held at its peak, and the blocks around the event"},
	{"tscope show exp1 --output", "shows what exp1 printed last"},
	{"tscope show exp1 --machine", "shows cores, memory, disks and networks of exp1's machine"},
	{"tscope show exp1 --at peak", "the same of the memory snapshot that exp1 was pushed with"},
	END_EXAMPLES,
};

static const struct ts_option facts_options[] = {
	{.name = "output", .letter = 'o', .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "without RUN: write to FILE instead of stdout"},
	{.name = "command", .argument = "LINE",
	 .help = "without RUN: also record LINE, the command that starts the training, and its folder in the "
		 "repository; secrets in LINE are left out"},
	{.name = "with-patch", .help = "without RUN: also record the text of uncommitted changes, not only their digest"},
	{.name = "raw", .help = "print only the value of the fact at the path GLOB, for another program"},
	END_OPTIONS,
};
static const struct ts_example facts_examples[] = {
	{"tscope facts exp1", "shows every fact of exp1"},
	{"tscope facts exp1 'config.*'", "shows the configuration of exp1"},
	{"tscope facts -o runs/exp1/facts.json", "run this on the training host; it writes the facts beside the run"},
	{"tscope facts -o runs/exp1/facts.json --with-patch --command 'torchrun train.py --lr 3e-4'", "also records "
												      "what diff "
												      "--reproduce "
												      "needs"},
	{"tscope facts --raw exp1 session.patch | git apply", "applies the uncommitted changes that exp1 ran with"},
	END_EXAMPLES,
};

static const struct ts_option analyze_options[] = {
	{.name = "warmup", .letter = 'w', .argument = "N",
	 .help = "leave out the first N steps as warm-up, of a trace the first N that it marks; 0 leaves out none (default: as many as "
		 "the step times show; of a trace, means over steps and the critical path leave out the first of three or more)"},
	{.name = "rank", .letter = 'r', .argument = "N",
	 .help = "analyze this rank (default: the lowest rank that has steps)"},
	{.name = "trace", .argument = "NAME",
	 .help = "show what this trace of the run says, as of a file, or the trace at this path; --rank says whose where several ranks "
		 "have one of this name"},
	{.name = "snapshot", .argument = "NAME", .help = "show what this memory snapshot of the run says, as of a file"},
	{.name = "flops-per-step", .argument = "F",
	 .help = "floating-point operations of the model in one step, such as 6.1e12"},
	{.name = "peak-tflops", .argument = "T", .help = "peak of one device, in 10^12 operations per second"},
	{.name = "dtype", .argument = "NAME",
	 .help = "number format of the matrix products: bf16, fp16, tf32, ...; it selects the peak of the device"},
	{.name = "microbatches", .argument = "M", .help = "microbatches per step of pipeline parallelism"},
	{.name = "device-memory", .argument = "SIZE",
	 .help = "memory of one device, such as 80GiB; it comes before what the run records; also a device's name, such as "
		 "'NVIDIA A100-SXM4-80GB'"},
	{.name = "policy", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "read thresholds of rules from FILE: CODE.threshold = number sets one, CODE = off turns a rule off"},
	{.name = "fail-on", .argument = "SEVERITY", .complete = TS_COMPLETE_CHOICE, .choices = "low medium high",
	 .help = "exit with 1 if there is a finding of this severity or above: low, medium, high"},
	{.name = "html", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write a self-contained HTML page with plots; - writes it to stdout instead of the report"},
	REPLACES_PAGE,
	{.name = "rows", .help = "print every row of every analysis instead of the report"},
	{.name = "fresh", .help = "compute the analysis again, even if its result is stored"},
	{.name = "step", .argument = "N",
	 .help = "of a trace: the critical path of step N alone (of ProfilerStep#N, or as the table of steps numbers them)"},
	{.name = "overlay", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "of a trace: write a copy of it with its critical path, for Perfetto; gzip if FILE ends in .gz"},
	{.name = "kernels", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "of traces: read categories of kernels from FILE, a rule a line: a category such as gemm, and text that stands in the "
		 "name"},
	{.name = "step-name", .argument = "TEXT",
	 .help = "of traces: annotations whose names begin with TEXT are the steps (default: ProfilerStep#N, or iterations of vLLM, "
		 "SGLang and xDiT)"},
	{.name = "capture", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "of a trace with CUDA graphs: FILE is a trace of their capture, or the same file: say of which operators and modules "
		 "the kernels of the graphs are"},
	SNAPSHOT_OPTIONS,
	{.name = "with", .argument = "FILE", .complete = TS_COMPLETE_FILE, .repeat = true,
	 .help = "of a memory snapshot: another one of the same training at another size, for --scale; may be given several times"},
	{.name = "scale", .argument = "SIZES",
	 .help = "of memory snapshots: say what batch or length would fit; batch=8,16 or length=512,1024 are the sizes of the snapshot "
		 "and of those of --with, in their order"},
	READ_OPTIONS,
	END_OPTIONS,
};
static const struct ts_example analyze_examples[] = {
	{"tscope analyze exp1", "shows what limits the run, the findings, then time, memory, loss and ranks"},
	{"tscope analyze --warmup 0 --rank 3 exp1", "analyzes rank 3 from its first step"},
	{"tscope analyze --html exp1.html exp1", "also writes a page to share"},
	{"tscope analyze ./trace.json.gz", "shows what the devices did, by a trace of the PyTorch profiler"},
	{"tscope analyze ./trace.json.gz --warmup 2", "leaves the first two steps that the trace marks out of every figure"},
	{"tscope analyze ./traces/", "shows who makes whom wait, by the traces of the ranks of a job"},
	{"tscope analyze ./snapshot.pickle", "shows who held a device's memory, what is free in it, and why a request was refused"},
	{"tscope analyze --at peak ./snapshot.pickle", "shows what was in use at the peak, the event, and the blocks around it"},
	{"tscope analyze ./b8.pickle --with ./b16.pickle --scale batch=8,16 --device-memory 80GiB",
	 "says the largest batch that would fit, from two snapshots"},
	{"tscope analyze --policy ci.policy --fail-on high ./runs/exp1", "in CI: exits with 1 if there is a finding "
									 "of high severity"},
	END_EXAMPLES,
};

static const struct ts_option explain_options[] = {
	{.name = "markdown", .help = "print the document docs/findings.md"},
	{.name = "playbook", .help = "print the document docs/playbook.md: what is advised, on which condition, and what it costs"},
	END_OPTIONS,
};
static const struct ts_example explain_examples[] = {
	{"tscope explain", "lists every rule, one per line"},
	{"tscope explain DIST.STRAGGLER", "shows when the rule fires, how sure it is, what to try, and how to set it"},
	END_EXAMPLES,
};

static const struct ts_option diff_options[] = {
	{.name = "ignore", .letter = 'i', .argument = "GLOB", .repeat = true,
	 .help = "leave out facts whose path matches GLOB, such as 'session.*'"},
	{.name = "exit-on", .argument = "WHAT",
	 .help = "also exit with 1 if these differ: times, memory, facts",
	 .complete = TS_COMPLETE_CHOICE, .choices = "times memory facts", .repeat = true},
	{.name = "first", .letter = '1',
	 .help = "print step, series and rank of the first difference, with tabs between them"},
	{.name = "all", .letter = 'a', .help = "show every fact and every series of every rank"},
	{.name = "by", .argument = "COLUMN",
	 .help = "pair points by samples, tokens or other totals, instead of by step"},
	{.name = "curves", .help = "also show the curves of the whole run"},
	{.name = "html", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write a self-contained HTML page with plots; - writes it to stdout instead of the report"},
	REPLACES_PAGE,
	{.name = "repeats", .argument = "GLOB", .complete = TS_COMPLETE_RUN, .repeat = true,
	 .help = "compare the second run with the spread of these repeated runs of the first run's recipe"},
	{.name = "rounding", .argument = "RUN", .complete = TS_COMPLETE_RUN,
	 .help = "name the first tensor that differs by more than rounding, which this run of the first run's recipe shows"},
	{.name = "policy", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "read thresholds of the diagnosis from FILE: DIVERGENCE.name = number (docs/divergence.md)"},
	{.name = "as", .argument = "TOOL", .complete = TS_COMPLETE_CHOICE, .choices = "traceml",
	 .help = "compare two summaries by the rules of another tool, and show what those rules ignore: "
		 "traceml"},
	{.name = "warmup", .letter = 'w', .argument = "N",
	 .help = "of traces: leave out the first N steps that each marks; 0 leaves out none (default: the first of three or more)"},
	{.name = "kernels", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "of traces: read categories of kernels from FILE, a rule a line: a category such as gemm, and text that stands in the "
		 "name"},
	{.name = "step-name", .argument = "TEXT",
	 .help = "of traces: annotations whose names begin with TEXT are the steps (default: ProfilerStep#N, or iterations of vLLM, "
		 "SGLang and xDiT)"},
	{.name = "snapshot", .argument = "NAME",
	 .help = "compare the memory snapshot of this name in both runs, and nothing else"},
	{.name = "reproduce", .help = "also print the commands that would run each of the two runs again, as far as "
				      "they are recorded"},
	READ_OPTIONS,
	END_OPTIONS,
};
static const struct ts_example diff_examples[] = {
	{"tscope diff exp1 exp2", "compares two runs that were pushed"},
	{"tscope diff exp1 ./runs/exp1-rerun", "compares a run with a directory, which is not stored"},
	{"tscope diff exp1 exp2 exp3 exp4", "shows which of several runs differ, and from which step on"},
	{"tscope diff base new --repeats 'base-*'", "tests whether new differs from base by more than repeated runs of base do"},
	{"tscope diff ref new --rounding ref-perturbed", "names the first module of new whose output or gradient is off by more than "
							"rounding"},
	{"tscope diff --html diff.html exp1 exp2", "also writes a page to share"},
	{"tscope diff --ignore 'session.*' --exit-on facts a b", "exits with 1 if a fact differs that is not of the session"},
	{"tscope diff ./before.json.gz ./after.json.gz", "says why a step of one profiler's trace takes longer than of another"},
	{"tscope diff ./before/ ./after/", "says the same of two folders of traces, rank by rank"},
	{"tscope diff ./before.pickle ./after.pickle", "shows which stacks hold more memory in one snapshot than in another"},
	{"tscope diff --as traceml ./a/final_summary.json ./b/final_summary.json", "shows the verdict of TraceML for "
										   "two summaries beside that of "
										   "tscope"},
	END_EXAMPLES,
};

/* Short runs of the user's own code. */
#define SHORT_OPTIONS													\
	{.name = "clone", .argument = "DIR", .complete = TS_COMPLETE_DIR,						\
	 .help = "the clone whose code is run, as it is checked out and changed there (default: that of this folder)"},	\
	COPY_OPTION,													\
	{.name = "directory", .letter = 'd', .argument = "DIR", .complete = TS_COMPLETE_DIR,				\
	 .help = "keep the runs here (default: below tscope in the XDG state folder, ~/.local/state)"},		\
	{.name = "limit", .argument = "TIME", .help = "end a run that takes longer, 90s or 2h"},			\
	RUNNER_OPTION

static const struct ts_option check_determinism_options[] = {
	{.name = "steps", .argument = "N", .help = "of a command: end each run after N steps (default: 4)"},
	SHORT_OPTIONS,
	READ_OPTIONS,
	END_OPTIONS,
};
static const struct ts_example check_determinism_examples[] = {
	{"tscope check-determinism exp1", "what of this run is known to make another one differ, and what prevents it"},
	{"tscope check-determinism ./runs/exp1 --json", "the same as data, of a folder that was not pushed"},
	{"tscope check-determinism -- python train.py", "runs 4 steps of a training twice, and says which operation differs first"},
	END_EXAMPLES,
};

static const struct ts_option check_resume_options[] = {
	{.name = "tolerance",
	 .letter = 't',
	 .argument = "R",
	 .help = "the relative difference that the first losses may have (default: 1e-6 in fp32, 1e-3 in bf16 and "
		 "other reduced formats)"},
	END_OPTIONS,
};
static const struct ts_example check_resume_examples[] = {
	{"tscope check-resume base resumed", "resumed began from a checkpoint of base, and base continued past that checkpoint"},
	{"tscope check-resume ./runs/exp1", "checks a directory into which training was restarted"},
	{"tscope check-resume --tolerance 1e-4 base ./runs/resumed", "sets the tolerance"},
	END_EXAMPLES,
};

#define GATE_POLICY_OPTIONS													\
	{"policy", 0, "FILE", "read the gate's settings from FILE, such as GATE.must_catch = 5 %; docs/gate.md lists them",	\
	 TS_COMPLETE_FILE, NULL, false},											\
	{"workload", 'w', "NAME", "compare with runs that declare this work.workload, whatever their configuration",		\
	 TS_COMPLETE_NONE, NULL, false},											\
	{"across", 0, "PART", "compare runs even if this part of the workload differs: config, hardware, parallelism, libraries", \
	 TS_COMPLETE_CHOICE, "config hardware parallelism libraries", true},							\
	{"exclude", 0, "WHAT",													\
	 "leave out steps: tag:NAME, phase:NAME (also the step after), every:N; this replaces GATE.exclude of the policy",	\
	 TS_COMPLETE_NONE, NULL, true}

#define METRIC_NAMES													\
	"step_time step_time_mean step_time_p95 stall_share peak_memory tokens_per_s "					\
	"tokens_per_s_device samples_per_s samples_per_s_device mfu loss step_time_p10 "				\
	"step_time_end step_time_floor cpu_time"
#define BETTER_OPTION													\
	{"better", 0, "WAY", "which way a logged series is better, where its name does not tell it: lower or higher",	\
	 TS_COMPLETE_CHOICE, "lower higher", false}

static const struct ts_option repro_op_options[] = {
	{.name = "at", .argument = "STEP:OP",
	 .help = "the operation, as diff names it: 2:aten.mm.default, or 2:aten.mm.default#3 for its fourth call in that step"},
	{.name = "inputs", .argument = "FILE", .repeat = true,
	 .help = "what the call was given and gave, as TSCOPE_INPUTS=STEP:OP saved it: once for each run"},
	READ_OPTIONS,
	END_OPTIONS,
};
static const struct ts_example repro_op_examples[] = {
	{"tscope repro-op exp1 --at 2:aten.mm.default > op.py", "a script that calls it 20 times, and says whether outputs differ"},
	{"tscope repro-op exp1 --at 2:aten.mm.default --inputs a/operation-2-aten.mm.default-0.pt > op.py",
	 "the same with the values that were saved"},
	END_EXAMPLES,
};

static const struct ts_option golden_options[] = {
	{.name = "why", .argument = "TEXT", .help = "why this is what the training has to compute; needed"},
	{.name = "by", .argument = "NAME", .help = "who accepts it (default: LOGNAME, or USER)"},
	{.name = "steps", .argument = "N", .help = "the first N steps of the run (default: 50)"},
	END_OPTIONS,
};
static const struct ts_example golden_examples[] = {
	{"tscope golden make golden.json ./runs/exp1 --why 'first version'", "the record that later commits are held to"},
	{"tscope golden update golden.json ./runs/exp2 --why 'larger vocabulary'", "accepts a change of the numbers"},
	END_EXAMPLES,
};

static const struct ts_option gate_options[] = {
	{.name = "baseline", .letter = 'b', .argument = "WHAT", .complete = TS_COMPLETE_RUN, .repeat = true,
	 .help = "the baselines: a branch, a run, a tag, a glob of names, a directory, or the path of a bundle"},
	{.name = "bundle", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "take the baselines from a file that 'tscope baseline --bundle' wrote, without a server"},
	{.name = "paired", .argument = "RUN", .complete = TS_COMPLETE_RUN, .repeat = true,
	 .help = "the pairs that the gate asked for: runs of base and candidate, in turn on one allocation; also a glob"},
	{.name = "metric", .argument = "METRIC", .repeat = true,
	 .help = "the metric that decides, instead of GATE.metrics: step_time, peak_memory, ..., or any series that the runs log, such "
		 "as val_bpb or eval/accuracy",
	 .complete = TS_COMPLETE_OFFER, .choices = METRIC_NAMES},
	BETTER_OPTION,
	GATE_POLICY_OPTIONS,
	{.name = "inconclusive", .argument = "HOW", .complete = TS_COMPLETE_CHOICE, .choices = "fail pass",
	 .help = "how to exit if the runs cannot be compared: fail for exit 1, pass for exit 0 with a warning (default: exit 3)"},
	{.name = "junit", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write JUnit XML with one test case per metric"},
	{.name = "markdown", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write a Markdown comment for a pull request; its hidden first line names the workload, so that "
		 "a script can find and replace the comment"},
	{.name = "github",
	 .help = "also print annotations for a GitHub runner, and append the comment to the file that GITHUB_STEP_SUMMARY names"},
	{.name = "gitlab", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write the metrics as OpenMetrics text for GitLab's metrics report"},
	{.name = "request", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write the pairs to run, one line per run: side, number, commit, name"},
	{.name = "verdict", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write the JSON of --json, for --replay"},
	{.name = "explain", .help = "explain the test in words, and test nothing"},
	{.name = "check",
	 .help = "check before the training that the policy is valid, the server answers and the baselines can be read; test nothing"},
	{.name = "replay", .argument = "VERDICT", .complete = TS_COMPLETE_FILE,
	 .help = "judge again from the file of an earlier verdict (--json or --verdict); the runs are not needed"},
	{.name = "init", .argument = "WHAT", .complete = TS_COMPLETE_CHOICE, .choices = TS_GATE_INIT_NAMES,
	 .help = "write jobs for CI into this repository: github, gitlab; github-same and gitlab-same are the gate that "
		 "keeps the numbers of a training; what is left to do is said"},
	{.name = "repro",
	 .help = "the gate of reproducibility, of the command behind --: its runs repeat, are those of --golden, and go on after a "
		 "restart"},
	{.name = "golden", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "with --repro: the golden record, of 'tscope golden', Megatron-LM (golden_values) or torchtitan (losses)"},
	{.name = "profile", .argument = "NAME", .complete = TS_COMPLETE_CHOICE,
	 .choices = "bitwise float32 bf16 repeats megatron megatron-approximate",
	 .help = "with --repro: how near is alike (default: bitwise); --metric SERIES has these series alone count"},
	{.name = "runs", .argument = "N", .help = "with --repro: so many runs of the command (default: 2)"},
	{.name = "steps", .argument = "N", .help = "with --repro: of so many steps each (default: 20)"},
	{.name = "resume", .argument = "WORDS",
	 .help = "with --repro: what is added to the command to go on from the checkpoint in {restart}, '--load {restart}'"},
	{.name = "certificate", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "with --repro: also write the JSON of --json, with hosts, devices, libraries and what was not controlled"},
	SHORT_OPTIONS,
	END_OPTIONS,
};
static const struct ts_example gate_examples[] = {
	{"tscope gate exp9 --baseline main", "compares exp9 with the runs of branch main"},
	{"tscope gate exp9 --baseline main --metric val_bpb --metric reward", "decides by two series that the runs log"},
	{"tscope gate exp9 --baseline main --paired 'pair-*'", "decides by the pairs that the gate asked for"},
	{"tscope gate ./runs/exp9 --bundle baselines.json", "needs neither a server nor a store"},
	{"tscope gate exp9 --baseline main --junit gate.xml --markdown comment.md --github", "writes the reports of a CI job"},
	{"tscope gate --replay verdict.json", "prints the same verdict again"},
	{"tscope gate --check --baseline main --policy ci.policy", "finds a typing error before an hour of training"},
	{"tscope gate --explain --policy ci.policy", "explains the test with the settings of ci.policy"},
	{"tscope gate --init github", "writes the workflows and scripts of a gate into this repository"},
	{"tscope gate --repro --golden golden.json -- python train.py", "whether it repeats here, and is what was accepted"},
	END_EXAMPLES,
};

static const struct ts_option baseline_options[] = {
	{.name = "baseline", .letter = 'b', .argument = "WHAT", .complete = TS_COMPLETE_RUN, .repeat = true,
	 .help = "the baselines: a branch, a run, a tag, a glob of names, a directory, or the path of a bundle"},
	{.name = "bundle", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "also write the baselines to FILE, for jobs that have no access to the server"},
	{.name = "metric", .argument = "METRIC", .repeat = true,
	 .help = "the bundle is for a gate by this metric, if that is a series that the runs log, such as val_bpb",
	 .complete = TS_COMPLETE_OFFER, .choices = METRIC_NAMES},
	GATE_POLICY_OPTIONS,
	{.name = "reason", .letter = 'r', .argument = "TEXT", .help = "with accept: why the change is accepted"},
	{.name = "branch", .argument = "NAME", .complete = TS_COMPLETE_BRANCH,
	 .help = "with accept: the branch of the commit (default: main)"},
	END_OPTIONS,
};
static const struct ts_example baseline_examples[] = {
	{"tscope baseline --baseline main", "shows the baselines for the workload of the newest run of branch main"},
	{"tscope baseline exp9 --baseline main", "shows the baselines of exp9, and why other runs are none"},
	{"tscope baseline --baseline main --bundle baselines.json", "also writes them to a file for jobs without a server"},
	{"tscope baseline accept 3f2a9c81d0 --reason 'exact softmax'", "lets the baselines begin with that commit"},
	END_EXAMPLES,
};

static const struct ts_option trend_options[] = {
	{.name = "metric",
	 .letter = 'm',
	 .argument = "METRIC",
	 .help = "show the trend of this metric (default: step_time): step_time_mean, step_time_p95, peak_memory, "
		 "tokens_per_s, mfu, loss, ..., or of any series that the runs log, such as val_bpb",
	 .complete = TS_COMPLETE_OFFER,
	 .choices = METRIC_NAMES},
	BETTER_OPTION,
	{.name = "limit",
	 .letter = 'l',
	 .argument = "N",
	 .help = "read at most the newest N entries of the branch (default and maximum: 10,000)" LIMIT_SAID},
	{.name = "like",
	 .argument = "RUN",
	 .complete = TS_COMPLETE_RUN,
	 .help = "take runs of the workload of RUN (default: that of the newest run)"},
	GATE_POLICY_OPTIONS,
	{.name = "html",
	 .argument = "FILE",
	 .complete = TS_COMPLETE_FILE,
	 .help = "also write a self-contained HTML page with a figure; - writes it to stdout instead of the report"},
	REPLACES_PAGE,
	{.name = "exit-code", .help = "exit with 1 if the newest level is worse than the one before and nobody accepted the change"},
	END_OPTIONS,
};
static const struct ts_example trend_examples[] = {
	{"tscope trend main", "shows the step time of the runs of branch main, and where it changed"},
	{"tscope trend main --metric peak_memory --limit 200", "shows the peak memory of the newest 200 runs"},
	{"tscope trend main --like exp9 --html trend.html", "shows the runs of the workload of exp9, and writes a page to share"},
	{"tscope trend main --exit-code", "in a nightly job: exits with 1 if the branch has become slower"},
	END_EXAMPLES,
};

static const struct ts_option name_options[] = {
	{.name = "force", .letter = 'f', .help = "move a name that points at another run"},
	{.name = "message", .letter = 'm', .argument = "TEXT", .help = "write this line into the log of the name"},
	END_OPTIONS,
};
static const struct ts_example name_examples[] = {
	{"tscope name exp1 baseline", "gives exp1 the second name baseline; 'tscope rm exp1' then removes the first one"},
	END_EXAMPLES,
};

static const struct ts_option tag_options[] = {
	{.name = "force", .letter = 'f', .help = "move a tag that exists"},
	{.name = "message", .letter = 'm', .argument = "TEXT", .help = "write this line into the log of the tag"},
	END_OPTIONS,
};
static const struct ts_example tag_examples[] = {
	{"tscope tag exp1 v1.0", "pins the run; the tag v1.0 stays there when the name exp1 moves"},
	{"tscope tag", "lists the tags of the project"},
	END_EXAMPLES,
};

static const struct ts_example note_examples[] = {
	{"tscope note exp1 bad='loss spike at 1200'", "writes the note 'bad'"},
	{"tscope note exp1 bad=", "removes the note 'bad'"},
	{"tscope note exp1", "shows the notes of exp1"},
	END_EXAMPLES,
};

static const struct ts_option log_options[] = {
	{.name = "notes", .help = "also show what the notes of a run were, who wrote them and when, newest first"},
	{.name = "limit", .letter = 'l', .argument = "N", .help = "show at most the newest N entries (default: all)" LIMIT_SAID},
	END_OPTIONS,
};
static const struct ts_example log_examples[] = {
	{"tscope log exp1", "shows the runs that the name has pointed at, newest first"},
	{"tscope log branch:nightly", "shows the history of the branch nightly"},
	{"tscope log exp1 --notes", "shows who marked the run bad, and who took the mark away"},
	END_EXAMPLES,
};

static const struct ts_example rm_examples[] = {
	{"tscope rm exp1 exp2", "removes two names"},
	{"tscope rm tag:v1.0", "removes a tag"},
	END_EXAMPLES,
};

static const struct ts_option restore_options[] = {
	{.name = "as", .argument = "OTHER", .help = "the name that it gets, where its own exists again"},
	{.name = "at",
	 .argument = "TIME",
	 .help = "bring all names of the project, and what was noted of its runs, back to this time, such as 2026-11-20T11:27:00Z, "
		 "or to so long ago, such as 2h"},
	{.name = "dry-run", .help = "with --at: only show what would change"},
	END_OPTIONS,
};
static const struct ts_example restore_examples[] = {
	{"tscope restore exp1", "brings exp1 back"},
	{"tscope restore branch:main --as old-main", "brings a branch back under another name"},
	{"tscope restore --at 2h --dry-run", "shows what was moved, removed, made and noted in the last two hours"},
	END_EXAMPLES,
};

static const struct ts_option export_options[] = {
	{.name = "format",
	 .letter = 'F',
	 .argument = "FORMAT",
	 .help = "the format: run (a run directory, the default), csv, jsonl or npz",
	 .complete = TS_COMPLETE_CHOICE,
	 .choices = "run csv jsonl npz"},
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .complete = TS_COMPLETE_FILE,
	 .help = "write to FILE, which must not exist (default: stdout; npz needs a file)"},
	{.name = "file",
	 .argument = "FILE",
	 .help = "write one file of the run, as it was pushed, to stdout or to --output; tscope show lists them"},
	{.name = "rank", .argument = "N", .help = "with --file or --table: that of this rank"},
	{.name = "table",
	 .argument = "NAME",
	 .complete = TS_COMPLETE_CHOICE,
	 .choices = "events operators kernels frames collectives syncs flows allocations counters",
	 .help = "write a table of a profiler's trace as CSV: of the file that stands in the place of RUN, or of the run's only "
		 "trace, or the one that --file names"},
	{.name = "no-formulas", .help = NO_FORMULAS},
	END_OPTIONS,
};
static const struct ts_example export_examples[] = {
	{"tscope export exp1 ./exp1-copy", "writes a run directory; if it is pushed again, it has the same id"},
	{"tscope export exp1 --file artifacts/model/MLmodel", "prints one file of the run"},
	{"tscope export exp1 --format csv -o exp1.csv", "writes one row per step and rank"},
	{"tscope export trace.json.gz --table kernels -o kernels.csv", "writes one row per kernel, copy and fill of a trace"},
	END_EXAMPLES,
};

static const struct ts_option verify_options[] = {
	{.name = "new",
	 .help = "of objects and names, check those that changed since the last verify that found all sound; the answer says when "
		 "the rest was read. In a copy or a restored store, run it without --new first"},
	END_OPTIONS,
};
static const struct ts_example verify_examples[] = {
	{"tscope verify", "reads and checks the whole store"},
	{"tscope verify --new", "reads what changed since then, as each hour beside a whole one each week"},
	END_EXAMPLES,
};

static const struct ts_option gc_options[] = {
	{.name = "dry-run", .help = "only count what would be freed"},
	{.name = "lease", .argument = "DURATION",
	 .help = "keep objects that somebody sent or asked for within this time: 0s, 90s, 15m, 24h, 7d (default 24h)"},
	{.name = "removed", .argument = "DURATION",
	 .help = "free names that were removed before this time, and can then no longer be restored (default 30d)"},
	{.name = "policy", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "show which names of runs and which entries of branches the rules of RETENTION in FILE let go, and change nothing; "
		 "docs/operations.md has an example"},
	{.name = "apply", .help = "with --policy: let them go, and free; what changed since the plan stays"},
	END_OPTIONS,
};
static const struct ts_example salvage_examples[] = {
	{"tscope salvage /var/lib/tscope/store saved", "copies what is sound to the folder saved"},
	END_EXAMPLES,
};

static const struct ts_example gc_examples[] = {
	{"tscope gc --dry-run", "shows how much would be freed"},
	{"tscope gc --policy keep.policy", "shows what would go by the rules of keep.policy, and why the rest stays"},
	{"tscope gc --policy keep.policy --apply", "lets it go; tscope restore brings it back for 30 days"},
	END_EXAMPLES,
};

static const struct ts_option token_options[] = {
	{.name = "role", .argument = "ROLE", .complete = TS_COMPLETE_CHOICE, .choices = "read push maintain admin",
	 .help = "with make: what its bearer may: read, push, maintain or admin (default: push)"},
	{.name = "for", .argument = "PROJECT", .repeat = true, .complete = TS_COMPLETE_PROJECT,
	 .help = "with make: in this project, or * for all (default: the project of names without one)"},
	{.name = "expires", .argument = "DURATION", .help = "with make: how long it lives: 12h, 30d, never (default: 90d)"},
	END_OPTIONS,
};
static const struct ts_example token_examples[] = {
	{"tscope token make ci --role push --for speed --expires 30d", "prints a token that may push to the project speed for 30 days"},
	{"tscope token", "lists the tokens of the server, without their secrets"},
	{"tscope token revoke ci", "lets the server refuse the token from now on"},
	END_EXAMPLES,
};

static const struct ts_option login_options[] = {
	{.name = "ca", .argument = "FILE", .complete = TS_COMPLETE_FILE,
	 .help = "believe the CA of this PEM file (default: those of the system)"},
	{.name = "cert", .argument = "FILE", .complete = TS_COMPLETE_FILE, .help = "show this certificate, a PEM file"},
	{.name = "key", .argument = "FILE", .complete = TS_COMPLETE_FILE, .help = "the key of --cert"},
	{.name = "no-token", .help = "ask for no token: the certificate, or the user of the unix socket, is enough"},
	END_OPTIONS,
};
static const struct ts_example login_examples[] = {
	{"tscope login runs.example.org", "asks for a token and keeps it for tls:runs.example.org:7443"},
	{"tscope login --ca ca.pem tls:host:9000 < token", "takes the token from stdin, as a script does"},
	END_EXAMPLES,
};
static const struct ts_example logout_examples[] = {
	{"tscope logout", "forgets the token of the server that commands go to"},
	END_EXAMPLES,
};
static const struct ts_option audit_options[] = {
	{.name = "who", .argument = "NAME", .help = "only lines of whoever has this name; * and ? stand for any characters"},
	{.name = "kind", .argument = "KIND", .help = "only lines of a user, token, certificate, address, or of the server"},
	{.name = "act", .argument = "ACT",
	 .help = "only these: note, move, remove, restore, retire, token, gc, settings, start, stop, call"},
	{.name = "on", .argument = "NAME", .help = "only lines about this, such as 'run p/exp1' or '*main'"},
	{.name = "since", .argument = "TIME", .help = "only lines of that last time, such as 7d or 12h"},
	{.name = "denied", .help = "only what was refused"},
	{.name = "limit", .letter = 'l', .argument = "N", .help = "show the newest N lines (default: 1000)"},
	{.name = "check", .help = "show no lines, only say whether each follows the one before"},
	{.name = "least", .argument = "N", .help = "fail unless the log reaches line N, which the server's own log names"},
	END_OPTIONS,
};
static const struct ts_example audit_examples[] = {
	{"tscope audit /var/lib/tscope/audit.log --on '*main' --since 7d", "shows who moved main in the last week"},
	{"tscope audit /var/lib/tscope/audit.log --check", "says whether a line was changed or taken out"},
	END_EXAMPLES,
};

static const struct ts_example whoami_examples[] = {
	{"tscope whoami", "shows the server, as whom it knows you, and what you may do there"},
	END_EXAMPLES,
};

static const struct ts_example projects_examples[] = {
	{"tscope projects", "what each project of the store or server uses, and how much it may"},
	{"tscope projects --json | jq '.projects[] | {project, sealed_bytes, sealed_limit_bytes}'", "the same for a script"},
	END_EXAMPLES,
};

static const struct ts_example version_examples[] = {
	{"tscope version", "shows the version of this program, and of the server if one is named"},
	END_EXAMPLES,
};

static const struct ts_option help_options[] = {
	{.name = "man", .help = "print the man page in roff"},
	{.name = "completion", .argument = "SHELL", .complete = TS_COMPLETE_CHOICE, .choices = "bash zsh",
	 .help = "print a completion script for bash or zsh"},
	END_OPTIONS,
};
static const struct ts_example help_examples[] = {
	{"tscope help diff", "shows the help of diff"},
	{"tscope help --completion bash > ~/.local/share/bash-completion/completions/tscope", "installs completion for bash"},
	END_EXAMPLES,
};

#define ABOUT_PUSHED                                                                                                \
	"RUN is a name (exp1, sweep/a), a tag, a branch, or the first digits (4 or more) of an id. A slash belongs to " \
	"a name; PROJECT/NAME is a name of another project. The end of one name is enough (exp23 for runs30/exp23), " \
	"and a line says what it was taken for. A prefix run:, tag:, branch: or id: chooses a kind, and " \
	"project:PROJECT/NAME the project."
#define ABOUT_RUN                                                                                                   \
	ABOUT_PUSHED " Else RUN is the path of a run directory: this command reads it, and nothing is stored. What " \
		     "begins with /, ./ or ../ is always a path."
#define ABOUT_NEW_NAME                                                                                              \
	" The new name may have slashes; PROJECT/NAME is one of another project where there is this project, and " \
	"project:PROJECT/NAME always."

const struct ts_verb ts_verbs[] = {
	{
		.name = "run", .summary = "start a training as a run, and say what ended it", .usage = "[--] COMMAND...",
		.about = "Starts COMMAND with all that follows it. The folder of the run is there before the command is: launch.json "
			 "in it has the command line, the working directory, the facts of this host, and how the command ended, and "
			 "output.txt has the last 64 KiB of what it printed. The command sees nothing of it: its terminal stays a "
			 "terminal and its pipes pipes, and it gets the signals that tscope gets. Its exit code is that of "
			 "tscope run, 128 and the number of a signal that killed it, 127 if there is no such command, and 126 if it "
			 "cannot be executed.\n\n"
			 "A script of Python (train.py, python train.py, torchrun train.py, also behind srun and mpirun) is recorded "
			 "as 'python -m tscope' records it. Processes that srun, mpirun or torchrun started join one run.",
		.options = run_options,
		.first = "directory name push log no-auto no-patch nproc-per-node launcher nnodes node-rank",
		.examples = run_examples,
		.exits = "N the command's own exit code, or 128 and the number of the signal that ended it\n"
			 "2 nothing was started: wrong usage, or the folder holds a run already\n"
			 "126 the command cannot be executed\n127 there is no such command",
		.min_words = 1, .max_words = SIZE_MAX, .words = TS_COMPLETE_FILE, .command = true,
		.run = ts_verb_run,
	},
	{
		.name = "watch", .summary = "show a run while it goes on, and say what happens to it", .usage = "RUN",
		.about = "Shows step, steps per second, the time that is left, curves, what each part of a step takes and which rank "
			 "is the slowest, memory, and findings, refreshed in place. RUN is the folder of a training that records or "
			 "logs, a name or branch that is pushed to, any file that push reads, or - for what is printed into a pipe: "
			 "lines of text, or JSON. A recording is followed by what is new in it, and costs little whatever its length "
			 "(docs/watch.md).\n\n"
			 "Findings are those of analyze. One that rests on a chance is said once steps behind it show it, too, so that "
			 "many looks at a run are not many chances of a false alarm. q leaves, ? shows the keys, and arrows go from "
			 "rank to rank. Where stdout is no terminal, a line is printed for each thing that happens, and the command "
			 "ends with the run.",
		.options = watch_options,
		.first = "once columns rank baseline repeats exec webhook until interval pattern map",
		.examples = watch_examples,
		.exits = "0 the run came to its end, or you left\n1 what --until names has happened\n"
			 "2 the command failed: wrong usage, no such run, no connection, damaged data",
		.min_words = 1, .max_words = 1, .words = TS_COMPLETE_RUN,
		.run = ts_verb_watch,
	},
	{
		.name = "push", .summary = "store runs and give them names", .usage = "PATH...",
		.about = "Reads run directories (pytscope's format and its superset, docs/run-directory.md) and the "
			 "files of other tools: TensorBoard's event files, W&B's logs, Hugging Face's "
			 "trainer_state.json, MLflow's folders and databases, TraceML's summaries, CSV, JSON Lines "
			 "and more (docs/importers.md). Traces of the PyTorch profiler and memory snapshots that lie in "
			 "a run's folder become part of the run; alone, or in a folder of their own, they are a run "
			 "without steps. The output names the format that was found in PATH. If PATH is a folder of "
			 "several runs (wandb/, mlruns/), each of them is stored.\n\n"
			 "The command sends what is not stored yet, and then lets a name point at the run. The same "
			 "input always has the same id, so pushing it twice stores nothing, and an interrupted push "
			 "continues where it stopped.\n\n"
			 "A push moves an existing name only to a run that continues the run that the name points at, "
			 "for example when a run that still trains is pushed again and again. Any other move needs "
			 "--force. The output lists what could not be read, with file and line.",
		.options = push_options,
		.first = "name fact state branch message force dry-run pattern map join",
		.examples = push_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = SIZE_MAX, .paths = SIZE_MAX, .words = TS_COMPLETE_DIR,
		.run = ts_verb_push,
	},
	{
		.name = "list", .summary = "list runs: filter, sort, choose columns",
		.usage = "[FILTER]",
		.about = "FILTER compares columns and facts, for example: steps>=1000 and (config.lr>1e-4 or "
			 "state=running). Text with spaces must be quoted, and ~ matches a glob. A run that does not "
			 "record a fact matches no comparison with that fact. A word alone is searched in names: tscope list "
			 "exp. In a glob of names * does not match a slash, ** does, and a glob without a slash is compared "
			 "with the last part of a name: exp* matches runs30/exp23.\n\n"
			 "A metric is a series and what it came to: loss.last, loss.best, val_acc.mean, .min, .max, .count, "
			 ".last_step, .best_step, .min_step, .max_step, and .nonfinite, which counts NaN and infinities; these "
			 "are left out of all others. Of a run that has train/loss and no loss, loss is train/loss. Values are "
			 "those of the lowest rank that has the series. Names say which value is the best: the least of a loss, "
			 "an error or a perplexity, the largest of an accuracy, an f1, a bleu or a reward. Of other "
			 "series the best is not known.\n\n"
			 "Without --columns, a table has name, id, state, steps, ranks, loss, started and pushed, and leaves "
			 "out what does not fit in one line: first started, then ranks, id, pushed and steps. A file or a pipe "
			 "gets the columns of a terminal that is 80 wide. Scripts choose theirs with --columns and --csv.",
		.options = list_options, .examples = list_examples,
		.exits = EXITS_DONE,
		.max_words = 1, .pages = true,
		.run = ts_verb_list,
	},
	{
		.name = "show", .summary = "show what a run holds: state, events, metrics, layers, files", .usage = "RUN",
		.about = ABOUT_RUN "\n\nThe path of a memory snapshot may stand in the place of RUN. Then the command shows a device's "
				   "memory as it was after one event, or at the end: the event with its stack, what was in use and for "
				   "what, the segments, and the blocks around it (docs/memory.md). Of a run --at, --device, "
				   "--snapshot and --rank show the same of a memory snapshot that it was pushed with.",
		.options = show_options, .examples = show_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = 1, .paths = 1, .alone = true, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_show,
	},
	{
		.name = "facts", .summary = "show the facts of a run, or collect those of this host",
		.usage = "[RUN [GLOB]]",
		.about = "With RUN, the command shows every fact with its value and its source; GLOB selects facts by "
			 "path. Without RUN, it collects the facts of this host (code, CI, SLURM, GPUs, driver, "
			 "environment) and prints them as facts.json, a file that lies beside run.json. A bash script "
			 "passes its own arguments on with --command \"${*@Q}\". A patch that is longer than 1 MiB, "
			 "is not UTF-8, or might contain a secret is left out, and a warning tells so.\n\n"
			 ABOUT_RUN,
		.options = facts_options, .examples = facts_examples,
		.exits = EXITS_DONE,
		.max_words = 2, .paths = 1, .alone = true, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_facts,
	},
	{
		.name = "analyze", .summary = "show what limits the speed of a run, what is wrong with it, and why", .usage = "RUN",
		.about = "Shows where the time of the run goes and what to try, then the findings of the rules, worst "
			 "first, and then one panel each for step times, memory, loss, ranks, efficiency, and what is "
			 "not known. The light in front of a panel has the colour of the worst finding in it.\n\n" ABOUT_RUN
			 "\n\nA file that the PyTorch profiler wrote, plain or in gzip, or that 'nsys export --type sqlite' "
			 "wrote, may stand alone in the place of RUN. "
			 "Then the command shows what its devices did, to the nanosecond: busy and idle, computation, communication "
			 "and how much of it is exposed, by stream and by step, idle time by cause, and kernels (docs/trace.md); "
			 "where the time of the host went, what waited for a device and who asked. First come what to try, with the "
			 "most that it could save, and findings. The options --warmup, --policy, --fail-on and --html work as for "
			 "runs; the page has flame graphs, too. With the same options it takes a folder of such traces, or a run "
			 "that has the traces of several ranks and no steps: then it shows which rank comes last to collectives, "
			 "who waits, and whether a rank is slow.\n\n"
			 "The path of a memory snapshot (torch.cuda.memory._dump_snapshot; a pickle, of which nothing is executed) may "
			 "stand there, too: then it shows the peak and who held it, by kind and by function, what was asked for, "
			 "what is free and what empty_cache would not return, and why requests were refused (docs/memory.md); with "
			 "--at, what was in use after one event.",
		.options = analyze_options,
		.first = "warmup rank html trace snapshot fail-on policy device-memory flops-per-step rows",
		.examples = analyze_examples,
		.exits = "0 the command succeeded\n"
			 "1 with --fail-on: there is a finding of that severity or above\n"
			 "2 the command failed: wrong usage, no such run, no connection, damaged data",
		.min_words = 1, .max_words = 1, .paths = 1, .alone = true, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_analyze,
	},
	{
		.name = "plot", .summary = "draw a column of many runs in one picture", .usage = "COLUMN RUN...",
		.about = "COLUMN is a name that 'tscope show' lists, with or without its group: loss or scalars.loss. RUN is "
			 "a run's name, a tag or the first digits of an id; a glob of names, such as 'exp*' or 'sweep/lr*'; a "
			 "filter as 'tscope list' takes it, such as 'config.lr>1e-4'; or a directory or a glob of "
			 "directories.\n\n"
			 "The server reduces each column to the first, last, least and greatest value of each column of the "
			 "picture, so that no spike is lost and little is sent. NaN, infinities and, on a logarithmic "
			 "scale, values that are not above zero are marked with an x. Where steps are missing, the line is "
			 "interrupted. Of steps that a restart executed again, the newest values are drawn.",
		.options = plot_options, .examples = plot_examples,
		.exits = EXITS_DONE,
		.min_words = 2, .max_words = TS_CHART_RUNS_MAX + 1, .paths = TS_CHART_RUNS_MAX + 1, .alone = true,
		.words = TS_COMPLETE_RUN, .pages = true,
		.first_word = "loss eval_loss grad_norm lr forward backward optimizer data comm alloc rss",
		.run = ts_verb_plot,
	},
	{
		.name = "timeline", .summary = "show what each stream and thread of a trace did in a stretch of time",
		.usage = "TRACE|RUN",
		.about = "TRACE is the path of a profiler's trace, RUN a run that has one. Each stream of a device, and each thread "
			 "of the host, is a lane, which is cut into cells: how much of a cell is covered, and which kernel, copy, "
			 "operator or call covers most of it. Of a thread, the outermost operators and calls are shown. In 'tscope "
			 "web' the timeline of a trace is zoomed by these cells, however long the trace is (docs/trace.md).",
		.options = timeline_options, .examples = timeline_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = 1, .paths = 1, .alone = true, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_timeline,
	},
	{
		.name = "web", .summary = "show runs, diffs and trends as pages in a browser", .usage = "[RUN|BRANCH|PATH]",
		.about = "The command serves pages until it is interrupted, and prints the link that opens them. They show what the "
			 "verbs show: the runs of a project, filtered and sorted; a run's analysis, content and facts; a diff of two "
			 "runs; a branch. A page of runs, and one of a run, is renewed when something new was pushed. Addresses stay "
			 "the same and hold the filter and the order, so that they can be sent to a colleague who has access, too.\n\n"
			 "With RUN or BRANCH, the link opens its page. PATH is a run, or a folder of runs, that need not be pushed: "
			 "the command reads it into a temporary store of its own, reads again what grows, and removes that store "
			 "when it ends.\n\n"
			 "The link has a token, which the browser keeps as a cookie: who has it reads and changes what you can, and "
			 "nobody else reads anything. Forms beside a run and a branch tag, note, remove and accept, as you may. The "
			 "address of a page with .json at its end gives the document that --json prints (docs/http.md).",
		.options = web_options, .examples = web_examples,
		.exits = EXITS_DONE,
		.max_words = 1, .paths = 1, .words = TS_COMPLETE_RUN,
		.run = ts_verb_web,
	},
	{
		.name = "serve", .summary = "answer programs and agents over stdin and stdout", .usage = "",
		.about = "Reads messages of JSON-RPC 2.0 from stdin, one a line, and writes answers to stdout, as the Model Context "
			 "Protocol has it (docs/python.md). Each verb that only reads is a tool, whose arguments are its words and "
			 "options; none writes or executes. An answer is the document of --json, or, with answer=brief, a text of at "
			 "most 1,500 tokens: what was found, what that rests on, and what to ask next. It ends when stdin does.",
		.options = serve_options, .examples = serve_examples,
		.exits = EXITS_DONE,
		.run = ts_verb_serve,
	},
	{
		.name = "explain", .summary = "explain the rules behind the findings of analyze", .usage = "[CODE]",
		.about = "Without CODE, the command lists every rule with its meaning. With CODE, it shows when the "
			 "rule fires, its thresholds and how a policy file sets them, how severe it is, what to try, "
			 "and the source of the rule. docs/findings.md has the same text in one document.",
		.options = explain_options, .examples = explain_examples,
		.exits = EXITS_DONE,
		.max_words = 1, .words = TS_COMPLETE_RULE, .pages = true,
		.run = ts_verb_explain,
	},
	{
		.name = "diff", .summary = "find the first step at which two runs differ, and what else differs",
		.usage = "RUN RUN [RUN...]",
		.about = "Tells in one sentence whether the two runs computed the same values and, if not, why and "
			 "how sure that is. Then it shows for every series the first step at which its bits differ "
			 "and how far apart the values are from there on, the curves, the facts that differ, the "
			 "evidence, and what to run next. Times and memory are shown, but they do not decide.\n\n"
			 "With --repeats, the runs of the project whose names match GLOB, or directories that match "
			 "it, count as repeated runs of the first run's recipe. The command shows which of them are "
			 "the same, which one is the odd one out, and whether the second run's loss and gradient norm "
			 "stay within three times their spread.\n\n"
			 "With --rounding, RUN is once more the first run's recipe, with the model's input perturbed by a "
			 "relative size that its fact work.perturbation says, or computed in the second run's precision. "
			 "Where all three recorded sketches of their tensors (docs/sketches.md), the command names the first "
			 "module whose output or gradient lies further apart than rounding goes, across precisions, kernels "
			 "and parallel layouts.\n\n"
			 "With three to 256 runs, the command shows a matrix of the first step at which each two of "
			 "them differ or, where the matrix does not fit the terminal, groups of runs that computed "
			 "the same. It exits with 0 if all are the same, with 1 if two of them differ, and with 3 "
			 "otherwise.\n\n"
			 "With --as traceml and two summaries of TraceML (final_summary.json), the command shows the "
			 "verdict of TraceML's compare by its rules, the verdict of tscope beside it, and what "
			 "TraceML's rules ignore. It exits with 0 for TraceML's EQUIVALENT and IMPROVEMENT, with 1 "
			 "for REGRESSION and MIXED, and with 3 for INCONCLUSIVE.\n\n"
			 "Two files that the PyTorch profiler wrote may stand in the place of the runs. Then the command says in one "
			 "sentence why a step of one takes longer, and shows what differs by parts of a step, kernels, operators "
			 "and functions, with the noise over steps as the error (docs/trace.md). The options --all, --warmup and "
			 "--html go with them. Two folders of such traces are compared rank by rank. It exits with 0 if "
			 "nothing stands out, with 1 if something does, and with 3 if one of them has a single step, so that no error "
			 "can be given, or a file ends too early.\n\n"
			 "Two memory snapshots may stand there, too (docs/memory.md). Then the command shows what grew, what is new "
			 "and what is gone, by kind and by stack, at the peak and at the end. It exits with 0 if they are the same "
			 "to the byte, with 1 if not, and with 3 if they have no device in common or a file is cut. "
			 "It does the same for two runs that have memory snapshots alone and, with --snapshot, for two runs that "
			 "have some beside their steps.\n\n"
			 ABOUT_RUN,
		.options = diff_options, .first = "all ignore exit-on curves html repeats rounding by snapshot first",
		.examples = diff_examples,
		.exits = "0 the same: both runs have the same columns and steps, and every bit agrees\n"
			 "1 different: a step that both runs have differs, or something that --exit-on names "
			 "differs\n"
			 "2 not determined: wrong usage, no such run, no connection, damaged data\n"
			 "3 inconclusive: the common steps agree, but one run has more steps, or there are no common "
			 "steps, or only series of unknown meaning differ",
		.min_words = 2, .max_words = TS_MATRIX_RUNS_MAX, .paths = TS_MATRIX_RUNS_MAX, .alone = true,
		.words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_diff,
	},
	{
		.name = "reproduce", .summary = "run a recorded training again, and say from which step on it differs", .usage = "RUN",
		.about = "Runs the recorded command again: in a git worktree of the recorded commit with its uncommitted changes, with "
			 "the environment as it was recorded, and in an output folder of its own. The command records and compares "
			 "while it runs, and ends the training where it parts from the record or behind the record's last step.\n\n"
			 "RUN may be of somebody else: command, patch and variables are shown, and nothing is executed before you "
			 "agree, or by --yes. Commits are taken only where a branch, a tag or a reflog of your clone leads to them. "
			 "Your own tree is not touched, and its uncommitted changes take no part. What differs here from the record "
			 "(packages, variables, files) is named (docs/reproduce.md).\n\n" ABOUT_RUN,
		.options = reproduce_options, .examples = reproduce_examples,
		.exits = "0 bit for bit the same, as far as both ran\n1 it parts from the record\n"
			 "2 the command failed: wrong usage, no such run, no connection, damaged data, or nobody agreed where "
			 "nobody can be asked\n"
			 "3 not known: the record or this machine lacks something, or the training could not be run",
		.min_words = 1, .max_words = 1, .paths = 1, .words = TS_COMPLETE_RUN,
		.run = ts_verb_reproduce,
	},
	{
		.name = "check-resume", .summary = "check whether a run resumed correctly from a checkpoint",
		.usage = "[PARENT] RUN",
		.about = "Compares RUN, from the step at which it resumed, with PARENT's steps of the same numbers: "
			 "the first losses, the losses that follow, gradient norm, learning rate, and the digests of "
			 "batches, parameters and random generators where both runs record them. It then tells "
			 "whether the difference looks like a wrong data position or like state that was not "
			 "restored. If the parent ends before the resume, it tells how many more steps of the parent "
			 "to run.\n\n"
			 "Without PARENT, if training was restarted into RUN's directory, the steps that the "
			 "directory holds twice are compared with their first execution. A run that was not restarted "
			 "is compared with the run that its fact lineage.parent names. The step of the resume is the "
			 "fact lineage.resumed_step, or else the step at which the last restart began, or else the "
			 "first step.\n\n"
			 ABOUT_RUN,
		.options = check_resume_options, .examples = check_resume_examples,
		.exits = "0 the run resumed correctly\n"
			 "1 the run did not resume correctly\n"
			 "2 not determined: wrong usage, no such run, no connection, damaged data\n"
			 "3 inconclusive: too few common steps, or the answer depends on a number format that is not "
			 "declared",
		.min_words = 1, .max_words = 2, .paths = 2, .alone = true, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_check_resume,
	},
	{
		.name = "check-determinism", .summary = "say what keeps a training from repeating bit for bit",
		.usage = "RUN | -- COMMAND...",
		.about = "Holds what RUN recorded (settings of torch and of libraries, environment variables, devices, ranks, "
			 "operations) against a catalog of what is known to break bit-exactness, and says of each row what "
			 "prevents it, what that costs where its source tells, and the source. It fails closed: a setting that was "
			 "not recorded and an operation that the catalog does not know are unproved, never harmless. What acts only "
			 "on another machine is listed apart and decides nothing.\n\n"
			 "Operations are known where a run recorded them: TSCOPE_OPERATIONS=0-1:aten in the environment of a short "
			 "training has the recorder do it. docs/determinism.md has the catalog.\n\n"
			 "With a COMMAND, two short runs of it are made one after the other, in worktrees of the code as it is "
			 "checked out and changed here, with digests of every operation of torch. If they differ, the first "
			 "operation that does is named: one whose inputs agree and whose output differs. If they are equal, that "
			 "is shown as far as they ran, and nothing of later steps, of other machines or of what happens seldom.\n\n"
			 ABOUT_RUN,
		.options = check_determinism_options, .examples = check_determinism_examples,
		.exits = "0 all that the catalog knows is controlled or cannot act, and it knows every operation; of a COMMAND: two "
			 "runs are equal bit for bit as far as they ran, and nothing is known to break that\n"
			 "1 something is known to make two runs differ, and is not prevented; of a COMMAND: two runs differ\n"
			 "2 the command failed: wrong usage, no such run, no clone, no connection\n"
			 "3 nothing is known to make them differ, and something is unproved; of a COMMAND: the runs could not be "
			 "compared, or are equal though something is known to break it",
		.min_words = 1, .max_words = 4096, .paths = 1, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_check_determinism,
	},
	{
		.name = "why", .summary = "find by experiments which facts make two runs differ",
		.usage = "A B [-- COMMAND...]",
		.about = "Runs short trainings in worktrees of your clone: B again, A again, and A with parts of what differs taken "
			 "from B, each to a few steps behind the first difference. The answer is the smallest set of facts that "
			 "makes A into B, checked both ways and to the end; of code, the commit. 'tscope diff' says what the records "
			 "show; this finds out.\n\n"
			 "COMMAND is what starts the training. Nothing that was recorded is executed: in the words of COMMAND, "
			 "{config.lr} stands for the value that was recorded at that path, and {config-file} for a JSON file with "
			 "the whole recorded configuration. Recorded environment variables are set as they were. The recorder stops "
			 "the training and records elsewhere by variables of its environment, so the script stays as it is. A "
			 "command that ends with 125 says that this version cannot be tested.\n\n"
			 "Each run is kept in a folder, and pushed with its reason; the same command goes on where it was stopped. "
			 "Without COMMAND, and with --dry-run, the plan and its cost are shown, and nothing runs. docs/why.md "
			 "describes the procedure and its measured error rates.\n\n" ABOUT_RUN,
		.options = why_options,
		.first = "budget dry-run yes jobs runner clone directory limit no-push pattern",
		.examples = why_examples,
		.exits = "0 the cause is proved: each fact of it is needed, B with it put back gives A, and A with it gives B to the "
			 "end\n"
			 "1 the cause is decided, and not proved in each of these ways, or is none that can be set (nondeterminism, "
			 "a one-off)\n"
			 "2 the command failed: wrong usage, no such run, no clone, no connection\n"
			 "3 undecided, with what remains; or only planned",
		.min_words = 2, .max_words = 4096, .paths = 2, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_why,
	},
	{
		.name = "bisect", .summary = "find the commit or version from which on runs differ, are slower or are bad",
		.usage = "GOOD BAD -- COMMAND...",
		.about = "Runs COMMAND in worktrees of commits between GOOD and BAD, which are commits, or runs that recorded "
			 "theirs, and finds the first bad one. With --versions it runs one commit with {version} in COMMAND replaced "
			 "by versions of a list, such as of a library.\n\n"
			 "The judge may be wrong: each judgement counts as much as it is right, versions are run again where that "
			 "tells most, and the search ends when one version is 99 % sure. A commit that cannot be built or ends with "
			 "125 is passed over. Each run is kept in a folder, and pushed; the same command goes on where it was "
			 "stopped. docs/why.md has the measured error rates.\n\n" ABOUT_RUN,
		.options = bisect_options,
		.first = "judge noise metric versions steps budget jobs part clone directory",
		.examples = bisect_examples,
		.exits = "0 the first bad version was found, or a range of which no more can be judged\n"
			 "2 the command failed: wrong usage, no such commit, the judge does not tell GOOD from BAD\n"
			 "3 undecided: the runs that were allowed are used up; the range that remains is shown",
		.min_words = 2, .max_words = 4096, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_bisect,
	},
	{
		.name = "gate", .summary = "test whether a run is slower than its baselines",
		.usage = "CANDIDATE... | --repro -- COMMAND...",
		.about = "Compares the step time of CANDIDATE (and of all other runs of its commit and workload), or "
			 "what --metric names, with "
			 "earlier runs. It tells whether the candidate has a regression, with a confidence interval; "
			 "how large a regression a pass could have missed; in which phases and on which ranks a "
			 "regression lies; and which facts changed. The test compares runs, not steps. If --baseline "
			 "names a branch, the baselines are its newest 20 runs of the candidate's workload, among the "
			 "candidate's ancestors, since the last change of level or accepted change.\n\n"
			 "A candidate that looks slower is suspect. The gate then exits with 4 and asks for pairs: "
			 "base and candidate, run in turn on one allocation. Name those runs with --paired, and the "
			 "gate decides by them. docs/gate.md describes the test, its measured error rates and every "
			 "setting.\n\n"
			 "With --repro it is three gates over short runs of COMMAND, made here in worktrees of the code as it is "
			 "checked out and changed: repeatability, equivalence to a golden record, and replay after a restart. Each is "
			 "green, red or unproved, and one that was not asked for is unproved. In the words of COMMAND {restart} is a "
			 "folder for the checkpoint. Exits: 0 all are green, 1 one is red, 3 one is unproved. docs/determinism.md "
			 "describes it.\n\n"
			 ABOUT_RUN,
		.options = gate_options,
		.first = "baseline paired metric policy bundle workload across markdown check init",
		.examples = gate_examples,
		.exits = "0 no regression was found: pass or improvement; or (with a warning) collecting: nothing was judged, because "
			 "there are too few baselines\n"
			 "1 regression\n"
			 "2 the command failed: wrong usage, no such run, a run that still trains, no connection, "
			 "damaged data\n"
			 "3 inconclusive: the runs are not comparable, or the metric is missing (see --inconclusive); or blind: a "
			 "regression above GATE.must_catch could have been missed\n"
			 "4 suspect: pairs have to be run",
		.max_words = 4096, .paths = TS_GATE_SPECS_MAX, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_gate,
	},
	{
		.name = "repro-op", .summary = "print a script that runs one recorded operation of torch alone",
		.usage = "RUN --at STEP:OP",
		.about = "Prints a script of at most 40 lines of Python for the report of a bug. It calls the operation 20 times with "
			 "tensors of the recorded shapes and types, and says how many outputs differ from the first; its exit code is "
			 "1 where one does. Values were not saved: they are drawn from a seed, whole numbers in the range that was "
			 "recorded, so an operation that differs for certain values alone may repeat there. --inputs takes the values "
			 "that were saved, of both runs where it is given twice: the script then says whether each gives what it gave "
			 "in its run, and whether both were given the same. A word behind the script's name is another device, such as "
			 "cuda. Calls are recorded under TSCOPE_OPERATIONS=FIRST-LAST:aten, as check-determinism asks for with a "
			 "command.\n\n" ABOUT_RUN,
		.options = repro_op_options, .examples = repro_op_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = 1, .paths = 1, .words = TS_COMPLETE_RUN,
		.run = ts_verb_repro_op,
	},
	{
		.name = "golden", .summary = "keep what a training computes in a file for git, with who accepted it and why",
		.usage = "make|update FILE RUN",
		.about = "Writes a golden record: losses, gradient norms and digests of the first steps of RUN, 64 KiB at most, with "
			 "the host, devices and libraries, and who accepted it on which day for which reason. 'tscope gate --repro "
			 "--golden FILE' holds runs against it. 'make' writes a new file, 'update' replaces one and keeps who accepted "
			 "it before; both need the reason. docs/determinism.md describes the file.\n\n" ABOUT_RUN,
		.options = golden_options, .examples = golden_examples,
		.exits = EXITS_DONE,
		.min_words = 3, .max_words = 3, .words = TS_COMPLETE_RUN, .first_word = "make update",
		.run = ts_verb_golden,
	},
	{
		.name = "baseline", .summary = "show the runs that a gate would compare with, or accept a change",
		.usage = "[RUN] | accept COMMIT",
		.about = "Shows the runs with which a gate would compare RUN, or the newest run, and for every other "
			 "run that it looked at the reason why that run is no baseline. With --bundle it also writes "
			 "the baselines to a file, for jobs without a server.\n\n"
			 "accept COMMIT accepts the change of speed at that commit of the branch: the baselines begin "
			 "anew with its runs, and the runs before it only show the spread between runs. It writes the "
			 "note 'accepted'; 'tscope note RUN accepted=' takes the acceptance back.\n\n"
			 ABOUT_RUN,
		.options = baseline_options, .examples = baseline_examples,
		.exits = EXITS_DONE,
		.max_words = 2, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_baseline,
	},
	{
		.name = "trend", .summary = "show where the step time of a branch changed, and between which commits",
		.usage = "BRANCH",
		.about = "Draws a metric over the runs of a branch, one value per run, and marks where its level "
			 "changed: by how much, between which two commits, how many runs ago, and whether the change "
			 "was accepted ('tscope baseline accept'). It finds what no gate of one run can find: many "
			 "small steps, and changes that passed the gate. Runs of another workload, runs marked bad "
			 "and runs that still train do not count; the output tells how many there are, and why.\n\n"
			 "A change is found when three runs of a new level follow about fifty runs of the old one; "
			 "after fewer old runs, more new runs are needed. docs/trend.md describes the test and its "
			 "measured error rates.",
		.options = trend_options, .examples = trend_examples,
		.exits = "0 the command succeeded\n"
			 "1 with --exit-code: the newest level is worse than the one before, and the change was not "
			 "accepted\n"
			 "2 the command failed: wrong usage, no such branch, no connection, damaged data",
		.min_words = 1, .max_words = 1, .words = TS_COMPLETE_BRANCH, .pages = true,
		.run = ts_verb_trend,
	},
	{
		.name = "scaling", .summary = "show how throughput grows with the number of ranks, and what is lost",
		.usage = "RUN RUN...",
		.about = "Compares runs of the same work on different numbers of ranks with those of the smallest: throughput, "
			 "efficiency, and what the time went into that is lost: communication, waiting for slower ranks, input, "
			 "computation that takes longer for a sample, such as by a smaller batch of each rank. Strong and weak scaling "
			 "are told apart by the batch that was recorded (samples or tokens of a step), and the law of Amdahl or of "
			 "Gustafson is fitted. Runs that did not do the same work are refused, with the facts that differ. Several "
			 "runs of one world may be named.\n\n" ABOUT_RUN,
		.options = scaling_options, .examples = scaling_examples,
		.exits = EXITS_DONE,
		.min_words = 2, .max_words = 256, .paths = SIZE_MAX, .words = TS_COMPLETE_RUN, .pages = true,
		.run = ts_verb_scaling,
	},
	{
		.name = "compare", .summary = "show which settings an outcome goes with, over many runs",
		.usage = "OUTCOME [FILTER]",
		.about = "OUTCOME is a metric as in 'tscope list', such as val_loss.best, or a series, of which the best value "
			 "counts where its name says what that is, else the last. FILTER chooses runs as in 'tscope list'.\n\n"
			 "For each setting that differs among the runs, the rank correlation with the outcome is shown with its 95 % "
			 "interval; of a setting of words, that of the word that stands out most against all others. A setting goes "
			 "with the outcome where this is more than chance over all settings explains (5 %). It is not known where "
			 "fewer than 8 runs record both, where fewer than 3 have another value than most, and where the setting moves "
			 "with another one, so that their effects cannot be told apart. That an outcome goes with a setting is no "
			 "proof of a cause.\n\n"
			 "With --by, the mean of each group of runs is shown with its 95 % interval, and whether a group is worse than "
			 "the best one by more than chance explains. docs/settings.md has the methods and their measured error rates.",
		.options = compare_options, .examples = compare_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = 2, .pages = true,
		.run = ts_verb_compare,
	},
	{
		.name = "name", .summary = "give a run another name", .usage = "RUN NAME",
		.about = ABOUT_PUSHED ABOUT_NEW_NAME,
		.options = name_options, .examples = name_examples,
		.exits = EXITS_DONE,
		.min_words = 2, .max_words = 2, .words = TS_COMPLETE_RUN,
		.run = ts_verb_name,
	},
	{
		.name = "tag", .summary = "pin a run under a tag, a name that does not move, or list tags",
		.usage = "[RUN TAG]",
		.about = ABOUT_PUSHED ABOUT_NEW_NAME,
		.options = tag_options, .examples = tag_examples,
		.exits = EXITS_DONE,
		.max_words = 2, .words = TS_COMPLETE_RUN,
		.run = ts_verb_tag,
	},
	{
		.name = "note", .summary = "write or show notes on a run", .usage = "RUN [KEY=VALUE...]",
		.about = "A note belongs to the name of a run and not to the run itself, so the run's id stays the "
			 "same. KEY= without a value removes the note. The note with key state holds the run's state.",
		.examples = note_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = SIZE_MAX, .words = TS_COMPLETE_RUN,
		.run = ts_verb_note,
	},
	{
		.name = "log", .summary = "show the runs that a name has pointed at, newest first", .usage = "NAME",
		.about = "NAME is a run's name, tag:NAME or branch:NAME.",
		.options = log_options, .examples = log_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = 1, .words = TS_COMPLETE_REF, .pages = true,
		.run = ts_verb_log,
	},
	{
		.name = "rm", .summary = "remove names, tags or branches", .usage = "NAME...",
		.about = "A run stays stored while another name, tag or branch reaches it. A removed name is kept for 30 days "
			 "(a setting of the server): until then 'tscope restore' brings it back, with its log and its notes, and "
			 "its run stays stored.",
		.examples = rm_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = SIZE_MAX, .words = TS_COMPLETE_REF,
		.run = ts_verb_rm,
	},
	{
		.name = "restore", .summary = "bring back a name that was removed, or list those that can come back",
		.usage = "[NAME]",
		.about = "Brings back the run, tag or branch that was last removed under NAME, with its log and its notes. Without "
			 "NAME, it lists the removed names of the project, and until when each can come back. With --at, every name of "
			 "the project goes back to what it pointed at then, as its log says: what was removed since comes back, what "
			 "was made since is removed, and notes become what they were. Logs only grow by that, so another --at takes it "
			 "back. What a gc has freed since is named.",
		.options = restore_options, .examples = restore_examples,
		.exits = "0 the command succeeded\n1 with --at, a name or a note is not what it was\n2 the command failed: wrong "
			 "usage, no such name, no connection, damaged data",
		.max_words = 1,
		.run = ts_verb_restore,
	},
	{
		.name = "export", .summary = "write a run back to files", .usage = "RUN [DIRECTORY]",
		.about = "Writes a run directory, CSV or JSON Lines with one row per step and rank, or a zip of NumPy "
			 "arrays. The files of a run, such as profiler's traces and memory snapshots, are in the run directory as they "
			 "were pushed, byte for byte. It never overwrites existing files.\n\n" ABOUT_RUN,
		.options = export_options, .examples = export_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = 2, .paths = 1, .words = TS_COMPLETE_RUN,
		.run = ts_verb_export,
	},
	{
		.name = "verify", .summary = "check the store: read every object and recompute its digest", .usage = "",
		.about = "Finds damaged and missing objects, and, of a server, lines of its audit log that were changed or are gone.",
		.options = verify_options, .examples = verify_examples,
		.exits = "0 everything is sound\n"
			 "1 an object is damaged or missing, or the audit log is not whole\n"
			 "2 the command failed: wrong usage, no connection",
		.run = ts_verb_verify,
	},
	{
		.name = "salvage", .summary = "save what is sound of a damaged store in a new one", .usage = "STORE NEW",
		.about = "STORE is the folder of a store on this machine that verify, or opening it, called damaged; it is only read. "
			 "NEW is a folder that is not there yet. What is saved is all that is what was written: objects with their "
			 "right digest, names whose runs are whole, their logs and notes, tokens. What is not is named. A name whose "
			 "last run is lost comes back at the last one in its log that is whole.\n\nStop the server of the store "
			 "before, look at NEW with tscope verify --store NEW, and exchange the folders.",
		.examples = salvage_examples,
		.exits = "0 everything that had a name was saved\n"
			 "1 something was lost, and is named\n"
			 "2 the command failed: wrong usage, no store, NEW is there",
		.min_words = 2, .max_words = 2,
		.run = ts_verb_salvage,
	},
	{
		.name = "gc", .summary = "free objects that no name reaches, and make missing metrics", .usage = "",
		.about = "Frees objects that no name, tag or branch reaches and that nobody sent or asked for within "
			 "the lease, and computes the metrics (list, show) of runs that an older tscope pushed. It is safe to run "
			 "while others push.\n\nWith --policy it first takes out what a policy of retention lets go: names of runs, as "
			 "rm does, and old entries of branches. Without --apply it only shows them.",
		.options = gc_options, .examples = gc_examples,
		.exits = EXITS_DONE,
		.run = ts_verb_gc,
	},
	{
		.name = "projects", .summary = "show what each project uses, and how much it may", .usage = "",
		.about = "A project pays for everything that its names, the histories of its branches and its removed names reach, "
			 "whoever else reaches it: compressed as stored, and before. Below are those who sent something that no name "
			 "has reached yet, for an admin everybody. Limits are lines 'quota' of the server's configuration.",
		.examples = projects_examples,
		.exits = EXITS_DONE,
		.run = ts_verb_projects,
	},
	{
		.name = "token", .summary = "make, list and revoke the tokens of a server", .usage = "[make NAME|list|revoke NAME]",
		.about = "A token lets whoever shows it act with its role in its projects, over TLS, a unix socket or ssh. Only "
			 "admins of the server make them. The secret is printed once; the server keeps only a salted hash of it. A "
			 "revoked token is refused from the next call on.",
		.options = token_options, .examples = token_examples,
		.exits = EXITS_DONE,
		.max_words = 2, .first_word = "make list revoke",
		.run = ts_verb_token,
	},
	{
		.name = "audit", .summary = "read the audit log of a server, and check it", .usage = "FILE",
		.about = "FILE is the setting audit-log of tscoped, read on its machine, with the files beside it that it was "
			 "rotated into. Each line has a number and the digest of the line before and itself, so that one that was "
			 "changed or taken out is found, whatever the filters show; --least finds that lines are missing at the end.",
		.options = audit_options, .examples = audit_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = 1, .paths = 1, .words = TS_COMPLETE_FILE, .pages = true,
		.run = ts_verb_audit,
	},
	{
		.name = "login", .summary = "keep a token for a server, and send commands there", .usage = "SERVER",
		.about = "Reads the token from the terminal, without showing it, or from stdin; it is never given on the command "
			 "line. If the server takes it, it is kept in tscope/credentials in the XDG configuration folder (~/.config), "
			 "a file that only you can read. SERVER is HOST[:PORT] for TLS, unix:PATH or ssh://HOST. TSCOPE_TOKEN, "
			 "TSCOPE_CA, TSCOPE_CERT and TSCOPE_KEY come before the file.",
		.options = login_options, .examples = login_examples,
		.exits = EXITS_DONE,
		.min_words = 1, .max_words = 1,
		.run = ts_verb_login,
	},
	{
		.name = "logout", .summary = "forget the token of a server", .usage = "[SERVER]",
		.about = "Without SERVER, of the one that commands go to. The token itself lives until it expires or is revoked.",
		.examples = logout_examples,
		.exits = EXITS_DONE,
		.max_words = 1,
		.run = ts_verb_logout,
	},
	{
		.name = "whoami", .summary = "show the server, as whom it knows you, and what you may", .usage = "",
		.about = "What one may is shown as 'ROLE PROJECT', * for all projects.",
		.examples = whoami_examples,
		.exits = EXITS_DONE,
		.run = ts_verb_whoami,
	},
	{
		.name = "version", .summary = "show the versions of this program and of the server", .usage = "",
		.about = "Shows the server's version only if a server is named.",
		.examples = version_examples,
		.exits = EXITS_DONE,
		.run = ts_verb_version,
	},
	{
		.name = "help", .summary = "show help, man pages and shell completion", .usage = "[VERB]",
		.about = "Without VERB, the command lists all verbs.",
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

/* What other programs call what tscope does, and what does it here. */
static const struct hint {
	const char *words; /* separated by spaces */
	const char *what;
} hints[] = {
	{"ls dir ps find search query", "'tscope list' lists runs, and 'tscope list WORD' those with WORD in their names"},
	{"status st info describe view cat get head", "'tscope list' shows the state of runs, 'tscope show RUN' what one run is"},
	{"debug cause culprit delta minimize ddmin", "'tscope why A B -- COMMAND' finds by experiments what makes two runs differ"},
	{"cmp parity", "'tscope diff A B' compares runs, 'tscope gate' tests whether one is slower than others"},
	{"ui gui dashboard board server html page",
	 "'tscope web' shows pages in a browser, and list, analyze, diff, plot and trend write one with --html FILE; the server is the "
	 "program tscoped"},
	{"mcp rpc api agent", "'tscope serve' answers programs and agents over stdin and stdout"},
	{"tail follow monitor", "'tscope watch RUN' shows a run while it goes on"},
	{"start train exec record init launch torchrun",
	 "'tscope run train.py' starts a script and records it; 'tscope run -- COMMAND' starts a program of any language"},
	{"delete del remove rmdir drop prune clean", "'tscope rm NAME' removes a name, and 'tscope gc' frees what no name reaches"},
	{"undo undelete recover revert", "'tscope restore NAME' brings back a name that was removed"},
	{"import add upload sync commit save put ingest load", "'tscope push PATH' stores runs, also those of other tools"},
	{"download pull clone fetch checkout", "'tscope export RUN DIRECTORY' writes a run as files"},
	{"rename mv move cp copy alias", "'tscope name RUN NAME' gives a run another name, and 'tscope rm NAME' removes the old one"},
	{"report profile stats stat summary bottleneck", "'tscope analyze RUN' shows what limits a run, and what is wrong with it"},
	{"chart graph curve draw", "'tscope plot COLUMN RUN...' draws a column of runs"},
	{"history reflog", "'tscope log NAME' shows the runs that a name has pointed at"},
	{"config params env", "'tscope facts RUN' shows what is recorded about a run, its configuration too"},
	{"branch branches tags", "'tscope list --branches' and 'tscope list --tags' list them; 'tscope push --branch NAME' makes one"},
	{"resume", "'tscope check-resume RUN' tells whether a run went on correctly"},
	{NULL, NULL},
};

static bool is_among(const char *word, const char *words)
{
	size_t len = strlen(word);

	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (n == len && strncmp(words, word, n) == 0)
			return true;
	}
	return false;
}

enum ts_status ts_verb_unknown(const char *name, struct ts_error *err)
{
	size_t bound = ts_suggest_bound(name);
	const char *best = NULL;

	for (size_t i = 0; i < ts_verbs_n; i++)
		best = ts_suggest(name, ts_verbs[i].name, best, &bound);
	for (const struct hint *hint = hints; hint->words; hint++)
		if (is_among(name, hint->words))
			return ts_error_set(err, TS_INVALID, "there is no verb '%s'; %s", name, hint->what);
	if (best)
		return ts_error_set(err, TS_INVALID, "there is no verb '%s'; did you mean '%s'?", name, best);
	return ts_error_set(err, TS_INVALID, "there is no verb '%s'; 'tscope help' lists the verbs", name);
}
