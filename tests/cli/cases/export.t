$ tscope push -q runs/base runs/joined
| name            id            steps      sent       new  outcome
| default/base    18fc3da2967f      8 SIZE SIZE  created
| default/joined  80645a2e3943      4 SIZE SIZE  created
| 2 runs: 2 created
# A run directory pushes back to the same id.
$ tscope export base out
! tscope: wrote 18fc3da2967f as a run directory to out
$ tscope push --name back out
| name      default/back
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   created
$ tscope export base out
! tscope: out is there already
[2]
$ tscope export joined out2 -q && tscope diff joined ./out2
| Both sides are the same run: their ids are equal
| cause: no difference found; confidence: high
|   a  joined  80645a2e3943  4 steps (0 to 3)  2 ranks
|   b  ./out2  80645a2e3943  4 steps (0 to 3)  2 ranks
|
| EQUIVALENT?
|   bit-exact    yes: both sides are the same run
|   numerical    yes: both sides are the same run
|   statistical  yes: both sides are the same run
|
| SERIES  14 series are the same (counted on each rank)
|
| FACTS THAT DIFFER  no recorded fact differs
$ tscope export base --format csv
| rank,step,timestamp,phases.backward,phases.data,phases.forward,scalars.loss,scalars.lr,memory.alloc
| 0,0,1700000000.0,0.16,0.01,0.08,2.0,0.001,1048576.0
| 0,1,1700000000.25,0.16,0.01,0.08,1.0,0.001,2097152.0
| 0,2,1700000000.5,0.16,0.01,0.08,0.666667,0.001,3145728.0
| 0,3,1700000000.75,0.16,0.01,0.08,0.5,0.001,4194304.0
| 0,4,1700000001.0,0.16,0.01,0.08,0.4,0.001,5242880.0
| 0,5,1700000001.25,0.16,0.01,0.08,0.333333,0.001,6291456.0
| 0,6,1700000001.5,0.16,0.01,0.08,0.285714,0.001,7340032.0
| 0,7,1700000001.75,0.16,0.01,0.08,0.25,0.001,8388608.0
$ tscope export ./runs/base --format jsonl | head -2
| {"rank":0,"step":0,"timestamp":1700000000.0,"phases":{"backward":0.16,"data":0.01,"forward":0.08},"scalars":{"loss":2.0,"lr":0.001},"memory":{"alloc":1048576.0}}
| {"rank":0,"step":1,"timestamp":1700000000.25,"phases":{"backward":0.16,"data":0.01,"forward":0.08},"scalars":{"loss":1.0,"lr":0.001},"memory":{"alloc":2097152.0}}
$ tscope export base --format npz -o base.npz
! tscope: wrote 18fc3da2967f as npz to base.npz
$ python3 -c "import struct, zipfile; z = zipfile.ZipFile('base.npz'); d = z.read('rank0/scalars.loss.npy'); print(len(z.namelist()), d[:6], struct.unpack('<8d', d[-64:]))"
| 14 b'\x93NUMPY' (2.0, 1.0, 0.666667, 0.5, 0.4, 0.333333, 0.285714, 0.25)
$ tscope export base --format csv -o base.npz
! tscope: export: base.npz exists already, and export does not overwrite files
[2]
# A kept file whose name does something to a terminal, or means something in a run directory, is written under another.
$ mkdir odd; cp runs/base/* odd; cp memory/early.pickle $'odd/a\nb.pickle'; tscope push -q odd > pushed; tscope export odd out3; ls out3
| a%0Ab.pickle
| facts.json
| run.json
| steps.jsonl
! tscope: wrote a5f40349984f as a run directory to out3
! tscope: the file a\nb.pickle is written as a%0Ab.pickle, since its name can be none there: a push of the directory has another id
$ tscope export odd out4 --json | grep -A5 renamed
|   "renamed": [
|     {
|       "from": "a\nb.pickle",
|       "to": "a%0Ab.pickle"
|     }
|   ]
