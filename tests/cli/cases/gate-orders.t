# A machine whose second run of a pair takes 3 % longer, and a commit that changes nothing. The base ran first in each pair.
$ i=0; for t in 0.1000 0.1003 0.0998 0.1001 0.1005 0.0997 0.1002 0.0999 0.1004 0.1000; do i=$((i+1)); python3 runs/gate.py m$i time=$t commit=$(printf '%02d%038d' $i 0) session=h$i started=$((1700000000+i*1000)); tscope push -q --branch main ./m$i >/dev/null; done; tscope list --names | wc -l
| 10
$ run() { python3 runs/gate.py $1 time=$2 commit=$3 session=y started=$4; tscope push -q ./$1 >/dev/null; }; a=$(printf '10%038d' 0); b=5100000000; run clean 0.103 $b 1700030000; for k in 1 2; do run p$k-base 0.100$k $a $((1700030000+k*100)); run p$k-new 0.103$k $b $((1700030050+k*100)); done; tscope gate clean --baseline main --paired 'p*' --request r.txt | head -2; echo ${PIPESTATUS[0]}; grep -v '^#' r.txt
| step time of default/clean is not judged yet: in each of 2 pairs the base ran first, and a machine whose second run is slower or faster than its first looks the same as a change (it is 2.9 % longer than that of main (99 % confidence interval of the change 1.5 % to 4.4 %, from 2 pairs on one allocation)); run another 4 pairs on one allocation, beginning with the candidate
| warning: some runs do not record wait for every rank, so its share of the difference is not known
| 4
| candidate 3 5100000000 pair-cbf3d2038ac7-3-candidate
| base 3 1000000000000000000000000000000000000000 pair-cbf3d2038ac7-3-base
| candidate 4 5100000000 pair-cbf3d2038ac7-4-candidate
| base 4 1000000000000000000000000000000000000000 pair-cbf3d2038ac7-4-base
| base 5 1000000000000000000000000000000000000000 pair-cbf3d2038ac7-5-base
| candidate 5 5100000000 pair-cbf3d2038ac7-5-candidate
| candidate 6 5100000000 pair-cbf3d2038ac7-6-candidate
| base 6 1000000000000000000000000000000000000000 pair-cbf3d2038ac7-6-base
# The pairs of the other order show that it is the place in the pair.
$ run() { python3 runs/gate.py $1 time=$2 commit=$3 session=y started=$4; tscope push -q ./$1 >/dev/null; }; a=$(printf '10%038d' 0); b=5100000000; for k in 3 4 5 6; do run p$k-new 0.100$k $b $((1700030000+k*100)); run p$k-base 0.103$k $a $((1700030050+k*100)); done; tscope gate clean --baseline main --paired 'p*' | head -3
| step time of default/clean was suspect at the first look, and the pairs do not confirm a regression: it is 0.004 % longer than that of main (99 % confidence interval of the change -0.5 % to 0.5 %, from 6 pairs on one allocation); the gate could have missed a regression of up to 2.3 %
| warning: on the allocation of the pairs, the step time of each run was 2.9 % longer than that of the run before, no matter whether it was a run of the base or of the candidate; this drift is removed from the comparison
|
