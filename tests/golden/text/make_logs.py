#!/usr/bin/env python3
"""Writes the text logs of this folder: python3 make_logs.py [NAME...], from this folder.

huggingface*.log: transformers' own ProgressCallback and PrinterCallback, over a loop without a model (pip install transformers tqdm;
5.23.0 wrote huggingface.log and stdout.log, 4.57.1 wrote huggingface4.log). tqdm.log: tqdm 4.70.1 itself.
The others need a GPU, so the print statements of their sources are here, with made numbers:
megatron.log: Megatron-LM core_v0.15, megatron/training/training.py, training_log and evaluate_and_print_results.
torchtitan.log: torchtitan 0.2.0, components/metrics.py, MetricsProcessor.log, and tools/logging.py; two ranks by torchrun's prefix.
nemo.log: NeMo 2.5, lightning/pytorch/callbacks/progress_printer.py, ProgressPrinter.format_string.
fairseq.log: fairseq 0.12.2, logging/progress_bar.py, SimpleProgressBar; fairseq_json.log: JsonProgressBar.
"""
import contextlib
import json
import math
import sys


def loss_at(step):
    return 2 + 9 * math.exp(-step / 12) + 0.01 * ((step * 7) % 5)


def huggingface(name, printer=False):
    import time
    from types import SimpleNamespace

    from transformers import trainer_callback
    state = SimpleNamespace(is_world_process_zero=True, is_local_process_zero=True, max_steps=40, global_step=0)
    callback = (trainer_callback.PrinterCallback if printer else trainer_callback.ProgressCallback)()

    def call(what, **more):
        getattr(callback, what)(None, state, None, **more)
    with open(name, "w", buffering=1) as out, contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        print("loading the data")
        call("on_train_begin")
        for step in range(1, 41):
            time.sleep(0.02)
            state.global_step = step
            call("on_step_end")
            if step % 2 == 0:
                call("on_log", logs={"loss": round(loss_at(step), 4), "grad_norm": 1 / step + 0.123456,
                                     "learning_rate": 1e-4 * (1 - step / 40), "epoch": step / 20})
            if step % 20 == 0:
                for _ in range(5):
                    call("on_prediction_step", eval_dataloader=[0] * 5)
                call("on_log", logs={"eval_loss": loss_at(step) + 0.5, "eval_runtime": 0.25, "eval_samples_per_second": 80.0,
                                     "epoch": step / 20})
                call("on_evaluate")
        call("on_log", logs={"train_runtime": 12.5, "train_samples_per_second": 25.6, "total_flos": 1e12, "train_loss": 3.25,
                             "epoch": 2.0})
        call("on_train_end")


def megatron(name):
    with open(name, "w") as out:
        print("using world size: 8, data-parallel size: 4, tensor-model-parallel size: 2", file=out)
        print("[before the start of training step] datetime: 2026-11-20 11:27:00 ", file=out)
        for i in range(5, 101, 5):
            log = f" [2026-11-20 11:27:{i % 60:02d}.123456]"
            log += " iteration {:8d}/{:8d} |".format(i, 100)
            log += " consumed samples: {:12d} |".format(i * 32)
            log += " elapsed time per iteration (ms): {:.1f} |".format(412.3 + i)
            log += f" throughput per GPU (TFLOP/s/GPU): {398.2 - i / 10:.1f} |"
            log += f" learning rate: {1e-4 * i / 100:.6E} |"
            log += f" global batch size: {32:5d} |"
            log += " {}: {:.6E} |".format("lm loss", loss_at(i))
            log += f" loss scale: {1.0:.1f} |"
            log += f" grad norm: {5 / i + 0.5:.3f} |"
            log += f" num zeros: {i * 3} |"
            log += " number of skipped iterations: {:3d} |".format(0)
            log += " number of nan iterations: {:3d} |".format(0)
            print(log, file=out)
            if i == 5:
                print("[Rank 0] (after 5 iterations) memory (MB) | allocated: 1671.0 | max allocated: 2201.5", file=out)
            if i % 50 == 0:
                text = f" validation loss at iteration {i} on validation set | "
                text += "{} value: {:.6E} | ".format("lm loss", loss_at(i) + 0.1)
                text += "{} PPL: {:.6E} | ".format("lm loss", math.exp(loss_at(i) + 0.1))
                print("-" * (len(text) + 1) + "\n" + text + "\n" + "-" * (len(text) + 1), file=out)


