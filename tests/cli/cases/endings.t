# How runs ended is said wherever they are compared: one that was killed, one that an exception ended, one that finished, and one that resumed the first.
$ for r in killed crashed whole resumed; do mkdir $r; done; line() { echo '{"step":'$1',"timestamp":'$((100+$1))',"scalars":{"loss":2.5,"lr":0.'$((10+$1))'}}'; }; for i in 0 1 2 3 4 5 6 7 8 9; do line $i >>whole/steps.jsonl; [ $i -ge 7 ] || line $i >>killed/steps.jsonl; [ $i -ge 9 ] || line $i >>crashed/steps.jsonl; [ $i -lt 4 ] || line $i >>resumed/steps.jsonl; done
$ end() { echo '{"format":1,"session":{"end":{'"$1"'}},"work":{"dtype":"fp32"}}'; }; end '"signal":"SIGTERM","step":6' >killed/facts.json; end '"type":"ValueError","message":"loss is NaN"' >crashed/facts.json; end '"state":"finished"' >whole/facts.json; echo '{"format":1,"lineage":{"parent":"killed","resumed_step":4},"work":{"dtype":"fp32"}}' >resumed/facts.json; tscope push -q killed crashed whole resumed; tscope list --columns name,state
| name             id            steps   sent    new  outcome
| default/killed   51a2225d8a61      7 SIZE SIZE  created
| default/crashed  80199e69ff7f      9 SIZE SIZE  created
| default/whole    90aa13437758     10 SIZE SIZE  created
| default/resumed  7694079f122d      6 SIZE SIZE  created
| 4 runs: 4 created
| name     state
| resumed  unknown
| whole    finished
| crashed  crashed
| killed   killed
$ tscope diff killed crashed whole
| No common step of two runs differs, but in 3 of 3 pairs the runs do not have the same steps, series or ranks
| 1  killed   51a2225d8a61  7 steps (0 to 6)   1 rank
| 2  crashed  80199e69ff7f  9 steps (0 to 8)   1 rank
| 3  whole    90aa13437758  10 steps (0 to 9)  1 rank
| 1 killed: The run was killed by SIGTERM at step 6 (said by the recorder).
| 2 crashed: The run crashed after step 8, the program stopped because a value was NaN or infinite: ValueError: loss is NaN (said by the recorder).
|
| First step at which each pair differs
|               killed  crashed   whole
|   1  killed        .   extent  extent
|   2  crashed  extent        .  extent
|   3  whole    extent   extent       .
|
| extent    common steps agree, but one run has steps, series or ranks that the other lacks
[3]
$ tscope diff --json killed crashed whole | jq -c '.endings[] | [.state, .cause, .step, .sentence]'
| ["killed","signal",6,"The run was killed by SIGTERM at step 6 (said by the recorder)."]
| ["crashed","nan",8,"The run crashed after step 8, the program stopped because a value was NaN or infinite: ValueError: loss is NaN (said by the recorder)."]
| ["finished","none",9,null]
$ tscope check-resume resumed | sed -n '1,6p'
| The run resumed correctly at step 4: every bit of loss agrees with the parent at 3 common steps
| parent    51a2225d8a61 7 steps (0 to 6), 1 rank
| ended     The run was killed by SIGTERM at step 6 (said by the recorder).
| child     resumed 7694079f122d 6 steps (4 to 9), 1 rank
| resumed   at step 4
| shared    0 of 2 blocks of the trajectory are stored once for both
$ tscope check-resume --json resumed | jq -c '[.parent_ending.state, .child_ending.state, .before_restart]'
| ["killed","unknown",null]
# A directory that training was restarted in has the record of what ended its first part.
$ mkdir again; cp killed/steps.jsonl again/; sed 's/"timestamp":1/"timestamp":9/' resumed/steps.jsonl >>again/steps.jsonl; cp whole/facts.json again/; echo '{"time":106.5,"name":"SIGTERM","step":6}' >again/events.jsonl; tscope check-resume ./again | sed -n '1,4p'; tscope check-resume --json ./again | jq -c '[.parent_ending, .child_ending.state, .before_restart]'
| The run resumed correctly at step 4: every bit of loss agrees with the first execution at 3 common steps
| run       ./again c2baba6584e4 10 steps (0 to 9), 1 rank
| ended     Before the restart the run recorded 'SIGTERM' at step 6.
| resumed   at step 4
| [null,"finished","Before the restart the run recorded 'SIGTERM' at step 6."]
# What more than three files have in common is said once, with their number.
$ for r in 0 1 2 3; do mkdir -p many/rank$r; printf '{"step": 0, "scalars": {"loss": 1}}\n{"step": 1, "sca' > many/rank$r/steps.jsonl; done; tscope show ./many > /dev/null
! tscope: ./many/rank0/steps.jsonl:2 and 3 more files: skipped: cut_line (4 times): byte 16: the text ends inside an object, expected '"'
$ rm -r many/rank3; tscope show ./many 2>&1 > /dev/null | grep -c cut_line
| 3
