# A training that ran out of memory although as much was free: three sentences first, then what held it.
$ tscope analyze ./memory/oom.pickle
| oom.pickle: device 0 ran out of memory, holding 83 MiB
| 146 events, 6 segments, 9 stacks
|
| OUT OF MEMORY  1 request refused
|   event 145    attention (/home/ada/lab/net.py:54) asked for 24 MiB. The device had 16 MiB left; the
|                allocator held 112 MiB, of which 83 MiB were in use.
|                In segments that could have served it 29 MiB were free, the largest gap has 18.5 MiB:
|                it would have fitted, had the free memory been in one piece.
|                remember (/home/ada/lab/plots.py:9) holds 1.5 MiB in the segment that has most free
|                memory, 18.5 MiB; what is in use there (1 block) keeps it from being given back.
|
| MEMORY  device 0: 112 MiB reserved, 83 MiB allocated
|   requested    ▁▁▂▃▄▅▅▅▅▄▄▄▃▃▂▃▅▅▆▅▅▄▅▆▇███▇▇▆▆▆▆▅▆▆▆▆▅▅▆██████▇▇▆▆▅▆▇▆▆▆▆▇  0 B to 108 MiB
|   reserved     ▁▁▁▃▃▅▅▅▅▅▅▅▅▅▅▅▅▆▆▆▆▆▆▆▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇█████████████████  20 MiB to 124 MiB
|   peak         108 MiB, after event 108 of 146
|   baseline     0 B before the first event, exact: events and blocks agree
|   at the end   83 MiB requested in 20 blocks; rounding takes 0 B more
|
| BY KIND
|                                                   at peak  at end  asked for
|   parameters      ████░░░░░░░░░░░░░░░░░░░░░░░░░░   15 MiB  15 MiB     15 MiB
|   gradients       ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░      0 B     0 B     45 MiB
|   optimizer state ████████░░░░░░░░░░░░░░░░░░░░░░   30 MiB  30 MiB     30 MiB
|   activations     ███████████░░░░░░░░░░░░░░░░░░░   40 MiB     0 B    120 MiB
|   temporary       █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░    5 MiB     0 B     69 MiB
|   unknown         █████░░░░░░░░░░░░░░░░░░░░░░░░░   18 MiB  38 MiB     38 MiB
|
| HELD AT THE PEAK
|    bytes  in  kind             function                                                         where
|   45 MiB   6  optimizer state  <module>                                                         lab/train.py:88
|   24 MiB   2  activations      attention                                                        lab/net.py:54
|   18 MiB  12  unknown          remember                                                         lab/plots.py:9
|   16 MiB   3  activations      forward                                                          lab/net.py:31
|    5 MiB   1  temporary        torch::autograd::generated::MmBackward0::apply(std::vector<a...
|
| HELD AT THE END
|    bytes  in  kind             function   where
|   45 MiB   6  optimizer state  <module>   lab/train.py:88
|   18 MiB  12  unknown          remember   lab/plots.py:9
|   12 MiB   1  unknown          attention  lab/net.py:54
|    8 MiB   1  unknown          forward    lab/net.py:31
|
| ASKED FOR  sizes: 9 of 12 MiB; 12 of 5 MiB; 7 of 8 MiB; 9 of 6 MiB
|    bytes  in  kind             function                                                         where
|   84 MiB   7  activations      attention                                                        lab/net.py:54
|   60 MiB  12  temporary        torch::autograd::generated::MmBackward0::apply(std::vector<a...
|   56 MiB  10  activations      forward                                                          lab/net.py:31
|   54 MiB   9  optimizer state  <module>                                                         lab/train.py:88
|   45 MiB   9  gradients        torch::autograd::AccumulateGrad::apply(std::vector<at::Tenso...
|   18 MiB  12  unknown          remember                                                         lab/plots.py:9
|
| CARRIED FROM STEP TO STEP
|    bytes  in  kind     function  where
|   18 MiB  12  unknown  remember  lab/plots.py:9
|
| FREE  29 MiB of what is reserved
|   cache        0 B in 0 whole segments; empty_cache returns it
|   fragments    29 MiB that empty_cache does not return; 1 block of less than 2 MiB between two gaps
|   largest gaps 18.5 MiB of a segment of 20 MiB, beside remember lab/plots.py:9
|                8 MiB of a segment of 20 MiB, beside remember lab/plots.py:9
|                1 MiB of a segment of 20 MiB, beside remember lab/plots.py:9
|
| ALLOCATOR
|   device       taken from it 7 times (124 MiB), given back 1 time (12 MiB)
|   retries      1 request gave 12 MiB back and asked the device again
|   life spans   median 225 µs, 99 % up to 800 µs, longest 800 µs
# A snapshot of several devices, packed; the one whose request was refused is shown.
$ tscope analyze --device-memory 1GiB ./memory/newest4.pickle.gz
| newest4.pickle.gz: device 1 ran out of memory, holding 1 MiB
| 7 events, 1 segment, 3 stacks
|
| OUT OF MEMORY  1 request refused
|   event 3      backward (über/größe.py:7) asked for 8 GiB. The device had 12.1 KiB left; the
|                allocator held 6 MiB, of which 1 MiB were in use.
|                In segments that could have served it 0 B were free, the largest gap has 0 B: even in
|                one piece that is 8 GiB too little.
|                Most was held by f0 with 1 MiB (unknown), code that no stack names with 3 B
|                (unknown).
|
| MEMORY  device 1: 4 MiB reserved, 1 MiB allocated
|   requested    ▁▁█████  3 B to 1 MiB
|   reserved     ▁███▁▁▁  4 MiB to 6 MiB
|   peak         1 MiB, after event 2 of 7
|   baseline     3 B before the first event, exact: events and blocks agree
|   at the end   1 MiB requested in 2 blocks; rounding takes 1 MiB more
|   head-room    1018 MiB of 1 GiB
|
| BY KIND
|                                                at peak  at end  asked for
|   unknown      ██████████████████████████████    1 MiB   1 MiB      1 MiB
|
| HELD AT THE PEAK
|   bytes  in  kind     function  where
|   1 MiB   1  unknown  f0
|     3 B   1  unknown  no stack
|
| HELD AT THE END
|   bytes  in  kind     function  where
|   1 MiB   1  unknown  f0
|     3 B   1  unknown  no stack
|
| ASKED FOR  sizes: 1 of 1 MiB
|   bytes  in  kind     function  where
|   1 MiB   1  unknown  f0
|
| FREE  2 MiB of what is reserved
|   cache        0 B in 0 whole segments; empty_cache returns it
|   fragments    2 MiB that empty_cache does not return
|   largest gaps 2 MiB of a segment of 4 MiB
|   expandable   4 MiB in 1 segment
|   pools        2 MiB of the fragments belong to private pools
|
| ALLOCATOR
|   device       taken from it 2 times (6 MiB), given back 1 time (2 MiB)
|
| OTHER DEVICES
|   device 0     peak 26.3 KiB, at the end 26 KiB requested, 350 KiB reserved
|
| NOT READ
|   values       1 value
# Without a history there is no peak to speak of, which is no zero.
$ tscope analyze ./memory/list.pickle
| list.pickle: device 2 holds 1 KiB of 20 MiB reserved
| 0 events, 1 segment, 2 stacks
|
| MEMORY  device 2: 20 MiB reserved, 0 B allocated
|   peak         unknown: no history was recorded (torch.cuda.memory._record_memory_history)
|   at the end   1 KiB requested in 1 block; rounding takes 0 B more
|
| BY KIND
|                                                at peak  at end  asked for
|   unknown      ██████████████████████████████  unknown   1 KiB    unknown
|
| HELD AT THE END
|   bytes  in  kind     function  where
|   1 KiB   1  unknown  no stack
|
| FREE  20 MiB of what is reserved
|   cache        0 B in 0 whole segments; empty_cache returns it
|   fragments    20 MiB that empty_cache does not return
|   largest gaps 20 MiB of a segment of 20 MiB
|
| OTHER DEVICES
|   device 0     peak unknown, at the end 300 B requested, 2 MiB reserved
$ COLUMNS=60 tscope analyze ./memory/early.pickle | tail -n 5
|   device 0     peak 658 B, at the end 0 B requested, 0 B
|                reserved
|
| NOT READ
|   unknown keys odd (20 times)
$ tscope analyze --json ./memory/oom.pickle | python3 -c "import json,sys; d = json.load(sys.stdin)['devices'][0]; print(d['history']['peak_bytes'], d['refused'][0]['lines'][1], [k['kind'] for k in d['kinds']])"
| 113246212 In segments that could have served it 29 MiB were free, the largest gap has 18.5 MiB: it would have fitted, had the free memory been in one piece. ['unknown', 'parameters', 'gradients', 'optimizer state', 'activations', 'temporary', 'recomputation']
# What executes is refused by name and byte; a cut file and options of runs, too.
$ printf '\200\004cos\nsystem\n(S"true"\ntR.' > evil.pickle; tscope analyze ./evil.pickle
! tscope: ./evil.pickle: byte 2 of the pickle: opcode GLOBAL is refused: it would import a name, and a snapshot is plain data
[2]
$ head -c 5000 memory/oom.pickle > cut.pickle; tscope analyze ./cut.pickle
! tscope: ./cut.pickle: byte 4999 of the pickle: the file ends here, before the pickle does
[2]
$ printf '\200\004]q\000.' > none.pickle; tscope analyze ./none.pickle
| none.pickle: a snapshot without any segment or event
$ tscope analyze --html page.html ./memory/oom.pickle
! tscope: analyze: --html is about runs, and this is a memory snapshot
[2]
# Names are foreign: they can move no cursor, break no line and order nothing of a job's log.
$ python3 -c "import pickle; f = [{'filename': '/x/\x1b[31m\n.py', 'line': 3, 'name': '::error ::\x1b]0;evil\x07'}]; pickle.dump({'segments': [{'total_size': 512, 'allocated_size': 512, 'active_size': 512, 'address': 0, 'blocks': [{'size': 512, 'requested_size': 500, 'state': 'active_allocated', 'frames': f}]}], 'device_traces': [[{'action': 'oom', 'size': 9, 'device_free': 1, 'frames': f}]], '\x1b': 1}, open('foreign.pickle', 'wb'))"
$ tscope analyze ./foreign.pickle
| foreign.pickle: device 0 ran out of memory, holding 500 B
| 1 event, 1 segment, 1 stack
|
| OUT OF MEMORY  1 request refused
|   event 0      \x3A:error \x3A:\x1B]0;evil\x07 (/x/\x1B[31m\n.py:3) asked for 9 B. The device had 1
|                B left; the allocator held 512 B, of which 500 B were in use.
|                In segments that could have served it 0 B were free, the largest gap has 0 B: even in
|                one piece that is 9 B too little.
|                Most was held by \x3A:error \x3A:\x1B]0;evil\x07 (/x/\x1B[31m\n.py:3) with 500 B
|                (unknown).
|
| MEMORY  device 0: 512 B reserved, 512 B allocated
|   peak         500 B, before the first event
|   baseline     500 B before the first event, exact: events and blocks agree
|   at the end   500 B requested in 1 block; rounding takes 12 B more
|
| BY KIND
|                                                at peak  at end  asked for
|   unknown      ██████████████████████████████    500 B   500 B        0 B
|
| HELD AT THE PEAK
|   bytes  in  kind     function                         where
|   500 B   1  unknown  \x3A:error \x3A:\x1B]0;evil\x07  x/\x1B[31m\n.py:3
|
| HELD AT THE END
|   bytes  in  kind     function                         where
|   500 B   1  unknown  \x3A:error \x3A:\x1B]0;evil\x07  x/\x1B[31m\n.py:3
|
| FREE  0 B of what is reserved
|   cache        0 B in 0 whole segments; empty_cache returns it
|   fragments    0 B that empty_cache does not return
|
| ALLOCATOR
|   device       taken from it 0 times (0 B), given back 0 times (0 B)
|
| NOT READ
|   unknown keys \x1B (1 time)
# Axolotl's tables, which frees at once and calls cache fragmentation, with the right numbers beside; KempnerForge has none.
$ tscope analyze --as axolotl --device-memory 128MiB ./memory/oom.pickle
|
| ===========================================================================
|   Memory: ./memory/oom.pickle
| ===========================================================================
|
|   Reserved:    0.12 GB
|   Allocated:   0.09 GB
|   Utilization: 74.1%
|   Fragmentation: 25.9%
|   Segments: 6, Active blocks: 20
|
|   Largest active allocations:
|           12.6 MB
|           12.6 MB
|           12.6 MB
|            8.4 MB
|            6.3 MB
|            6.3 MB
|            6.3 MB
|            3.1 MB
|            1.6 MB
|            1.6 MB
|
|   Top allocations by source file:   (no row)
|     ...torch/optim/adamw.py                                   (no row)  | 31.5MB frames
|     /home/ada/lab/net.py                                      (no row)  | 21.0MB frames
|     /home/ada/lab/plots.py                                    (no row)  | 18.9MB frames
|     /home/ada/lab/train.py                                    (no row)  | 15.7MB frames
|
|   Top allocation churn (alloc count x size):
|             Size    Count  Total churned
|     --------------------------------------
|           12.6MB        9         0.11GB
|            5.2MB       12         0.06GB
|            8.4MB        7         0.06GB
|            6.3MB        9         0.06GB
|            3.1MB        7         0.02GB
|            1.6MB       12         0.02GB
|
| ===========================================================================
|   Peak Memory: ./memory/oom.pickle
| ===========================================================================
|
|   Profiled peak (transient):  0.11 GB  (at event 108 / 146)
|   Transient headroom:        0.03 GB above end-of-trace
|
|   Allocations live at peak:
|     Category                                  Size   Count
|     -------------------------------------------------------
|     Other                                  76.5 MB      20
|     Optimizer                              31.5 MB       3
|     Unknown                                 5.2 MB       1
|
| ===========================================================================
|   Fragmentation: ./memory/oom.pickle
| ===========================================================================
|
|   Reserved:     0.12 GB across 6 segments
|   Allocated:    0.09 GB
|   Inactive:     0.03 GB (25.9% fragmentation)
|   Pinned small blocks (<2MB between inactive): 1 (prevent segment merging)
|
|   Segment size distribution:
|     2-64MB          6 segments    0.12 GB
|
|   Largest inactive gaps (freed but unreclaimable):
|
|   OOM Risk Assessment (GPU: 0.1 GB):
|     Usable capacity: 0.10 GB (GPU capacity minus 0.03 GB fragmentation)
|     Current headroom: 0.02 GB
|     ⚠ CRITICAL: <1 GB headroom — high OOM risk!
|
| ===========================================================================
|   Allocation Churn: ./memory/oom.pickle
| ===========================================================================
|
|   12.6MB × 9 = 0GB churn:
|       78%  Other (7 allocs)
|            attention                           /home/ada/lab/net.py:54 (x7)
|       22%  Optimizer (2 allocs)
|            _init_group                         ...torch/optim/adamw.py:134 (x2)
|
|   5.2MB × 12 = 0GB churn:
|      100%  Other (12 allocs)
|            <no attribution>                    <unknown>:0 (x12)
|
|   8.4MB × 7 = 0GB churn:
|      100%  Other (7 allocs)
|            forward                             /home/ada/lab/net.py:31 (x7)
|
|   6.3MB × 9 = 0GB churn:
|       89%  Other (8 allocs)
|            <no attribution>                    <unknown>:0 (x6)
|            <module>                            /home/ada/lab/train.py:88 (x2)
|       11%  Optimizer (1 allocs)
|            _init_group                         ...torch/optim/adamw.py:134 (x1)
|
|   3.1MB × 7 = 0GB churn:
|       57%  Other (4 allocs)
|            <no attribution>                    <unknown>:0 (x3)
|            <module>                            /home/ada/lab/train.py:88 (x1)
|       43%  Optimizer (3 allocs)
|            _init_group                         ...torch/optim/adamw.py:134 (x3)
| 4 numbers of this are wrong; behind | stands what is right, and why in a word (docs/peers.md).
$ tscope analyze --as kempner ./memory/oom.pickle
! tscope: analyze: kempner has no tables of memory snapshots
[2]
$ tscope diff --as axolotl ./memory/newest4.pickle.gz ./memory/oom.pickle | tail -30
|            _init_group                         ...torch/optim/adamw.py:134 (x2)
|
|   5.2MB × 12 = 0GB churn:
|      100%  Other (12 allocs)
|            <no attribution>                    <unknown>:0 (x12)
|
|   8.4MB × 7 = 0GB churn:
|      100%  Other (7 allocs)
|            forward                             /home/ada/lab/net.py:31 (x7)
|
|   6.3MB × 9 = 0GB churn:
|       89%  Other (8 allocs)
|            <no attribution>                    <unknown>:0 (x6)
|            <module>                            /home/ada/lab/train.py:88 (x2)
|       11%  Optimizer (1 allocs)
|            _init_group                         ...torch/optim/adamw.py:134 (x1)
|
|   3.1MB × 7 = 0GB churn:
|       57%  Other (4 allocs)
|            <no attribution>                    <unknown>:0 (x3)
|            <module>                            /home/ada/lab/train.py:88 (x1)
|       43%  Optimizer (3 allocs)
|            _init_group                         ...torch/optim/adamw.py:134 (x3)
|
|   Memory comparison:
|     Reserved:  0.00 -> 0.12 GB
|     Allocated: 0.00 -> 0.09 GB
|     Frag:      75.9% -> 25.9%                                           | 52.9% cache
|     Peak:      0.00 -> 0.11 GB
| 7 numbers of this are wrong; behind | stands what is right, and why in a word (docs/peers.md).
