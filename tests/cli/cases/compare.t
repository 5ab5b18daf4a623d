# Twelve runs of a search: the loss falls with the rate, twin is the rate on another scale, and word says nothing.
$ for i in 0 1 2 3 4 5 6 7 8 9 10 11; do mkdir -p s/r$i; k=$((i * 7 % 12)); echo '{"format":1,"config":{"lr":'$k',"twin":'$((k * k))',"seed":'$((i * 5 % 12))',"word":"'w$((i / 2 % 2))'","name":"r'$i'"},"lineage":{"sweep":"s'$((i % 2))'"}}' >s/r$i/facts.json; echo '{"step":0,"scalars":{"loss":'$((20 - k))'.5}}' >s/r$i/steps.jsonl; done; tscope push -q s >/dev/null
$ COLUMNS=80 tscope compare loss --settings config.lr,config.seed,config.word
| loss.best falls where config.lr rises: rank correlation -1.00 over 12 runs, 95 %
| interval -1.00 to -1.00
|
| SETTINGS
|   setting           runs  rank corr.   95 % interval  goes with  because
|   config.lr           12       -1.00  -1.00 to -1.00  yes
|   config.seed         12        0.54   -0.10 to 0.86  not shown
|   config.word = w1    12        0.00   -0.57 to 0.57  not shown
|   This is no proof of a cause: who chose the settings by hand has changed
|   others, too. Runs at random or on a grid tell more.
$ COLUMNS=80 tscope compare loss
| No setting is shown to go with loss.best over these 12 runs
| Not known of 1 setting with too few runs, or too few of another value, and of 2
| that move with another
|
| SETTINGS
|   setting           runs  rank corr.   95 % interval  goes with
|       because
|   config.lr           12       -1.00  -1.00 to -1.00  not known
|       it moves with config.twin
|   config.name         12           -               -  not known
|       too few runs
|   config.seed         12        0.54   -0.10 to 0.86  not shown
|   config.twin         12       -1.00  -1.00 to -1.00  not known
|       it moves with config.lr
|   config.word = w1    12        0.00   -0.57 to 0.57  not shown
|   This is no proof of a cause: who chose the settings by hand has changed
|   others, too. Runs at random or on a grid tell more.
$ tscope compare loss --by sweep
| By sweep, s1 has the best mean of loss.best, 14.5; 0 of the others are shown to be worse, 1 is not
|
| GROUPS
|   sweep  runs  mean   95 % interval  to the best     its interval  worse
|   s1        6  14.5  10.57 to 18.43            -                -  the best
|   s0        6  15.5  11.57 to 19.43           +1  -3.813 to 5.813  not shown
$ tscope compare loss.last 'config.lr<7' --settings config.lr
| With which settings loss.last goes is not known from these 7 runs
| Not known of 1 setting with too few runs, or too few of another value
|
| SETTINGS
|   setting    runs  rank corr.  95 % interval  goes with  because
|   config.lr     7           -              -  not known  too few runs
|   This is no proof of a cause: who chose the settings by hand has changed others, too. Runs at random or on a grid tell more.
$ tscope compare loss.last --by config.word --json
| {
|   "sentences": [
|     "By config.word, w0 has the best mean of loss.last, 15; 0 of the others are shown to be worse, 1 is not"
|   ],
|   "outcome": "loss.last",
|   "run_count": 12,
|   "without_count": 0,
|   "settings": [],
|   "by": "config.word",
|   "groups": [
|     {
|       "name": "w0",
|       "state": "best",
|       "run_count": 6,
|       "mean": 15.0,
|       "mean_low": 10.868367754095196,
|       "mean_high": 19.131632245904804,
|       "difference": null
|     },
|     {
|       "name": "w1",
|       "state": "not_shown",
|       "run_count": 6,
|       "mean": 15.0,
|       "mean_low": 11.201680815687151,
|       "mean_high": 18.79831918431285,
|       "difference": {
|         "mean": 0.0,
|         "low": -4.869275471662178,
|         "high": 4.869275471662178,
|         "p": 1.0
|       }
|     }
|   ]
| }
$ tscope compare acc
! tscope: compare: none of the 12 runs that match has acc.best; 'tscope show RUN' lists the series of a run
[2]
$ tscope compare config.word
! tscope: compare: config.word of default/r9 is no number
[2]
$ tscope compare loss 'name=none'
! tscope: compare: none of the runs matches; to compare two runs, 'tscope diff A B'
[2]
$ tscope compare loss --by sweep --settings config.lr
! tscope: compare: --by compares groups of runs, and no --settings
[2]
$ tscope compare loss --settings config.lr,,config.seed
! tscope: compare: a setting in --settings is empty
[2]
$ tscope compare loss --settings loss
! tscope: compare: columns: "loss" is not one of name, project, id, started, pushed, state, steps, first_step, last_step, ranks, world_size, own_name, who, sweep, group, job, parent, note.KEY, a metric such as loss.best, or a fact such as config.lr; of a series loss it is loss.last, loss.best ...
[2]
