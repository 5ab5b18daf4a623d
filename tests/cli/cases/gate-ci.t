# What gate leaves for continuous integration: several files at once, beside its answer. Ten runs of main, 100 ms a step.
$ i=0; for t in 0.1000 0.1003 0.0998 0.1001 0.1005 0.0997 0.1002 0.0999 0.1004 0.1000; do i=$((i+1)); python3 runs/gate.py m$i time=$t commit=$(printf '%02d%038d' $i 0) session=h$i started=$((1700000000+i*1000)); tscope push -q --branch main ./m$i >/dev/null; done; tscope list --names | wc -l
| 10
$ python3 runs/gate.py slow time=0.108 commit=51000000000000000000000000000000000000aa session=x2 started=1700030000; tscope push -q slow | head -1
| name      default/slow
# Exit 4: a request, a comment, JUnit with an error, metrics, and the verdict with its record.
$ tscope gate slow --baseline main --request r.txt --markdown c.md --junit j.xml --gitlab m.txt --verdict v.json | head -1; echo ${PIPESTATUS[0]}
| step time of default/slow may have regressed: it is 7.9 % longer than that of main (99 % confidence interval of the change 7.0 % to 8.9 %, from 10 baselines); run 2 pairs of base and candidate on one allocation to confirm it
| 4
$ cat r.txt
| # step time of default/slow may have regressed: it is 7.9 % longer than that of main (99 % confidence interval of the change 7.0 % to 8.9 %, from 10 baselines); run 2 pairs of base and candidate on one allocation to confirm it
| # The columns are SIDE PAIR COMMIT NAME. Run these on one machine in this order, push each under its NAME, and gate again:
| # tscope gate slow --baseline main --paired 'pair-1e25bcdcd32c-*'
| base 1 1000000000000000000000000000000000000000 pair-1e25bcdcd32c-1-base
| candidate 1 51000000000000000000000000000000000000aa pair-1e25bcdcd32c-1-candidate
| candidate 2 51000000000000000000000000000000000000aa pair-1e25bcdcd32c-2-candidate
| base 2 1000000000000000000000000000000000000000 pair-1e25bcdcd32c-2-base
$ cat c.md
| <!-- tscope-gate:dc514aa9ab1e -->
| ### tscope gate: suspect
|
| step time of default&#47;slow may have regressed&#58; it is 7.9 % longer than that of main (99 % confidence interval of the change 7.0 % to 8.9 %&#8203;, from 10 baselines); run 2 pairs of base and candidate on one allocation to confirm it
|
| - **warning:** some runs do not record wait for every rank, so its share of the difference is not known
|
| | metric | baseline | candidate | change | 99 % interval | verdict | could have missed |
| |---|--:|--:|--:|---|---|---|
| | **step time** | 100.1 ms | 108.0 ms | +7.9 % | +7.0 % to +8.9 % | suspect | |
| | **mean step time** | 100.1 ms | 108.0 ms | +7.9 % | +7.0 % to +8.9 % | suspect | |
| | 95th percentile of step time | 101.1 ms | 109.1 ms | +7.9 % | +7.0 % to +8.9 % | suspect (does not decide) | |
| | share of stalls | 0.0 % | 0.0 % | not known | not known | pass (does not decide) | |
| | peak memory | 7 GiB | 7 GiB | 0.0 % | -0.17 % to +0.17 % | pass (does not decide) | up to 1.2 % |
| | loss at the end | 0.835558 | 0.835558 | 0.0 % | -0.34 % to +0.34 % | pass (does not decide) | up to 1.3 % |
| | 10th percentile of step time | 100.1 ms | 108.0 ms | +7.9 % | +7.0 % to +8.9 % | suspect (does not decide) | |
| | step time at the end | 100.1 ms | 108.0 ms | +7.9 % | +7.0 % to +8.9 % | suspect (does not decide) | |
| | floor of step time | 100.1 ms | 108.0 ms | +7.9 % | +7.0 % to +8.9 % | suspect (does not decide) | |
|
| - not known: tokens per second, tokens per second and device: the candidate has no value&#58; the run has no column tokens and does not record work.tokens&#95;per&#95;step
| - not known: samples per second, samples per second and device: the candidate has no value&#58; the run has no column samples and does not record work.samples&#95;per&#95;step
| - not known: MFU: the candidate has no value&#58; the run does not record work.flops&#95;per&#95;step
|
| #### Where the time went
|
| | | | baseline | candidate | of the difference |
| |---|---|--:|--:|--:|
| | rank | <code>all ranks</code> | 100.1 ms | 108.0 ms | 100 % |
| | work | <code>all ranks</code> | 100.1 ms | 108.0 ms | 100 % |
| | phase | <code>backward</code> | 50.05 ms | 54.00 ms | 50 % |
| | phase | <code>forward</code> | 40.04 ms | 43.20 ms | 40 % |
| | phase | <code>optimizer</code> | 10.01 ms | 10.80 ms | 10 % |
|
| #### What to do
|
| One run cannot show whether the change or the machine is slower. Pairs on one machine can. Run base <code>1000000000000000000000000000000000000000</code> and candidate <code>51000000000000000000000000000000000000aa</code> in turn until there are 2 pairs, push the runs as <code>pair&#45;1e25bcdcd32c&#45;1&#45;base</code>, <code>pair&#45;1e25bcdcd32c&#45;1&#45;candidate</code> and so on, and gate again. Running the same job again does not help, because all runs of a commit count together.
|
| ```
| tscope gate slow --baseline main --paired 'pair-1e25bcdcd32c-*'
| ```
|
| <details><summary>Runs and policy</summary>
|
| - candidate: <code>default&#47;slow</code> of <code>510000000000...</code>
| - baselines: <code>default&#47;m10</code> of <code>100000000000...</code>, <code>default&#47;m9</code> of <code>090000000000...</code>, <code>default&#47;m8</code> of <code>080000000000...</code>, <code>default&#47;m7</code> of <code>070000000000...</code>, <code>default&#47;m6</code> of <code>060000000000...</code>, <code>default&#47;m5</code> of <code>050000000000...</code>, <code>default&#47;m4</code> of <code>040000000000...</code>, <code>default&#47;m3</code> of <code>030000000000...</code>, <code>default&#47;m2</code> of <code>020000000000...</code>, <code>default&#47;m1</code> of <code>010000000000...</code>
| - compared with <code>main</code>: &#49;0 runs of main
| - loss: Both runs computed the same, bit for bit&#58; 2 series of the trajectory agree over 200 steps
| - policy <code>342bceecbc55</code>, analysis version 24, exit code 4
|
| </details>
$ grep -E '<testsuite |name="step_time"|<error' j.xml
|   <testsuite name="tscope gate dc514aa9ab1e" tests="15" failures="0" errors="2" skipped="10">
|     <testcase classname="tscope.gate" name="step_time" time="0.108">
|       <error type="suspect" message="suspect: 108.0 ms, baseline 100.1 ms: +7.9 % (99 % confidence interval +7.0 % to +8.9 %; 10 baselines)">
|       <error type="suspect" message="suspect: 108.0 ms, baseline 100.1 ms: +7.9 % (99 % confidence interval +7.0 % to +8.9 %; 10 baselines)">
$ cat m.txt
| # TYPE tscope_step_time_seconds gauge
| # UNIT tscope_step_time_seconds seconds
| # HELP tscope_step_time_seconds wall time of an optimizer step, median over windows of steps
| tscope_step_time_seconds{workload="dc514aa9ab1e"} 0.108
| # TYPE tscope_step_time_mean_seconds gauge
| # UNIT tscope_step_time_mean_seconds seconds
| # HELP tscope_step_time_mean_seconds wall time of all counted steps divided by their number, so that rare slow steps count in full
| tscope_step_time_mean_seconds{workload="dc514aa9ab1e"} 0.108
| # TYPE tscope_step_time_p95_seconds gauge
| # UNIT tscope_step_time_p95_seconds seconds
| # HELP tscope_step_time_p95_seconds 95th percentile of the wall times of single records
| tscope_step_time_p95_seconds{workload="dc514aa9ab1e"} 0.109
| # TYPE tscope_stall_share_ratio gauge
| # UNIT tscope_stall_share_ratio ratio
| # HELP tscope_stall_share_ratio share of all time that stalled records (longer than three medians) took beyond one median
| tscope_stall_share_ratio{workload="dc514aa9ab1e"} 0
| # TYPE tscope_peak_memory_bytes gauge
| # UNIT tscope_peak_memory_bytes bytes
| # HELP tscope_peak_memory_bytes largest memory that any rank had allocated
| tscope_peak_memory_bytes{workload="dc514aa9ab1e"} 7.52e+09
| # TYPE tscope_loss gauge
| # HELP tscope_loss mean of the last tenth of the loss curve
| tscope_loss{workload="dc514aa9ab1e"} 0.836
| # TYPE tscope_step_time_p10_seconds gauge
| # UNIT tscope_step_time_p10_seconds seconds
| # HELP tscope_step_time_p10_seconds 10th percentile over windows of steps, which other work on the machine disturbs least
| tscope_step_time_p10_seconds{workload="dc514aa9ab1e"} 0.108
| # TYPE tscope_step_time_end_seconds gauge
| # UNIT tscope_step_time_end_seconds seconds
| # HELP tscope_step_time_end_seconds wall time of an optimizer step, median over the last quarter of the windows of steps
| tscope_step_time_end_seconds{workload="dc514aa9ab1e"} 0.108
| # TYPE tscope_step_time_floor_seconds gauge
| # UNIT tscope_step_time_floor_seconds seconds
| # HELP tscope_step_time_floor_seconds 10th percentile of the wall times of single steps, which bursts of other work leave as it is
| tscope_step_time_floor_seconds{workload="dc514aa9ab1e"} 0.108
| # TYPE tscope_gate_change_ratio gauge
| # UNIT tscope_gate_change_ratio ratio
| # HELP tscope_gate_change_ratio relative change of the metric against its baselines
| tscope_gate_change_ratio{workload="dc514aa9ab1e",metric="step_time"} 0.079
| tscope_gate_change_ratio{workload="dc514aa9ab1e",metric="step_time_mean"} 0.079
| tscope_gate_change_ratio{workload="dc514aa9ab1e",metric="step_time_p95"} 0.079
| tscope_gate_change_ratio{workload="dc514aa9ab1e",metric="peak_memory"} 0
| tscope_gate_change_ratio{workload="dc514aa9ab1e",metric="loss"} 0
| tscope_gate_change_ratio{workload="dc514aa9ab1e",metric="step_time_p10"} 0.079
| tscope_gate_change_ratio{workload="dc514aa9ab1e",metric="step_time_end"} 0.079
| tscope_gate_change_ratio{workload="dc514aa9ab1e",metric="step_time_floor"} 0.079
| # TYPE tscope_gate_could_miss_ratio gauge
| # UNIT tscope_gate_could_miss_ratio ratio
| # HELP tscope_gate_could_miss_ratio relative size of a regression that the gate could have missed
| tscope_gate_could_miss_ratio{workload="dc514aa9ab1e",metric="peak_memory"} 0.0117
| tscope_gate_could_miss_ratio{workload="dc514aa9ab1e",metric="loss"} 0.0134
| # TYPE tscope_gate_judged gauge
| # HELP tscope_gate_judged 1 the gate judged the run, 0 it has too few baselines to judge, or the runs are not comparable
| tscope_gate_judged{workload="dc514aa9ab1e"} 1
| # TYPE tscope_gate_exit_code gauge
| # HELP tscope_gate_exit_code 0 pass, or not judged yet; 1 regression; 3 inconclusive or blind; 4 pairs needed
| tscope_gate_exit_code{workload="dc514aa9ab1e"} 4
| # EOF
# The verdict says the same again, as commands of a GitHub runner: the answer between marks, then what is to be shown.
$ GITHUB_STEP_SUMMARY=summary.md tscope gate --replay v.json --github | sed -E 's/[0-9a-f]{32}/TOKEN/' | grep -n '^::' | cut -c 1-150; tail -n +2 c.md | diff - summary.md
| 1:::stop-commands::TOKEN
| 40:::TOKEN::
| 41:::warning title=tscope gate%3A suspect::step time of default/slow may have regressed: it is 7.9 %25 longer than that of main (99 %25 confidence int
| 42:::warning title=step time%3A suspect::108.0 ms, baseline 100.1 ms: +7.9 %25 (99 %25 confidence interval +7.0 %25 to +8.9 %25; 10 baselines)
| 43:::warning title=mean step time%3A suspect::108.0 ms, baseline 100.1 ms: +7.9 %25 (99 %25 confidence interval +7.0 %25 to +8.9 %25; 10 baselines)
| 44:::notice title=95th percentile of step time%3A suspect (this metric does not decide)::109.1 ms, baseline 101.1 ms: +7.9 %25 (99 %25 confidence inte
| 45:::notice title=10th percentile of step time%3A suspect (this metric does not decide)::108.0 ms, baseline 100.1 ms: +7.9 %25 (99 %25 confidence inte
| 46:::notice title=step time at the end%3A suspect (this metric does not decide)::108.0 ms, baseline 100.1 ms: +7.9 %25 (99 %25 confidence interval +7.
| 47:::notice title=floor of step time%3A suspect (this metric does not decide)::108.0 ms, baseline 100.1 ms: +7.9 %25 (99 %25 confidence interval +7.0 $
| 48:::warning title=tscope gate::some runs do not record wait for every rank, so its share of the difference is not known
| 37,40d36
| < ```
| < tscope gate slow --baseline main --paired 'pair-1e25bcdcd32c-*'
| < ```
| < $
[1]
# A file that cannot be written is an error, and then there is no answer.
$ tscope gate slow --baseline main --junit no/folder/j.xml
! tscope: gate: --junit: no/folder/j.xml: No such file or directory
[2]
$ tscope gate slow --baseline main --markdown ''
! tscope: gate: --markdown needs the path of a file to write
[2]
$ tscope gate slow --baseline main --github --json
| {
|   "error": {
|     "status": "invalid",
|     "message": "gate: --github and --json cannot be combined: both write to stdout"
|   }
| }
! tscope: gate: --github and --json cannot be combined: both write to stdout
[2]
