# A trace whose figures were chosen first (tests/golden/trace): communication takes 36 ms, of which 24 are overlapped and 12 exposed.
$ tscope analyze ./traced/trace.json
| trace     ./traced/trace.json
| of        rank 1 of 2, nccl, on Tesla V100-SXM2-32GB
| has       38 events: 6 operators, 0 Python functions, 6 annotations, 13 runtime calls; 12 kernels, 1
|           copy, 0 fills; 0 flows, 0 allocations, 0 counters
| over      all of the trace; only the critical path and means over its 6 steps leave out the first,
|           as warm-up (--warmup N leaves the first N out of every figure)
|
| What to try first (and the time of the devices that it would save at most)
|   1. Communication is exposed: up to 12.000000 ms of 63.000000 ms. With DDP change the bucket size, and switch off the search for unused parameters where it is on; with FSDP prefetch shards (backward_prefetch, forward_prefetch); keep the ranks of tensor parallelism within a host, or start communication earlier.
|
| Findings (tscope explain CODE has the rule)
|   high: DIST.EXPOSED_COMM: Communication that overlaps with no computation takes 19 % of the devices' time, 12.0 ms of 63.0 ms; 67 % of the communication is overlapped; how much of that is waiting for other ranks, traces of all ranks in one folder would tell.
|   not checked: TRACE.HOST_BOUND, TRACE.SYNC, TRACE.LAUNCH_BOUND, TRACE.LOADER: the trace has only 13 events of devices, and the rule needs 50
|
| All devices (a time is the length of a union: what ran at once counts once)
|                          time  of the span  events
|   span           63.000000 ms      100.0 %      13
|   busy           61.000000 ms       96.8 %
|   idle            2.000000 ms        3.2 %
|   computation    48.000000 ms       76.2 %       6
|   communication  36.000000 ms       57.1 %       6
|     overlapped   24.000000 ms       38.1 %
|     exposed      12.000000 ms       19.0 %
|   copies          1.000000 ms        1.6 %       1
|     exposed       1.000000 ms        1.6 %
|
| Communication
|   kind        events          time       exposed
|   all_reduce       6  36.000000 ms  12.000000 ms
|
| Devices and streams (spans, busy and exposed times are each row's own)
|   device  stream  events          span          busy   computation  communication       exposed       copies
|   0       all         13  63.000000 ms  61.000000 ms  48.000000 ms   36.000000 ms  12.000000 ms  1.000000 ms
|   0       7            7  63.000000 ms  49.000000 ms  48.000000 ms    0.000000 ms   0.000000 ms  1.000000 ms
|   0       20           6  56.000000 ms  36.000000 ms   0.000000 ms   36.000000 ms  36.000000 ms  0.000000 ms
|
| Steps (what the calls of each launched, whenever it ran)
|   step   on the host  events          span          busy  computation  communication      exposed       copies
|   1     10.000000 ms       2  10.000000 ms  10.000000 ms  8.000000 ms    6.000000 ms  2.000000 ms  0.000000 ms
|   2     10.000000 ms       2  10.000000 ms  10.000000 ms  8.000000 ms    6.000000 ms  2.000000 ms  0.000000 ms
|   3     10.000000 ms       2  10.000000 ms  10.000000 ms  8.000000 ms    6.000000 ms  2.000000 ms  0.000000 ms
|   4     10.000000 ms       2  10.000000 ms  10.000000 ms  8.000000 ms    6.000000 ms  2.000000 ms  0.000000 ms
|   5     10.000000 ms       2  10.000000 ms  10.000000 ms  8.000000 ms    6.000000 ms  2.000000 ms  0.000000 ms
|   6     10.000000 ms       2  10.000000 ms  10.000000 ms  8.000000 ms    6.000000 ms  2.000000 ms  0.000000 ms
|   none                     1   1.000000 ms   1.000000 ms  0.000000 ms    0.000000 ms  0.000000 ms  1.000000 ms
|
| Idle by cause (the host had not asked; launching; queued behind other streams; queued; call not in the trace)
|   device  stream  gaps          idle          host       launch  behind others       queued      unknown
|   0       all        1   2.000000 ms   1.500000 ms  0.500000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|   0       7          6  14.000000 ms  11.550000 ms  2.450000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|   0       20         5  20.000000 ms   0.000000 ms  0.000000 ms   20.000000 ms  0.000000 ms  0.000000 ms
|
| Work by category, by the table of kernels, version 3 (sums: what ran at once counts twice)
|   category                sum   share  count         mean      longest
|   gemm           48.000000 ms  56.5 %      6  8.000000 ms  8.000000 ms
|   communication  36.000000 ms  42.4 %      6  6.000000 ms  6.000000 ms
|   memcpy          1.000000 ms   1.2 %      1  1.000000 ms  1.000000 ms
|
| The longest by name
|            sum   share  count         mean      longest  category       name
|   48.000000 ms  56.5 %      6  8.000000 ms  8.000000 ms  gemm           volta_sgemm_128x64_nt
|   36.000000 ms  42.4 %      6  6.000000 ms  6.000000 ms  communication  ncclDevKernel_AllReduce_Sum_f32_RING_LL
|    1.000000 ms   1.2 %      1  1.000000 ms  1.000000 ms  memcpy         Memcpy DtoH (Device -> Pinned)
|
| Operators by what they launched themselves (of 6 events, 48.000000 ms, whose operator is known; total: with the operators within)
|            own    share  events         total  ran  operator
|   48.000000 ms  100.0 %       6  48.000000 ms    6  aten::mm
|   no operator is known of 7 events, 37.000000 ms
|
| Operations of matrix products, convolutions and attention, by shapes (time: of what they launched)
|   ran       operations          time          achieved  of the peak  moved  at best by  type  operator  shapes
|     6  0.0004027 TFLOP  48.000000 ms  0.008389 TFLOP/s            -      -  -           -     all
|     6  0.0004027 TFLOP  48.000000 ms  0.008389 TFLOP/s            -      -  -           -     aten::mm  [[1024,512],[512,64]]
|   In all the time that devices worked, 61.000000 ms, these operations are 0.006601 TFLOP/s.
|   no peak is said (Tesla V100-SXM2-32GB): the type of the inputs is not recorded, or has no peak
|
| Copies by direction (bandwidth: bytes by duration, of those that say their bytes)
|   copies                  count          sum  say bytes  bytes    bandwidth
|   device_to_host, pinned      1  1.000000 ms          1  4,096  0.0041 GB/s
|
| A step, by what it launched (5 steps from step 2 on; the first is left out as warm-up)
|   category           mean  deviation        least         most  events
|   gemm           8.000 ms   0.000 ms  8.000000 ms  8.000000 ms     1.0
|   communication  6.000 ms   0.000 ms  6.000000 ms  6.000000 ms     1.0
|
| Critical path of steps 2 to 6: 53.000000 ms, most of it communication
|   part                 what                             time   share  stretches      longest
|   communication        all_reduce               24.000000 ms  45.3 %          4  6.000000 ms
|   gaps of queued work  queued on a stream       16.000000 ms  30.2 %          4  4.000000 ms
|   the host             host, nothing recorded   11.500000 ms  21.7 %          2  9.500000 ms
|   copies               memcpy                    1.000000 ms   1.9 %          1  1.000000 ms
|   launch latency       from a call to its work   0.500000 ms   0.9 %          1  0.500000 ms
|   step          path  computation  communication  copies  launch   queue    host   data   wait  unknown
|   2     10.000000 ms        0.0 %         60.0 %   0.0 %   0.0 %  40.0 %   0.0 %  0.0 %  0.0 %    0.0 %
|   3     10.000000 ms        0.0 %         60.0 %   0.0 %   0.0 %  40.0 %   0.0 %  0.0 %  0.0 %    0.0 %
|   4     10.000000 ms        0.0 %         60.0 %   0.0 %   0.0 %  40.0 %   0.0 %  0.0 %  0.0 %    0.0 %
|   5     10.000000 ms        0.0 %         60.0 %   0.0 %   0.0 %  40.0 %   0.0 %  0.0 %  0.0 %    0.0 %
|   6     13.000000 ms        0.0 %          0.0 %   7.7 %   3.8 %   0.0 %  88.5 %  0.0 %  0.0 %    0.0 %
|   longest stretches  what                    name
|         9.500000 ms  host, nothing recorded  ProfilerStep#6
|         6.000000 ms  all_reduce              ncclDevKernel_AllReduce_Sum_f32_RING_LL
|         6.000000 ms  all_reduce              ncclDevKernel_AllReduce_Sum_f32_RING_LL
|         6.000000 ms  all_reduce              ncclDevKernel_AllReduce_Sum_f32_RING_LL
|         6.000000 ms  all_reduce              ncclDevKernel_AllReduce_Sum_f32_RING_LL
|   if this took no time          path        saved
|   the host              50.000000 ms  3.000000 ms  5.7 %
|   copies                52.000000 ms  1.000000 ms  1.9 %
|   launch latency        52.500000 ms  0.500000 ms  0.9 %
|
| Launch delay (from the end of a call to the begin of what it launched; short: less than the call took)
|   device  stream  calls        least       median         95 %      longest  below 0  over 100 us  calls over 50 us  short kernels
|   0       all        13  0.385000 ms  0.495000 ms  4.295000 ms  4.295000 ms        0           13                 0              0
|   0       7           7  0.385000 ms  0.385000 ms  0.495000 ms  0.495000 ms        0            7                 0              0
|   0       20          6  4.295000 ms  4.295000 ms  4.295000 ms  4.295000 ms        0            6                 0              0
|
| Queue (launched and not begun; outstanding: not ended; means and shares are of the time from the first launch to the last end)
|   device  stream  queued  most    none  1,024 and more  outstanding  most    none
|   0       all       0.45     2  57.7 %           never         1.79     3   2.4 %
|   0       7         0.04     1  95.5 %           never         0.82     1  18.2 %
|   0       20        0.43     1  57.2 %           never         1.02     2   0.0 %
|
| The host (what the thread of the step did, by the innermost span; the parts add up to the wall time)
|   step           wall  data loading  waits        calls    operators  backward  Python  nothing recorded
|   1      10.000000 ms                       0.010000 ms  0.045000 ms                         9.945000 ms
|   2      10.000000 ms                       0.010000 ms  0.045000 ms                         9.945000 ms
|   3      10.000000 ms                       0.010000 ms  0.045000 ms                         9.945000 ms
|   4      10.000000 ms                       0.010000 ms  0.045000 ms                         9.945000 ms
|   5      10.000000 ms                       0.010000 ms  0.045000 ms                         9.945000 ms
|   6      10.000000 ms                       0.010000 ms  0.045000 ms                         9.945000 ms
|   whole  62.005000 ms                       0.065000 ms  0.270000 ms                        61.670000 ms
|
| Operators by self time (what nothing within them covers), on each kind of thread
|          self  of the wall        total  count      longest  thread  name
|   0.270000 ms        0.4 %  0.300000 ms      6  0.050000 ms  main    aten::mm
# The same in gzip, whatever its name.
$ tscope analyze --json ./traced/demo.json.gz
| {
|   "trace": "./traced/demo.json.gz",
|   "rank": 1,
|   "world_size": 2,
|   "backend": "nccl",
|   "device_name": "Tesla V100-SXM2-32GB",
|   "recorded": {
|     "cuda_runtime_version": null,
|     "cuda_driver_version": null,
|     "cupti_version": null,
|     "hip_runtime_version": null,
|     "hip_driver_version": null,
|     "roctracer_version": null,
|     "schema_version": "1",
|     "with_stack": null,
|     "record_shapes": null,
|     "profile_memory": null,
|     "with_flops": null,
|     "with_modules": null
|   },
|   "base_ns": "1727743122000000000",
|   "cut": false,
|   "event_count": 38,
|   "warm_up_step_count": 0,
|   "warm_up_event_count": 0,
|   "operator_count": 6,
|   "python_count": 0,
|   "annotation_count": 6,
|   "runtime_count": 13,
|   "kernel_count": 12,
|   "copy_count": 1,
|   "fill_count": 0,
|   "others": [],
|   "flow_count": 0,
|   "allocation_count": 0,
|   "counter_count": 0,
|   "advice": [
|     {
|       "code": "DIST.EXPOSED_COMM",
|       "what": "Communication is exposed",
|       "how": "With DDP change the bucket size, and switch off the search for unused parameters where it is on; with FSDP prefetch shards (backward_prefetch, forward_prefetch); keep the ranks of tensor parallelism within a host, or start communication earlier.",
|       "saves_most_ns": 12000000
|     }
|   ],
|   "findings": [
|     {
|       "code": "DIST.EXPOSED_COMM",
|       "severity": "high",
|       "title": "Communication is exposed",
|       "detail": "Communication that overlaps with no computation takes 19 % of the devices' time, 12.0 ms of 63.0 ms; 67 % of the communication is overlapped; how much of that is waiting for other ranks, traces of all ranks in one folder would tell.",
|       "advice": "With DDP change the bucket size, and switch off the search for unused parameters where it is on; with FSDP prefetch shards (backward_prefetch, forward_prefetch); keep the ranks of tensor parallelism within a host, or start communication earlier.",
|       "first_step": null,
|       "last_step": null,
|       "ranks": [],
|       "evidence_rank": null,
|       "evidence": [
|         {
|           "group": "trace",
|           "subject": "exposed_communication",
|           "name": "share",
|           "unit": "ratio",
|           "value": 0.19047619047619047,
|           "reason": null
|         },
|         {
|           "group": "trace",
|           "subject": "exposed_communication",
|           "name": "time",
|           "unit": "s",
|           "value": 0.012,
|           "reason": null
|         },
|         {
|           "group": "trace",
|           "subject": "span",
|           "name": "time",
|           "unit": "s",
|           "value": 0.063,
|           "reason": null
|         },
|         {
|           "group": "trace",
|           "subject": "communication",
|           "name": "overlapped",
|           "unit": "ratio",
|           "value": 0.6666666666666666,
|           "reason": null
|         }
|       ]
|     }
|   ],
|   "unchecked": [
|     {
|       "code": "TRACE.HOST_BOUND",
|       "reason": "the trace has only 13 events of devices, and the rule needs 50",
|       "ranks": []
|     },
|     {
|       "code": "TRACE.SYNC",
|       "reason": "the trace has only 13 events of devices, and the rule needs 50",
|       "ranks": []
|     },
|     {
|       "code": "TRACE.LAUNCH_BOUND",
|       "reason": "the trace has only 13 events of devices, and the rule needs 50",
|       "ranks": []
|     },
|     {
|       "code": "TRACE.LOADER",
|       "reason": "the trace has only 13 events of devices, and the rule needs 50",
|       "ranks": []
|     }
|   ],
|   "measures": {
|     "trace": {
|       "span": {
|         "time_s": 0.063,
|         "share_ratio": 1.0
|       },
|       "busy": {
|         "time_s": 0.061,
|         "share_ratio": 0.9682539682539683
|       },
|       "computation": {
|         "time_s": 0.048,
|         "share_ratio": 0.7619047619047619
|       },
|       "communication": {
|         "time_s": 0.036,
|         "share_ratio": 0.5714285714285714,
|         "overlapped_ratio": 0.6666666666666666
|       },
|       "exposed_communication": {
|         "time_s": 0.012,
|         "share_ratio": 0.19047619047619047
|       },
|       "copies": {
|         "time_s": 0.001,
|         "share_ratio": 0.015873015873015872
|       },
|       "exposed_copies": {
|         "time_s": 0.001,
|         "share_ratio": 0.015873015873015872
|       },
|       "idle": {
|         "time_s": 0.002,
|         "share_ratio": 0.031746031746031744
|       },
|       "idle_host": {
|         "time_s": 0.0015,
|         "share_ratio": 0.023809523809523808
|       },
|       "idle_launch": {
|         "time_s": 0.0005,
|         "share_ratio": 0.007936507936507936
|       },
|       "idle_behind": {
|         "time_s": 0.0,
|         "share_ratio": 0.0
|       },
|       "idle_queued": {
|         "time_s": 0.0,
|         "share_ratio": 0.0
|       },
|       "idle_unknown": {
|         "time_s": 0.0,
|         "share_ratio": 0.0
|       },
|       "idle_after_waits": {
|         "time_s": 0.0,
|         "share_ratio": 0.0
|       },
|       "fills": {
|         "time_s": 0.0,
|         "share_ratio": 0.0
|       },
|       "elementwise": {
|         "time_s": 0.0,
|         "share_ratio": 0.0
|       },
|       "idle_loading": {
|         "time_s": 0.0,
|         "share_ratio": 0.0
|       },
|       "math_attention": {
|         "time_s": 0.0,
|         "share_ratio": 0.0
|       },
|       "convolutions": {
|         "time_s": 0.0,
|         "share_ratio": 0.0
|       },
|       "float32_products": {
|         "time_s": 0.048,
|         "share_ratio": 0.5647058823529412
|       },
|       "generated": {
|         "time_s": 0.0,
|         "share_ratio": 0.0
|       },
|       "idle_first_launch": {
|         "time_s": 0.0,
|         "share_ratio": 0.0
|       },
|       "idle_host_longest": {
|         "time_s": 0.0015,
|         "share_ratio": 0.023809523809523808
|       },
|       "idle_launch_longest": {
|         "time_s": 0.0005,
|         "share_ratio": 0.007936507936507936
|       },
|       "idle_loading_longest": {
|         "time_s": 0.0,
|         "share_ratio": 0.0
|       },
|       "idle_after_waits_longest": {
|         "time_s": 0.0,
|         "share_ratio": 0.0
|       },
|       "devices": {
|         "count": 1.0,
|         "events_count": 13,
|         "unlaunched_ratio": 0.0
|       },
|       "kernels": {
|         "mean_s": 0.007
|       },
|       "category": {
|         "top": "gemm",
|         "top_ratio": 0.5647058823529412
|       },
|       "compiled": {
|         "recompiled_regions_count": 0,
|         "compiling_s": 0.0,
|         "compiling_ratio": 0.0
|       },
|       "steps": {
|         "count": 6.0,
|         "mean_s": 0.01,
|         "exposed_communication_s": 0.002,
|         "exposed_communication_ratio": 0.2
|       },
|       "job": {
|         "world_size_count": 2
|       }
|     }
|   },
|   "unknown": [],
|   "timeline": {
|     "event_count": 13,
|     "computation_count": 6,
|     "communication_count": 6,
|     "copy_count": 1,
|     "fill_count": 0,
|     "begin_ns": 1000000000,
|     "end_ns": 1063000000,
|     "span_ns": 63000000,
|     "busy_ns": 61000000,
|     "idle_ns": 2000000,
|     "sum_ns": 85000000,
|     "computation_ns": 48000000,
|     "communication_ns": 36000000,
|     "exposed_communication_ns": 12000000,
|     "overlapped_communication_ns": 24000000,
|     "memory_ns": 1000000,
|     "exposed_memory_ns": 1000000,
|     "collectives": [
|       {
|         "kind": "all_reduce",
|         "event_count": 6,
|         "busy_ns": 36000000,
|         "exposed_ns": 12000000
|       },
|       {
|         "kind": "all_gather",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       },
|       {
|         "kind": "reduce_scatter",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       },
|       {
|         "kind": "all_to_all",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       },
|       {
|         "kind": "broadcast",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       },
|       {
|         "kind": "reduce",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       },
|       {
|         "kind": "send_recv",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       },
|       {
|         "kind": "other",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       }
|     ]
|   },
|   "launched_timeline": {
|     "event_count": 13,
|     "computation_count": 6,
|     "communication_count": 6,
|     "copy_count": 1,
|     "fill_count": 0,
|     "begin_ns": 1000000000,
|     "end_ns": 1063000000,
|     "span_ns": 63000000,
|     "busy_ns": 61000000,
|     "idle_ns": 2000000,
|     "sum_ns": 85000000,
|     "computation_ns": 48000000,
|     "communication_ns": 36000000,
|     "exposed_communication_ns": 12000000,
|     "overlapped_communication_ns": 24000000,
|     "memory_ns": 1000000,
|     "exposed_memory_ns": 1000000,
|     "collectives": [
|       {
|         "kind": "all_reduce",
|         "event_count": 6,
|         "busy_ns": 36000000,
|         "exposed_ns": 12000000
|       },
|       {
|         "kind": "all_gather",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       },
|       {
|         "kind": "reduce_scatter",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       },
|       {
|         "kind": "all_to_all",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       },
|       {
|         "kind": "broadcast",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       },
|       {
|         "kind": "reduce",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       },
|       {
|         "kind": "send_recv",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       },
|       {
|         "kind": "other",
|         "event_count": 0,
|         "busy_ns": 0,
|         "exposed_ns": 0
|       }
|     ]
|   },
|   "unlaunched_count": 0,
|   "devices": [
|     {
|       "device": 0,
|       "stream": null,
|       "all_streams": true,
|       "timeline": {
|         "event_count": 13,
|         "computation_count": 6,
|         "communication_count": 6,
|         "copy_count": 1,
|         "fill_count": 0,
|         "begin_ns": 1000000000,
|         "end_ns": 1063000000,
|         "span_ns": 63000000,
|         "busy_ns": 61000000,
|         "idle_ns": 2000000,
|         "sum_ns": 85000000,
|         "computation_ns": 48000000,
|         "communication_ns": 36000000,
|         "exposed_communication_ns": 12000000,
|         "overlapped_communication_ns": 24000000,
|         "memory_ns": 1000000,
|         "exposed_memory_ns": 1000000,
|         "collectives": [
|           {
|             "kind": "all_reduce",
|             "event_count": 6,
|             "busy_ns": 36000000,
|             "exposed_ns": 12000000
|           },
|           {
|             "kind": "all_gather",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce_scatter",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "all_to_all",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "broadcast",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "send_recv",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "other",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           }
|         ]
|       }
|     }
|   ],
|   "streams": [
|     {
|       "device": 0,
|       "stream": 7,
|       "all_streams": false,
|       "timeline": {
|         "event_count": 7,
|         "computation_count": 6,
|         "communication_count": 0,
|         "copy_count": 1,
|         "fill_count": 0,
|         "begin_ns": 1000000000,
|         "end_ns": 1063000000,
|         "span_ns": 63000000,
|         "busy_ns": 49000000,
|         "idle_ns": 14000000,
|         "sum_ns": 49000000,
|         "computation_ns": 48000000,
|         "communication_ns": 0,
|         "exposed_communication_ns": 0,
|         "overlapped_communication_ns": 0,
|         "memory_ns": 1000000,
|         "exposed_memory_ns": 1000000,
|         "collectives": null
|       }
|     },
|     {
|       "device": 0,
|       "stream": 20,
|       "all_streams": false,
|       "timeline": {
|         "event_count": 6,
|         "computation_count": 0,
|         "communication_count": 6,
|         "copy_count": 0,
|         "fill_count": 0,
|         "begin_ns": 1004000000,
|         "end_ns": 1060000000,
|         "span_ns": 56000000,
|         "busy_ns": 36000000,
|         "idle_ns": 20000000,
|         "sum_ns": 36000000,
|         "computation_ns": 0,
|         "communication_ns": 36000000,
|         "exposed_communication_ns": 36000000,
|         "overlapped_communication_ns": 0,
|         "memory_ns": 0,
|         "exposed_memory_ns": 0,
|         "collectives": [
|           {
|             "kind": "all_reduce",
|             "event_count": 6,
|             "busy_ns": 36000000,
|             "exposed_ns": 36000000
|           },
|           {
|             "kind": "all_gather",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce_scatter",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "all_to_all",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "broadcast",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "send_recv",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "other",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           }
|         ]
|       }
|     }
|   ],
|   "steps": [
|     {
|       "step": 1,
|       "phase": "unknown",
|       "request_count": null,
|       "token_count": null,
|       "start_ns": 999500000,
|       "duration_ns": 10000000,
|       "timeline": {
|         "event_count": 2,
|         "computation_count": 1,
|         "communication_count": 1,
|         "copy_count": 0,
|         "fill_count": 0,
|         "begin_ns": 1000000000,
|         "end_ns": 1010000000,
|         "span_ns": 10000000,
|         "busy_ns": 10000000,
|         "idle_ns": 0,
|         "sum_ns": 14000000,
|         "computation_ns": 8000000,
|         "communication_ns": 6000000,
|         "exposed_communication_ns": 2000000,
|         "overlapped_communication_ns": 4000000,
|         "memory_ns": 0,
|         "exposed_memory_ns": 0,
|         "collectives": [
|           {
|             "kind": "all_reduce",
|             "event_count": 1,
|             "busy_ns": 6000000,
|             "exposed_ns": 2000000
|           },
|           {
|             "kind": "all_gather",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce_scatter",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "all_to_all",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "broadcast",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "send_recv",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "other",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           }
|         ]
|       }
|     },
|     {
|       "step": 2,
|       "phase": "unknown",
|       "request_count": null,
|       "token_count": null,
|       "start_ns": 1009500000,
|       "duration_ns": 10000000,
|       "timeline": {
|         "event_count": 2,
|         "computation_count": 1,
|         "communication_count": 1,
|         "copy_count": 0,
|         "fill_count": 0,
|         "begin_ns": 1010000000,
|         "end_ns": 1020000000,
|         "span_ns": 10000000,
|         "busy_ns": 10000000,
|         "idle_ns": 0,
|         "sum_ns": 14000000,
|         "computation_ns": 8000000,
|         "communication_ns": 6000000,
|         "exposed_communication_ns": 2000000,
|         "overlapped_communication_ns": 4000000,
|         "memory_ns": 0,
|         "exposed_memory_ns": 0,
|         "collectives": [
|           {
|             "kind": "all_reduce",
|             "event_count": 1,
|             "busy_ns": 6000000,
|             "exposed_ns": 2000000
|           },
|           {
|             "kind": "all_gather",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce_scatter",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "all_to_all",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "broadcast",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "send_recv",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "other",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           }
|         ]
|       }
|     },
|     {
|       "step": 3,
|       "phase": "unknown",
|       "request_count": null,
|       "token_count": null,
|       "start_ns": 1019500000,
|       "duration_ns": 10000000,
|       "timeline": {
|         "event_count": 2,
|         "computation_count": 1,
|         "communication_count": 1,
|         "copy_count": 0,
|         "fill_count": 0,
|         "begin_ns": 1020000000,
|         "end_ns": 1030000000,
|         "span_ns": 10000000,
|         "busy_ns": 10000000,
|         "idle_ns": 0,
|         "sum_ns": 14000000,
|         "computation_ns": 8000000,
|         "communication_ns": 6000000,
|         "exposed_communication_ns": 2000000,
|         "overlapped_communication_ns": 4000000,
|         "memory_ns": 0,
|         "exposed_memory_ns": 0,
|         "collectives": [
|           {
|             "kind": "all_reduce",
|             "event_count": 1,
|             "busy_ns": 6000000,
|             "exposed_ns": 2000000
|           },
|           {
|             "kind": "all_gather",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce_scatter",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "all_to_all",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "broadcast",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "send_recv",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "other",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           }
|         ]
|       }
|     },
|     {
|       "step": 4,
|       "phase": "unknown",
|       "request_count": null,
|       "token_count": null,
|       "start_ns": 1029500000,
|       "duration_ns": 10000000,
|       "timeline": {
|         "event_count": 2,
|         "computation_count": 1,
|         "communication_count": 1,
|         "copy_count": 0,
|         "fill_count": 0,
|         "begin_ns": 1030000000,
|         "end_ns": 1040000000,
|         "span_ns": 10000000,
|         "busy_ns": 10000000,
|         "idle_ns": 0,
|         "sum_ns": 14000000,
|         "computation_ns": 8000000,
|         "communication_ns": 6000000,
|         "exposed_communication_ns": 2000000,
|         "overlapped_communication_ns": 4000000,
|         "memory_ns": 0,
|         "exposed_memory_ns": 0,
|         "collectives": [
|           {
|             "kind": "all_reduce",
|             "event_count": 1,
|             "busy_ns": 6000000,
|             "exposed_ns": 2000000
|           },
|           {
|             "kind": "all_gather",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce_scatter",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "all_to_all",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "broadcast",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "send_recv",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "other",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           }
|         ]
|       }
|     },
|     {
|       "step": 5,
|       "phase": "unknown",
|       "request_count": null,
|       "token_count": null,
|       "start_ns": 1039500000,
|       "duration_ns": 10000000,
|       "timeline": {
|         "event_count": 2,
|         "computation_count": 1,
|         "communication_count": 1,
|         "copy_count": 0,
|         "fill_count": 0,
|         "begin_ns": 1040000000,
|         "end_ns": 1050000000,
|         "span_ns": 10000000,
|         "busy_ns": 10000000,
|         "idle_ns": 0,
|         "sum_ns": 14000000,
|         "computation_ns": 8000000,
|         "communication_ns": 6000000,
|         "exposed_communication_ns": 2000000,
|         "overlapped_communication_ns": 4000000,
|         "memory_ns": 0,
|         "exposed_memory_ns": 0,
|         "collectives": [
|           {
|             "kind": "all_reduce",
|             "event_count": 1,
|             "busy_ns": 6000000,
|             "exposed_ns": 2000000
|           },
|           {
|             "kind": "all_gather",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce_scatter",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "all_to_all",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "broadcast",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "send_recv",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "other",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           }
|         ]
|       }
|     },
|     {
|       "step": 6,
|       "phase": "unknown",
|       "request_count": null,
|       "token_count": null,
|       "start_ns": 1049500000,
|       "duration_ns": 10000000,
|       "timeline": {
|         "event_count": 2,
|         "computation_count": 1,
|         "communication_count": 1,
|         "copy_count": 0,
|         "fill_count": 0,
|         "begin_ns": 1050000000,
|         "end_ns": 1060000000,
|         "span_ns": 10000000,
|         "busy_ns": 10000000,
|         "idle_ns": 0,
|         "sum_ns": 14000000,
|         "computation_ns": 8000000,
|         "communication_ns": 6000000,
|         "exposed_communication_ns": 2000000,
|         "overlapped_communication_ns": 4000000,
|         "memory_ns": 0,
|         "exposed_memory_ns": 0,
|         "collectives": [
|           {
|             "kind": "all_reduce",
|             "event_count": 1,
|             "busy_ns": 6000000,
|             "exposed_ns": 2000000
|           },
|           {
|             "kind": "all_gather",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce_scatter",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "all_to_all",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "broadcast",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "reduce",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "send_recv",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           },
|           {
|             "kind": "other",
|             "event_count": 0,
|             "busy_ns": 0,
|             "exposed_ns": 0
|           }
|         ]
|       }
|     }
|   ],
|   "phases": [],
|   "between_steps": {
|     "event_count": 1,
|     "computation_count": 0,
|     "communication_count": 0,
|     "copy_count": 1,
|     "fill_count": 0,
|     "begin_ns": 1062000000,
|     "end_ns": 1063000000,
|     "span_ns": 1000000,
|     "busy_ns": 1000000,
|     "idle_ns": 0,
|     "sum_ns": 1000000,
|     "computation_ns": 0,
|     "communication_ns": 0,
|     "exposed_communication_ns": 0,
|     "overlapped_communication_ns": 0,
|     "memory_ns": 1000000,
|     "exposed_memory_ns": 1000000,
|     "collectives": null
|   },
|   "idle": [
|     {
|       "device": 0,
|       "stream": null,
|       "all_streams": true,
|       "gap_count": 1,
|       "idle_ns": 2000000,
|       "host_ns": 1500000,
|       "launch_ns": 500000,
|       "behind_ns": 0,
|       "queued_ns": 0,
|       "unknown_ns": 0,
|       "longest_ns": 2000000,
|       "longest_at_ns": 1060000000
|     },
|     {
|       "device": 0,
|       "stream": 7,
|       "all_streams": false,
|       "gap_count": 6,
|       "idle_ns": 14000000,
|       "host_ns": 11550000,
|       "launch_ns": 2450000,
|       "behind_ns": 0,
|       "queued_ns": 0,
|       "unknown_ns": 0,
|       "longest_ns": 4000000,
|       "longest_at_ns": 1058000000
|     },
|     {
|       "device": 0,
|       "stream": 20,
|       "all_streams": false,
|       "gap_count": 5,
|       "idle_ns": 20000000,
|       "host_ns": 0,
|       "launch_ns": 0,
|       "behind_ns": 20000000,
|       "queued_ns": 0,
|       "unknown_ns": 0,
|       "longest_ns": 4000000,
|       "longest_at_ns": 1010000000
|     }
|   ],
|   "kernel_sum_ns": 85000000,
|   "categories": [
|     {
|       "name": null,
|       "category": "gemm",
|       "category_by": null,
|       "category_confidence": null,
|       "category_evidence": null,
|       "units": null,
|       "count": 6,
|       "sum_ns": 48000000,
|       "max_ns": 8000000,
|       "byte_count": null
|     },
|     {
|       "name": null,
|       "category": "communication",
|       "category_by": null,
|       "category_confidence": null,
|       "category_evidence": null,
|       "units": null,
|       "count": 6,
|       "sum_ns": 36000000,
|       "max_ns": 6000000,
|       "byte_count": null
|     },
|     {
|       "name": null,
|       "category": "memcpy",
|       "category_by": null,
|       "category_confidence": null,
|       "category_evidence": null,
|       "units": null,
|       "count": 1,
|       "sum_ns": 1000000,
|       "max_ns": 1000000,
|       "byte_count": 4096
|     }
|   ],
|   "kernels": [
|     {
|       "name": "volta_sgemm_128x64_nt",
|       "category": "gemm",
|       "category_by": "word",
|       "category_confidence": "medium",
|       "category_evidence": "gemm",
|       "units": "single",
|       "count": 6,
|       "sum_ns": 48000000,
|       "max_ns": 8000000,
|       "byte_count": null
|     },
|     {
|       "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
|       "category": "communication",
|       "category_by": "grammar",
|       "category_confidence": "high",
|       "category_evidence": "nccl",
|       "units": null,
|       "count": 6,
|       "sum_ns": 36000000,
|       "max_ns": 6000000,
|       "byte_count": null
|     },
|     {
|       "name": "Memcpy DtoH (Device -> Pinned)",
|       "category": "memcpy",
|       "category_by": null,
|       "category_confidence": null,
|       "category_evidence": null,
|       "units": null,
|       "count": 1,
|       "sum_ns": 1000000,
|       "max_ns": 1000000,
|       "byte_count": 4096
|     }
|   ],
|   "host": {
|     "launches": [
|       {
|         "device": 0,
|         "stream": null,
|         "all_streams": true,
|         "event_count": 13,
|         "launched_count": 13,
|         "before_call_count": 0,
|         "call_count": 13,
|         "delay": {
|           "least_ns": 385000,
|           "median_ns": 495000,
|           "p95_ns": 4295000,
|           "longest_ns": 4295000
|         },
|         "unclipped_delay": {
|           "least_ns": 385000,
|           "median_ns": 495000,
|           "p95_ns": 4295000,
|           "longest_ns": 4295000
|         },
|         "call_ns": 65000,
|         "delay_sum_ns": 28575000,
|         "early_count": 0,
|         "long_delay_count": 13,
|         "long_call_count": 0,
|         "short_kernel_count": 0,
|         "window_ns": 63390000,
|         "queued": {
|           "most_count": 2,
|           "sum_ns": 28640000,
|           "empty_ns": 36550000,
|           "full_ns": 0
|         },
|         "outstanding": {
|           "most_count": 3,
|           "sum_ns": 113640000,
|           "empty_ns": 1500000,
|           "full_ns": 0
|         },
|         "full_call_count": 0,
|         "full_call_ns": 0
|       },
|       {
|         "device": 0,
|         "stream": 7,
|         "all_streams": false,
|         "event_count": 7,
|         "launched_count": 7,
|         "before_call_count": 0,
|         "call_count": 7,
|         "delay": {
|           "least_ns": 385000,
|           "median_ns": 385000,
|           "p95_ns": 495000,
|           "longest_ns": 495000
|         },
|         "unclipped_delay": {
|           "least_ns": 385000,
|           "median_ns": 385000,
|           "p95_ns": 495000,
|           "longest_ns": 495000
|         },
|         "call_ns": 35000,
|         "delay_sum_ns": 2805000,
|         "early_count": 0,
|         "long_delay_count": 7,
|         "long_call_count": 0,
|         "short_kernel_count": 0,
|         "window_ns": 63390000,
|         "queued": {
|           "most_count": 1,
|           "sum_ns": 2840000,
|           "empty_ns": 60550000,
|           "full_ns": 0
|         },
|         "outstanding": {
|           "most_count": 1,
|           "sum_ns": 51840000,
|           "empty_ns": 11550000,
|           "full_ns": 0
|         },
|         "full_call_count": 0,
|         "full_call_ns": 0
|       },
|       {
|         "device": 0,
|         "stream": 20,
|         "all_streams": false,
|         "event_count": 6,
|         "launched_count": 6,
|         "before_call_count": 0,
|         "call_count": 6,
|         "delay": {
|           "least_ns": 4295000,
|           "median_ns": 4295000,
|           "p95_ns": 4295000,
|           "longest_ns": 4295000
|         },
|         "unclipped_delay": {
|           "least_ns": 4295000,
|           "median_ns": 4295000,
|           "p95_ns": 4295000,
|           "longest_ns": 4295000
|         },
|         "call_ns": 30000,
|         "delay_sum_ns": 25770000,
|         "early_count": 0,
|         "long_delay_count": 6,
|         "long_call_count": 0,
|         "short_kernel_count": 0,
|         "window_ns": 60300000,
|         "queued": {
|           "most_count": 1,
|           "sum_ns": 25800000,
|           "empty_ns": 34500000,
|           "full_ns": 0
|         },
|         "outstanding": {
|           "most_count": 2,
|           "sum_ns": 61800000,
|           "empty_ns": 0,
|           "full_ns": 0
|         },
|         "full_call_count": 0,
|         "full_call_ns": 0
|       }
|     ],
|     "waits": {
|       "all": {
|         "call_count": 0,
|         "sum_ns": 0,
|         "longest_ns": 0,
|         "outstanding_count": 0,
|         "outstanding_ns": 0,
|         "drained_count": 0,
|         "idle_ns": 0
|       },
|       "has_sources": false,
|       "has_work": true,
|       "by_asker": [],
|       "steps": [
|         {
|           "step": 1,
|           "call_count": 0,
|           "sum_ns": 0
|         },
|         {
|           "step": 2,
|           "call_count": 0,
|           "sum_ns": 0
|         },
|         {
|           "step": 3,
|           "call_count": 0,
|           "sum_ns": 0
|         },
|         {
|           "step": 4,
|           "call_count": 0,
|           "sum_ns": 0
|         },
|         {
|           "step": 5,
|           "call_count": 0,
|           "sum_ns": 0
|         },
|         {
|           "step": 6,
|           "call_count": 0,
|           "sum_ns": 0
|         }
|       ]
|     },
|     "time": {
|       "all": {
|         "step": 0,
|         "begin_ns": 999500000,
|         "wall_ns": 62005000,
|         "loading_ns": 0,
|         "waits_ns": 0,
|         "calls_ns": 65000,
|         "operators_ns": 270000,
|         "backward_ns": 0,
|         "python_ns": 0,
|         "nothing_ns": 61670000
|       },
|       "steps": [
|         {
|           "step": 1,
|           "begin_ns": 999500000,
|           "wall_ns": 10000000,
|           "loading_ns": 0,
|           "waits_ns": 0,
|           "calls_ns": 10000,
|           "operators_ns": 45000,
|           "backward_ns": 0,
|           "python_ns": 0,
|           "nothing_ns": 9945000
|         },
|         {
|           "step": 2,
|           "begin_ns": 1009500000,
|           "wall_ns": 10000000,
|           "loading_ns": 0,
|           "waits_ns": 0,
|           "calls_ns": 10000,
|           "operators_ns": 45000,
|           "backward_ns": 0,
|           "python_ns": 0,
|           "nothing_ns": 9945000
|         },
|         {
|           "step": 3,
|           "begin_ns": 1019500000,
|           "wall_ns": 10000000,
|           "loading_ns": 0,
|           "waits_ns": 0,
|           "calls_ns": 10000,
|           "operators_ns": 45000,
|           "backward_ns": 0,
|           "python_ns": 0,
|           "nothing_ns": 9945000
|         },
|         {
|           "step": 4,
|           "begin_ns": 1029500000,
|           "wall_ns": 10000000,
|           "loading_ns": 0,
|           "waits_ns": 0,
|           "calls_ns": 10000,
|           "operators_ns": 45000,
|           "backward_ns": 0,
|           "python_ns": 0,
|           "nothing_ns": 9945000
|         },
|         {
|           "step": 5,
|           "begin_ns": 1039500000,
|           "wall_ns": 10000000,
|           "loading_ns": 0,
|           "waits_ns": 0,
|           "calls_ns": 10000,
|           "operators_ns": 45000,
|           "backward_ns": 0,
|           "python_ns": 0,
|           "nothing_ns": 9945000
|         },
|         {
|           "step": 6,
|           "begin_ns": 1049500000,
|           "wall_ns": 10000000,
|           "loading_ns": 0,
|           "waits_ns": 0,
|           "calls_ns": 10000,
|           "operators_ns": 45000,
|           "backward_ns": 0,
|           "python_ns": 0,
|           "nothing_ns": 9945000
|         }
|       ]
|     },
|     "operators": [
|       {
|         "thread_kind": "main",
|         "name": "aten::mm",
|         "count": 6,
|         "self_ns": 270000,
|         "total_ns": 300000,
|         "longest_ns": 50000
|       }
|     ],
|     "python": [],
|     "threads": [
|       {
|         "thread_kind": "main",
|         "id": 100,
|         "span_count": 25,
|         "begin_ns": 999500000,
|         "end_ns": 1061505000,
|         "operator_self_ns": 270000,
|         "python_self_ns": 0,
|         "call_self_ns": 65000
|       }
|     ]
|   },
|   "critical_path": {
|     "windows": [
|       {
|         "step": 2,
|         "begin_ns": 1010000000,
|         "length_ns": 10000000,
|         "computation_ns": 0,
|         "communication_ns": 6000000,
|         "copies_ns": 0,
|         "launch_ns": 0,
|         "queue_ns": 4000000,
|         "host_ns": 0,
|         "data_loading_ns": 0,
|         "wait_ns": 0,
|         "unknown_ns": 0
|       },
|       {
|         "step": 3,
|         "begin_ns": 1020000000,
|         "length_ns": 10000000,
|         "computation_ns": 0,
|         "communication_ns": 6000000,
|         "copies_ns": 0,
|         "launch_ns": 0,
|         "queue_ns": 4000000,
|         "host_ns": 0,
|         "data_loading_ns": 0,
|         "wait_ns": 0,
|         "unknown_ns": 0
|       },
|       {
|         "step": 4,
|         "begin_ns": 1030000000,
|         "length_ns": 10000000,
|         "computation_ns": 0,
|         "communication_ns": 6000000,
|         "copies_ns": 0,
|         "launch_ns": 0,
|         "queue_ns": 4000000,
|         "host_ns": 0,
|         "data_loading_ns": 0,
|         "wait_ns": 0,
|         "unknown_ns": 0
|       },
|       {
|         "step": 5,
|         "begin_ns": 1040000000,
|         "length_ns": 10000000,
|         "computation_ns": 0,
|         "communication_ns": 6000000,
|         "copies_ns": 0,
|         "launch_ns": 0,
|         "queue_ns": 4000000,
|         "host_ns": 0,
|         "data_loading_ns": 0,
|         "wait_ns": 0,
|         "unknown_ns": 0
|       },
|       {
|         "step": 6,
|         "begin_ns": 1050000000,
|         "length_ns": 13000000,
|         "computation_ns": 0,
|         "communication_ns": 0,
|         "copies_ns": 1000000,
|         "launch_ns": 500000,
|         "queue_ns": 0,
|         "host_ns": 11500000,
|         "data_loading_ns": 0,
|         "wait_ns": 0,
|         "unknown_ns": 0
|       }
|     ],
|     "length_ns": 53000000,
|     "bound": "communication",
|     "rows": [
|       {
|         "group": "communication",
|         "what": "all_reduce",
|         "length_ns": 24000000,
|         "count": 4,
|         "longest_ns": 6000000
|       },
|       {
|         "group": "queue",
|         "what": "stream_order",
|         "length_ns": 16000000,
|         "count": 4,
|         "longest_ns": 4000000
|       },
|       {
|         "group": "host",
|         "what": "unsaid",
|         "length_ns": 11500000,
|         "count": 2,
|         "longest_ns": 9500000
|       },
|       {
|         "group": "copies",
|         "what": "memcpy",
|         "length_ns": 1000000,
|         "count": 1,
|         "longest_ns": 1000000
|       },
|       {
|         "group": "launch",
|         "what": "launch",
|         "length_ns": 500000,
|         "count": 1,
|         "longest_ns": 500000
|       }
|     ],
|     "longest": [
|       {
|         "what": "unsaid",
|         "name": "ProfilerStep#6",
|         "begin_ns": 1050000000,
|         "length_ns": 9500000
|       },
|       {
|         "what": "all_reduce",
|         "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
|         "begin_ns": 1014000000,
|         "length_ns": 6000000
|       },
|       {
|         "what": "all_reduce",
|         "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
|         "begin_ns": 1024000000,
|         "length_ns": 6000000
|       },
|       {
|         "what": "all_reduce",
|         "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
|         "begin_ns": 1034000000,
|         "length_ns": 6000000
|       },
|       {
|         "what": "all_reduce",
|         "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
|         "begin_ns": 1044000000,
|         "length_ns": 6000000
|       },
|       {
|         "what": "stream_order",
|         "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
|         "begin_ns": 1010000000,
|         "length_ns": 4000000
|       },
|       {
|         "what": "stream_order",
|         "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
|         "begin_ns": 1020000000,
|         "length_ns": 4000000
|       },
|       {
|         "what": "stream_order",
|         "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
|         "begin_ns": 1030000000,
|         "length_ns": 4000000
|       },
|       {
|         "what": "stream_order",
|         "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
|         "begin_ns": 1040000000,
|         "length_ns": 4000000
|       },
|       {
|         "what": "unsaid",
|         "name": null,
|         "begin_ns": 1059500000,
|         "length_ns": 2000000
|       }
|     ],
|     "what_if": [
|       {
|         "ideal": "group",
|         "what": null,
|         "group": "host",
|         "length_ns": 50000000,
|         "saved_ns": 3000000
|       },
|       {
|         "ideal": "group",
|         "what": null,
|         "group": "copies",
|         "length_ns": 52000000,
|         "saved_ns": 1000000
|       },
|       {
|         "ideal": "group",
|         "what": null,
|         "group": "launch",
|         "length_ns": 52500000,
|         "saved_ns": 500000
|       },
|       {
|         "ideal": "group",
|         "what": null,
|         "group": "communication",
|         "length_ns": 53000000,
|         "saved_ns": 0
|       },
|       {
|         "ideal": "group",
|         "what": null,
|         "group": "queue",
|         "length_ns": 53000000,
|         "saved_ns": 0
|       }
|     ],
|     "error_ns": 0,
|     "inferred_count": 0,
|     "early_count": 0
|   },
|   "work": {
|     "all": {
|       "count": 13,
|       "sum_ns": 85000000
|     },
|     "known": {
|       "count": 6,
|       "sum_ns": 48000000
|     },
|     "unknown": {
|       "count": 7,
|       "sum_ns": 37000000
|     },
|     "operators": [
|       {
|         "name": "aten::mm",
|         "count": 6,
|         "own": {
|           "count": 6,
|           "sum_ns": 48000000
|         },
|         "total": {
|           "count": 6,
|           "sum_ns": 48000000
|         }
|       }
|     ],
|     "modules": {
|       "source": "not_recorded",
|       "forward": null,
|       "backward": null,
|       "unlinked": null,
|       "outside": null,
|       "modules": []
|     },
|     "flops": {
|       "all": {
|         "operator": null,
|         "shapes": null,
|         "dtype": null,
|         "each_flops": null,
|         "count": 6,
|         "sum_flops": 402653184,
|         "timed_count": 6,
|         "timed_flops": 402653184,
|         "launched": {
|           "count": 6,
|           "sum_ns": 48000000
|         },
|         "achieved_flops_per_s": 8388608000.0,
|         "peak_flops_per_s": null,
|         "each_bytes": null,
|         "intensity_flops_per_byte": null,
|         "achieved_bytes_per_s": null,
|         "peak_bytes_per_s": null,
|         "bound_by": null
|       },
|       "by_shape": [
|         {
|           "operator": "aten::mm",
|           "shapes": "[[1024,512],[512,64]]",
|           "dtype": null,
|           "each_flops": 67108864,
|           "count": 6,
|           "sum_flops": 402653184,
|           "timed_count": 6,
|           "timed_flops": 402653184,
|           "launched": {
|             "count": 6,
|             "sum_ns": 48000000
|           },
|           "achieved_flops_per_s": 8388608000.0,
|           "peak_flops_per_s": null,
|           "each_bytes": null,
|           "intensity_flops_per_byte": null,
|           "achieved_bytes_per_s": null,
|           "peak_bytes_per_s": null,
|           "bound_by": null
|         }
|       ],
|       "unknown_count": 0,
|       "unknown": {
|         "count": 0,
|         "sum_ns": 0
|       },
|       "no_peak": "the type of the inputs is not recorded, or has no peak",
|       "busy_ns": 61000000,
|       "busy_flops_per_s": 6600871868.852459
|     },
|     "moves": {
|       "all": {
|         "operator": null,
|         "shapes": null,
|         "dtype": null,
|         "each_flops": null,
|         "count": 0,
|         "sum_flops": 0,
|         "timed_count": 0,
|         "timed_flops": 0,
|         "launched": {
|           "count": 0,
|           "sum_ns": 0
|         },
|         "achieved_flops_per_s": null,
|         "peak_flops_per_s": null,
|         "each_bytes": null,
|         "intensity_flops_per_byte": null,
|         "achieved_bytes_per_s": null,
|         "peak_bytes_per_s": null,
|         "bound_by": null
|       },
|       "by_shape": [],
|       "unknown_count": 0,
|       "unknown": {
|         "count": 0,
|         "sum_ns": 0
|       },
|       "no_peak": null,
|       "busy_ns": 0,
|       "busy_flops_per_s": null
|     },
|     "use": {
|       "all": {
|         "name": null,
|         "category": "all",
|         "kernels": {
|           "count": 12,
|           "sum_ns": 84000000
|         },
|         "rated": {
|           "count": 0,
|           "sum_ns": 0
|         },
|         "occupancy_percent": null,
|         "sized": {
|           "count": 0,
|           "sum_ns": 0
|         },
|         "small": {
|           "count": 0,
|           "sum_ns": 0
|         },
|         "graphed": {
|           "count": 0,
|           "sum_ns": 0
|         }
|       },
|       "categories": [
|         {
|           "name": null,
|           "category": "gemm",
|           "kernels": {
|             "count": 6,
|             "sum_ns": 48000000
|           },
|           "rated": {
|             "count": 0,
|             "sum_ns": 0
|           },
|           "occupancy_percent": null,
|           "sized": {
|             "count": 0,
|             "sum_ns": 0
|           },
|           "small": {
|             "count": 0,
|             "sum_ns": 0
|           },
|           "graphed": {
|             "count": 0,
|             "sum_ns": 0
|           }
|         },
|         {
|           "name": null,
|           "category": "communication",
|           "kernels": {
|             "count": 6,
|             "sum_ns": 36000000
|           },
|           "rated": {
|             "count": 0,
|             "sum_ns": 0
|           },
|           "occupancy_percent": null,
|           "sized": {
|             "count": 0,
|             "sum_ns": 0
|           },
|           "small": {
|             "count": 0,
|             "sum_ns": 0
|           },
|           "graphed": {
|             "count": 0,
|             "sum_ns": 0
|           }
|         }
|       ],
|       "names": [
|         {
|           "name": "volta_sgemm_128x64_nt",
|           "category": "gemm",
|           "kernels": {
|             "count": 6,
|             "sum_ns": 48000000
|           },
|           "rated": {
|             "count": 0,
|             "sum_ns": 0
|           },
|           "occupancy_percent": null,
|           "sized": {
|             "count": 0,
|             "sum_ns": 0
|           },
|           "small": {
|             "count": 0,
|             "sum_ns": 0
|           },
|           "graphed": {
|             "count": 0,
|             "sum_ns": 0
|           }
|         },
|         {
|           "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
|           "category": "communication",
|           "kernels": {
|             "count": 6,
|             "sum_ns": 36000000
|           },
|           "rated": {
|             "count": 0,
|             "sum_ns": 0
|           },
|           "occupancy_percent": null,
|           "sized": {
|             "count": 0,
|             "sum_ns": 0
|           },
|           "small": {
|             "count": 0,
|             "sum_ns": 0
|           },
|           "graphed": {
|             "count": 0,
|             "sum_ns": 0
|           }
|         }
|       ]
|     },
|     "copies": [
|       {
|         "direction": "device_to_host",
|         "host_memory": "pinned",
|         "copied": {
|           "count": 1,
|           "sum_ns": 1000000
|         },
|         "sized_count": 1,
|         "sized_ns": 1000000,
|         "byte_count": 4096
|       }
|     ],
|     "filled": {
|       "count": 0,
|       "sum_ns": 0
|     },
|     "fills": [],
|     "collectives": {
|       "by_size": [],
|       "unsized": {
|         "count": 0,
|         "sum_ns": 0
|       }
|     },
|     "marks": {
|       "recomputed": {
|         "count": 0,
|         "sum_ns": 0
|       },
|       "forward_in_backward": null,
|       "optimizers": [],
|       "attention": [],
|       "unsaid_attention_count": 0,
|       "compiled_regions": [],
|       "recompiled_region_count": 0,
|       "graph_breaks": {
|         "region_entry_count": 0,
|         "graph_break_count": 0,
|         "lookup_count": 0,
|         "fallback_count": null,
|         "step_count": 6,
|         "in_steps_region_entry_count": 0,
|         "in_steps_graph_break_count": 0,
|         "in_steps_lookup_count": 0,
|         "in_steps_fallback_count": null,
|         "graph_call_count": 0
|       },
|       "compilation_count": 0,
|       "compilation_ns": 0,
|       "graph_launch_count": 0
|     },
|     "runs": {
|       "elementwise": {
|         "count": 0,
|         "sum_ns": 0
|       },
|       "elementwise_storms": {
|         "run_count": 0,
|         "span_ns": 0,
|         "events": {
|           "count": 0,
|           "sum_ns": 0
|         },
|         "most_count": null,
|         "most_at_ns": null,
|         "most_device": null,
|         "most_stream": null
|       },
|       "called": {
|         "count": 13,
|         "sum_ns": 85000000
|       },
|       "launch_bound": {
|         "run_count": 0,
|         "span_ns": 0,
|         "events": {
|           "count": 0,
|           "sum_ns": 0
|         },
|         "most_count": null,
|         "most_at_ns": null,
|         "most_device": null,
|         "most_stream": null
|       }
|     },
|     "steps": {
|       "step_count": 5,
|       "warmup_count": 1,
|       "first_step": 2,
|       "categories": [
|         {
|           "name": null,
|           "category": "gemm",
|           "launched": {
|             "count": 5,
|             "sum_ns": 40000000
|           },
|           "mean_count": 1.0,
|           "mean_ns": 8000000.0,
|           "deviation_ns": 0.0,
|           "least_ns": 8000000,
|           "most_ns": 8000000
|         },
|         {
|           "name": null,
|           "category": "communication",
|           "launched": {
|             "count": 5,
|             "sum_ns": 30000000
|           },
|           "mean_count": 1.0,
|           "mean_ns": 6000000.0,
|           "deviation_ns": 0.0,
|           "least_ns": 6000000,
|           "most_ns": 6000000
|         }
|       ],
|       "names": [
|         {
|           "name": "volta_sgemm_128x64_nt",
|           "category": "gemm",
|           "launched": {
|             "count": 5,
|             "sum_ns": 40000000
|           },
|           "mean_count": 1.0,
|           "mean_ns": 8000000.0,
|           "deviation_ns": 0.0,
|           "least_ns": 8000000,
|           "most_ns": 8000000
|         },
|         {
|           "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
|           "category": "communication",
|           "launched": {
|             "count": 5,
|             "sum_ns": 30000000
|           },
|           "mean_count": 1.0,
|           "mean_ns": 6000000.0,
|           "deviation_ns": 0.0,
|           "least_ns": 6000000,
|           "most_ns": 6000000
|         }
|       ]
|     }
|   },
|   "graphs": null,
|   "memory": [],
|   "notices": []
| }
# Cut off: what stands before is read, and it is said.
$ tscope analyze ./traced/cut.json
| trace     ./traced/cut.json
| of        rank 1 of 2, nccl, on Tesla V100-SXM2-32GB
| has       12 events: 2 operators, 0 Python functions, 2 annotations, 4 runtime calls; 4 kernels, 0
|           copies, 0 fills; 0 flows, 0 allocations, 0 counters
| over      all of the trace, with all of its 2 steps
|
| What to try first (and the time of the devices that it would save at most)
|   1. Communication is exposed: up to 4.000000 ms of 20.000000 ms. With DDP change the bucket size, and switch off the search for unused parameters where it is on; with FSDP prefetch shards (backward_prefetch, forward_prefetch); keep the ranks of tensor parallelism within a host, or start communication earlier.
|
| Findings (tscope explain CODE has the rule)
|   high: DIST.EXPOSED_COMM: Communication that overlaps with no computation takes 20 % of the devices' time, 4.00 ms of 20.0 ms; 67 % of the communication is overlapped; how much of that is waiting for other ranks, traces of all ranks in one folder would tell.
|   not checked: TRACE.HOST_BOUND, TRACE.SYNC, TRACE.LAUNCH_BOUND, TRACE.LOADER: the trace has only 4 events of devices, and the rule needs 50
|
| All devices (a time is the length of a union: what ran at once counts once)
|                          time  of the span  events
|   span           20.000000 ms      100.0 %       4
|   busy           20.000000 ms      100.0 %
|   idle            0.000000 ms        0.0 %
|   computation    16.000000 ms       80.0 %       2
|   communication  12.000000 ms       60.0 %       2
|     overlapped    8.000000 ms       40.0 %
|     exposed       4.000000 ms       20.0 %
|   copies          0.000000 ms        0.0 %       0
|
| Communication
|   kind        events          time      exposed
|   all_reduce       2  12.000000 ms  4.000000 ms
|
| Devices and streams (spans, busy and exposed times are each row's own)
|   device  stream  events          span          busy   computation  communication       exposed       copies
|   0       all          4  20.000000 ms  20.000000 ms  16.000000 ms   12.000000 ms   4.000000 ms  0.000000 ms
|   0       7            2  18.000000 ms  16.000000 ms  16.000000 ms    0.000000 ms   0.000000 ms  0.000000 ms
|   0       20           2  16.000000 ms  12.000000 ms   0.000000 ms   12.000000 ms  12.000000 ms  0.000000 ms
|
| Steps (what the calls of each launched, whenever it ran)
|   step   on the host  events          span          busy  computation  communication      exposed       copies
|   1     10.000000 ms       2  10.000000 ms  10.000000 ms  8.000000 ms    6.000000 ms  2.000000 ms  0.000000 ms
|   2     10.000000 ms       2  10.000000 ms  10.000000 ms  8.000000 ms    6.000000 ms  2.000000 ms  0.000000 ms
|
| Idle by cause (the host had not asked; launching; queued behind other streams; queued; call not in the trace)
|   device  stream  gaps         idle         host       launch  behind others       queued      unknown
|   0       all        0  0.000000 ms  0.000000 ms  0.000000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|   0       7          1  2.000000 ms  1.610000 ms  0.390000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|   0       20         1  4.000000 ms  0.000000 ms  0.000000 ms    4.000000 ms  0.000000 ms  0.000000 ms
|
| Work by category, by the table of kernels, version 3 (sums: what ran at once counts twice)
|   category                sum   share  count         mean      longest
|   gemm           16.000000 ms  57.1 %      2  8.000000 ms  8.000000 ms
|   communication  12.000000 ms  42.9 %      2  6.000000 ms  6.000000 ms
|
| The longest by name
|            sum   share  count         mean      longest  category       name
|   16.000000 ms  57.1 %      2  8.000000 ms  8.000000 ms  gemm           volta_sgemm_128x64_nt
|   12.000000 ms  42.9 %      2  6.000000 ms  6.000000 ms  communication  ncclDevKernel_AllReduce_Sum_f32_RING_LL
|
| Operators by what they launched themselves (of 2 events, 16.000000 ms, whose operator is known; total: with the operators within)
|            own    share  events         total  ran  operator
|   16.000000 ms  100.0 %       2  16.000000 ms    2  aten::mm
|   no operator is known of 2 events, 12.000000 ms
|
| Operations of matrix products, convolutions and attention, by shapes (time: of what they launched)
|   ran       operations          time          achieved  of the peak  moved  at best by  type  operator  shapes
|     2  0.0001342 TFLOP  16.000000 ms  0.008389 TFLOP/s            -      -  -           -     all
|     2  0.0001342 TFLOP  16.000000 ms  0.008389 TFLOP/s            -      -  -           -     aten::mm  [[1024,512],[512,64]]
|   In all the time that devices worked, 20.000000 ms, these operations are 0.006711 TFLOP/s.
|   no peak is said (Tesla V100-SXM2-32GB): the type of the inputs is not recorded, or has no peak
|
| A step, by what it launched (2 steps from step 1 on)
|   category           mean  deviation        least         most  events
|   gemm           8.000 ms   0.000 ms  8.000000 ms  8.000000 ms     1.0
|   communication  6.000 ms   0.000 ms  6.000000 ms  6.000000 ms     1.0
|
| Critical path of the whole recording: 20.500000 ms, most of it communication
|   part                 what                               time   share  stretches      longest
|   communication        all_reduce                 12.000000 ms  58.5 %          2  6.000000 ms
|   launch latency       from a call to its work     4.300000 ms  21.0 %          1  4.300000 ms
|   gaps of queued work  queued on a stream          4.000000 ms  19.5 %          1  4.000000 ms
|   the host             host, nothing recorded      0.150000 ms   0.7 %          2  0.100000 ms
|   the host             operators, their own time   0.045000 ms   0.2 %          2  0.035000 ms
|   the host             calls that launch           0.005000 ms   0.0 %          1  0.005000 ms
|   longest stretches  what                     name
|         6.000000 ms  all_reduce               ncclDevKernel_AllReduce_Sum_f32_RING_LL
|         6.000000 ms  all_reduce               ncclDevKernel_AllReduce_Sum_f32_RING_LL
|         4.300000 ms  from a call to its work  ncclDevKernel_AllReduce_Sum_f32_RING_LL
|         4.000000 ms  queued on a stream       ncclDevKernel_AllReduce_Sum_f32_RING_LL
|         0.100000 ms  host, nothing recorded   ProfilerStep#1
|   if this took no time               path        saved
|   communication              20.000000 ms  0.500000 ms  2.4 %
|   launch latency             20.000000 ms  0.500000 ms  2.4 %
|   gaps of queued work        20.000000 ms  0.500000 ms  2.4 %
|   the host                   20.300000 ms  0.200000 ms  1.0 %
|   host, nothing recorded     20.350000 ms  0.150000 ms  0.7 %
|   operators, their own time  20.455000 ms  0.045000 ms  0.2 %
|   calls that launch          20.495000 ms  0.005000 ms  0.0 %
|
| Launch delay (from the end of a call to the begin of what it launched; short: less than the call took)
|   device  stream  calls        least       median         95 %      longest  below 0  over 100 us  calls over 50 us  short kernels
|   0       all         4  0.385000 ms  0.385000 ms  4.295000 ms  4.295000 ms        0            4                 0              0
|   0       7           2  0.385000 ms  0.385000 ms  0.385000 ms  0.385000 ms        0            2                 0              0
|   0       20          2  4.295000 ms  4.295000 ms  4.295000 ms  4.295000 ms        0            2                 0              0
|
| Queue (launched and not begun; outstanding: not ended; means and shares are of the time from the first launch to the last end)
|   device  stream  queued  most    none  1,024 and more  outstanding  most   none
|   0       all       0.46     2  56.9 %           never         1.83     3  0.0 %
|   0       7         0.04     1  95.8 %           never         0.91     1  8.8 %
|   0       20        0.42     1  57.6 %           never         1.01     2  0.0 %
|
| The host (what the thread of the step did, by the innermost span; the parts add up to the wall time)
|   step           wall  data loading  waits        calls    operators  backward  Python  nothing recorded
|   1      10.000000 ms                       0.010000 ms  0.045000 ms                         9.945000 ms
|   2      10.000000 ms                       0.010000 ms  0.045000 ms                         9.945000 ms
|   whole  20.000000 ms                       0.020000 ms  0.090000 ms                        19.890000 ms
|
| Operators by self time (what nothing within them covers), on each kind of thread
|          self  of the wall        total  count      longest  thread  name
|   0.090000 ms        0.5 %  0.100000 ms      2  0.050000 ms  main    aten::mm
! tscope: ./traced/cut.json: skipped: trace_cut: byte 3129: the file ends too early; what stands before is read
# Without a device.
$ tscope analyze ./traced/cpu.json
| trace     ./traced/cpu.json
| of        the trace says neither rank nor device
| has       12 events: 6 operators, 0 Python functions, 6 annotations, 0 runtime calls; 0 kernels, 0
|           copies, 0 fills; 0 flows, 0 allocations, 0 counters
| over      all of the trace; only the critical path and means over its 6 steps leave out the first,
|           as warm-up (--warmup N leaves the first N out of every figure)
| The trace has no events of devices, so there is nothing to say of their time.
|
| The host (what the thread of the step did, by the innermost span; the parts add up to the wall time)
|   step           wall  data loading  waits  calls    operators  backward  Python  nothing recorded
|   1      10.000000 ms                              0.050000 ms                         9.950000 ms
|   2      10.000000 ms                              0.050000 ms                         9.950000 ms
|   3      10.000000 ms                              0.050000 ms                         9.950000 ms
|   4      10.000000 ms                              0.050000 ms                         9.950000 ms
|   5      10.000000 ms                              0.050000 ms                         9.950000 ms
|   6      10.000000 ms                              0.050000 ms                         9.950000 ms
|   whole  60.000000 ms                              0.300000 ms                        59.700000 ms
|
| Operators by self time (what nothing within them covers), on each kind of thread
|          self  of the wall        total  count      longest  thread  name
|   0.300000 ms        0.5 %  0.300000 ms      6  0.050000 ms  main    aten::mm
# A number that is none, with its byte.
$ tscope analyze ./traced/bad.json
! tscope: ./traced/bad.json: byte 174: expected ':'
[2]
# Options of runs.
$ tscope analyze --rows ./traced/trace.json
! tscope: analyze: --rows is for runs, and ./traced/trace.json is a profiler's trace
[2]
# The critical path of a step, and where a copy with it does not go.
$ tscope analyze --step 9 ./traced/trace.json
! tscope: the critical path: the trace has no step 9; it has 6
[2]
$ tscope analyze --overlay ./traced/cpu.json ./traced/trace.json
! tscope: --overlay: ./traced/cpu.json exists already, and analyze does not overwrite files
[2]
# A name that no run has is told before an option that no run takes.
$ tscope analyze --step 1 --overlay copy.json missing
! tscope: nothing is named default/missing; there is no store at TMP/store, which TSCOPE_STORE names
[2]
# Two traces: the products of one take 0.6 ms longer a step, up to 0.04 ms more or less, and everything else is the same.
$ tscope diff ./traced/demo.json.gz ./traced/slower.json
| A step takes 608.0 us longer in B (6.1 %): 608.0 us more of gemm (volta_sgemm_128x64_nt replaced by cutlass_80_simt_sgemm_128x64_8x5_nt_align1 under aten::mm).
| A         ./traced/demo.json.gz, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| B         ./traced/slower.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| times     means over steps, which end when the last event of a device that they launched does
|
| Step
|              A             B    difference    of A                 95 %          name
|   10.000000 ms  10.608000 ms  +0.608000 ms  +6.1 %  +0.538 to +0.678 ms  longer  step
|   10.000000 ms  10.600000 ms  +0.600000 ms  +6.0 %  +0.599 to +0.601 ms  longer  step on the host
|   The 95 % interval is from how steps vary within each recording. Two recordings of the same program can differ by more.
|
| Where a step's time on the devices goes (the parts add up to it): 1 of 3 differs
|             A            B    difference    of A                 95 %          name
|   8.000000 ms  8.608000 ms  +0.608000 ms  +7.6 %  +0.541 to +0.675 ms  longer  gemm
|   the longest gemm: 8.000000 ms in A, at 1010000000 ns of its clock; 8.640000 ms in B, at 1053000000 ns of its clock
|
| Device time by category (sums: what ran at once counts twice): 1 of 2 differs
|             A            B    difference    of A                 95 %  count A  count B          name
|   8.000000 ms  8.608000 ms  +0.608000 ms  +7.6 %  +0.562 to +0.654 ms        1        1  longer  gemm
|   the longest gemm: 8.000000 ms in A, at 1010000000 ns of its clock; 8.640000 ms in B, at 1053000000 ns of its clock
|
| Kernels, copies and fills by name without arguments (sums): 2 of 3 differ
|             A            B    difference      of A                 95 %  count A  count B                                                                         name
|   0.000000 ms  8.608000 ms  +8.608000 ms       new  +8.562 to +8.654 ms        0        1  only in B                                                              cutlass_80_simt_sgemm_128x64_8x5_nt_align1
|   8.000000 ms  0.000000 ms  -8.000000 ms  -100.0 %  -8.001 to -7.999 ms        1        0  replaced by cutlass_80_simt_sgemm_128x64_8x5_nt_align1 under aten::mm  volta_sgemm_128x64_nt
|   the longest cutlass_80_simt_sgemm_128x64_8x5_nt_align1: 8.640000 ms in B, at 1053000000 ns of its clock
|   the longest volta_sgemm_128x64_nt: 8.000000 ms in A, at 1010000000 ns of its clock
|
| Device time by the operator that launched it (sums): 1 of 2 differs
|             A            B    difference    of A                 95 %  count A  count B          name
|   8.000000 ms  8.608000 ms  +0.608000 ms  +7.6 %  +0.562 to +0.654 ms        1        1  longer  aten::mm
|   the longest aten::mm: 8.000000 ms in A, at 1010000000 ns of its clock; 8.640000 ms in B, at 1053000000 ns of its clock
[1]
# The same trace twice, and the same without a device.
$ tscope diff ./traced/trace.json ./traced/demo.json.gz
| A step takes 10.0 ms in A and 10.0 ms in B, which do not differ by more than their noise over steps (95 % interval of the difference: -0.0 % to 0.0 %).
| A         ./traced/trace.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| B         ./traced/demo.json.gz, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| times     means over steps, which end when the last event of a device that they launched does
|
| Step
|              A             B    difference    of A                 95 %                 name
|   10.000000 ms  10.000000 ms  +0.000000 ms  +0.0 %  -0.001 to +0.001 ms  not different  step
|   10.000000 ms  10.000000 ms  +0.000000 ms  +0.0 %  -0.001 to +0.001 ms  not different  step on the host
|   The 95 % interval is from how steps vary within each recording. Two recordings of the same program can differ by more.
$ tscope diff --all ./traced/cpu.json ./traced/cpu.json
| A step takes 10.0 ms in A and 10.0 ms in B, which do not differ by more than their noise over steps (95 % interval of the difference: -0.0 % to 0.0 %).
| A         ./traced/cpu.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| B         ./traced/cpu.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| times     means over steps, on the host: not both traces have work of a device
|
| Step
|              A             B    difference    of A                 95 %                 name
|   10.000000 ms  10.000000 ms  +0.000000 ms  +0.0 %  -0.001 to +0.001 ms  not different  step
|   The 95 % interval is from how steps vary within each recording. Two recordings of the same program can differ by more, on a busy host by much more.
|
| Where a step's time on the host goes (the parts add up to it): 0 of 2 differ
|             A            B    difference    of A                 95 %                 name
|   0.050000 ms  0.050000 ms  +0.000000 ms  +0.0 %  -0.001 to +0.001 ms  not different  aten::mm
|   9.950000 ms  9.950000 ms  +0.000000 ms  +0.0 %  -0.001 to +0.001 ms  not different  nothing recorded
|
| Operators by self time on the host, all threads: 0 of 1 differ
|             A            B    difference    of A                 95 %  count A  count B                 name
|   0.050000 ms  0.050000 ms  +0.000000 ms  +0.0 %  -0.001 to +0.001 ms        1        1  not different  aten::mm
# Two steps of one side, of which none is left out; a trace that is cut.
$ tscope diff ./traced/cut.json ./traced/demo.json.gz
| The file of A ends too early, so that events of any step may be missing, and what differs may be only that. Of what is there: A step takes 10.3 ms in A and 10.0 ms in B, which do not differ by more than their noise over steps (95 % interval of the difference: -40.4 % to 35.5 %).
| A         ./traced/cut.json, 2 steps, 1 to 2
| B         ./traced/demo.json.gz, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| times     means over steps, which end when the last event of a device that they launched does
|
| Step
|              A             B    difference    of A                 95 %                 name
|   10.250000 ms  10.000000 ms  -0.250000 ms  -2.4 %  -4.140 to +3.640 ms  not different  step
|   10.000000 ms  10.000000 ms  +0.000000 ms  +0.0 %  -0.002 to +0.002 ms  not different  step on the host
|   The 95 % interval is from how steps vary within each recording. Two recordings of the same program can differ by more.
! tscope: ./traced/cut.json: skipped: trace_cut: byte 3129: the file ends too early; what stands before is read
[3]
$ tscope diff --first ./traced/trace.json ./traced/slower.json
! tscope: diff: --first works with two runs, and these are traces
[2]
$ tscope diff ./traced/trace.json base
! tscope: diff: ./traced/trace.json is a profiler's trace, and base is none; give two of a kind
[2]
# Two runs that have traces: behind what is said of their steps, and alone where there are none.
$ cp -r runs/base with; cp -r runs/rerun slow; cp traced/trace.json with; cp traced/slower.json slow/trace.json; tscope diff ./with ./slow
| Both runs computed the same, bit for bit: 2 series of the trajectory agree over 8 steps
| cause: no difference found; confidence: low
|   a  ./with  3383282dd299  8 steps (0 to 7)  1 rank
|   b  ./slow  8742f3e135f1  8 steps (0 to 7)  1 rank
|
| EQUIVALENT?
|   bit-exact    yes: every loss, learning rate, gradient norm and digest that both runs have is equal
|                over 8 common steps
|   numerical    yes: the runs are bit-exact
|   statistical  yes: the runs are bit-exact
|
| OUTCOMES
|                          a       b     b - a
|   loss, last tenth    0.25    0.25  the same
|   loss, best          0.25    0.25  the same
|   peak memory        8 MiB   8 MiB  the same
|   steps                  8       8  the same
|   wall time         1.75 s  1.75 s  the same
|
| SERIES  7 series are the same
|
| FACTS THAT DIFFER  2 in session
|   session.name     base          ->  rerun
|   session.started  1700000000.0  ->  1700001000.0
|
| EVIDENCE
|   for          the runs agree bit for bit over 8 common steps: loss (float64), lr (float64)
|   against      the two runs have only 8 common steps
|
| TRACES  trace.json of A against trace.json of B, the job
|   A step takes 608.0 us longer in B (6.1 %): 608.0 us more of gemm (volta_sgemm_128x64_nt replaced by cutlass_80_simt_sgemm_128x64_8x5_nt_align1 under aten::mm).
$ mkdir bare1 bare2; cp traced/trace.json bare1; cp traced/slower.json bare2/other.pt.trace.json; tscope push bare1 bare2; tscope diff bare1 bare2
| name           id            steps      sent       new  outcome
| default/bare1  94b50961d8f6      0 SIZE SIZE  created
| default/bare2  549976e73602      0 SIZE SIZE  created
| 2 runs: 2 created
| A step takes 608.0 us longer in B (6.1 %): 608.0 us more of gemm (volta_sgemm_128x64_nt replaced by cutlass_80_simt_sgemm_128x64_8x5_nt_align1 under aten::mm).
| A         trace.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| B         other.pt.trace.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| times     means over steps, which end when the last event of a device that they launched does
|
| Step
|              A             B    difference    of A                 95 %          name
|   10.000000 ms  10.608000 ms  +0.608000 ms  +6.1 %  +0.538 to +0.678 ms  longer  step
|   10.000000 ms  10.600000 ms  +0.600000 ms  +6.0 %  +0.599 to +0.601 ms  longer  step on the host
|   The 95 % interval is from how steps vary within each recording. Two recordings of the same program can differ by more.
|
| Where a step's time on the devices goes (the parts add up to it): 1 of 3 differs
|             A            B    difference    of A                 95 %          name
|   8.000000 ms  8.608000 ms  +0.608000 ms  +7.6 %  +0.541 to +0.675 ms  longer  gemm
|   the longest gemm: 8.000000 ms in A, at 1010000000 ns of its clock; 8.640000 ms in B, at 1053000000 ns of its clock
|
| Device time by category (sums: what ran at once counts twice): 1 of 2 differs
|             A            B    difference    of A                 95 %  count A  count B          name
|   8.000000 ms  8.608000 ms  +0.608000 ms  +7.6 %  +0.562 to +0.654 ms        1        1  longer  gemm
|   the longest gemm: 8.000000 ms in A, at 1010000000 ns of its clock; 8.640000 ms in B, at 1053000000 ns of its clock
|
| Kernels, copies and fills by name without arguments (sums): 2 of 3 differ
|             A            B    difference      of A                 95 %  count A  count B                                                                         name
|   0.000000 ms  8.608000 ms  +8.608000 ms       new  +8.562 to +8.654 ms        0        1  only in B                                                              cutlass_80_simt_sgemm_128x64_8x5_nt_align1
|   8.000000 ms  0.000000 ms  -8.000000 ms  -100.0 %  -8.001 to -7.999 ms        1        0  replaced by cutlass_80_simt_sgemm_128x64_8x5_nt_align1 under aten::mm  volta_sgemm_128x64_nt
|   the longest cutlass_80_simt_sgemm_128x64_8x5_nt_align1: 8.640000 ms in B, at 1053000000 ns of its clock
|   the longest volta_sgemm_128x64_nt: 8.000000 ms in A, at 1010000000 ns of its clock
|
| Device time by the operator that launched it (sums): 1 of 2 differs
|             A            B    difference    of A                 95 %  count A  count B          name
|   8.000000 ms  8.608000 ms  +0.608000 ms  +7.6 %  +0.562 to +0.654 ms        1        1  longer  aten::mm
|   the longest aten::mm: 8.000000 ms in A, at 1010000000 ns of its clock; 8.640000 ms in B, at 1053000000 ns of its clock
[1]
$ tscope diff ./with bare1
| The two runs do not have the same ranks: only the first run has rank 0, only the second run has rank 1; no rank is in both runs; 7 recorded facts differ: code.commit and 6 more
| cause: too little in common to compare; confidence: none
|   The two runs do not have the same ranks: only the first run has rank 0, only the second run has
|     rank 1; no rank is in both runs; 7 recorded facts differ: code.commit and 6 more
|   a  ./with  3383282dd299  8 steps (0 to 7)  1 rank
|   b  bare1   94b50961d8f6  0 steps (none)    1 rank
|
| EQUIVALENT?
|   bit-exact    not known: the two runs have no common step
|   numerical    not known: there is nothing to compare
|   statistical  not known: one run on each side does not show how much runs vary by chance: repeat
|                the first run twice, then use tscope diff 3383282dd299 94b50961d8f6 --repeats GLOB
|
| OUTCOMES
|                          a          b         b - a
|   loss, last tenth    0.25  not known  not compared
|   loss, best          0.25  not known  not compared
|   peak memory        8 MiB  not known  not compared
|   steps                  8          0            -8
|   wall time         1.75 s  not known  not compared
|   loss, last tenth of b: the run has no column scalars.loss
|   peak memory of b: the run has no column memory.peak_alloc or memory.alloc
|   wall time of b: no step of the run has a timestamp or phases
|
| SERIES  no series is the same
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
|   parallelism.world_size  1                                         ->  2
|   session.n_steps         8                                         ->  not recorded
|   session.name            base                                      ->  not recorded
|   session.started         1700000000.0                              ->  not recorded
|   session.wall_time       2.0                                       ->  not recorded
|
| ONLY ON ONE SIDE
|   only a       rank 0
|   only b       rank 1
|
| TRACES  trace.json of A against trace.json of B, the job
|   A step takes 10.0 ms in A and 10.0 ms in B, which do not differ by more than their noise over steps (95 % interval of the difference: -0.0 % to 0.0 %).
[3]
# The gate says why a step is slower by the traces of a baseline and the candidate.
$ for i in 1 2 3 4 5 6; do python3 runs/gate.py m$i time=0.100$i commit=0$i session=h$i started=170000${i}000; done; cp traced/trace.json m6; python3 runs/gate.py bad time=0.15 commit=c1 session=x started=1700020000; cp traced/slower.json bad/trace.json; tscope push -q --branch main m1 m2 m3 m4 m5 m6 | tail -1; tscope push -q bad | tail -1; tscope gate bad --baseline main | grep -A3 'became slower'
| 6 runs: 6 created
| outcome   created
| Where the step became slower
|   by their traces (A: the baseline): A step takes 608.0 us longer in B (6.1 %): 608.0 us more of gemm (volta_sgemm_128x64_nt replaced by cutlass_80_simt_sgemm_128x64_8x5_nt_align1 under aten::mm).
|   work of all ranks: 150.0 ms, baseline 100.4 ms; 100 % of the difference
|   mean work of all ranks: 150.0 ms, baseline 100.4 ms; 100 % of the difference
# In the store: two ranks with steps, a folder of traces alone, and what cannot be read.
$ mkdir -p stored/rank0 stored/rank1 stored/rank1/trace && cp runs/base/rank0/steps.jsonl stored/rank0 2>/dev/null || cp runs/base/steps.jsonl stored/rank0; cp stored/rank0/steps.jsonl stored/rank1; cp traced/demo.json.gz stored/rank0/trace.json.gz; cp traced/trace.json stored/rank1/trace/; cp traced/trace.json stored/of_no_rank.pt.trace.json; cp traced/bad.json stored/rank0/kineto.json; echo x >stored/notes.txt
$ tscope push stored
| name      default/stored
| id        d12e812770e2e5d65a9d3c5396738f916ebbc3b18a01d085fe6779299d51bc5c
| format    pytscope run directory
| steps     8 steps (0 to 7), 2 ranks
| sent SIZE (15 objects)
| new SIZE
| outcome   created
! tscope: stored/rank0/kineto.json: skipped: trace_not_read: byte 174: expected ':'
! tscope: stored: unread: notes.txt
$ tscope push stored
| name      default/stored
| id        d12e812770e2e5d65a9d3c5396738f916ebbc3b18a01d085fe6779299d51bc5c
| format    pytscope run directory
| steps     8 steps (0 to 7), 2 ranks
| sent      0 B (0 objects)
| new       0 B
| outcome   unchanged
! tscope: stored/rank0/kineto.json: skipped: trace_not_read: byte 174: expected ':'
! tscope: stored: unread: notes.txt
$ tscope analyze stored --trace trace.json | head -8
| trace     trace.json
| of        rank 1 of 2, nccl, on Tesla V100-SXM2-32GB
| has       38 events: 6 operators, 0 Python functions, 6 annotations, 13 runtime calls; 12 kernels, 1
|           copy, 0 fills; 0 flows, 0 allocations, 0 counters
| over      all of the trace; only the critical path and means over its 6 steps leave out the first,
|           as warm-up (--warmup N leaves the first N out of every figure)
|
| What to try first (and the time of the devices that it would save at most)
$ tscope analyze stored --trace of_no_rank.pt.trace.json | head -3
| trace     of_no_rank.pt.trace.json
| of        rank 1 of 2, nccl, on Tesla V100-SXM2-32GB
| has       38 events: 6 operators, 0 Python functions, 6 annotations, 13 runtime calls; 12 kernels, 1
$ tscope analyze stored --trace other.json
! tscope: analyze: the run has no trace other.json that could be read; it has trace.json.gz (rank 0), of_no_rank.pt.trace.json (rank 1), trace.json (rank 1)
[2]
$ tscope analyze stored --trace trace.json --warmup 1 | head -12
| trace     trace.json
| of        rank 1 of 2, nccl, on Tesla V100-SXM2-32GB
| has       38 events, and after the warm-up: 5 operators, 0 Python functions, 5 annotations, 11
|           runtime calls; 10 kernels, 1 copy, 0 fills; 0 flows, 0 allocations, 0 counters
| over      the last 5 steps of 6, from step 2 on. Left out of every figure as warm-up: the first
|           step, 2 events of devices that were launched before step 2 began, and what the host began
|           before
|
| What to try first (and the time of the devices that it would save at most)
|   1. Communication is exposed: up to 10.000000 ms of 53.000000 ms. With DDP change the bucket size, and switch off the search for unused parameters where it is on; with FSDP prefetch shards (backward_prefetch, forward_prefetch); keep the ranks of tensor parallelism within a host, or start communication earlier.
|
| Findings (tscope explain CODE has the rule)
$ tscope analyze stored | tail -5
|   rank 1 has 2 traces, of which trace.json, the last by name, counts
|
| The run also has traces: trace.json.gz (rank 0), of_no_rank.pt.trace.json (rank 1), trace.json (rank 1); tscope analyze stored --trace NAME shows what one says.
|
| 1 file of the run was not read when it was pushed: kineto.json (rank 0); its folder, pushed again, says why, and tscope export stored writes it back.
$ tscope analyze stored | sed -n '5,17p'
|   input         █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░    4.0 %
|   compute       ███████████████████████░░░░░░░   77.0 %
|   communication ██████░░░░░░░░░░░░░░░░░░░░░░░░   19.0 %
|   wait                                          unknown
|   host          ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░    0.0 %
|
| ● FINDINGS  1 high, 29 of 60 rules unchecked
|   HIGH    Communication is exposed (DIST.EXPOSED_COMM)
|           Communication that overlaps with no computation takes 19 % of the devices' time, 12.0 ms
|           of 63.0 ms; 67 % of the communication is overlapped; how much of that is waiting for other
|           ranks, traces of all ranks in one folder would tell. These are the numbers of rank 0; all
|           2 ranks show this.
|           try: With DDP change the bucket size, and switch off the search for unused parameters
$ tscope analyze stored --rank 1 --fail-on high | sed -n '/NOTES/,$p'
| NOTES
|   the findings on timing, memory and convergence are about rank 1 alone; without --rank they are
|     about all ranks
|   rank 1 has 2 traces, of which trace.json, the last by name, counts
|
| The run also has traces: trace.json.gz (rank 0), of_no_rank.pt.trace.json (rank 1), trace.json (rank 1); tscope analyze stored --trace NAME shows what one says.
|
| 1 file of the run was not read when it was pushed: kineto.json (rank 0); its folder, pushed again, says why, and tscope export stored writes it back.
$ tscope analyze stored --rows | grep -E '^ *(exposed_communication|idle_host|communication  overlapped) '
|   exposed_communication     12.0 ms   19.0 %
|   idle_host                 1.50 ms    2.4 %
|   communication  overlapped 66.7 %
# A trace of a rank that the run does not have counts nowhere, which is said.
$ mkdir alone && cp runs/base/rank0/steps.jsonl alone 2>/dev/null || cp runs/base/steps.jsonl alone; cp traced/trace.json alone/; tscope push -q alone | tail -1; tscope analyze alone | sed -n '/NOTES/,$p'; tscope analyze alone --rows | grep -c exposed_communication
| outcome   created
| NOTES
|   the trace trace.json says that it is of rank 1, of which the run has no steps; so its figures do
|     not count here, and --trace trace.json shows them
|
| The run also has a trace: trace.json (the job); tscope analyze alone --trace NAME shows what it says.
| 0
[1]
$ tscope export stored back && cmp back/rank0/trace.json.gz stored/rank0/trace.json.gz && cmp back/rank0/kineto.json stored/rank0/kineto.json && cmp back/rank1/trace.json stored/rank1/trace/trace.json && ls back back/rank0 back/rank1
| back:
| rank0
| rank1
|
| back/rank0:
| kineto.json
| steps.jsonl
| trace.json.gz
|
| back/rank1:
| of_no_rank.pt.trace.json
| steps.jsonl
| trace.json
! tscope: wrote d12e812770e2 as a run directory to back
$ tscope push -q --name again back | head -2
| name      default/again
| id        d12e812770e2e5d65a9d3c5396738f916ebbc3b18a01d085fe6779299d51bc5c
$ mkdir cycles && cp traced/trace.json cycles/trace.json && cp traced/demo.json.gz cycles/trace-40.json.gz && tscope push cycles
| name      default/cycles
| id        c3a767d8772a782b42c2bc3f6e4d964131d2b502a59a175bc23f0fa4683498b3
| format    PyTorch profiler trace
| steps     0 steps, 1 rank
| sent SIZE (2 objects)
| new SIZE
| outcome   created
$ tscope analyze cycles
| trace             rank  says rank  of  events  left out      size
| trace-40.json.gz  1             1   2      38         0     958 B
| trace.json        1             1   2      38         0  9.21 KiB
|
| The run has traces and no steps: tscope analyze cycles --trace NAME shows what one says.
$ rm cycles/trace-40.json.gz && tscope analyze ./cycles | head -3
| trace     trace.json
| of        rank 1 of 2, nccl, on Tesla V100-SXM2-32GB
| has       38 events: 6 operators, 0 Python functions, 6 annotations, 13 runtime calls; 12 kernels, 1
# Tables of other tools are gone, and what shows the same is said, whatever else was asked.
$ tscope analyze ./traced/trace.json --as kempner; tscope analyze base --trace trace.json --as=axolotl --warmup 1; tscope diff --as axolotl ./traced/trace.json ./traced/cut.json; tscope analyze --as else ./traced/trace.json
! tscope: analyze: --as kempner is gone: tscope analyze of a trace shows these tables without it, with the right numbers (docs/peers.md)
! tscope: analyze: --as axolotl is gone: tscope analyze of a trace or a memory snapshot, and tscope diff of two, show these tables without it, with the right numbers (docs/peers.md)
! tscope: diff: --as axolotl is gone: tscope analyze of a trace or a memory snapshot, and tscope diff of two, show these tables without it, with the right numbers (docs/peers.md)
! tscope: analyze: unknown option --as; did you mean --at?
[2]
# What operators allocated, by the profiler's own record: 1000 and 24 within mm, 500 between operators, and a free; at most 9000 were allocated, with what was there before.
$ printf '{"traceEvents":[%s\n%s\n%s\n%s\n%s]}' '{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":20},' '{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":11,"args":{"Bytes":1000,"Total Allocated":8476,"Device Type":1,"Device Id":0}},' '{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":12,"args":{"Bytes":24,"Total Allocated":8500,"Device Type":1,"Device Id":0}},' '{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":40,"args":{"Bytes":500,"Total Allocated":9000,"Device Type":1,"Device Id":0}},' '{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":50,"args":{"Bytes":-1000,"Total Allocated":8000,"Device Type":1,"Device Id":0}}' > allocated.json; tscope analyze ./allocated.json | sed -n '/^Memory/,/^$/p'
| Memory of device 0 by operator, of the profiler's own record; at most 8.79 KiB was allocated at once
|   allocated  times   freed  operator
|    1.49 KiB      3  1000 B  all
|       1 KiB      2     0 B  aten::mm
|       500 B      1  1000 B  none
|
# Findings of a trace set the exit code, and a policy moves their limits.
$ tscope analyze --fail-on high ./traced/trace.json > /dev/null
[1]
$ printf 'DIST.EXPOSED_COMM.high_share = 0.2\nTRACE.COPIES.min_share = 0.01\n' > trace.policy; tscope analyze --fail-on high --policy trace.policy ./traced/trace.json | sed -n '6,16p'
|           as warm-up (--warmup N leaves the first N out of every figure)
|
| What to try first (and the time of the devices that it would save at most)
|   1. Communication is exposed: up to 12.000000 ms of 63.000000 ms. With DDP change the bucket size, and switch off the search for unused parameters where it is on; with FSDP prefetch shards (backward_prefetch, forward_prefetch); keep the ranks of tensor parallelism within a host, or start communication earlier.
|   2. Copies are exposed: up to 1.000000 ms of 63.000000 ms. Copies whose memory is pinned already take most of this time: begin them earlier and on a stream of their own, such as those of the next batch, and keep on the device what is read back and forth.
|
| Findings (tscope explain CODE has the rule)
|   medium: DIST.EXPOSED_COMM: Communication that overlaps with no computation takes 19 % of the devices' time, 12.0 ms of 63.0 ms; 67 % of the communication is overlapped; how much of that is waiting for other ranks, traces of all ranks in one folder would tell.
|   medium: TRACE.COPIES: Copies that overlap with no other work take 1.6 % of the devices' time, 1.00 ms.
|   not checked: TRACE.HOST_BOUND, TRACE.SYNC, TRACE.LAUNCH_BOUND, TRACE.LOADER: the trace has only 13 events of devices, and the rule needs 50
|
# A path at which nothing is: that is said before a server is asked, and before it is taken for a file of another kind.
$ export TSCOPE_SERVER=unix:stopped; for what in trace.json.gz snapshot.pickle folder/ run.db#part; do tscope analyze ./nothing/$what; echo $?; done
| 2
| 2
| 2
| 2
! tscope: ./nothing/trace.json.gz: no such file or directory
! tscope: ./nothing/snapshot.pickle: no such file or directory
! tscope: ./nothing/folder/: no such file or directory
! tscope: ./nothing/run.db#part: no such file or directory
$ export TSCOPE_SERVER=unix:stopped; for verb in show facts export push gate check-resume 'plot loss' 'show --at end' 'analyze --trace NAME' 'analyze --snapshot NAME'; do tscope $verb ../nothing 2>&1; done
| tscope: ../nothing: no such file or directory
| tscope: ../nothing: no such file or directory
| tscope: ../nothing: no such file or directory
| tscope: ../nothing: no such file or directory
| tscope: ../nothing: no such file or directory
| tscope: ../nothing: no such file or directory
| tscope: ../nothing: no such file or directory
| tscope: ../nothing: no such file or directory
| tscope: ../nothing: no such file or directory
| tscope: ../nothing: no such file or directory
[2]
$ export TSCOPE_SERVER=unix:stopped; for words in './traced/trace.json ./nothing' './nothing ./memory/oom.pickle' 'base ./nothing' './nothing base' 'base rerun ./nothing' 'base rerun --rounding ./nothing' 'base rerun --repeats ./nothing'; do tscope diff $words 2>&1; done
| tscope: ./nothing: no such file or directory
| tscope: ./nothing: no such file or directory
| tscope: ./nothing: no such file or directory
| tscope: ./nothing: no such file or directory
| tscope: ./nothing: no such file or directory
| tscope: ./nothing: no such file or directory
| tscope: ./nothing: no such file or directory
[2]
$ tscope gate rerun --baseline /nothing; tscope analyze ./nothing --json 2> /dev/null
| {
|   "error": {
|     "status": "not_found",
|     "message": "./nothing: no such file or directory"
|   }
| }
! tscope: /nothing: no such file or directory
[2]
# What is there and is no run says so as before, and a glob of paths is no path.
$ tscope analyze ./runs/gate.py; tscope plot loss './nothing*'; tscope export stored ./nowhere | head -1
! tscope: ./runs/gate.py: no run in it: no run directory, no profiler's trace, no memory snapshot, and no log of another tool that is known
! tscope: RUN: no directory matches ./nothing*
! tscope: wrote d12e812770e2 as a run directory to ./nowhere
# Warm-up, by steps: six steps, of which the first two go; each launches a GEMM of 8 ms and an all-reduce of 6 ms, 2 ms of which are exposed.
$ tscope analyze ./traced/trace.json --warmup 2 | sed -n '1,/^Communication/p'
| trace     ./traced/trace.json
| of        rank 1 of 2, nccl, on Tesla V100-SXM2-32GB
| has       38 events, and after the warm-up: 4 operators, 0 Python functions, 4 annotations, 9
|           runtime calls; 8 kernels, 1 copy, 0 fills; 0 flows, 0 allocations, 0 counters
| over      the last 4 steps of 6, from step 3 on. Left out of every figure as warm-up: the first 2
|           steps, 4 events of devices that were launched before step 3 began, and what the host began
|           before
|
| What to try first (and the time of the devices that it would save at most)
|   1. Communication is exposed: up to 8.000000 ms of 43.000000 ms. With DDP change the bucket size, and switch off the search for unused parameters where it is on; with FSDP prefetch shards (backward_prefetch, forward_prefetch); keep the ranks of tensor parallelism within a host, or start communication earlier.
|
| Findings (tscope explain CODE has the rule)
|   high: DIST.EXPOSED_COMM: Communication that overlaps with no computation takes 19 % of the devices' time, 8.00 ms of 43.0 ms; 67 % of the communication is overlapped; how much of that is waiting for other ranks, traces of all ranks in one folder would tell.
|   not checked: TRACE.HOST_BOUND, TRACE.SYNC, TRACE.LAUNCH_BOUND, TRACE.LOADER: the trace has only 9 events of devices, and the rule needs 50
|
| All devices (a time is the length of a union: what ran at once counts once)
|                          time  of the span  events
|   span           43.000000 ms      100.0 %       9
|   busy           41.000000 ms       95.3 %
|   idle            2.000000 ms        4.7 %
|   computation    32.000000 ms       74.4 %       4
|   communication  24.000000 ms       55.8 %       4
|     overlapped   16.000000 ms       37.2 %
|     exposed       8.000000 ms       18.6 %
|   copies          1.000000 ms        2.3 %       1
|     exposed       1.000000 ms        2.3 %
|
| Communication
$ tscope analyze ./traced/trace.json --warmup 2 | grep -A 8 -E '^(Steps|A step)'
| Steps (what the calls of each launched, whenever it ran)
|   step   on the host  events          span          busy  computation  communication      exposed       copies
|   3     10.000000 ms       2  10.000000 ms  10.000000 ms  8.000000 ms    6.000000 ms  2.000000 ms  0.000000 ms
|   4     10.000000 ms       2  10.000000 ms  10.000000 ms  8.000000 ms    6.000000 ms  2.000000 ms  0.000000 ms
|   5     10.000000 ms       2  10.000000 ms  10.000000 ms  8.000000 ms    6.000000 ms  2.000000 ms  0.000000 ms
|   6     10.000000 ms       2  10.000000 ms  10.000000 ms  8.000000 ms    6.000000 ms  2.000000 ms  0.000000 ms
|   none                     1   1.000000 ms   1.000000 ms  0.000000 ms    0.000000 ms  0.000000 ms  1.000000 ms
|
| Idle by cause (the host had not asked; launching; queued behind other streams; queued; call not in the trace)
| --
| A step, by what it launched (4 steps from step 3 on)
|   category           mean  deviation        least         most  events
|   gemm           8.000 ms   0.000 ms  8.000000 ms  8.000000 ms     1.0
|   communication  6.000 ms   0.000 ms  6.000000 ms  6.000000 ms     1.0
|
| Critical path of steps 3 to 6: 43.000000 ms, most of it communication
|   part                 what                             time   share  stretches      longest
|   communication        all_reduce               18.000000 ms  41.9 %          3  6.000000 ms
|   gaps of queued work  queued on a stream       12.000000 ms  27.9 %          3  4.000000 ms
$ tscope analyze ./traced/trace.json --warmup 0 | grep -E '^(over|A step)'; tscope analyze ./traced/trace.json --warmup 5 | grep -E '^over'; tscope analyze ./traced/cpu.json | grep -A1 '^over'
| over      all of the trace, with all of its 6 steps
| A step, by what it launched (6 steps from step 1 on)
| over      the last 1 step of 6, from step 6 on. Left out of every figure as warm-up: the first 5
| over      all of the trace; only the critical path and means over its 6 steps leave out the first,
|           as warm-up (--warmup N leaves the first N out of every figure)
$ tscope analyze --json --warmup 2 ./traced/trace.json | python3 -c "import json,sys; j=json.load(sys.stdin); print(j['warm_up_step_count'], j['warm_up_event_count'], [s['step'] for s in j['steps']], j['timeline']['event_count'], j['work']['steps']['step_count'], j['work']['steps']['warmup_count'])"
| 2 4 [3, 4, 5, 6] 9 4 0
$ for n in 6 7 -1 x; do tscope analyze ./traced/trace.json --warmup $n; done; tscope analyze ./traced/cpu.json --warmup 9
! tscope: analyze: --warmup 6 leaves no step of ./traced/trace.json, which marks 6 (ProfilerStep); at most 5 can be left out
! tscope: analyze: --warmup 7 leaves no step of ./traced/trace.json, which marks 6 (ProfilerStep); at most 5 can be left out
! tscope: analyze: --warmup must be a whole number from 0 to 9223372036854775807; it is '-1'
! tscope: analyze: --warmup must be a whole number from 0 to 9223372036854775807; it is 'x'
! tscope: analyze: --warmup 9 leaves no step of ./traced/cpu.json, which marks 6 (ProfilerStep); at most 5 can be left out
[2]
$ tscope analyze --warmup 1 ./memory/oom.pickle
! tscope: analyze: --warmup is for runs, traces and folders of traces, and ./memory/oom.pickle is a memory snapshot
[2]
# The critical path is that of the whole trace: what bound a step may be of the one before.
$ for n in 0 1 2 5; do tscope analyze --warmup $n ./traced/trace.json | grep -A3 'ritical path'; done; tscope analyze ./traced/trace.json > said.txt; tscope analyze --warmup 1 ./traced/trace.json | sed -n '/^Critical path/,/^Host/p' > first.txt; sed -n '/^Critical path/,/^Host/p' said.txt | diff - first.txt && echo the same; tscope analyze --warmup 1 --step 1 ./traced/trace.json | grep 'ritical path'
| Critical path of steps 1 to 6: 63.500000 ms, most of it communication
|   part                 what                               time   share  stretches      longest
|   communication        all_reduce                 30.000000 ms  47.2 %          5  6.000000 ms
|   gaps of queued work  queued on a stream         16.000000 ms  25.2 %          4  4.000000 ms
| Critical path of steps 2 to 6: 53.000000 ms, most of it communication
|   part                 what                             time   share  stretches      longest
|   communication        all_reduce               24.000000 ms  45.3 %          4  6.000000 ms
|   gaps of queued work  queued on a stream       16.000000 ms  30.2 %          4  4.000000 ms
| Critical path of steps 3 to 6: 43.000000 ms, most of it communication
|   part                 what                             time   share  stretches      longest
|   communication        all_reduce               18.000000 ms  41.9 %          3  6.000000 ms
|   gaps of queued work  queued on a stream       12.000000 ms  27.9 %          3  4.000000 ms
| Critical path of step 6: 13.000000 ms, most of it the host
|   part            what                             time   share  stretches      longest
|   the host        host, nothing recorded   11.500000 ms  88.5 %          2  9.500000 ms
|   copies          memcpy                    1.000000 ms   7.7 %          1  1.000000 ms
| 27,29c27,29
| <   0       all        13  0.385000 ms  0.495000 ms  4.295000 ms  4.295000 ms        0           13                 0              0
| <   0       7           7  0.385000 ms  0.385000 ms  0.495000 ms  0.495000 ms        0            7                 0              0
| <   0       20          6  4.295000 ms  4.295000 ms  4.295000 ms  4.295000 ms        0            6                 0              0
| ---
| >   0       all        11  0.385000 ms  0.495000 ms  4.295000 ms  4.295000 ms        0           11                 0              0
| >   0       7           6  0.385000 ms  0.385000 ms  0.495000 ms  0.495000 ms        0            6                 0              0
| >   0       20          5  4.295000 ms  4.295000 ms  4.295000 ms  4.295000 ms        0            5                 0              0
| 33,35c33,35
| <   0       all       0.45     2  57.7 %           never         1.79     3   2.4 %
| <   0       7         0.04     1  95.5 %           never         0.82     1  18.2 %
| <   0       20        0.43     1  57.2 %           never         1.02     2   0.0 %
| ---
| >   0       all       0.45     2  58.0 %           never         1.78     3   2.8 %
| >   0       7         0.05     1  95.4 %           never         0.81     1  18.6 %
| >   0       20        0.43     1  57.3 %           never         1.02     2   0.0 %
| 39d38
| <   1      10.000000 ms                       0.010000 ms  0.045000 ms                         9.945000 ms
| 45c44
| <   whole  62.005000 ms                       0.065000 ms  0.270000 ms                        61.670000 ms
| ---
| >   whole  52.005000 ms                       0.055000 ms  0.225000 ms                        51.725000 ms
| 49c48
| <   0.270000 ms        0.4 %  0.300000 ms      6  0.050000 ms  main    aten::mm
| ---
| >   0.225000 ms        0.4 %  0.250000 ms      5  0.050000 ms  main    aten::mm
| Critical path of step 1: 10.500000 ms, most of it communication
$ tscope diff --warmup 2 ./traced/trace.json ./traced/slower.json | head -10; tscope diff --warmup 0 ./traced/trace.json ./traced/slower.json | grep '^A  '
| A step takes 605.0 us longer in B (6.0 %): 600.0 us more of gemm (volta_sgemm_128x64_nt replaced by cutlass_80_simt_sgemm_128x64_8x5_nt_align1 under aten::mm), and 5.0 us more in all other parts.
| A         ./traced/trace.json, 4 steps, 3 to 6; the first 2 that were recorded are left out as
|           warm-up
| B         ./traced/slower.json, 4 steps, 3 to 6; the first 2 that were recorded are left out as
|           warm-up
| times     means over steps, which end when the last event of a device that they launched does
|
| Step
|              A             B    difference    of A                 95 %          name
|   10.000000 ms  10.605000 ms  +0.605000 ms  +6.0 %  +0.439 to +0.771 ms  longer  step
| A         ./traced/trace.json, 6 steps, 1 to 6
$ tscope diff --warmup 6 ./traced/trace.json ./traced/slower.json; tscope diff --warmup 1 ./memory/oom.pickle ./memory/oom.pickle; tscope diff --warmup 1 ./runs/base ./runs/rerun
! tscope: diff: --warmup 6 leaves no step of ./traced/trace.json, which marks 6 (ProfilerStep); at most 5 can be left out
! tscope: diff: --warmup works with two traces, or two runs that have some, and these are memory snapshots
! tscope: diff: --warmup is for traces, and these runs have none of the same rank
[2]
$ tscope diff --warmup 2 bare1 bare2 | sed -n '2,3p'; tscope diff --warmup 9 bare1 bare2
| A         trace.json, 4 steps, 3 to 6; the first 2 that were recorded are left out as warm-up
| B         other.pt.trace.json, 4 steps, 3 to 6; the first 2 that were recorded are left out as
! tscope: diff: --warmup 9 leaves no step of trace.json, which marks 6 (ProfilerStep); at most 5 can be left out
[2]
$ for c in mtia_ccp_events:25 hpu_op:3 cuda_event:2 x:1; do for i in $(seq ${c#*:}); do echo "{\"ph\":\"X\",\"cat\":\"${c%:*}\",\"name\":\"n\",\"pid\":9,\"tid\":4,\"ts\":$i,\"dur\":1},"; done; done | sed '1s/^/[/; $s/,$/]/' > npu.json; tscope analyze ./npu.json | head -6; tscope analyze --json ./npu.json | sed -n '/"others"/,/\]/p' | head -5
| trace     ./npu.json
| of        the trace says neither rank nor device
| has       31 events: 0 operators, 0 Python functions, 0 annotations, 0 runtime calls; 0 kernels, 0
|           copies, 0 fills; 0 flows, 0 allocations, 0 counters
| others    25 mtia_ccp_events, 3 hpu_op, 2 cuda_event, and others: spans of categories that are not
|           read; they count as no work of a device
|   "others": [
|     {
|       "category": "mtia_ccp_events",
|       "count": 25
|     },
$ echo '[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2}]' > stepless.json; COLUMNS=60 tscope analyze ./stepless.json | sed -n '/^Devices/,/^Idle/p'
| Devices and streams (spans, busy and exposed times are each
| row's own)
|   device  stream  events         span         busy
|       computation  communication      exposed       copies
|   0       all          1  0.002000 ms  0.002000 ms
|       0.002000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|   0       7            1  0.002000 ms  0.002000 ms
|       0.002000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|
| The trace marks no steps, so nothing is said by step.
| --step-name TEXT names annotations that are.
|
| Idle by cause (the host had not asked; launching; queued
# With what a trace was recorded, as its envelope says. Of recordings that are not alike diff says so, and a folder of ranks.
$ said() { sed "s/\"schemaVersion\": 1,/\"schemaVersion\": 1, \"cupti_version\": 28, \"cuda_runtime_version\": 12090, $1,/; s/\"rank\": 1/\"rank\": $2/" traced/trace.json; }; mkdir ranks; said '"cuda_driver_version": 13000, "with_stack": 1, "record_shapes": 1' 0 > ranks/r0.json; said '"cuda_driver_version": 12080, "record_shapes": 1' 1 > ranks/r1.json; tscope analyze ./ranks/r0.json | head -5
| trace     ./ranks/r0.json
| of        rank 0 of 2, nccl, on Tesla V100-SXM2-32GB
| recorded  CUDA runtime 12.9, CUDA driver 13.0, CUPTI 28; with stacks and shapes
| has       38 events: 6 operators, 0 Python functions, 6 annotations, 13 runtime calls; 12 kernels, 1
|           copy, 0 fills; 0 flows, 0 allocations, 0 counters
$ tscope analyze --json ./ranks/r1.json | sed -n '/"recorded"/,/}/p'
|   "recorded": {
|     "cuda_runtime_version": "12.9",
|     "cuda_driver_version": "12.8",
|     "cupti_version": "28",
|     "hip_runtime_version": null,
|     "hip_driver_version": null,
|     "roctracer_version": null,
|     "schema_version": "1",
|     "with_stack": null,
|     "record_shapes": true,
|     "profile_memory": null,
|     "with_flops": null,
|     "with_modules": null
|   },
$ tscope diff ./ranks/r0.json ./ranks/r1.json | head -12
| A step takes 10.0 ms in A and 10.0 ms in B, which do not differ by more than their noise over steps (95 % interval of the difference: -0.0 % to 0.0 %).
| A         ./ranks/r0.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| B         ./ranks/r1.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| times     means over steps, which end when the last event of a device that they launched does
| note      The traces were not recorded alike, which can be why times differ: CUDA driver 13.0 in A
|           and 12.8 in B, stacks in A alone.
|
| Step
|              A             B    difference    of A                 95 %                 name
|   10.000000 ms  10.000000 ms  +0.000000 ms  +0.0 %  -0.001 to +0.001 ms  not different  step
|   10.000000 ms  10.000000 ms  +0.000000 ms  +0.0 %  -0.001 to +0.001 ms  not different  step on the host
|   The 95 % interval is from how steps vary within each recording. Two recordings of the same program can differ by more.
$ tscope diff --json ./ranks/r0.json ./ranks/r1.json | grep recorded_apart
|   "recorded_apart": "The traces were not recorded alike, which can be why times differ: CUDA driver 13.0 in A and 12.8 in B, stacks in A alone.",
$ tscope analyze ./ranks | head -6
| folder    ./ranks
| of        2 ranks of 2, nccl, on Tesla V100-SXM2-32GB
| over      all of each trace (--warmup N leaves out the first N steps that each marks)
| recorded  CUDA runtime 12.9, CUDA driver 13.0, CUPTI 28; with stacks and shapes
| note      not recorded alike: CUDA driver 13.0 in rank 0 and 12.8 in rank 1, stacks in rank 0 alone
|
# Streams whose numbers are pointers are told apart, and a stream that is not known is not all of them.
$ k='{"ph":"X","cat":"kernel","name":"k","pid":0,"dur":5'; echo "[$k,\"ts\":1,\"args\":{\"stream\":140437593604096}},$k,\"ts\":10,\"args\":{\"stream\":140437593604352}},$k,\"ts\":12}]" > pointers.json; tscope analyze ./pointers.json | sed -n '/^Devices and/,/^$/p'; tscope analyze --json ./pointers.json | grep -A1 '"stream"'
| Devices and streams (spans, busy and exposed times are each row's own)
|   device  stream       events         span         busy  computation  communication      exposed       copies
|   0       all               3  0.016000 ms  0.012000 ms  0.012000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|   0       unknown           1  0.005000 ms  0.005000 ms  0.005000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|   0       -1394524160       1  0.005000 ms  0.005000 ms  0.005000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|   0       -1394523904       1  0.005000 ms  0.005000 ms  0.005000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|
|       "stream": null,
|       "all_streams": true,
| --
|       "stream": null,
|       "all_streams": false,
| --
|       "stream": -1394524160,
|       "all_streams": false,
| --
|       "stream": -1394523904,
|       "all_streams": false,
| --
|       "stream": null,
|       "all_streams": true,
| --
|       "stream": null,
|       "all_streams": false,
| --
|       "stream": -1394524160,
|       "all_streams": false,
| --
|       "stream": -1394523904,
|       "all_streams": false,
| --
|         "stream": null,
|         "all_streams": true,
| --
|         "stream": null,
|         "all_streams": false,
| --
|         "stream": -1394524160,
|         "all_streams": false,
| --
|         "stream": -1394523904,
|         "all_streams": false,
! tscope: ./pointers.json: trace_place (2 times): byte 1: the device or stream 140437593604096 has more than 32 bits and counts as -1394524160
! tscope: ./pointers.json: trace_place (2 times): byte 1: the device or stream 140437593604096 has more than 32 bits and counts as -1394524160
# A file that is meant as a path.
$ tscope analyze pointers.json
| trace     ./pointers.json
| of        the trace says neither rank nor device
| has       3 events: 0 operators, 0 Python functions, 0 annotations, 0 runtime calls; 3 kernels, 0
|           copies, 0 fills; 0 flows, 0 allocations, 0 counters
| over      all of the trace, which marks no steps (ProfilerStep)
| note      3 of 3 events were launched before the recording began, or by a call that it lacks
|
| Findings (tscope explain CODE has the rule)
|   No rule on traces found anything.
|   not checked: TRACE.HOST_BOUND, TRACE.SYNC, TRACE.LAUNCH_BOUND, TRACE.LOADER: the trace has only 3 events of devices, and the rule needs 50
|   not checked: TRACE.MATH_ATTENTION: the trace does not have the operators of most of its work
|   not checked: TRACE.RECOMPILED: the trace has no main thread of the host
|
| All devices (a time is the length of a union: what ran at once counts once)
|                         time  of the span  events
|   span           0.016000 ms      100.0 %       3
|   busy           0.012000 ms       75.0 %
|   idle           0.004000 ms       25.0 %
|   computation    0.012000 ms       75.0 %       3
|   communication  0.000000 ms        0.0 %       0
|   copies         0.000000 ms        0.0 %       0
|
| Devices and streams (spans, busy and exposed times are each row's own)
|   device  stream       events         span         busy  computation  communication      exposed       copies
|   0       all               3  0.016000 ms  0.012000 ms  0.012000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|   0       unknown           1  0.005000 ms  0.005000 ms  0.005000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|   0       -1394524160       1  0.005000 ms  0.005000 ms  0.005000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|   0       -1394523904       1  0.005000 ms  0.005000 ms  0.005000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|
| The trace marks no steps, so nothing is said by step. --step-name TEXT names annotations that are.
|
| Idle by cause (the host had not asked; launching; queued behind other streams; queued; call not in the trace)
|   device  stream       gaps         idle         host       launch  behind others       queued      unknown
|   0       all             1  0.004000 ms  0.000000 ms  0.000000 ms    0.000000 ms  0.000000 ms  0.004000 ms
|   0       unknown         0  0.000000 ms  0.000000 ms  0.000000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|   0       -1394524160     0  0.000000 ms  0.000000 ms  0.000000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|   0       -1394523904     0  0.000000 ms  0.000000 ms  0.000000 ms    0.000000 ms  0.000000 ms  0.000000 ms
|
| Work by category, by the table of kernels, version 3 (sums: what ran at once counts twice)
|   category          sum    share  count         mean      longest
|   other     0.015000 ms  100.0 %      3  0.005000 ms  0.005000 ms
|
| The longest by name
|           sum    share  count         mean      longest  category  name
|   0.015000 ms  100.0 %      3  0.005000 ms  0.005000 ms  other     k
|
| Critical path of the whole recording: 0.016000 ms, most of it unknown
|   part         what            time   share  stretches      longest
|   unknown      unknown  0.011000 ms  68.8 %          1  0.011000 ms
|   computation  other    0.005000 ms  31.2 %          1  0.005000 ms
|   longest stretches  what     name
|         0.011000 ms  unknown  k
|         0.005000 ms  other    k
|   if this took no time         path        saved
|   computation           0.011000 ms  0.005000 ms  31.2 %
! tscope: ./pointers.json: trace_place (2 times): byte 1: the device or stream 140437593604096 has more than 32 bits and counts as -1394524160
# A path of which nothing is known: no table of what would be saved.
$ k='{"ph":"X","cat":"kernel","name":"k","pid":0,"dur":0,"ts"'; echo "[$k:1,\"tid\":7},$k:9,\"tid\":8}]" > nothing.json; tscope analyze ./nothing.json | sed -n '/^Critical/,$p'
| Critical path of the whole recording: 0.008000 ms, most of it unknown
|   part     what            time    share  stretches      longest
|   unknown  unknown  0.008000 ms  100.0 %          1  0.008000 ms
|   longest stretches  what     name
|         0.008000 ms  unknown  k
# A device that hardly works, of which the host asks late: fills are all of its work and too little of the time to be advice. What the
# host did before and after is said. The third fill has no call.
$ python3 -c 'import json; e = [dict(ph="X", cat="user_annotation", name="ProfilerStep#3", pid=1, tid=1, ts=0, dur=1000)] + [dict(ph="X", cat="gpu_memset", name="Memset (Device)", pid=0, tid=7, ts=t, dur=1, args=dict(device=0, stream=7, correlation=t)) for t in (200, 500, 700)] + [dict(ph="X", cat="cuda_runtime", name="cudaMemsetAsync", pid=1, tid=1, ts=t - 9, dur=2, args=dict(correlation=t)) for t in (200, 500)]; json.dump(dict(traceEvents=e), open("few.json", "w"))'; tscope analyze ./few.json | sed -n '/^has/,/^All/p'; tscope analyze ./few.json --json | python3 -c "import json,sys; j=json.load(sys.stdin); print(j['advice'], [f['code'] for f in j['findings']], j['timeline']['span_ns'], j['host']['time']['all']['wall_ns'])"; sed 's/ProfilerStep#3/main/' few.json > fewer.json; tscope analyze ./fewer.json | grep -A 1 -E '^(over|note)'
| has       6 events: 0 operators, 0 Python functions, 1 annotation, 2 runtime calls; 0 kernels, 0
|           copies, 3 fills; 0 flows, 0 allocations, 0 counters
| over      all of the trace, with its only step
| note      1 of 3 events were launched before the recording began, or by a call that it lacks; they
|           count in the step in which they began
| note      the work of devices spans 0.501000 ms, and that of the main thread 1.000000 ms: what was
|           before a device's first event and after its last one is none of its idle time
|
| What to try first
|   Nothing: but for first launches, which a later recording does not have, no finding is about as much as 1 % of the time of the devices.
|
| Findings (tscope explain CODE has the rule)
|   low: TRACE.FILLS: Fills of memory take 100 % of the sum of all work, 3.00 µs.
|   not checked: TRACE.HOST_BOUND, TRACE.SYNC, TRACE.LAUNCH_BOUND, TRACE.LOADER: the trace has only 3 events of devices, and the rule needs 50
|   not checked: TRACE.MATH_ATTENTION: the trace does not have the operators of most of its work
|
| All devices (a time is the length of a union: what ran at once counts once)
| [] ['TRACE.FILLS'] 501000 1000000
| over      all of the trace, which marks no steps (ProfilerStep)
| note      1 of 3 events were launched before the recording began, or by a call that it lacks
| note      the work of devices spans 0.501000 ms, and that of the main thread 1.000000 ms: what was
|           before a device's first event and after its last one is none of its idle time
# A matrix of runs says nothing of traces and memory snapshots, which have no steps to compare.
$ tscope diff ./few.json ./fewer.json ./few.json; tscope diff ./traced/job ./traced/job ./traced/job; tscope diff ./runs/base ./runs/base ./memory/oom.pickle
! tscope: diff: ./few.json is a profiler's trace, of which two are compared at a time
! tscope: diff: ./traced/job is a folder of profiler's traces, of which two are compared at a time
! tscope: diff: ./memory/oom.pickle is a memory snapshot, of which two are compared at a time
[2]
# A page that cannot be written is named as it was given.
$ tscope analyze ./few.json --html none/page.html
! tscope: none/page.html: No such file or directory
[2]
# Attention that a program wrote in single operations; without shapes nobody knows whether it is one.
$ python3 -c 'import json; of = [("aten::bmm", [[6, 5, 4], [6, 4, 7]]), ("aten::mul", [[6, 5, 7], []]), ("aten::_softmax", [[2, 3, 5, 7], [], []]), ("aten::bmm", [[6, 5, 7], [6, 7, 4]])]; [json.dump(dict(traceEvents=[e for i, (name, dims) in enumerate(of) for e in (dict(ph="X", cat="cpu_op", name=name, pid=1, tid=1, ts=10 * i, dur=9, args={"Input Dims": dims} if said else {}), dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=10 * i + 1, dur=2, args=dict(correlation=i + 1)), dict(ph="X", cat="kernel", name="k%d" % i, pid=0, tid=7, ts=10 * i + 5, dur=i + 1, args=dict(device=0, stream=7, correlation=i + 1)))]), open(file, "w")) for file, said in (("attention.json", True), ("unsaid.json", False))]'; tscope analyze ./attention.json | sed -n '/^What to/,/^$/p;/^  medium/p;/^What stands/,/^$/p'; tscope analyze ./unsaid.json | sed -n '/^Findings/,/^$/p;/^What stands/,/^$/p'
| What to try first (and the time of the devices that it would save at most)
|   1. Attention computes all scores: up to 0.010000 ms of 0.034000 ms. Let a fused kernel run: call scaled_dot_product_attention where attention is written in single operations. It needs a format of 16 bits, and a head size and a mask that it supports. Where torch.nn.attention.sdpa_kernel allows one kernel alone, torch warns why that one cannot run.
|
|   medium: TRACE.MATH_ATTENTION: Attention that computes all scores takes 100 % of the sum of all work, 10.0 µs.
| What stands out
|   Attention ran as single operations, a softmax between two products of its shape: 1 time, 4 events, 0.010000 ms, 100.0 % of the work.
|
| Findings (tscope explain CODE has the rule)
|   No rule on traces found anything.
|   not checked: TRACE.HOST_BOUND, TRACE.SYNC, TRACE.LAUNCH_BOUND, TRACE.LOADER: the trace has only 4 events of devices, and the rule needs 50
|   not checked: TRACE.MATH_ATTENTION: the trace has no shapes of inputs, which would tell whether products around a softmax are attention
|
| What stands out
|   Between two products a softmax ran 1 time. Whether that was attention in single operations is not known, because the trace has no shapes of inputs (record_shapes=True).
|
# names of kernels stand without what most of them have; --json has them whole
$ python3 -c 'import json; n = ["void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int, float)", "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, 7>(float*)", "my::what::native::k", "void "]; json.dump([dict(ph="X", cat="kernel", name=x, pid=0, tid=7, ts=9 * i, dur=9 - i, args=dict(device=0, stream=7)) for i, x in enumerate(n)], open("names.json", "w"))'; tscope analyze ./names.json | sed -n '/^The longest/,/^$/p'; tscope analyze ./names.json --json | grep -c 'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char\*, 1> >'
| The longest by name
|           sum   share  count         mean      longest  category  name
|   0.009000 ms  30.0 %      1  0.009000 ms  0.009000 ms  fill      vectorized_elementwise_kernel<4, FillFunctor<float>, Array<char*, 1> >
|   0.008000 ms  26.7 %      1  0.008000 ms  0.008000 ms  softmax   softmax_warp_forward<BFloat16, 7>
|   0.007000 ms  23.3 %      1  0.007000 ms  0.007000 ms  other     my::what::native::k
|   0.006000 ms  20.0 %      1  0.006000 ms  0.006000 ms  other     void
|
| 3
# What graphs ran has the operators and modules of a trace of their capture, whose calls name their kernels.
$ python3 -c 'import json; call = lambda name, ts, c, **a: dict(ph="X", cat="cuda_runtime", name=name, pid=1, tid=1, ts=ts, dur=1, args=dict(correlation=c, **a)); json.dump([dict(ph="X", cat="python_function", name="nn.Module: Up_0", pid=1, tid=1, ts=0, dur=50, args={}), dict(ph="X", cat="cpu_op", name="aten::mm", pid=1, tid=1, ts=5, dur=9, args={}), call("hipLaunchKernel", 8, 1, kernel="gemm"), call("hipLaunchKernel", 20, 2, kernel="norm")], open("capture.json", "w")); json.dump([call("hipGraphLaunch", 0, 9)] + [dict(ph="X", cat="kernel", name=n, pid=0, tid=7, ts=t, dur=d, args=dict(device=0, stream=7, correlation=9)) for n, t, d in (("norm", 10, 2), ("gemm", 20, 6))], open("replay.json", "w"))'; tscope analyze ./replay.json --capture ./capture.json | sed -n '/^What graphs/,/^What stands/p'; tscope analyze ./replay.json --capture ./none.json
| What graphs ran, by the operators and modules that captured it (2 events, 0.008000 ms; the trace of the capture has 1 capture)
|   The call that captured it is known of 2 events, 0.008000 ms (100.0 %). The capture of 1 of 1 graph launched was found. An operator is known of 1 event, 0.006000 ms (75.0 %); a module of 2 events, 0.008000 ms (100.0 %). Of all work of devices the graphs' part with a known module is 100.0 %.
|           own   share  events        total  ran  operator
|   0.006000 ms  75.0 %       1  0.006000 ms    1  aten::mm
|
| Modules (launched within them: 0.008000 ms; by the backward pass of their operators: 0.000000 ms; neither: 0.000000 ms)
|   own forward  own backward  total forward  total backward  ran  module
|   0.008000 ms   0.000000 ms    0.008000 ms     0.000000 ms    1  nn.Module: Up_0
|
| What stands out
! tscope: --capture: ./none.json: No such file or directory
[2]
# A rank of a job in whose recording no device communicated.
$ python3 -c 'import json; x = lambda cat, pid, ts, dur: dict(ph="X", cat=cat, name="k", pid=pid, tid=7, ts=ts, dur=dur, args=dict(device=0, stream=7, correlation=1)); json.dump({"distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2}, "traceEvents": [x("cuda_runtime", 1, 0, 1), x("kernel", 0, 2, 9)]}, open("alone.json", "w"))'; tscope analyze alone.json | grep -A2 "job of"
| note      it is of a job of 2 ranks, and no device communicated while it was recorded: how much
|           communication takes, and how much is overlapped, is not known
|
# How near an operator is to what bounds it at best, and collectives of which no size is known.
$ python3 -c 'import json; b = ["c10::BFloat16"] * 2; x = lambda cat, name, at, us, **args: dict(ph="X", cat=cat, name=name, pid=1, tid=1, ts=at, dur=us, args=args); mm = lambda i, n, k, us: [x("cpu_op", "aten::mm", 9000 * i, 20, **{"Input Dims": [[n, k], [k, n]], "Input type": b}), x("cuda_runtime", "cudaLaunchKernel", 9000 * i + 5, 5, correlation=i + 1), x("kernel", "gemm", 9000 * i + 100, us, device=0, stream=7, correlation=i + 1)]; c = x("kernel", "ncclDevKernel_AllReduce", 30000, 50, device=0, stream=7, dtype="ComplexFloat", **{"Collective name": "allreduce", "In msg nelems": 8, "Out msg nelems": 8, "Group size": 2}); print(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}], "traceEvents": mm(0, 1000, 100, 1) + mm(1, 8192, 8192, 2000) + [c]}))' > roof.json; tscope analyze ./roof.json | grep -e '^Operations' -e '^Collectives' -A 5
| Operations of matrix products, convolutions and attention, by shapes (time: of what they launched)
|   ran    operations         time       achieved  of the peak        moved  at best by       type  operator  shapes
|     2     1.1 TFLOP  2.001000 ms  549.6 TFLOP/s       55.6 %            -  -                bf16  all
|     1     1.1 TFLOP  2.000000 ms  549.8 TFLOP/s       55.6 %  0.2013 TB/s  compute, 55.6 %  bf16  aten::mm  [[8192,8192],[8192,8192]]
|     1  0.0002 TFLOP  0.001000 ms    200 TFLOP/s       20.2 %     2.4 TB/s  memory, 71.6 %   bf16  aten::mm  [[1000,100],[100,1000]]
|   In all the time that devices worked, 2.051000 ms, these operations are 536.2 TFLOP/s, 54.2 % of the peak.
| --
| Collectives by size (bandwidths are the least: a kernel waits for other ranks, too; the shortest waited least)
|   the size or the type of 1 kernel, 0.050000 ms, is not known
|
| Critical path of the whole recording: 30.050000 ms, most of it gaps of queued work
|   part                 what                               time   share  stretches       longest
|   gaps of queued work  queued on a stream         18.900000 ms  62.9 %          1  18.900000 ms
# The tables of a trace go out as CSV
$ tscope export ./traced/cut.json --table kernels
| row,start_ns,duration_ns,correlation,external,bytes,name,pid,tid,process,thread,category,shapes,collective,group,device,stream,kind,grid,block,occupancy,warps,registers,shared_bytes,graph,node
| 3,1000000000,8000000,0,1,,volta_sgemm_128x64_nt,0,7,,,,,,,0,7,kernel,,,,,,,,
| 5,1004000000,6000000,1,,,"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",0,20,,,,,allreduce,0,0,20,kernel,,,,,,,,
| 9,1010000000,8000000,2,2,,volta_sgemm_128x64_nt,0,7,,,,,,,0,7,kernel,,,,,,,,
| 11,1014000000,6000000,3,,,"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",0,20,,,,,allreduce,0,0,20,kernel,,,,,,,,
! tscope: ./traced/cut.json: skipped: trace_cut: byte 3129: the file ends too early; what stands before is read
$ mkdir ended; cp traced/cut.json ended/trace.json; tscope push -q ended >/dev/null; tscope export ended --table kernels | wc -l; for run in ended ./traced/demo.json.gz; do echo '{"jsonrpc":"2.0","id":1,"method":"tscope/trace","params":{"run":"'$run'","table":"syncs"}}' | tscope serve --values 3 3>values | grep -o '"rows":[0-9]*,"cut":[a-z]*'; done
| 5
| "rows":0,"cut":true
| "rows":0,"cut":false
! tscope: ended: the file of its trace ended too early when it was pushed; the table has what stood before
$ tscope export ./traced/demo.json.gz --table operators -o operators.csv
! tscope: wrote 6 rows of operators to operators.csv
$ tscope export ./traced/demo.json.gz --table kernel
! tscope: export: --table must be one of: events operators kernels frames collectives syncs flows allocations counters; it is 'kernel'
[2]
$ for which in '--rank 0' '--rank 1' '--rank 1 --file trace.json' '--rank 5' '--rank 5 --file trace.json' '--file other.json' ''; do tscope export stored --table kernels $which | wc -l; done
| 14
| 0
| 14
| 0
| 0
| 0
| 0
! tscope: export: the run has several traces of rank 1; say which by its name: trace.json.gz (rank 0), of_no_rank.pt.trace.json (rank 1), trace.json (rank 1)
! tscope: export: the run has no trace of rank 5 that could be read; it has trace.json.gz (rank 0), of_no_rank.pt.trace.json (rank 1), trace.json (rank 1)
! tscope: export: the run has no trace trace.json of rank 5 that could be read; it has trace.json.gz (rank 0), of_no_rank.pt.trace.json (rank 1), trace.json (rank 1)
! tscope: export: the run has no trace other.json that could be read; it has trace.json.gz (rank 0), of_no_rank.pt.trace.json (rank 1), trace.json (rank 1)
! tscope: export: stored has 3 traces; say which by its name, and by its rank if several have it
$ tscope export ./traced/demo.json.gz --table kernels --rank 5
! tscope: export: ./traced/demo.json.gz is a trace itself; a rank is one of a run
[2]
$ tscope export stored --rank 5
! tscope: export: --rank is for --file or --table
[2]
$ tscope export ./traced/demo.json.gz --table kernels --format npz
! tscope: export: --table writes CSV; tscope.trace() of the Python package gives the same table to pandas, polars, pyarrow and DuckDB
[2]
# What each stream and thread did, and a stretch of it.
$ tscope timeline ./traced/demo.json.gz
| trace     ./traced/demo.json.gz
| shows     0.000000 ms to 63.400000 ms of 63.400000 ms; a letter is 0.646939 ms
|
| device 0, stream 7: 49.000000 ms, 77.3 %
|   kKKKKKKKKKKKK...KKKKKKKKKKKKk..kKKKKKKKKKKKK..kKKKKKKKKKKKKk..KKKKKKKKKKKKK..kKKKKKKKKKKKKk.....MM
|
| device 0, stream 20: 36.000000 ms, 56.8 %
|   ......nNNNNNNNNNn.....NNNNNNNNNN.....nNNNNNNNNN......NNNNNNNNNn.....nNNNNNNNNN......NNNNNNNNNn....
|
| host, main thread 100: 0.335000 ms, 0.5 %
|   o..............o..............oc..............o..............o...............o.................c..
|
| What covers most of the time: k kernels, n communication (network), m copies and fills (memory), o operators, c calls of the runtime, w waits for a device; a capital: half of it or more is covered.
$ tscope timeline ./traced/demo.json.gz --from 2000000 --to 3000000 --cells 20
| trace     ./traced/demo.json.gz
| shows     2.000000 ms to 3.000000 ms of 63.400000 ms; a letter is 0.050000 ms
|
| device 0, stream 7: 1.000000 ms, 100.0 %
|   KKKKKKKKKKKKKKKKKKKK
|
| device 0, stream 20: 0.000000 ms, 0.0 %
|   ....................
|
| host, main thread 100: 0.000000 ms, 0.0 %
|   ....................
|
| What covers most of the time: k kernels, n communication (network), m copies and fills (memory), o operators, c calls of the runtime, w waits for a device; a capital: half of it or more is covered.
$ tscope timeline ./traced/demo.json.gz --at 99
| trace     ./traced/demo.json.gz
| shows     0.000000 ms to 63.400000 ms of 63.400000 ms; a letter is 0.646939 ms
|
| device 0, stream 7: 49.000000 ms, 77.3 %
|   kKKKKKKKKKKKK...KKKKKKKKKKKKk..kKKKKKKKKKKKK..kKKKKKKKKKKKKk..KKKKKKKKKKKKK..kKKKKKKKKKKKKk.....MM
|
| device 0, stream 20: 36.000000 ms, 56.8 %
|   ......nNNNNNNNNNn.....NNNNNNNNNN.....nNNNNNNNNN......NNNNNNNNNn.....nNNNNNNNNN......NNNNNNNNNn....
|
| host, main thread 100: 0.335000 ms, 0.5 %
|   o..............o..............oc..............o..............o...............o.................c..
|
| What covers most of the time: k kernels, n communication (network), m copies and fills (memory), o operators, c calls of the runtime, w waits for a device; a capital: half of it or more is covered.
! tscope: timeline: ./traced/demo.json.gz has nothing at 99 ns of its clock, so all of it is shown
$ tscope timeline ./traced/demo.json.gz --from 99000000000 | sed -n '2p'
| shows     0.000000 ms to 63.400000 ms of 63.400000 ms; a letter is 0.646939 ms
! tscope: timeline: ./traced/demo.json.gz ends before --from, so all of it is shown
$ tscope timeline ./traced/demo.json.gz --cells 0
! tscope: timeline: --cells takes 1 to 2000
[2]
$ tscope timeline ./traced/demo.json.gz --at noon
! tscope: timeline: --at takes a time of the trace's clock, in nanoseconds
[2]
# A run may keep the summary of a trace's kernels in its place: diff compares by it, with the figures of the traces, and says so.
$ tscope push --summarize-traces --name short1 bare1; tscope push --summarize-traces --name short2 bare2 | head -3; tscope diff short1 short2
| name      default/short1
| id        eb8daf577344bff7937b202e11f0799e837796a3e13294afe3b3eb60be81d3f3
| format    PyTorch profiler trace
| steps     0 steps, 1 rank
| sent SIZE (3 objects)
| new SIZE
| outcome   created
| name      default/short2
| id        5bf34bf36c5f436eea658c0c6e3db9caaf0d3d7b08655f8a1be1882bad9e44ba
| format    PyTorch profiler trace
| A step takes 608.0 us longer in B (6.1 %): 608.0 us more of gemm (cutlass_80_simt_sgemm_128x64_8x5_nt_align1 is only in B).
| A         trace.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| B         other.pt.trace.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| times     means over steps, which end when the last event of a device that they launched does
| note      Of both traces only the summaries of their kernels are kept, which say nothing of
|           operators, functions and calls.
|
| Step
|              A             B    difference    of A                 95 %          name
|   10.000000 ms  10.608000 ms  +0.608000 ms  +6.1 %  +0.538 to +0.678 ms  longer  step
|   10.000000 ms  10.600000 ms  +0.600000 ms  +6.0 %  +0.599 to +0.601 ms  longer  step on the host
|   The 95 % interval is from how steps vary within each recording. Two recordings of the same program can differ by more.
|
| Where a step's time on the devices goes (the parts add up to it): 1 of 3 differs
|             A            B    difference    of A                 95 %          name
|   8.000000 ms  8.608000 ms  +0.608000 ms  +7.6 %  +0.541 to +0.675 ms  longer  gemm
|
| Device time by category (sums: what ran at once counts twice): 1 of 2 differs
|             A            B    difference    of A                 95 %  count A  count B          name
|   8.000000 ms  8.608000 ms  +0.608000 ms  +7.6 %  +0.562 to +0.654 ms        1        1  longer  gemm
|
| Kernels, copies and fills by name without arguments (sums): 2 of 3 differ
|             A            B    difference      of A                 95 %  count A  count B             name
|   0.000000 ms  8.608000 ms  +8.608000 ms       new  +8.562 to +8.654 ms        0        1  only in B  cutlass_80_simt_sgemm_128x64_8x5_nt_align1
|   8.000000 ms  0.000000 ms  -8.000000 ms  -100.0 %  -8.001 to -7.999 ms        1        0  only in A  volta_sgemm_128x64_nt
[1]
$ tscope diff bare1 bare2 | sed -n '/^Step/,/^Kernels/p' | grep -v 'the longest' > whole; for pair in 'short1 short2' 'bare1 short2' 'short1 bare2'; do tscope diff $pair | grep '^note'; tscope diff $pair | sed -n '/^Step/,/^Kernels/p' | cmp - whole && echo the same; done
| note      Of both traces only the summaries of their kernels are kept, which say nothing of
| the same
| note      Of B only the summary of its kernels is kept, which says nothing of operators, functions
| the same
| note      Of A only the summary of its kernels is kept, which says nothing of operators, functions
| the same
$ tscope diff --json short1 bare2 | grep -E '"(summary|median_call_ns)"' | sort | uniq -c
|       2             "median_call_ns": 6000000,
|       1             "median_call_ns": 8000000,
|       1             "median_call_ns": 8620000,
|      12             "median_call_ns": null,
|       4       "median_call_ns": null,
|       1     "summary": false
|       1     "summary": true
$ tscope analyze short1 | tail -2; tscope analyze short1 --trace trace.json; tscope export short1 --file trace.json.kernels.json | cut -c1-150
|
| Of 1 trace the run keeps only the summary of the kernels, by which tscope diff compares runs: trace.json (rank 1).
| {"kernel_summary":1,"rank":1,"world_size":2,"cut":false,"clock_ns":1000,"steps":[[1,10500000,10000000],[2,10000000,10000000],[3,10000000,10000000],[4,
! tscope: analyze: the run has no trace that could be read, and trace.json is no file of one
# Where the trace is there, too, nobody says that the summary alone is.
$ mkdir both; cp bare1/trace.json both; tscope export short1 --file trace.json.kernels.json > both/trace.json.kernels.json; tscope push --name both both | grep steps; tscope analyze both | grep -c 'only the summary'
| steps     0 steps, 1 rank
| 0
[1]
$ tscope export short1 short; tscope push --name short3 short | grep id; tscope show short1 | grep '^id'; tscope diff --warmup 9 short1 short2
| id        eb8daf577344bff7937b202e11f0799e837796a3e13294afe3b3eb60be81d3f3
| id        eb8daf577344bff7937b202e11f0799e837796a3e13294afe3b3eb60be81d3f3
! tscope: wrote eb8daf577344 as a run directory to short
! tscope: short/rank1/steps.jsonl: no_steps: there is no such file
! tscope: --warmup 9 leaves no step of trace.json, which marks 6 (ProfilerStep); at most 5 can be left out
[2]
