# A folder of W&B's is one run for each of its folders; what is no value is counted, what looks secret is taken out.
$ tscope push wandb
| name                      id            steps      sent       new  outcome
| default/plain             5a19a293a98c     40 SIZE SIZE  created
| default/kinds             b6a5197a842b      7 SIZE SIZE  created
| default/media             20af25dea59d      3 SIZE SIZE  created
| default/blocks            b4ae6c127201     12 SIZE SIZE  created
| default/resumed           910210086d17     12 SIZE SIZE  created
| default/failed            ce3fa176359a      1 SIZE SIZE  created
| default/crashed           2688e0d60251     80 SIZE SIZE  created
| default/gpt-tiny-lr-1e-3  dbe75dde73ee     11 SIZE SIZE  created
| default/valaxis           a61942ff213e     12 SIZE SIZE  created
| default/hf-again          60a764b3150f     10 SIZE SIZE  created
| 10 runs: 10 created
! tscope: wandb/offline-run-20261121_000008-hfaxis08 is named gpt-tiny-lr-1e-3, because a name cannot have its other characters
! tscope: wandb/offline-run-20261121_000010-hfagain0 is named hf-again, because a name cannot have its other characters
! tscope: wandb/offline-run-20261121_000000-plain001: redacted: the value looks like a secret and is not kept
! tscope: wandb/offline-run-20261121_000001-kinds002/run-kinds002.wandb: big_integer (5 times): byte 1865: kept as its digits
! tscope: wandb/offline-run-20261121_000002-media003/run-media003.wandb: skipped: not_scalar (3 times): byte 1938: an image, a table or another object of W&B's
! tscope: wandb/offline-run-20261121_000007-crashed6/run-crashed6.wandb: cut_record: byte 32635: the file ends inside a record, like a file that is still being written
! tscope: wandb/offline-run-20261121_000010-hfagain0: restart: training was restarted 1 time
# Again: nothing is sent.
$ tscope push wandb
| name                      id            steps  sent  new  outcome
| default/plain             5a19a293a98c     40   0 B  0 B  unchanged
| default/kinds             b6a5197a842b      7   0 B  0 B  unchanged
| default/media             20af25dea59d      3   0 B  0 B  unchanged
| default/blocks            b4ae6c127201     12   0 B  0 B  unchanged
| default/resumed           910210086d17     12   0 B  0 B  unchanged
| default/failed            ce3fa176359a      1   0 B  0 B  unchanged
| default/crashed           2688e0d60251     80   0 B  0 B  unchanged
| default/gpt-tiny-lr-1e-3  dbe75dde73ee     11   0 B  0 B  unchanged
| default/valaxis           a61942ff213e     12   0 B  0 B  unchanged
| default/hf-again          60a764b3150f     10   0 B  0 B  unchanged
| 10 runs: 10 unchanged
! tscope: wandb/offline-run-20261121_000008-hfaxis08 is named gpt-tiny-lr-1e-3, because a name cannot have its other characters
! tscope: wandb/offline-run-20261121_000010-hfagain0 is named hf-again, because a name cannot have its other characters
! tscope: wandb/offline-run-20261121_000000-plain001: redacted: the value looks like a secret and is not kept
! tscope: wandb/offline-run-20261121_000001-kinds002/run-kinds002.wandb: big_integer (5 times): byte 1865: kept as its digits
! tscope: wandb/offline-run-20261121_000002-media003/run-media003.wandb: skipped: not_scalar (3 times): byte 1938: an image, a table or another object of W&B's
! tscope: wandb/offline-run-20261121_000007-crashed6/run-crashed6.wandb: cut_record: byte 32635: the file ends inside a record, like a file that is still being written
! tscope: wandb/offline-run-20261121_000010-hfagain0: restart: training was restarted 1 time
# One of them, by its folder and by its file: the same run.
$ tscope push --name plain wandb/offline-run-20261121_000000-plain001
| name      default/plain
| id        5a19a293a98ceb9353d046500510dcaedb8f3ca21758963e3609b00251e33a5b
| format    W&B log; not kept: images and other media, console output, artifacts, the times of system
|           metrics
| columns   train/loss is scalars.loss
|           lr is scalars.lr
|           tokens is scalars.tokens
| steps     40 steps (0 to 39), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   unchanged
! tscope: wandb/offline-run-20261121_000000-plain001: redacted: the value looks like a secret and is not kept
$ tscope push --name plain wandb/offline-run-20261121_000000-plain001/run-plain001.wandb
| name      default/plain
| id        5a19a293a98ceb9353d046500510dcaedb8f3ca21758963e3609b00251e33a5b
| format    W&B log; not kept: images and other media, console output, artifacts, the times of system
|           metrics
| columns   train/loss is scalars.loss
|           lr is scalars.lr
|           tokens is scalars.tokens
| steps     40 steps (0 to 39), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   unchanged
! tscope: wandb/offline-run-20261121_000000-plain001/run-plain001.wandb: redacted: the value looks like a secret and is not kept
$ tscope facts plain 'config*'
| config.api_key       <redacted>  text   run.json
| config.betas[0]      0.9         float  run.json
| config.betas[1]      0.95        float  run.json
| config.gone          1           int    run.json
| config.lr            0.2         float  run.json
| config.model.layers  4           int    run.json
| config.model.name    gpt-tiny    text   run.json
$ tscope facts plain 'other.wandb*'
| other.wandb.code_path     train.py                                         text   run.json
| other.wandb.executable    /usr/bin/python3                                 text   run.json
| other.wandb.exit_code     0                                                int    run.json
| other.wandb.group         g                                                text   run.json
| other.wandb.job_type      train                                            text   run.json
| other.wandb.notes         forty steps                                      text   run.json
| other.wandb.producer      0.31.0+15f8cbc581d1c5cfc6e31f68b48bdd13cec2dd2c  text   run.json
| other.wandb.project       golden                                           text   run.json
| other.wandb.root          /home/someone/work                               text   run.json
| other.wandb.run_id        plain001                                         text   run.json
| other.wandb.summary.best  0.125                                            float  run.json
| other.wandb.summary.lr    0.5                                              float  run.json
| other.wandb.tags[0]       first                                            text   run.json
| other.wandb.tags[1]       second                                           text   run.json
# What was not kept may be an error.
$ tscope push --strict wandb/offline-run-20261121_000002-media003
! tscope: wandb/offline-run-20261121_000002-media003/run-media003.wandb: not_scalar: byte 1938: an image, a table or another object of W&B's
[2]
# The parts of a run that was resumed offline follow each other; two that are the same for as long as both went.
$ tscope diff ./wandb/offline-run-20261121_000004-resumed5 ./wandb/offline-run-20261121_000005-resumed5
| The trajectories cannot be compared in full: no step of loss is in both runs
| cause: too little in common to compare; confidence: none
|   The trajectories cannot be compared in full: no step of loss is in both runs
|   a  ./wandb/offline-run-20261121_000004-resumed5  b896eb2003c3  6 steps (0 to 5)   1 rank
|   b  ./wandb/offline-run-20261121_000005-resumed5  64f7cc3e5e2c  6 steps (6 to 11)  1 rank
|
| EQUIVALENT?
|   bit-exact    not known: the two runs have no common step
|   numerical    not known: there is nothing to compare
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff b896eb2003c3 64f7cc3e5e2c --repeats GLOB
|
| OUTCOMES
|                            a          b     b - a
|   loss, last tenth  0.237441  0.0666676   -71.9 %
|   loss, best        0.237441  0.0666676   -71.9 %
|   steps                    6          6  the same
|   wall time          1.24 ms    1.34 ms    +7.7 %
|
| SERIES  no series is the same
|
| FACTS THAT DIFFER  1 in session
|   session.started  1795305870.134864  ->  1795305870.247868
|
| ONLY ON ONE SIDE
|   only a       6 steps (0 to 5)
|   only b       6 steps (6 to 11)
|   apart        these series have no common step: loss
[3]
$ tscope diff ./wandb/offline-run-20261121_000000-plain001 ./wandb/offline-run-20261121_000007-crashed6
| The trajectories cannot be compared in full: loss agrees at 40 common steps, but the second run has 40 steps (40 to 79) that the first lacks; 16 recorded facts differ: config.api_key and 15 more
| costs of b against a: step time, mean -59.0 % ±59.0 %
| cause: no difference found in what was computed, but its costs differ; confidence: high
|   a  ./wandb/offline-run-20261121_000000-plain001  5a19a293a98c  40 steps (0 to 39)  1 rank
|   b  ./wandb/offline-run-20261121_000007-crashed6  2688e0d60251  80 steps (0 to 79)  1 rank
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that both runs have is equal
|                over 40 common steps
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                               a          b            b - a
|   loss, last tenth    0.0426131  0.0241625          -43.3 %
|   loss, best         -0.0451238  -0.071848       -0.0267241
|   step time, mean        287 µs     118 µs  -59.0 % ±59.0 %
|   step time, median      287 µs    69.7 µs   -75.8 % ±7.1 %
|   steps per second      3479 /s    8496 /s    +144 % ±235 %
|   steps                      40         80              +40
|   wall time             14.5 ms    14.8 ms           +2.3 %
|   ± is the 95 % interval from how the steps vary within each run. Runs of the same code differ by
|     more; tscope gate compares with several.
|
| SERIES  no series is the same
|   agree        these series agree at all common steps: loss, lr
|   costs        these series differ, but do not decide: system.cpu, system.disk\./\.usageGB,
|                system.disk\./\.usagePercent, system.disk\.vda\.in, system.disk\.vda\.out,
|                system.memory_percent, system.proc\.memory\.availableMB, system.proc\.memory\.percent
|                and 2 more
|
| FACTS THAT DIFFER  7 in config, 3 in session, 2 in columns, 9 in other
|   config.api_key                  <redacted>          ->  not recorded
|   config.betas[0]                 0.9                 ->  not recorded
|   config.betas[1]                 0.95                ->  not recorded
|   config.gone                     1                   ->  not recorded
|   config.lr                       0.2                 ->  not recorded
|   config.model.layers             4                   ->  not recorded
|   config.model.name               gpt-tiny            ->  not recorded
|   session.argv[1]                 /home/someone/work  ->  crashed
|   session.name                    plain               ->  crashed
|   session.started                 1795305869.502595   ->  1795305871.437387
|   columns.scalars\.loss.source    train/loss          ->  loss
|   columns.scalars\.tokens.source  tokens              ->  not recorded
|   other.wandb.exit_code           0                   ->  not recorded
|   other.wandb.group               g                   ->  not recorded
|   other.wandb.job_type            train               ->  not recorded
|   other.wandb.notes               forty steps         ->  not recorded
|   other.wandb.run_id              plain001            ->  crashed6
|   other.wandb.summary.best        0.125               ->  not recorded
|   other.wandb.summary.lr          0.5                 ->  not recorded
|   other.wandb.tags[0]             first               ->  not recorded
|   and 1 more; --all shows them
|
| ONLY ON ONE SIDE
|   only a       tokens
|   only b       40 steps (40 to 79)
|
| EVIDENCE
|   for          the runs agree bit for bit over 40 common steps: loss (float64), lr (float64)
[3]
# A byte that is wrong costs what is left of its block; a wrong beginning is no log; a tail may be cut.
$ cp wandb/*blocks04/run-blocks04.wandb x.wandb; printf '!' | dd of=x.wandb bs=1 seek=40000 conv=notrunc status=none; tscope push x.wandb
! tscope: default/blocks points at b4ae6c127201, and this run does not continue that one: rank 0 fact libraries.numpy is missing; use --force to move the name, or --name to give this run another name
[2]
$ printf '!' | dd of=x.wandb bs=1 seek=4 conv=notrunc status=none; tscope push x.wandb
! tscope: x.wandb: byte 4: a W&B log of version 0 does not begin like this
[2]
$ head -c 1200 wandb/*failed07/run-failed07.wandb >cut.wandb; tscope push cut.wandb
! tscope: default/failed points at ce3fa176359a, and this run does not continue that one: rank 0 fact libraries.numpy is missing; use --force to move the name, or --name to give this run another name
[2]
$ head -c 7 x.wandb >begun.wandb; tscope push begun.wandb
! tscope: begun.wandb: no run in it: no run directory, no profiler's trace, no memory snapshot, and no log of another tool that is known
[2]
$ mkdir odd && mkfifo odd/run-x.wandb && mkdir odd/run-y.wandb && ln -s ../wandb/offline-run-20261121_000006-failed07/run-failed07.wandb odd/run-z.wandb; tscope push odd
! tscope: odd: no run in it: odd/run-z.wandb is a symbolic link, which is not followed
[2]
