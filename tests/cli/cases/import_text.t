# What a training printed; units become ours.
$ tscope push printed/megatron.log
| name      default/megatron.log
| id        c40955e4432dae386f1bb1743de7c7996b880af0d9b9b6917a625d7e442e9538
| format    Megatron-LM log; not kept: lines that are not of a step
| columns   elapsed time per iteration (ms) is phases.step
|           consumed samples is scalars.consumed samples
|           lm loss validation is scalars.eval_loss
|           global batch size is scalars.global batch size
|           grad norm is scalars.grad_norm, 3 decimals
|           lm loss validation ppl is scalars.lm loss validation ppl
|           loss scale is scalars.loss scale
|           lm loss is scalars.loss, 6 decimals
|           learning rate is scalars.lr
|           num zeros is scalars.num zeros
|           number of nan iterations is scalars.number of nan iterations
|           number of skipped iterations is scalars.number of skipped iterations
|           2 more columns, which tscope show lists
| steps     20 steps (5 to 100), 1 rank
| sent SIZE (16 objects)
| new SIZE
| outcome   created
! tscope: printed/megatron.log:1: other_line (7 times): a line that says nothing about a step in this format
$ tscope export default/megatron.log --format jsonl | head -1
| {"rank":0,"step":5,"phases":{"step":0.4173},"scalars":{"consumed samples":160.0,"global batch size":32.0,"grad_norm":1.5,"loss":7.933166,"loss scale":1.0,"lr":5e-06,"num zeros":15.0,"number of nan iterations":0.0,"number of skipped iterations":0.0,"tflops":397.7}}
# Rank 1 prints the same lines, and is a rank of the run.
$ tscope push printed/torchtitan.log | grep -v columns
| name      default/torchtitan.log
| id        d559daad0ee148c7a2b6246acdc7b31a3270a25f3f03ae86f320220833729d89
| format    torchtitan log; not kept: lines that are not of a step
|           validation_metrics/loss is scalars.eval_loss
|           grad_norm is scalars.grad_norm, 4 decimals
|           loss_metrics/global_avg_loss is scalars.loss, 4 decimals
|           memory/max_reserved(%) is scalars.memory/max_reserved(%)
|           mfu(%) is scalars.mfu
|           tflops is scalars.tflops, 2 decimals
|           throughput(tps) is scalars.tokens_per_second
|           validation_metrics/memory/max_reserved(%) is
|           scalars.validation_metrics/memory/max_reserved(%)
|           validation_metrics/memory/max_reserved(GiB) is
|           scalars.validation_metrics/memory/max_reserved(GiB), 2 decimals
|           validation_metrics/throughput(tps) is scalars.validation_metrics/throughput(tps)
| steps     11 steps (1 to 100), 2 ranks
| sent SIZE (17 objects)
| new SIZE
| outcome   created
! tscope: printed/torchtitan.log:1: other_line (3 times): a line that says nothing about a step in this format
# Four ranks print into one log by srun -l, the last of them first; rank 2 is slower.
$ for s in $(seq 40); do for r in 3 1 2 0; do echo "$r: iter $s: loss 2.$((99 - s)), time 1$((r == 2 ? 3 : 0))$((s % 3)).$r""0ms"; done; done > srun.txt
$ tscope analyze ./srun.txt | grep -E 'ranks|RANKS|rank 2'
| ./srun.txt  8f5482b10d44  40 steps (1 to 40), 4 ranks
|   HIGH    Some ranks delay the others (DIST.STRAGGLER)
|           The other ranks wait for rank 2, which is up to 30 % slower (persistent); unequal ranks
|           other ranks. Exchange the host, then look at the data shards of these ranks.
| ● RANKS  1 high, 4 of 7 rules unchecked  4 ranks, 40 steps on all of them, stragglers: 1
|   rank 2       ██████████████████████████████  100.0 %  131 ms    29.8 %  1.20 s
|                without waiting; blame: time that all ranks would save without it
|                                                all ranks        $
|   the run does not record its world size: DIST.MISSING_RANKS
|   the findings are about all ranks; the sections on timing, memory and convergence show rank 0, the
# A line of its own says the memory of the device, without a unit; it belongs to the iteration behind it.
$ for s in $(seq 40); do echo "Memory of GPU 0: current: $((s / 10)).$((s % 10)), peak: 9.5"; echo "it $s/100 - loss: 2.$((99 - s))"; done > grows.txt
$ tscope analyze ./grows.txt | grep -A1 GROWTH
|   HIGH    Memory grows (MEMORY.GROWTH)
|           Memory grows by 95.4 MiB per step (95 % confidence interval 95.4 MiB to 95.4 MiB) and by
# Each tenth step saves a checkpoint first, and takes long.
$ for s in $(seq 60); do if [ $((s % 10)) = 0 ]; then echo "Saving checkpoint to out/$s"; fi; echo "it $s/100 - loss: 2.$((99 - s)), time: $((s % 10 == 0 ? 4 : 1)).0$((s % 7)) s"; done > saves.txt
$ tscope analyze ./saves.txt | grep -E 'spikes|tagged|TIMING\.'
|   HIGH    A few steps take very long (TIMING.STALLS)
|           step takes 1.03 s; 6 of 6 spikes are at steps tagged checkpoint, of which there are 6;
|   LOW     Step times vary widely (TIMING.JITTER)
|   spikes       6, at step 10, 20, 30, 40, 50 and 1 more; the strongest reaches 4.06 s (usual:
|   tagged       6 of 6 spikes are at steps tagged checkpoint, of which there are 6; steps with this
|                TIMING.DATALOADER_BOUND, TIMING.BACKWARD_HEAVY and 2 more
$ tscope analyze ./printed/huggingface.log | head -3
| ./printed/huggingface.log  1f2e87b084dd  20 steps (2 to 40), 1 rank
| rank 0
|
$ tscope push printed/stdout.log | grep -E 'steps|outcome'
| steps     20 steps (1 to 20), 1 rank
| outcome   created
! tscope: printed/stdout.log: rows_numbered: the records have no step, and there is no progress bar that would say it
! tscope: printed/stdout.log:1: other_line: a line that says nothing about a step in this format
# One's own lines, with names that the templates give, and names that --map gives.
$ printf '[11:27] it 1 cost=2.5 dt 12.5ms\nsaved\n[11:28] it 2 cost=2.25 dt 11.5ms\n[11:29] it 3 co' > own.txt
$ tscope push own.txt
! tscope: own.txt: no run in it: its lines are of no form that is known or can be guessed; a template of them reads it, as in --pattern 'step {step} loss {loss}'
[2]
$ tscope push --pattern 'it {step} cost={cost} dt {step_time_ms}ms' --map cost=loss own.txt
| name      default/own.txt
| id        b1ee0d893a1b8e9edff6e6c25b671cbeef4bc81f5380515c6b3aaecf4b8d1450
| format    text log, by a template; not kept: lines that are not of a step
| columns   step_time_ms is phases.step
|           cost is scalars.loss
| steps     2 steps (1 to 2), 1 rank
| sent SIZE (5 objects)
| new SIZE
| outcome   created
! tscope: own.txt:2: other_line (2 times): a line that says nothing about a step in this format
$ tscope export default/own.txt --format jsonl
| {"rank":0,"step":1,"phases":{"step":0.0125},"scalars":{"loss":2.5}}
| {"rank":0,"step":2,"phases":{"step":0.0115},"scalars":{"loss":2.25}}
$ tscope push --pattern 'it {step' own.txt
! tscope: 'it {step': the template, character 4: a brace without its other one; write {{ or }} for a brace of the line
[2]
$ tscope push --pattern 'it {step}' printed
! tscope: printed: this is no file, and only a file can be read as a text log
[2]
$ tscope push --pattern 'epoch {epoch}' own.txt
! tscope: own.txt: no line of a step in it that the template fits
[2]
# A table without a known name needs a map; a map that is given comes before the file's.
$ printf 'n,cost,price\n1,2,3\n2,1,4\n' > own.csv; tscope push own.csv
! tscope: own.csv: no run in it: no run directory, no profiler's trace, no memory snapshot, and no log of another tool that is known
[2]
$ tscope push --map n=step --map cost=loss own.csv | grep -E 'columns|is|outcome'
| columns   cost is scalars.loss
|           price is scalars.price
|           n is step
| outcome   created
$ printf 'n=step\nprice=loss\n' > .tscope-map; tscope push --name again --map cost=loss own.csv | grep -E 'columns|is|outcome'
| columns   cost is scalars.loss
|           price is scalars.price
|           n is step
| outcome   created
$ tscope diff --map cost=step ./own.csv default/own.csv | head -1
| The two runs first differ at step 1, the first step that both have: loss is 4.0 in the first run and 2.0 in the second
$ tscope push --map loss=cost output/full | grep -E 'loss'
| columns   loss is scalars.cost
|           eval_loss is scalars.eval_loss
! tscope: output/full: other_states: trainer_state.json has the most steps and was read; 2 other states below this folder were not
$ tscope push --map loss=cost wandb
| 10 runs: 10 failed
! tscope: wandb/offline-run-20261121_000008-hfaxis08 is named gpt-tiny-lr-1e-3, because a name cannot have its other characters
! tscope: wandb/offline-run-20261121_000010-hfagain0 is named hf-again, because a name cannot have its other characters
! tscope: wandb/offline-run-20261121_000000-plain001: --map gives names to tables and text logs, and this is a W&B log
! tscope: wandb/offline-run-20261121_000001-kinds002: --map gives names to tables and text logs, and this is a W&B log
! tscope: wandb/offline-run-20261121_000002-media003: --map gives names to tables and text logs, and this is a W&B log
! tscope: wandb/offline-run-20261121_000003-blocks04: --map gives names to tables and text logs, and this is a W&B log
! tscope: wandb/offline-run-20261121_000004-resumed5: --map gives names to tables and text logs, and this is a W&B log
! tscope: wandb/offline-run-20261121_000006-failed07: --map gives names to tables and text logs, and this is a W&B log
! tscope: wandb/offline-run-20261121_000007-crashed6: --map gives names to tables and text logs, and this is a W&B log
! tscope: wandb/offline-run-20261121_000008-hfaxis08: --map gives names to tables and text logs, and this is a W&B log
! tscope: wandb/offline-run-20261121_000009-valaxis9: --map gives names to tables and text logs, and this is a W&B log
! tscope: wandb/offline-run-20261121_000010-hfagain0: --map gives names to tables and text logs, and this is a W&B log
[2]
# A log beside a log of a tool is not a second run.
$ mkdir both; cp printed/megatron.log both/; cp logs/losses.txt both/; tscope push both | grep -E 'format|name'
| name      default/losses.txt
| format    torchtitan losses
$ rm both/losses.txt; tscope push both | grep -E 'format|name'
| name      default/megatron.log
| format    Megatron-LM log; not kept: lines that are not of a step
! tscope: both/megatron.log:1: other_line (7 times): a line that says nothing about a step in this format
# Stores that are not read: what makes them readable.
$ mkdir -p aimed/.aim neptuned/.neptune; tscope push aimed; tscope push neptuned; touch part_0.parquet; tscope push part_0.parquet
! tscope: aimed: no run in it: Aim's store is not read; in the folder that has .aim, these write a folder of tables for each run, to be pushed: aim storage --repo . reindex -y; python3 -c "import aim, os; [(os.makedirs(h, exist_ok=True), m.dataframe()[['step', 'value']].rename(columns={'value': m.name}).to_csv(f'{h}/{m.name}.csv', index=False)) for h in aim.Repo('.').list_all_runs() for m in aim.Run(h, repo='.', read_only=True).metrics()]"
! tscope: neptuned: no run in it: Neptune's store is not read; what neptune-exporter exported becomes a database of MLflow, to be pushed: neptune-exporter load --loader mlflow --mlflow-tracking-uri sqlite:///mlflow.db --data-path ./exports/data
! tscope: part_0.parquet: no run in it: Neptune's store is not read; what neptune-exporter exported becomes a database of MLflow, to be pushed: neptune-exporter load --loader mlflow --mlflow-tracking-uri sqlite:///mlflow.db --data-path ./exports/data
[2]
# What no format knows is guessed, and said as the templates that read it; what is not certain is refused with the best guess.
$ mkdir guess; printf 'step 0: train loss 4.25, val loss 4.5\niter 0: loss 4.25, time 90ms, mfu 30%%\niter 1: loss 4.0, time 80ms, mfu 31%%\niter 2: loss 3.5, time 80ms, mfu 31%%\n' > guess/nano.txt
$ tscope push --dry-run guess/nano.txt
| name      default/nano.txt
| id        238766aad1988576777c319e51b05e01fbb337d64bc61ff63bc85a108ff00f23
| format    text log, by a guessed template; not kept: lines that are not of a step
| guessed   --pattern 'iter {step}: {*}'
|           --pattern 'step {step}: {*}'
| rows      step 0: train loss 4.25, val loss 4.5, loss 4.25, step_time_ms 90, mfu(%) 30
|           step 1: loss 4.0, step_time_ms 80, mfu(%) 31
|           step 2: loss 3.5, step_time_ms 80, mfu(%) 31
| columns   step_time_ms is phases.step
|           val loss is scalars.eval_loss
|           loss is scalars.loss
|           mfu(%) is scalars.mfu
|           train loss is scalars.train loss
| steps     3 steps (0 to 2), 1 rank
| to send   9 objects
| outcome   not sent
$ tscope push -q guess/nano.txt && tscope push --pattern 'iter {step}: {*}' --pattern 'step {step}: {*}' guess/nano.txt | grep outcome
| name      default/nano.txt
| id        238766aad1988576777c319e51b05e01fbb337d64bc61ff63bc85a108ff00f23
| format    text log, by a guessed template; not kept: lines that are not of a step
| guessed   --pattern 'iter {step}: {*}'
|           --pattern 'step {step}: {*}'
| columns   step_time_ms is phases.step
|           val loss is scalars.eval_loss
|           loss is scalars.loss
|           mfu(%) is scalars.mfu
|           train loss is scalars.train loss
| steps     3 steps (0 to 2), 1 rank
| sent SIZE (9 objects)
| new SIZE
| outcome   created
| outcome   unchanged
$ printf 'iter 1: latency 2.5 ms\niter 2: latency 2.4 ms\niter 3: latency 2.3 ms\n' > guess/other.txt
$ tscope push guess/other.txt
! tscope: guess/other.txt: no run in it: its lines may be those of steps, but none of their numbers has a name of what trainings measure, such as a loss, an accuracy or a learning rate; if they are, read it with --pattern 'iter {step}: {*}'
[2]
# Lines may count by a word that nobody knows, or by a number alone; JSON has what was guessed.
$ printf 'Instance: 500; Time: 1.5s; loss: 9.5; acc: 45/60=0.75\nInstance: 1000; Time: 1.5s; loss: 8.5; acc: 48/60=0.8\nInstance: 1500; Time: 1.5s; loss: 7.5; acc: 51/60=0.85\n' > guess/count.txt
$ tscope push --dry-run --json guess/count.txt | python3 -c 'import json, sys; p = json.load(sys.stdin)["pushes"][0]; print(p["guessed_patterns"], p["guessed_rows"][0], sep="\n")'
| ['Instance:{step} {*}']
| step 500: step_time 1.5, loss 9.5, acc 0.75
# A log without the times of steps still says its use of the device, and that memory grows.
$ for k in $(seq 60); do printf 'step %d: loss 2.5, mfu 40.5%%, mem 1.%02d\n' $k $k; done > guess/grows.txt
$ tscope analyze --map mem=memory.alloc guess/grows.txt | grep -E 'MEMORY.GROWTH|MFU 4'
|   HIGH    Memory grows (MEMORY.GROWTH)
| ● EFFICIENCY BUDGET  unchecked  MFU 40.5 % as the run logs it
|   logged       MFU 40.5 %, by mfu, read as a share, as the run has no value above 1
