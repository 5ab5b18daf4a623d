# An output folder of transformers' Trainer is one run; a second push sends nothing.
$ tscope push output/full
| name      default/full
| id        40cd87bf81217c8a7fdab70fd19d31ff728f0005ffede53d508c90b92af562dc
| format    Hugging Face trainer state; not kept: states of callbacks; of weights and optimizers all
|           but size and SHA-256
| columns   eval_loss is scalars.eval_loss
|           eval_runtime is scalars.eval_runtime
|           eval_samples_per_second is scalars.eval_samples_per_second
|           eval_steps_per_second is scalars.eval_steps_per_second
|           grad_norm is scalars.grad_norm
|           loss is scalars.loss
|           learning_rate is scalars.lr
|           num_input_tokens_seen is scalars.num_input_tokens_seen
|           train_runtime is scalars.train_runtime, 4 decimals
|           train_tokens_per_second is scalars.train_tokens_per_second, 3 decimals
| steps     30 steps (2 to 60), 1 rank
| sent SIZE (15 objects)
| new SIZE
| outcome   created
! tscope: output/full: other_states: trainer_state.json has the most steps and was read; 2 other states below this folder were not
$ tscope push output/full
| name      default/full
| id        40cd87bf81217c8a7fdab70fd19d31ff728f0005ffede53d508c90b92af562dc
| format    Hugging Face trainer state; not kept: states of callbacks; of weights and optimizers all
|           but size and SHA-256
| columns   eval_loss is scalars.eval_loss
|           eval_runtime is scalars.eval_runtime
|           eval_samples_per_second is scalars.eval_samples_per_second
|           eval_steps_per_second is scalars.eval_steps_per_second
|           grad_norm is scalars.grad_norm
|           loss is scalars.loss
|           learning_rate is scalars.lr
|           num_input_tokens_seen is scalars.num_input_tokens_seen
|           train_runtime is scalars.train_runtime, 4 decimals
|           train_tokens_per_second is scalars.train_tokens_per_second, 3 decimals
| steps     30 steps (2 to 60), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   unchanged
! tscope: output/full: other_states: trainer_state.json has the most steps and was read; 2 other states below this folder were not
$ tscope push --name ckpt output/full/checkpoint-40
| name      default/ckpt
| id        9016ed7163d0cf9afe1986e201fedb3159af5f56f3fd12aeacc048240a2e8640
| format    Hugging Face trainer state; not kept: states of callbacks; of weights and optimizers all
|           but size and SHA-256
| columns   eval_loss is scalars.eval_loss
|           eval_runtime is scalars.eval_runtime
|           eval_samples_per_second is scalars.eval_samples_per_second
|           eval_steps_per_second is scalars.eval_steps_per_second
|           grad_norm is scalars.grad_norm
|           loss is scalars.loss
|           learning_rate is scalars.lr
|           num_input_tokens_seen is scalars.num_input_tokens_seen
|           train_runtime is scalars.train_runtime, 4 decimals
|           train_tokens_per_second is scalars.train_tokens_per_second, 3 decimals
| steps     20 steps (2 to 40), 1 rank
| sent SIZE (15 objects)
| new SIZE
| outcome   created
$ tscope facts full config.model.hidden_size
| config.model.hidden_size  16  int  run.json
$ tscope facts full 'session.huggingface.files.t*'
| session.huggingface.files.training_args\.bin.bytes   34                                                                int   run.json
| session.huggingface.files.training_args\.bin.sha256  3b28432d747c16d0526eeea7dee433eba65afd7629a57a9557067d21fe26fe63  text  run.json
$ tscope facts full 'columns.scalars*loss.*'
| columns.scalars\.eval_loss.source    eval_loss  text  run.json
| columns.scalars\.loss.interval_mean  true       bool  run.json
| columns.scalars\.loss.source         loss       text  run.json
# A run that still trains is pushed again.
$ tscope push --name ckpt output/full | grep outcome
| outcome   extended
! tscope: output/full: other_states: trainer_state.json has the most steps and was read; 2 other states below this folder were not
# Four decimals against all digits: no difference exceeds what the rounding leaves.
$ tscope push --name rounded output/rounded
| name      default/rounded
| id        68ae76c8ac2d75561fb280c13f8a6c50d9ba03c24f51e78aafecd59e28ebd08e
| format    Hugging Face trainer state; not kept: states of callbacks; of weights and optimizers all
|           but size and SHA-256
| columns   eval_loss is scalars.eval_loss
|           eval_runtime is scalars.eval_runtime
|           eval_samples_per_second is scalars.eval_samples_per_second
|           eval_steps_per_second is scalars.eval_steps_per_second
|           grad_norm is scalars.grad_norm
|           loss is scalars.loss, 4 decimals
|           learning_rate is scalars.lr
|           num_input_tokens_seen is scalars.num_input_tokens_seen
|           train_runtime is scalars.train_runtime, 4 decimals
|           train_tokens_per_second is scalars.train_tokens_per_second, 3 decimals
| steps     30 steps (2 to 60), 1 rank
| sent SIZE (8 objects)
| new SIZE
| outcome   created
! tscope: output/rounded: other_states: checkpoint-60/trainer_state.json has the most steps and was read; 1 other state below this folder was not
$ tscope diff full rounded
| The two runs differ by no more than the rounding with which one of them was written
| cause: no more than the rounding of the written values; confidence: medium
|   The two runs first differ at step 2, the first step that both have: loss is 3.3524818420410156 in
|     the first run and 3.3525 in the second; 5 other series are the same in both
|   a  full     40cd87bf8121  30 steps (2 to 60)  1 rank
|   b  rounded  68ae76c8ac2d  30 steps (2 to 60)  1 rank
|
| EQUIVALENT?
|   bit-exact    no: loss differs at step 2
|   numerical    yes: no loss, gradient norm or digest of the training differs by more than the
|                rounding of the written values
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff 40cd87bf8121 68ae76c8ac2d --repeats GLOB
|
| OUTCOMES
|                            a         b      b - a
|   loss, last tenth  0.315656  0.315667  +0.0034 %
|   loss, best        0.307131    0.3071    -0.01 %
|   steps                   30        30   the same
|
| SERIES  1 series differs, 5 are the same
|   series  first step  visible       r    r+10  slope
|   loss             2    never  5.4e-6  2.3e-5   0.05
|   first step: the first with different bits; visible: the first with a difference above the rounding
|     of the values; r: |a - b| / max(|a|, |b|) at that step; r+10: r 10 points later; slope: growth
|     of ln r per step
|   loss    a  3.3524818420410156
|   step 2  b  3.3525
|                   ^
|   costs        these series differ, but do not decide: train_runtime, train_tokens_per_second,
|                eval_runtime, eval_samples_per_second, eval_steps_per_second
|
| CURVES AROUND THE FIRST DIFFERENCE
|   loss         a, b, • both
|         3.353 │•
|               │┊•••
|               │┊   •••
|               │┊      ••••
|               │┊          ••••••
|        0.3071 │┊                •••••••••••••
|                2                           60
|   r            ▂▄▂▃▄▄▃▄▁▅▅▅▆▅▃▆▇▇▅▇▆▇█▅█▇▆▆██
|                r from 3.1e-6 to 1.5e-4, logarithmic
|
| FACTS THAT DIFFER  10 in session, 1 in columns
|   session.huggingface.final.epoch                     1.5                 ->  not recorded
|   session.huggingface.final.num_input_tokens_seen     3840                ->  not recorded
|   session.huggingface.final.step                      60                  ->  not recorded
|   session.huggingface.final.total_flos                131604480.0         ->  not recorded
|   session.huggingface.final.train_loss                1.167323007186254   ->  not recorded
|   session.huggingface.final.train_runtime             12.6015             ->  not recorded
|   session.huggingface.final.train_samples_per_second  19.045              ->  not recorded
|   session.huggingface.final.train_steps_per_second    4.761               ->  not recorded
|   session.huggingface.state                           trainer_state.json  ->  checkpoint-60/trainer_state.json
|   session.wall_time                                   12.6015             ->  not recorded
|   columns.scalars\.loss.precision                     not recorded        ->  4
|
| EVIDENCE
|   for          over 30 common steps no difference exceeds half the rounding step of the more
|                coarsely written run: loss (4 decimals), grad_norm (float32), lr (float64), eval_loss
|                (float64)
|   for          the precision of the written values was not declared, so tscope inferred it: loss is
|                float32 (seen in 30 values of the first run), grad_norm is float32 (seen in 30 values
|                of each run)
[1]
$ tscope show rounded
| id        68ae76c8ac2d75561fb280c13f8a6c50d9ba03c24f51e78aafecd59e28ebd08e
| own name  not recorded
| names     run default/rounded
| state     finished
| ended     not known: nothing that was recorded says it
| steps     30 (2 to 60)
| ranks     1
| facts     config 31, libraries 1, session 20, columns 24
|
| metric                        last  best (step)      mean          min         max  steps
| epoch                          1.5            -     0.775         0.05         1.5
| eval_loss                   0.2998  0.2998 (60)  0.686188       0.2998     1.32078  3 (20 to 60)
| grad_norm                 0.385469            -  0.620202     0.321659    0.976151
| loss                        0.3071  0.3071 (60)   1.16733       0.3071      3.3525
| lr                     0.000166667            -     0.005  0.000166667  0.00983333
| num_input_tokens_seen         3840            -      1984          128        3840
|
| cost                          mean      min      max     last  steps
| eval_runtime             0.0266333   0.0199   0.0398   0.0398  3 (20 to 60)
| eval_samples_per_second    666.868  401.883  805.049  401.883  3 (20 to 60)
| eval_steps_per_second      83.3583   50.235  100.631   50.235  3 (20 to 60)
| train_runtime              4.35589   0.7413   8.4894   8.4894
| train_tokens_per_second    431.278  172.677  505.248   452.33
# A checkpoint is the beginning of its run.
$ tscope diff ./output/full/checkpoint-40 full | head -3
| The trajectories cannot be compared in full: epoch agrees at 20 common steps, but the second run has 10 steps (42 to 60) that the first lacks
| cause: no difference found; confidence: high
|   a  ./output/full/checkpoint-40  9016ed7163d0  20 steps (2 to 40)  1 rank
# Of a folder, each log is a run.
$ tscope push logs
| name                                       id            steps      sent       new  outcome
| default/lab/logs/dvclive                   71d644cfe7b8     12 SIZE SIZE  created
| default/golden.json                        89943764507e     12 SIZE SIZE  created
| default/lab/logs/lightning_logs/version_0  ca382b92e35f      6 SIZE SIZE  created
| default/losses.txt                         3d9983e1a98f     10 SIZE SIZE  created
| 4 runs: 4 created
! tscope: logs/golden.json: not_recorded: a value "nan", by which golden values say that none was recorded at that step
$ tscope push logs
| name                                       id            steps  sent  new  outcome
| default/lab/logs/dvclive                   71d644cfe7b8     12   0 B  0 B  unchanged
| default/golden.json                        89943764507e     12   0 B  0 B  unchanged
| default/lab/logs/lightning_logs/version_0  ca382b92e35f      6   0 B  0 B  unchanged
| default/losses.txt                         3d9983e1a98f     10   0 B  0 B  unchanged
| 4 runs: 4 unchanged
! tscope: logs/golden.json: not_recorded: a value "nan", by which golden values say that none was recorded at that step
$ tscope push --name lightning logs/lightning_logs/version_0
| name      default/lightning
| id        ca382b92e35f3857107a8e934a37e45205319e47b5dcc927be694770641d9853
| format    Lightning CSV log
| columns   val_loss is scalars.eval_loss
|           train_loss is scalars.loss
| steps     6 steps (4 to 29), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   created
$ tscope show ./logs/dvclive
| id        71d644cfe7b8a44b3c52cd1444f20e96413aeccc6737073e889283c8e0ff8724
| own name  not recorded
| names     run default/lab/logs/dvclive
| ended     not known: nothing that was recorded says it
| steps     12 (0 to 11)
| ranks     1
| facts     config 2, session 4, columns 3
|
| metric           last     best (step)        mean          min     max  steps
| eval/acc       0.6875     0.6875 (11)      0.4375       0.1875  0.6875  3 (3 to 11)
| loss        0.0666676  0.0666676 (11)    0.520628    0.0666676       2
| lr        0.000833333               -  0.00541667  0.000833333    0.01
# Whatever a table calls its step; a file beside it says it otherwise.
$ printf 'iter,cost,time\n1,0.5,1795000000\n2,0.25,1795000001\n1,,\n' > a.csv; tscope push --dry-run a.csv
| name      default/a.csv
| id        50cca3a3ac05b75b0c648a89ae80c0f2ef31c90136441bdfc21111e04827d1c9
| format    CSV table
| columns   cost is scalars.cost
|           iter is step
|           time is timestamp
| steps     2 steps (1 to 2), 1 rank
| to send   5 objects
| outcome   not sent
$ printf 'cost = scalars.loss\n' > .tscope-map; tscope push a.csv
| name      default/a.csv
| id        dd7d10434cbc8ce319aea4f79edcff57219e67c9b0f6562775207782be47e781
| format    CSV table
| columns   cost is scalars.loss
|           iter is step
|           time is timestamp
| steps     2 steps (1 to 2), 1 rank
| sent SIZE (5 objects)
| new SIZE
| outcome   created
$ tscope export default/a.csv --format jsonl
| {"rank":0,"step":1,"timestamp":1795000000.0,"scalars":{"loss":0.5}}
| {"rank":0,"step":2,"timestamp":1795000001.0,"scalars":{"loss":0.25}}
$ printf 'cost = step\n' > .tscope-map; tscope push --name again a.csv
| name      default/again
| id        9918153145ab0abe794b941e0785fd956a7ecfd2dd52caa688bc1f8791bbdf9e
| format    CSV table
| columns   cost is step
| steps     0 steps, 1 rank
| sent SIZE (2 objects)
| new SIZE
| outcome   created
! tscope: a.csv:2: skipped: bad_step (2 times): a step that is not a whole number of 64 bits
! tscope: a.csv:4: skipped: no_step: a row without a step
! tscope: a.csv: no_steps: there is no record of a step
$ printf 'cost\n' > .tscope-map; tscope push --name again a.csv
! tscope: ./.tscope-map: line 1: 'cost': a line must have the form SOURCE = COLUMN
[2]
$ rm .tscope-map; printf '{"step":1,"loss":0.5}\n{"step":2,"lo\n' > b.jsonl; tscope push b.jsonl
| name      default/b.jsonl
| id        3d9dc6b4560106e31849608964e0ff358137a258294d362bcfd08881f5d292b5
| format    JSON Lines; not kept: lists
| columns   loss is scalars.loss
| steps     1 step (1), 1 rank
| sent SIZE (4 objects)
| new SIZE
| outcome   created
! tscope: b.jsonl:2: skipped: bad_json: byte 13: the text ends inside an object, expected '"'
$ tscope push --strict b.jsonl
! tscope: b.jsonl line 2: bad_json: byte 13: the text ends inside an object, expected '"'
[2]
$ printf 'name,price\nx,3\n' > c.csv; tscope push c.csv
! tscope: c.csv: no run in it: no run directory, no profiler's trace, no memory snapshot, and no log of another tool that is known
[2]
$ mkdir cut; head -c 900 output/full/trainer_state.json > cut/trainer_state.json; tscope push cut
! tscope: cut: trainer_state.json: byte 900: the text ends inside an object, expected ',' or '}'
[2]
# A table that grows turns out to have finer decimals.
$ (echo step,loss; for i in 1 2 3 4 5 6 7 8 9; do echo $i,0.$i; done; echo 10,1.1) > d.csv; tscope push d.csv | grep -E 'columns|outcome'
| columns   loss is scalars.loss, 1 decimal
| outcome   created
$ echo 11,0.125 >> d.csv; tscope push d.csv | grep -E 'columns|outcome'
| columns   loss is scalars.loss, 3 decimals
| outcome   extended
# Records lie two steps apart: a difference began behind the one before.
$ cp -r output/full other; python3 -c 'import json; p = "other/trainer_state.json"; s = json.load(open(p)); [r.update(loss=r["loss"] * 1.01) for r in s["log_history"] if "loss" in r and r["step"] > 30]; json.dump(s, open(p, "w"))'; rm -r other/checkpoint-*; tscope diff full ./other | head -4
| The loss is logged in a different unit or reduction, by a constant factor of 1.01, but the training itself agrees
| cause: a logged value differs, but the training does not; confidence: high; from step 32
|   The two runs first differ between step 30 and step 32: loss is 0.7040358781814575 in the first run
|     and 0.711076236963272 in the second; 10 other series are the same in both
