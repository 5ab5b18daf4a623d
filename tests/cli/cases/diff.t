$ tscope push -q runs/base runs/rerun runs/parts runs/longer runs/mood runs/mood2 runs/apart
| name            id            steps      sent       new  outcome
| default/base    18fc3da2967f      8 SIZE SIZE  created
| default/rerun   615c705062bf      8 SIZE SIZE  created
| default/parts   2fce76dd212c      8 SIZE SIZE  created
| default/longer  782180165393     12 SIZE SIZE  created
| default/mood    02543aa2aba4      8 SIZE SIZE  created
| default/mood2   46aff2c7d8bf      8 SIZE SIZE  created
| default/apart   a119718b675c      8 SIZE SIZE  created
| 7 runs: 7 created
# The same: what was computed repeats bit for bit.
$ tscope diff base rerun
| Both runs computed the same, bit for bit: 2 series of the trajectory agree over 8 steps
| cause: no difference found; confidence: low
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  rerun  615c705062bf  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that both runs have is equal
|                over 8 common steps
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                          a       b     b - a
|   loss, last tenth    0.25    0.25  the same
|   loss, best          0.25    0.25  the same
|   peak memory        8 MiB   8 MiB  the same
|   steps                  8       8  the same
|   wall time         1.75 s  1.75 s  the same
|
| SERIES  7 series are the same
|
| FACTS THAT DIFFER  2 in session
|   session.name     base          ->  rerun
|   session.started  1700000000.0  ->  1700001000.0
|
| EVIDENCE
|   for          the runs agree bit for bit over 8 common steps: loss (float64), lr (float64)
|   against      the two runs have only 8 common steps
# Different.
$ tscope diff base parts
| The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6 other series are the same in both; 3 recorded facts differ: code.commit and 2 more
| cause: too little in common to compare; confidence: none; from step 3
|   The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6
|     other series are the same in both; 3 recorded facts differ: code.commit and 2 more
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  parts  2fce76dd212c  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    no: loss differs at step 3
|   numerical    not known: the relative difference of the loss is up to 4e-05; without repeats of the
|                first run nothing shows by how much repeats differ
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff 18fc3da2967f 2fce76dd212c --repeats GLOB
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
|   first step: the first with different bits; visible: the first with a difference above the rounding
|     of the values; r: |a - b| / max(|a|, |b|) at that step
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
| FACTS THAT DIFFER  1 in code, 1 in config, 1 in seeds, 1 in session
|   code.commit   aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ->  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
|   config.lr     0.001                                     ->  0.0012
|   seeds.torch   7                                         ->  8
|   session.name  base                                      ->  parts
[1]
$ tscope diff --first base parts
| 3	scalars.loss	0
[1]
# Nothing that decides.
$ tscope diff --first base rerun
| -	-	-
# The curves of the whole run, what would run each again, and a page.
$ tscope diff --curves --reproduce base parts | sed -n '/CURVES/,$p'
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
| FACTS THAT DIFFER  1 in code, 1 in config, 1 in seeds, 1 in session
|   code.commit   aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ->  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
|   config.lr     0.001                                     ->  0.0012
|   seeds.torch   7                                         ->  8
|   session.name  base                                      ->  parts
|
| REPRODUCE
|   a            base 18fc3da2967f 8 steps (0 to 7), 1 rank
|       git checkout aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
|   not known    whether the code had uncommitted changes, because there is no fact code.dirty; the
|                environment, because there is no fact determinism.env.*; the command, because there
|                is no fact session.command (tscope facts --command records it) or session.argv
|   b            parts 2fce76dd212c 8 steps (0 to 7), 1 rank
|       git checkout bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
|   not known    whether the code had uncommitted changes, because there is no fact code.dirty; the
|                environment, because there is no fact determinism.env.*; the command, because there
|                is no fact session.command (tscope facts --command records it) or session.argv
$ tscope diff --html page.html base parts | head -1; head -c 15 page.html; exit ${PIPESTATUS[0]}
| The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6 other series are the same in both; 3 recorded facts differ: code.commit and 2 more
| <!DOCTYPE html>\
! tscope: wrote page.html
$ tscope diff --html - --first base parts
! tscope: diff: --html - writes to stdout, and so does --first; give --html the name of a file
[2]
# By what had been trained on: neither run counts it.
$ tscope diff --by tokens base parts
! tscope: the first run: it has no column of numbers named tokens to align by
[2]
# Mirrored.
$ tscope diff parts base
| The two runs first differ at step 3: loss is 0.50001 in the first run and 0.5 in the second; 6 other series are the same in both; 3 recorded facts differ: code.commit and 2 more
| cause: too little in common to compare; confidence: none; from step 3
|   The two runs first differ at step 3: loss is 0.50001 in the first run and 0.5 in the second; 6
|     other series are the same in both; 3 recorded facts differ: code.commit and 2 more
|   a  parts  2fce76dd212c  8 steps (0 to 7)  1 rank
|   b  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    no: loss differs at step 3
|   numerical    not known: the relative difference of the loss is up to 4e-05; without repeats of the
|                first run nothing shows by how much repeats differ
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff 2fce76dd212c 18fc3da2967f --repeats GLOB
|
| OUTCOMES
|                           a       b     b - a
|   loss, last tenth  0.25001    0.25  -0.004 %
|   loss, best        0.25001    0.25  -0.004 %
|   peak memory         8 MiB   8 MiB  the same
|   steps                   8       8  the same
|   wall time          1.75 s  1.75 s  the same
|
| SERIES  1 series differs, 6 are the same
|   series  first step  visible       r
|   loss             3        3  2.0e-5
|   first step: the first with different bits; visible: the first with a difference above the rounding
|     of the values; r: |a - b| / max(|a|, |b|) at that step
|   loss    a  0.50001
|   step 3  b  0.5
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
| FACTS THAT DIFFER  1 in code, 1 in config, 1 in seeds, 1 in session
|   code.commit   bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb  ->  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
|   config.lr     0.0012                                    ->  0.001
|   seeds.torch   8                                         ->  7
|   session.name  parts                                     ->  base
[1]
# Inconclusive: more steps on one side, none in common, only a series of unknown meaning.
$ tscope diff base longer
| The trajectories cannot be compared in full: loss agrees at 8 common steps, but the second run has 4 steps (8 to 11) that the first lacks
| costs of b against a: peak memory +50.0 %
| cause: no difference found in what was computed, but its costs differ; confidence: low
|   a  base    18fc3da2967f  8 steps (0 to 7)    1 rank
|   b  longer  782180165393  12 steps (0 to 11)  1 rank
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that both runs have is equal
|                over 8 common steps
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                          a         b    b - a
|   loss, last tenth    0.25  0.174243  -30.3 %
|   loss, best          0.25  0.166667  -33.3 %
|   peak memory        8 MiB    12 MiB  +50.0 %
|   steps                  8        12       +4
|   wall time         1.75 s    2.75 s  +57.1 %
|
| SERIES  no series is the same
|   agree        these series agree at all common steps: loss, lr
|
| FACTS THAT DIFFER  1 in session
|   session.name  base  ->  longer
|
| ONLY ON ONE SIDE
|   only b       4 steps (8 to 11)
|
| EVIDENCE
|   for          the runs agree bit for bit over 8 common steps: loss (6 decimals), lr (float64)
|   for          the precision of the written values was not declared, so tscope inferred it: loss has
|                6 decimals (seen in 12 values of the second run)
|   against      the values were rounded when they were written, and a smaller difference cannot be
|                seen
|   against      the two runs have only 8 common steps
[3]
$ tscope diff base apart
| The trajectories cannot be compared in full: no step of loss is in both runs; 2 recorded facts differ: code.commit and 1 more
| costs of b against a: peak memory +1250 %
| cause: too little in common to compare; confidence: none
|   The trajectories cannot be compared in full: no step of loss is in both runs; 2 recorded facts
|     differ: code.commit and 1 more
|   a  base   18fc3da2967f  8 steps (0 to 7)      1 rank
|   b  apart  a119718b675c  8 steps (100 to 107)  1 rank
|
| EQUIVALENT?
|   bit-exact    not known: the two runs have no common step
|   numerical    not known: there is nothing to compare
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff 18fc3da2967f a119718b675c --repeats GLOB
|
| OUTCOMES
|                          a         b     b - a
|   loss, last tenth    0.25  0.018519   -92.6 %
|   loss, best          0.25  0.018519   -92.6 %
|   peak memory        8 MiB   108 MiB   +1250 %
|   steps                  8         8  the same
|   wall time         1.75 s    1.75 s  the same
|
| SERIES  no series is the same
|
| FACTS THAT DIFFER  1 in code, 1 in seeds, 1 in session
|   code.commit   aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ->  not recorded
|   seeds.torch   7                                         ->  not recorded
|   session.name  base                                      ->  apart
|
| ONLY ON ONE SIDE
|   only a       8 steps (0 to 7)
|   only b       8 steps (100 to 107)
|   apart        these series have no common step: loss, lr
[3]
$ tscope diff mood mood2
| The trajectory agrees, but in another series the two runs first differ at step 2: mood is 2.0 in the first run and 0.0 in the second; it is not known whether mood is part of the trajectory: declare columns.<name>.role in facts.json
| cause: no difference found; confidence: low
|   a  mood   02543aa2aba4  8 steps (0 to 7)  1 rank
|   b  mood2  46aff2c7d8bf  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that both runs have is equal
|                over 8 common steps
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                          a       b     b - a
|   loss, last tenth    0.25    0.25  the same
|   loss, best          0.25    0.25  the same
|   peak memory        8 MiB   8 MiB  the same
|   steps                  8       8  the same
|   wall time         1.75 s  1.75 s  the same
|
| SERIES  1 series differs, 7 are the same
|   series               first step  visible  r
|   mood (unknown role)           2        2  1
|   first step: the first with different bits; visible: the first with a difference above the rounding
|     of the values; r: |a - b| / max(|a|, |b|) at that step
|   mood    a  2.0
|   step 2  b  0.0
|              ^
|
| FACTS THAT DIFFER  1 in session
|   session.name  mood  ->  mood2
|
| EVIDENCE
|   for          the runs agree bit for bit over 8 common steps: loss (float64), lr (float64)
|   against      the two runs have only 8 common steps
[3]
# A column that is numbers in one and text in the other: nothing of it was compared, and that is why.
$ mkdir words some; sed -E 's/"mood":([0-9]+)/"mood":"m\1"/' runs/mood/steps.jsonl >words/steps.jsonl; cp runs/mood/run.json words; sed -E 's/"mood":([01])}/"mood":"m\1"}/' runs/mood/steps.jsonl >some/steps.jsonl; cp runs/mood/run.json some
$ tscope diff mood ./words
| The trajectory agrees, but one series cannot be compared in full: only the first run has mood as f64; the second run has it as text; it is not known whether mood is part of the trajectory: declare columns.<name>.role in facts.json
| cause: no difference found; confidence: low
|   a  mood     02543aa2aba4  8 steps (0 to 7)  1 rank
|   b  ./words  3c3a6fc5382b  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that both runs have is equal
|                over 8 common steps
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                          a       b     b - a
|   loss, last tenth    0.25    0.25  the same
|   loss, best          0.25    0.25  the same
|   peak memory        8 MiB   8 MiB  the same
|   steps                  8       8  the same
|   wall time         1.75 s  1.75 s  the same
|
| SERIES  7 series are the same
|
| FACTS THAT DIFFER  no recorded fact differs
|
| ONLY ON ONE SIDE
|   only a       mood (f64; text in b)
|   only b       mood (text; f64 in a)
|
| EVIDENCE
|   for          the runs agree bit for bit over 8 common steps: loss (float64), lr (float64)
|   against      the two runs have only 8 common steps
[3]
$ tscope diff mood ./words --json | grep -A3 '"state": "only_'
|       "state": "only_a",
|       "other_types": [
|         "text"
|       ],
| --
|       "state": "only_b",
|       "other_types": [
|         "f64"
|       ],
# One that is both in one run is text only there; its numbers are compared.
$ tscope diff mood ./some
| The trajectory agrees, but one series cannot be compared in full: mood agrees at 2 common steps, but the first run has 6 steps that the second lacks; it is not known whether mood is part of the trajectory: declare columns.<name>.role in facts.json
| cause: no difference found; confidence: low
|   a  mood    02543aa2aba4  8 steps (0 to 7)  1 rank
|   b  ./some  e3596f8144ad  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that both runs have is equal
|                over 8 common steps
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                          a       b     b - a
|   loss, last tenth    0.25    0.25  the same
|   loss, best          0.25    0.25  the same
|   peak memory        8 MiB   8 MiB  the same
|   steps                  8       8  the same
|   wall time         1.75 s  1.75 s  the same
|
| SERIES  7 series are the same
|   agree        these series agree at all common steps: mood
|
| FACTS THAT DIFFER  no recorded fact differs
|
| ONLY ON ONE SIDE
|   only b       mood (text; f64 in a)
|
| EVIDENCE
|   for          the runs agree bit for bit over 8 common steps: loss (float64), lr (float64)
|   against      the two runs have only 8 common steps
[3]
$ tscope diff base base
| Both sides are the same run: their ids are equal
| cause: no difference found; confidence: high
|   a  base  18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  base  18fc3da2967f  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    yes: both sides are the same run
|   numerical    yes: both sides are the same run
|   statistical  yes: both sides are the same run
|
| SERIES  7 series are the same
|
| FACTS THAT DIFFER  no recorded fact differs
# Facts do not decide unless asked.
$ tscope diff base rerun --exit-on facts | head -1; exit ${PIPESTATUS[0]}
| Both runs computed the same, bit for bit: 2 series of the trajectory agree over 8 steps
[1]
$ tscope diff base rerun --exit-on facts --ignore 'session.*'
| Both runs computed the same, bit for bit: 2 series of the trajectory agree over 8 steps
| cause: no difference found; confidence: low
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  rerun  615c705062bf  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that both runs have is equal
|                over 8 common steps
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                          a       b     b - a
|   loss, last tenth    0.25    0.25  the same
|   loss, best          0.25    0.25  the same
|   peak memory        8 MiB   8 MiB  the same
|   steps                  8       8  the same
|   wall time         1.75 s  1.75 s  the same
|
| SERIES  7 series are the same
|
| FACTS THAT DIFFER  no recorded fact differs; --ignore left out 2
|
| EVIDENCE
|   for          the runs agree bit for bit over 8 common steps: loss (float64), lr (float64)
|   against      the two runs have only 8 common steps
$ tscope diff base rerun --exit-on times --exit-on memory | head -1; exit ${PIPESTATUS[0]}
| Both runs computed the same, bit for bit: 2 series of the trajectory agree over 8 steps
# Paths, and a path beside a name; nothing is stored.
$ tscope diff --store none ./runs/base ./runs/parts | head -1; test -e none || echo no store
| The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6 other series are the same in both; 3 recorded facts differ: code.commit and 2 more
| no store
$ tscope diff base ./runs/parts | head -1
| The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6 other series are the same in both; 3 recorded facts differ: code.commit and 2 more
# Real trainings of three ranks.
$ tscope diff ./demo/base ./demo/rerun
| Both runs computed the same, bit for bit: 18 series of the trajectory agree over 160 steps
| cause: no difference found; confidence: high
|   a  ./demo/base   6ae1a7a00e48  160 steps (0 to 159)  3 ranks
|   b  ./demo/rerun  496f6bc873aa  160 steps (0 to 159)  3 ranks
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that both runs have is equal
|                over 160 common steps
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                                a           b           b - a
|   loss, last tenth        1.7279      1.7279        the same
|   loss, best            0.731249    0.731249        the same
|   step time, mean        19.9 ms     19.5 ms   -2.1 % ±5.4 %
|   step time, median      19.8 ms     19.5 ms   -1.3 % ±3.5 %
|   steps per second      50.18 /s    51.28 /s   +2.2 % ±5.4 %
|   samples per second  588,868 /s  601,481 /s  +2.1 % ±85.7 %
|   steps                      160         160        the same
|   wall time               3.17 s      3.10 s          -2.1 %
|   ± is the 95 % interval from how the steps vary within each run. Runs of the same code differ by
|     more; tscope gate compares with several.
|
| SERIES  18 series are the same (counted on each rank)
|   costs        these series differ, but do not decide: memory.rss, phases.backward, phases.comm,
|                phases.data, phases.forward, phases.optimizer, timestamp
|
| FACTS THAT DIFFER  3 in session
|   session.name                  chars-base         ->  chars-rerun
|   session.started (+2 ranks)    1795176038.980202  ->  1795176046.871779
|   session.wall_time (+2 ranks)  3.225942724        ->  3.151066135
|
| EVIDENCE
|   for          the runs agree bit for bit over 160 common steps: loss (float32, 3 ranks), grad_norm
|                (float32, 3 ranks), lr (float64, 3 ranks), digests.params (3 ranks), digests.batch (3
|                ranks)
|   for          the precision of the written values was not declared, so tscope inferred it: loss is
|                float32 (seen in 160 values of each run), grad_norm is float32 (seen in 160 values of
|                each run)
$ tscope diff ./demo/base ./demo/order
| The batches differ from step 80 on, after equal ones, although the data are the same: they seem to be drawn in a different order from there on
| cause: a different data order; confidence: low; from step 80
|   The two runs first differ at step 80: digests.batch on rank 1 is 503fb813e1a0ba06 in the first run
|     and 449ffcf04fb1f990 in the second; 9 more series differ at that step or later; 8 other series
|     are the same in both
|   a  ./demo/base   6ae1a7a00e48  160 steps (0 to 159)  3 ranks
|   b  ./demo/order  f5748eb37f3e  160 steps (0 to 159)  3 ranks
|
| EQUIVALENT?
|   bit-exact    no: digests.params differs at step 80
|   numerical    not known: the relative difference of the loss is up to 0.5574; without repeats of
|                the first run nothing shows by how much repeats differ
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff 6ae1a7a00e48 f5748eb37f3e --repeats GLOB
|
| OUTCOMES
|                                a           b           b - a
|   loss, last tenth        1.7279     1.72523         -0.15 %
|   loss, best            0.731249    0.747459          +2.2 %
|   step time, mean        19.9 ms     19.2 ms   -3.4 % ±6.5 %
|   step time, median      19.8 ms     19.2 ms     -3 % ±5.6 %
|   steps per second      50.18 /s    51.96 /s   +3.5 % ±6.7 %
|   samples per second  588,868 /s  609,967 /s  +3.6 % ±83.6 %
|   steps                      160         160        the same
|   wall time               3.17 s      3.06 s          -3.4 %
|   ± is the 95 % interval from how the steps vary within each run. Runs of the same code differ by
|     more; tscope gate compares with several.
|
| SERIES  10 series differ, 8 are the same (counted on each rank)
|   series          rank  first step  visible       r   r+10  r+30    slope  r end
|   digests.batch   1             80        -       -      -     -        -      -
|   digests.params  0 +2          80        -       -      -     -        -      -
|   grad_norm       0 +2          80       80  9.1e-4  0.031  0.14    0.011  0.048
|   loss            1 +2          80       80    0.12   0.13  0.18  -0.0073   0.04
|   first step: the first with different bits; visible: the first with a difference above the rounding
|     of the values; r: |a - b| / max(|a|, |b|) at that step; r+10: r 10 points later; slope: growth
|     of ln r per step; r end: r in the last tenth of the points; +2: and 2 more ranks
|   ranks        all 3 ranks that differ first differ at step 80
|   grad_norm        a  1.996155023574829
|   step 80, rank 0  b  1.9979759454727173
|                           ^
|   loss             a  1.9231367111206055
|   step 80, rank 1  b  1.6872142553329468
|                         ^
|   digests.batch    a  503fb813e1a0ba06
|   step 80, rank 1  b  449ffcf04fb1f990
|                       ^
|   costs        these series differ, but do not decide: memory.rss, phases.backward, phases.comm,
|                phases.data, phases.forward, phases.optimizer, timestamp
|
| CURVES AROUND THE FIRST DIFFERENCE
|   loss         rank 1; a, b, • both
|         2.271 │                             ┊  a                                   a
|               │ •    • ••    • •      •    •┊     a        b              b              b         a
|               │• • •• •    •    •  •      • b    b   abab     aa   b b•           a  b b   a  a  •
|               │          ••   •     •• •••  ab b•ab b a ab ab   bba ba  •baaa•a  •b aa•aaa bb b••  b
|               │   •         •    ••         ┊a•    •ab b a• a•bba  aa  b a bb b••   b   b • a•    •
|         1.143 │                             ┊                    ab    a           b
|                40                          80                                                    159
|   r                                         █▆▆▇▇▆▇▇▇█▇▇▇▆▆█▇▇██▆█▇▇▇▅▇▇▅█▇▇▆▄█▄▆▁██▆▆▆▇▇▇▆▆▇▃▆▆▄▅▄█
|                r from 0.0016 to 0.56, logarithmic
|   grad_norm    rank 0; a, b, • both
|         2.215 │                             ┊  a                                        a
|               │                            •┊
|               │•• ••     •  •         ••    b  b    •      b •  •  a         b  bb •    b  aa •
|               │  •  ••••• •• • ••  • •  ••• aa  •••• •b bab    • babba• •b  •  ba    abb b b b  a• a
|               │               •  •• •       ┊b•       a•abaa• a  a  ab • a•• a•a a• •baa a• ba •b  b
|         1.288 │                             ┊                 b   b                               •
|                40                          80                                                    159
|   r                                         █▇▇██▅▆▇▆█▇▁▇▇██▆███▇████▇▇▆▅█▇█▇██████▅▆▅▇███▇██▇▆▆▇█▆▇
|                r from 1.4e-4 to 0.24, logarithmic
|
| FACTS THAT DIFFER  3 in session
|   session.name                  chars-base         ->  chars-order
|   session.started (+2 ranks)    1795176038.980202  ->  1795176054.0815606
|   session.wall_time (+2 ranks)  3.225942724        ->  3.097707511
|
| EVIDENCE
|   for          loss first differs at step 80 (relative difference 0.1227), on 1 of 3 ranks (rank 1)
|   for          grad_norm first differs at step 80 (relative difference 0.0009114), on all ranks
|   for          digests.params first differs at step 80, on all ranks
|   for          digests.batch first differs at step 80, on 1 of 3 ranks (rank 1)
|   for          both runs say that they read the same data
|   for          the precision of the written values was not declared, so tscope inferred it: loss is
|                float32 (seen in 160 values of each run), grad_norm is float32 (seen in 160 values of
|                each run)
|   against      no batch of one run is in the other run: batches of a different size, or that are
|                made in a different way, would look the same
|   could be     a different setting or schedule; the same work on ranks with different numbers; a
|                resume that did not restore all training state; a resume that did not restore the
|                data position; different code, or a different objective; different data; the same
|                data at a different position; different random numbers; data that the run itself
|                makes; different gradients after equal forward passes; corrupted training state; a
|                different precision or kernel; a different order of summation; a different device,
|                library or driver; nondeterministic kernels
|
| NEXT
|   1            record digests.rng, digests.grads in both runs from step 79 to step 100, push them
|                and compare again (100 steps to run); this shows which input differs first:
|                parameters, batch, random generators or gradients
|       tscope diff 6ae1a7a00e48-digests f5748eb37f3e-digests
|   2            repeat the first run twice for 100 steps, and push the repeats as 6ae1a7a00e48-r1 and
|                6ae1a7a00e48-r2 (200 steps to run); this shows whether the first run is repeatable
|                and only the second run is different
|       tscope diff 6ae1a7a00e48 f5748eb37f3e --repeats '6ae1a7a00e48-r*'
|   3            run each recipe again for 100 steps on the hosts of the other run, and push them as
|                6ae1a7a00e48-swap and f5748eb37f3e-swap (200 steps to run); this shows whether the
|                cause is a host or a recipe: a faulty host causes the difference wherever it is used
|       tscope diff 6ae1a7a00e48 6ae1a7a00e48-swap
[1]
$ tscope diff ./demo/base ./demo/lr
| The learning rate differs from step 0 on: it is 0.003 in the first run and 0.0031 in the second, and config.optimizer.lr differs
| cause: a different setting or schedule; confidence: high; from step 0
|   The two runs first differ at step 0, the first step that both have: digests.params on rank 0 is
|     5c34fe692d310ca8 in the first run and 9e6cd3872da25e93 in the second; 11 more series differ at
|     that step or later; 6 other series are the same in both; 1 recorded fact differs:
|     config.optimizer.lr
|   a  ./demo/base  6ae1a7a00e48  160 steps (0 to 159)  3 ranks
|   b  ./demo/lr    0654541655d6  160 steps (0 to 159)  3 ranks
|
| EQUIVALENT?
|   bit-exact    no: digests.params differs at step 0
|   numerical    not known: the relative difference of the loss is up to 0.04954; without repeats of
|                the first run nothing shows by how much repeats differ
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff 6ae1a7a00e48 0654541655d6 --repeats GLOB
|
| OUTCOMES
|                                a           b           b - a
|   loss, last tenth        1.7279     1.72311         -0.28 %
|   loss, best            0.731249    0.735433         +0.57 %
|   step time, mean        19.9 ms     19.2 ms   -3.5 % ±5.8 %
|   step time, median      19.8 ms     19.2 ms   -2.9 % ±6.8 %
|   steps per second      50.18 /s    51.99 /s     +3.6 % ±6 %
|   samples per second  588,868 /s  613,859 /s  +4.2 % ±90.0 %
|   steps                      160         160        the same
|   wall time               3.17 s      3.06 s          -3.5 %
|   ± is the 95 % interval from how the steps vary within each run. Runs of the same code differ by
|     more; tscope gate compares with several.
|
| SERIES  12 series differ, 6 are the same (counted on each rank)
|   series          rank  first step  visible       r    r+10    r+30   r+100    slope   r end
|   digests.params  0 +2           0        -       -       -       -       -        -       -
|   lr              0 +2           0        0   0.032   0.032   0.032   0.032        0   0.032
|   grad_norm       0 +2           1        1  7.3e-4  9.0e-4  0.0038   0.011   1.6e-4  0.0053
|   loss            0 +2           1        1  0.0026  0.0022   0.003  0.0096  -7.3e-5   0.009
|   first step: the first with different bits; visible: the first with a difference above the rounding
|     of the values; r: |a - b| / max(|a|, |b|) at that step; r+10: r 10 points later; slope: growth
|     of ln r per step; r end: r in the last tenth of the points; +2: and 2 more ranks
|   ranks        all 3 ranks that differ first differ at step 0
|   lr              a  0.003
|   step 0, rank 0  b  0.0031
|                           ^
|   grad_norm       a  1.8491928577423096
|   step 1, rank 0  b  1.850545048713684
|                         ^
|   loss            a  2.290597915649414
|   step 1, rank 0  b  2.2847323417663574
|                         ^
|   costs        these series differ, but do not decide: memory.rss, phases.backward, phases.comm,
|                phases.data, phases.forward, phases.optimizer, timestamp
|
| CURVES AROUND THE FIRST DIFFERENCE
|   loss         rank 0; a, b, • both
|         2.576 │•┊ •
|               │ ┊   •  •        •
|               │ •• •    •• •       • •    •    • ••   • •     • • •          b       •    b  •• •  •
|               │ ┊    ••   •   •• •  • ••   •••• •   •• • ••  • • •  • • •• ••a •  ••  ••• a••    •
|               │ ┊           ••    •     •          •        •        • •      • •   •    •     •  •
|         1.065 │ ┊                        •                 •       •      •      •
|                 1                                                                                159
|   r             ▆▅▆▆▅▆▇▄▆▅▆▅▆▄▅▆▆▄▇▄▆▅▅▅▇▄▆▅▆▆▆▅▅▇▅▅▅▃▅▅▇▁▆▇▃▄▆▇▇▆▃▇▇▇▅▃▆▅█▆▆█▃▇█▆▆▇▆▅██▆▇█▄█▇▇█▇█▇█
|                r from 2.8e-5 to 0.05, logarithmic
|   grad_norm    rank 0; a, b, • both
|         2.491 │ ┊ •
|               │ ┊•                                                                         •
|               │ ┊  •••• •  •   •                         •
|               │••      • •• • • •••a••••• • •  •a    b• • b •   ••  a •    • •                ••
|               │ ┊            •     b     • • •• b••••a •  a• •••  ••b  •••• • •••••• ••••••  •  ••••
|         1.334 │ ┊                                                    •              •       •
|                 1                                                                                159
|   r             ▄▃▂▅▂▄▅▆▅▅▃▆▆▅▄▅▅▅▄▅▆▃▆▅▁▅▄▂▅▄▆▅▅▄▅▅▄▅▅▃▇▇▅▄▆▆▆▅▅▄▇▅▆▇▅▆▄▆▆▆▇▅▇▇▅▇▇█▆▇▇█▇▅█▇▇▇▄▄▅█▅▅
|                r from 1.4e-4 to 0.045, logarithmic
|
| FACTS THAT DIFFER  1 in config, 3 in session
|   config.optimizer.lr           0.003              ->  0.0031
|   session.name                  chars-base         ->  chars-lr
|   session.started (+2 ranks)    1795176038.980202  ->  1795176061.1566882
|   session.wall_time (+2 ranks)  3.225942724        ->  3.073487942
|
| EVIDENCE
|   for          loss first differs at step 1 (relative difference 0.002561), on all ranks
|   for          grad_norm first differs at step 1 (relative difference 0.0007307), on all ranks
|   for          lr first differs at step 0 (relative difference 0.03226), on all ranks
|   for          digests.params first differs at step 0, on all ranks
|   for          at step 0 the learning rate is 0.003 in the first run and 0.0031 in the second;
|                everything that was computed before that update agrees
|   for          config.optimizer.lr differs, which changes the size of every update
|   for          the precision of the written values was not declared, so tscope inferred it: loss is
|                float32 (seen in 160 values of each run), grad_norm is float32 (seen in 160 values of
|                each run)
[1]
$ tscope diff ./demo/base ./demo/slow --exit-on times | head -1; exit ${PIPESTATUS[0]}
| Both runs computed the same, bit for bit: 18 series of the trajectory agree over 160 steps
[1]
$ COLUMNS=60 tscope diff ./demo/base ./demo/lr
| The learning rate differs from step 0 on: it is 0.003 in the
| first run and 0.0031 in the second, and config.optimizer.lr
| differs
| cause: a different setting or schedule; confidence: high;
|   from step 0
|   The two runs first differ at step 0, the first step that
|     both have: digests.params on rank 0 is 5c34fe692d310ca8
|     in the first run and 9e6cd3872da25e93 in the second; 11
|     more series differ at that step or later; 6 other series
|     are the same in both; 1 recorded fact differs:
|     config.optimizer.lr
|   a ./demo/base 6ae1a7a00e48 160 steps (0 to 159) 3 ranks
|   b ./demo/lr   0654541655d6 160 steps (0 to 159) 3 ranks
|
| EQUIVALENT?
|   bit-exact    no: digests.params differs at step 0
|   numerical    not known: the relative difference of the
|                loss is up to 0.04954; without repeats of the
|                first run nothing shows by how much repeats
|                differ
|   statistical  not known: one run on each side does not show
|                how much runs vary by chance: repeat the
|                first run twice, then use tscope diff
|                6ae1a7a00e48 0654541655d6 --repeats GLOB
|
| OUTCOMES
|                                a           b           b - a
|   loss, last tenth        1.7279     1.72311         -0.28 %
|   loss, best            0.731249    0.735433         +0.57 %
|   step time, mean        19.9 ms     19.2 ms   -3.5 % ±5.8 %
|   step time, median      19.8 ms     19.2 ms   -2.9 % ±6.8 %
|   steps per second      50.18 /s    51.99 /s     +3.6 % ±6 %
|   samples per second  588,868 /s  613,859 /s  +4.2 % ±90.0 %
|   steps                      160         160        the same
|   wall time               3.17 s      3.06 s          -3.5 %
|   ± is the 95 % interval from how the steps vary within each
|     run. Runs of the same code differ by more; tscope gate
|     compares with several.
|
| SERIES
|   12 series differ, 6 are the same (counted on each rank)
|   digests.params  rank 0 +2  first step 0
|   lr
|       rank 0 +2  first step 0  visible 0  r 0.032
|       r+10 0.032  r+30 0.032  r+100 0.032  slope 0
|       r end 0.032
|   grad_norm
|       rank 0 +2  first step 1  visible 1  r 7.3e-4
|       r+10 9.0e-4  r+30 0.0038  r+100 0.011  slope 1.6e-4
|       r end 0.0053
|   loss
|       rank 0 +2  first step 1  visible 1  r 0.0026
|       r+10 0.0022  r+30 0.003  r+100 0.0096  slope -7.3e-5
|       r end 0.009
|   first step: the first with different bits; visible: the
|     first with a difference above the rounding of the
|     values; r: |a - b| / max(|a|, |b|) at that step; r+10: r
|     10 points later; slope: growth of ln r per step; r end:
|     r in the last tenth of the points; +2: and 2 more ranks
|   ranks        all 3 ranks that differ first differ at step
|                0
|   and 2 more; --json has them
|
| CURVES AROUND THE FIRST DIFFERENCE
|   loss         rank 0; a, b, • both
|         2.246 │••
|               │┊ • •             •
|               │┊  • •   •  •    •  • •  •           b   • •
|               │┊     • • ••   •     •    •  •• •    a••  •
|               │┊            •• •  •    •  ••    •• •   •   •
|         1.321 │┊      •               •       •   •
|                1                                         159
|   r            ▅▅▅▅▅▅▄▄▅▃▅▄▅▃▅▅▅▄▅▄▂▅▃▆▁▆▇▅▇▁▄█▆▄▇▆▆▆█▇▇▇█▇█
|                r from 2.8e-5 to 0.05, logarithmic
|   grad_norm    rank 0; a, b, • both
|         2.349 │┊•
|               │┊
|               │• ••••  •             •
|               │┊     •  •••• •  •  •   • •  •          b •
|               │┊      •     • •• •• •   •  • •••••• •••a• ••
|         1.418 │┊                      •   •        •
|                1                                         159
|   r            ▃▁▃▂▆▄▄▅▃▄▄▃▅▂▂▃▄▄▄▃▄▄▆▄▆▅▄▅▇▅▅▇▄▇▆█▇▇█▆█▆▂▆▄
|                r from 1.4e-4 to 0.045, logarithmic
|
| FACTS THAT DIFFER  1 in config, 3 in session
|   config.optimizer.lr  0.003  ->  0.0031
|   session.name  chars-base  ->  chars-lr
|   session.started (+2 ranks)
|       1795176038.980202  ->  1795176061.1566882
|   session.wall_time (+2 ranks)  3.225942724  ->  3.073487942
|
| EVIDENCE
|   for          loss first differs at step 1 (relative
|                difference 0.002561), on all ranks
|   for          grad_norm first differs at step 1 (relative
|                difference 0.0007307), on all ranks
|   for          lr first differs at step 0 (relative
|                difference 0.03226), on all ranks
|   for          digests.params first differs at step 0, on
|                all ranks
|   for          at step 0 the learning rate is 0.003 in the
|                first run and 0.0031 in the second;
|                everything that was computed before that
|                update agrees
|   for          config.optimizer.lr differs, which changes
|                the size of every update
|   for          the precision of the written values was not
|                declared, so tscope inferred it: loss is
|                float32 (seen in 160 values of each run),
|                grad_norm is float32 (seen in 160 values of
|                each run)
[1]
$ COLUMNS=80 tscope diff base ./runs/evil
| The trajectories cannot be compared in full: loss agrees at 3 common steps, but
| the first run has 5 steps (3 to 7) that the second lacks; 10 recorded facts
| differ: code.commit and 9 more
| costs of b against a: peak memory -62.5 %
| cause: no difference found in what was computed, but its costs differ;
|   confidence: low
|   a  base         18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  ./runs/evil  d45d5732500b  3 steps (0 to 2)  1 rank
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that
|                both runs have is equal over 3 common steps
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                          a         b    b - a
|   loss, last tenth    0.25  0.666667   +167 %
|   loss, best          0.25  0.666667   +167 %
|   peak memory        8 MiB     3 MiB  -62.5 %
|   steps                  8         3       -5
|   wall time         1.75 s    500 ms  -71.4 %
|
| SERIES  no series is the same
|   agree        these series agree at all common steps: loss, lr
|
| FACTS THAT DIFFER
|   1 in code, 6 in config, 1 in seeds, 2 in libraries, 1 in parallelism, 3 in
|   session
|   code.commit             aaaaaaaaaaaaaaaaaaaaaaa…  ->  not recorded
|   config.layers[0]        2                         ->  not recorded
|   config.layers[1]        4                         ->  not recorded
|   config.lr               0.001                     ->  not recorded
|   config.note             not recorded              ->  a\tb\x07\r\nc
|   config.nul              not recorded              ->  before\x00after
|   config.名前             not recorded              ->  日本語のとても長い値です
|   seeds.torch             7                         ->  not recorded
|   libraries.python        3.11.2                    ->  not recorded
|   libraries.torch         2.6.0                     ->  not recorded
|   parallelism.world_size  1                         ->  not recorded
|   session.n_steps         8                         ->  not recorded
|   session.name            base                      ->  \x1B[2Jclear\u{202E}
|   session.wall_time       2.0                       ->  not recorded
|
| ONLY ON ONE SIDE
|   only a       5 steps (3 to 7)
|   only b       \x1B\[31mred\nline, 損失
|
| EVIDENCE
|   for          the runs agree bit for bit over 3 common steps: loss (float64),
|                lr (float64)
|   against      the two runs have only 3 common steps
[3]
# What was skipped is said.
$ tscope diff base ./runs/cut
| The trajectories cannot be compared in full: loss agrees at 4 common steps, but the first run has 4 steps (4 to 7) that the second lacks; 7 recorded facts differ: code.commit and 6 more
| costs of b against a: peak memory -50.0 %
| cause: no difference found in what was computed, but its costs differ; confidence: low
|   a  base        18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  ./runs/cut  a6e6bceb9c69  4 steps (0 to 3)  1 rank
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that both runs have is equal
|                over 4 common steps
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                          a       b    b - a
|   loss, last tenth    0.25     0.5   +100 %
|   loss, best          0.25     0.5   +100 %
|   peak memory        8 MiB   4 MiB  -50.0 %
|   steps                  8       4       -4
|   wall time         1.75 s  750 ms  -57.1 %
|
| SERIES  no series is the same
|   agree        these series agree at all common steps: loss, lr
|
| FACTS THAT DIFFER
|   1 in code, 3 in config, 1 in seeds, 2 in libraries, 1 in parallelism, 4 in session
|   code.commit             aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ->  not recorded
|   config.layers[0]        2                                         ->  not recorded
|   config.layers[1]        4                                         ->  not recorded
|   config.lr               0.001                                     ->  not recorded
|   seeds.torch             7                                         ->  not recorded
|   libraries.python        3.11.2                                    ->  not recorded
|   libraries.torch         2.6.0                                     ->  not recorded
|   parallelism.world_size  1                                         ->  not recorded
|   session.n_steps         8                                         ->  not recorded
|   session.name            base                                      ->  not recorded
|   session.started         1700000000.0                              ->  not recorded
|   session.wall_time       2.0                                       ->  not recorded
|
| ONLY ON ONE SIDE
|   only a       4 steps (4 to 7)
|
| EVIDENCE
|   for          the runs agree bit for bit over 4 common steps: loss (float64), lr (float64)
|   against      the two runs have only 4 common steps
! tscope: ./runs/cut/steps.jsonl:5: skipped: bad_json: byte 0: expected a value
! tscope: ./runs/cut/steps.jsonl:6: skipped: cut_line: byte 15: the text ends inside an object, expected '"'
[3]
$ tscope diff base ./runs/empty
! tscope: ./runs/empty: no run in it: no run directory, no profiler's trace, no memory snapshot, and no log of another tool that is known
[2]
# Three runs or more: a matrix of first steps.
$ tscope diff base rerun parts longer mood mood2 apart
| 5 of 21 pairs of runs differ, all of them first at step 3
| 1  base    18fc3da2967f  8 steps (0 to 7)      1 rank
| 2  rerun   615c705062bf  8 steps (0 to 7)      1 rank
| 3  parts   2fce76dd212c  8 steps (0 to 7)      1 rank
| 4  longer  782180165393  12 steps (0 to 11)    1 rank
| 5  mood    02543aa2aba4  8 steps (0 to 7)      1 rank
| 6  mood2   46aff2c7d8bf  8 steps (0 to 7)      1 rank
| 7  apart   a119718b675c  8 steps (100 to 107)  1 rank
|
| First step at which each pair differs
|                 base    rerun  parts  longer     mood    mood2  apart
|   1  base          .     same      3  extent  columns  columns  apart
|   2  rerun      same        .      3  extent  columns  columns  apart
|   3  parts         3        3      .       3        3        3  apart
|   4  longer   extent   extent      3       .   extent   extent  apart
|   5  mood    columns  columns      3  extent        .  columns  apart
|   6  mood2   columns  columns      3  extent  columns        .  apart
|   7  apart     apart    apart  apart   apart    apart    apart      .
|
| extent    common steps agree, but one run has steps, series or ranks that the other lacks
| columns   the trajectory is the same, but a series of unknown role differs
| apart     the two runs have no common step of a trajectory
[1]
$ COLUMNS=60 tscope diff base rerun parts longer
| 3 of 6 pairs of runs differ, all of them first at step 3
| 1  base    18fc3da2967f  8 steps (0 to 7)    1 rank
| 2  rerun   615c705062bf  8 steps (0 to 7)    1 rank
| 3  parts   2fce76dd212c  8 steps (0 to 7)    1 rank
| 4  longer  782180165393  12 steps (0 to 11)  1 rank
|
| First step at which each pair differs
|                base   rerun  parts  longer
|   1  base         .    same      3  extent
|   2  rerun     same       .      3  extent
|   3  parts        3       3      .       3
|   4  longer  extent  extent      3       .
|
| extent    common steps agree, but one run has steps, series
|           or ranks that the other lacks
[1]
$ COLUMNS=44 tscope diff base rerun parts longer mood apart
| 4 of 15 pairs of runs differ, all of them
| first at step 3
| 1  base    18fc3da2967f
|     8 steps (0 to 7)      1 rank
| 2  rerun   615c705062bf
|     8 steps (0 to 7)      1 rank
| 3  parts   2fce76dd212c
|     8 steps (0 to 7)      1 rank
| 4  longer  782180165393
|     12 steps (0 to 11)    1 rank
| 5  mood    02543aa2aba4
|     8 steps (0 to 7)      1 rank
| 6  apart   a119718b675c
|     8 steps (100 to 107)  1 rank
|
| Groups of runs that are the same
|   group nearest differs at runs
|       1       4    columns 1 base, 2 rerun
|       2       1          3 3 parts
|       3       1     extent 4 longer
|       4       1    columns 5 mood
|       5       1      apart 6 apart
|
| extent    common steps agree, but one run
|           has steps, series or ranks that
|           the other lacks
| columns   the trajectory is the same, but a
|           series of unknown role differs
| apart     the two runs have no common step
|           of a trajectory
[1]
$ tscope diff base rerun base
| All 3 runs computed the same, bit for bit
| 1  base   18fc3da2967f  8 steps (0 to 7)  1 rank
| 2  rerun  615c705062bf  8 steps (0 to 7)  1 rank
| 3  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|
| First step at which each pair differs
|             base  rerun  base
|   1  base      .   same  same
|   2  rerun  same      .  same
|   3  base   same   same     .
$ tscope diff base longer ./runs/rerun
| No common step of two runs differs, but in 2 of 3 pairs the runs do not have the same steps, series or ranks
| 1  base          18fc3da2967f  8 steps (0 to 7)    1 rank
| 2  longer        782180165393  12 steps (0 to 11)  1 rank
| 3  ./runs/rerun  615c705062bf  8 steps (0 to 7)    1 rank
|
| First step at which each pair differs
|                      base  longer  ./runs/rerun
|   1  base               .  extent          same
|   2  longer        extent       .        extent
|   3  ./runs/rerun    same  extent             .
|
| extent    common steps agree, but one run has steps, series or ranks that the other lacks
[3]
$ tscope diff --json base rerun parts
| {
|   "verdict": "different",
|   "runs": [
|     {
|       "id": "18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912",
|       "own_name": "base",
|       "step_count": 8,
|       "first_step": 0,
|       "last_step": 7,
|       "rank_count": 1
|     },
|     {
|       "id": "615c705062bf0db34f82059036735c4a49847ce1ec5a722d4dbab3dc56074b7e",
|       "own_name": "rerun",
|       "step_count": 8,
|       "first_step": 0,
|       "last_step": 7,
|       "rank_count": 1
|     },
|     {
|       "id": "2fce76dd212c476c9dec5d12e1f355272afb6e4648a85fcbf48714228c06affb",
|       "own_name": "parts",
|       "step_count": 8,
|       "first_step": 0,
|       "last_step": 7,
|       "rank_count": 1
|     }
|   ],
|   "endings": [
|     {
|       "state": "finished",
|       "cause": "none",
|       "type": null,
|       "message": null,
|       "step": 7,
|       "after_step": true,
|       "ranks": [
|         0
|       ],
|       "record": null,
|       "sentence": null
|     },
|     {
|       "state": "finished",
|       "cause": "none",
|       "type": null,
|       "message": null,
|       "step": 7,
|       "after_step": true,
|       "ranks": [
|         0
|       ],
|       "record": null,
|       "sentence": null
|     },
|     {
|       "state": "finished",
|       "cause": "none",
|       "type": null,
|       "message": null,
|       "step": 7,
|       "after_step": true,
|       "ranks": [
|         0
|       ],
|       "record": null,
|       "sentence": null
|     }
|   ],
|   "groups": [
|     [
|       0,
|       1
|     ],
|     [
|       2
|     ]
|   ],
|   "pairs": [
|     {
|       "a": 0,
|       "b": 1,
|       "state": "same",
|       "first_step": null
|     },
|     {
|       "a": 0,
|       "b": 2,
|       "state": "parts",
|       "first_step": 3
|     },
|     {
|       "a": 1,
|       "b": 2,
|       "state": "parts",
|       "first_step": 3
|     }
|   ],
|   "aliases": []
| }
[1]
$ tscope diff --exit-on facts base rerun parts
! tscope: diff: --exit-on works with two runs, and 3 are given
[2]
# Repeats of the first run's recipe: the odd one out, and the second run against their envelope.
$ tscope diff base parts --repeats rerun --repeats longer
| The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6 other series are the same in both; 3 recorded facts differ: code.commit and 2 more
| cause: too little in common to compare; confidence: none; from step 3
|   The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6
|     other series are the same in both; 3 recorded facts differ: code.commit and 2 more
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  parts  2fce76dd212c  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    no: loss differs at step 3
|   numerical    no: the second run is outside the envelope of the 3 repeats of the first run, whose
|                relative difference is at most 0
|   statistical  yes: loss at step 7, the last common step, is 0.004 % above that of the 3 repeats:
|                the margin is 1 %; the repeats do not vary, so this answer is about these seeds only
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
|   first step: the first with different bits; visible: the first with a difference above the rounding
|     of the values; r: |a - b| / max(|a|, |b|) at that step
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
| FACTS THAT DIFFER  1 in code, 1 in config, 1 in seeds, 1 in session
|   code.commit   aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ->  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
|   config.lr     0.001                                     ->  0.0012
|   seeds.torch   7                                         ->  8
|   session.name  base                                      ->  parts
|
| REPEATS  The 3 repeats agree bit for bit, as far as each of them goes: the recipe is repeatable
|   runs         base, rerun, longer
|   envelope     the second run leaves the envelope of the 3 repeats: loss from step 3 on (outside at
|                62 % of 8 points)
|   series  points  repeats differ by  b differs by  outside  from step
|   loss         8                  0        4.0e-5        5          3
[1]
$ tscope diff base mood --repeats 're*' --repeats parts
| The trajectory agrees, but one series cannot be compared in full: only the second run has mood; it is not known whether mood is part of the trajectory: declare columns.<name>.role in facts.json; 2 recorded facts differ: code.commit and 1 more
| cause: no difference found; confidence: low
|   a  base  18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  mood  02543aa2aba4  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that both runs have is equal
|                over 8 common steps
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                          a       b     b - a
|   loss, last tenth    0.25    0.25  the same
|   loss, best          0.25    0.25  the same
|   peak memory        8 MiB   8 MiB  the same
|   steps                  8       8  the same
|   wall time         1.75 s  1.75 s  the same
|
| SERIES  7 series are the same
|
| FACTS THAT DIFFER  1 in code, 1 in seeds, 1 in session
|   code.commit   aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ->  not recorded
|   seeds.torch   7                                         ->  not recorded
|   session.name  base                                      ->  mood
|
| ONLY ON ONE SIDE
|   only b       mood
|
| REPEATS
|   2 of 3 repeats agree bit for bit, and parts differs from all of them from step 3 on: a rare race
|   condition, a different machine and a different input look the same until one of the repeats is run
|   again
|   runs         base, rerun, parts
|   envelope     the second run stays inside the envelope of the 3 repeats: loss over 8 points
|                (relative difference of the repeats: at most 4e-05)
|   series  points  repeats differ by  b differs by  outside  from step
|   loss         8             4.0e-5             0        0          -
|
| EVIDENCE
|   for          the runs agree bit for bit over 8 common steps: loss (float64), lr (float64)
|   against      the two runs have only 8 common steps
[3]
$ tscope diff base parts --repeats 'r*'
| The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6 other series are the same in both; 3 recorded facts differ: code.commit and 2 more
| cause: too little in common to compare; confidence: none; from step 3
|   The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6
|     other series are the same in both; 3 recorded facts differ: code.commit and 2 more
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  parts  2fce76dd212c  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    no: loss differs at step 3
|   numerical    not known: the relative difference of the loss is up to 4e-05; without repeats of the
|                first run nothing shows by how much repeats differ
|   statistical  not known: at least 3 repeats are needed, the first run counted: use tscope diff A B
|                --repeats GLOB
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
|   first step: the first with different bits; visible: the first with a difference above the rounding
|     of the values; r: |a - b| / max(|a|, |b|) at that step
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
| FACTS THAT DIFFER  1 in code, 1 in config, 1 in seeds, 1 in session
|   code.commit   aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ->  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
|   config.lr     0.001                                     ->  0.0012
|   seeds.torch   7                                         ->  8
|   session.name  base                                      ->  parts
|
| REPEATS
|   There are too few repeats: with the first run they are 2, and at least 3 are needed to tell chance
|   from a real change
|   runs         base, rerun
|   envelope     there is no envelope: at least 3 repeats are needed, the first run counted
[1]
$ tscope diff --json base parts --repeats rerun --repeats longer | sed -n '/"repeats"/,/"runs"/p; /"inside"/,/^  },/p'
|   "repeats": {
|     "pattern": "same",
|     "sentence": "The 3 repeats agree bit for bit, as far as each of them goes: the recipe is repeatable",
|     "odd": null,
|     "runs": [
|     "inside": false,
|     "verdict": "the second run leaves the envelope of the 3 repeats: loss from step 3 on (outside at 62 % of 8 points)",
|     "spread_ratio": 0.0,
|     "envelope": [
|       {
|         "name": "scalars.loss",
|         "rank": 0,
|         "unknown_because": null,
|         "point_count": 8,
|         "spread_ratio": 0.0,
|         "level_ratio": 0.0,
|         "spread_there_ratio": 0.0,
|         "greatest_ratio": 3.999840006403744e-05,
|         "greatest_step": 7,
|         "outside_count": 5,
|         "is_real": true,
|         "has_grown": false,
|         "first_outside_step": 3,
|         "first_outside_ratio": 1.9999600007908822e-05,
|         "first_limit_ratio": 0.0
|       }
|     ],
|     "is_equivalent": true,
|     "equivalent_because": "loss at step 7, the last common step, is 0.004 % above that of the 3 repeats: the margin is 1 %; the repeats do not vary, so this answer is about these seeds only",
|     "levels": [
|       {
|         "name": "scalars.loss",
|         "rank": 0,
|         "unknown_because": null,
|         "point_count": 1,
|         "first_step": 7,
|         "last_step": 7,
|         "repeat_count": 3,
|         "mean": 0.25,
|         "deviation": 0.0,
|         "candidate": 0.25001,
|         "difference_ratio": 4.0000000000040004e-05,
|         "low_ratio": 4.0000000000040004e-05,
|         "high_ratio": 4.0000000000040004e-05,
|         "p_value": 0.0,
|         "seen_ratio": 0.0,
|         "is_equivalent": true
|       }
|     ]
|   },
$ tscope diff base parts --repeats 'no*thing'
! tscope: --repeats: the name of no run of project default matches no*thing
[2]
$ tscope diff base parts --repeats 'default/re*' --repeats './runs/long*' | sed -n '/^REPEATS/,$p'
| REPEATS  The 3 repeats agree bit for bit, as far as each of them goes: the recipe is repeatable
|   runs         base, rerun, longer
|   envelope     the second run leaves the envelope of the 3 repeats: loss from step 3 on (outside at
|                62 % of 8 points)
|   series  points  repeats differ by  b differs by  outside  from step
|   loss         8                  0        4.0e-5        5          3
$ tscope diff base parts --repeats './runs/nothing*'
! tscope: --repeats: no directory matches ./runs/nothing*
[2]
# Cut-offs are policy; what is not the default is said, and one file serves analyze too.
$ printf 'TIMING.JITTER = off\nDIVERGENCE.common_records = 3\nDIVERGENCE.numeric_jump = 1e-4\nDIVERGENCE.quanta = 3\n' > team.policy; tscope diff base parts --policy team.policy | head -20
| code.commit differs (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa in the first run, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb in the second), which may have any effect, because it is different code
| cause: different code, or a different objective; confidence: low; from step 3
|   The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6
|     other series are the same in both; 3 recorded facts differ: code.commit and 2 more
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  parts  2fce76dd212c  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    no: loss differs at step 3
|   numerical    not known: the relative difference of the loss is up to 4e-05; without repeats of the
|                first run nothing shows by how much repeats differ
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff 18fc3da2967f 2fce76dd212c --repeats GLOB
|
| CUT-OFFS BY POLICY
|   numeric_jump 0.0001 (default 2e-06), common_records 3 (default 10)
|
| OUTCOMES
|                          a        b     b - a
|   loss, last tenth    0.25  0.25001  +0.004 %
$ tscope diff base parts --policy team.policy --json | sed -n '/"cut_offs"/,/]/p'
|   "cut_offs": [
|     {
|       "name": "numeric_jump",
|       "value": 0.0001,
|       "default": 2e-06
|     },
|     {
|       "name": "common_records",
|       "value": 3.0,
|       "default": 10.0
|     }
|   ],
$ tscope diff base parts --policy team.policy --html - | grep -c 'common_records 3 (default 10)'
| 1
$ tscope analyze base --policy team.policy > /dev/null
$ printf 'DIVERGENCE.quanta = 2\n\nDIVERGENCE.numeric_jum = 1\n' > bad.policy; tscope diff base parts --policy bad.policy
! tscope: diff: bad.policy:3: DIVERGENCE has no cut-off numeric_jum; did you mean numeric_jump?
[2]
$ tscope diff base parts rerun --policy team.policy
! tscope: diff: --policy works with two runs, and 3 are given
[2]
$ tscope diff base parts --policy nowhere.policy
! tscope: diff: nowhere.policy: No such file or directory
[2]
