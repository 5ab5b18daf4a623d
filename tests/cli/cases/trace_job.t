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
| id        a6b13910d4f10a6e1a4ed1f05767373d11832c0a22fe10fe649538926b7e01dc
| format    PyTorch profiler trace
| steps     0 steps, 4 ranks
| sent SIZE (87 objects)
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
# Two folders of such traces, rank by rank: rank 1 alone became slower, and each folder has a rank that the other lacks.
$ mkdir before after; for r in 0 1 2; do sed '1s/^{/{"distributedInfo": {"rank": '$r', "world_size": 4},/;/^ "distributedInfo"/,/^ }/d' traced/trace.json > before/r$r.json; done; cp before/r0.json after/other.json; sed '1s/^{/{"distributedInfo": {"rank": 1, "world_size": 4},/;/^ "distributedInfo"/,/^ }/d' traced/slower.json > after/r1.json; sed '1s/"rank": 2/"rank": 3/' before/r2.json > after/r3.json; echo x > after/notes.txt
$ tscope diff ./before ./after
| Of 2 pairs of traces that of rank 1 differs most: A step takes 608.0 us longer in B (6.1 %): 608.0 us more of gemm (volta_sgemm_128x64_nt replaced by cutlass_80_simt_sgemm_128x64_8x5_nt_align1 under aten::mm).
| A         ./before
| B         ./after
| note      notes.txt of B is no trace
|
| The ranks
|   traces of  step in A     in B  difference
|   rank 0       10.0 ms  10.0 ms      +0.0 %  not different
|   rank 1       10.0 ms  10.6 ms      +6.1 %  differs most
|   only in A: rank 2 (r2.json)
|   only in B: rank 3 (r3.json)
|
| Traces of rank 1
| A         r1.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| B         r1.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| times     means over steps, which end when the last event of a device that they launched does
|
| Step
|              A             B    difference    of A                 95 %          name
|   10.000000 ms  10.608000 ms  +0.608000 ms  +6.1 %  +0.538 to +0.678 ms  longer  step
|   10.000000 ms  10.600000 ms  +0.600000 ms  +6.0 %  +0.599 to +0.601 ms  longer  ProfilerStep on the host
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
|             A            B    difference      of A                 95 %  count A  count B                                                                         name
|   0.000000 ms  8.608000 ms  +8.608000 ms       new  +8.562 to +8.654 ms        0        1  only in B                                                              cutlass_80_simt_sgemm_128x64_8x5_nt_align1
|   8.000000 ms  0.000000 ms  -8.000000 ms  -100.0 %  -8.001 to -7.999 ms        1        0  replaced by cutlass_80_simt_sgemm_128x64_8x5_nt_align1 under aten::mm  volta_sgemm_128x64_nt
|
| Device time by the operator that launched it (sums): 1 of 2 differs
|             A            B    difference    of A                 95 %  count A  count B          name
|   8.000000 ms  8.608000 ms  +0.608000 ms  +7.6 %  +0.562 to +0.654 ms        1        1  longer  aten::mm
[1]
$ tscope diff ./before ./before | head -12
| Of 3 pairs of traces none has steps that stand out. Of rank 0: A step takes 10.0 ms in A and 10.0 ms in B, which do not differ by more than their noise over steps (95 % interval of the difference: -0.0 % to 0.0 %).
| A         ./before
| B         ./before
|
| The ranks
|   traces of  step in A     in B  difference
|   rank 0       10.0 ms  10.0 ms      +0.0 %  not different
|   rank 1       10.0 ms  10.0 ms      +0.0 %  not different
|   rank 2       10.0 ms  10.0 ms      +0.0 %  not different
|
| Traces of rank 0
| A         r0.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
$ tscope diff --json ./before ./after | python3 -c 'import json, sys; d = json.load(sys.stdin); print([(r["rank"], r["trace_b"], r["verdict"], r["step"]["difference_ns"]) for r in d["ranks"]], d["worst_index"], [(o["rank"], o["in_b"]) for o in d["one_sided"]], d["trace"]["step"]["time_differs"])'
| [(0, 'other.json', 'same', 0), (1, 'r1.json', 'differs', 608000)] 1 [(2, False), (3, True)] True
$ mkdir far; sed '1s/"rank": 2/"rank": 5/' before/r2.json > far/r5.json; sed '1s/"rank": 2/"rank": 6/' before/r2.json > far/r6.json; tscope diff ./before ./far
| The two have no trace of the same rank.
| A         ./before
| B         ./far
|
| The ranks
|   only in A: rank 0 (r0.json), rank 1 (r1.json), rank 2 (r2.json)
|   only in B: rank 5 (r5.json), rank 6 (r6.json)
[3]
$ tscope diff --first ./before ./after
! tscope: diff: --first works with two runs, and these are folders of profiler's traces
[2]
$ tscope diff ./before ./traced/trace.json
! tscope: diff: ./before is a folder of profiler's traces, and ./traced/trace.json is none; give two of a kind
[2]