def torchtitan(name):
    red, green, orange, turquoise, blue, cyan, magenta, yellow, reset = (
        "\033[31m", "\033[32m", "\033[38;2;180;60;0m", "\033[38;2;54;234;195m", "\033[34m", "\033[36m", "\033[35m", "\033[33m",
        "\033[39m")
    with open(name, "w") as out:
        for rank in (1, 0):
            print(f"[rank{rank}]:[titan] 2026-11-20 11:27:00,123 - root - INFO - Starting job: Llama 3 debug training", file=out)
        for step in [1] + list(range(10, 101, 10)):
            for rank in (1, 0):
                print(f"[rank{rank}]:[titan] 2026-11-20 11:28:{step % 60:02d},456 - root - INFO - "
                      f"{red}step: {step:2}  {green}loss: {loss_at(step):7.4f}  {orange}grad_norm: {1 + 1 / step:7.4f}  "
                      f"{turquoise}memory: {20.5 + rank:5.2f}GiB({21.65:.2f}%)  {blue}tps: {round(7654.4 + step):,}  "
                      f"{cyan}tflops: {412.5:,.2f}  {magenta}mfu: {41.71:.2f}%{reset}", file=out)
            if step == 50:
                print(f"[rank0]:[titan] 2026-11-20 11:28:50,789 - root - INFO - {yellow}validate step: {step:2}  "
                      f"{green}loss: {loss_at(step) + 0.1:7.4f}  {turquoise}memory: {20.5:5.2f}GiB({21.65:.2f}%)  "
                      f"{blue}tps: {round(17654.4):,}{reset}", file=out)
        print("[rank0]:[titan] 2026-11-20 11:29:00,000 - root - INFO - Training completed", file=out)


def nemo(name):
    with open(name, "w") as out:
        print("[NeMo I 2026-11-20 11:27:00 megatron_init:396] Rank 0 has data parallel group : [0, 1]", file=out)
        print("Validation: iteration 1/2", file=out)
        for i in range(0, 50):
            line = f"Training epoch 0, iteration {i}/{49}"
            values = {"lr": 1.5e-7 * (i + 1), "global_batch_size": 8.0, "global_step": float(i),
                      "reduced_train_loss": loss_at(i), "train_step_timing in s": 1.25 + i / 1000}
            if i:
                values["consumed_samples"] = 8.0 * (i + 1)
            for metric, val in values.items():
                line += f" | {metric}: {int(val)}" if val.is_integer() else f" | {metric}: {val:.4}"
            print(line, file=out)


def fairseq_stats(step):
    return {"loss": f"{loss_at(step):.3f}", "nll_loss": f"{loss_at(step) - 0.2:.3f}", "ppl": f"{round(2 ** loss_at(step), 2):g}",
            "wps": f"{13250:g}", "ups": "3.61", "wpb": "3671.5", "bsz": "153.4", "num_updates": f"{step:g}",
            "lr": f"{1.25e-7 * step:g}", "gnorm": f"{5 / step + 1:.3f}", "train_wall": "28", "wall": f"{30 + step:g}"}


def fairseq(name, as_json=False):
    def say(out, tag, text):
        print(f"2026-11-20 11:27:00 | INFO | {tag} | {text}", file=out)
    with open(name, "w") as out:
        say(out, "fairseq_cli.train", "num. shared model params: 1,024")
        for step in range(10, 201, 10):
            epoch = (step - 1) // 100 + 1
            stats = fairseq_stats(step)
            if as_json:
                say(out, "train_inner", json.dumps({"epoch": epoch, "update": step / 100, **stats}))
            else:
                say(out, "train_inner", "epoch {:03d}:  {:5d} / {:d} {}".format(
                    epoch, (step - 1) % 100 + 1, 100, ", ".join(k + "=" + v for k, v in stats.items())))
            if step % 100:
                continue
            for tag in ("valid", "train"):
                stats = {"loss": f"{loss_at(step) + 0.5:.3f}", "num_updates": f"{step:g}"}
                if tag == "valid" and step > 100:
                    stats["best_loss"] = "2.5"
                text = f"epoch {epoch:03d} | " + ("valid on 'valid' subset | " if tag == "valid" else "")
                if as_json:
                    say(out, tag, json.dumps({"epoch": epoch, **{f"{tag}_{k}": v for k, v in stats.items()}}))
                else:
                    say(out, tag, text + " | ".join(k + " " + v for k, v in stats.items()))


def tqdm_bars(name):
    import time

    from tqdm import tqdm
    with open(name, "w", buffering=1) as out:
        for epoch in range(2):
            with tqdm(range(20), desc=f"Epoch {epoch}", file=out, ncols=100, mininterval=0) as bar:
                for i in bar:
                    time.sleep(0.001)
                    bar.set_postfix(loss=f"{loss_at(epoch * 20 + i):.3f}", v_num=0)
            for _ in tqdm(range(3), desc="Validation", file=out, ncols=100, mininterval=0):
                pass


MAKERS = {
    "huggingface4.log": huggingface,
    "huggingface.log": huggingface,
    "stdout.log": lambda name: huggingface(name, True),
    "megatron.log": megatron,
    "torchtitan.log": torchtitan,
    "nemo.log": nemo,
    "fairseq.log": fairseq,
    "fairseq_json.log": lambda name: fairseq(name, True),
    "tqdm.log": tqdm_bars,
}
for name in sys.argv[1:] or MAKERS:
    MAKERS[name](name)
