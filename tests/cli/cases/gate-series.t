# Five runs of main that log val_bpb, reward and beta, and two candidates, of which one logs no beta.
$ i=0; for v in 0.9500 0.9512 0.9494 0.9507 0.9491; do i=$((i+1)); python3 runs/gate.py m$i log.val_bpb=$v log.reward=1.$((500+i*7%5)) log.beta=0.$((1000+i*3%5)) commit=$(printf '%02d%038d' $i 0) session=h$i started=$((1700000000+i*1000)); tscope push -q --branch main m$i >/dev/null; done; tscope list -c name | grep -c m
| 6
$ python3 runs/gate.py worse log.val_bpb=0.9700 log.reward=1.50 commit=b055 session=x1 started=1700020000
$ python3 runs/gate.py clean log.val_bpb=0.9503 log.reward=1.30 log.beta=0.1300 commit=c1ea session=x2 started=1700030000
# A worse series and a clean one; of a reward, more is better.
$ tscope gate ./worse --baseline main --metric val_bpb
| val_bpb of 04e6e0762485 may have regressed: it is 2.1 % higher than that of main (99 % confidence interval of the change 1.6 % to 2.6 %, from 5 baselines); run 2 pairs of base and candidate on one allocation to confirm it
|
|   metric                        baseline  candidate  change       99 % interval  could miss  verdict
|   val_bpb                        0.95033   0.970255  +2.1 %    +1.6 % to +2.6 %      0.65 %  suspect
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
|   loss: The two runs first differ at step 9, the first step that both have: val_bpb on rank 0 is 1.0395142631578949 in the first run and 1.0624052631578949 in the second; 11 other series are the same in both
|
| Runs
|   baselines: 5 runs of main
|              run           id            commit        session   step time
|   candidate  04e6e0762485  04e6e0762485  b055          6b76b9ef   100.0 ms
|   baseline   default/m5    9c52b7833c7d  050000000000  b40d6351   100.0 ms
|   baseline   default/m4    26ec7d9d18de  040000000000  83099cd8   100.0 ms
|   baseline   default/m3    379ea20c8ef4  030000000000  33cec132   100.0 ms
|   baseline   default/m2    dd361a998ab8  020000000000  8272b15e   100.0 ms
|   baseline   default/m1    d12749b7e2ab  010000000000  d9b49391   100.0 ms
[4]
$ tscope gate ./clean --baseline main --metric val_bpb | head -1
| val_bpb of 4d0928f187b6 shows no regression: it is 0.02 % higher than that of main (99 % confidence interval of the change -0.4 % to 0.5 %, from 5 baselines); the gate could have missed a regression of up to 0.6 %
$ tscope gate ./clean --baseline main --metric val_bpb --metric reward | head -5
| reward of 4d0928f187b6 may have regressed: it is 13 % lower than that of main (99 % confidence interval of the change -14 % to -13 %, from 5 baselines); run 2 pairs of base and candidate on one allocation to confirm it
|
|   metric                        baseline  candidate    change       99 % interval  could miss  verdict
|   val_bpb                        0.95033    0.95055  +0.023 %  -0.44 % to +0.49 %      0.65 %  pass
|   reward                          1.5024    1.30034     -13 %      -14 % to -13 %      0.74 %  suspect
$ tscope gate ./worse --baseline main --metric val_bpb --json | grep -A 12 '"metric": "val_bpb"'
|       "metric": "val_bpb",
|       "unit": null,
|       "better": "lower",
|       "verdict": "suspect",
|       "gates": true,
|       "counts": true,
|       "reason": null,
|       "baseline": 0.9503300210526318,
|       "candidate": 0.9702552631578948,
|       "baseline_session_count": 5,
|       "candidate_session_count": 1,
|       "change_ratio": 0.020966655439541793,
|       "low_ratio": 0.01631751791440135,
# Nobody knows which way beta is better until the user says it.
$ tscope gate ./clean --baseline main --metric beta | head -1
| beta of 4d0928f187b6 may have moved: it is 30 % higher than that of main (99 % confidence interval of the change 29 % to 31 %, from 5 baselines); whether that is better or worse is not known: state GATE.beta.better = lower or higher (--better), or run 2 pairs of base and candidate on one allocation to confirm it
$ tscope gate ./clean --baseline main --metric beta --better lower | head -1
| beta of 4d0928f187b6 may have regressed: it is 30 % higher than that of main (99 % confidence interval of the change 29 % to 31 %, from 5 baselines); run 2 pairs of base and candidate on one allocation to confirm it
$ tscope gate ./clean --baseline main --metric beta --better higher | head -1
| beta of 4d0928f187b6 shows no regression: it is 30 % higher than that of main (99 % confidence interval of the change 29 % to 31 %, from 5 baselines), which one run cannot attribute to the commit; the gate could have missed a regression of up to 1.1 %
$ tscope gate ./clean --baseline main --metric beta --better up
! tscope: gate: --better must be one of: lower higher; it is 'up'
[2]
$ tscope gate ./clean --baseline main --metric step_time --better lower
! tscope: gate: --better is about a series that the runs log, and no metric here is one: of the others it is known
[2]
# A name that nobody has, and one that the candidate lacks.
$ tscope gate ./clean --baseline main --metric val_bbp
! tscope: there is no metric 'val_bbp', and none of the runs logs a series of that name; did you mean val_bpb?
[2]
$ tscope gate ./clean --baseline main --metric accuracy
! tscope: there is no metric 'accuracy', and none of the runs logs a series of that name; one of them logs loss, beta, reward, val_bpb
[2]
$ tscope gate --check --baseline main --metric step_tim
! tscope: there is no metric 'step_tim', and none of the runs logs a series of that name; did you mean step_time?
[2]
$ tscope gate ./worse --baseline main --metric beta | head -1
| beta of 04e6e0762485 cannot be judged: the candidate has no value: it logs no series beta
# A baseline that lacks it is named.
$ python3 runs/gate.py old commit=01d session=h9 started=1699990000; tscope push -q old >/dev/null; tscope gate ./clean --baseline m1 --baseline m2 --baseline m3 --baseline old --metric val_bpb | head -2
| val_bpb of 4d0928f187b6 shows no regression: it is 0.01 % higher than that of its baselines (99 % confidence interval of the change -1.1 % to 1.1 %, from 3 baselines); the gate could have missed a regression of up to 1.3 %
| warning: 1 of 4 baselines does not count for val_bpb (default/old): it logs no series val_bpb
# Too few baselines are no pass.
$ tscope gate ./clean --baseline m1 --baseline m2 --metric val_bpb | head -1
| val_bpb of 4d0928f187b6 is not judged yet, which is no pass: the gate has 2 baselines so far; a verdict needs at least 3, and 10 are recommended; until then only a regression above 6.0 % would be suspect
! tscope: warning: val_bpb of 4d0928f187b6 is not judged yet, which is no pass: the gate has 2 baselines so far; a verdict needs at least 3, and 10 are recommended; until then only a regression above 6.0 % would be suspect
# A policy names it, with a least size of its own and a floor.
$ printf 'GATE.metrics = val_bpb, reward\nGATE.val_bpb.min_size = 3 %%\nGATE.reward.least = 1.4\n' >ci.policy; tscope gate ./worse --baseline main --policy ci.policy | head -6; tscope gate ./clean --baseline main --policy ci.policy | head -1
| val_bpb of 04e6e0762485 shows no regression: it is 2.1 % higher than that of main (99 % confidence interval of the change 1.6 % to 2.6 %, from 5 baselines); the gate could have missed a regression of up to 3.2 %
|
|   metric                        baseline  candidate   change       99 % interval  could miss  verdict
|   val_bpb                        0.95033   0.970255   +2.1 %    +1.6 % to +2.6 %       3.2 %  pass
|   reward                          1.5024    1.50039  -0.13 %  -0.66 % to +0.40 %      0.74 %  pass
|   step time                     100.0 ms   100.0 ms    0.0 %  -0.50 % to +0.51 %       2.2 %  (pass)
| reward of 4d0928f187b6 lies below its floor: it is 1.3 (99 % interval 1.293 to 1.308), and GATE.reward.least is 1.4
$ printf 'GATE.metrics = val_bpb\nGATE.val_bpd.min_size = 3 %%\n' >ci.policy; tscope gate ./worse --baseline main --policy ci.policy
! tscope: gate: policy: GATE.val_bpd.min_size is about a metric that GATE.metrics does not name; did you mean val_bpb?
[2]
# A bundle has what it was made for. The record of a verdict has all of it.
$ tscope baseline --baseline main --metric val_bpb --bundle b.json | head -1
| 5 runs of main
$ tscope gate ./worse --bundle b.json --metric val_bpb --verdict v.json --gitlab g.txt --junit j.xml --markdown m.md | head -1; tscope gate --replay v.json | head -1; grep series g.txt; grep -c 'name="val_bpb"' j.xml; grep '^| .*bpb' m.md
| val_bpb of 04e6e0762485 may have regressed: it is 2.1 % higher than that of main (99 % confidence interval of the change 1.6 % to 2.6 %, from 5 baselines); run 2 pairs of base and candidate on one allocation to confirm it
| val_bpb of 04e6e0762485 may have regressed: it is 2.1 % higher than that of main (99 % confidence interval of the change 1.6 % to 2.6 %, from 5 baselines); run 2 pairs of base and candidate on one allocation to confirm it
| # TYPE tscope_series gauge
| # HELP tscope_series mean of the last tenth of the logged series
| tscope_series{workload="dc514aa9ab1e",metric="val_bpb"} 0.97
| 1
| | **<code>val&#95;bpb</code>** | 0.95033 | 0.970255 | +2.1 % | +1.6 % to +2.6 % | suspect | |
$ tscope gate ./worse --bundle b.json --metric reward | head -1
| reward of 04e6e0762485 cannot be judged: no baseline has a value to compare with: its series was not reduced: the bundle or record was made for other metrics
# The trend of the branch.
$ tscope trend main --metric val_bpb | head -3
| val_bpb of main is 0.9503 in 5 runs; these are too few for a trend
| 5 runs, workload dc514aa9ab1e
|
$ tscope trend main --metric val_bbp
! tscope: there is no metric 'val_bbp', and none of the runs logs a series of that name; did you mean val_bpb?
[2]
