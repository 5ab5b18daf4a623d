$ tscope push -q runs/whole runs/resumed runs/rewound runs/restarted
| name               id            steps      sent       new  outcome
| default/whole      64042302f952     30 SIZE SIZE  created
| default/resumed    8144ce79a4a2     18 SIZE SIZE  created
| default/rewound    0c388d4f4a7c     18 SIZE SIZE  created
| default/restarted  634f83e30958      6 SIZE SIZE  created
| 4 runs: 4 created
# Resumed correctly: losses differ in their last digits only.
$ tscope check-resume whole resumed
| The run resumed correctly at step 12: loss agrees with the parent at 18 common steps within what rounding explains; the greatest relative difference is 1e-07
| parent    whole 64042302f952 30 steps (0 to 29), 1 rank
| child     resumed 8144ce79a4a2 18 steps (12 to 29), 1 rank
| resumed   at step 12
| shared    0 of 4 blocks of the trajectory are stored once for both
|
| From the resume on (differences are relative)
|   series         common steps  equal  first differing  difference there  at most
|   digests.batch            18     18
|   grad_norm                18     18                                           0
|   loss                     18      3               15             1e-07    1e-07
|   lr                       18     18                                           0
|
| Evidence for a correct resume
|   loss: within what rounding explains (1e-06 at the resume, growing to 0.005) at 18 common steps; the greatest relative difference is 1e-07
|   grad_norm: every bit agrees at 18 common steps
|   lr: every bit agrees at 18 common steps
|   data: the digests agree at all 18 common steps
|
| Evidence against it, and what is not known
|   parameters: not known, because the runs have no common step with digests.params
|   optimizer state: not known, because the runs have no common step with digests.optimizer
|   random generators: not known, because the runs have no common step with digests.rng
# The run that it names as its parent is found by itself, and show says what both share.
$ tscope check-resume resumed
| The run resumed correctly at step 12: loss agrees with the parent at 18 common steps within what rounding explains; the greatest relative difference is 1e-07
| parent    whole 64042302f952 30 steps (0 to 29), 1 rank
| child     resumed 8144ce79a4a2 18 steps (12 to 29), 1 rank
| resumed   at step 12
| shared    0 of 4 blocks of the trajectory are stored once for both
|
| From the resume on (differences are relative)
|   series         common steps  equal  first differing  difference there  at most
|   digests.batch            18     18
|   grad_norm                18     18                                           0
|   loss                     18      3               15             1e-07    1e-07
|   lr                       18     18                                           0
|
| Evidence for a correct resume
|   loss: within what rounding explains (1e-06 at the resume, growing to 0.005) at 18 common steps; the greatest relative difference is 1e-07
|   grad_norm: every bit agrees at 18 common steps
|   lr: every bit agrees at 18 common steps
|   data: the digests agree at all 18 common steps
|
| Evidence against it, and what is not known
|   parameters: not known, because the runs have no common step with digests.params
|   optimizer state: not known, because the runs have no common step with digests.optimizer
|   random generators: not known, because the runs have no common step with digests.rng
$ tscope show resumed
| id        8144ce79a4a27d47f48695c5e5cfb639ae4f1813ac796a3463c427f031d2eeb6
| own name  resumed
| names     run default/resumed
| state     finished
| started   2023-11-14 22:13Z, took 1.00 s
| steps     18 (12 to 29)
| ranks     1
| parent    whole, resumed at step 12; 0 of 4 blocks of the trajectory are stored once for both
| facts     parallelism 1, lineage 2, work 1, session 3
|
| metric            last   best (step)        mean          min          max
| grad_norm     0.812986             -     0.99905      0.75001       1.2478
| loss           1.38889  1.38889 (29)     1.52846      1.38889      1.73684
| lr         0.000284697             -  0.00042191  0.000284697  0.000594604
|
| series         type  ranks  rows  steps
| digests.batch  u64       1    18  12 to 29
# The data began again.
$ tscope check-resume whole rewound
| The data position was not restored: at step 12 the resumed run trains on the batch that the parent had at step 0, 12 steps earlier
| parent    whole 64042302f952 30 steps (0 to 29), 1 rank
| child     rewound 0c388d4f4a7c 18 steps (12 to 29), 1 rank
| resumed   at step 12
| cause     a resume that did not restore the data position (confidence: high)
| shared    0 of 4 blocks of the trajectory are stored once for both
|
| From the resume on (differences are relative)
|   series         common steps  equal  first differing  difference there  at most
|   digests.batch            18      0               12
|   grad_norm                18      0               12            0.0308     0.12
|   loss                     18      0               12            0.0588   0.0588
|   lr                       18     18                                           0
|
| Evidence for a correct resume
|   lr: every bit agrees at 18 common steps
|
| Evidence against it, and what is not known
|   loss: beyond what rounding explains (1e-06 at the resume, growing to 0.005) from step 12 on (relative difference 5.9 %); the greatest relative difference is 5.9 %, at step 23
|   grad_norm: beyond what rounding explains (0.0001 at the resume, growing to 0.1) from step 12 on (relative difference 3.1 %); the greatest relative difference is 12 %, at step 23
|   data: digests.batch first differs at step 12
|   parameters: not known, because the runs have no common step with digests.params
|   optimizer state: not known, because the runs have no common step with digests.optimizer
|   random generators: not known, because the runs have no common step with digests.rng
|
| What to do next
|   resume again with the sampler's epoch and position, and the loader's generator, restored from the checkpoint; this shows whether only the data position was not restored
[1]
# A tolerance of one's own decides the loss, not the data.
$ tscope check-resume --tolerance 0.5 ./runs/whole ./runs/rewound
| The data position was not restored: at step 12 the resumed run trains on the batch that the parent had at step 0, 12 steps earlier
| parent    ./runs/whole 64042302f952 30 steps (0 to 29), 1 rank
| child     ./runs/rewound 0c388d4f4a7c 18 steps (12 to 29), 1 rank
| resumed   at step 12
| cause     a resume that did not restore the data position (confidence: high)
| shared    0 of 4 blocks of the trajectory are stored once for both
|
| From the resume on (differences are relative)
|   series         common steps  equal  first differing  difference there  at most
|   digests.batch            18      0               12
|   grad_norm                18      0               12            0.0308     0.12
|   loss                     18      0               12            0.0588   0.0588
|   lr                       18     18                                           0
|
| Evidence for a correct resume
|   loss: within the tolerance (0.5) at 18 common steps; the greatest relative difference is 5.9 %
|   grad_norm: within the tolerance (1) at 18 common steps; the greatest relative difference is 12 %
|   lr: every bit agrees at 18 common steps
|
| Evidence against it, and what is not known
|   data: digests.batch first differs at step 12
|   parameters: not known, because the runs have no common step with digests.params
|   optimizer state: not known, because the runs have no common step with digests.optimizer
|   random generators: not known, because the runs have no common step with digests.rng
|
| What to do next
|   resume again with the sampler's epoch and position, and the loader's generator, restored from the checkpoint; this shows whether only the data position was not restored
[1]
# Restarted into its own directory.
$ tscope check-resume restarted
| This cannot be decided: the common steps agree, but there are only 2 common steps from the resume at step 2 on
| run       restarted 634f83e30958 6 steps (0 to 5), 1 rank
| resumed   at step 2
|
| From the resume on (differences are relative)
|   series  common steps  equal  first differing  difference there  at most
|   loss               2      2                                           0
|
| Evidence for a correct resume
|   loss: every bit agrees at 2 common steps
|
| Evidence against it, and what is not known
|   gradient norm: not known, because the runs have no common step with grad_norm
|   learning rate: not known whether it continues, because the runs have no common step with lr
|   data: not known whether the data position was restored, because the runs have no common step with digests.batch
|   parameters: not known, because the runs have no common step with digests.params
|   optimizer state: not known, because the runs have no common step with digests.optimizer
|   random generators: not known, because the runs have no common step with digests.rng
|
| What to do next
|   resume once more from the same checkpoint into a new directory, and run 20 steps; this shows whether the resume is correct
[3]
# Neither restarted nor of a parent that is known.
$ tscope check-resume whole
| This cannot be decided: no step was executed twice in this run, and it names no parent
| run       whole 64042302f952 30 steps (0 to 29), 1 rank
|
| What to do next
|   name the run that this one continues; this shows whether the resume is correct
|       tscope check-resume PARENT RUN
[3]
$ tscope check-resume --tolerance 0 whole resumed
! tscope: check-resume: --tolerance must be a number above 0; it is '0'
[2]
$ tscope check-resume
! tscope: check-resume: usage: tscope check-resume [PARENT] RUN
[2]
