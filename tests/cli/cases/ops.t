# Digests of operations, beside the steps of three ranks: what rank 1 computes from the same inputs in step 41 is something else.
$ for run in a b; do for rank in 0 1 2; do mkdir -p $run/rank$rank; echo '{"step":41,"scalars":{"loss":2.5}}' >$run/rank$rank/steps.jsonl; printf '{"step":41,"name":"embed","in":"00000000000000a1","out":"00000000000000b1"}\n{"step":41,"name":"attn","in":"00000000000000b1","out":"00000000000000c1","kind":"activation"}\n{"step":41,"name":"allreduce","in":"00000000000000d%d","out":"00000000000000e1"}\n' $rank >$run/rank$rank/digests.jsonl; done; done
$ sed -i 's/c1/c2/; s/d1/ff/; s/e1/e2/' b/rank1/digests.jsonl; sed -i 's/e1/e2/; s/"in":"00000000000000d/"in":"00000000000000f/' b/rank[02]/digests.jsonl; sed -i 's/"out":"00000000000000b1"/"out":"00000000000000b1","occurrence":0/' b/rank2/digests.jsonl
$ tscope push -q a b
| name       id            steps      sent       new  outcome
| default/a  fdf219e75788      1 SIZE SIZE  created
| default/b  16639ed13090      1 SIZE SIZE  created
| 2 runs: 2 created
$ tscope show a
| id        fdf219e75788e14ef3e9d80de86b32d324a50799bb78c4283e207401df095867
| own name  not recorded
| names     run default/a
| state     unknown: nothing that was recorded says how the run ended
| steps     1 (41)
| ranks     3
| facts     none
|
| metric  last  best (step)  mean  min  max
| loss     2.5     2.5 (41)   2.5  2.5  2.5
|
| series     type       ranks  rows  steps
| (digests)  5 columns      3     9
$ tscope diff a b
| The operation attn differs from step 41 on, but no other record shows a difference
| cause: not known; confidence: low; from step 41
|   The two runs first differ in the operation attn (occurrence 0) at step 41 on rank 1: its inputs
|     agree, but its output differs
|   a  a  fdf219e75788  1 step (41)  3 ranks
|   b  b  16639ed13090  1 step (41)  3 ranks
|
| EQUIVALENT?
|   bit-exact    no: the operation attn differs at step 41
|   numerical    yes: no loss, gradient norm or digest of the training differs by more than the
|                rounding of the written values
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff fdf219e75788 16639ed13090 --repeats GLOB
|
| OUTCOMES
|                       a    b     b - a
|   loss, last tenth  2.5  2.5  the same
|   loss, best        2.5  2.5  the same
|   steps               1    1  the same
|
| SERIES  3 series are the same (counted on each rank)
|
| FACTS THAT DIFFER  no recorded fact differs
|
| OPERATIONS  9 digests compared
|   first        at step 41 attn (occurrence 0) on rank 1 differs: its inputs agree, but its output
|                differs; ranks 0, 2 receive the difference
|   rank  step  operation  role
|      1    41  attn       origin: its inputs agree, but its output differs
|      0    41  allreduce  receiver: its inputs already differ
|      2    41  allreduce  receiver: its inputs already differ
|
| EVIDENCE
|   for          the first operation that differs is attn, at step 41 on rank 1: its inputs agree, but
|                its output differs
|   could be     nondeterministic kernels; a different precision or kernel; a different device,
|                library or driver; corrupted training state
[1]
$ tscope diff a b --first
| 41	attn	1
[1]
$ tscope diff a b --json | grep -A43 '"ops"'
|   "ops": {
|     "compared_count": 9,
|     "only_a_count": 0,
|     "only_b_count": 0,
|     "reordered": false,
|     "rows": [
|       {
|         "rank": 1,
|         "role": "origin",
|         "step": 41,
|         "ordinal": 1,
|         "name": "attn",
|         "occurrence": 0,
|         "a_inputs": "00000000000000b1",
|         "b_inputs": "00000000000000b1",
|         "a_output": "00000000000000c1",
|         "b_output": "00000000000000c2",
|         "after": null
|       },
|       {
|         "rank": 0,
|         "role": "receiver",
|         "step": 41,
|         "ordinal": 2,
|         "name": "allreduce",
|         "occurrence": 0,
|         "a_inputs": "00000000000000d0",
|         "b_inputs": "00000000000000f0",
|         "a_output": "00000000000000e1",
|         "b_output": "00000000000000e2",
|         "after": null
|       },
|       {
|         "rank": 2,
|         "role": "receiver",
|         "step": 41,
|         "ordinal": 2,
|         "name": "allreduce",
|         "occurrence": 0,
|         "a_inputs": "00000000000000d2",
|         "b_inputs": "00000000000000f2",
|         "a_output": "00000000000000e1",
|         "b_output": "00000000000000e2",
|         "after": null
# Export writes them back.
$ tscope export b back -q; head -2 back/rank2/digests.jsonl; tscope diff b ./back
| {"in":"00000000000000a1","name":"embed","occurrence":0.0,"out":"00000000000000b1","step":41.0}
| {"in":"00000000000000b1","kind":"activation","name":"attn","out":"00000000000000c1","step":41.0}
| Both sides are the same run: their ids are equal
| cause: no difference found; confidence: high
|   a  b       16639ed13090  1 step (41)  3 ranks
|   b  ./back  16639ed13090  1 step (41)  3 ranks
|
| EQUIVALENT?
|   bit-exact    yes: both sides are the same run
|   numerical    yes: both sides are the same run
|   statistical  yes: both sides are the same run
|
| SERIES  3 series are the same (counted on each rank)
|
| FACTS THAT DIFFER  no recorded fact differs
# Recorded by one run alone: nothing to compare, which is said; nothing that differs: nothing.
$ mkdir none; for rank in 0 1 2; do mkdir none/rank$rank; cp a/rank$rank/steps.jsonl none/rank$rank; done; tscope diff a ./none
| Both runs computed the same, bit for bit: 3 series of the trajectory agree over 1 step; some digests of operations are in one run only and were not compared
| cause: no difference found; confidence: low
|   a  a       fdf219e75788  1 step (41)  3 ranks
|   b  ./none  a097015c46b1  1 step (41)  3 ranks
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that both runs have is equal
|                over 1 common step
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                       a    b     b - a
|   loss, last tenth  2.5  2.5  the same
|   loss, best        2.5  2.5  the same
|   steps               1    1  the same
|
| SERIES  3 series are the same (counted on each rank)
|
| FACTS THAT DIFFER  no recorded fact differs
|
| EVIDENCE
|   for          the runs agree bit for bit over 1 common step: loss (float64, 3 ranks)
|   against      the two runs have only 1 common step
$ tscope diff a ./a
| Both sides are the same run: their ids are equal
| cause: no difference found; confidence: high
|   a  a    fdf219e75788  1 step (41)  3 ranks
|   b  ./a  fdf219e75788  1 step (41)  3 ranks
|
| EQUIVALENT?
|   bit-exact    yes: both sides are the same run
|   numerical    yes: both sides are the same run
|   statistical  yes: both sides are the same run
|
| SERIES  3 series are the same (counted on each rank)
|
| FACTS THAT DIFFER  no recorded fact differs
# The job's own; a single rank; inputs that nobody recorded.
$ mkdir -p one other; for run in one other; do echo '{"step":7,"name":"w","out":"00000000000000a1"}' >$run/digests.jsonl; done; sed -i s/a1/a2/ other/digests.jsonl; tscope diff ./one ./other
| The operation w differs from step 7 on, but no other record shows a difference
| cause: not known; confidence: low; from step 7
|   The two runs first differ in the operation w (occurrence 0) at step 7: whether its inputs agree
|     was not recorded
|   a  ./one    683eb66cede2  0 steps (none)  1 rank
|   b  ./other  b89bd81106ce  0 steps (none)  1 rank
|
| EQUIVALENT?
|   bit-exact    no: the operation w differs at step 7
|   numerical    not known: there is nothing to compare
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff 683eb66cede2 b89bd81106ce --repeats GLOB
|
| OUTCOMES
|          a  b     b - a
|   steps  0  0  the same
|
| SERIES  no series is the same
|
| FACTS THAT DIFFER  no recorded fact differs
|
| OPERATIONS  1 digest compared
|   first        at step 7 w (occurrence 0) differs: whether its inputs agree was not recorded
|   rank  step  operation  role
|      0     7  w          origin or receiver: whether its inputs agree was not recorded
|
| EVIDENCE
|   for          the first operation that differs is w, at step 7 on rank 0: whether its inputs agree
|                was not recorded
|   could be     nondeterministic kernels; a different precision or kernel; a different device,
|                library or driver; corrupted training state
[1]
$ for run in a b; do cp -r $run job$run; cp a/rank0/digests.jsonl joba; done; cp -r joba jobc; sed -i s/c1/c9/ jobc/digests.jsonl; tscope diff ./joba ./jobc
| The operation attn differs from step 41 on, but no other record shows a difference
| cause: not known; confidence: low; from step 41
|   The two runs first differ in the operation attn (occurrence 0) at step 41: its inputs agree, but
|     its output differs
|   a  ./joba  dc7ab0c896cd  1 step (41)  3 ranks
|   b  ./jobc  bc7ab8453daf  1 step (41)  3 ranks
|
| EQUIVALENT?
|   bit-exact    no: the operation attn differs at step 41
|   numerical    yes: no loss, gradient norm or digest of the training differs by more than the
|                rounding of the written values
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff dc7ab0c896cd bc7ab8453daf --repeats GLOB
|
| OUTCOMES
|                       a    b     b - a
|   loss, last tenth  2.5  2.5  the same
|   loss, best        2.5  2.5  the same
|   steps               1    1  the same
|
| SERIES  3 series are the same (counted on each rank)
|
| FACTS THAT DIFFER  no recorded fact differs
|
| OPERATIONS  12 digests compared
|   first        at step 41 attn (occurrence 0) of the job differs: its inputs agree, but its output
|                differs
|   rank  step  operation  role
|    job    41  attn       origin: its inputs agree, but its output differs
|
| EVIDENCE
|   for          the first operation that differs is attn, at step 41: its inputs agree, but its
|                output differs
|   could be     nondeterministic kernels; a different precision or kernel; a different device,
|                library or driver; corrupted training state
[1]
# What is no digest is skipped, and told of with its line.
$ printf '{"step":1,"name":"x","out":"00000000000000a1"}\n{"step":1,"name":"x","out":"a1"}\n{"step":1,"out":"00000000000000a1"}\n{"step":1,"name":"x","out":"00000000000000a1","occurrence":1e30}\n' >one/digests.jsonl; tscope push one --name bad
| name      default/bad
| id        b9f03527fc00c465a0c4682c2e55877df649c81a0d3673306b466967842d5983
| format    pytscope run directory
| steps     0 steps, 1 rank
| sent SIZE (5 objects)
| new SIZE
| outcome   created
! tscope: one/steps.jsonl: no_steps: there is no such file
! tscope: one/digests.jsonl:2: skipped: bad_digest (3 times): a digest needs an out of 16 hex digits
$ tscope push one --strict
! tscope: one/digests.jsonl line 2: bad_digest: a digest needs an out of 16 hex digits
[2]
# A run extends another where its records go on; not where one is another.
$ cp -r a more; sed 's/41/42/' a/rank0/digests.jsonl >>more/rank0/digests.jsonl; tscope push -q more --name a; tscope push -q b --name a
| name      default/a
| id        3462cbbda9098ec5adb616e2f5a30adff3e3cf995dfa59b12a1c54136463226b
| format    pytscope run directory
| steps     1 step (41), 3 ranks
| sent SIZE (9 objects)
| new SIZE
| outcome   extended
! tscope: default/a points at 3462cbbda909, and this run does not continue that one: rank 0 column in differs at record 2; use --force to move the name, or --name to give this run another name
[2]
