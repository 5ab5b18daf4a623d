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
| WHAT TO TRY  memory limits the run: a request of 24 MiB was refused
|   try          memory at the peak that each fix could save:
|                up to 29 MiB: let segments expand: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True,
|                set before the program starts (costs: torch calls the setting experimental)
|                up to 40 MiB: use activation checkpointing: torch.utils.checkpoint.checkpoint(layer,
|                x, use_reentrant=False) on the layers that hold most, or on more of them (costs: one
|                more forward pass of what is checkpointed: about a third more computing if that is
|                the whole model)
|                up to 30 MiB: offload the optimizer's state to the host: fully_shard(...,
|                offload_policy=CPUOffloadPolicy()), or DeepSpeed's offload_optimizer (costs: copies
|                between device and host in each step, and an optimizer that runs on the host)
|
| FINDINGS
|   HIGH    Memory ran out in pieces (MEMORY.OOM_FRAGMENTED)
|           A request of 24 MiB was refused although 29 MiB were free in segments that could have
|           served it and the device had 16 MiB left: the largest gap has 18.5 MiB.
|           try: Let segments expand (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True) if they do
|           not; allocate what stays for long, such as caches and copies for plots, before the
|           training's tensors or on the host; keep shapes the same from step to step.
|   MEDIUM  The allocator asks the device again (MEMORY.RETRIES)
|           In 1 request the allocator gave 12 MiB back to the device and asked it again, each time
|           waiting for all its work.
|           try: The device is full of cache of other sizes: let segments expand
|           (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True), keep shapes the same, or use less
|           memory. Each retry waits for all work of the device.
|   MEDIUM  Memory is kept from step to step (MEMORY.CARRIED)
|           18 MiB, 17 % of the peak, outlived two steps of the optimizer without being a parameter, a
|           gradient or its state; most was asked for by remember (/home/ada/lab/plots.py:9).
|           try: Detach what is kept for logging or plots (.item(), .detach().cpu()), do not keep
|           graphs across steps, and limit caches.
|
| MEMORY  device 0: 112 MiB reserved, 83 MiB allocated
|   requested    ▁▁▂▃▄▅▅▅▅▄▄▄▃▃▂▃▅▅▆▅▅▄▅▆▇███▇▇▆▆▆▆▅▆▆▆▆▅▅▆██████▇▇▆▆▅▆▇▆▆▆▆▇  0 B to 108 MiB
|   reserved     ▁▁▁▃▃▅▅▅▅▅▅▅▅▅▅▅▅▆▆▆▆▆▆▆▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇█████████████████  20 MiB to 124 MiB
|   peak         108 MiB, after event 108 of 146; the blocks took at least 108 MiB
|   baseline     0 B before the first event, exact if recording went on until the snapshot
|   at the end   83 MiB requested in 20 blocks; rounding takes 0 B more
|   head-room    not known: the snapshot does not say what the device has (--device-memory does); by
|                the refused request it is at least 128 MiB
|
| BY KIND
|                                                   at peak  at end  asked for
|   parameters      ████░░░░░░░░░░░░░░░░░░░░░░░░░░   15 MiB  15 MiB     15 MiB
|   gradients       ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░      0 B     0 B     45 MiB
|   optimizer state ████████░░░░░░░░░░░░░░░░░░░░░░   30 MiB  30 MiB     30 MiB
|   activations     ███████████░░░░░░░░░░░░░░░░░░░   40 MiB  12 MiB    132 MiB
|   temporary       █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░    5 MiB     0 B     69 MiB
|   kept by forward ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░      4 B     0 B       12 B
|   unknown         █████░░░░░░░░░░░░░░░░░░░░░░░░░   18 MiB  26 MiB     26 MiB
|
| HELD AT THE PEAK
|    bytes  in  kind             function            where
|   45 MiB   6  optimizer state  <module>            lab/train.py:88
|   24 MiB   2  activations      attention           lab/net.py:54
|   18 MiB  12  unknown          remember            lab/plots.py:9
|   16 MiB   3  activations      forward             lab/net.py:31
|    5 MiB   1  temporary        MmBackward0::apply
|
| HELD AT THE END
|    bytes  in  kind             function   where
|   45 MiB   6  optimizer state  <module>   lab/train.py:88
|   18 MiB  12  unknown          remember   lab/plots.py:9
|   12 MiB   1  activations      attention  lab/net.py:54
|    8 MiB   1  unknown          forward    lab/net.py:31
|
| ASKED FOR  sizes: 9 of 12 MiB; 12 of 5 MiB; 7 of 8 MiB; 9 of 6 MiB
|    bytes  in  kind             function               where
|   84 MiB   7  activations      attention              lab/net.py:54
|   60 MiB  12  temporary        MmBackward0::apply
|   56 MiB  10  activations      forward                lab/net.py:31
|   54 MiB   9  optimizer state  <module>               lab/train.py:88
|   45 MiB   9  gradients        AccumulateGrad::apply
|   18 MiB  12  unknown          remember               lab/plots.py:9
|
| CARRIED FROM STEP TO STEP
|    bytes  in  kind     function  where
|   18 MiB  12  unknown  remember  lab/plots.py:9
|
| FREE  29 MiB of what is reserved
|   cache        0 B in 0 whole segments; empty_cache returns it
|   fragments    29 MiB that empty_cache does not return; 1 block of less than 2 MiB between two gaps
|   segments     6 of 2 to 64 MiB (112 MiB)
|   largest gaps 18.5 MiB of a segment of 20 MiB, beside remember lab/plots.py:9
|                8 MiB of a segment of 20 MiB, beside remember lab/plots.py:9
|                1 MiB of a segment of 20 MiB, beside remember lab/plots.py:9
|
| ALLOCATOR
|   device       taken from it 7 times (124 MiB), given back 1 time (12 MiB)
|   its time     at most 175 µs, by the times of the events before each; in retries at least 25.0 µs
|   retries      1 request gave 12 MiB back and asked the device again
|   life spans   median 225 µs, 99 % up to 800 µs, longest 800 µs
# Requests that are refused for other reasons: others on the card, the device itself, a limit, another stream, private pools.
$ python3 -c "import pickle; M = 1 << 20; f = lambda n: [{'filename': n + '.py', 'line': 3, 'name': n}]; b = lambda a, n, s, w: {'address': a, 'size': n * M, 'requested_size': n * M, 'state': s, 'frames': f(w)}; S = lambda a, n, p, bs: {'address': a, 'total_size': n * M, 'allocated_size': 0, 'active_size': 0, 'segment_type': 'large', 'segment_pool_id': p, 'blocks': bs}; oom = lambda n, left: {'action': 'oom', 'size': n * M, 'device_free': left * M, 'stream': 0, 'frames': f('ask')}; pickle.dump({'segments': [S(1 << 30, 100, (0, 0), [b(1 << 30, 40, 'active_allocated', 'old'), b((1 << 30) + 40 * M, 30, 'active_pending_free', 'new'), b((1 << 30) + 70 * M, 30, 'inactive', 'none')]), S(1 << 32, 50, (0, 1), [b(1 << 32, 50, 'inactive', 'none')])], 'device_traces': [[{'action': 'alloc', 'addr': (1 << 30) + 40 * M, 'size': 30 * M, 'frames': f('new')}, {'action': 'free_requested', 'addr': (1 << 30) + 40 * M, 'size': 30 * M, 'frames': []}, oom(60, 10), oom(45, 20), oom(300, 250)]]}, open('refused.pickle', 'wb'))"
$ tscope analyze --device-memory 200MiB ./refused.pickle | sed '/^WHAT/,$d'
| refused.pickle: device 0 ran out of memory, holding 70 MiB
| 5 events, 2 segments, 4 stacks
|
| OUT OF MEMORY  3 requests refused
|   event 2      ask (ask.py:3) asked for 60 MiB. The device had 10 MiB left; the allocator held 150
|                MiB, of which 70 MiB were in use. Of the device's 200 MiB, 40 MiB were held outside
|                of the allocator: by other programs, other libraries or CUDA itself.
|                In segments that could have served it 30 MiB were free, the largest gap has 30 MiB:
|                even in one piece with what the device had left that is 20 MiB too little. 50 MiB
|                more were free in segments of other pools.
|                Most was held by old (old.py:3) with 40 MiB (before recording), new (new.py:3) with
|                30 MiB (unknown). Of what was in use 40 MiB were there before recording began. Of
|                what was in use 30 MiB had been let go of, but another stream had not finished with
|                it.
|   event 3      ask (ask.py:3) asked for 45 MiB. The device had 20 MiB left; the allocator held 150
|                MiB, of which 70 MiB were in use. Of the device's 200 MiB, 30 MiB were held outside
|                of the allocator: by other programs, other libraries or CUDA itself.
|                In segments that could have served it 30 MiB were free, the largest gap has 30 MiB:
|                it would have fitted, had that been in one piece with what the device had left. 50
|                MiB more were free in segments of other pools.
|                old (old.py:3) holds 40 MiB in the segment that has most free memory, 30 MiB; what is
|                in use there (2 blocks) keeps it from being given back. Of what was in use 40 MiB
|                were there before recording began. Of what was in use 30 MiB had been let go of, but
|                another stream had not finished with it.
|   event 4      ask (ask.py:3) asked for 300 MiB. The device had 250 MiB left; the allocator held 150
|                MiB, of which 70 MiB were in use. The whole device has 200 MiB.
|                In segments that could have served it 30 MiB were free, the largest gap has 30 MiB:
|                even in one piece with what the device had left that is 20 MiB too little. 50 MiB
|                more were free in segments of other pools.
|                Most was held by old (old.py:3) with 40 MiB (before recording), new (new.py:3) with
|                30 MiB (unknown). Of what was in use 40 MiB were there before recording began. Of
|                what was in use 30 MiB had been let go of, but another stream had not finished with
|                it.
|
$ tscope analyze --device-memory 500MiB ./refused.pickle | grep -A1 head-room
|   head-room    350 MiB of 500 MiB; 340 MiB were held outside of the allocator when a request was
|                refused
$ python3 -c "import pickle; pickle.dump({'segments': [], 'device_traces': [[{'action': 'oom', 'size': 5 << 20, 'device_free': 16 << 20, 'stream': 0}, {'action': 'oom', 'size': 5 << 20, 'device_free': 20 << 20, 'stream': 0}]]}, open('limit.pickle', 'wb'))"
$ tscope analyze ./limit.pickle | sed '/^MEMORY/,$d'
| limit.pickle: device 0 ran out of memory, holding 0 B
| 2 events, 0 segments, 0 stacks
|
| OUT OF MEMORY  2 requests refused
|   event 0      code that no stack names asked for 5 MiB. The device had 16 MiB left; the allocator
|                held 0 B, of which 0 B were in use. For such a request the allocator takes 20 MiB of
|                the device.
|                In segments that could have served it nothing was free.
|                Nothing was in use.
|   event 1      code that no stack names asked for 5 MiB. The device had 20 MiB left; the allocator
|                held 0 B, of which 0 B were in use. That would have been enough: a limit on the
|                process refused it (torch.cuda.set_per_process_memory_fraction), or another program
|                held more just then.
|                In segments that could have served it nothing was free.
|                Nothing was in use.
|
| WHAT TO TRY  memory limits the run: 2 requests were refused
|   the snapshot shows no fix of the playbook that would save memory at the peak
|
| FINDINGS
|   HIGH    Memory ran out (MEMORY.OUT_OF_MEMORY)
|           A request of 5 MiB was refused although the device had 16 MiB left: by a limit on the
|           process, or because the allocator asks the device for more at once.
|           try: Where the device had enough left, raise the limit on the process, or look at what
|           else uses the device. Otherwise use a smaller batch or accumulate gradients, recompute
|           activations, shard or shrink the optimizer's state, and let go of what is carried from
|           step to step; tscope analyze --at oom SNAPSHOT shows what was held.
|
# A snapshot of several devices, packed; the one whose request was refused is shown.
$ tscope analyze --device-memory 1GiB ./memory/newest4.pickle.gz
| newest4.pickle.gz: device 1 ran out of memory, holding 1 MiB
| 7 events, 1 segment, 3 stacks
|
| OUT OF MEMORY  1 request refused
|   event 3      backward (über/größe.py:7) asked for 8 GiB. The device had 12.1 KiB left; the
|                allocator held 6 MiB, of which 1 MiB were in use. The whole device has 1 GiB.
|                In segments that could have served it nothing was free: with what the device had left
|                that is 8 GiB too little. 4 MiB more were free in segments of other pools or of other
|                streams or for requests of up to 1 MiB.
|                Most was held by f0 with 1 MiB (unknown), code that no stack names with 3 B (before
|                recording).
|
| WHAT TO TRY  memory limits the run: a request of 8 GiB was refused
|   the snapshot shows no fix of the playbook that would save memory at the peak
|
| FINDINGS
|   HIGH    Memory ran out (MEMORY.OUT_OF_MEMORY)
|           A request of 8 GiB was refused: 0 B were free in segments that could have served it, the
|           device had 12.1 KiB left, and even in one piece that is 8 GiB too little.
|           try: Where the device had enough left, raise the limit on the process, or look at what
|           else uses the device. Otherwise use a smaller batch or accumulate gradients, recompute
|           activations, shard or shrink the optimizer's state, and let go of what is carried from
|           step to step; tscope analyze --at oom SNAPSHOT shows what was held.
|
| MEMORY  device 1: 4 MiB reserved, 1 MiB allocated
|   requested    ▁▁█████  3 B to 1 MiB
|   reserved     ▁███▁▁▁  4 MiB to 6 MiB
|   peak         1 MiB, after event 2 of 7; the blocks took at least 2 MiB
|   baseline     3 B before the first event, exact if recording went on until the snapshot
|   at the end   1 MiB requested in 2 blocks; rounding takes 1 MiB more
|   head-room    1018 MiB of 1 GiB; 1018 MiB were held outside of the allocator when a request was
|                refused
|
| BY KIND
|                                                    at peak  at end  asked for
|   before recording ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░      3 B     3 B        0 B
|   unknown          ██████████████████████████████    1 MiB   1 MiB      1 MiB
|
| HELD AT THE PEAK
|   bytes  in  kind              function  where
|   1 MiB   1  unknown           f0
|     3 B   1  before recording  no stack
|
| HELD AT THE END
|   bytes  in  kind              function  where
|   1 MiB   1  unknown           f0
|     3 B   1  before recording  no stack
|
| ASKED FOR  sizes: 1 of 1 MiB
|   bytes  in  kind     function  where
|   1 MiB   1  unknown  f0
|
| FREE  2 MiB of what is reserved
|   cache        0 B in 0 whole segments; empty_cache returns it
|   fragments    2 MiB that empty_cache does not return
|   segments     1 of 2 to 64 MiB (4 MiB)
|   largest gaps 2 MiB of a segment of 4 MiB
|   expandable   4 MiB in 1 segment
|   pools        2 MiB of the fragments belong to private pools
|
| ALLOCATOR
|   device       taken from it 2 times (6 MiB), given back 1 time (2 MiB)
|   its time     at most 0 s, by the times of the events before each
|
| OTHER DEVICES
|   device 0     peak 26.3 KiB, at the end 26 KiB requested, 350 KiB reserved
|
| NOT CHECKED
|   MEMORY.CARRIED: the events have fewer than two ends of steps
|
| NOT READ
|   values       1 value
# Without a history there is no peak to speak of, which is no zero.
$ tscope analyze ./memory/list.pickle
| list.pickle: device 2 holds 1 KiB of 20 MiB reserved
| 0 events, 1 segment, 2 stacks
|
| MEMORY  device 2: 20 MiB reserved, 0 B allocated
|   peak         unknown: the snapshot has no history (torch.cuda.memory._record_memory_history)
|   at the end   1 KiB requested in 1 block; rounding takes 0 B more
|   head-room    not known: the snapshot does not say what the device has (--device-memory does)
|
| BY KIND
|                                                at peak  at end  asked for
|   unknown      ██████████████████████████████  unknown   1 KiB    unknown
|
| HELD AT THE END
|   bytes  in  kind     function  where
|   1 KiB   1  unknown  no stack
|
| FREE  20 MiB of what is reserved
|   cache        0 B in 0 whole segments; empty_cache returns it
|   fragments    20 MiB that empty_cache does not return
|   segments     1 of 2 to 64 MiB (20 MiB)
|   largest gaps 20 MiB of a segment of 20 MiB
|
| OTHER DEVICES
|   device 0     peak unknown, at the end 300 B requested, 2 MiB reserved
|
| NOT CHECKED
|   MEMORY.OUT_OF_MEMORY, MEMORY.OOM_FRAGMENTED, MEMORY.RETRIES, MEMORY.EMPTIED, MEMORY.CARRIED,
|     MEMORY.GRADIENTS_KEPT, MEMORY.OPTIMIZER_STATE, MEMORY.CHURN: the snapshot has no history
|     (torch.cuda.memory._record_memory_history)
$ COLUMNS=60 tscope analyze ./memory/early.pickle | tail -n 5
|     MEMORY.CHURN: the snapshot has no history
|     (torch.cuda.memory._record_memory_history)
|
| NOT READ
|   unknown keys odd (20 times)
$ tscope analyze --json ./memory/oom.pickle | python3 -c "import json,sys; d = json.load(sys.stdin)['devices'][0]; print(d['history']['peak_bytes'], d['refused'][0]['lines'][1], [k['kind'] for k in d['kinds']])"
| 113246212 In segments that could have served it 29 MiB were free, the largest gap has 18.5 MiB: it would have fitted, had the free memory been in one piece. ['unknown', 'parameters', 'gradients', 'optimizer state', 'activations', 'temporary', 'recomputation', 'autocast copies', 'kept by forward', 'before recording', 'made in constructors', 'workspaces']
# Findings are asked by the same policy, and set the exit code.
$ tscope analyze --fail-on high --quiet ./memory/oom.pickle | head -n 1
| oom.pickle: device 0 ran out of memory, holding 83 MiB
$ tscope analyze --fail-on high ./memory/early.pickle > none.txt
$ printf 'MEMORY.CARRIED = off\nMEMORY.OOM_FRAGMENTED = off\nMEMORY.RETRIES.min_retries = 2\n' > lax.policy; tscope analyze --policy lax.policy --fail-on low --device-memory 128MiB --json ./memory/oom.pickle | python3 -c "import json,sys; d = json.load(sys.stdin)['devices'][0]; print([(f['severity'], f['code'], f['detail']) for f in d['findings']], d['unchecked'])"
| [('high', 'MEMORY.HEADROOM', '4 MiB of the 128 MiB that the device has were never reserved.')] [{'code': 'MEMORY.OOM_FRAGMENTED', 'reason': 'the policy switched the rule off', 'ranks': []}, {'code': 'MEMORY.CARRIED', 'reason': 'the policy switched the rule off', 'ranks': []}]
$ tscope analyze --device-memory "NVIDIA A100-SXM4-80GB" ./memory/oom.pickle | grep -A 1 head-room
|   head-room    79.9 GiB of 80 GiB; 79.9 GiB were held outside of the allocator when a request was
|                refused
$ tscope analyze --device-memory A100 ./memory/oom.pickle
! tscope: analyze: --device-memory 'A100': the name of the device does not say how much memory it has, and the table of devices does not either; it takes a size with its unit, such as 80GiB, or a name, such as 'NVIDIA A100-SXM4-80GB'
[2]
$ tscope analyze --device-memory 'Tesla T4' ./runs/joined | grep 'of 1. GiB'
|   device       ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  0.0 %  of 16 GiB
$ tscope explain MEMORY.OOM_FRAGMENTED
| MEMORY.OOM_FRAGMENTED
| Memory ran out in pieces.
|
| Fires when
|   a request was refused although at least as much was free in segments that
|   could have served it, alone or with what was left on the device, by a memory
|   snapshot.
|
| Severity
|   high.
|
| What to try
|   Let segments expand (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True) if they
|   do not; allocate what stays for long, such as caches and copies for plots,
|   before the training's tensors or on the host; keep shapes the same from step
|   to step.
|
| Source
|   new in tscope: Axolotl's analyze_profile.py counts cached segments as
|   fragmentation, which the allocator gives back before it refuses a request.
|
| Thresholds
|   This rule has no thresholds.
|
| In a policy file
|   MEMORY.OOM_FRAGMENTED = off
# What would fit: from snapshots of one training at several sizes, whose needs are known from how they were made (24 MiB and 5 a sample).
$ tscope analyze ./memory/batch2.pickle --with ./memory/batch8.pickle --with ./memory/batch4.pickle --scale batch=2,8,4 --device-memory 1GiB | sed -n '/WHAT WOULD FIT/,/^MEMORY/p'
| WHAT WOULD FIT  the largest batch that fits in 1 GiB is 181 (between 127 and 200)
|   most in                 at 2    at 4    at 8   fixed  each more  off by
|   forward and backward  34 MiB  44 MiB  64 MiB  24 MiB      5 MiB     0 B
|   optimizer             36 MiB  36 MiB  36 MiB  36 MiB        0 B     0 B
|   other                  8 MiB   8 MiB   8 MiB   8 MiB        0 B     0 B
|   in forward and backward    at 2    at 4    at 8   fixed  each more  off by
|   parameters                8 MiB   8 MiB   8 MiB   8 MiB        0 B     0 B
|   optimizer state          16 MiB  16 MiB  16 MiB  16 MiB        0 B     0 B
|   activations               8 MiB  16 MiB  32 MiB     0 B      4 MiB     0 B
|   temporary                 2 MiB   4 MiB   8 MiB     0 B      1 MiB     0 B
|   assumed      each part of a step needs a fixed part and one that grows with the batch; the upper
|                bound has nothing lost by the allocator, the lower one as large a share as in any of
|                the snapshots and up to 20 % more, because losses grow with the size; both take the
|                largest distance from the line
|
| MEMORY  device 0: 36 MiB reserved, 24 MiB allocated
$ tscope analyze ./memory/batch4.pickle --with ./memory/batch8.pickle --scale length=4,8 | sed -n '/WHAT WOULD FIT/,/at 4/p'
| WHAT WOULD FIT  not known: the snapshots do not say what the device has (--device-memory does)
|   most in                 at 4    at 8   fixed  each more   off by
$ tscope analyze ./memory/batch4.pickle --with ./memory/batch8.pickle --scale length=4,8 --device-memory 1GiB --json | python3 -c "import json,sys; f = json.load(sys.stdin)['fit']; print(f['least_size'], f['likely_size'], f['most_size'], f['parts'][0])"
| 39.0 None 200.0 {'fixed_bytes': 25165824.0, 'per_unit_bytes': 5242880.0, 'per_square_bytes': 0.0, 'off_bytes': None}
$ tscope analyze ./memory/batch4.pickle --with ./memory/batch8.pickle
! tscope: analyze: --with needs --scale, which says the sizes of the snapshots: --scale batch=8,16
[2]
$ tscope analyze ./memory/batch4.pickle --scale batch=4
! tscope: analyze: what would fit needs snapshots of at least two sizes
[2]
$ tscope analyze ./memory/batch4.pickle --with ./memory/batch8.pickle --scale batch=4
! tscope: analyze: --scale batch=4 has 1 size for 2 snapshots (the first, and those of --with)
[2]
$ tscope analyze ./memory/batch4.pickle --with ./memory/batch8.pickle --scale batch=4,4
! tscope: analyze: two snapshots have the size 4
[2]
$ tscope analyze ./memory/batch4.pickle --with ./memory/batch8.pickle --scale width=4,8
! tscope: analyze: --scale width=4,8: it takes batch=N,N,... or length=N,N,...
[2]
$ tscope analyze ./memory/batch4.pickle --with ./memory/batch8.pickle --scale batch=4,-8
! tscope: analyze: --scale batch=4,-8: each size is a number above 0
[2]
$ tscope analyze ./memory/batch4.pickle --with ./memory/list.pickle --scale batch=4,8
! tscope: analyze: the peak of size 8 is not known: the snapshot has no history (torch.cuda.memory._record_memory_history)
[2]
$ tscope analyze ./memory/batch4.pickle --with ./memory/none.pickle --scale batch=4,8
! tscope: analyze: ./memory/none.pickle: No such file or directory
[2]
# A moment: the event with its stack, what was in use and for what, the segments, and the blocks around the event.
$ tscope show --at 60 ./memory/oom.pickle
| oom.pickle: device 0 holds 87.5 MiB after event 60
| 146 events; --at takes any of them, start, peak, end or oom
|
| EVENT
|   what         alloc of 1.5 MiB at 0x7e0400d80000, stream 0
|   time         1750000000001525 µs since 1970
|   memory       1.5 MiB (unknown), allocated by event 60 in remember lab/plots.py:9, never freed
|   phase        unknown by its stack
|   stack        remember (/home/ada/lab/plots.py:9)
|                <module> (/home/ada/lab/train.py:88)
|
| MEMORY
|   requested    87.5 MiB in 16 blocks
|   reserved     104 MiB in 6 segments; 16.5 MiB free, the largest gap has 10.5 MiB
|
| BY KIND
|                                                      bytes  blocks
|   parameters      █████░░░░░░░░░░░░░░░░░░░░░░░░░    15 MiB       3
|   optimizer state ██████████░░░░░░░░░░░░░░░░░░░░    30 MiB       3
|   activations     ███████████░░░░░░░░░░░░░░░░░░░    32 MiB       3
|   unknown         ████░░░░░░░░░░░░░░░░░░░░░░░░░░  10.5 MiB       7
|
| HELD
|      bytes  in  kind             function   where
|     45 MiB   6  optimizer state  <module>   lab/train.py:88
|     24 MiB   2  activations      attention  lab/net.py:54
|   10.5 MiB   7  unknown          remember   lab/plots.py:9
|      8 MiB   1  activations      forward    lab/net.py:31
|
| LARGEST STACKS
|   30 MiB       _init_group (/venv/lib/python3.12/site-packages/torch/optim/adamw.py:134) < wrapper
|                (/venv/lib/python3.12/site-packages/torch/optim/optimizer.py:493) < <module>
|                (/home/ada/lab/train.py:88)
|   24 MiB       attention (/home/ada/lab/net.py:54) < forward (/home/ada/lab/net.py:29) < _call_impl
|                (/venv/lib/python3.12/site-packages/torch/nn/modules/module.py:1790) < <module>
|                (/home/ada/lab/train.py:88)
|   15 MiB       convert (/venv/lib/python3.12/site-packages/torch/nn/modules/module.py:1325) < _apply
|                (/venv/lib/python3.12/site-packages/torch/nn/modules/module.py:915) < <module>
|                (/home/ada/lab/train.py:88)
|
| SEGMENTS  █ in use, ▒ from half, ░ below half, · free; > that of the event
|       bytes    in use      free  largest gap  map
|   >  20 MiB    15 MiB     5 MiB        5 MiB  █████████████████████████████████████████████···············
|      20 MiB  19.5 MiB   512 KiB      512 KiB  ██████████████████████████████████████████████████████████▒·
|      20 MiB  19.5 MiB   512 KiB      512 KiB  ██████████████████████████████████████████████████████████▒·
|      20 MiB   9.5 MiB  10.5 MiB     10.5 MiB  ████████████████████████████▒·······························
|      12 MiB    12 MiB       0 B          0 B  ████████████████████████████████████████████████████████████
|      12 MiB    12 MiB       0 B          0 B  ████████████████████████████████████████████████████████████
|
| AROUND IT  a segment of 20 MiB from 0x7e0400000000 on
|             at    bytes  what         since  function   where
|           +0 B   12 MiB  activations     54  attention  lab/net.py:54
|        +12 MiB  1.5 MiB  unknown         57  remember   lab/plots.py:9
|   >  +13.5 MiB  1.5 MiB  unknown         60  remember   lab/plots.py:9
|        +15 MiB    5 MiB  free
$ tscope analyze --at oom ./memory/oom.pickle
| oom.pickle: device 0 holds 83 MiB after event 145
| 146 events; --at takes any of them, start, peak, end or oom
|
| EVENT
|   what         oom: a request of 24 MiB was refused; the device had 16 MiB left
|   time         1750000000003650 µs since 1970
|   phase        forward by its stack
|   stack        attention (/home/ada/lab/net.py:54)
|                forward (/home/ada/lab/net.py:29)
|                _call_impl (/venv/lib/python3.12/site-packages/torch/nn/modules/module.py:1790)
|                <module> (/home/ada/lab/train.py:88)
|
| MEMORY
|   requested    83 MiB in 20 blocks
|   reserved     112 MiB in 6 segments; 29 MiB free, the largest gap has 18.5 MiB
|
| BY KIND
|                                                    bytes  blocks
|   parameters      █████░░░░░░░░░░░░░░░░░░░░░░░░░  15 MiB       3
|   optimizer state ███████████░░░░░░░░░░░░░░░░░░░  30 MiB       3
|   activations     ████░░░░░░░░░░░░░░░░░░░░░░░░░░  12 MiB       1
|   unknown         █████████░░░░░░░░░░░░░░░░░░░░░  26 MiB      13
|
| HELD
|    bytes  in  kind             function   where
|   45 MiB   6  optimizer state  <module>   lab/train.py:88
|   18 MiB  12  unknown          remember   lab/plots.py:9
|   12 MiB   1  activations      attention  lab/net.py:54
|    8 MiB   1  unknown          forward    lab/net.py:31
|
| LARGEST STACKS
|   30 MiB       _init_group (/venv/lib/python3.12/site-packages/torch/optim/adamw.py:134) < wrapper
|                (/venv/lib/python3.12/site-packages/torch/optim/optimizer.py:493) < <module>
|                (/home/ada/lab/train.py:88)
|   18 MiB       remember (/home/ada/lab/plots.py:9) < <module> (/home/ada/lab/train.py:88)
|   15 MiB       convert (/venv/lib/python3.12/site-packages/torch/nn/modules/module.py:1325) < _apply
|                (/venv/lib/python3.12/site-packages/torch/nn/modules/module.py:915) < <module>
|                (/home/ada/lab/train.py:88)
|
| SEGMENTS  █ in use, ▒ from half, ░ below half, · free; > that of the event
|       bytes    in use      free  largest gap  map
|   >  20 MiB   1.5 MiB  18.5 MiB     18.5 MiB  ████▒·······················································
|      20 MiB  19.5 MiB   512 KiB      512 KiB  ██████████████████████████████████████████████████████████▒·
|      20 MiB  19.5 MiB   512 KiB      512 KiB  ██████████████████████████████████████████████████████████▒·
|      20 MiB    11 MiB     9 MiB        8 MiB  ████████████████████████████▒·······················░████···
|      20 MiB  19.5 MiB   512 KiB      512 KiB  ██████████████████████████████████████████████████████████▒·
|      12 MiB    12 MiB       0 B          0 B  ████████████████████████████████████████████████████████████
|
| AROUND IT  a segment of 20 MiB from 0x7e0600000000 on
|            at     bytes  what     since  function  where
|          +0 B   1.5 MiB  unknown    106  remember  lab/plots.py:9
|   >  +1.5 MiB  18.5 MiB  free
$ tscope show ./memory/early.pickle | head -n 1
| early.pickle: device 1 holds 1 MiB at the end
$ tscope show --at start --device 0 ./memory/newest4.pickle | head -n 8
| newest4.pickle: device 0 holds 0 B before the first event
| 1,003 events; --at takes any of them, start, peak, end or oom
|
| MEMORY
|   requested    0 B in 0 blocks
|   reserved     350 KiB in 1 segment; 350 KiB free, the largest gap has 350 KiB
|
| BY KIND
$ tscope show --json --at 3 ./memory/newest4.pickle | python3 -c "import json,sys; d = json.load(sys.stdin); print(d['device'], d['action'], d['about'], d['calls'], d['requested_bytes'])"
| 1 oom {'address': 12345, 'bytes': 8589934592, 'stream': 7, 'time_us': 1700000000017524} ['torch::autograd::Engine::thread_main', 'backward (über/größe.py:7)'] 1048579
$ tscope analyze --at 146 ./memory/oom.pickle
! tscope: analyze: --at 146: device 0 has the events 0 to 145
[2]
$ tscope analyze --at middle ./memory/oom.pickle
! tscope: analyze: --at middle: it takes the number of an event, start, peak, end or oom
[2]
$ tscope show --at oom --device 0 ./memory/newest4.pickle
! tscope: show: --at oom: no request was refused on device 0
[2]
$ tscope show --at 5 ./memory/list.pickle
! tscope: show: --at 5: device 2 has no events
[2]
$ tscope analyze --device 7 ./memory/oom.pickle
! tscope: analyze: --device 7: the snapshot has no segments or events of it
[2]
$ tscope show --at peak ./runs/base
! tscope: show: the run has no memory snapshot
[2]
# What executes is refused by name and byte; a cut file and options of runs, too.
$ printf '\200\004cos\nsystem\n(S"true"\ntR.' > evil.pickle; tscope analyze ./evil.pickle
! tscope: ./evil.pickle: byte 2 of the pickle: opcode GLOBAL is refused: it would import a name, and a snapshot is plain data
[2]
$ head -c 1500 memory/oom.pickle > cut.pickle; tscope analyze ./cut.pickle | grep -e '^cut.pickle' -e 'peak   ' -e '  cut ' -A 1
| cut.pickle: device 0 holds at least 51 MiB of at least 52 MiB reserved
| 0 events, 3 segments, 4 stacks
| --
|   peak         unknown: the file ends before the place of the history, so that none of it is known
|   at the end   51 MiB requested in 10 blocks; rounding takes 0 B more
| --
|   cut          the file ends; what stands before is read, to byte 1495 of the pickle, so that more
|                segments, and all events, may be missing
$ python3 -c 'd = bytearray(open("memory/newest4.pickle.gz", "rb").read()); d[-8] ^= 1; open("damaged.pickle.gz", "wb").write(d)'; tscope analyze ./damaged.pickle.gz | grep -e '^damaged' -e '  cut ' -A 1
| damaged.pickle.gz: the file is damaged, and any number may be wrong: device 1 ran out of memory, holding 1 MiB
| 7 events, 1 segment, 3 stacks
| --
|   cut          what was packed is damaged, so that any number may be wrong; it is read to byte
|                134175 of the pickle
$ tscope analyze ./damaged.pickle.gz --json | grep -e '"cut"' -e '"damaged"'
|     "cut": true,
|     "damaged": true,
$ head -c 5000 memory/oom.pickle > cut.pickle; tscope analyze ./cut.pickle
| cut.pickle: device 0 holds 83 MiB of 112 MiB reserved
| 0 events, 6 segments, 8 stacks
|
| MEMORY  device 0: 112 MiB reserved, 83 MiB allocated
|   peak         unknown: the file ends within the history, so that none of it can be counted
|   at the end   83 MiB requested in 20 blocks; rounding takes 0 B more
|   head-room    not known: the snapshot does not say what the device has (--device-memory does)
|
| BY KIND
|                                                at peak  at end  asked for
|   parameters   █████░░░░░░░░░░░░░░░░░░░░░░░░░  unknown  15 MiB    unknown
|   unknown      █████████████████████████░░░░░  unknown  68 MiB    unknown
|
| HELD AT THE END
|    bytes  in  kind     function   where
|   45 MiB   6  unknown  <module>   lab/train.py:88
|   18 MiB  12  unknown  remember   lab/plots.py:9
|   12 MiB   1  unknown  attention  lab/net.py:54
|    8 MiB   1  unknown  forward    lab/net.py:31
|
| FREE  29 MiB of what is reserved
|   cache        0 B in 0 whole segments; empty_cache returns it
|   fragments    29 MiB that empty_cache does not return; 1 block of less than 2 MiB between two gaps
|   segments     6 of 2 to 64 MiB (112 MiB)
|   largest gaps 18.5 MiB of a segment of 20 MiB, beside remember lab/plots.py:9
|                8 MiB of a segment of 20 MiB, beside remember lab/plots.py:9
|                1 MiB of a segment of 20 MiB, beside remember lab/plots.py:9
|
| NOT CHECKED
|   MEMORY.OUT_OF_MEMORY, MEMORY.OOM_FRAGMENTED, MEMORY.RETRIES, MEMORY.EMPTIED, MEMORY.CARRIED,
|     MEMORY.GRADIENTS_KEPT, MEMORY.OPTIMIZER_STATE, MEMORY.CHURN: the file ends within the history,
|     so that none of it can be counted
|
| NOT READ
|   cut          the file ends; what stands before is read, to byte 5000 of the pickle, but for 44
|                events of the history in which it ends: levels are counted back from its last event
$ printf '\200\004]q\000.' > none.pickle; tscope analyze ./none.pickle
| none.pickle: a snapshot without any segment or event
$ tscope analyze --rows ./memory/oom.pickle
! tscope: analyze: --rows is for runs, and ./memory/oom.pickle is a memory snapshot
[2]
$ tscope analyze --html page.html --at 3 ./memory/oom.pickle
! tscope: analyze: --html is for the whole snapshot, and --at for one moment as text
[2]
$ tscope analyze --html - --json ./memory/oom.pickle
| {
|   "error": {
|     "status": "invalid",
|     "message": "analyze: --html - writes to stdout, and so does --json; give --html the name of a file"
|   }
| }
! tscope: analyze: --html - writes to stdout, and so does --json; give --html the name of a file
[2]
# The page of a snapshot: areas by kind over the events, and what is in use where the pointer is.
$ tscope analyze --html page.html ./memory/oom.pickle | head -n 1; sed -n '/after event 108:/,/title>/p' page.html
| oom.pickle: device 0 ran out of memory, holding 83 MiB
| <rect class="place" x="618.1" y="18.0" width="9.0" height="336.0"><title>after event 108: 108 MiB in use, 124 MiB reserved
| 5 MiB temporary
| 40 MiB activations
| 4 B kept by forward
| 18 MiB unknown
| 30 MiB optimizer state
| 15 MiB parameters
| largest blocks:
| 12 MiB optimizer state, &lt;module&gt; lab/train.py:88
| 12 MiB optimizer state, &lt;module&gt; lab/train.py:88
| 12 MiB activations, attention lab/net.py:54</title></rect>
! tscope: wrote page.html
# Names are foreign: they can move no cursor, break no line and order nothing of a job's log.
$ python3 -c "import pickle; f = [{'filename': '/x/\x1b[31m\n.py', 'line': 3, 'name': '::error ::\x1b]0;evil\x07'}]; pickle.dump({'segments': [{'total_size': 512, 'allocated_size': 512, 'active_size': 512, 'address': 0, 'blocks': [{'size': 512, 'requested_size': 500, 'state': 'active_allocated', 'frames': f}]}], 'device_traces': [[{'action': 'oom', 'size': 9, 'device_free': 1, 'frames': f}]], '\x1b': 1}, open('foreign.pickle', 'wb'))"
$ tscope analyze ./foreign.pickle
| foreign.pickle: device 0 ran out of memory, holding 500 B
| 1 event, 1 segment, 1 stack
|
| OUT OF MEMORY  1 request refused
|   event 0      \x3A:\x1B]0;evil\x07 (/x/\x1B[31m\n.py:3) asked for 9 B. The device had 1 B left; the
|                allocator held 512 B, of which 500 B were in use.
|                In segments that could have served it nothing was free: with what the device had left
|                that is 8 B too little.
|                Most was held by \x3A:\x1B]0;evil\x07 (/x/\x1B[31m\n.py:3) with 500 B (before
|                recording). Of what was in use 500 B were there before recording began.
|
| WHAT TO TRY  memory limits the run: a request of 9 B was refused
|   the snapshot shows no fix of the playbook that would save memory at the peak
|
| FINDINGS
|   HIGH    Memory ran out (MEMORY.OUT_OF_MEMORY)
|           A request of 9 B was refused: 0 B were free in segments that could have served it, the
|           device had 1 B left, and even in one piece that is 8 B too little.
|           try: Where the device had enough left, raise the limit on the process, or look at what
|           else uses the device. Otherwise use a smaller batch or accumulate gradients, recompute
|           activations, shard or shrink the optimizer's state, and let go of what is carried from
|           step to step; tscope analyze --at oom SNAPSHOT shows what was held.
|
| MEMORY  device 0: 512 B reserved, 512 B allocated
|   peak         500 B, before the first event; the blocks took at least 512 B
|   baseline     500 B before the first event, exact if recording went on until the snapshot
|   at the end   500 B requested in 1 block; rounding takes 12 B more
|   head-room    not known: the snapshot does not say what the device has (--device-memory does); by
|                the refused request it is at least 513 B
|
| BY KIND
|                                                    at peak  at end  asked for
|   before recording ██████████████████████████████    500 B   500 B        0 B
|
| HELD AT THE PEAK
|   bytes  in  kind              function              where
|   500 B   1  before recording  \x3A:\x1B]0;evil\x07  x/\x1B[31m\n.py:3
|
| HELD AT THE END
|   bytes  in  kind              function              where
|   500 B   1  before recording  \x3A:\x1B]0;evil\x07  x/\x1B[31m\n.py:3
|
| FREE  0 B of what is reserved
|   cache        0 B in 0 whole segments; empty_cache returns it
|   fragments    0 B that empty_cache does not return
|   segments     1 of less than 2 MiB (512 B)
|
| ALLOCATOR
|   device       taken from it 0 times (0 B), given back 0 times (0 B)
|
| NOT CHECKED
|   MEMORY.CARRIED: the events have fewer than two ends of steps
|
| NOT READ
|   unknown keys \x1B (1 time)
# Two snapshots: rows add up to what the peak grew by. The same one twice; a trace is none.
$ tscope diff ./memory/newest4.pickle.gz ./memory/oom.pickle
| A         ./memory/newest4.pickle.gz
| B         ./memory/oom.pickle
| devices   1 only in A, 0 only in B, which are not compared
|
| Device 0
| The peak grew by 108 MiB, from 26.3 KiB to 108 MiB: 30 MiB new from <module> (/home/ada/lab/train.py:88) through _init_group (/venv/lib/python3.12/site-packages/torch/optim/adamw.py:134), optimizer state, 24 MiB new from attention (/home/ada/lab/net.py:54), activations, 18 MiB new from remember (/home/ada/lab/plots.py:9), and 36 MiB more from all others.
|                                          A        B  difference
|   peak, requested                 26.3 KiB  108 MiB    +108 MiB
|   there before recording               0 B      0 B         0 B
|   most that was reserved           350 KiB  124 MiB    +124 MiB
|   reserved at the end              350 KiB  112 MiB    +112 MiB
|   allocated at the end              47 KiB   83 MiB     +83 MiB
|   requested at the end              26 KiB   83 MiB     +83 MiB
|   lost to rounding                  21 KiB      0 B     -21 KiB
|   cache that empty_cache returns       0 B      0 B         0 B
|   fragments that it does not       303 KiB   29 MiB   +28.7 MiB
|
| By kind
|   kind               peak A  peak B  difference   end A   end B  difference
|   parameters            0 B  15 MiB     +15 MiB     0 B  15 MiB     +15 MiB
|   gradients        11.8 KiB     0 B   -11.8 KiB  11 KiB     0 B     -11 KiB
|   optimizer state       0 B  30 MiB     +30 MiB     0 B  30 MiB     +30 MiB
|   activations         3 KiB  40 MiB     +40 MiB     0 B  12 MiB     +12 MiB
|   temporary             0 B   5 MiB      +5 MiB     0 B     0 B         0 B
|   kept by forward  11.5 KiB     4 B   -11.5 KiB  15 KiB     0 B     -15 KiB
|   unknown               0 B  18 MiB     +18 MiB     0 B  26 MiB     +26 MiB
|
| At the peak, by stack: 8 of 8 differ
|          A       B  difference        kind             function            where
|        0 B  30 MiB     +30 MiB  new   optimizer state  <module>            optim/adamw.py:134 < lab/train.py:88
|        0 B  24 MiB     +24 MiB  new   activations      attention           lab/net.py:54
|        0 B  18 MiB     +18 MiB  new   unknown          remember            lab/plots.py:9
|        0 B  16 MiB     +16 MiB  new   activations      forward             lab/net.py:31
|        0 B  15 MiB     +15 MiB  new   parameters       <module>            modules/module.py:1325 < lab/train.py:88
|        0 B   5 MiB      +5 MiB  new   temporary        MmBackward0::apply  ??
|   14.5 KiB     0 B   -14.5 KiB  gone  kept by forward  forward             models\net.py:41
|   11.8 KiB     0 B   -11.8 KiB  gone  gradients        backward            über/größe.py:7
|
| At the end, by stack: 7 of 7 differ
|        A       B  difference        kind             function   where
|      0 B  30 MiB     +30 MiB  new   optimizer state  <module>   optim/adamw.py:134 < lab/train.py:88
|      0 B  18 MiB     +18 MiB  new   unknown          remember   lab/plots.py:9
|      0 B  15 MiB     +15 MiB  new   parameters       <module>   modules/module.py:1325 < lab/train.py:88
|      0 B  12 MiB     +12 MiB  new   activations      attention  lab/net.py:54
|      0 B   8 MiB      +8 MiB  new   unknown          forward    lab/net.py:31
|   15 KiB     0 B     -15 KiB  gone  kept by forward  forward    models\net.py:41
|   11 KiB     0 B     -11 KiB  gone  gradients        backward   über/größe.py:7
[1]
$ tscope diff ./memory/newest4.pickle.gz ./memory/newest4.pickle
| A         ./memory/newest4.pickle.gz
| B         ./memory/newest4.pickle
|
| Device 0
| The peak is the same to the byte, 26.3 KiB.
|                                          A         B  difference
|   peak, requested                 26.3 KiB  26.3 KiB         0 B
|   there before recording               0 B       0 B         0 B
|   most that was reserved           350 KiB   350 KiB         0 B
|   reserved at the end              350 KiB   350 KiB         0 B
|   allocated at the end              47 KiB    47 KiB         0 B
|   requested at the end              26 KiB    26 KiB         0 B
|   lost to rounding                  21 KiB    21 KiB         0 B
|   cache that empty_cache returns       0 B       0 B         0 B
|   fragments that it does not       303 KiB   303 KiB         0 B
|
| By kind
|   kind               peak A    peak B  difference   end A   end B  difference
|   gradients        11.8 KiB  11.8 KiB         0 B  11 KiB  11 KiB         0 B
|   activations         3 KiB     3 KiB         0 B     0 B     0 B         0 B
|   kept by forward  11.5 KiB  11.5 KiB         0 B  15 KiB  15 KiB         0 B
|
| Device 1
| The peak is the same to the byte, 1 MiB.
|                                       A      B  difference
|   peak, requested                 1 MiB  1 MiB         0 B
|   there before recording            3 B    3 B         0 B
|   most that was reserved          6 MiB  6 MiB         0 B
|   reserved at the end             4 MiB  4 MiB         0 B
|   allocated at the end            1 MiB  1 MiB         0 B
|   requested at the end            1 MiB  1 MiB         0 B
|   lost to rounding                1 MiB  1 MiB         0 B
|   cache that empty_cache returns    0 B    0 B         0 B
|   fragments that it does not      2 MiB  2 MiB         0 B
|
| By kind
|   kind              peak A  peak B  difference  end A  end B  difference
|   before recording     3 B     3 B         0 B    3 B    3 B         0 B
|   unknown            1 MiB   1 MiB         0 B  1 MiB  1 MiB         0 B
$ tscope diff --curves ./memory/oom.pickle ./memory/list.pickle
! tscope: diff: --curves works with two runs, and these are memory snapshots
[2]
$ tscope diff ./memory/oom.pickle ./traced/trace.json
! tscope: diff: ./memory/oom.pickle is a memory snapshot, and ./traced/trace.json is none; give two of a kind
[2]
# The gate says which stack's memory grew by the snapshots of a baseline and the candidate; of the time of a step they say nothing.
$ for i in 1 2 3 4 5 6; do python3 runs/gate.py m$i time=0.100$i commit=0$i session=h$i started=170000${i}000; done; cp memory/batch4.pickle m6/snapshot.pickle; python3 runs/gate.py bad time=0.1003 peak=9663676416 commit=c1 session=x started=1700020000; cp memory/batch8.pickle bad/snapshot.pickle; tscope push -q --branch main m1 m2 m3 m4 m5 m6 | tail -1; tscope push -q bad | tail -1; tscope gate bad --baseline main --markdown gate.md >gate.txt; grep -A2 'holds more' gate.md; grep -c 'time went' gate.md
| 6 runs: 6 created
| outcome   created
| #### What holds more memory
|
| by their memory snapshots&#58; The peak grew by SIZE, from SIZE to SIZE&#58; SIZE more from forward (&#47;home&#47;ada&#47;lab&#47;net.py&#58;31), activations, SIZE more from MmBackward0&#58;&#58;apply, temporary.
| 0
[1]
$ tscope gate bad --baseline main | grep -A4 'holds more'
| What holds more memory
|   by their memory snapshots: The peak grew by 20 MiB, from 44 MiB to 64 MiB: 16 MiB more from forward (/home/ada/lab/net.py:31), activations, 4 MiB more from MmBackward0::apply, temporary.
|
| What else changed
|   loss: Both runs computed the same, bit for bit: 2 series of the trajectory agree over 200 steps
$ tscope gate bad --baseline main --json | python3 -c "import json,sys; d = json.load(sys.stdin); print([(w['kind'], w['baseline_s'], w['share_ratio']) for w in d['why']])"
| [('memory', None, None)]
$ python3 runs/gate.py slow time=0.15 commit=c2 session=y started=1700030000; cp memory/batch8.pickle slow/snapshot.pickle; tscope push -q slow | tail -1; tscope gate slow --baseline main | grep -c 'holds more'
| outcome   created
| 0
[1]
# A snapshot of a run: a moment of it, and the device's memory by the run's facts, unless it is given.
$ tscope show bad --at peak | head -n 12
| snapshot.pickle: device 0 holds 64 MiB after event 26
| 42 events; --at takes any of them, start, peak, end or oom
|
| EVENT
|   what         alloc of 8 MiB at 0x7e0000800000, stream 0
|   time         1750000000000675 µs since 1970
|   memory       8 MiB (temporary), allocated by event 26 in MmBackward0::apply, free from event 30 on
|   phase        backward by its stack
|   stack        torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor>&&)
|                torch::autograd::Engine::evaluate_function()
|
| MEMORY
$ tscope show bad --at peak >stored.txt; tscope show ./memory/batch8.pickle --at peak | sed 's/batch8.pickle/snapshot.pickle/' | diff - stored.txt && echo the same
| the same
$ tscope analyze bad --snapshot snapshot.pickle | grep head-room
|   head-room    79.9 GiB of 80 GiB (facts.json)
$ tscope analyze ./bad --snapshot snapshot.pickle | grep head-room
|   head-room    79.9 GiB of 80 GiB (facts.json)
# The file's own path says the same: the facts are those of the run that lies around it, of its rank.
$ tscope analyze ./bad --snapshot snapshot.pickle > named.txt; cd bad; for path in ../bad/snapshot.pickle ./snapshot.pickle $PWD/snapshot.pickle; do TSCOPE_SERVER=unix:stopped tscope analyze $path | diff ../named.txt - && echo the same; done
| the same
| the same
| the same
$ tscope analyze bad --snapshot snapshot.pickle --device-memory 1GiB | grep head-room
|   head-room    956 MiB of 1 GiB
$ tscope analyze bad --snapshot snapshot.pickle --json | python3 -c "import json,sys; d = json.load(sys.stdin)['devices'][0]; print(d['capacity_bytes'], d['capacity_source'], d['headroom_bytes'])"
| 85899345920 facts.json 85828042752
$ python3 runs/gate.py small gpu=T4; sed -i 's/"memory": [0-9]*/"memory": 67108864/' small/facts.json; cp memory/batch8.pickle small/rank0/snapshot.pickle; cp memory/batch4.pickle small/rank1/snapshot.pickle; cp memory/batch2.pickle small/rank1/memory.pickle; tscope push -q small | tail -1; tscope analyze small --snapshot snapshot.pickle --rank 0 | grep -A1 head-room
| outcome   created
|   head-room    none: SIZE (facts.json) is less than what was reserved
|
$ sed -i 's/, "memory": 67108864//' small/facts.json; tscope analyze ./small --snapshot memory.pickle | grep head-room
|   head-room    16 GiB of 16 GiB (table of devices)
$ tscope analyze ./small/rank1/memory.pickle | grep head-room; tscope analyze ./small --snapshot memory.pickle --rank 1 --json > named.json; tscope analyze --json ./small/rank1/memory.pickle | diff named.json - && echo the same
|   head-room    16 GiB of 16 GiB (table of devices)
| the same
$ tscope analyze ./small/rank1/memory.pickle --device-memory 1GiB | grep head-room
|   head-room    988 MiB of 1 GiB
$ cp -r small torn; echo '{' > torn/facts.json; tscope analyze ./torn/rank1/memory.pickle | grep head-room
|   head-room    not known: the snapshot does not say what the device has (--device-memory does)
! tscope: ./torn/rank1/memory.pickle: the facts of the run around it are left out: TMP/torn/facts.json: byte 2: the text ends inside an object, expected '"' or '}'
$ tscope show small --at end
! tscope: show: there are 3 memory snapshots, of which --snapshot and --rank choose one: snapshot.pickle of rank 0, memory.pickle of rank 1, snapshot.pickle of rank 1
[2]
$ tscope show small --snapshot snapshot.pickle
! tscope: show: ranks 0 and 1 have a file snapshot.pickle; say which with --rank
[2]
$ tscope show small --snapshot snapshot.pickle --rank 1 | head -n 2
| snapshot.pickle: device 0 holds 24 MiB after event 40
| 41 events; --at takes any of them, start, peak, end or oom
$ tscope show small --rank 0 --device 0 | head -n 1
| snapshot.pickle: device 0 holds 24 MiB after event 41
$ tscope show small --rank 7 --at end
! tscope: show: this rank has no memory snapshot
[2]
$ tscope show small --snapshot nothing.pickle
! tscope: show: the run has no file nothing.pickle; tscope show lists those that it has
[2]
$ tscope show ./memory/oom.pickle --rank 0
! tscope: show: --snapshot and --rank are for runs, and ./memory/oom.pickle is a memory snapshot
[2]
# Without a name that both have, the first of each is compared; what has no history is compared by its end.
$ mv bad/snapshot.pickle bad/memory.pickle; tscope push -q bad --name renamed | tail -1; tscope gate renamed --baseline main | grep -A1 'holds more' | cut -c 1-90
| outcome   created
| What holds more memory
|   by their memory snapshots: The peak grew by SIZE, from SIZE to SIZE: SIZE more f
$ rm bad/memory.pickle; cp memory/list.pickle bad/memory.pickle; tscope push -q bad --name elsewhere | tail -1; tscope gate elsewhere --baseline main | grep -A1 'holds more'
| outcome   created
| What holds more memory
|   by their memory snapshots: What is held at the end shrank by SIZE, from SIZE to SIZE: SIZE gone from <module> (/home/ada/lab/train.py:88) through _init_group (/venv/lib/python3.12/site-packages/torch/optim/adamw.py:134), optimizer state, SIZE gone from <module> (/home/ada/lab/train.py:88) through convert (/venv/lib/python3.12/site-packages/torch/nn/modules/module.py:1325), parameters, and SIZE more from all others.
# Of several ranks that whose memory grew most is named.
$ mkdir -p several; for run in m1 m2 m3 m4 m5 m6 bad; do cp -r $run several/$run; rm -f several/$run/*.pickle; for k in 0 1; do cp memory/batch4.pickle several/$run/rank$k/; done; done; cp memory/batch8.pickle several/bad/rank1/batch4.pickle; tscope gate ./several/bad $(printf ' --baseline ./several/m%d' 1 2 3 4 5 6) | grep -A1 'holds more' | cut -c 1-90
| What holds more memory
|   by their memory snapshots: rank 1: The peak grew by 20 MiB, from 44 MiB to 64 MiB: 16 Mi
# A run's snapshots are asked the same rules as one that stands alone, beside those on its steps: of the rank in whose folder or name it
# is; one of the job of which nothing says whose it is counts as one of the run.
$ cp -r demo/base held; mkdir -p held/rank2; cp memory/oom.pickle held/snapshot.pickle; cp traced/slower.json held/trace.json; tscope push -q held | tail -1; tscope analyze held --device-memory 130MiB | sed -n '/VERDICT/,/TIMING/p'
| outcome   created
| VERDICT
|   host-bound: 40 % of the wall time is spent outside all phases, and 23 % waiting for slower ranks
|   input         █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   1.7 %
|   compute       ████░░░░░░░░░░░░░░░░░░░░░░░░░░  12.0 %
|   communication ███████░░░░░░░░░░░░░░░░░░░░░░░  23.7 %
|   wait          ███████░░░░░░░░░░░░░░░░░░░░░░░  23.0 %
|   host          ████████████░░░░░░░░░░░░░░░░░░  39.6 %
|   try          share of wall time that each fix could save:
|                up to 39.6 %: find out what the time is spent on: record evaluation, checkpoint and
|                logging as phases of their own
|                up to 23.0 %: give all ranks the same amount of work: make batches of similar cost:
|                bucket or pack by length, use shards of similar size
|   memory       memory limits the run: a request of SIZE was refused
|   try          memory at the peak that each fix could save:
|                up to SIZE: let segments expand: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True,
|                set before the program starts (costs: torch calls the setting experimental)
|   check        fixes that may help; nothing recorded shows whether, or how much:
|                log less often: log at an interval of several steps. What tells: look how often the
|                loop prints or calls .item()
|   not known    Phases are measured on the host: without synchronization or a trace, GPU time counts
|                in the first phase that waits for it.
|                How close computing comes to the peak of the device is not known: the run does not
|                record work.flops_per_step.
|
| ● FINDINGS  3 high, 4 medium, 2 low, 9 of 60 rules unchecked
|   HIGH    Communication is exposed (DIST.EXPOSED_COMM)
|           Communication that overlaps with no computation takes 18 % of the devices' time, 12.0 ms
|           of 66.6 ms; 67 % of the communication is overlapped; how much of that is waiting for other
|           ranks, traces of all ranks in one folder would tell. This is rank 1; the other 2 ranks
|           could not be checked.
|           try: With DDP change the bucket size, and switch off the search for unused parameters
|           where it is on; with FSDP prefetch shards (backward_prefetch, forward_prefetch); keep the
|           ranks of tensor parallelism within a host, or start communication earlier.
|   HIGH    Memory ran out in pieces (MEMORY.OOM_FRAGMENTED)
|           A request of SIZE was refused although SIZE were free in segments that could have
|           served it and the device had SIZE left: the largest gap has SIZE.
|           try: Let segments expand (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True) if they do
|           not; allocate what stays for long, such as caches and copies for plots, before the
|           training's tensors or on the host; keep shapes the same from step to step.
|   HIGH    Little memory is left (MEMORY.HEADROOM)
|  SIZE of the SIZE that the device has were never reserved.
|           try: Use a smaller batch or accumulate gradients, recompute activations, or shard the
|           optimizer. A longer sequence may not fit.
|   and 6 more: medium TIMING.UNATTRIBUTED, medium DIST.WAIT_BOUND, medium MEMORY.RETRIES, medium
$ tscope analyze held | sed -n '/NOTES/,$p'
| NOTES
|   the findings are about all ranks; the sections on timing, memory and convergence show rank 0, the
|     lowest rank that has steps, and --rank K shows another rank
|   nothing says of which rank the memory snapshot snapshot.pickle is; it counts as one of the run
|
| The run also has a trace: trace.json (rank 1); tscope analyze held --trace NAME shows what it says.
|
| The run also has a memory snapshot: snapshot.pickle (the job); tscope analyze held --snapshot NAME shows what it says.
$ printf 'MEMORY.OOM_FRAGMENTED = off\nMEMORY.RETRIES.min_retries = 2\n' > lax.policy; tscope analyze held --policy lax.policy --json | python3 -c "import json,sys; d = json.load(sys.stdin); print([f['code'] for f in d['findings'] if 'MEMORY' in f['code']], d['bound']['memory'], [f['name'] for f in d['bound']['memory_fixes']])"
| ['MEMORY.CARRIED'] memory limits the run: a request of 24 MiB was refused ['let segments expand', 'use activation checkpointing', 'shard parameters, gradients and optimizer state over the ranks', "offload the optimizer's state to the host", "keep the optimizer's state in 8 bits", 'halve the batch and accumulate gradients', 'keep nothing on the device from step to step']
$ mv held/snapshot.pickle held/memory_rank1.pickle; tscope push -q --name held1 held | tail -1; tscope analyze held1 | grep -E 'on rank 1|OOM_FRAGMENTED|rank 1 shows' ; tscope analyze held1 --rank 0 --rows | grep -c snapshot
| outcome   created
|   memory       on rank 1 memory limits the run: a request of SIZE was refused
|   HIGH    Memory ran out in pieces (MEMORY.OOM_FRAGMENTED)
|   on rank 1, the snapshot does not say how much memory the device has; --device-memory does:
|   on rank 1, the trace has only 13 events of devices, and the rule needs 50: TRACE.HOST_BOUND,
| 0
[1]
# A file with the name of a pickle that is none is an error with the byte, and one that is packed is read under any of these names.
$ python3 -c "import gzip, pickle, zipfile; pickle.dump({'segments': []}, open('zero.pickle', 'wb'), 0); zipfile.ZipFile('saved.pkl', 'w').writestr('data.pkl', b'x'); open('empty.pickle', 'wb').close(); open('packed.pickle', 'wb').write(gzip.compress(pickle.dumps({'segments': []}, 4), mtime=0))"
$ tscope analyze ./zero.pickle
! tscope: ./zero.pickle: byte 0 of the pickle: this is no pickle of protocol 2 to 5, which begins with 0x80, but with 0x28
[2]
$ tscope analyze ./saved.pkl
! tscope: ./saved.pkl: byte 0 of the pickle: this is no pickle of protocol 2 to 5, which begins with 0x80, but with 0x50
[2]
$ tscope diff ./empty.pickle ./memory/oom.pickle
! tscope: ./empty.pickle: byte 0 of the pickle: the file ends here, before the pickle does
[2]
$ tscope analyze ./packed.pickle
| packed.pickle: a snapshot without any segment or event
# A recording without free_completed (skip_actions of torch): what was let go of was freed. One without alloc contradicts itself.
$ python3 -c "import pickle; s = pickle.load(open('memory/oom.pickle', 'rb')); t = s['device_traces'][0]; s['device_traces'] = [[e for e in t if e['action'] != 'free_completed']]; pickle.dump(s, open('let-go.pickle', 'wb')); s['device_traces'] = [[e for e in t if e['action'] != 'alloc']]; pickle.dump(s, open('no-alloc.pickle', 'wb'))"
$ tscope analyze ./let-go.pickle | grep -A2 '^  peak'
|   peak         108 MiB, after event 82 of 107; the blocks took at least 108 MiB
|   baseline     0 B before the first event, exact if recording went on until the snapshot
|   at the end   83 MiB requested in 20 blocks; rounding takes 0 B more
$ tscope analyze ./no-alloc.pickle | grep -A2 '^  peak'
|   peak         317 MiB, before the first event; the blocks took at least 317 MiB
|   baseline     317 MiB before the first event, not certain: events and blocks contradict each other
|                by 317 MiB
# Plots below each other have one scale: as many columns, whatever stands behind them.
$ COLUMNS=60 tscope analyze ./memory/oom.pickle | grep -A1 '^  requested'
|   requested    ▁▃▅▅▄▃▂▅▅▅▆█▇▆▅▆▆▅███▇▆▆▆▆  0 B to 108 MiB
|   reserved     ▁▂▄▄▄▄▄▆▆▆▇▇▇▇▇▇▇▇████████  20 MiB to 124 MiB
