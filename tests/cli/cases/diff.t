$ tscope push -q runs/base runs/rerun runs/parts runs/longer runs/mood runs/mood2 runs/apart
| name            id            steps      sent       new  outcome
| default/base    18fc3da2967f      8 SIZE SIZE  created
| default/rerun   615c705062bf      8 SIZE SIZE  created
| default/parts   2fce76dd212c      8 SIZE SIZE  created
| default/longer  782180165393     12 SIZE SIZE  created
| default/mood    02543aa2aba4      8 SIZE SIZE  created
| default/mood2   46aff2c7d8bf      8 SIZE SIZE  created
| default/apart   a119718b675c      8 SIZE SIZE  created
# The same: what was computed repeats bit for bit.
$ tscope diff base rerun
| every bit of the trajectory agrees: 2 series over 8 steps
| cause: nothing differs; confidence: low
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  rerun  615c705062bf  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    holds: every loss, rate, norm and digest that both have, over 8 common steps
|   numerical    holds: bit-exact
|   statistical  holds: bit-exact
|
| SERIES  7 are the same
|
| FACTS THAT DIFFER  2 in session
|   session.name     base          ->  rerun
|   session.started  1700000000.0  ->  1700001000.0
|
| EVIDENCE
|   for          agreement to the bit over 8 common steps: loss as doubles, lr as doubles
|   against      they have only 8 steps in common
# Different.
$ tscope diff base parts
| loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2 more
| cause: not comparable; confidence: none; from step 3
|   loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2
|     more
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  parts  2fce76dd212c  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    fails: loss differs at step 3
|   numerical    not known: the loss is up to a relative 4e-05 apart; without repeats of a run nothing
|                says how far repeats are
|   statistical  not known: one run a side says nothing of how runs scatter: run the first recipe
|                twice more, and tscope diff 18fc3da2967f 2fce76dd212c --repeats GLOB
|
| SERIES  1 parts, 6 are the same
|   series  first bits  visible  r there
|   loss             3        3   2.0e-5
|   r = |a - b| / max(|a|, |b|), and 10, 30, 100 points later; slope of ln r a step; end: last tenth
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
| FACTS THAT DIFFER  1 in code, 1 in config, 1 in seeds, 1 in session
|   code.commit   aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ->  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
|   config.lr     0.001                                     ->  0.0012
|   seeds.torch   7                                         ->  8
|   session.name  base                                      ->  parts
|
| REPRODUCE
|   a            base 18fc3da2967f 8 steps (0 to 7), 1 rank
|       git checkout aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
|   not known    whether the code had uncommitted changes: no fact code.dirty; the environment: no
|                fact determinism.env.*; the command: no fact session.command (tscope facts --command)
|                or session.argv
|   b            parts 2fce76dd212c 8 steps (0 to 7), 1 rank
|       git checkout bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
|   not known    whether the code had uncommitted changes: no fact code.dirty; the environment: no
|                fact determinism.env.*; the command: no fact session.command (tscope facts --command)
|                or session.argv
$ tscope diff --html page.html base parts | head -1; head -c 15 page.html; exit ${PIPESTATUS[0]}
| loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2 more
| <!DOCTYPE html>\
! tscope: wrote page.html
$ tscope diff --html - --first base parts
! tscope: diff: --html - writes to stdout, and so does --first; name a file
[2]
# By what had been trained on: neither run counts it.
$ tscope diff --by tokens base parts
! tscope: the first run: it has no column of numbers named tokens to align by
[2]
# Mirrored.
$ tscope diff parts base
| loss parts at step 3: 0.50001 against 0.5; 6 other series agree; facts differ: code.commit and 2 more
| cause: not comparable; confidence: none; from step 3
|   loss parts at step 3: 0.50001 against 0.5; 6 other series agree; facts differ: code.commit and 2
|     more
|   a  parts  2fce76dd212c  8 steps (0 to 7)  1 rank
|   b  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    fails: loss differs at step 3
|   numerical    not known: the loss is up to a relative 4e-05 apart; without repeats of a run nothing
|                says how far repeats are
|   statistical  not known: one run a side says nothing of how runs scatter: run the first recipe
|                twice more, and tscope diff 2fce76dd212c 18fc3da2967f --repeats GLOB
|
| SERIES  1 parts, 6 are the same
|   series  first bits  visible  r there
|   loss             3        3   2.0e-5
|   r = |a - b| / max(|a|, |b|), and 10, 30, 100 points later; slope of ln r a step; end: last tenth
|   loss    a  0.50001
|   step 3  b  0.5
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
| FACTS THAT DIFFER  1 in code, 1 in config, 1 in seeds, 1 in session
|   code.commit   bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb  ->  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
|   config.lr     0.0012                                    ->  0.001
|   seeds.torch   8                                         ->  7
|   session.name  parts                                     ->  base
[1]
# Inconclusive: more steps on one side, none in common, only a series of unknown meaning.
$ tscope diff base longer
| loss agrees on 8 common steps, but the second run has 4 that the first lacks (8 to 11)
| cause: nothing differs; confidence: low
|   a  base    18fc3da2967f  8 steps (0 to 7)    1 rank
|   b  longer  782180165393  12 steps (0 to 11)  1 rank
|
| EQUIVALENT?
|   bit-exact    holds: every loss, rate, norm and digest that both have, over 8 common steps
|   numerical    holds: bit-exact
|   statistical  holds: bit-exact
|
| SERIES  none are the same
|   agree        on all common steps: loss, lr
|
| FACTS THAT DIFFER  1 in session
|   session.name  base  ->  longer
|
| ONLY ON ONE SIDE
|   only b       4 steps (8 to 11)
|
| EVIDENCE
|   for          agreement to the bit over 8 common steps: loss as 6 decimals, lr as doubles
|   for          as values look, where nothing is declared: loss is of 6 decimals (12 values of the
|                second run)
|   against      values were rounded when they were written: differences below that cannot be seen
|   against      they have only 8 steps in common
[3]
$ tscope diff base apart
| no step of loss is in both runs; facts differ: code.commit and 1 more
| cause: not comparable; confidence: none
|   no step of loss is in both runs; facts differ: code.commit and 1 more
|   a  base   18fc3da2967f  8 steps (0 to 7)      1 rank
|   b  apart  a119718b675c  8 steps (100 to 107)  1 rank
|
| EQUIVALENT?
|   bit-exact    not known: no step in common
|   numerical    not known: nothing to compare
|   statistical  not known: one run a side says nothing of how runs scatter: run the first recipe
|                twice more, and tscope diff 18fc3da2967f a119718b675c --repeats GLOB
|
| SERIES  none are the same
|
| FACTS THAT DIFFER  1 in code, 1 in seeds, 1 in session
|   code.commit   aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ->  not recorded
|   seeds.torch   7                                         ->  not recorded
|   session.name  base                                      ->  apart
|
| ONLY ON ONE SIDE
|   only a       8 steps (0 to 7)
|   only b       8 steps (100 to 107)
|   apart        no step in common: loss, lr
[3]
$ tscope diff mood mood2
| the trajectory agrees, but mood parts at step 2: 2.0 against 0.0; whether it is part of the trajectory is not known: declare columns.<name>.role in facts.json
| cause: nothing differs; confidence: low
|   a  mood   02543aa2aba4  8 steps (0 to 7)  1 rank
|   b  mood2  46aff2c7d8bf  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    holds: every loss, rate, norm and digest that both have, over 8 common steps
|   numerical    holds: bit-exact
|   statistical  holds: bit-exact
|
| SERIES  1 parts, 7 are the same
|   series               first bits  visible  r there
|   mood (unknown role)           2        2        1
|   r = |a - b| / max(|a|, |b|), and 10, 30, 100 points later; slope of ln r a step; end: last tenth
|   mood    a  2.0
|   step 2  b  0.0
|              ^
|
| FACTS THAT DIFFER  1 in session
|   session.name  mood  ->  mood2
|
| EVIDENCE
|   for          agreement to the bit over 8 common steps: loss as doubles, lr as doubles
|   against      they have only 8 steps in common
[3]
# A column that is numbers in one and text in the other: nothing of it was compared, and that is why.
$ mkdir words some; sed -E 's/"mood":([0-9]+)/"mood":"m\1"/' runs/mood/steps.jsonl >words/steps.jsonl; cp runs/mood/run.json words; sed -E 's/"mood":([01])}/"mood":"m\1"}/' runs/mood/steps.jsonl >some/steps.jsonl; cp runs/mood/run.json some
$ tscope diff mood ./words
| the trajectory agrees, but only the first run has mood as f64, the second has it as text; common steps of the trajectory agree; whether it is part of the trajectory is not known: declare columns.<name>.role in facts.json
| cause: nothing differs; confidence: low
|   a  mood  02543aa2aba4  8 steps (0 to 7)  1 rank
|   b  mood  3c3a6fc5382b  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    holds: every loss, rate, norm and digest that both have, over 8 common steps
|   numerical    holds: bit-exact
|   statistical  holds: bit-exact
|
| SERIES  7 are the same
|
| FACTS THAT DIFFER  no recorded one
|
| ONLY ON ONE SIDE
|   only a       mood (f64; text in b)
|   only b       mood (text; f64 in a)
|
| EVIDENCE
|   for          agreement to the bit over 8 common steps: loss as doubles, lr as doubles
|   against      they have only 8 steps in common
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
| the trajectory agrees, but mood agrees on 2 common steps, but the first run has 6 that the second lacks; whether it is part of the trajectory is not known: declare columns.<name>.role in facts.json
| cause: nothing differs; confidence: low
|   a  mood  02543aa2aba4  8 steps (0 to 7)  1 rank
|   b  mood  e3596f8144ad  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    holds: every loss, rate, norm and digest that both have, over 8 common steps
|   numerical    holds: bit-exact
|   statistical  holds: bit-exact
|
| SERIES  7 are the same
|   agree        on all common steps: mood
|
| FACTS THAT DIFFER  no recorded one
|
| ONLY ON ONE SIDE
|   only b       mood (text; f64 in a)
|
| EVIDENCE
|   for          agreement to the bit over 8 common steps: loss as doubles, lr as doubles
|   against      they have only 8 steps in common
[3]
$ tscope diff base base
| both are one and the same run: their ids are equal
| cause: nothing differs; confidence: high
|   a  base  18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  base  18fc3da2967f  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    holds: one and the same run
|   numerical    holds: one and the same run
|   statistical  holds: one and the same run
|
| SERIES  7 are the same
|
| FACTS THAT DIFFER  no recorded one
# Facts do not decide unless asked.
$ tscope diff base rerun --exit-on facts | head -1; exit ${PIPESTATUS[0]}
| every bit of the trajectory agrees: 2 series over 8 steps
[1]
$ tscope diff base rerun --exit-on facts --ignore 'session.*'
| every bit of the trajectory agrees: 2 series over 8 steps
| cause: nothing differs; confidence: low
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  rerun  615c705062bf  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    holds: every loss, rate, norm and digest that both have, over 8 common steps
|   numerical    holds: bit-exact
|   statistical  holds: bit-exact
|
| SERIES  7 are the same
|
| FACTS THAT DIFFER  no recorded one
|
| EVIDENCE
|   for          agreement to the bit over 8 common steps: loss as doubles, lr as doubles
|   against      they have only 8 steps in common
$ tscope diff base rerun --exit-on times --exit-on memory | head -1; exit ${PIPESTATUS[0]}
| every bit of the trajectory agrees: 2 series over 8 steps
# Paths, and a path beside a name; nothing is stored.
$ tscope diff --store none ./runs/base ./runs/parts | head -1; test -e none || echo no store
| loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2 more
| no store
$ tscope diff base ./runs/parts | head -1
| loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2 more
# Real trainings of three ranks.
$ tscope diff ./demo/base ./demo/rerun
| every bit of the trajectory agrees: 18 series over 160 steps
| cause: nothing differs; confidence: high
|   a  chars-base   6ae1a7a00e48  160 steps (0 to 159)  3 ranks
|   b  chars-rerun  496f6bc873aa  160 steps (0 to 159)  3 ranks
|
| EQUIVALENT?
|   bit-exact    holds: every loss, rate, norm and digest that both have, over 160 common steps
|   numerical    holds: bit-exact
|   statistical  holds: bit-exact
|
| SERIES  18 are the same
|   costs        differ and do not decide: memory.rss, phases.backward, phases.comm, phases.data,
|                phases.forward, phases.optimizer, timestamp
|
| FACTS THAT DIFFER  3 in session
|   session.name                  chars-base         ->  chars-rerun
|   session.started (+2 ranks)    1795176038.980202  ->  1795176046.871779
|   session.wall_time (+2 ranks)  3.225942724        ->  3.151066135
|
| EVIDENCE
|   for          agreement to the bit over 160 common steps: loss as float32 of 3 ranks, grad_norm as
|                float32 of 3 ranks, lr as doubles of 3 ranks, digests.params of 3 ranks,
|                digests.batch of 3 ranks
|   for          as values look, where nothing is declared: loss is float32 (160 values of either
|                run), grad_norm is float32 (160 values of either run)
$ tscope diff ./demo/base ./demo/order
| the same data are drawn in another order from step 80 on
| cause: another order of the data; confidence: high; from step 80
|   digests.batch parts at step 80 (rank 1): 503fb813e1a0ba06 against 449ffcf04fb1f990; 9 more of the
|     trajectory part there or later; 8 other series agree
|   a  chars-base   6ae1a7a00e48  160 steps (0 to 159)  3 ranks
|   b  chars-order  f5748eb37f3e  160 steps (0 to 159)  3 ranks
|
| EQUIVALENT?
|   bit-exact    fails: digests.params differs at step 80
|   numerical    not known: the loss is up to a relative 0.5574 apart; without repeats of a run
|                nothing says how far repeats are
|   statistical  not known: one run a side says nothing of how runs scatter: run the first recipe
|                twice more, and tscope diff 6ae1a7a00e48 f5748eb37f3e --repeats GLOB
|
| SERIES  10 part, 8 are the same, those of each rank counted
|   series          rank  first bits  visible  r there    +10   +30    slope    end
|   digests.batch   1             80        -        -      -     -        -      -
|   digests.params  0 +2          80        -        -      -     -        -      -
|   grad_norm       0 +2          80       80   9.1e-4  0.031  0.14    0.011  0.048
|   loss            1 +2          80       80     0.12   0.13  0.18  -0.0073   0.04
|   r = |a - b| / max(|a|, |b|), and 10, 30, 100 points later; slope of ln r a step; end: last tenth
|   ranks        all 3 that part do so at step 80
|   grad_norm        a  1.996155023574829
|   step 80, rank 0  b  1.9979759454727173
|                           ^
|   loss             a  1.9231367111206055
|   step 80, rank 1  b  1.6872142553329468
|                         ^
|   digests.batch    a  503fb813e1a0ba06
|   step 80, rank 1  b  449ffcf04fb1f990
|                       ^
|   costs        differ and do not decide: memory.rss, phases.backward, phases.comm, phases.data,
|                phases.forward, phases.optimizer, timestamp
|
| CURVES AROUND THE SPLIT
|   loss         rank 1; a, b, • both
|         2.271 │                             ┊  a                                   a
|               │ •    • ••    • •      •    •┊     a        b              b              b         a
|               │• • •• •    •    •  •      • b    b   abab     aa   b b•           a  b b   a  a  •
|               │          ••   •     •• •••  ab b•ab b a ab ab   bba ba  •baaa•a  •b aa•aaa bb b••  b
|               │   •         •    ••         ┊a•    •ab b a• a•bba  aa  b a bb b••   b   b • a•    •
|         1.143 │                             ┊                    ab    a           b
|                40                          80                                                    159
|   apart                                     █▆▆▇▇▆▇▇▇█▇▇▇▆▆█▇▇██▆█▇▇▇▅▇▇▅█▇▇▆▄█▄▆▁██▆▆▆▇▇▇▆▆▇▃▆▆▄▅▄█
|                r from 0.0016 to 0.56, logarithmic
|   grad_norm    rank 0; a, b, • both
|         2.215 │                             ┊  a                                        a
|               │                            •┊
|               │•• ••     •  •         ••    b  b    •      b •  •  a         b  bb •    b  aa •
|               │  •  ••••• •• • ••  • •  ••• aa  •••• •b bab    • babba• •b  •  ba    abb b b b  a• a
|               │               •  •• •       ┊b•       a•abaa• a  a  ab • a•• a•a a• •baa a• ba •b  b
|         1.288 │                             ┊                 b   b                               •
|                40                          80                                                    159
|   apart                                     █▇▇██▅▆▇▆█▇▁▇▇██▆███▇████▇▇▆▅█▇█▇██████▅▆▅▇███▇██▇▆▆▇█▆▇
|                r from 1.4e-4 to 0.24, logarithmic
|
| FACTS THAT DIFFER  3 in session
|   session.name                  chars-base         ->  chars-order
|   session.started (+2 ranks)    1795176038.980202  ->  1795176054.0815606
|   session.wall_time (+2 ranks)  3.225942724        ->  3.097707511
|
| EVIDENCE
|   for          loss parts at step 80, by a relative 0.1227, first on 1 of 3 ranks, rank 1
|   for          grad_norm parts at step 80, by a relative 0.0009114, on every rank
|   for          digests.params parts at step 80, on every rank
|   for          digests.batch parts at step 80, first on 1 of 3 ranks, rank 1
|   for          both say that they read the same data
|   for          as values look, where nothing is declared: loss is float32 (160 values of either
|                run), grad_norm is float32 (160 values of either run)
[1]
$ tscope diff ./demo/base ./demo/lr
| another learning rate from step 0 on: 0.003 against 0.0031
| cause: another setting; confidence: high; from step 0
|   digests.params parts at step 0 (rank 0), the first that both have: 5c34fe692d310ca8 against
|     9e6cd3872da25e93; 11 more of the trajectory part there or later; 6 other series agree; facts
|     differ: config.optimizer.lr
|   a  chars-base  6ae1a7a00e48  160 steps (0 to 159)  3 ranks
|   b  chars-lr    0654541655d6  160 steps (0 to 159)  3 ranks
|
| EQUIVALENT?
|   bit-exact    fails: digests.params differs at step 0
|   numerical    not known: the loss is up to a relative 0.04954 apart; without repeats of a run
|                nothing says how far repeats are
|   statistical  not known: one run a side says nothing of how runs scatter: run the first recipe
|                twice more, and tscope diff 6ae1a7a00e48 0654541655d6 --repeats GLOB
|
| SERIES  12 part, 6 are the same, those of each rank counted
|   series          rank  first bits  visible  r there     +10     +30    +100    slope     end
|   digests.params  0 +2           0        -        -       -       -       -        -       -
|   lr              0 +2           0        0    0.032   0.032   0.032   0.032        0   0.032
|   grad_norm       0 +2           1        1   7.3e-4  9.0e-4  0.0038   0.011   1.6e-4  0.0053
|   loss            0 +2           1        1   0.0026  0.0022   0.003  0.0096  -7.3e-5   0.009
|   r = |a - b| / max(|a|, |b|), and 10, 30, 100 points later; slope of ln r a step; end: last tenth
|   ranks        all 3 that part do so at step 0
|   lr              a  0.003
|   step 0, rank 0  b  0.0031
|                           ^
|   grad_norm       a  1.8491928577423096
|   step 1, rank 0  b  1.850545048713684
|                         ^
|   loss            a  2.290597915649414
|   step 1, rank 0  b  2.2847323417663574
|                         ^
|   costs        differ and do not decide: memory.rss, phases.backward, phases.comm, phases.data,
|                phases.forward, phases.optimizer, timestamp
|
| CURVES AROUND THE SPLIT
|   loss         rank 0; a, b, • both
|         2.576 │•┊ •
|               │ ┊   •  •        •
|               │ •• •    •• •       • •    •    • ••   • •     • • •          b       •    b  •• •  •
|               │ ┊    ••   •   •• •  • ••   •••• •   •• • ••  • • •  • • •• ••a •  ••  ••• a••    •
|               │ ┊           ••    •     •          •        •        • •      • •   •    •     •  •
|         1.065 │ ┊                        •                 •       •      •      •
|                 1                                                                                159
|   apart         ▆▅▆▆▅▆▇▄▆▅▆▅▆▄▅▆▆▄▇▄▆▅▅▅▇▄▆▅▆▆▆▅▅▇▅▅▅▃▅▅▇▁▆▇▃▄▆▇▇▆▃▇▇▇▅▃▆▅█▆▆█▃▇█▆▆▇▆▅██▆▇█▄█▇▇█▇█▇█
|                r from 2.8e-5 to 0.05, logarithmic
|   grad_norm    rank 0; a, b, • both
|         2.491 │ ┊ •
|               │ ┊•                                                                         •
|               │ ┊  •••• •  •   •                         •
|               │••      • •• • • •••a••••• • •  •a    b• • b •   ••  a •    • •                ••
|               │ ┊            •     b     • • •• b••••a •  a• •••  ••b  •••• • •••••• ••••••  •  ••••
|         1.334 │ ┊                                                    •              •       •
|                 1                                                                                159
|   apart         ▄▃▂▅▂▄▅▆▅▅▃▆▆▅▄▅▅▅▄▅▆▃▆▅▁▅▄▂▅▄▆▅▅▄▅▅▄▅▅▃▇▇▅▄▆▆▆▅▅▄▇▅▆▇▅▆▄▆▆▆▇▅▇▇▅▇▇█▆▇▇█▇▅█▇▇▇▄▄▅█▅▅
|                r from 1.4e-4 to 0.045, logarithmic
|
| FACTS THAT DIFFER  1 in config, 3 in session
|   config.optimizer.lr           0.003              ->  0.0031
|   session.name                  chars-base         ->  chars-lr
|   session.started (+2 ranks)    1795176038.980202  ->  1795176061.1566882
|   session.wall_time (+2 ranks)  3.225942724        ->  3.073487942
|
| EVIDENCE
|   for          loss parts at step 1, by a relative 0.002561, on every rank
|   for          grad_norm parts at step 1, by a relative 0.0007307, on every rank
|   for          lr parts at step 0, by a relative 0.03226, on every rank
|   for          digests.params parts at step 0, on every rank
|   for          the learning rate is 0.003 against 0.0031 at step 0, and what was computed before its
|                update agrees
|   for          config.optimizer.lr differs, which scales every update
|   for          as values look, where nothing is declared: loss is float32 (160 values of either
|                run), grad_norm is float32 (160 values of either run)
[1]
$ tscope diff ./demo/base ./demo/slow --exit-on times | head -1; exit ${PIPESTATUS[0]}
| every bit of the trajectory agrees: 18 series over 160 steps
[1]
$ COLUMNS=60 tscope diff ./demo/base ./demo/lr
| another learning rate from step 0 on: 0.003 against 0.0031
| cause: another setting; confidence: high; from step 0
|   digests.params parts at step 0 (rank 0), the first that
|     both have: 5c34fe692d310ca8 against 9e6cd3872da25e93; 11
|     more of the trajectory part there or later; 6 other
|     series agree; facts differ: config.optimizer.lr
|   a  chars-base  6ae1a7a00e48  160 steps (0 to 159)  3 ranks
|   b  chars-lr    0654541655d6  160 steps (0 to 159)  3 ranks
|
| EQUIVALENT?
|   bit-exact    fails: digests.params differs at step 0
|   numerical    not known: the loss is up to a relative
|                0.04954 apart; without repeats of a run
|                nothing says how far repeats are
|   statistical  not known: one run a side says nothing of how
|                runs scatter: run the first recipe twice
|                more, and tscope diff 6ae1a7a00e48
|                0654541655d6 --repeats GLOB
|
| SERIES  12 part, 6 are the same, those of each rank counted
|   digests.params  rank 0 +2  first bits 0
|   lr
|       rank 0 +2  first bits 0  visible 0  r there 0.032
|       +10 0.032  +30 0.032  +100 0.032  slope 0  end 0.032
|   grad_norm
|       rank 0 +2  first bits 1  visible 1  r there 7.3e-4
|       +10 9.0e-4  +30 0.0038  +100 0.011  slope 1.6e-4
|       end 0.0053
|   loss
|       rank 0 +2  first bits 1  visible 1  r there 0.0026
|       +10 0.0022  +30 0.003  +100 0.0096  slope -7.3e-5
|       end 0.009
|   r = |a - b| / max(|a|, |b|), and 10, 30, 100 points later;
|     slope of ln r a step; end: last tenth
|   ranks        all 3 that part do so at step 0
|   lr              a  0.003
|   step 0, rank 0  b  0.0031
|                           ^
|   grad_norm       a  1.8491928577423096
|   step 1, rank 0  b  1.850545048713684
|                         ^
|   and 1 more; --all shows them
|   and 1 more; --json has them
|
| CURVES AROUND THE SPLIT
|   loss         rank 0; a, b, • both
|         2.246 │••
|               │┊ • •             •
|               │┊  • •   •  •    •  • •  •           b   • •
|               │┊     • • ••   •     •    •  •• •    a••  •
|               │┊            •• •  •    •  ••    •• •   •   •
|         1.321 │┊      •               •       •   •
|                1                                         159
|   apart        ▅▅▅▅▅▅▄▄▅▃▅▄▅▃▅▅▅▄▅▄▂▅▃▆▁▆▇▅▇▁▄█▆▄▇▆▆▆█▇▇▇█▇█
|                r from 2.8e-5 to 0.05, logarithmic
|   grad_norm    rank 0; a, b, • both
|         2.349 │┊•
|               │┊
|               │• ••••  •             •
|               │┊     •  •••• •  •  •   • •  •          b •
|               │┊      •     • •• •• •   •  • •••••• •••a• ••
|         1.418 │┊                      •   •        •
|                1                                         159
|   apart        ▃▁▃▂▆▄▄▅▃▄▄▃▅▂▂▃▄▄▄▃▄▄▆▄▆▅▄▅▇▅▅▇▄▇▆█▇▇█▆█▆▂▆▄
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
|   for          loss parts at step 1, by a relative 0.002561,
|                on every rank
|   for          grad_norm parts at step 1, by a relative
|                0.0007307, on every rank
|   for          lr parts at step 0, by a relative 0.03226, on
|                every rank
|   for          digests.params parts at step 0, on every rank
|   for          the learning rate is 0.003 against 0.0031 at
|                step 0, and what was computed before its
|                update agrees
|   for          config.optimizer.lr differs, which scales
|                every update
|   for          as values look, where nothing is declared:
|                loss is float32 (160 values of either run),
|                grad_norm is float32 (160 values of either
|                run)
[1]
$ COLUMNS=80 tscope diff base ./runs/evil
| loss agrees on 3 common steps, but the first run has 5 that the second lacks (3
| to 7); facts differ: code.commit and 10 more
| cause: nothing differs; confidence: low
|   a  base                  18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  \x1B[2Jclear\u{202E}  d45d5732500b  3 steps (0 to 2)  1 rank
|
| EQUIVALENT?
|   bit-exact    holds: every loss, rate, norm and digest that both have, over 3
|                common steps
|   numerical    holds: bit-exact
|   statistical  holds: bit-exact
|
| SERIES  none are the same
|   agree        on all common steps: loss, lr
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
|   for          agreement to the bit over 3 common steps: loss as doubles, lr as
|                doubles
|   against      they have only 3 steps in common
[3]
# What was skipped is said.
$ tscope diff base ./runs/cut
| loss agrees on 4 common steps, but the first run has 4 that the second lacks (4 to 7); facts differ: code.commit and 7 more
| cause: nothing differs; confidence: low
|   a  base  18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  -     a6e6bceb9c69  4 steps (0 to 3)  1 rank
|
| EQUIVALENT?
|   bit-exact    holds: every loss, rate, norm and digest that both have, over 4 common steps
|   numerical    holds: bit-exact
|   statistical  holds: bit-exact
|
| SERIES  none are the same
|   agree        on all common steps: loss, lr
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
|   for          agreement to the bit over 4 common steps: loss as doubles, lr as doubles
|   against      they have only 4 steps in common
! tscope: ./runs/cut/steps.jsonl:5: skipped: bad_json: byte 0: expected a value
! tscope: ./runs/cut/steps.jsonl:6: skipped: cut_line: byte 15: the text ends inside an object, expected '"'
[3]
$ tscope diff base ./runs/empty
! tscope: ./runs/empty: no run in it: no run directory, and no log of another tool that is known
[2]
# Three runs or more: a matrix of first steps.
$ tscope diff base rerun parts longer mood mood2 apart
| 5 of 21 pairs part, all of them at step 3
| 1  base    18fc3da2967f  8 steps (0 to 7)      1 rank
| 2  rerun   615c705062bf  8 steps (0 to 7)      1 rank
| 3  parts   2fce76dd212c  8 steps (0 to 7)      1 rank
| 4  longer  782180165393  12 steps (0 to 11)    1 rank
| 5  mood    02543aa2aba4  8 steps (0 to 7)      1 rank
| 6  mood2   46aff2c7d8bf  8 steps (0 to 7)      1 rank
| 7  apart   a119718b675c  8 steps (100 to 107)  1 rank
|
| First step where each two part
|                 base    rerun  parts  longer     mood    mood2  apart
|   1  base          .     same      3  extent  columns  columns  apart
|   2  rerun      same        .      3  extent  columns  columns  apart
|   3  parts         3        3      .       3        3        3  apart
|   4  longer   extent   extent      3       .   extent   extent  apart
|   5  mood    columns  columns      3  extent        .  columns  apart
|   6  mood2   columns  columns      3  extent  columns        .  apart
|   7  apart     apart    apart  apart   apart    apart    apart      .
|
| extent    common steps agree; one has steps, series or ranks that the other lacks
| columns   the trajectory is the same; a series of unknown meaning differs
| apart     no step of a trajectory is in both
[1]
$ COLUMNS=60 tscope diff base rerun parts longer
| 3 of 6 pairs part, all of them at step 3
| 1  base    18fc3da2967f  8 steps (0 to 7)    1 rank
| 2  rerun   615c705062bf  8 steps (0 to 7)    1 rank
| 3  parts   2fce76dd212c  8 steps (0 to 7)    1 rank
| 4  longer  782180165393  12 steps (0 to 11)  1 rank
|
| First step where each two part
|                base   rerun  parts  longer
|   1  base         .    same      3  extent
|   2  rerun     same       .      3  extent
|   3  parts        3       3      .       3
|   4  longer  extent  extent      3       .
|
| extent    common steps agree; one has steps, series or ranks
|           that the other lacks
[1]
$ COLUMNS=44 tscope diff base rerun parts longer mood apart
| 4 of 15 pairs part, all of them at step 3
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
|   group  nearest  parts at  runs
|       1        4   columns  1 base, 2 rerun
|       2        1         3  3 parts
|       3        1    extent  4 longer
|       4        1   columns  5 mood
|       5        1     apart  6 apart
|
| extent    common steps agree; one has steps,
|           series or ranks that the other
|           lacks
| columns   the trajectory is the same; a
|           series of unknown meaning differs
| apart     no step of a trajectory is in both
[1]
$ tscope diff base rerun base
| all 3 runs computed the same, bit for bit
| 1  base   18fc3da2967f  8 steps (0 to 7)  1 rank
| 2  rerun  615c705062bf  8 steps (0 to 7)  1 rank
| 3  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|
| First step where each two part
|             base  rerun  base
|   1  base      .   same  same
|   2  rerun  same      .  same
|   3  base   same   same     .
$ tscope diff base longer ./runs/rerun
| no step that two runs have in common differs, but 2 of 3 pairs differ in steps, series or ranks
| 1  base    18fc3da2967f  8 steps (0 to 7)    1 rank
| 2  longer  782180165393  12 steps (0 to 11)  1 rank
| 3  rerun   615c705062bf  8 steps (0 to 7)    1 rank
|
| First step where each two part
|                base  longer   rerun
|   1  base         .  extent    same
|   2  longer  extent       .  extent
|   3  rerun     same  extent       .
|
| extent    common steps agree; one has steps, series or ranks that the other lacks
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
|   ]
| }
[1]
$ tscope diff --exit-on facts base rerun parts
! tscope: diff: --exit-on works with two runs, and 3 are given
[2]
# Repeats of the first run's recipe: the odd one out, and the second run against their envelope.
$ tscope diff base parts --repeats rerun --repeats longer
| loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2 more
| cause: not comparable; confidence: none; from step 3
|   loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2
|     more
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  parts  2fce76dd212c  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    fails: loss differs at step 3
|   numerical    fails: outside the envelope of 3 runs of the first recipe, whose spread is a relative
|                0
|   statistical  holds: loss at step 7, the last that all have, is 0.004 % above that of the 3
|                repeats: margin 1 %; the repeats do not scatter, so this is of these very seeds
|
| SERIES  1 parts, 6 are the same
|   series  first bits  visible  r there
|   loss             3        3   2.0e-5
|   r = |a - b| / max(|a|, |b|), and 10, 30, 100 points later; slope of ln r a step; end: last tenth
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
| FACTS THAT DIFFER  1 in code, 1 in config, 1 in seeds, 1 in session
|   code.commit   aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ->  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
|   config.lr     0.001                                     ->  0.0012
|   seeds.torch   7                                         ->  8
|   session.name  base                                      ->  parts
|
| REPEATS  the 3 repeats agree, bit for bit, as far as they go: the recipe repeats itself
|   runs         base, rerun, longer
|   envelope     the second run leaves the envelope of the 3 repeats: loss from step 3 on (outside at
|                62 % of 8 points)
|   series  points  repeats apart  b from them  outside  from step
|   loss         8              0       4.0e-5        5          3
[1]
$ tscope diff base mood --repeats 're*' --repeats parts
| the trajectory agrees, but only the second run has mood; common steps of the trajectory agree; whether it is part of the trajectory is not known: declare columns.<name>.role in facts.json; facts differ: code.commit and 1 more
| cause: nothing differs; confidence: low
|   a  base  18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  mood  02543aa2aba4  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    holds: every loss, rate, norm and digest that both have, over 8 common steps
|   numerical    holds: bit-exact
|   statistical  holds: bit-exact
|
| SERIES  7 are the same
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
|   2 of 3 repeats agree, bit for bit; parts is the odd one out, from step 3 on: a rare race, another
|   machine and another input look alike until one of them is run again
|   runs         base, rerun, parts
|   envelope     the second run stays inside the envelope of the 3 repeats: loss over 8 points, whose
|                spread is a relative 4e-05
|   series  points  repeats apart  b from them  outside  from step
|   loss         8         4.0e-5            0        0          -
|
| EVIDENCE
|   for          agreement to the bit over 8 common steps: loss as doubles, lr as doubles
|   against      they have only 8 steps in common
[3]
$ tscope diff base parts --repeats 'r*'
| loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2 more
| cause: not comparable; confidence: none; from step 3
|   loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2
|     more
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  parts  2fce76dd212c  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    fails: loss differs at step 3
|   numerical    not known: the loss is up to a relative 4e-05 apart; without repeats of a run nothing
|                says how far repeats are
|   statistical  not known: it takes 3 repeats of the first recipe, the first run counted: tscope diff
|                A B --repeats GLOB
|
| SERIES  1 parts, 6 are the same
|   series  first bits  visible  r there
|   loss             3        3   2.0e-5
|   r = |a - b| / max(|a|, |b|), and 10, 30, 100 points later; slope of ln r a step; end: last tenth
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
| FACTS THAT DIFFER  1 in code, 1 in config, 1 in seeds, 1 in session
|   code.commit   aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ->  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
|   config.lr     0.001                                     ->  0.0012
|   seeds.torch   7                                         ->  8
|   session.name  base                                      ->  parts
|
| REPEATS  2 runs of one recipe, the first run counted: 3 are needed to tell chance from a change
|   runs         base, rerun
|   envelope     no envelope: 3 runs of one recipe are needed, the first run counted
[1]
$ tscope diff --json base parts --repeats rerun --repeats longer | sed -n '/"repeats"/,/"runs"/p; /"inside"/,/^  },/p'
|   "repeats": {
|     "pattern": "same",
|     "sentence": "the 3 repeats agree, bit for bit, as far as they go: the recipe repeats itself",
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
|     "equivalent_because": "loss at step 7, the last that all have, is 0.004 % above that of the 3 repeats: margin 1 %; the repeats do not scatter, so this is of these very seeds",
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
| REPEATS  the 3 repeats agree, bit for bit, as far as they go: the recipe repeats itself
|   runs         base, rerun, longer
|   envelope     the second run leaves the envelope of the 3 repeats: loss from step 3 on (outside at
|                62 % of 8 points)
|   series  points  repeats apart  b from them  outside  from step
|   loss         8              0       4.0e-5        5          3
$ tscope diff base parts --repeats './runs/nothing*'
! tscope: --repeats: no directory matches ./runs/nothing*
[2]
# Cut-offs are policy; what is not the default is said, and one file serves analyze too.
$ printf 'TIMING.JITTER = off\nDIVERGENCE.common_records = 3\nDIVERGENCE.numeric_jump = 1e-4\nDIVERGENCE.quanta = 3\n' > team.policy; tscope diff base parts --policy team.policy | head -20
| rounding differs from step 3 on, as kernels without a fixed order of sums do; what else may do it is listed
| cause: kernels without a fixed order; confidence: low; from step 3
|   loss parts at step 3: 0.5 against 0.50001; 6 other series agree; facts differ: code.commit and 2
|     more
|   a  base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  parts  2fce76dd212c  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    fails: loss differs at step 3
|   numerical    not known: the loss is up to a relative 4e-05 apart; without repeats of a run nothing
|                says how far repeats are
|   statistical  not known: one run a side says nothing of how runs scatter: run the first recipe
|                twice more, and tscope diff 18fc3da2967f 2fce76dd212c --repeats GLOB
|
| CUT-OFFS BY POLICY
|   numeric_jump 0.0001 (default 2e-06), common_records 3 (default 10)
|
| SERIES  1 parts, 6 are the same
|   series  first bits  visible  r there
|   loss             3        3   2.0e-5
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
