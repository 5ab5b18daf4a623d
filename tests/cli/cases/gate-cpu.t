# Five runs of main that record the CPU time of each step and a seed of their own, and a candidate that computes 20 % more while its step takes as long.
$ i=0; for t in 0.0700 0.0703 0.0698 0.0701 0.0705; do i=$((i+1)); python3 runs/gate.py m$i cpu=$t seed=$i commit=$(printf '%02d%038d' $i 0) session=h$i started=$((1700000000+i*1000)); tscope push -q --branch main ./m$i >/dev/null; done; ls -d m[0-9]* | wc -l
| 5
$ python3 runs/gate.py busy cpu=0.0840 seed=9 commit=b055 session=x1 started=1700020000
$ tscope gate ./busy --baseline main | head -1
| step time of a48e688e1f71 shows no regression: it is 0 % longer than that of main (99 % confidence interval of the change -0.5 % to 0.5 %, from 5 baselines); the gate could have missed a regression of up to 2.2 %
$ tscope gate ./busy --baseline main --metric cpu_time
| CPU time of a step of a48e688e1f71 may have regressed: it is 20 % longer than that of main (99 % confidence interval of the change 17 % to 22 %, from 5 baselines); run 2 pairs of base and candidate on one allocation to confirm it
|
|   metric                        baseline  candidate  change       99 % interval  could miss  verdict
|   CPU time of a step            140.3 ms   168.0 ms   +20 %      +17 % to +22 %       2.9 %  suspect
|   step time                     100.0 ms   100.0 ms   0.0 %  -0.50 % to +0.51 %       2.2 %  (pass)
|   mean step time                100.0 ms   100.0 ms   0.0 %  -0.50 % to +0.51 %       2.2 %  (pass)
|   95th percentile of step time  101.0 ms   101.0 ms   0.0 %    -1.0 % to +1.0 %       5.5 %  (pass)
|   share of stalls                  0.0 %      0.0 %       -                   -           -  (pass)
|   peak memory                      7 GiB      7 GiB   0.0 %  -0.25 % to +0.25 %       1.2 %  (pass)
|   loss at the end               0.835558   0.835558   0.0 %  -0.50 % to +0.50 %       1.4 %  (pass)
|   10th percentile of step time  100.0 ms   100.0 ms   0.0 %  -0.50 % to +0.51 %       2.2 %  (pass)
|   step time at the end          100.0 ms   100.0 ms   0.0 %  -0.50 % to +0.51 %       2.2 %  (pass)
|   floor of step time            100.0 ms   100.0 ms   0.0 %  -0.50 % to +0.51 %       2.2 %  (pass)
|
| What else changed
|     fact         newest baseline  candidate
|     seeds.torch  5                9
|   loss: the seeds differ, so the losses differ from the first step on
|
| Runs
|   baselines: 5 runs of main
|              run           id            commit        session   step time
|   candidate  a48e688e1f71  a48e688e1f71  b055          6b76b9ef   100.0 ms
|   baseline   default/m5    b04ab248ddde  050000000000  b40d6351   100.0 ms
|   baseline   default/m4    c417b72e71e4  040000000000  83099cd8   100.0 ms
|   baseline   default/m3    2d3e3e5c2ed9  030000000000  33cec132   100.0 ms
|   baseline   default/m2    fbc6d68038e7  020000000000  8272b15e   100.0 ms
|   baseline   default/m1    1ff8c43818a3  010000000000  d9b49391   100.0 ms
[4]
