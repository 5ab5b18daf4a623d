# Four ranks of five, whose figures were chosen first (tests/golden/trace/make_job.py): rank 2 computes 3 ms longer than the others before each of two
# collectives of a step, and ranks 2 and 3 are on a host whose clock is 5 ms behind.
$ tscope analyze ./traced/job
| folder    ./traced/job
| of        4 ranks of 5, nccl, on NVIDIA H100
| note      no trace of rank 4
| note      trace.json was not read: byte 35: expected a value
| note      kineto.json does not say its rank, and is left out
| note      copy.pt.trace.json is left out: rank 0, at the time of b_70.1.pt.trace.json.gz
| note      notes.txt is no trace
|
| Times of ranks (waiting: in collectives for the last rank, a sum; the others are unions)
|   rank          events          span          busy         idle   computation  communication       exposed       waiting  exposed waiting
|   0                 12  31.812900 ms  31.812900 ms  0.000000 ms  12.000600 ms   19.812300 ms  19.812300 ms  18.012300 ms     18.012300 ms
|   1                 12  31.812900 ms  31.812900 ms  0.000000 ms  12.006600 ms   19.806300 ms  19.806300 ms  18.006300 ms     18.006300 ms
|   2                 12  31.812900 ms  31.812900 ms  0.000000 ms  30.012900 ms    1.800000 ms   1.800000 ms   0.000000 ms      0.000000 ms
|   3                 12  31.812900 ms  31.812900 ms  0.000000 ms  12.018900 ms   19.794000 ms  19.794000 ms  17.994000 ms     17.994000 ms
|   mean                  31.812900 ms  31.812900 ms  0.000000 ms  16.509750 ms   15.303150 ms  15.303150 ms  13.503150 ms     13.503150 ms
|   least                 31.812900 ms  31.812900 ms  0.000000 ms  12.000600 ms    1.800000 ms   1.800000 ms   0.000000 ms      0.000000 ms
|   most                  31.812900 ms  31.812900 ms  0.000000 ms  30.012900 ms   19.812300 ms  19.812300 ms  18.012300 ms     18.012300 ms
|   most on rank                     0             0            0             2              0             0             0                0
|
| Steps of ranks: means (own time: what a step took less exposed waiting, over steps that all ranks have)
|   rank  steps   on the host          busy   computation  communication      exposed      own time
|   0         3  10.604300 ms  10.604300 ms   4.000200 ms    6.604100 ms  6.604100 ms   4.616866 ms
|   1         3  10.604300 ms  10.604300 ms   4.002200 ms    6.602100 ms  6.602100 ms   4.618866 ms
|   2         3  10.604300 ms  10.604300 ms  10.004300 ms    0.600000 ms  0.600000 ms  10.620966 ms
|   3         3  10.604300 ms  10.604300 ms   4.006300 ms    6.598000 ms  6.598000 ms   4.622966 ms
|
| Clocks
|   rank          add  drift   error from           to  residual
|   0           +0 ns   none        +0 ns        +0 ns      0 ns
|   1           +0 ns   none   -301000 ns   +300000 ns      0 ns
|   2     +5000000 ns   none  -6303100 ns   +300000 ns      0 ns
|   3     +5000000 ns   none  -6303100 ns  +3299000 ns      0 ns
|   Ends of a collective lie 0.000000 ms apart in half of the cases, 0.000000 ms in 95 %, 0.000000 ms at most.
|
| Who arrives last at collectives
|   rank  last  of  others waited  behind the next  behind the first  waited itself
|   0        0   6    0.000000 ms      0.000000 ms       0.000000 ms   18.012300 ms
|   1        3   6    0.003000 ms      0.003000 ms       0.006000 ms   18.006300 ms
|   2        6   6   54.009600 ms     17.994000 ms      27.006300 ms    0.000000 ms
|   3        0   6    0.000000 ms      0.000000 ms       9.012300 ms   17.994000 ms
|
| The latest arrivals (times are those of the first rank's trace)
|   rank      late by  others waited     transfer  kind        group  which     first began at
|   2     6.003100 ms   15.004200 ms  0.300000 ms  all_reduce  2      number 1      5301200 ns
|   2     6.003100 ms   15.004200 ms  0.300000 ms  all_reduce  2      number 2     15905500 ns
|   2     6.003100 ms   15.004200 ms  0.300000 ms  all_reduce  2      number 3     26509800 ns
|   2     2.999000 ms    2.999000 ms  0.300000 ms  all_reduce  1      number 1      3003100 ns
|   2     2.999000 ms    2.999000 ms  0.300000 ms  all_reduce  1      number 2     13607400 ns
|   and 4 collectives; --json has all
|
| Skew by process group (last begin - first begin of a collective)
|   group  ranks  matched by  collectives         mean         95 %         most     transfer  most often last
|   0      0-1    number                3  0.001000 ms  0.001000 ms  0.001000 ms  0.900000 ms  rank 1, 3
|   1      2-3    number                3  2.999000 ms  2.999000 ms  2.999000 ms  0.900000 ms  rank 2, 3
|   2      0-3    number                3  6.003100 ms  6.003100 ms  6.003100 ms  0.900000 ms  rank 2, 3
|
| Communication of all ranks (sums over kernels; waiting and transfer are of the matched ones)
|   kind        kernels          time  matched       waiting     transfer
|   all_reduce       24  61.212600 ms       24  54.012600 ms  7.200000 ms
|
| Stragglers, by own time of steps
|   It cannot be decided whether a rank is slow: 3 steps of all ranks do not show for how long differences between them last. It would take at least 8 steps.
# What only runs have is refused; one trace of a folder is looked at by its own path.
$ tscope analyze ./traced/job --rank 2
! tscope: analyze: --rank is for runs, traces of runs and memory snapshots of runs, and ./traced/job is a folder of profiler's traces
[2]
$ tscope analyze ./traced/job --html ./job.html
! tscope: analyze: --html is for runs, traces and memory snapshots, and ./traced/job is a folder of profiler's traces
[2]
# The same traces in a run: the same is said, from the columns; of files that are no traces push told.
$ mkdir pushed && cp -r traced/job/. pushed && tscope push pushed
| name      default/pushed
| id        57b19d8105eba257ecfcaf0afc824aaf1a47a4332b9b69c2d9297df0d136b4e5
| format    PyTorch profiler trace
| steps     0 steps, 4 ranks
| sent SIZE (86 objects)
| new SIZE
| outcome   created
! tscope: pushed/trace.json: skipped: trace_not_read: byte 35: expected a value
! tscope: pushed: unread: notes.txt
$ tscope analyze pushed > stored.txt; tscope analyze ./traced/job > folder.txt; diff folder.txt stored.txt
| 1c1
| < folder    ./traced/job
| ---
| > run       pushed
| 4d3
| < note      trace.json was not read: byte 35: expected a value
| 6,7c5
| < note      copy.pt.trace.json is left out: rank 0, at the time of b_70.1.pt.trace.json.gz
| < note      notes.txt is no trace
| ---
| > note      rank0/copy.pt.trace.json is left out: rank 0, at the time of rank0/b_70.1.pt.trace.json.gz
| 62a61,62
| > $
| > The run has traces and no steps: tscope analyze pushed --trace NAME shows what one says.
[1]
$ tscope analyze --json pushed | python3 -c "import json,sys; j=json.load(sys.stdin); print(j['folder'], [r['rank'] for r in j['ranks']], [(f['file'], f['state']) for f in j['files']][:3])"
| pushed [0, 1, 2, 3] [('kineto.json', 'no_rank'), ('rank0/b_70.1.pt.trace.json.gz', 'read'), ('rank0/copy.pt.trace.json', 'same_time')]
# What a job does not have is asked of one trace.
$ tscope analyze pushed --rank 2
| trace                    rank  says rank  of  events  left out      size
| kineto.json              job           -   -      27         0  5.59 KiB
| b_70.1.pt.trace.json.gz  0             0   5      27         0     767 B
| copy.pt.trace.json       0             0   5      27         0  5.66 KiB
| b_71.1.pt.trace.json     1             1   5      27         0  5.66 KiB
| profiler_trace.json      2             2   5      27         0  5.65 KiB
| a_33.2.pt.trace.json     3             3   5      27         0  5.66 KiB
|
| The run has traces and no steps: tscope analyze pushed --trace NAME shows what one says.
