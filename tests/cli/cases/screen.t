# Help for a stranger.
$ tscope
! tscope: which verb? 'tscope help' lists them
[2]
$ tscope help
| tscope - git for training runs
|
| Usage: tscope VERB [OPTIONS] [ARGUMENTS]
|
| tscope stores training runs and compares them. A run is pushed once, and its id
| is computed from its content. A diff of two runs finds the first step at which
| they differ, and what else differs between them. Runs are stored on a server
| (TSCOPE_SERVER) or, without a server, in a store in your home folder.
|
| Verbs
|   run           start a training as a run, and say what ended it
|   watch         show a run while it goes on, and say what happens to it
|   push          store runs and give them names
|   list          list runs: filter, sort, choose columns
|   show          show what a run holds: state, events, metrics, layers, files
|   facts         show the facts of a run, or collect those of this host
|   analyze       show what limits the speed of a run, what is wrong with it, and
|                 why
|   plot          draw a column of many runs in one picture
|   timeline      show what each stream and thread of a trace did in a stretch of
|                 time
|   web           show runs, diffs and trends as pages in a browser
|   serve         answer programs and agents over stdin and stdout
|   explain       explain the rules behind the findings of analyze
|   diff          find the first step at which two runs differ, and what else
|                 differs
|   reproduce     run a recorded training again, and say from which step on it
|                 differs
|   check-resume  check whether a run resumed correctly from a checkpoint
|   check-determinism
|                 say what keeps a training from repeating bit for bit
|   why           find by experiments which facts make two runs differ
|   bisect        find the commit or version from which on runs differ, are slower
|                 or are bad
|   gate          test whether a run is slower than its baselines
|   repro-op      print a script that runs one recorded operation of torch alone
|   golden        keep what a training computes in a file for git, with who
|                 accepted it and why
|   baseline      show the runs that a gate would compare with, or accept a change
|   trend         show where the step time of a branch changed, and between which
|                 commits
|   scaling       show how throughput grows with the number of ranks, and what is
|                 lost
|   compare       show which settings an outcome goes with, over many runs
|   name          give a run another name
|   tag           pin a run under a tag, a name that does not move, or list tags
|   note          write or show notes on a run
|   log           show the runs that a name has pointed at, newest first
|   rm            remove names, tags or branches
|   restore       bring back a name that was removed, or list those that can come
|                 back
|   export        write a run back to files
|   verify        check the store: read every object and recompute its digest
|   salvage       save what is sound of a damaged store in a new one
|   gc            free objects that no name reaches, and make missing metrics
|   projects      show what each project uses, and how much it may
|   token         make, list and revoke the tokens of a server
|   audit         read the audit log of a server, and check it
|   login         keep a token for a server, and send commands there
|   logout        forget the token of a server
|   whoami        show the server, as whom it knows you, and what you may
|   version       show the versions of this program and of the server
|   help          show help, man pages and shell completion
|
| Begin with
|   tscope push runs/exp1 runs/exp2
|   tscope list
|   tscope diff exp1 exp2
|   tscope diff ./runs/exp1 ./runs/exp2     stores nothing
|   tscope help diff                        shows the help of a verb
|
| Environment
|   TSCOPE_SERVER          the server to talk to: unix:PATH, tls:HOST:PORT,
|                          HOST:PORT or ssh://HOST; several of one store are
|                          parted by commas
|   TSCOPE_STORE           the local store, used when no server is named
|   TSCOPE_PROJECT         the project of names without one
|   TSCOPE_PAGER, PAGER    the pager for long output; an empty value or cat turns
|                          paging off
|   NO_COLOR, FORCE_COLOR  NO_COLOR turns colour off; FORCE_COLOR turns it on,
|                          also into a pipe
|   COLUMNS                the width in which tables have to fit
$ tscope diff --help
| tscope diff - find the first step at which two runs differ, and what else
| differs
|
| Usage: tscope diff [OPTIONS] RUN RUN [RUN...]
|
| Options
|   -i, --ignore GLOB       leave out facts whose path matches GLOB, such as
|                           'session.*'
|       --exit-on WHAT      also exit with 1 if these differ: times, memory, facts
|   -1, --first             print step, series and rank of the first difference,
|                           with tabs between them
|   -a, --all               show every fact and every series of every rank
|       --by COLUMN         pair points by samples, tokens or other totals,
|                           instead of by step
|       --curves            also show the curves of the whole run
|       --html FILE         also write a self-contained HTML page with plots; -
|                           writes it to stdout instead of the report
|       --force             with --html: replace a file that exists
|       --repeats GLOB      compare the second run with the spread of these
|                           repeated runs of the first run's recipe
|       --rounding RUN      name the first tensor that differs by more than
|                           rounding, which this run of the first run's recipe
|                           shows
|       --policy FILE       read thresholds of the diagnosis from FILE:
|                           DIVERGENCE.name = number (docs/divergence.md)
|       --as TOOL           compare two summaries by the rules of another tool,
|                           and show what those rules ignore: traceml
|   -w, --warmup N          of traces: leave out the first N steps that each
|                           marks; 0 leaves out none (default: the first of three
|                           or more)
|       --kernels FILE      of traces: read categories of kernels from FILE, a
|                           rule a line: a category such as gemm, and text that
|                           stands in the name
|       --step-name TEXT    of traces: annotations whose names begin with TEXT are
|                           the steps (default: ProfilerStep#N, or iterations of
|                           vLLM, SGLang and xDiT)
|       --snapshot NAME     compare the memory snapshot of this name in both runs,
|                           and nothing else
|       --reproduce         also print the commands that would run each of the two
|                           runs again, as far as they are recorded
|       --pattern TEMPLATE  read a text log whose lines look like TEMPLATE, such
|                           as 'step {step} loss {loss} lr {lr}'
|       --map SOURCE=COLUMN
|                           what a table or a text log calls SOURCE is COLUMN:
|                           step, timestamp, loss, memory.peak_alloc or others; -
|                           leaves it out (docs/importers.md)
|
| Options of every verb
|   -p, --project NAME      the project of names without one (default:
|                           TSCOPE_PROJECT, else the nearest .tscope file, else
|                           'default')
|       --server ADDRESS    use this server: unix:PATH, tls:HOST:PORT, HOST:PORT
|                           or ssh://HOST; several of one store: A,B (default:
|                           TSCOPE_SERVER, else that of tscope login, else the
|                           local store)
|       --store DIR         use this local store (default: TSCOPE_STORE, else
|                           tscope/store in the XDG data folder)
|       --json              print JSON, also for errors; docs/schemas has the
|                           schemas
|       --color WHEN        use colour: auto, always or never (default: NO_COLOR,
|                           else FORCE_COLOR, else colour on a terminal only)
|       --no-pager          do not send long output through a pager
|   -q, --quiet             print no progress and no remarks on stderr
|   -h, --help              show all of the help; -h shows one screen of it
|
| Examples
|   tscope diff exp1 exp2
|       compares two runs that were pushed
|   tscope diff exp1 ./runs/exp1-rerun
|       compares a run with a directory, which is not stored
|   tscope diff exp1 exp2 exp3 exp4
|       shows which of several runs differ, and from which step on
|   tscope diff base new --repeats 'base-*'
|       tests whether new differs from base by more than repeated runs of base do
|   tscope diff ref new --rounding ref-perturbed
|       names the first module of new whose output or gradient is off by more than
|       rounding
|   tscope diff --html diff.html exp1 exp2
|       also writes a page to share
|   tscope diff --ignore 'session.*' --exit-on facts a b
|       exits with 1 if a fact differs that is not of the session
|   tscope diff ./before.json.gz ./after.json.gz
|       says why a step of one profiler's trace takes longer than of another
|   tscope diff ./before/ ./after/
|       says the same of two folders of traces, rank by rank
|   tscope diff ./before.pickle ./after.pickle
|       shows which stacks hold more memory in one snapshot than in another
|   tscope diff --as traceml ./a/final_summary.json ./b/final_summary.json
|       shows the verdict of TraceML for two summaries beside that of tscope
|
| Exit status
|   0  the same: both runs have the same columns and steps, and every bit agrees
|   1  different: a step that both runs have differs, or something that --exit-on
|      names differs
|   2  not determined: wrong usage, no such run, no connection, damaged data
|   3  inconclusive: the common steps agree, but one run has more steps, or there
|      are no common steps, or only series of unknown meaning differ
|
| More
| Tells in one sentence whether the two runs computed the same values and, if not,
| why and how sure that is. Then it shows for every series the first step at which
| its bits differ and how far apart the values are from there on, the curves, the
| facts that differ, the evidence, and what to run next. Times and memory are
| shown, but they do not decide.
|
| With --repeats, the runs of the project whose names match GLOB, or directories
| that match it, count as repeated runs of the first run's recipe. The command
| shows which of them are the same, which one is the odd one out, and whether the
| second run's loss and gradient norm stay within three times their spread.
|
| With --rounding, RUN is once more the first run's recipe, with the model's input
| perturbed by a relative size that its fact work.perturbation says, or computed
| in the second run's precision. Where all three recorded sketches of their
| tensors (docs/sketches.md), the command names the first module whose output or
| gradient lies further apart than rounding goes, across precisions, kernels and
| parallel layouts.
|
| With three to 256 runs, the command shows a matrix of the first step at which
| each two of them differ or, where the matrix does not fit the terminal, groups
| of runs that computed the same. It exits with 0 if all are the same, with 1 if
| two of them differ, and with 3 otherwise.
|
| With --as traceml and two summaries of TraceML (final_summary.json), the command
| shows the verdict of TraceML's compare by its rules, the verdict of tscope
| beside it, and what TraceML's rules ignore. It exits with 0 for TraceML's
| EQUIVALENT and IMPROVEMENT, with 1 for REGRESSION and MIXED, and with 3 for
| INCONCLUSIVE.
|
| Two files that the PyTorch profiler wrote may stand in the place of the runs.
| Then the command says in one sentence why a step of one takes longer, and shows
| what differs by parts of a step, kernels, operators and functions, with the
| noise over steps as the error (docs/trace.md). The options --all, --warmup and
| --html go with them. Two folders of such traces are compared rank by rank. It
| exits with 0 if nothing stands out, with 1 if something does, and with 3 if one
| of them has a single step, so that no error can be given, or a file ends too
| early.
|
| Two memory snapshots may stand there, too (docs/memory.md). Then the command
| shows what grew, what is new and what is gone, by kind and by stack, at the peak
| and at the end. It exits with 0 if they are the same to the byte, with 1 if not,
| and with 3 if they have no device in common or a file is cut. It does the same
| for two runs that have memory snapshots alone and, with --snapshot, for two runs
| that have some beside their steps.
|
| RUN is a name (exp1, sweep/a), a tag, a branch, or the first digits (4 or more)
| of an id. A slash belongs to a name; PROJECT/NAME is a name of another project.
| The end of one name is enough (exp23 for runs30/exp23), and a line says what it
| was taken for. A prefix run:, tag:, branch: or id: chooses a kind, and
| project:PROJECT/NAME the project. Else RUN is the path of a run directory: this
| command reads it, and nothing is stored. What begins with /, ./ or ../ is always
| a path.
$ tscope lsit
! tscope: there is no verb 'lsit'; did you mean 'list'?
[2]
$ tscope list --colums name
! tscope: list: unknown option --colums; did you mean --columns?
[2]
$ tscope --version
| tscope VERSION, format 1
# Colour: never into a pipe, unless forced.
$ tscope push -q runs/base runs/parts
| name           id            steps      sent       new  outcome
| default/base   18fc3da2967f      8 SIZE SIZE  created
| default/parts  2fce76dd212c      8 SIZE SIZE  created
| 2 runs: 2 created
$ FORCE_COLOR=1 tscope diff base parts | cat -v | head -3
| ^[[31mThe two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6 other series are the same in both; 3 recorded facts differ: code.commit and 2 more^[[0m
| ^[[2mcause: too little in common to compare; confidence: none; from step 3^[[0m
|   The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6
$ NO_COLOR=1 tscope diff base parts | cat -v | head -1
| The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6 other series are the same in both; 3 recorded facts differ: code.commit and 2 more
$ FORCE_COLOR=1 NO_COLOR=1 tscope diff base parts | cat -v | head -1
| The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6 other series are the same in both; 3 recorded facts differ: code.commit and 2 more
$ NO_COLOR=1 tscope diff --color always base parts | cat -v | head -1
| ^[[31mThe two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6 other series are the same in both; 3 recorded facts differ: code.commit and 2 more^[[0m
$ FORCE_COLOR=1 tscope diff --color=never base parts | cat -v | head -1
| The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6 other series are the same in both; 3 recorded facts differ: code.commit and 2 more
# 60 columns.
$ COLUMNS=60 tscope list --columns name,id,state,steps,ranks,config.lr,seeds.torch,started
| name   id            state     steps  ranks  config.lr
|     seeds.torch  started
| parts  2fce76dd212c  finished      8      1     0.0012
|               8  2023-11-14 22:13Z
| base   18fc3da2967f  finished      8      1      0.001
|               7  2023-11-14 22:13Z
$ COLUMNS=60 tscope show base
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
| own name  base
| names     run default/base
| state     finished
| started   2023-11-14 22:13Z, took 2.00 s
| steps     8 (0 to 7)
| ranks     1
| facts     code 1, config 3, seeds 1, libraries 2,
|           parallelism 1, session 4
|
| metric   last  best (step)      mean    min    max
| loss     0.25     0.25 (7)  0.679464   0.25      2
| lr      0.001            -     0.001  0.001  0.001
|
| cost                mean      min      max     last
| memory.alloc     4.5 MiB    1 MiB    8 MiB    8 MiB
| phases.backward   160 ms   160 ms   160 ms   160 ms
| phases.data      10.0 ms  10.0 ms  10.0 ms  10.0 ms
| phases.forward   80.0 ms  80.0 ms  80.0 ms  80.0 ms
$ COLUMNS=60 tscope facts base
| code.commit           aaaaaaaaaaaaaaaaaa…  text   facts.json
| config.layers[0]      2                    int    run.json
| config.layers[1]      4                    int    run.json
| config.lr             0.001                float  run.json
| seeds.torch           7                    int    facts.json
| libraries.python      3.11.2               text   run.json
| libraries.torch       2.6.0                text   run.json
| parallelism.world_s…  1                    int    run.json
| session.n_steps       8                    int    run.json
| session.name          base                 text   run.json
| session.started       1700000000.0         float  run.json
| session.wall_time     2.0                  float  run.json
$ COLUMNS=60 tscope diff base parts
| The two runs first differ at step 3: loss is 0.5 in the
| first run and 0.50001 in the second; 6 other series are the
| same in both; 3 recorded facts differ: code.commit and 2
| more
| cause: too little in common to compare; confidence: none;
|   from step 3
|   The two runs first differ at step 3: loss is 0.5 in the
|     first run and 0.50001 in the second; 6 other series are
|     the same in both; 3 recorded facts differ: code.commit
|     and 2 more
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  parts  2fce76dd212c  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    no: loss differs at step 3
|   numerical    not known: the relative difference of the
|                loss is up to 4e-05; without repeats of the
|                first run nothing shows by how much repeats
|                differ
|   statistical  not known: one run on each side does not show
|                how much runs vary by chance: repeat the
|                first run twice, then use tscope diff
|                18fc3da2967f 2fce76dd212c --repeats GLOB
|
| OUTCOMES
|                          a        b     b - a
|   loss, last tenth    0.25  0.25001  +0.004 %
|   loss, best          0.25  0.25001  +0.004 %
|   peak memory        8 MiB    8 MiB  the same
|   steps                  8        8  the same
|   wall time         1.75 s   1.75 s  the same
|
| SERIES  1 series differs, 6 are the same
|   series  first step  visible       r
|   loss             3        3  2.0e-5
|   first step: the first with different bits; visible: the
|     first with a difference above the rounding of the
|     values; r: |a - b| / max(|a|, |b|) at that step
|   loss    a  0.5
|   step 3  b  0.50001
|                 ^
|
| CURVES AROUND THE FIRST DIFFERENCE
|   loss         a, b, • both
|             2 │•  ┊
|               │   ┊
|               │   ┊
|               │ • ┊
|               │  ••
|          0.25 │   ┊••••
|                0  3   7
|   r               ▁▃▅▇█
|                r from 2.0e-5 to 4.0e-5, logarithmic
|
| FACTS THAT DIFFER
|   1 in code, 1 in config, 1 in seeds, 1 in session
|   code.commit
|       aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ->
|       bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
|   config.lr  0.001  ->  0.0012
|   seeds.torch  7  ->  8
|   session.name  base  ->  parts
[1]
# A reader that has had enough.
$ tscope help | head -1
| tscope - git for training runs
# A narrow terminal: a series keeps its line, and what it can do without is left out.
$ mkdir narrow; for k in $(seq 9); do printf '{"step": %d, "scalars": {"loss": %d.5, "global_samples": %d}}\n' $k $k $((k * 12345678)); done > narrow/steps.jsonl
$ COLUMNS=60 tscope show ./narrow | sed -n '/^metric/,/^$/p'
| metric                 last  best (step)          max
| global_samples  111,111,102            -  111,111,102
| loss                    9.5      1.5 (1)          9.5
$ COLUMNS=100 tscope show ./narrow | sed -n '/^metric/,/^$/p'
| metric                 last  best (step)        mean         min          max
| global_samples  111,111,102            -  61,728,390  12,345,678  111,111,102
| loss                    9.5      1.5 (1)         5.5         1.5          9.5
