# Thirty runs of branch main around 100 ms, each of its own commit, then ten around 110 ms.
$ for i in $(seq 10 49); do python3 runs/gate.py m$i time=0.1$((i/40))$(printf %02d $((i*7%11))) commit=$(printf '%02d%038d' $i 0) started=$((1700000000+i*1000)); done; ls -d m[0-9]* | wc -l
| 40
$ tscope push -q --branch main ./m?? | tail -n 1
| 40 runs: 40 created
# The sentence first, then the runs, then a row a change.
$ tscope trend main
| step time of main rose by 9.9 % between 390000000000 and 400000000000, 10 runs ago
| 40 runs, workload dc514aa9ab1e
|
| RUNS
|   111.0 ms ┤                                                                  •───•─•────•───•─•────
|            │                                                                  ┊ •     •    •     •
|            │                                                                  ┊
|            │                                                                  ┊
|   105.5 ms ┤                                                                  ┊
|            │                                                                  ┊
|            │                                                                  ┊
|            │    •   •      •      •     •    •     •      •     •    •     •  ┊
|   100.0 ms ┤•─•───•────•─•───•─•────•─•───•────•─•───•──•───•─•────•───•─•────┊
|                                                                               A
|             NOW_________________                                                NOW_________________
|   change                 last before   first after   level                 runs ago       p
|   A  +9.9 %  cost added  390000000000  400000000000  100.5 ms to 110.5 ms        10  0.0005
$ COLUMNS=60 tscope trend main
| step time of main rose by 9.9 % between 390000000000 and
| 400000000000, 10 runs ago
| 40 runs, workload dc514aa9ab1e
|
| RUNS
|   111.0 ms ┤                                    •─••──•─••──
|            │                                    ┊•  •  •  •
|            │                                    ┊
|            │                                    ┊
|   105.5 ms ┤                                    ┊
|            │                                    ┊
|            │                                    ┊
|            │  • •   •   •  •  •  •   •  •  •  • ┊
|   100.0 ms ┤••─•──••─••──••─•──••─•─•─••──•─••──┊
|                                                 A
|             NOW_________________        NOW_________________
|   A  +9.9 %
|       cost added  last before 390000000000
|       first after 400000000000  level 100.5 ms to 110.5 ms
|       runs ago 10  p 0.0005
# What does not count is said: marked bad, still training, of another workload.
$ tscope note m12 bad='broken fan'
| note   value       when                  who
| bad    broken fan  NOW_________________  ada
| state  finished    NOW_________________  ada
$ tscope note m49 state=running
| note   value    when                  who
| state  running  NOW_________________  ada
$ python3 runs/gate.py other time=0.2 commit=0ther lr=0.1 started=1700090000
$ tscope push -q --branch main ./other | tail -n 1
| outcome   created
$ tscope note other bad='to look at main alone'
| note   value                  when                  who
| bad    to look at main alone  NOW_________________  ada
| state  finished               NOW_________________  ada
$ tscope trend main --limit 12
| step time of main is 110 ms over 10 runs, and no change of its level was found
| 12 runs, workload dc514aa9ab1e; 2 runs left out; 29 older entries of the branch not read
|
| RUNS
|   111.0 ms ┤   •     •  •     •     •  •
|            │      •        •     •
|            │
|            │
|   105.9 ms ┤
|            │
|            │
|            │
|   100.9 ms ┤•
|             NOW_________________  NOW_________________
|
| LEFT OUT
|   1 run        marked bad: to look at main alone
|   1 run        still training
# In a nightly job: a level that is worse fails, until somebody accepts it.
$ tscope trend main --exit-code >page; echo $?; head -n 1 page
| 1
| step time of main rose by 10 % between 390000000000 and 400000000000, 11 runs ago
$ tscope baseline accept 40000000 --branch main --reason 'exact softmax'
| accepted at 4000000000000000000000000000000000000000 on default/main: baselines begin with default/m40
$ tscope trend main --exit-code --metric step_time
| step time of main rose by 10 % between 390000000000 and 400000000000, 11 runs ago; this change was accepted
| 41 runs, workload dc514aa9ab1e; 3 runs left out
|
| RUNS
|   111.0 ms ┤                                                                •───•─•────•───•─•──────
|            │                                                                ┊ •     •    •
|            │                                                                ┊
|            │                                                                ┊
|   105.5 ms ┤                                                                ┊
|            │                                                                ┊
|            │                                                                ┊
|            │        •      •     •     •    •     •      •     •   •      • ┊
|   100.0 ms ┤•─•───•───•─•────•─•───•─•────•───•─•───•─•────•─•───•───•──•───┊
|                                                                             A
|             NOW_________________                                                NOW_________________
|   change              last before   first after   level                 runs ago       p
|   A  +10 %  accepted  390000000000  400000000000  100.5 ms to 110.5 ms        11  0.0005
|
| LEFT OUT
|   1 run        marked bad: to look at main alone
|   1 run        still training
|   1 run        marked bad: broken fan
$ tscope trend main --metric peak_memory
| peak memory of main is 7 GiB over 38 runs, and no change of its level was found
| 41 runs, workload dc514aa9ab1e; 3 runs left out
|
| RUNS
|         │
|         │
|         │
|         │
|   7 GiB ┤• •   • •  • • • • •  • • • •  • • • • •  • • • •  • • • • •  • • • •  • • • • •  • •
|         │
|         │
|         │
|         │
|          NOW_________________                                                   NOW_________________
|
| LEFT OUT
|   1 run        marked bad: to look at main alone
|   1 run        still training
|   1 run        marked bad: broken fan
# The newest run says which workload is followed, unless another is named.
$ tscope note other bad=
| note   value     when                  who
| state  finished  NOW_________________  ada
$ tscope trend main
| step time of main is 200 ms in the one run that counts; one run is too few for a trend
| 41 runs, workload 6cc29d1384d8; 40 runs left out
|
| LEFT OUT
|   1 run        still training
|   38 runs      of another workload: different config
|   1 run        marked bad: broken fan
|   to see the trend of the other workload, use --like a293673495b8
$ tscope trend main --like m48 --limit 3 --json
| {
|   "sentence": "step time of main is 111 ms in the one run that counts; one run is too few for a trend",
|   "branch": "default/main",
|   "metric": "step_time",
|   "better": "lower",
|   "workload": "dc514aa9ab1e",
|   "newest_level_is_worse": false,
|   "left_out": 2,
|   "older": 38,
|   "pruned_count": 0,
|   "pruned": null,
|   "changes": [],
|   "drift": null,
|   "moved": [],
|   "host_spread_ratio": null,
|   "weekday_spread_ratio": null,
|   "runs": [
|     {
|       "id": "a293673495b81634593d31a3089860441c48228d3af9c488496005e8956ea6d8",
|       "commit": "4800000000000000000000000000000000000000",
|       "moved": "NOW",
|       "value_s": 0.11060002446174622,
|       "reason": null,
|       "accepted": false,
|       "accept_reason": null,
|       "host": null,
|       "started": "2023-11-15T11:33:20Z"
|     },
|     {
|       "id": "c63aaa6bf6659a0ae713a1688d1ceee21e73add216f5be7a4887ff2be6955b00",
|       "commit": "4900000000000000000000000000000000000000",
|       "moved": "NOW",
|       "value_s": null,
|       "reason": "still training",
|       "accepted": false,
|       "accept_reason": null,
|       "host": null,
|       "started": null
|     },
|     {
|       "id": "b96f7cf68ddd6ba1c77f319e4e97769b4e721e00da73af61ae1175d804990880",
|       "commit": "0ther",
|       "moved": "NOW",
|       "value_s": null,
|       "reason": "of another workload: different config",
|       "accepted": false,
|       "accept_reason": null,
|       "host": null,
|       "started": null
|     }
|   ]
| }
# A page.
$ tscope trend main --like m48 --html trend.html | head -n 1; grep -c '<svg' trend.html
| step time of main rose by 10 % between 390000000000 and 400000000000, 11 runs ago; this change was accepted
| 1
! tscope: wrote trend.html
# No such branch; a run is none; too few runs.
$ tscope trend mian
! tscope: nothing is named default/mian; similar names: default/main
[2]
$ tscope trend m12
! tscope: nothing is named default/m12
[2]
$ tscope trend run:m12
! tscope: run:default/m12 is not a branch; 'tscope push --branch NAME' creates one
[2]
$ tscope trend main --limit 1 --like m48
| no run of main has a step time that counts
| 1 run, workload dc514aa9ab1e; 1 run left out; 40 older entries of the branch not read
|
| LEFT OUT
|   1 run        of another workload: different config
|   to see the trend of the other workload, use --like b96f7cf68ddd
$ tscope trend main --metric speed
! tscope: there is no metric 'speed', and none of the runs logs a series of that name; one of them logs loss
[2]
# A rise without a step is a drift, with its interval.
$ for i in $(seq 10 69); do python3 runs/gate.py d$i time=0.1$(printf %04d $((i*10+i*7%11*3))) commit=$(printf '%02d%038d' $i 0) started=$((1700000000+i*1000)); done; tscope push -q --branch slow ./d?? | wc -l
| 62
$ tscope trend slow
| step time of slow rose by 5.5 % (99 % interval 4.8 % to 6.2 %) from 100000000000 to 690000000000, over 60 runs and without a step
| 60 runs, workload dc514aa9ab1e
|
| RUNS
|   107.2 ms ┤                                                                                   • ••
|            │                                                                      ••─••─••─••─•─────
|            │                                                            ───••─•••─
|            │                                                ───••─••─••─••
|   104.1 ms ┤                                      ••─••─•••─••
|            │                          ••─••─••─••─
|            │                ───••─•••─
|            │    ─•─••─••─••─••
|   101.1 ms ┤•••─•
|             NOW_________________                                                NOW_________________
$ tscope trend slow --json | sed -n '/"drift"/,/}/p'
|   "drift": {
|     "from": 0,
|     "to": 59,
|     "size_ratio": 0.05477681418274819,
|     "low_ratio": 0.04809316596768921,
|     "high_ratio": 0.06150308375525246,
|     "worse": true,
|     "accepted": false
|   },
# All runs move to another host, and the level rises there: nobody can tell which of the two it was.
$ for i in $(seq 10 49); do python3 runs/gate.py h$i time=0.1$((i/30))$(printf %02d $((i*7%11))) session=n$((i/30)) commit=$(printf '%02d%038d' $i 0) started=$((1700000000+i*1000)); done; tscope push -q --branch moved ./h?? | wc -l
| 42
$ tscope trend moved --exit-code
| step time of moved rose by 9.9 % between 290000000000 and 300000000000, 20 runs ago; the runs before and after it are of different hosts, so nobody can tell whether the host or the code is the cause
| 40 runs, workload dc514aa9ab1e
|
| RUNS
|   111.0 ms ┤                                            ──•─•───•────•─•───•──•───•─•────•───•─•────
|            │                                            •     •    •     •      •     •    •     •
|            │                                            ┊
|            │                                            ┊
|   105.5 ms ┤                                            ┊
|            │                                            ┊
|            │                                            ┊
|            │    •   •      •      •     •    •     •    ┊
|   100.0 ms ┤•─•───•────•─•───•─•────•─•───•────•─•───•──┊
|                                                         A
|             NOW_________________                                                NOW_________________
|   change            last before   first after   level                 runs ago       p
|   A  +9.9 %  host?  290000000000  300000000000  100.5 ms to 110.5 ms        20  0.0005
|   A            comes with another host: n0, then n1
