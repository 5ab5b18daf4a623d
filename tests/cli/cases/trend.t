# Thirty runs of branch main around 100 ms, each of its own commit, then ten around 110 ms.
$ for i in $(seq 10 49); do python3 runs/gate.py m$i time=0.1$((i/40))$(printf %02d $((i*7%11))) commit=$(printf '%02d%038d' $i 0) started=$((1700000000+i*1000)); done; ls -d m[0-9]* | wc -l
| 40
$ tscope push -q --branch main ./m?? | tail -n 1
| 40 runs: 40 created
# The sentence first, then the runs, then a row a change.
$ tscope trend main
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
$ COLUMNS=60 tscope trend main
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
# What does not count is said: marked bad, still training, of another workload.
$ tscope note m12 bad='broken fan'
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
$ tscope note m49 state=running
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
$ python3 runs/gate.py other time=0.2 commit=0ther lr=0.1 started=1700090000
$ tscope push -q --branch main ./other | tail -n 1
! bash: line 1: /work/w7/build/release/tscope: Permission denied
$ tscope note other bad='to look at main alone'
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
$ tscope trend main --limit 12
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
# In a nightly job: a level that is worse fails, until somebody accepts it.
$ tscope trend main --exit-code >page; echo $?; head -n 1 page
| 126
! bash: line 1: /work/w7/build/release/tscope: Permission denied
$ tscope baseline accept 40000000 --branch main --reason 'exact softmax'
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
$ tscope trend main --exit-code --metric step_time
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
$ tscope trend main --metric peak_memory
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
# The newest run says which workload is followed, unless another is named.
$ tscope note other bad=
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
$ tscope trend main
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
$ tscope trend main --like m48 --limit 3 --json
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
# A page.
$ tscope trend main --like m48 --html trend.html | head -n 1; grep -c '<svg' trend.html
! bash: line 1: /work/w7/build/release/tscope: Permission denied
! grep: trend.html: No such file or directory
[2]
# No such branch; a run is none; too few runs.
$ tscope trend mian
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
$ tscope trend m12
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
$ tscope trend run:m12
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
$ tscope trend main --limit 1 --like m48
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
$ tscope trend main --metric speed
! bash: line 1: /work/w7/build/release/tscope: Permission denied
[126]
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
