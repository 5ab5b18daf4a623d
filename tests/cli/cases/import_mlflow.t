# MLflow's folder is one run for each of its own, but for those that were deleted; artifacts are counted, what looks secret is taken out.
$ tscope push mlruns
| name                                          id            steps      sent       new  outcome
| default/101/plain                             c968cd4d2248     40 SIZE SIZE  created
| default/101/other                             c1036e0e36c4     40 SIZE SIZE  created
| default/102/000000000000000000000000000000a3  d703cb1f82ad      8 SIZE SIZE  created
| 3 runs: 3 created
! tscope: mlruns: 2 runs are deleted in MLflow and left out
! tscope: mlruns/101/000000000000000000000000000000a1/artifacts: skipped: not_kept (2 times): model/config.json
! tscope: mlruns/101/000000000000000000000000000000a1: redacted: the value looks like a secret and is not kept
! tscope: mlruns/101/000000000000000000000000000000a2: redacted: the value looks like a secret and is not kept
! tscope: mlruns/102/000000000000000000000000000000a3: skipped: repeated_value: 1 value came again for the same step, other than before; the last counts
# Again: nothing is sent.
$ tscope push mlruns 2>/dev/null
| name                                          id            steps  sent  new  outcome
| default/101/plain                             c968cd4d2248     40   0 B  0 B  unchanged
| default/101/other                             c1036e0e36c4     40   0 B  0 B  unchanged
| default/102/000000000000000000000000000000a3  d703cb1f82ad      8   0 B  0 B  unchanged
| 3 runs: 3 unchanged
# One run alone, and what its columns and its samples of the machine were called.
$ tscope push --name gpt mlruns/101/000000000000000000000000000000a1 2>/dev/null
| name      default/gpt
| id        c968cd4d22485830f1fdbbda7a42837befc3cee86320c2971d1ea043bc04adca
| format    MLflow run; not kept: artifacts, models, datasets, traces
| columns   eval/acc is scalars.eval/acc
|           loss is scalars.loss
|           lr is scalars.lr
|           system/cpu_utilization_percentage is scalars.system/cpu_utilization_percentage
|           system/gpu_0_utilization_percentage is scalars.system/gpu_0_utilization_percentage
| steps     40 steps (0 to 39), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   created
# Which of them was changed: a parameter, and the loss from step 25 on.
$ tscope diff ./mlruns/101/000000000000000000000000000000a1 ./mlruns/101/000000000000000000000000000000a2
| The two runs suddenly differ at step 25, and nothing recorded explains it: the loss has a relative difference of 0.5842
| b: The run crashed after step 39 (said by MLflow's status).
| cause: a sudden change that nothing recorded explains; confidence: low; from step 25
|   The two runs first differ at step 25: loss is 0.06368790191329962 in the first run and
|     0.15317892197103722 in the second; 5 other series are the same in both; 4 recorded facts differ:
|     config.lr and 3 more
|   a  ./mlruns/101/000000000000000000000000000000a1  c968cd4d2248  40 steps (0 to 39)  1 rank
|   b  ./mlruns/101/000000000000000000000000000000a2  c1036e0e36c4  40 steps (0 to 39)  1 rank
|
| EQUIVALENT?
|   bit-exact    no: loss differs at step 25
|   numerical    not known: the relative difference of the loss is up to 1.703; without repeats of the
|                first run nothing shows by how much repeats differ
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff c968cd4d2248 c1036e0e36c4 --repeats GLOB
|
| OUTCOMES
|                               a           b       b - a
|   loss, last tenth    0.0426131   0.0860354      +102 %
|   loss, best         -0.0451238  -0.0436223  +0.0015015
|   step time, mean        1.00 s      1.00 s    the same
|   step time, median      1.00 s      1.00 s    the same
|   steps per second         1 /s        1 /s    the same
|   steps                      40          40    the same
|   wall time              39.0 s      39.0 s    the same
|
| SERIES  1 series differs, 5 are the same
|   series  first step  visible     r  r+10  slope
|   loss            25       25  0.58  0.87  0.015
|   first step: the first with different bits; visible: the first with a difference above the rounding
|     of the values; r: |a - b| / max(|a|, |b|) at that step; r+10: r 10 points later; slope: growth
|     of ln r per step
|   loss     a  0.06368790191329962
|   step 25  b  0.15317892197103722
|                 ^
|
| CURVES AROUND THE FIRST DIFFERENCE
|   loss         a, b, • both
|             2 │•                        ┊
|               │                         ┊
|               │ •                       ┊
|               │  •                      ┊
|               │   •••••••   •••    ••   ┊ba    b
|      -0.04512 │          •••   ••••  ••••ab••••a•••••••
|                0                       25            39
|   r                                     ▅▁▄▇▇█▆▃▃▇█▆▇▅▁
|                r from 0.11 to 1.7, logarithmic
|
| FACTS THAT DIFFER  1 in config, 1 in lineage, 2 in session, 2 in other
|   config.lr            0.001                             ->  0.002
|   lineage.nested_in    not recorded                      ->  000000000000000000000000000000a1
|   session.name         plain                             ->  other
|   session.wall_time    60.0                              ->  60.5
|   other.mlflow.run_id  000000000000000000000000000000a1  ->  000000000000000000000000000000a2
|   other.mlflow.status  finished                          ->  failed
|
| EVIDENCE
|   for          loss first differs at step 25 (relative difference 0.5842)
|   against      config.lr differs, which changes the size of every update; a record contradicts that:
|                the learning rates agree
|   against      only one run recorded lineage.nested_in, so it is not known whether it differs
|   could be     corrupted training state; different code, or a different objective; a different
|                setting or schedule; a different data order; different data; the same data at a
|                different position; different random numbers; a resume that did not restore all
|                training state; a different precision or kernel; a resume that did not restore the
|                data position; a logged value differs, but the training does not; a different order
|                of summation; a different device, library or driver; nondeterministic kernels
|
| NEXT
|   1            run both again for 20 steps with autocast off (40 steps to run); this shows whether
|                precision or kernels are the cause: then the difference becomes smaller or disappears
|   2            record digests.params, digests.batch, digests.rng, digests.grads in both runs from
|                step 24 to step 45, push them and compare again (45 steps to run); this shows which
|                input differs first: parameters, batch, random generators or gradients
|       tscope diff c968cd4d2248-digests c1036e0e36c4-digests
|   3            repeat the first run twice for 45 steps, with
|                torch.use_deterministic_algorithms(True), and push the repeats as c968cd4d2248-r1 and
|                c968cd4d2248-r2 (90 steps to run); this shows whether nondeterministic kernels are
|                the cause: with these flags they are deterministic
|       tscope diff c968cd4d2248 c1036e0e36c4 --repeats 'c968cd4d2248-r*'
|   4            run each recipe again for 45 steps on the hosts of the other run, and push them as
|                c968cd4d2248-swap and c1036e0e36c4-swap (90 steps to run); this shows whether the
|                cause is a host or a recipe: a faulty host causes the difference wherever it is used
|       tscope diff c968cd4d2248 c968cd4d2248-swap
! tscope: ./mlruns/101/000000000000000000000000000000a1/artifacts: skipped: not_kept (2 times): model/config.json
[1]
# The database has the same runs.
$ python3 -c 'import sqlite3; sqlite3.connect("mlflow.db").executescript(open("mlflow.db.sql").read())'
$ tscope push mlflow.db
| name                                                id            steps      sent       new  outcome
| default/mlflow.db/plain                             4491e7f1cdd1     40 SIZE SIZE  created
| default/mlflow.db/other                             e5149633af3c     40 SIZE SIZE  created
| default/mlflow.db/000000000000000000000000000000a3  9c1a6adbaac8      8 SIZE SIZE  created
| 3 runs: 3 created
! tscope: mlflow.db: 2 runs are deleted in MLflow and left out
! tscope: mlflow.db#000000000000000000000000000000a1: redacted: the value looks like a secret and is not kept
! tscope: mlflow.db#000000000000000000000000000000a2: redacted: the value looks like a secret and is not kept
! tscope: mlflow.db#000000000000000000000000000000a3: skipped: repeated_value: 1 value came again for the same step, other than before; the last counts
$ tscope push mlflow.db 2>/dev/null
| name                                                id            steps  sent  new  outcome
| default/mlflow.db/plain                             4491e7f1cdd1     40   0 B  0 B  unchanged
| default/mlflow.db/other                             e5149633af3c     40   0 B  0 B  unchanged
| default/mlflow.db/000000000000000000000000000000a3  9c1a6adbaac8      8   0 B  0 B  unchanged
| 3 runs: 3 unchanged
$ tscope diff ./mlflow.db#000000000000000000000000000000a1 ./mlruns/101/000000000000000000000000000000a1
| Both runs computed the same, bit for bit: 3 series of the trajectory agree over 40 steps; 1 recorded fact differs: other.mlflow.experiment_id
| cause: no difference found; confidence: high
|   a  ./mlflow.db#000000000000000000000000000000a1   4491e7f1cdd1  40 steps (0 to 39)  1 rank
|   b  ./mlruns/101/000000000000000000000000000000a1  c968cd4d2248  40 steps (0 to 39)  1 rank
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that both runs have is equal
|                over 40 common steps
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                               a           b     b - a
|   loss, last tenth    0.0426131   0.0426131  the same
|   loss, best         -0.0451238  -0.0451238  the same
|   step time, mean        1.00 s      1.00 s  the same
|   step time, median      1.00 s      1.00 s  the same
|   steps per second         1 /s        1 /s  the same
|   steps                      40          40  the same
|   wall time              39.0 s      39.0 s  the same
|
| SERIES  5 series are the same
|   costs        these series differ, but do not decide: timestamp
|
| FACTS THAT DIFFER  1 in other
|   other.mlflow.experiment_id  "1"  ->  "101"
|
| EVIDENCE
|   for          the runs agree bit for bit over 40 common steps: loss (float64), lr (float64),
|                eval/acc (float64)
! tscope: ./mlruns/101/000000000000000000000000000000a1/artifacts: skipped: not_kept (2 times): model/config.json
$ tscope show ./mlflow.db#000000000000000000000000000000a3 | head -20
| id        9c1a6adbaac82f009d7be28a1765dae74ee9eb7104311d0d646a6cd5351f8918
| own name  it's "odd": a name that is long enough for PyYAML to break it into two lines, because its
|           lines end at 80 characters
| names     run default/mlflow.db/000000000000000000000000000000a3
| ended     The run was killed after step 4,611,686,018,427,387,904 (said by MLflow's status).
| started   2026-11-18 11:06Z, took 61.0 s
| steps     8 (-1 to 4611686018427387904)
| ranks     1
| facts     session 4, columns 2, other 4
|
| metric         last        best (step)          mean           min     max  NaN or inf  steps
| loss         1e+300  4.94066e-324 (-1)  3.33333e+299  4.94066e-324  1e+300           3  6 (-1 to 4611686018427387904)
| val loss: a    0.25                  -        0.1875         0.125    0.25           0  2 (5 to 6)
! tscope: ./mlflow.db#000000000000000000000000000000a3: skipped: repeated_value: 1 value came again for the same step, other than before; the last counts
# A run that was deleted is read where it is named.
$ tscope push --name one mlflow.db#000000000000000000000000000000a4
| name      default/one
| id        01c2bdc4eab7b225d990cdeed46d4c9c88714c0fef09dc955763584be678c4fd
| format    MLflow database; not kept: artifacts, models, datasets, traces
| columns   loss is scalars.loss
| steps     1 step (0), 1 rank
| sent SIZE (5 objects)
| new SIZE
| outcome   created
$ tscope push mlflow.db#nobody
! tscope: mlflow.db: there is no run nobody
[2]
# What is no database of MLflow's, and one that was cut.
$ python3 -c 'import sqlite3; sqlite3.connect("mlflow2.db").executescript("CREATE TABLE runs(x)")'
$ tscope push mlflow2.db
! tscope: mlflow2.db: this is not a database of MLflow, because it has no table experiments
[2]
$ head -c 20000 mlflow.db >mlflow-cut.db; tscope push mlflow-cut.db
! tscope: mlflow-cut.db: SQLite says: database disk image is malformed
[2]
