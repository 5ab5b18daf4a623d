$ tscope push -q runs/base demo/slow
| name          id            steps      sent       new  outcome
| default/base  18fc3da2967f      8 SIZE SIZE  created
| default/slow  0a884843ce41    160 SIZE SIZE  created
$ tscope analyze base
| run       base 18fc3da2967f 8 steps (0 to 7), 1 rank
| rank      0
| warm-up   nothing left out
|
| timing
|   step    count 8   mean 250 ms   stddev 0 s   median 250 ms   p95 250 ms   p99 250 ms   cv 0.0 %
|           tail 100.0 %   rate 4 /s   total 2.00 s   max 250 ms   max step 0   stall 0.0 %
|           spikes unknown   shifts unknown
|                mean   median      p95   share  count    total
|   data      10.0 ms  10.0 ms  10.0 ms   4.0 %      8  80.0 ms
|   forward   80.0 ms  80.0 ms  80.0 ms  32.0 %      8   640 ms
|   backward   160 ms   160 ms   160 ms  64.0 %      8   1.28 s
|   wall    total 1.75 s   unattributed 0 s   unattributed 0.0 %   gap 0 s   gap 0   backwards 0
|           unstamped 0
|   warmup  cut 0   method declared   level_before unknown   level_after 250 ms
|  unknown  step spikes: too few step times are numbers to tell what is usual
|  unknown  warmup level_before: no step was cut
|
| memory
|   alloc   peak 8 MiB   at step 7
|   alloc   mean 4.5 MiB   last 8 MiB
|   growth  slope 1 MiB/step   slope_low 1 MiB/step   slope_high 1 MiB/step   total 7 MiB
|           p_value unknown   method Theil-Sen, Mann-Kendall   column memory.alloc   steps 8
|           points 8
|  unknown  peak_reserved peak: no column memory.peak_reserved or memory.reserved
|  unknown  reserved mean: no column memory.reserved
|  unknown  growth p_value: fewer than 18 steps: too few to tell growth from chance
|  unknown  capacity device: the memory of the device is not known
|  unknown  fragmentation ratio: needs memory.peak_alloc and memory.peak_reserved: between steps
|           memory is at a trough
|  unknown  creep kind: fewer than 50 steps with memory
|
| convergence
|   loss    count 8   first 2   last 0.25   best 0.25   best step 7   initial unknown   final unknown
|           change unknown   change_low unknown   change_high unknown   progress unknown
|           recent unknown   recent_low unknown   recent_high unknown   trend unknown   spikes unknown
|           dips unknown   shifts unknown
|  unknown  loss initial: fewer than 10 values are finite
|  unknown  loss recent: fewer than 20 values are finite
|  unknown  loss spikes: fewer than 24 values are finite
|
| note      no warm-up was cut; --warmup N leaves out the first N steps
$ tscope analyze base --warmup 4
| run       base 18fc3da2967f 8 steps (0 to 7), 1 rank
| rank      0
| warm-up   4 steps left out
|
| timing
|   step    count 4   mean 250 ms   stddev 0 s   median 250 ms   p95 250 ms   p99 250 ms   cv 0.0 %
|           tail 100.0 %   rate 4 /s   total 1.00 s   max 250 ms   max step 4   stall 0.0 %
|           spikes unknown   shifts unknown
|                mean   median      p95   share  count    total
|   data      10.0 ms  10.0 ms  10.0 ms   4.0 %      4  40.0 ms
|   forward   80.0 ms  80.0 ms  80.0 ms  32.0 %      4   320 ms
|   backward   160 ms   160 ms   160 ms  64.0 %      4   640 ms
|   wall    total 750 ms   unattributed 0 s   unattributed 0.0 %   gap 0 s   gap 0   backwards 0
|           unstamped 0
|   warmup  cut 4   method declared   level_before 250 ms   level_after 250 ms
|  unknown  step spikes: too few step times are numbers to tell what is usual
|
| memory
|   alloc   peak 8 MiB   at step 7
|   alloc   mean 6.5 MiB   last 8 MiB
|   growth  slope 1 MiB/step   slope_low unknown   slope_high unknown   total 3 MiB   p_value unknown
|           method Theil-Sen, Mann-Kendall   column memory.alloc   steps 4   points 4
|  unknown  peak_reserved peak: no column memory.peak_reserved or memory.reserved
|  unknown  reserved mean: no column memory.reserved
|  unknown  growth slope_low: too few steps for an interval of 95 %
|  unknown  growth p_value: fewer than 18 steps: too few to tell growth from chance
|  unknown  capacity device: the memory of the device is not known
|  unknown  fragmentation ratio: needs memory.peak_alloc and memory.peak_reserved: between steps
|           memory is at a trough
|  unknown  creep kind: fewer than 50 steps with memory
|
| convergence
|   loss    count 4   first 0.4   last 0.25   best 0.25   best step 7   initial unknown
|           final unknown   change unknown   change_low unknown   change_high unknown
|           progress unknown   recent unknown   recent_low unknown   recent_high unknown
|           trend unknown   spikes unknown   dips unknown   shifts unknown
|  unknown  loss initial: fewer than 10 values are finite
|  unknown  loss recent: fewer than 20 values are finite
|  unknown  loss spikes: fewer than 24 values are finite
|
| note      the first 4 steps of each rank are left out
$ tscope analyze base --rank 3
! tscope: the run has no rank 3; it has 0
[2]
$ tscope analyze slow --rank 2
| run       chars-slow 0a884843ce41 160 steps (0 to 159), 3 ranks
| rank      2
| warm-up   nothing left out
|
| timing
|   step    count 160   mean 13.2 ms   stddev 4.82 ms   median 13.3 ms   p95 21.5 ms   p99 25.9 ms
|           cv 36.6 %   tail 161.7 %   rate 75.8 /s   total 2.11 s   max 26.6 ms   max step 39
|           stall 0.0 %   spikes 0   shifts 0
|                 mean   median      p95   share  count    total
|   data        341 µs   232 µs   296 µs   2.6 %    160  54.6 ms
|   forward    4.43 ms  6.45 ms  6.74 ms  33.6 %    160   709 ms
|   backward    815 µs   677 µs   881 µs   6.2 %    160   130 ms
|   optimizer   814 µs   811 µs   904 µs   6.2 %    160   130 ms
|   comm       6.79 ms  6.18 ms  14.9 ms  51.5 %    160   1.09 s
|   wall    total 3.35 s   unattributed 1.25 s   unattributed 37.3 %   gap 0 s   gap 0   backwards 0
|           unstamped 0
|   warmup  cut 0   method declared   level_before unknown   level_after 13.3 ms
|  unknown  warmup level_before: no step was cut
|
| memory
|  unknown  peak_alloc peak: no column memory.peak_alloc or memory.alloc
|  unknown  peak_reserved peak: no column memory.peak_reserved or memory.reserved
|  unknown  alloc mean: no column memory.alloc
|  unknown  reserved mean: no column memory.reserved
|  unknown  growth slope: no column memory.alloc or memory.peak_alloc with numbers of bytes
|  unknown  capacity device: the memory of the device is not known
|  unknown  fragmentation ratio: needs memory.peak_alloc and memory.peak_reserved: between steps
|           memory is at a trough
|  unknown  creep kind: fewer than 50 steps with memory
|
| convergence
|              count    first     last      best  best step  initial    final   change  change_low  change_high  progress  recent  recent_low  recent_high    trend  spikes  dips  shifts
|   loss         160  2.54797  1.08652  0.676551        106  2.23339  1.49571  -33.0 %     -83.0 %        7.0 %      none  -8.8 %     -51.7 %      155.6 %  plateau       0     0       0
|   grad_norm    160  1.89074  1.56937   1.25681        129  2.19735  1.67445  -23.8 %     -59.3 %       -4.2 %      none  -5.5 %     -58.5 %       61.3 %  plateau       0     0       0
|
| ranks
|           steps   median     work     peak
|   rank 0    160  13.7 ms  2.53 ms  unknown
|   rank 1    160  13.4 ms  2.31 ms  unknown
|   rank 2    160  13.3 ms  6.40 ms  unknown
|  unknown  rank 0 peak: no column memory.peak_alloc or memory.alloc
|
| note      no warm-up was cut; --warmup N leaves out the first N steps
$ COLUMNS=60 tscope analyze slow
| run       chars-slow 0a884843ce41 160 steps (0 to 159), 3
|           ranks
| rank      0
| warm-up   nothing left out
|
| timing
|   step    count 160   mean 13.4 ms   stddev 5.56 ms
|           median 13.7 ms   p95 22.2 ms   p99 25.9 ms
|           cv 41.5 %   tail 162.4 %   rate 74.73 /s
|           total 2.14 s   max 29.2 ms   max step 117
|           stall 0.0 %   spikes 0   shifts 0
|                 mean   median      p95   share  count
|         total
|   data        255 µs   225 µs   289 µs   1.9 %    160
|       40.8 ms
|   forward     613 µs   389 µs  2.88 ms   4.6 %    160
|       98.0 ms
|   backward    812 µs   593 µs  2.43 ms   6.1 %    160
|        130 ms
|   optimizer   846 µs   814 µs   899 µs   6.3 %    160
|        135 ms
|   comm       10.9 ms  11.1 ms  19.7 ms  81.1 %    160
|        1.74 s
|   wall    total 3.34 s   unattributed 1.21 s
|           unattributed 36.3 %   gap 0 s   gap 0
|           backwards 0   unstamped 0
|   warmup  cut 0   method declared   level_before unknown
|           level_after 13.7 ms
|  unknown  warmup level_before: no step was cut
|
| memory
|  unknown  peak_alloc peak: no column memory.peak_alloc or
|           memory.alloc
|  unknown  peak_reserved peak: no column memory.peak_reserved
|           or memory.reserved
|  unknown  alloc mean: no column memory.alloc
|  unknown  reserved mean: no column memory.reserved
|  unknown  growth slope: no column memory.alloc or
|           memory.peak_alloc with numbers of bytes
|  unknown  capacity device: the memory of the device is not
|           known
|  unknown  fragmentation ratio: needs memory.peak_alloc and
|           memory.peak_reserved: between steps memory is at a
|           trough
|  unknown  creep kind: fewer than 50 steps with memory
|
| convergence
|              count    first     last      best  best step
|       initial    final   change  change_low  change_high
|       progress  recent  recent_low  recent_high    trend
|       spikes  dips  shifts
|   loss         160   2.5761    1.778  0.731249         83
|       2.18374   1.8576  -14.9 %     -60.2 %       15.6 %
|           none  10.3 %     -83.6 %       89.7 %  plateau
|            0     0       0
|   grad_norm    160  1.89074  1.56937   1.25681        129
|       2.19735  1.67445  -23.8 %     -59.3 %       -4.2 %
|           none  -5.5 %     -58.5 %       61.3 %  plateau
|            0     0       0
|
| ranks
|           steps   median     work     peak
|   rank 0    160  13.7 ms  2.53 ms  unknown
|   rank 1    160  13.4 ms  2.31 ms  unknown
|   rank 2    160  13.3 ms  6.40 ms  unknown
|  unknown  rank 0 peak: no column memory.peak_alloc or
|           memory.alloc
|
| note      timing, memory and convergence are of rank 0, the
|           lowest with steps; --rank K shows another
|           no warm-up was cut; --warmup N leaves out the
|           first N steps
$ tscope analyze ./runs/cut
| run       a6e6bceb9c69 4 steps (0 to 3), 1 rank
| rank      0
| warm-up   nothing left out
|
| timing
|   step    count 4   mean 250 ms   stddev 0 s   median 250 ms   p95 250 ms   p99 250 ms   cv 0.0 %
|           tail 100.0 %   rate 4 /s   total 1.00 s   max 250 ms   max step 0   stall 0.0 %
|           spikes unknown   shifts unknown
|                mean   median      p95   share  count    total
|   data      10.0 ms  10.0 ms  10.0 ms   4.0 %      4  40.0 ms
|   forward   80.0 ms  80.0 ms  80.0 ms  32.0 %      4   320 ms
|   backward   160 ms   160 ms   160 ms  64.0 %      4   640 ms
|   wall    total 750 ms   unattributed 0 s   unattributed 0.0 %   gap 0 s   gap 0   backwards 0
|           unstamped 0
|   warmup  cut 0   method declared   level_before unknown   level_after 250 ms
|  unknown  step spikes: too few step times are numbers to tell what is usual
|  unknown  warmup level_before: no step was cut
|
| memory
|   alloc   peak 4 MiB   at step 3
|   alloc   mean 2.5 MiB   last 4 MiB
|   growth  slope 1 MiB/step   slope_low unknown   slope_high unknown   total 3 MiB   p_value unknown
|           method Theil-Sen, Mann-Kendall   column memory.alloc   steps 4   points 4
|  unknown  peak_reserved peak: no column memory.peak_reserved or memory.reserved
|  unknown  reserved mean: no column memory.reserved
|  unknown  growth slope_low: too few steps for an interval of 95 %
|  unknown  growth p_value: fewer than 18 steps: too few to tell growth from chance
|  unknown  capacity device: the memory of the device is not known
|  unknown  fragmentation ratio: needs memory.peak_alloc and memory.peak_reserved: between steps
|           memory is at a trough
|  unknown  creep kind: fewer than 50 steps with memory
|
| convergence
|   loss    count 4   first 2   last 0.5   best 0.5   best step 3   initial unknown   final unknown
|           change unknown   change_low unknown   change_high unknown   progress unknown
|           recent unknown   recent_low unknown   recent_high unknown   trend unknown   spikes unknown
|           dips unknown   shifts unknown
|  unknown  loss initial: fewer than 10 values are finite
|  unknown  loss recent: fewer than 20 values are finite
|  unknown  loss spikes: fewer than 24 values are finite
|
| note      no warm-up was cut; --warmup N leaves out the first N steps
! tscope: ./runs/cut/steps.jsonl:5: skipped: bad_json: byte 0: expected a value
! tscope: ./runs/cut/steps.jsonl:6: skipped: cut_line: byte 15: the text ends inside an object, expected '"'
