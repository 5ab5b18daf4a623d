# A summary of TraceML is a run without series; a folder of them is one run each, and what is no summary is said with its byte.
$ tscope push -q runs/summaries/before runs/summaries/hidden runs/summaries/slower/final_summary.json
| name                                         id            steps    sent     new  outcome
| default/summaries/before                     629eac4538b5      0 SIZE SIZE  created
| default/summaries/hidden                     d52e6a6de63b      0 SIZE SIZE  created
| default/summaries/slower/final_summary.json  d421833e6345      0 SIZE SIZE  created
| 3 runs: 3 created
$ tscope push runs/summaries/before
| name      default/summaries/before
| id        629eac4538b596346c3246903c6dffbd715cf8d9a8e9157fcae27a48680b3f95
| format    TraceML final summary
| steps     0 steps, 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   unchanged
! tscope: runs/summaries/before: no_steps: there is no record of a step
$ tscope push runs/summaries
| name                      id            steps   sent    new  outcome
| default/summaries/before  629eac4538b5      0    0 B    0 B  unchanged
| default/summaries/cpu     1d3cf567b168      0 SIZE SIZE  created
| default/summaries/hidden  d52e6a6de63b      0    0 B    0 B  unchanged
| default/summaries/slower  d421833e6345      0    0 B    0 B  created
| 5 runs: 2 created, 2 unchanged, 1 failed
! tscope: runs/summaries/before: no_steps: there is no record of a step
! tscope: runs/summaries/cpu: no_steps: there is no record of a step
! tscope: runs/summaries/hidden: no_steps: there is no record of a step
! tscope: runs/summaries/list/final_summary.json: byte 34: this is not a summary of TraceML: system is not an object
! tscope: runs/summaries/slower: no_steps: there is no record of a step
[2]
$ tscope facts summaries/before 'other.traceml.step_time.global.average.*'
| other.traceml.step_time.global.average.backward_ms              45.0   float  run.json
| other.traceml.step_time.global.average.compute_ms               80.0   float  run.json
| other.traceml.step_time.global.average.dataloader_fetch_cpu_ms  5.3    float  run.json
| other.traceml.step_time.global.average.forward_ms               30.0   float  run.json
| other.traceml.step_time.global.average.h2d_ms                   2.0    float  run.json
| other.traceml.step_time.global.average.input_wait_ms            15.0   float  run.json
| other.traceml.step_time.global.average.optimizer_ms             5.0    float  run.json
| other.traceml.step_time.global.average.residual_ms              3.0    float  run.json
| other.traceml.step_time.global.average.step_time_cpu_ms         104.0  float  run.json
| other.traceml.step_time.global.average.step_time_gpu_ms         100.0  float  run.json
| other.traceml.step_time.global.average.step_time_ms             100.0  float  run.json
| other.traceml.step_time.global.average.traced_step_time_ms      95.0   float  run.json
$ tscope facts ./runs/summaries/cpu '*peak_reserved_bytes*'
| other.traceml.step_memory.global.worst.peak_reserved_bytes.idx    null  null  run.json
| other.traceml.step_memory.global.worst.peak_reserved_bytes.value  null  null  run.json
# TraceML's verdict, ours, and what its rule passes over: forward took 20 % more, hidden by less input wait.
$ tscope diff --as traceml summaries/before summaries/hidden
| TraceML's compare says EQUIVALENT: no change reaches its limit
|   a  summaries/before  629eac4538b5
|   b  summaries/hidden  d52e6a6de63b
|
| Verdict of TraceML's rule
|                              a       b   change  its limit
|   step time, GPU clock  100 ms  100 ms  +0.00 %        3 %
|   peak reserved memory  20 GiB  21 GiB  +5.00 %       10 %
|   rule  finds       of       why
|     11  EQUIVALENT  compare  no change reaches its limit
|   comparability comparable: step time comparable, memory comparable
|
| Verdict of tscope
|   undecided: one run on each side does not show how much runs vary, so no fixed limit can tell a change from noise; to find a slowdown of 3.0 % in 95 of 100 cases, a gate needs 3 baselines where runs vary by up to 0.2 %, 10 baselines where runs vary by up to 0.5 %, pairs of runs in turn where runs vary by 1.0 % or more
|
| What TraceML's rule ignores
|   - phase times changed in opposite directions: input wait -40.0 % (-6 ms), forward +20.0 % (+6 ms)
|   - the step time of the slowest rank changed by +7.92 %, the average of all ranks by +0.00 %; only the average counts
|   - peak reserved memory changed by +5.00 % (1 GiB), which is within its limit of 10 %
|   - the diagnosis of step_time went from INPUT-BOUND to BALANCED
# A regression, by two files.
$ tscope diff --as traceml ./runs/summaries/before ./runs/summaries/slower
| TraceML's compare says REGRESSION: step time changed by +5.00 %; its limit is 3 %
|   a  ./runs/summaries/before  629eac4538b5
|   b  ./runs/summaries/slower  d421833e6345
|
| Verdict of TraceML's rule
|                              a       b   change  its limit
|   step time, GPU clock  100 ms  105 ms  +5.00 %        3 %
|   peak reserved memory  20 GiB  20 GiB  +0.00 %       10 %
|   rule  finds       of                      why
|      5  REGRESSION  step_time/step_time_ms  step time changed by +5.00 %; its limit is 3 %
|     11  EQUIVALENT  compare                 the two summaries can be compared
|   comparability comparable: step time comparable, memory comparable
|
| Verdict of tscope
|   undecided: one run on each side does not show how much runs vary, so no fixed limit can tell a change from noise; to find a slowdown of 5.0 % in 95 of 100 cases, a gate needs 3 baselines where runs vary by up to 0.2 %, 4 baselines where runs vary by up to 0.5 %, 13 baselines where runs vary by up to 1.0 %, pairs of runs in turn where runs vary by 2.0 % or more
|
| What TraceML's rule ignores
|   - phase times changed: forward +16.7 % (+5 ms)
[1]
# A run that was pushed against a file that was not.
$ tscope diff --as traceml summaries/before ./runs/summaries/cpu/final_summary.json
| TraceML's compare says INCONCLUSIVE: partial: peak memory is not in both summaries
|   a  summaries/before                         629eac4538b5
|   b  ./runs/summaries/cpu/final_summary.json  1d3cf567b168
|
| Verdict of TraceML's rule
|                              a      b     change  its limit
|   step time, CPU clock  104 ms  40 ms   -61.54 %        3 %
|   peak reserved memory  20 GiB   none  not known       10 %
|   rule  finds         of                      why
|      2  INCONCLUSIVE  compare                 partial: peak memory is not in both summaries
|      6  IMPROVEMENT   step_time/step_time_ms  step time changed by -61.54 %; its limit is 3 %
|     11  EQUIVALENT    compare                 the two summaries can be compared
|   comparability partial: step time comparable, memory missing_one_side
|
| Verdict of tscope
|   not comparable: the two summaries come from different jobs
|
| What TraceML's rule ignores
|   - the jobs differ in GPUs: 2 and 0
|   - phases are not compared: their clock differs between the summaries, or is not recorded
|   - only one of the two summaries has a step time on the GPU clock
|   - the diagnosis of step_memory went from BALANCED to NO GPU
[3]
$ tscope diff --as traceml --json summaries/before ./runs/summaries/hidden
| {
|   "as": "traceml",
|   "a": {
|     "id": "629eac4538b596346c3246903c6dffbd715cf8d9a8e9157fcae27a48680b3f95",
|     "own_name": "before",
|     "step_count": 0,
|     "first_step": null,
|     "last_step": null,
|     "rank_count": 1
|   },
|   "b": {
|     "id": "d52e6a6de63b4d1e5891a372645dadb68e30df58e8fddb0c01baf6b1f88001cb",
|     "own_name": "hidden",
|     "step_count": 0,
|     "first_step": null,
|     "last_step": null,
|     "rank_count": 1
|   },
|   "traceml": {
|     "status": "EQUIVALENT",
|     "outcome": "equivalent",
|     "severity": "info",
|     "primary_domain": "compare",
|     "primary_metric": null,
|     "why": "no change reaches its limit",
|     "findings": [
|       {
|         "priority": 11,
|         "status": "EQUIVALENT",
|         "severity": "info",
|         "domain": "compare",
|         "metric": null,
|         "why": "no change reaches its limit"
|       }
|     ],
|     "comparability": {
|       "overall": "comparable",
|       "step_time": "comparable",
|       "step_memory": "comparable"
|     },
|     "clock": "gpu",
|     "step_time": {
|       "a_ms": 100.0,
|       "b_ms": 100.0,
|       "change_percent": 0.0
|     },
|     "peak_reserved": {
|       "a_bytes": 21474836480.0,
|       "b_bytes": 22548578304.0,
|       "change_percent": 5.0
|     },
|     "warnings": []
|   },
|   "ours": {
|     "verdict": "undecided",
|     "sentence": "one run on each side does not show how much runs vary, so no fixed limit can tell a change from noise; to find a slowdown of 3.0 % in 95 of 100 cases, a gate needs 3 baselines where runs vary by up to 0.2 %, 10 baselines where runs vary by up to 0.5 %, pairs of runs in turn where runs vary by 1.0 % or more",
|     "size_ratio": 0.03,
|     "baselines": [
|       {
|         "noise_ratio": 0.002,
|         "baseline_count": 3
|       },
|       {
|         "noise_ratio": 0.005,
|         "baseline_count": 10
|       },
|       {
|         "noise_ratio": 0.01,
|         "baseline_count": null
|       },
|       {
|         "noise_ratio": 0.02,
|         "baseline_count": null
|       }
|     ],
|     "missed": [
|       {
|         "code": "phases",
|         "sentence": "phase times changed in opposite directions: input wait -40.0 % (-6 ms), forward +20.0 % (+6 ms)"
|       },
|       {
|         "code": "ranks",
|         "sentence": "the step time of the slowest rank changed by +7.92 %, the average of all ranks by +0.00 %; only the average counts"
|       },
|       {
|         "code": "memory",
|         "sentence": "peak reserved memory changed by +5.00 % (1 GiB), which is within its limit of 10 %"
|       },
|       {
|         "code": "diagnosis",
|         "sentence": "the diagnosis of step_time went from INPUT-BOUND to BALANCED"
|       }
|     ]
|   }
| }
# What is no summary.
$ tscope diff --as traceml summaries/before ./runs/base
! tscope: diff: ./runs/base is not a summary of TraceML (a final_summary.json, or a run pushed from one), and --as traceml only compares such summaries
[2]
$ tscope diff --as traceml summaries/before ./runs/summaries/list
! tscope: ./runs/summaries/list/final_summary.json: byte 34: this is not a summary of TraceML: system is not an object
[2]
$ tscope diff --as traceml summaries/before summaries/hidden summaries/slower
! tscope: diff: --as works with two runs, and 3 are given
[2]
$ tscope diff --as traceml --first summaries/before summaries/hidden
! tscope: diff: --as traceml takes no --first
[2]
$ tscope diff --as else summaries/before summaries/hidden
! tscope: diff: --as must be one of: traceml; it is 'else'
[2]
# Without --as: they have no series, so nothing says whether they computed the same.
$ tscope diff --first summaries/before summaries/hidden
| -	-	-
! tscope: both are summaries of TraceML; --as traceml compares them by its rules, and shows what those rules ignore
[3]
