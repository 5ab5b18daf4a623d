# MLflow's folder is one run for each of its own, but for those that were deleted; artifacts are counted, what looks secret is taken out.
$ tscope push mlruns
| name                                                 id            steps      sent       new  outcome
| default/mlruns/101/000000000000000000000000000000a1  c968cd4d2248     40 SIZE SIZE  created
| default/mlruns/101/000000000000000000000000000000a2  c1036e0e36c4     40 SIZE SIZE  created
| default/mlruns/102/000000000000000000000000000000a3  d703cb1f82ad      8 SIZE SIZE  created
! tscope: mlruns/101/000000000000000000000000000000a1/artifacts: skipped: not_kept (2 times): model/config.json
! tscope: mlruns/101/000000000000000000000000000000a1: redacted: a value that looks secret
! tscope: mlruns/101/000000000000000000000000000000a2: redacted: a value that looks secret
! tscope: mlruns/102/000000000000000000000000000000a3: skipped: repeated_value: 1 values came again for the same step; the last counts
# Again: nothing is sent.
$ tscope push mlruns 2>/dev/null
| name                                                 id            steps  sent  new  outcome
| default/mlruns/101/000000000000000000000000000000a1  c968cd4d2248     40   0 B  0 B  unchanged
| default/mlruns/101/000000000000000000000000000000a2  c1036e0e36c4     40   0 B  0 B  unchanged
| default/mlruns/102/000000000000000000000000000000a3  d703cb1f82ad      8   0 B  0 B  unchanged
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
| one run alone blows up at step 30; they part from step 25 on
| cause: one run alone blew up; confidence: medium; from step 25
|   loss parts at step 25: 0.06368790191329962 against 0.15317892197103722; 5 other series agree;
|     facts differ: config.lr and 3 more
|   a  plain  c968cd4d2248  40 steps (0 to 39)  1 rank
|   b  other  c1036e0e36c4  40 steps (0 to 39)  1 rank
|
| EQUIVALENT?
|   bit-exact    fails: loss differs at step 25
|   numerical    not known: the loss is up to a relative 1.703 apart; without repeats of a run nothing
|                says how far repeats are
|   statistical  not known: one run a side says nothing of how runs scatter: run the first recipe
|                twice more, and tscope diff c968cd4d2248 c1036e0e36c4 --repeats GLOB
|
| SERIES  1 parts, 5 are the same
|   series  first bits  visible  r there   +10  slope
|   loss            25       25     0.58  0.87  0.015
|   r = |a - b| / max(|a|, |b|), and 10, 30, 100 points later; slope of ln r a step; end: last tenth
|   loss     a  0.06368790191329962
|   step 25  b  0.15317892197103722
|                 ^
|
| CURVES AROUND THE SPLIT
|   loss         a, b, • both
|             2 │•                        ┊
|               │                         ┊
|               │ •                       ┊
|               │  •                      ┊
|               │   •••••••   •••    ••   ┊ba    b
|      -0.04512 │          •••   ••••  ••••ab••••a•••••••
|                0                       25            39
|   apart                                 ▅▁▄▇▇█▆▃▃▇█▆▇▅▁
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
|   for          loss parts at step 25, by a relative 0.5842
|   for          loss is 0.06369 against 0.1532 at step 25, and a relative 1.703 apart at step 30
|   against      config.lr differs, which scales every update; when and how far the runs part does not
|                look like that
|   against      lineage.nested_in was recorded by one run only: whether it differs is not known
|   could be     damaged state; gradients, after equal forward passes; another setting; another order
|                of the data
|
| NEXT
|   1            record digests.params, digests.batch, digests.rng, digests.grads from step 24 to 45
|                of both, push them, and compare again (45 steps to run); tells which input parts
|                first: parameters, batch, generators or gradients
|       tscope diff c968cd4d2248-digests c1036e0e36c4-digests
|   2            run each recipe again for 45 steps on the other one's hosts, and push as
|                c968cd4d2248-swap and c1036e0e36c4-swap (90 steps to run); tells a host from a
|                recipe: a fault that follows the host is the host's
|       tscope diff c968cd4d2248 c968cd4d2248-swap
! tscope: ./mlruns/101/000000000000000000000000000000a1/artifacts: skipped: not_kept (2 times): model/config.json
[1]
# The database has the same runs.
$ python3 -c 'import sqlite3; sqlite3.connect("mlflow.db").executescript(open("mlflow.db.sql").read())'
$ tscope push mlflow.db
| name                                                id            steps      sent       new  outcome
| default/mlflow.db/000000000000000000000000000000a1  4491e7f1cdd1     40 SIZE SIZE  created
| default/mlflow.db/000000000000000000000000000000a2  e5149633af3c     40 SIZE SIZE  created
| default/mlflow.db/000000000000000000000000000000a3  9c1a6adbaac8      8 SIZE SIZE  created
! tscope: mlflow.db#000000000000000000000000000000a1: redacted: a value that looks secret
! tscope: mlflow.db#000000000000000000000000000000a2: redacted: a value that looks secret
! tscope: mlflow.db#000000000000000000000000000000a3: skipped: repeated_value: 1 values came again for the same step; the last counts
$ tscope push mlflow.db 2>/dev/null
| name                                                id            steps  sent  new  outcome
| default/mlflow.db/000000000000000000000000000000a1  4491e7f1cdd1     40   0 B  0 B  unchanged
| default/mlflow.db/000000000000000000000000000000a2  e5149633af3c     40   0 B  0 B  unchanged
| default/mlflow.db/000000000000000000000000000000a3  9c1a6adbaac8      8   0 B  0 B  unchanged
$ tscope diff ./mlflow.db#000000000000000000000000000000a1 ./mlruns/101/000000000000000000000000000000a1
| every bit of the trajectory agrees: 3 series over 40 steps; facts differ: other.mlflow.experiment_id
| cause: nothing differs; confidence: high
|   a  plain  4491e7f1cdd1  40 steps (0 to 39)  1 rank
|   b  plain  c968cd4d2248  40 steps (0 to 39)  1 rank
|
| EQUIVALENT?
|   bit-exact    holds: every loss, rate, norm and digest that both have, over 40 common steps
|   numerical    holds: bit-exact
|   statistical  holds: bit-exact
|
| SERIES  5 are the same
|   costs        differ and do not decide: timestamp
|
| FACTS THAT DIFFER  1 in other
|   other.mlflow.experiment_id  "1"  ->  "101"
|
| EVIDENCE
|   for          agreement to the bit over 40 common steps: loss as doubles, lr as doubles, eval/acc
|                as doubles
! tscope: ./mlruns/101/000000000000000000000000000000a1/artifacts: skipped: not_kept (2 times): model/config.json
$ tscope show ./mlflow.db#000000000000000000000000000000a3 | head -20
| id        9c1a6adbaac82f009d7be28a1765dae74ee9eb7104311d0d646a6cd5351f8918
| own name  it's "odd": a name that is long enough for PyYAML to break it into two lines, because its
|           lines end at 80 characters
| names     run default/mlflow.db/000000000000000000000000000000a3
| steps     8 (-1 to 4611686018427387904)
| ranks     1
| facts     session 4, columns 2, other 4
|
| series               role         type  ranks  rows  steps
| scalars.loss         trajectory   f64       1     6  -1 to 4611686018427387904
| scalars.val loss: a  unknown      f64       1     2  5 to 6
| timestamp            observation  f64       1     8  -1 to 4611686018427387904
! tscope: ./mlflow.db#000000000000000000000000000000a3: skipped: repeated_value: 1 values came again for the same step; the last counts
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
! tscope: mlflow.db is named mlflow.db-nobody, because a name cannot have its other characters
! tscope: mlflow.db: no run nobody
[2]
# What is no database of MLflow's, and one that was cut.
$ python3 -c 'import sqlite3; sqlite3.connect("mlflow2.db").executescript("CREATE TABLE runs(x)")'
$ tscope push mlflow2.db
! tscope: mlflow2.db: no database of MLflow's: it has no table experiments
[2]
$ head -c 20000 mlflow.db >mlflow-cut.db; tscope push mlflow-cut.db
! tscope: mlflow-cut.db: SQLite says: database disk image is malformed
[2]
