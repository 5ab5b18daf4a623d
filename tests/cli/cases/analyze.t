$ tscope push -q runs/base demo/slow
| name          id            steps      sent       new  outcome
| default/base  18fc3da2967f      8 SIZE SIZE  created
| default/slow  0a884843ce41    160 SIZE SIZE  created
| 2 runs: 2 created
$ tscope analyze base
| base  18fc3da2967f  8 steps (0 to 7), 1 rank
| rank 0
|
| VERDICT  the run does not show what limits it: it has only 8 steps, and the verdict needs 10
|   input         █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   4.0 %
|   compute       █████████████████████████████░  96.0 %
|   communication ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0.0 %
|   wait          ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0.0 %
|   host          ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0.0 %
|
| ● FINDINGS  nothing found, 20 of 50 rules unchecked
|
| ● TIMING  nothing found, 6 of 10 rules unchecked  8 steps, mean 250 ms, rate 4 /s
|   step time    ▁▁▁▁▁▁▁▁  always 250 ms
|   step         median 250 ms, p95 250 ms, p99 250 ms, max 250 ms at step 0
|   variation    coefficient of variation 0.0 %, p95 is 1 times the median, no step 3 times
|                                                           mean   median      p95
|   data         █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   4.0 %  10.0 ms  10.0 ms  10.0 ms
|   forward      ██████████░░░░░░░░░░░░░░░░░░░░  32.0 %  80.0 ms  80.0 ms  80.0 ms
|   backward     ███████████████████░░░░░░░░░░░  64.0 %   160 ms   160 ms   160 ms
|   wall time    1.75 s, 0 s outside all phases (0.0 %)
|   warm-up      no steps left out
|
| ● MEMORY  nothing found, 4 of 5 rules unchecked
|   allocated    ▁▂▃▄▅▆▇█  1 MiB to 8 MiB
|   allocated    peak 8 MiB at step 7, mean 4.5 MiB, last 8 MiB
|   growth       1 MiB/step (95 % interval 1 MiB/step to 1 MiB/step), 7 MiB over the run
|
| ● CONVERGENCE  nothing found, 6 of 21 rules unchecked
|   loss         █▄▂▂▁▁▁▁  0.25 to 2
|                first 2, last 0.25, best 0.25 at step 7, 8 values
|     trend      unknown
|   lr           ▁▁▁▁▁▁▁▁  always 0.001
|                first 0.001, last 0.001, 8 values
|     trend      unknown
|
| ● EFFICIENCY BUDGET  nothing found, 3 of 5 rules unchecked  MFU not known, wall time 2.00 s
|   useful compute █████████████████████████████░  96.0 %   1.92 s
|   data stall     █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   4.0 %  80.0 ms
|   goodput      96.0 %, 1.92 s productive, 96.0 % of the session
|
| NOT KNOWN  what the run would have to record, and for which rules or measures; then other reasons
|   memory       record memory.peak_reserved, memory.reserved, hardware.gpus[0].memory,
|                memory.peak_alloc, for MEMORY.PRESSURE, MEMORY.FRAGMENTATION
|   work         record work.flops_per_step, work.flops_convention, hardware.gpu, work.dtype, tokens,
|                samples, for EFFICIENCY.MFU_IMPOSSIBLE, EFFICIENCY.MFU_SUSPICIOUS and 1 more
|   times        record phases.optimizer, for TIMING.OPTIMIZER_HEAVY
|   series       record scalars.grad_norm, for CONVERGENCE.GRAD_SPIKES
|   length       the run is too short for TIMING.JITTER, TIMING.STALLS and 10 more; --rows says how
|                long it has to be
|   no loss scale is recorded, as in runs without a gradient scaler: CONVERGENCE.SKIPPED_UPDATES
$ tscope analyze base --warmup 4
| base  18fc3da2967f  8 steps (0 to 7), 1 rank
| rank 0, without the first 4 steps
|
| VERDICT  the run does not show what limits it: it has only 4 steps, and the verdict needs 10
|   input         █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   4.0 %
|   compute       █████████████████████████████░  96.0 %
|   communication ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0.0 %
|   wait          ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0.0 %
|   host          ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0.0 %
|
| ● FINDINGS  nothing found, 20 of 50 rules unchecked
|
| ● TIMING  nothing found, 6 of 10 rules unchecked  4 steps, mean 250 ms, rate 4 /s
|   step time    ▁▁▁▁  always 250 ms
|   step         median 250 ms, p95 250 ms, p99 250 ms, max 250 ms at step 4
|   variation    coefficient of variation 0.0 %, p95 is 1 times the median, no step 3 times
|                                                           mean   median      p95
|   data         █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   4.0 %  10.0 ms  10.0 ms  10.0 ms
|   forward      ██████████░░░░░░░░░░░░░░░░░░░░  32.0 %  80.0 ms  80.0 ms  80.0 ms
|   backward     ███████████████████░░░░░░░░░░░  64.0 %   160 ms   160 ms   160 ms
|   wall time    750 ms, 0 s outside all phases (0.0 %)
|   warm-up      4 steps left out (declared); their median is 250 ms, after them it is 250 ms
|
| ● MEMORY  nothing found, 4 of 5 rules unchecked
|   allocated    ▁▃▆█  5 MiB to 8 MiB
|   allocated    peak 8 MiB at step 7, mean 6.5 MiB, last 8 MiB
|   growth       1 MiB/step, 3 MiB over the run
|
| ● CONVERGENCE  nothing found, 6 of 21 rules unchecked
|   loss         █▅▂▁  0.25 to 0.4
|                first 0.4, last 0.25, best 0.25 at step 7, 4 values
|     trend      unknown
|   lr           ▁▁▁▁  always 0.001
|                first 0.001, last 0.001, 4 values
|     trend      unknown
|
| ● EFFICIENCY BUDGET  nothing found, 3 of 5 rules unchecked  MFU not known, wall time 1.00 s
|   useful compute █████████████████████████████░  96.0 %   960 ms
|   data stall     █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   4.0 %  40.0 ms
|   goodput      96.0 %, 960 ms productive
|
| NOT KNOWN  what the run would have to record, and for which rules or measures; then other reasons
|   memory       record memory.peak_reserved, memory.reserved, hardware.gpus[0].memory,
|                memory.peak_alloc, for MEMORY.PRESSURE, MEMORY.FRAGMENTATION
|   work         record work.flops_per_step, work.flops_convention, hardware.gpu, work.dtype, tokens,
|                samples, for EFFICIENCY.MFU_IMPOSSIBLE, EFFICIENCY.MFU_SUSPICIOUS and 1 more
|   times        record phases.optimizer, for TIMING.OPTIMIZER_HEAVY
|   series       record scalars.grad_norm, for CONVERGENCE.GRAD_SPIKES
|   length       the run is too short for TIMING.JITTER, TIMING.STALLS and 10 more; --rows says how
|                long it has to be
|   session.wall_time includes the steps that were left out at the start: wall, goodput
|   no loss scale is recorded, as in runs without a gradient scaler: CONVERGENCE.SKIPPED_UPDATES
|
| NOTES
|   the first 4 steps of each rank are left out
$ tscope analyze base --device-memory 8.2MiB | grep -E 'MEMORY|capacity|device'
|   HIGH    The device is nearly full (MEMORY.PRESSURE)
|           The peak of memory is 98 % of the 8.2 MiB that the device has.
| ● MEMORY  1 high, 3 of 5 rules unchecked
|   device       █████████████████████████████░  97.6 %  of 8.2 MiB
|                MEMORY.FRAGMENTATION
|   the memory of the device is 8.2 MiB, as --device-memory says; the run does not say it
$ tscope analyze base --rank 3
! tscope: the run has no rank 3; it has 0
[2]
$ tscope analyze slow --rank 2
| slow  0a884843ce41  160 steps (0 to 159), 3 ranks
| rank 2
|
| VERDICT
|   host-bound: 37 % of the wall time is spent outside all phases, and 23 % waiting for slower ranks
|   input         ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0.9 %
|   compute       █████░░░░░░░░░░░░░░░░░░░░░░░░░  16.6 %
|   communication ███████░░░░░░░░░░░░░░░░░░░░░░░  21.8 %
|   wait          ███████░░░░░░░░░░░░░░░░░░░░░░░  23.5 %
|   host          ███████████░░░░░░░░░░░░░░░░░░░  37.2 %
|   try          share of wall time that each fix could save:
|                up to 37.2 %: find out what the time is spent on: record evaluation, checkpoint and
|                logging as phases of their own
|                up to 21.1 %: check the hosts of the slow ranks: compare the clocks, temperature,
|                other jobs and data loader of these ranks with those of the others; exchange the host
|   check        fixes that may help; nothing recorded shows whether, or how much:
|                log less often: log at an interval of several steps. What tells: look how often the
|                loop prints or calls .item()
|                overlap communication with computation: let DDP or FSDP reduce gradients while
|                backward runs (async_op=True, prefetch of the next layer) instead of in one blocking
|                call at the end. What tells: print(type(model)) says neither DistributedDataParallel
|                nor FSDP
|   not known    Phases are measured on the host: without synchronization or a trace, GPU time counts
|                in the first phase that waits for it.
|                How close computing comes to the peak of the device is not known: the run does not
|                record work.flops_per_step.
|
| ● FINDINGS  2 high, 2 medium, 1 low, 10 of 50 rules unchecked
|   HIGH    Steps became slower (TIMING.SLOWDOWN)
|           From step 76 on, a step takes 31 % longer: 14.2 ms instead of 10.8 ms.
|           try: Look at what changed at that step: clocks and temperature of the device, another job
|           on the host, longer sequences, a cache that became full, or a phase of training that does
|           more work. What grows little by little is often memory that fragments, a list that is
|           searched or logged whole, or a device that heats up.
|   HIGH    Some ranks delay the others (DIST.STRAGGLER)
|           The other ranks wait for rank 2, which is up to 165 % slower (late, from step 60 on);
|           unequal ranks cost 43 % of the devices' time.
|           try: Compare device, clocks, temperature and other jobs of their hosts with those of the
|           other ranks. Exchange the host, then look at the data shards of these ranks.
|   MEDIUM  Much time is outside the phases (TIMING.UNATTRIBUTED)
|           37 % of the wall time (1.25 s) is outside the phases of all steps.
|           try: Record what happens there as phases of their own (evaluation, checkpoint, logging),
|           to learn how much time each takes.
|   MEDIUM  Ranks wait for each other (DIST.WAIT_BOUND)
|           Ranks wait for slower ranks during 23 % of the wall time, 5.00 ms of each step on average.
|           try: Fix the stragglers if there are any (DIST.STRAGGLER); otherwise balance the work
|           (DIST.LOAD_IMBALANCE).
|   and 1 more: low TIMING.JITTER
|
| ● TIMING  1 high, 1 medium, 1 low  160 steps, mean 13.2 ms, rate 75.8 /s
|   step time    ▃▃▃▅▅▂▃▄▄▃▅▃▃▅▅▂▃▄▃▆▄▁▄▅▆▄▄▄▆▆█▆▆▅▅▆▃▄▆▄▅▄▆▆▆█▆▆▇▅▆▅▅▃▆▆▇▄▇▅  2.84 ms to 26.6 ms
|   step         median 13.3 ms, p95 21.5 ms, p99 25.9 ms, max 26.6 ms at step 39
|   variation    coefficient of variation 36.6 %, p95 is 1.617 times the median, no step 3 times
|                                                           mean   median      p95
|   data         █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   2.6 %   341 µs   232 µs   296 µs
|   forward      ██████████░░░░░░░░░░░░░░░░░░░░  33.6 %  4.43 ms  6.45 ms  6.74 ms
|   backward     ██░░░░░░░░░░░░░░░░░░░░░░░░░░░░   6.2 %   815 µs   677 µs   881 µs
|   optimizer    ██░░░░░░░░░░░░░░░░░░░░░░░░░░░░   6.2 %   814 µs   811 µs   904 µs
|   comm         ███████████████░░░░░░░░░░░░░░░  51.5 %  6.79 ms  6.18 ms  14.9 ms
|   wall time    3.35 s, 1.25 s outside all phases (37.3 %)
|   warm-up      no steps left out (none found)
|
| ● CONVERGENCE  nothing found, 1 of 21 rules unchecked
|   loss         █▇▆▇▆▆▅▅▃▆▁▅▂▃▄▅▃▄▄▃▄▃▃▄▃▄▃▄▄▂▂▂▄▃▃▃▂▃▄▅▁▆▃▂▅▂▃▂▂▄▃▂▂▃▄▁▃▁▃▁  0.676551 to 2.54797
|                first 2.548, last 1.087, best 0.6766 at step 106, 160 values
|     trend      plateau, change -38.1 % (95 % interval -48.5 % to -14.0 %)
|   grad_norm    ▄▆█▅▆▅▆▅▄▃▂▆▃▄▃▄▃▃▂▃▃▃▃▂▁▂▂▄▂▄▃▁▃▂▃▃▁▂▁▄▂▂▃▂▂▁▂▂▁▂▁▂▂▄▁▂▄▁▃▂  1.25681 to 2.59584
|                first 1.891, last 1.569, 160 values
|     trend      plateau, change -13.4 % (95 % interval -35.4 % to -8.5 %)
|   lr           ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  always 0.003
|                first 0.003, last 0.003, 160 values
|     trend      plateau, change 0.0 % (95 % interval 0.0 % to 0.0 %)
|
| ● RANKS  1 high, 1 medium, 1 of 7 rules unchecked
|   3 ranks of 3, 160 steps on all of them, stragglers: 1
|   step         18.0 ms, 4.64 ms of it transfer, 5.00 ms wait for slower ranks, collectives: explicit
|                comm
|   lost         43.3 % of the devices' time (457 ms in all), coefficient of variation of own
|                time 58.7 %, slowest rank 4.36 ms above the median
|                                                slowest      own     wait  slowdown    blame
|   rank 2       ██████████████████████░░░░░░░░   75.0 %  6.40 ms  2.15 ms   164.8 %   606 ms
|                late, from step 60, p < 0.000001
|   rank 0       ████░░░░░░░░░░░░░░░░░░░░░░░░░░   11.9 %  2.53 ms  6.22 ms   -42.0 %  13.9 ms
|   rank 1       ████░░░░░░░░░░░░░░░░░░░░░░░░░░   13.1 %  2.31 ms  6.64 ms   -48.3 %  12.7 ms
|   columns      slowest: share of the steps in which the rank is the slowest; own: its time per step
|                without waiting; blame: time that all ranks would save without it
|   TraceML      its rule names no straggler
|
| ● EFFICIENCY BUDGET  nothing found, 3 of 5 rules unchecked  MFU not known, wall time 3.36 s
|                                                  rank 2         $
|   useful compute █████████░░░░░░░░░░░░░░░░░░░░░  28.9 %   969 ms
|   data stall     ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   1.6 %  54.6 ms
|   communication  ███████░░░░░░░░░░░░░░░░░░░░░░░  22.1 %   742 ms
|   wait           ███░░░░░░░░░░░░░░░░░░░░░░░░░░░  10.3 %   345 ms
|   unattributed   ███████████░░░░░░░░░░░░░░░░░░░  37.2 %   1.25 s
|                                                 all ranks        $
|   own rest      █████░░░░░░░░░░░░░░░░░░░░░░░░░     17.6 %  599 ms
|   communication ███████░░░░░░░░░░░░░░░░░░░░░░░     21.8 %  742 ms
|   wait          ███████░░░░░░░░░░░░░░░░░░░░░░░     23.5 %  801 ms
|   unattributed  ███████████░░░░░░░░░░░░░░░░░░░     37.2 %  1.27 s
|   goodput      28.9 %, 969 ms productive, 28.8 % of the session
|   throughput   samples 551,946 /s (183,982 /s per device)
|
| NOT KNOWN  what the run would have to record, and for which rules or measures; then other reasons
|   memory       record memory.peak_alloc, memory.alloc, memory.peak_reserved, memory.reserved,
|                hardware.gpus[0].memory, for MEMORY.PRESSURE, MEMORY.FORECAST and 3 more
|   work         record work.flops_per_step, work.flops_convention, hardware.gpu, work.dtype, tokens,
|                for EFFICIENCY.MFU_IMPOSSIBLE, EFFICIENCY.MFU_SUSPICIOUS and 1 more
|   no loss scale is recorded, as in runs without a gradient scaler: CONVERGENCE.SKIPPED_UPDATES
|   there is no trace of the PyTorch profiler, which the rule needs: DIST.EXPOSED_COMM
|
| NOTES
|   the findings on timing, memory and convergence are about rank 2 alone; without --rank they are
|     about all ranks
$ COLUMNS=60 tscope analyze slow
| slow  0a884843ce41  160 steps (0 to 159), 3 ranks
| rank 0
|
| VERDICT
|   host-bound: 36 % of the wall time is spent outside all
|   phases, and 24 % waiting for slower ranks
|   input         █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   1.8 %
|   compute       █████░░░░░░░░░░░░░░░░░░░░░░░░░  16.1 %
|   communication ███████░░░░░░░░░░░░░░░░░░░░░░░  22.1 %
|   wait          ███████░░░░░░░░░░░░░░░░░░░░░░░  23.9 %
|   host          ███████████░░░░░░░░░░░░░░░░░░░  36.2 %
|   try          share of wall time that each fix could save:
|                up to 36.2 %: find out what the time is spent
|                on: record evaluation, checkpoint and logging
|                as phases of their own
|                up to 21.1 %: check the hosts of the slow
|                ranks: compare the clocks, temperature, other
|                jobs and data loader of these ranks with
|                those of the others; exchange the host
|   check        fixes that may help; nothing recorded shows
|                whether, or how much:
|                log less often: log at an interval of several
|                steps. What tells: look how often the loop
|                prints or calls .item()
|   and 3 more; --json has them
|
| ● FINDINGS
|   2 high, 2 medium, 2 low, 10 of 50 rules unchecked
|   HIGH    Steps became slower (TIMING.SLOWDOWN)
|           From step 76 on, a step takes 31 % longer: 14.2 ms
|           instead of 10.8 ms. Only rank 2 shows this; the
|           other 2 ranks do not.
|           try: Look at what changed at that step: clocks and
|           temperature of the device, another job on the
|           host, longer sequences, a cache that became full,
|           or a phase of training that does more work. What
|           grows little by little is often memory that
|           fragments, a list that is searched or logged
|           whole, or a device that heats up.
|   HIGH    Some ranks delay the others (DIST.STRAGGLER)
|           The other ranks wait for rank 2, which is up to
|           165 % slower (late, from step 60 on); unequal
|           ranks cost 43 % of the devices' time.
|           try: Compare device, clocks, temperature and other
|           jobs of their hosts with those of the other ranks.
|           Exchange the host, then look at the data shards of
|           these ranks.
|   and 4 more: medium TIMING.UNATTRIBUTED, medium
|     DIST.WAIT_BOUND, low TIMING.JITTER, low
|     CONVERGENCE.NO_PROGRESS
|
| ● TIMING  1 high, 1 medium, 1 low
|   160 steps, mean 13.4 ms, rate 74.73 /s
|   step time    ▁▃▃▃▃▁▁▂▁▁▆▄▅█▆▂█▄██▅▅▄▅▄  2.62 ms to 29.2 ms
|   step         median 13.7 ms, p95 22.2 ms, p99 25.9 ms,
|                max 29.2 ms at step 117
|   variation    coefficient of variation 41.5 %, p95 is 1.624
|                times the median, no step 3 times
|                                       mean   median      p95
|   data         ░░░░░░░░░░   1.9 %   255 µs   225 µs   289 µs
|   forward      ░░░░░░░░░░   4.6 %   613 µs   389 µs  2.88 ms
|   backward     █░░░░░░░░░   6.1 %   812 µs   593 µs  2.43 ms
|   optimizer    █░░░░░░░░░   6.3 %   846 µs   814 µs   899 µs
|   comm         ████████░░  81.1 %  10.9 ms  11.1 ms  19.7 ms
|   wall time    3.34 s, 1.21 s outside all phases (36.3 %)
|   warm-up      no steps left out (none found)
|
| ● CONVERGENCE  1 low, 1 of 21 rules unchecked
|   loss         ██▅▄▁▄▅▁▄▃▄▄▃▁▃▂▁▂▂▁▃▂▃▅▃  0.731249 to 2.5761
|                first 2.576, last 1.778, best 0.7312 at
|                step 83, 160 values
|     trend      plateau, change -14.8 % (95 % interval
|                -43.9 % to 5.4 %)
|   grad_norm    ██▇▅▅▄▄▄▃▃▁▃▃▂▃▁▃▂▂▁▁▂▂▃▂  1.25681 to 2.59584
|                first 1.891, last 1.569, 160 values
|     trend      plateau, change -13.4 % (95 % interval
|                -35.4 % to -8.5 %)
|   lr           ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  always 0.003
|                first 0.003, last 0.003, 160 values
|     trend      plateau, change 0.0 % (95 % interval 0.0 % to
|                0.0 %)
|
| ● RANKS  1 high, 1 medium, 1 of 7 rules unchecked
|   3 ranks of 3, 160 steps on all of them, stragglers: 1
|   step         18.0 ms, 4.64 ms of it transfer, 5.00 ms wait
|                for slower ranks, collectives: explicit comm
|   lost         43.3 % of the devices' time (457 ms in all),
|                coefficient of variation of own time 58.7 %,
|                slowest rank 4.36 ms above the median
|                          slowest      own     wait  slowdown
|   rank 2       ██████░░   75.0 %  6.40 ms  2.15 ms   164.8 %
|                late, from step 60, p < 0.000001
|   rank 0       █░░░░░░░   11.9 %  2.53 ms  6.22 ms   -42.0 %
|   rank 1       █░░░░░░░   13.1 %  2.31 ms  6.64 ms   -48.3 %
|   columns      slowest: share of the steps in which the rank
|                is the slowest; own: its time per step
|                without waiting; blame: time that all ranks
|                would save without it
|   TraceML      its rule names no straggler
|
| ● EFFICIENCY BUDGET  nothing found, 3 of 5 rules unchecked
|   MFU not known, wall time 3.36 s
|                                              rank 0         $
|   useful compute ███░░░░░░░░░░░░░░░░░░░░░░░  10.8 %   363 ms
|   data stall     ░░░░░░░░░░░░░░░░░░░░░░░░░░   1.2 %  40.8 ms
|   communication  ██████░░░░░░░░░░░░░░░░░░░░  22.1 %   742 ms
|   wait           ████████░░░░░░░░░░░░░░░░░░  29.7 %   995 ms
|   unattributed   █████████░░░░░░░░░░░░░░░░░  36.2 %   1.21 s
|                                            all ranks        $
|   own rest      ████░░░░░░░░░░░░░░░░░░░░░     17.9 %  599 ms
|   communication ██████░░░░░░░░░░░░░░░░░░░     22.1 %  742 ms
|   wait          ██████░░░░░░░░░░░░░░░░░░░     23.9 %  801 ms
|   unattributed  █████████░░░░░░░░░░░░░░░░     36.2 %  1.21 s
|   goodput      10.8 %, 363 ms productive, 10.8 % of the
|                session
|   throughput   samples 552,779 /s (184,260 /s per device)
|
| NOT KNOWN
|   what the run would have to record, and for which rules or
|   measures; then other reasons
|   memory       record memory.peak_alloc, memory.alloc,
|                memory.peak_reserved, memory.reserved,
|                hardware.gpus[0].memory, for MEMORY.PRESSURE,
|                MEMORY.FORECAST and 3 more
|   work         record work.flops_per_step,
|                work.flops_convention, hardware.gpu,
|                work.dtype, tokens, for
|                EFFICIENCY.MFU_IMPOSSIBLE,
|                EFFICIENCY.MFU_SUSPICIOUS and 1 more
|   no loss scale is recorded, as in runs without a gradient
|     scaler: CONVERGENCE.SKIPPED_UPDATES
|   there is no trace of the PyTorch profiler, which the rule
|     needs: DIST.EXPOSED_COMM
|
| NOTES
|   the findings are about all ranks; the sections on timing,
|     memory and convergence show rank 0, the lowest rank that
|     has steps, and --rank K shows another rank
$ tscope analyze ./runs/cut
| ./runs/cut  a6e6bceb9c69  4 steps (0 to 3), 1 rank
| rank 0
|
| VERDICT  the run does not show what limits it: it has only 4 steps, and the verdict needs 10
|   input         █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░    4.0 %
|   compute       █████████████████████████████░   96.0 %
|   communication                                 unknown
|   wait                                          unknown
|   host          ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░    0.0 %
|
| ● FINDINGS  nothing found, 20 of 50 rules unchecked
|
| ● TIMING  nothing found, 6 of 10 rules unchecked  4 steps, mean 250 ms, rate 4 /s
|   step time    ▁▁▁▁  always 250 ms
|   step         median 250 ms, p95 250 ms, p99 250 ms, max 250 ms at step 0
|   variation    coefficient of variation 0.0 %, p95 is 1 times the median, no step 3 times
|                                                           mean   median      p95
|   data         █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   4.0 %  10.0 ms  10.0 ms  10.0 ms
|   forward      ██████████░░░░░░░░░░░░░░░░░░░░  32.0 %  80.0 ms  80.0 ms  80.0 ms
|   backward     ███████████████████░░░░░░░░░░░  64.0 %   160 ms   160 ms   160 ms
|   wall time    750 ms, 0 s outside all phases (0.0 %)
|   warm-up      no steps left out
|
| ● MEMORY  nothing found, 4 of 5 rules unchecked
|   allocated    ▁▃▆█  1 MiB to 4 MiB
|   allocated    peak 4 MiB at step 3, mean 2.5 MiB, last 4 MiB
|   growth       1 MiB/step, 3 MiB over the run
|
| ● CONVERGENCE  nothing found, 6 of 21 rules unchecked
|   loss         █▃▁▁  0.5 to 2
|                first 2, last 0.5, best 0.5 at step 3, 4 values
|     trend      unknown
|   lr           ▁▁▁▁  always 0.001
|                first 0.001, last 0.001, 4 values
|     trend      unknown
|
| ● EFFICIENCY BUDGET  nothing found, 3 of 5 rules unchecked  MFU not known, wall time 1.00 s
|   useful compute █████████████████████████████░  96.0 %   960 ms
|   data stall     █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   4.0 %  40.0 ms
|   goodput      96.0 %, 960 ms productive
|
| NOT KNOWN  what the run would have to record, and for which rules or measures; then other reasons
|   memory       record memory.peak_reserved, memory.reserved, hardware.gpus[0].memory,
|                memory.peak_alloc, for MEMORY.PRESSURE, MEMORY.FRAGMENTATION
|   work         record work.flops_per_step, work.flops_convention, hardware.gpu, work.dtype, tokens,
|                samples, for EFFICIENCY.MFU_IMPOSSIBLE, EFFICIENCY.MFU_SUSPICIOUS and 1 more
|   times        record phases.optimizer, for TIMING.OPTIMIZER_HEAVY
|   series       record scalars.grad_norm, for CONVERGENCE.GRAD_SPIKES
|   length       the run is too short for TIMING.JITTER, TIMING.STALLS and 10 more; --rows says how
|                long it has to be
|   the run has no phase comm, so communication counts in another phase: share of communication
|   one rank alone does not show which part of its communication is waiting: share of wait
|   the run does not record session.wall_time: wall, goodput
|   no loss scale is recorded, as in runs without a gradient scaler: CONVERGENCE.SKIPPED_UPDATES
! tscope: ./runs/cut/steps.jsonl:5: skipped: bad_json: byte 0: expected a value
! tscope: ./runs/cut/steps.jsonl:6: skipped: cut_line: byte 15: the text ends inside an object, expected '"'
# The exit status says whether something is wrong, when asked.
$ tscope analyze --fail-on high slow > /dev/null
[1]
$ tscope analyze --fail-on low base > /dev/null
$ printf 'EFFICIENCY.RECOVERABLE = off\nDIST.STRAGGLER = off\nTIMING.SLOWDOWN = off\nDIST.COMM_BOUND.high_share = 0.9\n' > off.policy; tscope analyze --fail-on high --policy off.policy slow > /dev/null
# A page beside the report, and one in place of it.
$ tscope analyze --html page.html base | head -1; head -c 15 page.html
| base  18fc3da2967f  8 steps (0 to 7), 1 rank
| <!DOCTYPE html>\
! tscope: wrote page.html
$ tscope analyze --html - base | head -1
| <!DOCTYPE html>
# A device's clock and the host's: in steps of 10 ms the device takes 9 ms, for which the host waits 8 ms. The step takes 10 ms and not 17, and each phase has its part of the 17; 1 TFLOP in 10 ms is half of 200 TFLOP/s. Without timestamps only the sum is known, and without a device's clock phases are one after the other.
$ mkdir waits; awk 'BEGIN { for (i = 0; i < 60; i++) printf "{\"step\":%d,\"timestamp\":%.2f,\"phases\":{\"forward\":0.004,\"backward\":0.005,\"between\":0.008}}\n", i, 1700000000 + i / 100 }' > waits/steps.jsonl; echo '{"columns":{"phases.forward":{"clock":"device"},"phases.backward":{"clock":"device"}}}' > waits/facts.json; tscope analyze --warmup 0 --flops-per-step 1e12 --peak-tflops 200 ./waits | grep -E 'mean [0-9]|^  (forward|backward|between|wall time|note)|BUDGET'; sed -i 's/"timestamp":[0-9.]*,//' waits/steps.jsonl; tscope analyze --warmup 0 ./waits | grep -E 'mean [0-9]'
| ● TIMING  nothing found, 3 of 10 rules unchecked  59 steps, mean 10.0 ms, rate 100 /s
|   forward      ███████░░░░░░░░░░░░░░░░░░░░░░░  23.5 %  4.00 ms  4.00 ms  4.00 ms
|   backward     █████████░░░░░░░░░░░░░░░░░░░░░  29.4 %  5.00 ms  5.00 ms  5.00 ms
|   between      ██████████████░░░░░░░░░░░░░░░░  47.1 %  8.00 ms  8.00 ms  8.00 ms
|   wall time    590 ms; the phases add up to 413 ms more
| ● EFFICIENCY BUDGET  nothing found  MFU 50.0 %, phases 1.00 s
| ● TIMING  nothing found, 3 of 10 rules unchecked  60 steps, mean 17.0 ms, rate 58.82 /s
