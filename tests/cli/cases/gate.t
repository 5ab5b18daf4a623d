# Ten runs of branch main, each of its own commit and machine, within half a percent of 100 ms, on a server.
$ i=0; for t in 0.1000 0.1003 0.0998 0.1001 0.1005 0.0997 0.1002 0.0999 0.1004 0.1000; do i=$((i+1)); python3 runs/gate.py m$i time=$t commit=$(printf '%02d%038d' $i 0) session=h$i started=$((1700000000+i*1000)); done; ls -d m[0-9]* | wc -l
| 10
$ tscoped --store server-store --socket $PWD/s --gc-lease-min 0 >log 2>&1 & echo $! >pid; for i in $(seq 200); do test -S s || sleep 0.05; done
$ export TSCOPE_SERVER=unix:$PWD/s; tscope push -q --branch main ./m1 ./m2
| name        id            steps      sent       new  outcome
| default/m1  376d82b3936c    200 SIZE SIZE  created
| default/m2  63e402e22485    200 SIZE SIZE  created
| 2 runs: 2 created
# Two baselines: too few to judge.
$ python3 runs/gate.py clean time=0.1002 commit=c1ea9 session=x1 started=1700020000
$ TSCOPE_SERVER=unix:$PWD/s tscope push -q clean
| name      default/clean
| id        f81014463d63e7628f8de9fe0c876043360d37e756e67e4b4a5ce03a90f48c91
| format    pytscope run directory
| steps     200 steps (0 to 199), 2 ranks
| sent SIZE (7 objects)
| new SIZE
| outcome   created
$ TSCOPE_SERVER=unix:$PWD/s tscope gate clean --baseline main
| step time of default/clean is not judged yet, which is no pass: the gate has 2 baselines so far; a verdict needs at least 3, and 10 are recommended; until then only a regression above 89 % would be suspect
|
|   metric                        baseline  candidate    change     99 % interval  could miss  verdict
|   step time                     100.1 ms   100.2 ms  +0.050 %    -36 % to +56 %        89 %  collecting
|   mean step time                100.2 ms   100.2 ms  +0.050 %    -36 % to +56 %        89 %  (collecting)
|   95th percentile of step time  101.2 ms   101.2 ms  +0.050 %    -36 % to +56 %        89 %  (collecting)
|   share of stalls                  0.0 %      0.0 %         -                 -           -  (collecting)
|   peak memory                      7 GiB      7 GiB     0.0 %    -36 % to +56 %        88 %  (collecting)
|   loss at the end               0.835558   0.835558     0.0 %  -7.8 % to +7.8 %       6.8 %  (collecting)
|   10th percentile of step time  100.1 ms   100.2 ms  +0.050 %    -36 % to +56 %        89 %  (collecting)
|   step time at the end          100.1 ms   100.2 ms  +0.050 %    -36 % to +56 %        89 %  (collecting)
|   floor of step time            100.1 ms   100.2 ms  +0.050 %    -36 % to +56 %        89 %  (collecting)
|
| What else changed
|   loss: Both runs computed the same, bit for bit: 2 series of the trajectory agree over 200 steps
|
| Runs
|   baselines: 2 runs of main
|              run            id            commit        session   step time
|   candidate  default/clean  f81014463d63  c1ea9         6b76b9ef   100.2 ms
|   baseline   default/m2     63e402e22485  020000000000  8272b15e   100.3 ms
|   baseline   default/m1     376d82b3936c  010000000000  d9b49391   100.0 ms
! tscope: warning: step time of default/clean is not judged yet, which is no pass: the gate has 2 baselines so far; a verdict needs at least 3, and 10 are recommended; until then only a regression above 89 % would be suspect
$ TSCOPE_SERVER=unix:$PWD/s tscope push -q --branch main ./m3 ./m4 ./m5 ./m6 ./m7 ./m8 ./m9 ./m10
| name         id            steps      sent       new  outcome
| default/m3   56b886078e4a    200 SIZE SIZE  created
| default/m4   c193c5755539    200 SIZE SIZE  created
| default/m5   d8f40c70aa96    200 SIZE SIZE  created
| default/m6   d86aac82c002    200 SIZE SIZE  created
| default/m7   168cd986d355    200 SIZE SIZE  created
| default/m8   08935f85396d    200 SIZE SIZE  created
| default/m9   edabc04d487b    200 SIZE SIZE  created
| default/m10  a1a26d3b483d    200 SIZE SIZE  created
| 8 runs: 8 created
# Ten: a clean candidate passes, and the gate says what it could have missed. A path that the server does not have gives the same answer.
$ TSCOPE_SERVER=unix:$PWD/s tscope gate clean --baseline main
| step time of default/clean shows no regression: it is 0.1 % longer than that of main (99 % confidence interval of the change -0.8 % to 1.0 %, from 10 baselines); the gate could have missed a regression of up to 2.5 %
|
|   metric                        baseline  candidate   change       99 % interval  could miss  verdict
|   step time                     100.1 ms   100.2 ms  +0.11 %   -0.77 % to +1.0 %       2.5 %  pass
|   mean step time                100.1 ms   100.2 ms  +0.11 %   -0.77 % to +1.0 %       2.5 %  (pass)
|   95th percentile of step time  101.1 ms   101.2 ms  +0.11 %   -0.77 % to +1.0 %       5.5 %  (pass)
|   share of stalls                  0.0 %      0.0 %        -                   -           -  (pass)
|   peak memory                      7 GiB      7 GiB    0.0 %  -0.17 % to +0.17 %       1.2 %  (pass)
|   loss at the end               0.835558   0.835558    0.0 %  -0.34 % to +0.34 %       1.3 %  (pass)
|   10th percentile of step time  100.1 ms   100.2 ms  +0.11 %   -0.77 % to +1.0 %       2.5 %  (pass)
|   step time at the end          100.1 ms   100.2 ms  +0.11 %   -0.77 % to +1.0 %       2.5 %  (pass)
|   floor of step time            100.1 ms   100.2 ms  +0.11 %   -0.77 % to +1.0 %       2.5 %  (pass)
|
| What else changed
|   loss: Both runs computed the same, bit for bit: 2 series of the trajectory agree over 200 steps
|
| Runs
|   baselines: 10 runs of main
|              run            id            commit        session   step time
|   candidate  default/clean  f81014463d63  c1ea9         6b76b9ef   100.2 ms
|   baseline   default/m10    a1a26d3b483d  100000000000  16ea0115   100.0 ms
|   baseline   default/m9     edabc04d487b  090000000000  38b79098   100.4 ms
|   baseline   default/m8     08935f85396d  080000000000  1f774be8   99.90 ms
|   baseline   default/m7     168cd986d355  070000000000  62c6f3f9   100.2 ms
|   baseline   default/m6     d86aac82c002  060000000000  12c57b38   99.70 ms
|   baseline   default/m5     d8f40c70aa96  050000000000  b40d6351   100.5 ms
|   baseline   default/m4     c193c5755539  040000000000  83099cd8   100.1 ms
|   baseline   default/m3     56b886078e4a  030000000000  33cec132   99.80 ms
|   baseline   default/m2     63e402e22485  020000000000  8272b15e   100.3 ms
|   baseline   default/m1     376d82b3936c  010000000000  d9b49391   100.0 ms
$ TSCOPE_SERVER=unix:$PWD/s tscope gate ./clean --baseline main | sed 's/  *$//' | head -3
| step time of default/clean shows no regression: it is 0.1 % longer than that of main (99 % confidence interval of the change -0.8 % to 1.0 %, from 10 baselines); the gate could have missed a regression of up to 2.5 %
|
|   metric                        baseline  candidate   change       99 % interval  could miss  verdict
# 8 % more in one phase: suspect, and pairs are asked for; with them it is a regression.
$ python3 runs/gate.py slow forward=1.2 commit=510c0 session=x2 started=1700021000
$ TSCOPE_SERVER=unix:$PWD/s tscope push -q slow
| name      default/slow
| id        44650b983c7e16d442b5cf138a44072f5e72f2ec2c8eaed0f9da52eb9b579bbf
| format    pytscope run directory
| steps     200 steps (0 to 199), 2 ranks
| sent SIZE (5 objects)
| new SIZE
| outcome   created
$ TSCOPE_SERVER=unix:$PWD/s COLUMNS=60 tscope gate slow --baseline main
| step time of default/slow may have regressed: it is 7.9 %
| longer than that of main (99 % confidence interval of the
| change 7.0 % to 8.9 %, from 10 baselines); run 2 pairs of
| base and candidate on one allocation to confirm it
| warning: some runs do not record wait for every rank, so its
| share of the difference is not known
|
|   metric              baseline  candidate  change  verdict
|   step time           100.1 ms   108.0 ms  +7.9 %  suspect
|   mean step time      100.1 ms   108.0 ms  +7.9 %  suspect
|   95th percentile o…  101.1 ms   109.1 ms  +7.9 %  (suspect)
|   share of stalls        0.0 %      0.0 %       -  (pass)
|   peak memory            7 GiB      7 GiB   0.0 %  (pass)
|   loss at the end     0.835558   0.835558   0.0 %  (pass)
|   10th percentile o…  100.1 ms   108.0 ms  +7.9 %  (suspect)
|   step time at the …  100.1 ms   108.0 ms  +7.9 %  (suspect)
|   floor of step time  100.1 ms   108.0 ms  +7.9 %  (suspect)
|
|   metric                            99 % interval could miss
|   step time                      +7.0 % to +8.9 %      2.5 %
|   mean step time                 +7.0 % to +8.9 %      2.5 %
|   95th percentile of step time   +7.0 % to +8.9 %      5.5 %
|   share of stalls                               -          -
|   peak memory                  -0.17 % to +0.17 %      1.2 %
|   loss at the end              -0.34 % to +0.34 %      1.3 %
|   10th percentile of step time   +7.0 % to +8.9 %      2.5 %
|   step time at the end           +7.0 % to +8.9 %      2.5 %
|   floor of step time             +7.0 % to +8.9 %      2.5 %
|
| Where the step became slower
|   phase forward: 48.00 ms, baseline 40.04 ms; 101 % of the
|   difference
|   work of all ranks: 108.0 ms, baseline 100.1 ms; 100 % of
|   the difference
|   mean work of all ranks: 108.0 ms, baseline 100.1 ms; 100 %
|   of the difference
|
| What else changed
|   loss: Both runs computed the same, bit for bit: 2 series
|   of the trajectory agree over 200 steps
|
| Runs
|   baselines: 10 runs of main
|              run           id            commit
|       session   step time
|   candidate  default/slow  44650b983c7e  510c0
|       40d6e5c9   108.0 ms
|   baseline   default/m10   a1a26d3b483d  100000000000
|       16ea0115   100.0 ms
|   baseline   default/m9    edabc04d487b  090000000000
|       38b79098   100.4 ms
|   baseline   default/m8    08935f85396d  080000000000
|       1f774be8   99.90 ms
|   baseline   default/m7    168cd986d355  070000000000
|       62c6f3f9   100.2 ms
|   baseline   default/m6    d86aac82c002  060000000000
|       12c57b38   99.70 ms
|   baseline   default/m5    d8f40c70aa96  050000000000
|       b40d6351   100.5 ms
|   baseline   default/m4    c193c5755539  040000000000
|       83099cd8   100.1 ms
|   baseline   default/m3    56b886078e4a  030000000000
|       33cec132   99.80 ms
|   baseline   default/m2    63e402e22485  020000000000
|       8272b15e   100.3 ms
|   baseline   default/m1    376d82b3936c  010000000000
|       d9b49391   100.0 ms
[4]
$ for k in 1 2; do python3 runs/gate.py pair-$k-base commit=$(printf '10%038d' 0) session=y started=$((1700029940+k*160)); python3 runs/gate.py pair-$k-new forward=1.2 commit=510c0 session=y started=$((1700030050+k*100)); done
$ TSCOPE_SERVER=unix:$PWD/s tscope push -q ./pair-1-base ./pair-1-new ./pair-2-base ./pair-2-new
| name                 id            steps      sent       new  outcome
| default/pair-1-base  bd7defe3b881    200 SIZE SIZE  created
| default/pair-1-new   6cd2064685f5    200 SIZE SIZE  created
| default/pair-2-base  6f89374de811    200 SIZE SIZE  created
| default/pair-2-new   66f7cde1ec7b    200 SIZE SIZE  created
| 4 runs: 4 created
$ TSCOPE_SERVER=unix:$PWD/s tscope gate slow --baseline main --paired 'pair-*'
| step time of default/slow has regressed: it is 8.0 % longer than that of main (99 % confidence interval of the change 6.6 % to 9.4 %, from 2 pairs on one allocation)
| warning: some runs do not record wait for every rank, so its share of the difference is not known
|
|   metric                        baseline  candidate  change       99 % interval  could miss  verdict
|   step time                     100.0 ms   108.0 ms  +8.0 %    +6.6 % to +9.4 %       2.4 %  regression
|   mean step time                100.0 ms   108.0 ms  +8.0 %    +6.6 % to +9.4 %       2.4 %  regression
|   95th percentile of step time  101.0 ms   109.1 ms  +8.0 %    +6.6 % to +9.4 %       5.4 %  (regression)
|   share of stalls                  0.0 %      0.0 %       -                   -           -  (pass)
|   peak memory                      7 GiB      7 GiB   0.0 %  -0.20 % to +0.20 %       1.2 %  (pass)
|   loss at the end               0.835558   0.835558   0.0 %  -0.40 % to +0.40 %       1.3 %  (pass)
|   10th percentile of step time  100.0 ms   108.0 ms  +8.0 %    +6.6 % to +9.4 %       2.4 %  (regression)
|   step time at the end          100.0 ms   108.0 ms  +8.0 %    +6.6 % to +9.4 %       2.4 %  (regression)
|   floor of step time            100.0 ms   108.0 ms  +8.0 %    +6.6 % to +9.4 %       2.4 %  (regression)
|
| Where the step became slower
|   phase forward: 48.00 ms, baseline 40.00 ms; 100 % of the difference
|   work of all ranks: 108.0 ms, baseline 100.0 ms; 100 % of the difference
|   mean work of all ranks: 108.0 ms, baseline 100.0 ms; 100 % of the difference
|
| What else changed
|   loss: Both runs computed the same, bit for bit: 2 series of the trajectory agree over 200 steps
|
| Runs
|   baselines: 10 runs of main
|                     run                  id            commit        session   step time
|   candidate         default/slow         44650b983c7e  510c0         40d6e5c9   108.0 ms
|   baseline          default/m10          a1a26d3b483d  100000000000  16ea0115   100.0 ms
|   baseline          default/m9           edabc04d487b  090000000000  38b79098   100.4 ms
|   baseline          default/m8           08935f85396d  080000000000  1f774be8   99.90 ms
|   baseline          default/m7           168cd986d355  070000000000  62c6f3f9   100.2 ms
|   baseline          default/m6           d86aac82c002  060000000000  12c57b38   99.70 ms
|   baseline          default/m5           d8f40c70aa96  050000000000  b40d6351   100.5 ms
|   baseline          default/m4           c193c5755539  040000000000  83099cd8   100.1 ms
|   baseline          default/m3           56b886078e4a  030000000000  33cec132   99.80 ms
|   baseline          default/m2           63e402e22485  020000000000  8272b15e   100.3 ms
|   baseline          default/m1           376d82b3936c  010000000000  d9b49391   100.0 ms
|   pair_base 1       default/pair-1-base  bd7defe3b881  100000000000  dfaee3b9   100.0 ms
|   pair_candidate 1  default/pair-1-new   6cd2064685f5  510c0         dfaee3b9   108.0 ms
|   pair_base 2       default/pair-2-base  6f89374de811  100000000000  dfaee3b9   100.0 ms
|   pair_candidate 2  default/pair-2-new   66f7cde1ec7b  510c0         dfaee3b9   108.0 ms
[1]
# The verdict is the same later, byte for byte, when the runs are gone and with no server.
$ TSCOPE_SERVER=unix:$PWD/s tscope gate -q slow --baseline main --paired 'pair-*' --json >verdict.json
[1]
$ export TSCOPE_SERVER=unix:$PWD/s; tscope rm slow pair-1-base pair-1-new pair-2-base pair-2-new >/dev/null; tscope gc --lease 0s --removed 0s
| freed 21 objects, SIZE; kept 74
! tscope: this brings it back: tscope restore default/slow
! tscope: this brings it back: tscope restore default/pair-1-base
! tscope: this brings it back: tscope restore default/pair-1-new
! tscope: this brings it back: tscope restore default/pair-2-base
! tscope: this brings it back: tscope restore default/pair-2-new
$ TSCOPE_SERVER=unix:$PWD/s tscope show slow
| id        44650b983c7e16d442b5cf138a44072f5e72f2ec2c8eaed0f9da52eb9b579bbf
| own name  slow
| names     none
| ended     finished
| started   2023-11-15 04:03Z, took 21.6 s
| steps     200 (0 to 199)
| ranks     2
| facts     code 2, config 1, hardware 2, parallelism 1, session 6
|
| metric      last     best (step)     mean       min  max
| loss    0.803213  0.803213 (199)  1.61747  0.803213    4
|
| cost                  mean      min      max     last
| memory.peak_alloc    7 GiB    7 GiB    7 GiB    7 GiB
| phases.backward    50.0 ms  49.5 ms  50.5 ms  49.9 ms
| phases.forward     48.0 ms  47.5 ms  48.5 ms  47.9 ms
| phases.optimizer   10.0 ms  9.90 ms  10.1 ms  9.99 ms
$ tscope gate -q --replay verdict.json --json | cmp - verdict.json && echo the same bytes
| the same bytes
$ tscope gate --replay verdict.json | head -1
| step time of default/slow has regressed: it is 8.0 % longer than that of main (99 % confidence interval of the change 6.6 % to 9.4 %, from 2 pairs on one allocation)
$ sed 's/"record": "..../"record": "AAAA/' verdict.json >broken.json; tscope gate --replay broken.json
! tscope: broken.json: 18181 bytes are not a tscope.v1.GateInput message
[2]
$ echo '{"record": "Z"}' >broken.json; tscope gate --replay broken.json
! tscope: broken.json: the value of "record" is not base64 at its byte 1
[2]
$ echo '{"verdict": "pass"}' >broken.json; tscope gate --replay broken.json
! tscope: broken.json: the file is not a verdict or a bundle, because it has no key "record"
[2]
$ echo '[' >broken.json; tscope gate --replay broken.json
! tscope: broken.json: byte 0: the file is not a verdict or a bundle, because it does not hold a JSON object
[2]
# Another learning rate is another workload: nothing to compare with.
$ python3 runs/gate.py other lr=0.01 commit=07e50 session=x3
$ TSCOPE_SERVER=unix:$PWD/s tscope gate ./other --baseline main
| step time of 86b15c0dc1d9 cannot be judged: no baseline has the candidate's workload; the newest run does not match, because its config differs from the candidate's
|
|   metric                        baseline  candidate  change  99 % interval  could miss  verdict
|   step time                            -   100.0 ms       -              -           -  inconclusive
|   mean step time                       -   100.0 ms       -              -           -  (inconclusive)
|   95th percentile of step time         -   101.0 ms       -              -           -  (inconclusive)
|   share of stalls                      -      0.0 %       -              -           -  (inconclusive)
|   peak memory                          -      7 GiB       -              -           -  (inconclusive)
|   loss at the end                      -   0.835558       -              -           -  (inconclusive)
|   10th percentile of step time         -   100.0 ms       -              -           -  (inconclusive)
|   step time at the end                 -   100.0 ms       -              -           -  (inconclusive)
|   floor of step time                   -   100.0 ms       -              -           -  (inconclusive)
|
| What else changed
|   loss: there is no baseline to compare the loss with
|
| Runs
|   baselines: 0 runs of main; the spread between runs is known from 10 earlier runs
|              run           id            commit  session   step time
|   candidate  86b15c0dc1d9  86b15c0dc1d9  07e50   da33a17f   100.0 ms
|
| Runs that do not count
|   run          reason
|   default/m10  its config differs from the candidate's
|   default/m9   its config differs from the candidate's
|   default/m8   its config differs from the candidate's
|   default/m7   its config differs from the candidate's
|   default/m6   its config differs from the candidate's
|   default/m5   its config differs from the candidate's
|   default/m4   its config differs from the candidate's
|   default/m3   its config differs from the candidate's
|   and 2 runs more
[3]
$ TSCOPE_SERVER=unix:$PWD/s tscope gate ./other --baseline main --inconclusive fail | head -1; echo ${PIPESTATUS[0]}
| step time of 86b15c0dc1d9 cannot be judged: no baseline has the candidate's workload; the newest run does not match, because its config differs from the candidate's
| 1
$ TSCOPE_SERVER=unix:$PWD/s tscope gate ./other --baseline main --inconclusive pass | head -1; echo ${PIPESTATUS[0]}
| step time of 86b15c0dc1d9 cannot be judged: no baseline has the candidate's workload; the newest run does not match, because its config differs from the candidate's
| 0
! tscope: warning: step time of 86b15c0dc1d9 cannot be judged: no baseline has the candidate's workload; the newest run does not match, because its config differs from the candidate's
$ TSCOPE_SERVER=unix:$PWD/s tscope gate ./other --baseline main --across config | head -1; echo ${PIPESTATUS[0]}
| step time of 86b15c0dc1d9 shows no regression: it is 0.1 % shorter than that of main (99 % confidence interval of the change -1.0 % to 0.8 %, from 10 baselines); the gate could have missed a regression of up to 2.5 %
| 0
# A run that still trains is no candidate, and no baseline; one that is marked bad neither.
$ TSCOPE_SERVER=unix:$PWD/s tscope note clean state=running >/dev/null; TSCOPE_SERVER=unix:$PWD/s tscope gate clean --baseline main
! tscope: default/clean is still training; run the gate when it has finished
[2]
$ TSCOPE_SERVER=unix:$PWD/s tscope note clean state=finished bad='fan broken' >/dev/null; TSCOPE_SERVER=unix:$PWD/s tscope gate clean --baseline main
! tscope: default/clean is marked bad (fan broken); to gate it, remove the note with 'tscope note RUN bad='
[2]
$ export TSCOPE_SERVER=unix:$PWD/s; tscope note clean bad= 2>/dev/null >&2; tscope note m3 state=running >/dev/null; tscope note m5 bad='a loud neighbour' >/dev/null; tscope baseline clean --baseline main
| 8 runs of main
|
| Runs
|   baselines: 8 runs of main
|             run          id            commit        session   step time
|   baseline  default/m10  a1a26d3b483d  100000000000  16ea0115   100.0 ms
|   baseline  default/m9   edabc04d487b  090000000000  38b79098   100.4 ms
|   baseline  default/m8   08935f85396d  080000000000  1f774be8   99.90 ms
|   baseline  default/m7   168cd986d355  070000000000  62c6f3f9   100.2 ms
|   baseline  default/m6   d86aac82c002  060000000000  12c57b38   99.70 ms
|   baseline  default/m4   c193c5755539  040000000000  83099cd8   100.1 ms
|   baseline  default/m2   63e402e22485  020000000000  8272b15e   100.3 ms
|   baseline  default/m1   376d82b3936c  010000000000  d9b49391   100.0 ms
|
| Runs that do not count
|   run         reason
|   default/m5  it is marked bad: a loud neighbour
|   default/m3  it is still training
# All runs of the commit and workload are the candidate: to run again until it is green is no way out.
$ python3 runs/gate.py clean2 time=0.1002 commit=c1ea9 session=x4 started=1700022000; TSCOPE_SERVER=unix:$PWD/s tscope push -q clean2; TSCOPE_SERVER=unix:$PWD/s tscope gate clean2 --baseline main | grep candidate
| name      default/clean2
| id        bc39f124c2244ab9538d78a62f5bb892fe458ab6a429993fc30d0d6f5a09b621
| format    pytscope run directory
| steps     200 steps (0 to 199), 2 ranks
| sent SIZE (4 objects)
| new SIZE
| outcome   created
|   metric                        baseline  candidate   change       99 % interval  could miss  verdict
|   candidate  default/clean2  bc39f124c224  c1ea9         960abeac   100.2 ms
|   candidate  default/clean   f81014463d63  c1ea9         6b76b9ef   100.2 ms
# Ancestors, where the candidate lists them: what is on the branch since is no baseline.
$ python3 runs/gate.py early commit=ea51 session=x5 ancestors="$(for i in 6 4 2 1; do printf '%02d%038d ' $i 0; done)"; TSCOPE_SERVER=unix:$PWD/s tscope baseline ./early --baseline main
| 4 runs of main
|
| Runs
|   baselines: 4 runs of main
|             run         id            commit        session   step time
|   baseline  default/m6  d86aac82c002  060000000000  12c57b38   99.70 ms
|   baseline  default/m4  c193c5755539  040000000000  83099cd8   100.1 ms
|   baseline  default/m2  63e402e22485  020000000000  8272b15e   100.3 ms
|   baseline  default/m1  376d82b3936c  010000000000  d9b49391   100.0 ms
|
| Runs that do not count
|   run          reason
|   default/m10  its commit is not an ancestor of the candidate's
|   default/m9   its commit is not an ancestor of the candidate's
|   default/m8   its commit is not an ancestor of the candidate's
|   default/m7   its commit is not an ancestor of the candidate's
|   default/m5   it is marked bad: a loud neighbour
|   default/m3   it is still training
# A bundle stands for them where there is no server.
$ TSCOPE_SERVER=unix:$PWD/s tscope baseline --baseline main --bundle baselines.json | head -1
| 8 runs of main
$ tscope gate ./clean --bundle baselines.json | head -3
| step time of f81014463d63 shows no regression: it is 0.1 % longer than that of main (99 % confidence interval of the change -0.7 % to 1.0 %, from 8 baselines); the gate could have missed a regression of up to 2.5 %
|
|   metric                        baseline  candidate   change       99 % interval  could miss  verdict
$ tscope gate ./clean --baseline ./baselines.json --exclude every:50
! tscope: the bundle was made with other values of GATE.exclude or GATE.warmup; make a new bundle, or set the same values
[2]
$ tscope gate ./other --bundle baselines.json | head -1
| step time of 86b15c0dc1d9 cannot be judged: no baseline has the candidate's workload; the newest run does not match, because its config differs from the candidate's
# Runs by name, by glob, and directories.
$ TSCOPE_SERVER=unix:$PWD/s tscope gate clean --baseline m1 --baseline m2 --baseline m4 | head -1
| step time of default/clean and 1 more run shows no regression: it is 0.1 % longer than that of its baselines (99 % confidence interval of the change -0.6 % to 0.7 %, from 3 baselines); the gate could have missed a regression of up to 2.3 %
$ TSCOPE_SERVER=unix:$PWD/s tscope gate clean --baseline 'm?' | head -1
| step time of default/clean and 1 more run shows no regression: it is 0.1 % longer than that of its baselines (99 % confidence interval of the change -0.5 % to 0.7 %, from 7 baselines); the gate could have missed a regression of up to 2.3 %
$ tscope gate ./clean --baseline './m?' --baseline './m*0' | head -1
| step time of f81014463d63 shows no regression: it is 0.1 % longer than that of its baselines (99 % confidence interval of the change -0.8 % to 1.0 %, from 10 baselines); the gate could have missed a regression of up to 2.5 %
# An accepted change: baselines begin anew, what was before says how far runs lie apart.
$ TSCOPE_SERVER=unix:$PWD/s tscope baseline accept 0800000 --reason 'exact softmax'
| accepted at 0800000000000000000000000000000000000000 on default/main: baselines begin with default/m8
$ TSCOPE_SERVER=unix:$PWD/s tscope baseline --baseline main
| 3 runs of main since the change accepted at 080000000000 (exact softmax)
|
| Runs
|   baselines: 3 runs of main since the change accepted at 080000000000 (exact softmax); the spread between runs is known from 5 earlier runs
|             run          id            commit        session   step time
|   baseline  default/m10  a1a26d3b483d  100000000000  16ea0115   100.0 ms
|   baseline  default/m9   edabc04d487b  090000000000  38b79098   100.4 ms
|   baseline  default/m8   08935f85396d  080000000000  1f774be8   99.90 ms
|
| Runs that do not count
|   run         reason
|   default/m7  it comes before the change accepted at 080000000000 (exact softmax)
|   default/m6  it comes before the change accepted at 080000000000 (exact softmax)
|   default/m5  it is marked bad: a loud neighbour
|   default/m4  it comes before the change accepted at 080000000000 (exact softmax)
|   default/m3  it is still training
|   default/m2  it comes before the change accepted at 080000000000 (exact softmax)
|   default/m1  it comes before the change accepted at 080000000000 (exact softmax)
$ TSCOPE_SERVER=unix:$PWD/s tscope gate clean --baseline main | head -1
| step time of default/clean and 1 more run shows no regression: it is 0.1 % longer than that of main (99 % confidence interval of the change -0.6 % to 0.8 %, from 3 baselines); the gate could have missed a regression of up to 2.4 %
$ TSCOPE_SERVER=unix:$PWD/s tscope baseline accept 0900000 --reason why --branch nothing
! tscope: nothing is named default/nothing
[2]
$ TSCOPE_SERVER=unix:$PWD/s tscope baseline accept abcdef0 --reason why
! tscope: baseline: branch default/main has no named run of commit abcdef0
[2]
$ TSCOPE_SERVER=unix:$PWD/s tscope baseline accept 09 --reason why
! tscope: baseline: '09' is too short for a commit: give at least 7 digits
[2]
# A policy, its mistakes, and options in its place.
$ printf 'GATE.must_catch = 2 %%\nGATE.metrics = step_time, peak_memory\n' >ci.policy; TSCOPE_SERVER=unix:$PWD/s tscope gate clean --baseline main --policy ci.policy | head -3
| step time of default/clean and 1 more run shows no regression, but this test is blind: the gate could have missed a regression of up to 2.4 %, and GATE.must_catch is 2.0 %; it is 0.1 % longer than that of main (99 % confidence interval of the change -0.6 % to 0.8 %, from 3 baselines)
| warning: the step time of runs of the same code differs too much to show a change of 2.0 %: run 2 pairs of base and candidate on one machine (--paired)
|
$ printf 'GATE.must_catch = 2 %%\nGATE.metrics = step_time, peak_memry\n' >bad.policy; tscope gate clean --baseline main --policy bad.policy
! tscope: there is no metric 'peak_memry', and none of the runs logs a series of that name; did you mean peak_memory?
[2]
$ tscope gate ./clean --baseline main --metric mfuu
! tscope: there is no metric 'mfuu', and none of the runs logs a series of that name; did you mean mfu?
[2]
$ tscope gate --explain --metric peak_memory | head -4
| Metrics that decide: peak memory (largest memory that any rank had allocated).
|
| The unit. Each run gives one value per metric. Runs of one session (one allocation of the same hosts) ran under the same conditions, so they count as one session value, which is their mean. Times and rates are compared by ratio, through logarithms.
|
# It does not make sense.
$ tscope gate
! tscope: gate: usage: tscope gate CANDIDATE... | --repro -- COMMAND...
[2]
$ tscope gate clean
! tscope: gate: no baselines are given; --baseline takes a branch, runs or a bundle
[2]
$ tscope gate ./clean --baseline main --bundle baselines.json
! tscope: gate: a bundle (baselines.json) cannot be combined with other baselines
[2]
$ tscope gate clean --replay verdict.json
! tscope: gate: --replay takes no candidate, because the verdict's file has everything
[2]
$ tscope gate --replay verdict.json --policy ci.policy
! tscope: gate: --policy cannot be combined with --replay, because the verdict's file has everything
[2]
$ tscope gate ./clean --baseline main
| step time of f81014463d63 is not judged yet, which is no pass: the gate has 0 baselines so far; a verdict needs at least 3, and 10 are recommended
|
|   metric                        baseline  candidate  change  99 % interval  could miss  verdict
|   step time                            -   100.2 ms       -              -           -  collecting
|   mean step time                       -   100.2 ms       -              -           -  (collecting)
|   95th percentile of step time         -   101.2 ms       -              -           -  (collecting)
|   share of stalls                      -      0.0 %       -              -           -  (collecting)
|   peak memory                          -      7 GiB       -              -           -  (collecting)
|   loss at the end                      -   0.835558       -              -           -  (collecting)
|   10th percentile of step time         -   100.2 ms       -              -           -  (collecting)
|   step time at the end                 -   100.2 ms       -              -           -  (collecting)
|   floor of step time                   -   100.2 ms       -              -           -  (collecting)
|
| What else changed
|   loss: there is no baseline to compare the loss with
|
| Runs
|   baselines: 0 runs of main, because the project has no branch yet
|              run           id            commit  session   step time
|   candidate  f81014463d63  f81014463d63  c1ea9   6b76b9ef   100.2 ms
! tscope: warning: step time of f81014463d63 is not judged yet, which is no pass: the gate has 0 baselines so far; a verdict needs at least 3, and 10 are recommended
$ tscope baseline accept 0800000
! tscope: baseline: usage: tscope baseline accept COMMIT --reason TEXT [--branch NAME]
[2]
$ tscope baseline a b --baseline main
! tscope: baseline: the word 'b' is not expected; usage: tscope baseline [RUN] | accept COMMIT
[2]
$ kill $(cat pid); while kill -0 $(cat pid) 2>/dev/null; do sleep 0.05; done
