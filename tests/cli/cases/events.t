# What happened by time and not by step: an exception that one run alone has, a rate that was set to another value, a checkpoint at another path.
$ mkdir a b; for i in 0 1 2 3; do echo '{"step":'$i',"timestamp":'$((100+i))',"scalars":{"loss":2.5}}'; done | tee a/steps.jsonl >b/steps.jsonl
$ printf '{"time":99.5,"name":"seeded","text":"42"}\n{"time":101.5,"name":"checkpoint","text":"a/1.pt"}\n{"time":101.75,"name":"rate","value":0.1}\n{"time":102.5,"name":"evaluate","step":3,"duration":0.25}\n' >a/events.jsonl
$ sed 's,a/1,b/1,; s/0[.]1}/0.25}/; s/102.5/102.75/; s/:0.25,/:0.5,/' a/events.jsonl >b/events.jsonl; echo '{"time":103.5,"name":"exception","step":3,"text":"ValueError"}' >>b/events.jsonl
$ tscope push -q a b
| name       id            steps   sent    new  outcome
| default/a  fe6a41879fd3      4 SIZE SIZE  created
| default/b  51ccdabc62f9      4 SIZE SIZE  created
| 2 runs: 2 created
$ tscope diff a b | sed -n '/^EVENTS/,/^$/p'
| EVENTS  3 agree, 1 has another value, 1 only in b
|   the first that differs:
|   rank  where         event  difference
|      0  after step 1  rate   0.1 in a, 0.25 in b
|
$ tscope diff --json a b | jq -c '.events | .rows = (.rows | length)'
| {"a_count":4,"b_count":5,"compared_count":4,"only_a_count":0,"only_b_count":1,"beyond_a_count":0,"beyond_b_count":0,"value_count":1,"reordered_count":0,"cut":false,"rows":1}
# The same events, and none at all: nothing is said of them. A run that has none may have had none, or may not have recorded any.
$ cp -r a c; sed -i 's/103/104/' c/steps.jsonl; tscope push -q c; tscope diff a c | grep -c EVENTS
| name      default/c
| id        c5b4d1fdc397ee115cf39321d0a96d6785abcb1fa8fa8f1ab3743a1329c65d2c
| format    pytscope run directory
| steps     4 steps (0 to 3), 1 rank
| sent SIZE (3 objects)
| new SIZE
| outcome   created
| 0
[1]
$ cp -r a d; rm d/events.jsonl; sed -i 's/103/105/' d/steps.jsonl; tscope push -q d; tscope diff d a | sed -n '/^EVENTS/,/^$/p'
| name      default/d
| id        2babb3cb5a77873062b381d9b946fc2951285039757a714236dc73f084e7d792
| format    pytscope run directory
| steps     4 steps (0 to 3), 1 rank
| sent SIZE (3 objects)
| new SIZE
| outcome   created
| EVENTS  0 agree, 4 only in b
|   the first that differs:
|   rank  where                  event   difference
|      0  before the first step  seeded  only in b: 42
|   a has no event at all: nothing happened there, or nothing was recorded
|
# A report lists what was recorded when it happened: what ends a run first, then the newest; a run without any has no such section.
$ tscope analyze b | sed -n '2p;/^EVENTS/,/^$/p'
| The run crashed at step 3: ValueError (said by the event 'exception').
| EVENTS  4 recorded events; 1 region is not listed
|   event          step    time  says
|   exception         3  4.00 s  ValueError
|   rate        after 1  2.25 s  0.25
|   checkpoint  after 1  2.00 s  b/1.pt
|   seeded            -     0 s  42
|
$ tscope analyze --json b | jq -c '.recorded_events | .rows[0], del(.rows)'
| {"kind":"exception","name":"exception","text":"ValueError","value":null,"step":3,"after_step":false,"time_s":4,"ranks":[0]}
| {"all_count":4,"more_count":0,"region_count":1}
$ tscope analyze d | grep -c EVENTS; tscope analyze --json d | jq -c .recorded_events
| 0
| {"rows":[],"all_count":0,"more_count":0,"region_count":0}
# show counts them.
$ tscope show b | grep ^events; tscope show d | grep -c ^events
| events    4 recorded events; 1 region is not listed
| 0
[1]
