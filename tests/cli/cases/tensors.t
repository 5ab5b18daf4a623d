# Sketches of tensors: a run that shows how far rounding goes tells a clean run in bf16, and one on two ranks, from a wrong scale.
$ python3 runs/tensors.py; tscope push -q ref rounding bf16 split scale
| name              id            steps      sent       new  outcome
| default/ref       6ac5fb5a9d3b      3 SIZE SIZE  created
| default/rounding  d46757c9a5a6      3 SIZE SIZE  created
| default/bf16      72c8007ef6f6      3 SIZE SIZE  created
| default/split     122ae3dccff4      3 SIZE SIZE  created
| default/scale     20312cf7a614      3 SIZE SIZE  created
| 5 runs: 5 created
$ tscope diff ref scale --rounding rounding
| The tensor layers.1.attn (output) differs at step 2, but no other record shows a difference
| cause: not known; confidence: low; from step 2
|   The two runs differ in a tensor by more than rounding: layers.1.attn (output, occurrence 0) at
|     step 2
|   a  ref    6ac5fb5a9d3b  3 steps (0 to 2)  1 rank
|   b  scale  20312cf7a614  3 steps (0 to 2)  2 ranks
|
| EQUIVALENT?
|   bit-exact    no: the tensor layers.1.attn differs at step 2
|   numerical    no: the first tensor that differs by more than rounding is the output of
|                layers.1.attn, at step 2
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff 6ac5fb5a9d3b 20312cf7a614 --repeats GLOB
|
| OUTCOMES
|                           a        b     b - a
|   loss, last tenth  2.46875  2.46875  the same
|   loss, best        2.46875  2.46875  the same
|   steps                   3        3  the same
|
| SERIES  1 series is the same (counted on each rank)
|
| FACTS THAT DIFFER  no recorded fact differs
|
| ONLY ON ONE SIDE
|   only b       rank 1
|
| TENSORS  12 tensors compared over 1 step, 12 added up from shards
|   first        the first tensor that differs by more than rounding is the output of layers.1.attn,
|                at step 2: its distance is 0.04791, which is 5.266e+05 times rounding
|   before       3 tensors of that step before it, none of them above rounding
|   step  module         kind    distance  rounding  times rounding
|      2  layers.0.attn  output  2.24e-08  8.11e-08  0.276 of at most 25
|      2  layers.0.mlp   output  2.29e-08  9.13e-08  0.251 of at most 25
|      2  layers.1.attn  output    0.0479   9.1e-08  5.27e+05 of at most 25
|      2  layers.1.mlp   output    0.0273  8.16e-08  3.34e+05 of at most 25
|      2  head           output    0.0166  8.79e-08  1.88e+05 of at most 25
|      2  head           grad      0.0104   0.00632  1.64 of at most 25
|      2  layers.1.mlp   grad     0.00621   0.00632  0.982 of at most 25
|      2  layers.1.attn  grad      0.0039   0.00632  0.617 of at most 25
|
| EVIDENCE
|   for          the first tensor that differs by more than rounding is the output of layers.1.attn,
|                at step 2
|   could be     different code, or a different objective; a different setting or schedule; a
|                different precision or kernel; a different device, library or driver;
|                nondeterministic kernels
[1]
$ tscope diff ref bf16 --rounding rounding
| Tensors differ at step 2, but by no more than rounding, and no other record shows a difference
| cause: a rounding difference; confidence: medium; from step 2
|   The two runs differ in a tensor: head (output, occurrence 0) at step 2
|   a  ref   6ac5fb5a9d3b  3 steps (0 to 2)  1 rank
|   b  bf16  72c8007ef6f6  3 steps (0 to 2)  1 rank
|
| EQUIVALENT?
|   bit-exact    no: the tensor head differs at step 2
|   numerical    yes: none of 12 tensors that could be judged differs by more than rounding
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff 6ac5fb5a9d3b 72c8007ef6f6 --repeats GLOB
|
| OUTCOMES
|                           a        b     b - a
|   loss, last tenth  2.46875  2.46875  the same
|   loss, best        2.46875  2.46875  the same
|   steps                   3        3  the same
|
| SERIES  1 series is the same
|
| FACTS THAT DIFFER  no recorded fact differs
|
| TENSORS  12 tensors compared over 1 step
|   none of 12 tensors that could be judged differs by more than rounding
|   step  module  kind    distance  rounding  times rounding
|      2  head    output   0.00155   0.00391  0.398 of at most 4
|      2  head    grad     0.00164   0.00714  0.23 of at most 35
|
| EVIDENCE
|   for          none of 12 tensors that could be judged differs by more than rounding
|   could be     a different precision or kernel; a different device, library or driver;
|                nondeterministic kernels
[1]
$ tscope diff ref scale --rounding rounding --first
| 2	layers.1.attn	job
[1]
$ tscope diff ref split --rounding ./rounding
| Tensors differ at step 2, but by no more than rounding, and no other record shows a difference
| cause: a rounding difference; confidence: medium; from step 2
|   The two runs differ in a tensor: layers.0.attn (output, occurrence 0) at step 2
|   a  ref    6ac5fb5a9d3b  3 steps (0 to 2)  1 rank
|   b  split  122ae3dccff4  3 steps (0 to 2)  2 ranks
|
| EQUIVALENT?
|   bit-exact    no: the tensor layers.0.attn differs at step 2
|   numerical    yes: none of 12 tensors that could be judged differs by more than rounding
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff 6ac5fb5a9d3b 122ae3dccff4 --repeats GLOB
|
| OUTCOMES
|                           a        b     b - a
|   loss, last tenth  2.46875  2.46875  the same
|   loss, best        2.46875  2.46875  the same
|   steps                   3        3  the same
|
| SERIES  1 series is the same (counted on each rank)
|
| FACTS THAT DIFFER  no recorded fact differs
|
| ONLY ON ONE SIDE
|   only b       rank 1
|
| TENSORS  12 tensors compared over 1 step, 12 added up from shards
|   none of 12 tensors that could be judged differs by more than rounding
|   step  module         kind    distance  rounding  times rounding
|      2  layers.0.attn  output  2.24e-08  8.11e-08  0.276 of at most 25
|      2  layers.1.attn  grad     2.4e-08   0.00632  3.8e-06 of at most 25
|
| EVIDENCE
|   for          none of 12 tensors that could be judged differs by more than rounding
|   could be     a different precision or kernel; a different device, library or driver;
|                nondeterministic kernels
[1]
# Without such a run there are distances, and what to record is said. A run that is equal to the first shows nothing.
$ tscope diff ref bf16
| The tensor embed (output) differs at step 2, but no other record shows a difference
| cause: not known; confidence: low; from step 2
|   The two runs differ in a tensor: embed (output, occurrence 0) at step 2
|   a  ref   6ac5fb5a9d3b  3 steps (0 to 2)  1 rank
|   b  bf16  72c8007ef6f6  3 steps (0 to 2)  1 rank
|
| EQUIVALENT?
|   bit-exact    no: the tensor embed differs at step 2
|   numerical    not known: none of 6 tensors that could be judged differs by more than rounding; how
|                far rounding goes is estimated from the types and the depth, and not measured: a run
|                whose input is perturbed, named by --rounding, measures it
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff 6ac5fb5a9d3b 72c8007ef6f6 --repeats GLOB
|
| OUTCOMES
|                           a        b     b - a
|   loss, last tenth  2.46875  2.46875  the same
|   loss, best        2.46875  2.46875  the same
|   steps                   3        3  the same
|
| SERIES  1 series is the same
|
| FACTS THAT DIFFER  no recorded fact differs
|
| TENSORS  12 tensors compared over 1 step, 6 that rounding alone makes something else
|   none of 6 tensors that could be judged differs by more than rounding; how far rounding goes is
|     estimated from the types and the depth, and not measured: a run whose input is perturbed, named
|     by --rounding, measures it
|   step  module  kind    distance  rounding  times rounding
|      2  embed   output   0.00123    0.0247  0.0499 of at most 4
|
| EVIDENCE
|   could be     different code, or a different objective; a different setting or schedule; a
|                different precision or kernel; a different device, library or driver;
|                nondeterministic kernels
[1]
$ tscope diff ref scale --rounding ref | sed -n '/TENSORS/,/^$/p'
| TENSORS  12 tensors compared over 1 step, 12 added up from shards
|   the run that was to show rounding is equal to the first run, so it shows none: record one whose
|     input is perturbed, or that computes in the precision of the second run
|   step  module         kind    distance  rounding  times rounding
|      2  layers.1.attn  output    0.0479         -  not judged
|      2  head           grad      0.0104         -  not judged
|
$ tscope diff ref scale --rounding rounding --json | python3 -c 'import json,sys; d=json.load(sys.stdin); t=d["tensors"]; print(d["verdict"], t["first"], t["before_count"], t["rows"][t["first"]])'
| different 2 3 {'step': 2, 'place': 3, 'name': 'layers.1.attn', 'kind': 'output', 'occurrence': 0, 'part': 'forward', 'state': 'above', 'a_element_count': 640, 'b_element_count': 640, 'a_nonfinite_count': 0, 'b_nonfinite_count': 0, 'distance_ratio': 0.04791212370423861, 'rounding_ratio': 9.098601528604649e-08, 'over_rounding_ratio': 526587.778941742, 'limit_ratio': 25.0}
$ tscope export scale back -q; head -c 90 back/rank1/sketches.jsonl; echo; tscope diff scale ./back
| {"count":320.0,"dtype":"fp32","kind":"output","name":"embed","shard":true,"squares":107.41
| Both sides are the same run: their ids are equal
| cause: no difference found; confidence: high
|   a  scale   20312cf7a614  3 steps (0 to 2)  2 ranks
|   b  ./back  20312cf7a614  3 steps (0 to 2)  2 ranks
|
| EQUIVALENT?
|   bit-exact    yes: both sides are the same run
|   numerical    yes: both sides are the same run
|   statistical  yes: both sides are the same run
|
| SERIES  2 series are the same (counted on each rank)
|
| FACTS THAT DIFFER  no recorded fact differs
$ tscope show rounding
| id        d46757c9a5a6362048c0efeafc566de4aa43df2a57103c14419bd043cf466153
| own name  not recorded
| names     run default/rounding
| state     unknown: nothing that was recorded says how the run ended
| steps     3 (0 to 2)
| ranks     1
| facts     work 1
|
| metric     last  best (step)     mean      min  max
| loss    2.46875  2.46875 (2)  2.48438  2.46875  2.5
|
| series      type       ranks  rows  steps
| (sketches)  7 columns      1    12
# Runs without sketches, with sketches of other steps, and a run that shows nothing of them: it is said.
$ mkdir bare late; cp ref/steps.jsonl bare; cp ref/steps.jsonl late; sed 's/"step": 2/"step": 1/' bf16/sketches.jsonl >late/sketches.jsonl
$ for pair in "bare bf16" "ref bare" "ref late"; do tscope diff $(printf './%s ' $pair) --rounding ./rounding | sed -n '/TENSORS/,/^$/p'; done
| TENSORS  none compared
|   the first run has no sketches of tensors, so --rounding shows nothing; the package records them by
|     run.sketch(model, optimizer)
|
| TENSORS  none compared
|   the second run has no sketches of tensors, so --rounding shows nothing; the package records them
|     by run.sketch(model, optimizer)
|
| TENSORS  none compared
|   the two runs have no sketches of one tensor in one step, so --rounding shows nothing
|
$ tscope diff ref bf16 --rounding ./late | sed -n '/numerical/p; /TENSORS/,/^$/p'
|   numerical    not known: tensors differ, and nothing shows how far rounding goes
| TENSORS  12 tensors compared over 1 step, 12 that could not be judged
|   which of these distances exceed rounding is not known: the run that was to show rounding has no
|     sketches of these tensors at these steps
|   step  module  kind    distance  rounding  times rounding
|      2  head    output   0.00155         -  not judged
|      2  head    grad     0.00164         -  not judged
|
$ tscope diff ref bf16 --rounding ./bare | sed -n '/numerical/p; /TENSORS/,/^$/p'
|   numerical    not known: tensors differ, and nothing shows how far rounding goes
| TENSORS  12 tensors compared over 1 step, 12 that could not be judged
|   which of these distances exceed rounding is not known: the run that was to show rounding has no
|     sketches of these tensors at these steps
|   step  module  kind    distance  rounding  times rounding
|      2  head    output   0.00155         -  not judged
|      2  head    grad     0.00164         -  not judged
|
# What is no sketch, and a run that there is not.
$ mkdir bad; head -1 ref/sketches.jsonl | sed 'p; s/"count": 640/"count": -1/' >bad/sketches.jsonl; tscope push bad
| name      default/bad
| id        bb9741691d0674b5185a94293e3238cb0be9126740fffb2b0f2dbfce1c48e625
| format    pytscope run directory
| steps     0 steps, 1 rank
| sent SIZE (10 objects)
| new SIZE
| outcome   created
! tscope: bad/steps.jsonl: no_steps: there is no such file
! tscope: bad/sketches.jsonl:2: skipped: bad_sketch: a sketch needs a count, an integer from 0 to below 2^53
$ sed 's/"sums": "[^"]*"/"sums": "AAAA"/' ref/sketches.jsonl >bad/sketches.jsonl; tscope push bad --strict
! tscope: bad/sketches.jsonl line 1: bad_sketch: a sketch needs sums, 256 finite doubles in base64
[2]
$ tscope diff ref scale --rounding nowhere
! tscope: nothing is named default/nowhere
[2]
$ tscope diff ref bf16 scale --rounding rounding
! tscope: diff: --rounding works with two runs, and 3 are given
[2]
