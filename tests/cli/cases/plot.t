# Three runs: one with a NaN and a gap, one that is shorter, one without tokens. The last was restarted: the newest attempt counts.
$ python3 runs/curve.py one lr=0.1 nan=150 skip=90-110 tokens=4096; python3 runs/curve.py two lr=0.2 level=1.3 steps=120 tokens=8192; python3 runs/curve.py three level=0.8 lr=0.1 again=100
$ tscope push -q ./one ./two ./three
| name           id            steps      sent       new  outcome
| default/one    835403dad8db    179 SIZE SIZE  created
| default/two    bf7bab0a837c    120 SIZE SIZE  created
| default/three  d25654c27672    200 SIZE SIZE  created
| 3 runs: 3 created
# Letters where the locale is not UTF-8.
$ tscope plot loss one two three
| loss of 3 runs by step
|           |a
|         4 +*a
|           |*aa
|           |cba
|           | *ba
|           |  *baa
|         3 +   cbaa
|           |    c*baa
|           |     c*bbaa
|           |       c*b*aaa
|         2 +        cc*bbaaaa
|           |          cc*bbbaaaaaaa
|           |             ccc*bbbb aaaaaaaaaaaaaaaaa
|           |                cccc**bbbbbbbb     aaaa                           a
|         1 +                     cccccccccccccc bbbbbbbbbbbbbbbbbbbbbbbbbbbbb b
|           |                                ccccccccccccccccccccccccccccccccc c
| not drawn |                                                x
|           ++---------------+---------------+---------------+----------------
|            0              50              100             150
|                                          step
|
|   a  two    last 1.37181
|   b  one    last 1.01895
|   c  three  last 0.818947
|   one: 1 value is not finite; x marks where.
$ tscope plot loss one two three --highlight one --color always | sed -n "2,4p;21,24p"
|           |[2ma[0m
|         4 +*[2ma[0m
|           |*[2ma[0m[2ma[0m
|                                          step
|
|   [2ma[0m  two    [2mlast 1.37181[0m
|   [33mb[0m  [1mone[0m    [2mlast 1.01895[0m
$ tscope plot loss one two three --highlight four
! tscope: plot: --highlight four is the name of none of the lines
[2]
$ LC_ALL=C.UTF-8 COLUMNS=60 tscope plot loss one two three --log
| loss of 3 runs by step, logarithmic
|           │⡧⡀
|           │⠋⢿⢆
|           │ ⠘⠈⠳⡄
|           │   ⠞⢎⠢⡄
|           │    ⠸⠃⠈⠷⣀
|         2 ┤      ⠂⠳⣈⠓⠤⣀
|           │       ⠘⠈ ⢀⠈⠑⠢⢄⣀⡀
|           │         ⠁⢠⠙⠂ ⡀⠈⠉⠓⠲⠴⡤⣤⣀⣀⡀⣀⡀
|           │            ⠂⢀⠙⠳ ⢀⣀    ⠈⠈⠉⠉                   a
|           │             ⠈ ⠂⢠ ⠉⠁     ⢤⡄ ⣀⣀ ⢀⢀⡀ ⢀    ⡀
|         1 ┤                  ⠃⠐ ⡄⢀ ⡀    ⠁ ⠈⠉⠁ ⠉⠋ ⠈⠋⠁ ⠙⠙  b
|           │                      ⠈ ⠁⠘ ⠃⠘ ⠆⠰ ⠆⠰ ⡄⠰ ⡄⢠ ⡆⢠  c
| not drawn │                                 x
|           └┬──────────┬──────────┬──────────┬───────────
|            0         50         100        150
|                                step
|
|   a ⠒⠒⠒⠒⠒  two    last 1.37181
|   b ⠒⠒ ⠐⠒  one    last 1.01895
|   c ⠂⠐ ⠂⠐  three  last 0.818947
|   one: 1 value is not finite; x marks where.
$ LC_ALL=C.UTF-8 COLUMNS=80 tscope plot loss one two three --color always | head -n 4
| [1mloss of 3 runs by step[0m
|           │[36m⢣[0m
|         4 ┤[36m⡞[0m[36m⢄[0m
|           │[33m⢾[0m[36m⡸[0m[36m⢄[0m
# By what a run does not record, nothing is drawn of it.
$ COLUMNS=60 tscope plot loss 't*' one --x tokens --smooth 9
| loss of 3 runs by tokens
|           |a
|         4 +baa
|           |bb aa
|           | bb  aa
|         3 +  bb  aaa
|           |   bb   aaa
|           |    bb     aaa
|           |     bb       aaaa
|         2 +      bbb        aaaaaaa
|           |        bbbb           aaaaaaaaaaaaa
|           |           bbbbbb                  aaaaaaaaaa a
|           |                 bbbbbbbbbbbbbbbbb            b
| not drawn |                        x
|           +---------+--------+--------+--------+--------
|                  200000   400000   600000   800000
|                             tokens seen
|
|   a  two  last 1.38984
|   b  one  last 1.02869
|   Smoothed by an exponentially weighted mean of span 9
|   values, corrected for the bias of its beginning.
|   three is not drawn: it records no tokens.
|   one: 1 value is not finite; x marks where.
$ COLUMNS=60 tscope plot loss three --x samples
| loss of 1 run by samples
|   three is not drawn: it records no samples.
# Repeats: a band for each learning rate, of the runs that a filter finds.
$ LC_ALL=C.UTF-8 COLUMNS=60 tscope plot loss 'config.lr>0' --bands --by config.lr
| loss of 3 runs by step
|         4 ┤⢣
|           │⡍⢆
|           │⠘⡌⡆
|           │ ⠺⡘⢄
|         3 ┤  ⠳⡌⢆
|           │   ⠳⡌⠢⡀
|           │    ⠚⡆⡘⢄
|         2 ┤     ⠉⠦⡄⠑⠤⣀
|           │       ⠊⡣⡄⡀⠑⠢⢄⣀⡀
|           │         ⠉⠖⡥⣂⠄⡀⠈⠑⠒⠒⠤⠤⠤⢄⣀⣀⣀⣀                   a
|           │            ⠁⠋⠕⠧⡥⢆⣂⣄⠄    ⡀⡀⡀⡀
|         1 ┤                 ⠁⠁⠂⠓⠒⠢⠤⠤⠗⠖⠖⠖⡓⠗⡓⡓⡓⡓⡓⡣⡓⡕⡣⡣⡕⡣⡓⡕ b
|           └┬──────────┬──────────┬──────────┬───────────
|            0         50         100        150
|                                step
|
|   a ⠒⠒⠒⠒⠒  config.lr 0.2  1 run
|   b ⠒⠒⠒⠒⠒  config.lr 0.1  2 runs: median, least to greatest
|   config.lr 0.1: not all of its runs have values everywhere;
|   the median is that of those that have.
|   one: 1 value is not finite.
$ COLUMNS=60 tscope plot scalars.loss ./one ./two --by config.lr --logx
| loss of 2 runs by step
|           |aaaaaaa
|         4 +bbbbbbbaaaaaaa
|           |       bbbbbbbaaaaa
|           |              bbbbbaaaa
|         3 +                   bbbbaa
|           |                       bbaaa
|           |                         bb*aa
|           |                           bb*aa
|         2 +                             bb*aaa
|           |                               bbb*aaaa
|           |                                  bbbb*aa     a
|           |                                        bbbbb b
| not drawn |                                          x
|           ++------------------+-------------------+-----
|            1                 10                  100
|                          step, logarithmic
|
|   a  two  config.lr 0.2, last 1.37181
|   b  one  config.lr 0.1, last 1.01895
|   one: 1 of 179 values has no place on the axis.
|   one: 1 value is not finite; x marks where.
|   two: 1 of 120 values has no place on the axis.
# Infinities and values that a logarithmic scale has not.
$ python3 runs/curve.py odd inf=20 zero=150; COLUMNS=60 tscope plot loss ./odd --log
| loss of 1 run by step, logarithmic
|         4 +a
|           |aa
|         3 +  a
|           |   aa
|           |    aa
|           |     aaa
|         2 +       aaa
|           |         aaa
|           |           aaa
|           |              aaaa
|           |                 aaaaaaaaaa
|           |                        aaaaaaaaaa            a
| not drawn |    x                            xxxxxxxxxxxx
|           ++----------+----------+----------+-----------
|            0         50         100        150
|                                step
|
|   a  odd  last 1.0359
|   odd: 51 values are not finite or not above zero; x marks
|   where.
$ python3 runs/curve.py bad zero=0 steps=5; COLUMNS=60 tscope plot loss ./bad --log
| loss of 1 run by step, logarithmic
|         2 +
|           |
|           |
|           |
|           |
|           |
|         1 +
|           |
|           |
|           |
|           |
|       0.5 +
| not drawn |x          x          x          x          x
|           ++----------+----------+----------+----------+
|            0          1          2          3          4
|                                step
|
|   a  bad
|   bad is not drawn: none of its values can be drawn.
|   bad: 5 values are not above zero; x marks where.
$ COLUMNS=60 tscope plot loss ./bad
| loss of 1 run by step
|       1.0 +
|           |
|           |
|       0.5 +
|           |
|           |
|       0.0 +aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa a
|           |
|      -0.5 +
|           |
|           |
|      -1.0 +
|           ++----------+----------+----------+----------+
|            0          1          2          3          4
|                                step
|
|   a  bad  last 0
# A run that two words find is drawn once; directories of one name are told apart. A phase is seconds.
$ COLUMNS=60 tscope plot loss one 'name=o*' 't*' --log | tail -n 4
|   a  two    last 1.37181
|   b  one    last 1.01895
|   c  three  last 0.818947
|   one: 1 value is not finite; x marks where.
$ mkdir other; cp -r one other/; COLUMNS=60 tscope plot loss ./one ./other/one | tail -n 4
|   a  ./one        last 1.01895
|   b  ./other/one  last 1.01895
|   ./one: 1 value is not finite; x marks where.
|   ./other/one: 1 value is not finite; x marks where.
$ COLUMNS=60 tscope plot forward ./demo/base ./demo/lr --rank 1 --smooth 20
| forward of 2 runs by step
|   5.00 ms +b
|           |b
|           |b
|   4.00 ms +b
|           |*
|   3.00 ms +*
|           |*
|   2.00 ms +*
|           |*a
|           |** bb                     b bb
|   1.00 ms + b** *** aaaaaaa         bbbbbbb*a   aaa aaaa
|           |    aa ***bb*bbb**********aaaaaabb****b***bb* ab
|           ++-------------+-------------+-------------+--
|            0            50            100           150
|                                step
|
|   a  lr    last 584 µs
|   b  base  last 398 µs
|   Smoothed by an exponentially weighted mean of span 20
|   values, corrected for the bias of its beginning.
|   Of runs with several ranks rank 1 is shown; --rank chooses
|   another.
$ COLUMNS=60 tscope plot memory.rss ./demo/base --x samples
| memory.rss of 1 run by samples
|           |                                  aaaaaaaaaaa a
|   322 MiB +aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
|           |a
|           |a
|   320 MiB +a
|           |a
|           |a
|   318 MiB +a
|           |a
|           |a
|   316 MiB +a
|           |a
|           +--------------+--------------+-------------+-
|                       200000         400000        600000
|                            samples seen
|
|   a  base  last 323 MiB
|   Of runs with several ranks rank 0 is shown; --rank chooses
|   another.
# What is wrong.
$ tscope plot lost one
! tscope: no run has a column of numbers named lost; there are scalars.loss, timestamp, tokens
[2]
$ tscope plot loss none
! tscope: nothing is named default/none; similar names: default/one
[2]
$ tscope plot loss 'none*'
! tscope: RUN: the name of no run of project default matches none*
[2]
$ tscope plot loss 'steps>1e9'
! tscope: no run of project default matches the filter steps>1e9
[2]
$ tscope plot loss one --smooth 0.5
! tscope: plot: --smooth takes a number of values from 1 to 1000000000
[2]
$ tscope plot loss one --rank 3
! tscope: rank 3 of no run has a column of numbers named loss
[2]
