$ tscope push -q runs/base runs/evil
| name          id            steps      sent       new  outcome
| default/base  18fc3da2967f      8 SIZE SIZE  created
| default/evil  d45d5732500b      3 SIZE SIZE  created
| 2 runs: 2 created
$ tscope push -q --name demo demo/base
| name      default/demo
| id        6ae1a7a00e484c8c689b5cad922755181bc8fa930ad267019808b42abf32281f
| format    pytscope run directory
| steps     160 steps (0 to 159), 3 ranks
| sent SIZE (36 objects)
| new SIZE
| outcome   created
$ tscope show base
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
| own name  base
| names     run default/base
| state     finished
| started   2023-11-14 22:13Z, took 2.00 s
| steps     8 (0 to 7)
| ranks     1
| facts     code 1, config 3, seeds 1, libraries 2, parallelism 1, session 4
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
$ tscope show ./demo/base
| id        6ae1a7a00e484c8c689b5cad922755181bc8fa930ad267019808b42abf32281f
| own name  chars-base
| names     run default/demo
| ended     finished
| started   2026-11-20 12:00Z, took 3.23 s
| steps     160 (0 to 159)
| ranks     3
| facts     config 9, seeds 2, determinism 2, libraries 2, hardware 3, parallelism 3, data 2, session
|           4
|
| metric        last    best (step)     mean       min      max
| samples       7680              -     3864        48     7680
| grad_norm  1.56937              -  1.70794   1.25681  2.59584
| loss         1.778  0.731249 (83)  1.70451  0.731249   2.5761
| lr           0.003              -    0.003     0.003    0.003
|
| cost                 mean      min      max     last
| memory.rss        322 MiB  316 MiB  323 MiB  323 MiB
| phases.backward    870 µs   460 µs  5.88 ms   549 µs
| phases.comm       9.59 ms  1.23 ms  25.5 ms  7.14 ms
| phases.data        322 µs   166 µs  4.40 ms  4.31 ms
| phases.forward     503 µs   297 µs  4.68 ms   358 µs
| phases.optimizer   854 µs   654 µs  8.05 ms   801 µs
|
| series          type  ranks  rows  steps
| digests.batch   u64       3   480  0 to 159
| digests.params  u64       3   480  0 to 159
# What a run calls itself cannot move the cursor.
$ tscope show evil
| id        d45d5732500b56674f7f54cfeaaaa383155926f5d5c02ddc294e152150eaca08
| own name  \x1B[2Jclear\u{202E}
| names     run default/evil
| state     unknown: nothing that was recorded says how the run ended
| started   2023-11-14 22:13Z
| steps     3 (0 to 2)
| ranks     1
| facts     config 3, session 2
|
| metric      last   best (step)     mean       min    max
| loss    0.666667  0.666667 (2)  1.22222  0.666667      2
| lr         0.001             -    0.001     0.001  0.001
|
| cost                mean      min      max     last
| memory.alloc       2 MiB    1 MiB    3 MiB    3 MiB
| phases.backward   160 ms   160 ms   160 ms   160 ms
| phases.data      10.0 ms  10.0 ms  10.0 ms  10.0 ms
| phases.forward   80.0 ms  80.0 ms  80.0 ms  80.0 ms
|
| other number        last  mean  min  max
| \x1B\[31mred\nline     1     1    1    1
| 損失                 2.5   2.5  2.5  2.5
$ tscope facts base
| code.commit             aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  text   facts.json
| config.layers[0]        2                                         int    run.json
| config.layers[1]        4                                         int    run.json
| config.lr               0.001                                     float  run.json
| seeds.torch             7                                         int    facts.json
| libraries.python        3.11.2                                    text   run.json
| libraries.torch         2.6.0                                     text   run.json
| parallelism.world_size  1                                         int    run.json
| session.n_steps         8                                         int    run.json
| session.name            base                                      text   run.json
| session.started         1700000000.0                              float  run.json
| session.wall_time       2.0                                       float  run.json
$ tscope facts base 'c*'
| code.commit       aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  text   facts.json
| config.layers[0]  2                                         int    run.json
| config.layers[1]  4                                         int    run.json
| config.lr         0.001                                     float  run.json
$ tscope facts base 'nothing*'
! tscope: no recorded fact has a path like nothing*
$ tscope facts ./runs/evil
| config.note      a\tb\x07\r\nc             text   run.json
| config.nul       before\x00after           text   run.json
| config.名前      日本語のとても長い値です  text   run.json
| session.name     \x1B[2Jclear\u{202E}      text   run.json
| session.started  1700000000.0              float  run.json
$ tscope facts demo 'se*'
| seeds.data         100                 int    facts.json
|   ranks 1, 2       not recorded
| seeds.torch        7                   int    facts.json
|   ranks 1, 2       not recorded
| session.n_steps    160                 int    run.json
| session.name       chars-base          text   run.json
| session.started    1795176038.980202   float  run.json
|   rank 1           1795176038.9898489  float  run.json
|   rank 2           1795176038.9924412  float  run.json
| session.wall_time  3.225942724         float  run.json
|   rank 1           3.213298872         float  run.json
|   rank 2           3.206682904         float  run.json
# Names that are not there; names that several things have.
$ tscope show bose
! tscope: nothing is named default/bose; similar names: default/base
[2]
$ tscope push -q --branch twice --name twice runs/base; tscope tag -q evil twice
| name      default/twice
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   created
| tag default/twice points at d45d5732500b
$ tscope show twice
! tscope: default/twice is ambiguous; it may be run:default/twice, tag:default/twice, branch:default/twice
[2]
$ tscope show branch:twice | head -1
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
$ tscope show 18fc3da2 | head -1
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
# Steps that were written again after a restart are kept beside the others.
$ tscope push -q runs/restarted
| name      default/restarted
| id        634f83e3095818f0997146f899979627e3af114dd4590af4683c7f6b063ba4d1
| format    pytscope run directory
| steps     6 steps (0 to 5), 1 rank
| sent SIZE (9 objects)
| new SIZE
| outcome   created
$ tscope show restarted
| id        634f83e3095818f0997146f899979627e3af114dd4590af4683c7f6b063ba4d1
| own name  not recorded
| names     run default/restarted
| state     unknown: nothing that was recorded says how the run ended
| steps     6 (0 to 5)
| ranks     1
| events    1 recorded event
| facts     none
|
| event    step  time  says
| restart     2     -  segment 1 begins
|
| metric      last   best (step)      mean       min  max
| loss    0.333333  0.333333 (5)  0.816667  0.333333    2
|
| cost         mean  min  max  last
| segment  0.666667    0    1     1
|
| series        type       ranks  rows  steps
| (superseded)  3 columns      1     2
$ tscope show ./runs/nothing-there
! tscope: ./runs/nothing-there: no such file or directory
[2]
# Who forgot the ./ is told.
$ tscope diff runs/base runs/parts
| The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6 other series are the same in both; 3 recorded facts differ: code.commit and 2 more
| cause: too little in common to compare; confidence: none; from step 3
|   The two runs first differ at step 3: loss is 0.5 in the first run and 0.50001 in the second; 6
|     other series are the same in both; 3 recorded facts differ: code.commit and 2 more
|   a  ./runs/base   18fc3da2967f  8 steps (0 to 7)  1 rank
|   b  ./runs/parts  2fce76dd212c  8 steps (0 to 7)  1 rank
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
$ tscope show demo --store nowhere
! tscope: ./demo holds 5 runs; name one of them, such as ./demo/base
[2]
# Layers, events and what a push noted of the state. By hand: forward of head is 2, 4 and 6 ms, so 4 ms in the mean; eleven layers, of which ten are shown.
$ mkdir timed; for i in 0 1 2; do echo '{"step":'$i',"timestamp":'$((100+i))',"scalars":{"loss":2.5,"tokens":1500000,"save_ms":1500,"rare":null,"layers/head/forward_ms":'$((2+2*i))',"layers/head/backward_ms":8'$(for l in 0 1 2 3 4 5 6 7 8 9; do echo ',"layers/block.'$l'/forward_ms":0.'$((5+l)); done)'}}'; done | sed '2s/null/7/' >timed/steps.jsonl; printf '{"time":101.5,"name":"checkpoint","text":"a/1.pt"}\n{"time":101.6,"name":"evaluate","duration":0.25}\n' >timed/events.jsonl; tscope push -q --state killed timed >/dev/null
$ tscope show timed
| id        84d0f4dc1eaac9fd85175fe8238f5ff208f4a410f3bebed87cc7a9a43b63b045
| own name  not recorded
| names     run default/timed
| state     killed
| ended     not known: nothing that was recorded says it
| steps     3 (0 to 2)
| ranks     1
| events    1 recorded event; 1 region is not listed
| facts     none
|
| event          step    time  says
| checkpoint  after 1  1.50 s  a/1.pt
|
| metric       last  best (step)       mean        min        max
| loss          2.5      2.5 (0)        2.5        2.5        2.5
| tokens  1,500,000            -  1,500,000  1,500,000  1,500,000
|
| cost       mean     min     max    last
| save_ms  1.50 s  1.50 s  1.50 s  1.50 s
|
| other number  last  mean  min  max  steps
| rare             7     7    7    7  1 (1)
|
| layer    forward  backward
| head     4.00 ms   8.00 ms
| block.4   900 µs         -
| block.3   800 µs         -
| block.2   700 µs         -
| block.1   600 µs         -
| block.0   500 µs         -
| block.9   140 µs         -
| block.8   130 µs         -
| block.7   120 µs         -
| block.6   110 µs         -
| 1 more layer; --json has all of them
$ COLUMNS=60 tscope show timed
| id        84d0f4dc1eaac9fd85175fe8238f5ff208f4a410f3bebed87cc7a9a43b63b045
| own name  not recorded
| names     run default/timed
| state     killed
| ended     not known: nothing that was recorded says it
| steps     3 (0 to 2)
| ranks     1
| events    1 recorded event; 1 region is not listed
| facts     none
|
| event          step    time  says
| checkpoint  after 1  1.50 s  a/1.pt
|
| metric      last best (step)      mean       min       max
| loss         2.5     2.5 (0)       2.5       2.5       2.5
| tokens 1,500,000           - 1,500,000 1,500,000 1,500,000
|
| cost       mean     min     max    last
| save_ms  1.50 s  1.50 s  1.50 s  1.50 s
|
| other number  last  mean  min  max  steps
| rare             7     7    7    7  1 (1)
|
| layer    forward  backward
| head     4.00 ms   8.00 ms
| block.4   900 µs         -
| block.3   800 µs         -
| block.2   700 µs         -
| block.1   600 µs         -
| block.0   500 µs         -
| block.9   140 µs         -
| block.8   130 µs         -
| block.7   120 µs         -
| block.6   110 µs         -
| 1 more layer; --json has all of them
$ tscope show timed --json | jq -c '.recorded_events | .rows[].name, del(.rows)'
| "checkpoint"
| {"all_count":1,"more_count":0,"region_count":1}
# By its id a run has no notes, and so no state.
$ tscope show $(tscope show timed --json | jq -r .run.id) | sed -n '/^names/,/^steps/p'
| names     run default/timed
| ended     not known: nothing that was recorded says it
| steps     3 (0 to 2)
