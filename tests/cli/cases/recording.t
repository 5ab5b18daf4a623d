# A recording is pushed while it grows, and the whole one extends it.
$ tscope push recorded/growing --name r
| name      default/r
| id        0a6ef554c615f9ea44d9fbe1a760298c959240a535230d76e99b8f7e0bcb9cdc
| format    tscope recording
| steps     2 steps (0 to 1), 1 rank
| sent SIZE (17 objects)
| new SIZE
| outcome   created
! tscope: recorded/growing/recording.tscope: no_end: the recording is not closed, and no process holds it: it was killed, or goes on elsewhere
$ tscope push --strict recorded/run --name r
| name      default/r
| id        6faa794555cbb2e6026f121fa8f6f764955ae74c721139cc44c5a43b9ec3ba49
| format    tscope recording
| steps     4 steps (0 to 3), 1 rank
| sent SIZE (10 objects)
| new SIZE
| outcome   extended
$ tscope show r
| id        6faa794555cbb2e6026f121fa8f6f764955ae74c721139cc44c5a43b9ec3ba49
| own name  recorded
| names     run default/r
| state     finished
| ended     not known: nothing that was recorded says it
| steps     4 (0 to 3)
| ranks     1
| events    1 recorded event; 1 region is not listed
| facts     config 1, parallelism 1, session 1, columns 2
|
| event       step     time  says
| message  after 1  11.0 ms  saved\n\x1B[31m
|
| metric  last  best (step)   mean   min  max
| loss    1.75     1.75 (3)  2.125  1.75  2.5
| tokens   512            -    512   512  512
|
| cost                 mean      min      max     last  steps
| phases.backward   4.00 ms  4.00 ms  4.00 ms  4.00 ms  3 (0 to 2)
| phases.forward    4.00 ms  4.00 ms  4.00 ms  4.00 ms
| regions.evaluate  3.00 ms  3.00 ms  3.00 ms  3.00 ms  1 (1)
|
| series          type  ranks  rows  steps
| digests.params  u64       1     4  0 to 3
# At once it is the same run, and so is what export writes.
$ tscope push -q recorded/run --name once && tscope diff r once --first
| name      default/once
| id        6faa794555cbb2e6026f121fa8f6f764955ae74c721139cc44c5a43b9ec3ba49
| format    tscope recording
| steps     4 steps (0 to 3), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   created
| -	-	-
$ tscope export r out && cat out/steps.jsonl out/events.jsonl
| {"step":0,"timestamp":1795167217.0089998,"phases":{"backward":0.004000001,"forward":0.004},"scalars":{"loss":2.5},"digests":{"params":"0000deadbeef0000"},"tokens":512.0}
| {"step":1,"timestamp":1795167217.019,"phases":{"backward":0.004000002,"forward":0.004},"scalars":{"loss":2.25},"digests":{"params":"0000deadbeef0001"},"regions":{"evaluate":0.003},"tokens":512.0}
| {"step":2,"timestamp":1795167217.029,"phases":{"backward":0.004000003,"forward":0.004},"scalars":{"loss":2.0},"digests":{"params":"0000deadbeef0002"},"tokens":512.0}
| {"step":3,"timestamp":1795167217.039,"phases":{"forward":0.004},"scalars":{"loss":1.75},"digests":{"params":"0000deadbeef0003"},"tokens":512.0}
| {"duration":0.003,"lane":0.0,"name":"evaluate","step":1.0,"time":1795167217.0110002}
| {"lane":0.0,"name":"message","text":"saved\n\u001b[31m","time":1795167217.02}
! tscope: wrote 6faa794555cb as a run directory to out
$ tscope push -q --strict out --name back
| name      default/back
| id        6faa794555cbb2e6026f121fa8f6f764955ae74c721139cc44c5a43b9ec3ba49
| format    pytscope run directory
| steps     4 steps (0 to 3), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   created
# What a file says that somebody cut, and one whose frame is damaged.
$ mkdir cut && head -c 700 recorded/run/recording.tscope >cut/recording.tscope && tscope push cut
| name      default/cut
| id        0eee290f36aa6bcb23c7dc8a1b08f3506c3074e0cb300e1fcc3da5a4cede9493
| format    tscope recording
| steps     3 steps (0 to 2), 1 rank
| sent SIZE (7 objects)
| new SIZE
| outcome   created
! tscope: cut/recording.tscope: no_end: the recording is not closed, and no process holds it: it was killed, or goes on elsewhere
$ tscope push --strict cut
| name      default/cut
| id        0eee290f36aa6bcb23c7dc8a1b08f3506c3074e0cb300e1fcc3da5a4cede9493
| format    tscope recording
| steps     3 steps (0 to 2), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   unchanged
! tscope: cut/recording.tscope: no_end: the recording is not closed, and no process holds it: it was killed, or goes on elsewhere
# A rank has either.
$ cp -r recorded/run both && cp out/steps.jsonl both && tscope push both
! tscope: both/recording.tscope and both/steps.jsonl are both there: a rank has either
[2]
# A process that still holds its lock is still recording.
$ python3 -c 'import fcntl, subprocess as s; f = open("recorded/growing/recording.tscope", "r+b"); fcntl.lockf(f, fcntl.LOCK_EX, 1); s.call("tscope analyze ./recorded/growing | head -1", shell=True)'
| ./recorded/growing  6645dee80524  2 steps (0 to 1), 1 rank
! tscope: ./recorded/growing/recording.tscope: still_growing: the run still records
