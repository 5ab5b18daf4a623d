# Help for a stranger.
$ tscope
! tscope: which verb? 'tscope help' lists them
[2]
$ tscope help
| tscope - git for training runs
|
| Usage: tscope VERB [OPTIONS] [ARGUMENTS]
|
| Push a training run once; it is known by what it contains. Any two runs can be
| compared: the first step at which they part, and what else differs between them.
| Runs are kept on a server (TSCOPE_SERVER) or, with none, in a store in your home
| folder.
|
| Verbs
|   push          store runs and give them names
|   list          list runs, filtered, sorted, with the columns asked for
|   show          what a run is: names, facts, series, files
|   facts         what is recorded about a run, or about this host
|   analyze       what a run is bound by, what is wrong with it, and why
|   explain       the rules behind the findings of analyze
|   diff          the first step at which two runs part, and what else differs
|   check-resume  whether a run went on correctly from a checkpoint
|   gate          whether a run is slower than its baselines, by a test
|   baseline      which runs a gate would compare with, and why not others
|   trend         where the level of a branch's step time changed, and between
|                 which commits
|   name          give a run another name
|   tag           pin a run under a name that does not move, or list tags
|   note          keep or show notes on a run
|   log           where a name has pointed, newest first
|   rm            remove names, tags or branches
|   export        write a run back to files
|   verify        read everything again and recompute every digest
|   gc            free what no name reaches
|   version       versions of this program and of the server
|   help          help, man pages, shell completion
|
| Begin with
|   tscope push runs/exp1 runs/exp2
|   tscope list
|   tscope diff exp1 exp2
|   tscope diff ./runs/exp1 ./runs/exp2     nothing is stored
|   tscope help diff                        all about a verb
|
| Environment
|   TSCOPE_SERVER          the server to talk to: unix:PATH, HOST:PORT or
|                          ssh://HOST
|   TSCOPE_STORE           the local store, used when no server is named
|   TSCOPE_PROJECT         the project of names that do not say theirs
|   TSCOPE_PAGER, PAGER    the pager for long output; empty or cat for none
|   NO_COLOR, FORCE_COLOR  no colour, colour even into a pipe
|   COLUMNS                the width that tables have to fit
$ tscope diff --help
| tscope diff - the first step at which two runs part, and what else differs
|
| Usage: tscope diff [OPTIONS] RUN RUN [RUN...]
|
| Says in one sentence whether the two runs computed the same and, if not, why and
| how sure that is; then for every series the first step where its bits differ and
| how far apart it is from there on, the curves, the facts that differ, the
| evidence, and what to run next. Times and memory are shown and do not decide.
|
| With --repeats, runs of the project whose names match GLOB, or directories that
| do, are taken as runs of the first one's recipe: which of them are the same,
| which is the odd one out, and whether the second run's loss and gradient norm
| stay within three times their spread.
|
| With three runs or more, up to 256: a matrix of the first step at which each two
| of them part, or, where it does not fit the terminal, groups of runs that
| computed the same. It exits 0 when all are the same, 1 when two of them part, 3
| otherwise.
|
| With --as traceml, of two summaries of TraceML (final_summary.json): the verdict
| of its compare, by its rules, ours beside it, and what its rules pass over. It
| exits 0 where TraceML says EQUIVALENT or IMPROVEMENT, 1 where it says REGRESSION
| or MIXED, 3 where it says INCONCLUSIVE.
|
| RUN is a name (exp1, project/exp1), a tag, a branch, or the first digits (4 or
| more) of an id; run:, tag:, branch: and id: in front say which. What begins with
| /, ./ or ../ is a run directory: it is read for this one command, and nothing is
| stored.
|
| Options
|   -i, --ignore GLOB       leave out facts whose path matches, such as
|                           'session.*'
|       --exit-on WHAT      also exit 1 when these differ: times, memory, facts
|   -1, --first             one line: first step, series and rank at which the
|                           runs part, tabs between
|   -a, --all               every fact and every series of every rank
|       --by COLUMN         pair points by samples, tokens or another column of
|                           totals in place of the step
|       --curves            also the curves of the whole run
|       --html FILE         also write a page with plots, which needs nothing
|                           else; - writes it to stdout in place of the report
|       --repeats GLOB      hold the second run against the spread of these runs
|                           of the first one's recipe
|       --policy FILE       cut-offs of the diagnosis: DIVERGENCE.name = number
|                           (docs/divergence.md)
|       --as TOOL           what TraceML's compare says of two of its summaries,
|                           and what it passes over: traceml
|       --reproduce         also what would run each of the two again, as far as
|                           it is recorded
|
| Options of every verb
|   -p, --project NAME      the project of names that do not say theirs (else
|                           TSCOPE_PROJECT, the nearest .tscope file, 'default')
|       --server ADDRESS    talk to this server: unix:PATH, HOST:PORT or
|                           ssh://HOST (else TSCOPE_SERVER, else the local store)
|       --store DIR         the local store (else TSCOPE_STORE, else tscope/store
|                           in the XDG data folder)
|       --json              print JSON, errors included; docs/schemas has its
|                           schemas
|       --color WHEN        auto, always or never (else NO_COLOR, FORCE_COLOR,
|                           else when it is a terminal)
|       --no-pager          do not send long output through a pager
|   -q, --quiet             no progress and no remarks on stderr
|   -h, --help              show this help
|
| Examples
|   tscope diff exp1 exp2
|       two runs that were pushed
|   tscope diff exp1 ./runs/exp1-rerun
|       a run and a directory, which is not pushed
|   tscope diff exp1 exp2 exp3 exp4
|       which of several part, and where
|   tscope diff base new --repeats 'base-*'
|       is new farther from base than base is from itself?
|   tscope diff --html diff.html exp1 exp2
|       and a page to pass on
|   tscope diff --ignore 'session.*' --exit-on facts a b
|       exit 1 when a fact differs that is not of the session
|   tscope diff --as traceml ./a/final_summary.json ./b/final_summary.json
|       TraceML's verdict of two summaries, and ours beside it
|
| Exit status
|   0  the same: what was computed has the same columns, steps and bits
|   1  different: some step that both have differs, or what --exit-on names does
|   2  could not be determined: wrong usage, no such run, no connection, damaged
|      data
|   3  inconclusive: the steps that both have agree, but one has more or they have
|      none in common, or only series of unknown meaning differ
$ tscope lsit
! tscope: 'lsit' is no verb of tscope; did you mean 'list'?
[2]
$ tscope list --colums name
! tscope: list: unknown option --colums; did you mean --columns?
[2]
$ tscope --version
| tscope 0.1.0, format 1
# Colour: never into a pipe, unless forced.
$ tscope push -q runs/base runs/parts
| name           id            steps      sent       new  outcome
| default/base   18fc3da2967f      8 SIZE SIZE  created
| default/parts  2fce76dd212c      8 SIZE SIZE  created
$ FORCE_COLOR=1 tscope diff base parts | cat -v | head -3
| ^[[31mloss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2 more^[[0m
| ^[[2mcause: not comparable; confidence: none; from step 3^[[0m
|   loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2
$ NO_COLOR=1 tscope diff base parts | cat -v | head -1
| loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2 more
$ FORCE_COLOR=1 NO_COLOR=1 tscope diff base parts | cat -v | head -1
| loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2 more
$ NO_COLOR=1 tscope diff --color always base parts | cat -v | head -1
| ^[[31mloss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2 more^[[0m
$ FORCE_COLOR=1 tscope diff --color=never base parts | cat -v | head -1
| loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2 more
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
| steps     8 (0 to 7)
| ranks     1
| facts     code 1, config 3, seeds 1, libraries 2,
|           parallelism 1, session 4
| notes     state = finished
|
| series           role         type  ranks  rows  steps
| memory.alloc     observation  f64       1     8  0 to 7
| phases.backward  observation  f64       1     8  0 to 7
| phases.data      observation  f64       1     8  0 to 7
| phases.forward   observation  f64       1     8  0 to 7
| scalars.loss     trajectory   f64       1     8  0 to 7
| scalars.lr       trajectory   f64       1     8  0 to 7
| timestamp        observation  f64       1     8  0 to 7
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
| loss parts at step 3: 0.5 against 0.50001; 6 other series
| agree; facts differ: code.commit and 2 more
| cause: not comparable; confidence: none; from step 3
|   loss parts at step 3: 0.5 against 0.50001; 6 other series
|     agree; facts differ: code.commit and 2 more
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  parts  2fce76dd212c  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    fails: loss differs at step 3
|   numerical    not known: the loss is up to a relative 4e-05
|                apart; without repeats of a run nothing says
|                how far repeats are
|   statistical  not known: one run a side says nothing of how
|                runs scatter: run the first recipe twice
|                more, and tscope diff 18fc3da2967f
|                2fce76dd212c --repeats GLOB
|
| SERIES  1 parts, 6 are the same
|   series  first bits  visible  r there
|   loss             3        3   2.0e-5
|   r = |a - b| / max(|a|, |b|), and 10, 30, 100 points later;
|     slope of ln r a step; end: last tenth
|   loss    a  0.5
|   step 3  b  0.50001
|                 ^
|
| CURVES AROUND THE SPLIT
|   loss         a, b, • both
|             2 │•  ┊
|               │   ┊
|               │   ┊
|               │ • ┊
|               │  ••
|          0.25 │   ┊••••
|                0  3   7
|   apart           ▁▃▅▇█
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
