/* Logs that no format knows, as trainers print them: each row's value at its step, counted by hand, and what is refused. */
#include "ingest/core/test_support.h"
#include "ingest/text/reader_text.h"
#include "ingest/text/text_alike.h"
#include "ingest/text/text_columns.h"
#include "ingest/text/text_guess.h"
#include "ingest/text/text_named.h"
#include "ingest/text/text_pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* "step value|step value" of a column, by its last name. */
static void rows_of(struct test_run *t, const char *name, char out[512])
{
	const char *text = test_jsonl(t);
	char key[80];
	size_t n = 0;

	(void)snprintf(key, sizeof key, "\"%s\":", name);
	out[0] = '\0';
	for (const char *row = text; row && *row; row = strchr(row, '\n') ? strchr(row, '\n') + 1 : NULL) {
		/* The step of a row is the first member of that name; a phase may have it, too. */
		const char *step = strstr(row, "\"step\":"), *value = strstr(step + 7, key), *end = strchr(row, '\n');
		bool has = value && value < end;

		n += (size_t)snprintf(out + n, 512 - n, "%s%.*s", n ? "|" : "", (int)strcspn(step + 7, ",}"), step + 7);
		if (has)
			n += (size_t)snprintf(out + n, 512 - n, " %.*s", (int)strcspn(value + strlen(key), ",}"), value + strlen(key));
	}
}

static const struct {
	const char *what, *text, *name, *want, *templates; /* templates: with '\n' between them */
} logs[] = {
	{"nanoGPT",
	 "tokens per iteration will be: 491,520\nstep 0: train loss 10.9, val loss 10.8\niter 0: loss 10.7, time 90.5ms, mfu -100.00%\n"
	 "iter 10: loss 9.5, time 80.5ms, mfu 31.25%\niter 20: loss 8.5, time 80.5ms, mfu 31.25%\n",
	 "loss", "0 10.7|10 9.5|20 8.5", "iter {step}: {*}\nstep {step}: {*}"},
	{"nanoGPT's time",
	 "iter 0: loss 4, time 90.5ms, mfu 25.00%\niter 1: loss 3, time 80.5ms, mfu 50.00%\niter 2: loss 2, time 70ms, mfu 50%\n",
	 "mfu", "0 0.25|1 0.5|2 0.5", "iter {step}: {*}"},
	{"nanochat",
	 "step 00000/00300 (0.00%) | loss: 10.5 | dt: 100.25ms | tok/sec: 524,288 | epoch: 1 | total time: 0.00m\n"
	 "step 00001/00300 (0.33%) | loss: 9.5 | dt: 100.25ms | tok/sec: 524,289 | epoch: 1 | total time: 0.01m\n"
	 "step 00002/00300 (0.67%) | loss: 8.5 | dt: 100.25ms | tok/sec: 524,290 | epoch: 1 | total time: 0.02m\n",
	 "tokens_per_second", "0 524288.0|1 524289.0|2 524290.0", "step {step}/{} {*}"},
	{"modded-nanogpt",
	 "step:0/1750 train_loss:10.5 train_time:0ms step_avg:nanms\nstep:1/1750 train_loss:9.5 train_time:97ms step_avg:97.25ms\n"
	 "step:2/1750 train_loss:8.5 train_time:195ms step_avg:97.50ms\n",
	 "loss", "0 10.5|1 9.5|2 8.5", "step:{step}/{} {*}"},
	{"GPT-2 in C",
	 "step    1/19560 | loss 11.0 (+nanz)| norm 15.5 (+nanz)| lr 8.57e-07 | 3056.36 ms | 42.6% bf16 MFU | 171545 tok/s\n"
	 "step    2/19560 | loss 10.5 (+nanz)| norm 15.5 (+nanz)| lr 1.71e-06 | 2747.69 ms | 47.4% bf16 MFU | 190816 tok/s\n"
	 "step    3/19560 | loss 10.0 (+0.25z)| norm 15.5 (-0.5z)| lr 2.57e-06 | 2500 ms | 50.0% bf16 MFU | 190817 tok/s\n",
	 "loss", "1 11.0|2 10.5|3 10.0", "step {step}/{} {*}"},
	{"main.log", "s:0 tel:11.0\ns:0 trl:10.5 lr:0.1 norm:2\ns:1 trl:10.0 lr:0.1 norm:2\ns:2 trl:9.5 lr:0.1 norm:2\n", "loss",
	 "0 10.5|1 10.0|2 9.5", "s:{step} {*}"},
	{"PyTorch MNIST",
	 "Train Epoch: 1 [0/1280 (0%)]\tLoss: 2.5\nTrain Epoch: 1 [640/1280 (50%)]\tLoss: 2.0\n\nTest set: Average loss: 0.25, "
	 "Accuracy: 9/10 (90%)\n\n"
	 "Train Epoch: 2 [0/1280 (0%)]\tLoss: 1.5\nTrain Epoch: 2 [640/1280 (50%)]\tLoss: 1.0\n\nTest set: Average loss: 0.125, "
	 "Accuracy: 9/10 (95%)\n\n",
	 "loss", "0 2.5|640 2.0|1280 1.5|1920 1.0", "Train Epoch:{epoch} [{step}/{} {*}\nTest set: {*}"},
	{"PyTorch MNIST, test",
	 "Train Epoch: 1 [0/640 (0%)]\tLoss: 2.5\nTest set: Average loss: 0.25, Accuracy: 9/10 (90%)\n"
	 "Train Epoch: 2 [0/640 (0%)]\tLoss: 1.5\nTest set: Average loss: 0.125, Accuracy: 9/10 (95%)\n"
	 "Train Epoch: 3 [0/640 (0%)]\tLoss: 0.5\nTest set: Average loss: 0.0625, Accuracy: 9/10 (96%)\n",
	 "Accuracy(%)", "1 90.0|2 95.0|3 96.0", "Train Epoch:{epoch} [{}/{} {*}\nTest set: {*}"},
	{"PyTorch ImageNet",
	 "Epoch: [0][   1/5005]\tTime  5.25 ( 5.25)\tData  3.5 ( 3.5)\tLoss 7.0e+00 (7.0e+00)\tAcc@1   0.00 (  0.00)\n"
	 "Epoch: [0][  11/5005]\tTime  0.25 ( 0.75)\tData  0.5 ( 0.5)\tLoss 6.5e+00 (6.75e+00)\tAcc@1   0.50 (  0.25)\n"
	 "Epoch: [0][  21/5005]\tTime  0.25 ( 0.50)\tData  0.5 ( 0.5)\tLoss 6.0e+00 (6.5e+00)\tAcc@1   0.50 (  0.25)\n",
	 "loss", "1 7.0|11 6.5|21 6.0", "Epoch: [{epoch}][{step}/{}] {*}"},
	{"ImageNet's time",
	 "Epoch: [0][1/9]\tTime  5.25 ( 5.25)\tData  3.5 ( 3.5)\tLoss 7\nEpoch: [0][2/9]\tTime  0.25 ( 0.75)\tData  0.5 ( 0.5)\tLoss "
	 "6\n"
	 "Epoch: [0][3/9]\tTime  0.5 ( 0.75)\tData  0.5 ( 0.5)\tLoss 5\n",
	 "step", "1 5.25|2 0.25|3 0.5", NULL},
	{"a tutorial",
	 "Epoch [1/2], Step [100/200], Loss: 2.5\nEpoch [1/2], Step [200/200], Loss: 2.0\nEpoch [2/2], Step [100/200], Loss: 1.5\n"
	 "Epoch [2/2], Step [200/200], Loss: 1.0\n",
	 "loss", "100 2.5|200 2.0|300 1.5|400 1.0", "Epoch [{epoch}/{}], Step [{step}/{}] {*}"},
	{"Keras",
	 "Epoch 1/3\n10/10 - 1s - 120ms/step - accuracy: 0.5 - loss: 2.5 - val_loss: 2.75\nEpoch 2/3\n10/10 - 0s - 12ms/step - "
	 "accuracy: 0.75 - loss: 2.0 - "
	 "val_loss: 2.25\nEpoch 3/3\n10/10 - 0s - 12ms/step - accuracy: 0.75 - loss: 1.5 - val_loss: 1.75\n",
	 "loss", "1 2.5|2 2.0|3 1.5", "Epoch {epoch}/{}\n{}/{} - {*}"},
	{"Keras's bars",
	 "Epoch 1/3\n10/10 [==============================] - 5s 40ms/step - loss: 2.5 - accuracy: 0.5\nEpoch 2/3\n"
	 "10/10 [==============================] - 5s 40ms/step - loss: 2.0 - accuracy: 0.5\nEpoch 3/3\n"
	 "10/10 [==============================] - 5s 40ms/step - loss: 1.5 - accuracy: 0.5\n",
	 "loss", "1 2.5|2 2.0|3 1.5", "Epoch {epoch}/{}\n{}/{} [ {*}"},
	{"torchtune",
	 "Step 1 | loss:2.5 lr:2e-05 tokens_per_second_per_gpu:512.5 peak_memory_active:23.5 \n"
	 "Step 2 | loss:2.25 lr:2e-05 tokens_per_second_per_gpu:512.5 peak_memory_active:23.5 \nStep 3 | loss:2.0 lr:2e-05 "
	 "tokens_per_second_per_gpu:512.5 peak_memory_active:23.5 \n",
	 "loss", "1 2.5|2 2.25|3 2.0", "Step {step} {*}"},
	{"torchtune's bars",
	 "1|1|Loss: 2.5:   1%|1         | 1/60 [00:01<00:40,  1.5s/it]\r1|2|Loss: 2.25:   3%|2         | 2/60 [00:02<00:40,  1.5s/it]\r"
	 "1|3|Loss: 2.0:   5%|3         | 3/60 [00:03<00:40,  1.5s/it]\n",
	 "loss", "1 2.5|2 2.25|3 2.0", "{*} {step}/{} [ {*}"},
	{"timm",
	 "Train: 0 [   0/100 (  0%)]  Loss: 6.75 (6.75)  Time: 1.5s,   80.25/s  (1.5s,   80.25/s)  LR: 1.000e-03  Data: 1.25 (1.25)\n"
	 "Train: 0 [  50/100 ( 50%)]  Loss: 6.5 (6.62)  Time: 0.25s,  512.5/s  (0.25s,  512.5/s)  LR: 1.000e-03  Data: 0.25 (0.5)\n"
	 "Train: 1 [   0/100 (  0%)]  Loss: 6.25 (6.25)  Time: 0.5s,  256.5/s  (0.5s,  256.5/s)  LR: 1.000e-03  Data: 0.25 (0.5)\n",
	 "loss", "0 6.75|50 6.5|100 6.25", "Train:{epoch} [{step}/{} {*}"},
	{"DeepSpeed",
	 "[2026-11-28 14:00:01,123] [INFO] [logging.py:128:log_dist] [Rank 0] step=10, skipped=0, lr=[0.5], mom=[(0.9, 0.95)]\n"
	 "[2026-11-28 14:00:01,124] [INFO] [logging.py:128:log_dist] [Rank 0] time (ms) | fwd: 212.5 | bwd: 431.25 | step: 18.00\n"
	 "[2026-11-28 14:00:02,123] [INFO] [logging.py:128:log_dist] [Rank 0] step=20, skipped=0, lr=[0.25, 0.25], mom=[(0.9, 0.95)]\n"
	 "[2026-11-28 14:00:02,124] [INFO] [logging.py:128:log_dist] [Rank 0] time (ms) | fwd: 213.5 | bwd: 431.25 | step: 18.00\n"
	 "[2026-11-28 14:00:03,123] [INFO] [logging.py:128:log_dist] [Rank 0] step=30, skipped=0, lr=[0.125], mom=[(0.9, 0.95)]\n"
	 "[2026-11-28 14:00:03,124] [INFO] [logging.py:128:log_dist] [Rank 0] time (ms) | fwd: 214.5 | bwd: 431.25 | step: 18.00\n",
	 "forward", "10 0.2125|20 0.2135|30 0.2145", "step={step} {*}\ntime ({*}"},
	{"DeepSpeed's rate",
	 "[Rank 0] step=10, skipped=0, lr=[0.5], mom=[(0.9, 0.95)]\n[Rank 0] step=20, skipped=0, lr=[0.25, 0.25], mom=[(0.9, 0.95)]\n"
	 "[Rank 0] step=30, skipped=0, lr=[0.125, 0.5], mom=[(0.9, 0.95)]\n[Rank 0] step=40, skipped=0, lr=[0.125], mom=[(0.9, "
	 "0.95)]\n",
	 "lr", "10 0.5|20 0.25|30|40 0.125", "step={step} {*}"},
	{"OLMo",
	 "2026-03-19 02:40:01.640\tvm:0\tolmo.train:850\tINFO\t[step=1/739328]\n    train/CrossEntropyLoss=11.5\n    "
	 "train/Perplexity=98,716\n"
	 "    throughput/total_tokens=4,194,304\n2026-03-19 02:40:02.640\tvm:0\tolmo.train:850\tINFO\t[step=2/739328]\n    "
	 "train/CrossEntropyLoss=11.25\n"
	 "    train/Perplexity=76,880\n    throughput/total_tokens=8,388,608\n2026-03-19 "
	 "02:40:03.640\tvm:0\tolmo.train:850\tINFO\t[step=3/739328]\n"
	 "    train/CrossEntropyLoss=11.0\n    train/Perplexity=59,874\n    throughput/total_tokens=12,582,912\n",
	 "loss", "1 11.5|2 11.25|3 11.0", "[step={step}/{}]\n{*}"},
	{"mmengine",
	 "11/28 22:08:29 - mmengine - INFO - Epoch(train) [1][ 10/20]  lr: 1.5e-04  eta: 0:46:39  time: 0.25  data_time: 0.125  "
	 "memory: 10762  loss: 2.5\n"
	 "11/28 22:08:30 - mmengine - INFO - Epoch(train) [1][ 20/20]  lr: 1.5e-04  eta: 0:46:39  time: 0.25  data_time: 0.125  "
	 "memory: 10762  loss: 2.0\n"
	 "11/28 22:08:31 - mmengine - INFO - Epoch(train) [2][ 10/20]  lr: 1.5e-04  eta: 0:46:39  time: 0.25  data_time: 0.125  "
	 "memory: 10762  loss: 1.5\n",
	 "loss", "10 2.5|20 2.0|30 1.5", "Epoch(train) [{epoch}][{step}/{}] {*}"},
	{"mmcv",
	 "2026-11-28 16:41:17,697 - mmdet - INFO - Epoch [1][50/7330]\tlr: 4.0e-03, eta: 1 day, 2:32:21, time: 1.25, data_time: 0.125, "
	 "loss_cls: 0.5, loss: 2.5\n"
	 "2026-11-28 16:41:18,697 - mmdet - INFO - Epoch [1][100/7330]\tlr: 4.0e-03, eta: 1 day, 0:36:30, time: 1.25, data_time: "
	 "0.125, loss_cls: 0.5, loss: 2.0\n"
	 "2026-11-28 16:41:19,697 - mmdet - INFO - Epoch [1][150/7330]\tlr: 4.0e-03, eta: 23:59:22, time: 1.25, data_time: 0.125, "
	 "loss_cls: 0.5, loss: 1.5\n",
	 "eta", "50 95541.0|100 88590.0|150 86362.0", "Epoch [{epoch}][{step}/{}] {*}"},
	{"detectron2",
	 "[11/28 10:01:33 d2.utils.events]:  eta: 1 day, 2:03:04  iter: 19  total_loss: 5.5  loss_cls: 1.5  time: 0.25  last_time: "
	 "0.25  data_time: 0.01  lr: 5e-06  "
	 "max_mem: 2519M\n[11/28 10:01:38 d2.utils.events]:  eta: 1 day, 2:03:04  iter: 39  total_loss: 5.25  loss_cls: 1.5  time: "
	 "0.25  last_time: 0.25  data_time: "
	 "0.01  lr: 5e-06  max_mem: 2519M\n[11/28 10:01:43 d2.utils.events]:  eta: 1 day, 2:03:04  iter: 59  total_loss: 5.0  "
	 "loss_cls: 1.5  time: 0.25  last_time: "
	 "0.25  data_time: 0.01  lr: 5e-06  max_mem: 2519M\n",
	 "loss", "19 5.5|39 5.25|59 5.0", "{*} iter:{step} {*}"},
	{"MetricLogger",
	 "Epoch: [0]  [ 0/30]  eta: 0:10:00  lr: 0.5  loss: 6.5 (6.5)  time: 0.5  data: 0.25  max mem: 19152\n"
	 "Epoch: [0]  [20/30]  eta: 0:05:00  lr: 0.5  loss: 6.25 (6.4)  time: 0.5  data: 0.25  max mem: 19152\n"
	 "Epoch: [0]  [29/30]  eta: 0:00:01  lr: 0.5  loss: 6.0 (6.3)  time: 0.5  data: 0.25  max mem: 19152\nEpoch: [0] Total time: "
	 "0:00:15 (0.5 s / it)\n"
	 "Epoch: [1]  [ 0/30]  eta: 0:10:00  lr: 0.5  loss: 5.5 (nan)  time: 0.5  data: 0.25  max mem: 19152\n",
	 "loss", "0 6.5|20 6.25|29 6.0|30 5.5", "Epoch: [{epoch}] [{step}/{}] {*}"},
	{"levanter",
	 "2026-10-01T10:01:00 - 0 - levanter.callbacks - train.py:88 - INFO :: Progress on:train 1.0it/100.0it rate:1.0it/s "
	 "remaining:01:01 elapsed:00:01 postfix:loss=5.5\n"
	 "2026-10-01T10:02:00 - 0 - levanter.callbacks - train.py:88 - INFO :: Progress on:train 2.0it/100.0it rate:1.0it/s "
	 "remaining:01:00 elapsed:00:02 postfix:loss=5.25\n"
	 "2026-10-01T10:03:00 - 0 - levanter.callbacks - train.py:88 - INFO :: Progress on:train 3.0it/100.0it rate:1.0it/s "
	 "remaining:00:59 elapsed:00:03 postfix:loss=5.0\n",
	 "loss", "1 5.5|2 5.25|3 5.0", NULL},
	{"clu",
	 "I1128 14:00:01.123456 140000000000000 logging_writer.py:48] [100] accuracy=0.5, loss=2.5\n"
	 "I1128 14:00:02.123456 140000000000000 logging_writer.py:48] [200] accuracy=0.5, loss=2.0\n"
	 "I1128 14:00:03.123456 140000000000000 logging_writer.py:48] [300] accuracy=0.5, loss=1.5\n",
	 "loss", "100 2.5|200 2.0|300 1.5", "[{step}] {*}"},
	{"mlx-lm",
	 "Iter 1: Val loss 2.5, Val took 17.25s\nIter 10: Train loss 2.25, Learning Rate 1.000e-05, It/sec 0.5, Tokens/sec 387.5, "
	 "Trained Tokens 4000, Peak mem 8.5 GB\n"
	 "Iter 20: Train loss 2.0, Learning Rate 1.000e-05, It/sec 0.5, Tokens/sec 387.5, Trained Tokens 8000, Peak mem 8.5 GB\n",
	 "loss", "1|10 2.25|20 2.0", "Iter {step}: {*}"},
	{"verl",
	 "(TaskRunner pid=123) step:1 - global_seqlen/min:1234 - actor/pg_loss:0.5 - critic/rewards/mean:0.25 - timing_s/step:12.5\n"
	 "(TaskRunner pid=123) step:2 - global_seqlen/min:1234 - actor/pg_loss:0.25 - critic/rewards/mean:0.5 - timing_s/step:12.5\n"
	 "(TaskRunner pid=123) step:3 - global_seqlen/min:1234 - actor/pg_loss:0.125 - critic/rewards/mean:0.75 - timing_s/step:12.5\n",
	 "critic/rewards/mean", "1 0.25|2 0.5|3 0.75", "step:{step} {*}"},
	{"prime",
	 "17:45:08 [INFO] [Rank 0] step: 1, loss: 10.5, tokens_per_second: 49722.00, mfu: 4.5\n17:45:11 [INFO] [Rank 0] step: 2, loss: "
	 "10.25, "
	 "tokens_per_second: 628145.53, mfu: 50.5\n17:45:14 [INFO] [Rank 0] step: 3, loss: 10.0, tokens_per_second: 624814.93, mfu: "
	 "50.0\n",
	 "mfu", "1 0.045|2 0.505|3 0.5", "step:{step} {*}"},
	{"TF-slim",
	 "INFO:tensorflow:global step 500: loss = 1.5 (2.5 sec/step)\nINFO:tensorflow:Saving checkpoint to path /x/model.ckpt\n"
	 "INFO:tensorflow:global step 501: loss = 1.25 (2.25 sec/step)\nINFO:tensorflow:global step 502: loss = 1.0 (195.0 sec/step)\n",
	 "step", "500 2.5|501 2.25|502 195.0", "global step {step}: {*}"},
	{"Slurm",
	 "srun: job 12345 queued and waiting for resources\nstep 0 | train_loss 2.5 | lr 1.0e-03 | 123.5 ms\nstep 1 | train_loss 2.0 | "
	 "lr 1.0e-03 | 123.5 ms\n"
	 "step 2 | train_loss 1.5 | lr 1.0e-03 | 123.5 ms\nslurmstepd: error: *** JOB 12345 ON n1 CANCELLED AT 2026-11-28T14:00:00 DUE "
	 "TO TIME LIMIT ***\n",
	 "loss", "0 2.5|1 2.0|2 1.5", "step {step} {*}"},
	{"tensors",
	 "step 1: loss tensor(2.5, device='cuda:0', grad_fn=<NllLossBackward0>)\nstep 2: loss tensor(2.0, device='cuda:0', "
	 "grad_fn=<NllLossBackward0>)\n"
	 "step 3: loss tensor(nan, device='cuda:0', grad_fn=<NllLossBackward0>)\n",
	 "loss", "1 2.5|2 2.0|3 \"NaN\"", "step {step}: {*}"},
	{"boosting", "[0]\ttrain-rmse:2.5\teval-rmse:2.75\n[1]\ttrain-rmse:2.0\teval-rmse:2.25\n[2]\ttrain-rmse:1.5\teval-rmse:1.75\n",
	 "eval-rmse", "0 2.75|1 2.25|2 1.75", "[{step}] {*}"},
	{"fastai",
	 "epoch     train_loss  valid_loss  accuracy  time    \n0         2.5         2.75        0.5       04:21     \n"
	 "1         2.0         2.25        0.5       03:49     \n2         1.5         1.75        0.5       03:49     \n",
	 "time", "0 261.0|1 229.0|2 229.0", "{epoch} {train_loss} {valid_loss} {accuracy} {time}"},
	{"Ultralytics",
	 "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n      1/100      1.18G      1.25      3.75         17    "
	 "    640: 100%|####| 12/12 [00:03<00:00]\n"
	 "                 Class     Images  Instances  Box(P      R      mAP50\n                   all         16        127  "
	 "   0.0265          1     0.0456\n\n"
	 "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n      2/100      1.29G      1.125      2.25         36   "
	 "     640: 100%|####| 12/12 [00:02<00:00]\n"
	 "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n      3/100      1.29G      1.0      1.75         36     "
	 "   640: 100%|####| 12/12 [00:02<00:00]\n",
	 "cls_loss", "1 3.75|2 2.25|3 1.75", "{epoch}/{} {GPU_mem} {box_loss} {cls_loss} {Instances} {Size}:"},
	{"spaCy",
	 "E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  SCORE \n---  ------  ------------  --------  ------  ------\n  0       0        "
	 "  0.00     14.5    0.25    0.00\n"
	 "  0    1000      75263.20   7992.25    9.50    0.09\n  1    2000     473275.24   6660.5   20.25    0.20\n",
	 "LOSS NER", "0 14.5|1000 7992.25|2000 6660.5", "{epoch} {step} {LOSS TOK2VEC} {LOSS NER} {ENTS_F} {SCORE}"},
	{"a table with lines",
	 "+-----------+------+-------+\n| Iteration | Loss | Time  |\n+-----------+------+-------+\n| 1         | 5.25 | 1.5s  |\n| 2  "
	 "       | 5.0  | 2.5s  |\n"
	 "| 10        | 4.75 | 9.5s  |\n+-----------+------+-------+\n",
	 "loss", "1 5.25|2 5.0|10 4.75", "| {Iteration} | {Loss} | {Time} |"},
	{"Stable-Baselines3",
	 "-----------------------\n| rollout/     |      |\n|  ep_rew_mean | 1.5  |\n| time/        |      |\n|  total_timesteps | "
	 "2048 |\n-----------------------\n"
	 "| rollout/     |      |\n|  ep_rew_mean | 2.5  |\n| time/        |      |\n|  total_timesteps | 4096 |\n| train/       |     "
	 " |\n|  loss        | 0.5  |\n"
	 "-----------------------\n| rollout/     |      |\n|  ep_rew_mean | 3.5  |\n| time/        |      |\n|  total_timesteps | "
	 "6144 |\n| train/       |      |\n|  loss        | 0.25 |\n",
	 "ep_rew_mean", "2048 1.5|4096 2.5|6144 3.5", "total_timesteps |{step}\n{*}"},
	{"BasicSR",
	 "2026-05-21 18:38:04,495 INFO: [NAFNe..][epoch: 12, iter:      50, lr:(1.000e-03,)] [eta: 1 day, 23:02:06, time (data): 0.250 "
	 "(0.002)] l_pix: 2.5e-02 \n"
	 "2026-05-21 18:38:41,036 INFO: [NAFNe..][epoch: 24, iter:   1,100, lr:(1.000e-03,)] [eta: 1 day, 19:50:01, time (data): 0.236 "
	 "(0.000)] l_pix: 2.25e-02 \n"
	 "2026-05-21 18:39:17,272 INFO: [NAFNe..][epoch: 37, iter:   1,150, lr:(1.000e-03,)] [eta: 1 day, 18:38:02, time (data): 0.225 "
	 "(0.000)] l_pix: 2e-02 \n",
	 "l_pix", "50 0.025|1100 0.0225|1150 0.02", NULL},
	{"CycleGAN",
	 "(epoch: 1, iters: 100, time: 0.25, data: 0.125) D_A: 0.5 G_A: 0.25 \n(epoch: 1, iters: 200, time: 0.25, data: 0.125) D_A: "
	 "0.25 G_A: 0.25 \n"
	 "(epoch: 1, iters: 300, time: 0.25, data: 0.125) D_A: 0.125 G_A: 0.25 \n",
	 "D_A", "100 0.5|200 0.25|300 0.125", NULL},
	{"a memory line before each step",
	 "Memory info of CPU: total:201.5Gb, percent: 5.5%\nepoch 1/50 - it 6/100 - loss: 2.5\nMemory info of CPU: total:202.5Gb, "
	 "percent: 5.5%\n"
	 "epoch 1/50 - it 7/100 - loss: 2.0\nMemory info of CPU: total:203.5Gb, percent: 5.5%\nepoch 1/50 - it 8/100 - loss: 1.5\n",
	 "total(Gb)", "6 201.5|7 202.5|8 203.5", NULL},
	{"epochs without their steps",
	 "epoch 0 step 1 loss 2.5\nepoch 0 step 2 loss 2.25\nepoch 1 step 1 loss 2.0\nepoch 1 step 2 loss 1.75\nepoch 2 step 1 loss "
	 "1.5\n",
	 "loss", "1 2.5|2 2.25|3 2.0|4 1.75|5 1.5", "epoch {epoch} step {step} {*}"},
	{"a first step 0", "epoch 0 step 0 loss 2.5\nepoch 0 step 1 loss 2.25\nepoch 1 step 0 loss 2.0\nepoch 1 step 1 loss 1.75\n",
	 "loss", "0 2.5|1 2.25|2 2.0|3 1.75", "epoch {epoch} step {step} {*}"},
	{"numbers with k", "step 1 loss 2.5 tps 1.2k\nstep 2 loss 2.5 tps 12k\nstep 3 loss 2.5 tps 950\n", "tokens_per_second",
	 "1 1200.0|2 12000.0|3 950.0", "step {step} {*}"},
	{"ranks in the line",
	 "[Rank 1] step: 1, loss: 9\n[Rank 0] step: 1, loss: 2.5\n[Rank 0] step: 2, loss: 2.0\n[Rank 1] step: 2, loss: 9\n[Rank 0] "
	 "step: 3, loss: 1.5\n"
	 "[Rank 1] step: 3, loss: 9\n",
	 "loss", "1 2.5|2 2.0|3 1.5|1 9.0|2 9.0|3 9.0", "step:{step} {*}"},
	{"values before the step", "loss: 2.5, lr: 0.5, step: 10\nloss: 2.0, lr: 0.5, step: 20\nloss: 1.5, lr: 0.5, step: 30\n", "loss",
	 "10 2.5|20 2.0|30 1.5", "{*} step:{step}"},
	{"tf.estimator",
	 "INFO:tensorflow:loss = 2.5, step = 1\nINFO:tensorflow:global_step/sec: 912.5\nINFO:tensorflow:loss = 2.0, step = 101 (0.5 "
	 "sec)\n"
	 "INFO:tensorflow:global_step/sec: 950.5\nINFO:tensorflow:loss = 1.5, step = 201 (0.5 sec)\nINFO:tensorflow:global_step/sec: "
	 "975.5\n",
	 "loss", "1 2.5|101 2.0|201 1.5", "{*} step ={step}\ntensorflow: {*}"},
	{"a restart", "step 1 loss 2.5\nstep 2 loss 2.0\nstep 3 loss 9\nstep 3 loss 1.5\nstep 4 loss 1.0\n", "loss",
	 "1 2.5|2 2.0|3 1.5|4 1.0", "step {step} {*}"},
	{"ESPnet",
	 "[gpu01:0/2] 2026-07-19 08:49:04,080 (trainer:464) INFO: 1epoch:train:1-50batch: iter_time=2.5e-04, loss=4.5, lr_0=0.5\n"
	 "[gpu01:0/2] 2026-07-19 08:54:09,601 (trainer:464) INFO: 1epoch:train:51-100batch: iter_time=2.5e-04, loss=3.5, lr_0=0.5\n"
	 "[gpu01:0/2] 2026-07-19 08:59:15,042 (trainer:464) INFO: 2epoch:train:1-50batch: iter_time=2.5e-04, loss=2.5, lr_0=0.5\n"
	 "[gpu01:0/2] 2026-07-19 09:04:15,042 (trainer:464) INFO: 2epoch:train:51-100batch: iter_time=2.5e-04, loss=1.5, lr_0=0.5\n",
	 "loss", "50 4.5|100 3.5|150 2.5|200 1.5", "{epoch}epoch:train:{}-{step}batch: {*}"},
	{"NCRF++",
	 "Epoch: 0/100\n Learning rate is set as: 0.5\n     Instance: 500; Time: 1.5s; loss: 9.5; acc: 45/60=0.75\n"
	 "     Instance: 1000; Time: 1.5s; loss: 8.5; acc: 90.0/120.0=0.75\nEpoch: 0 training finished. Time: 3s,  total loss: 18.0\n"
	 "Epoch: 1/100\n Learning rate is set as: 0.25\n     Instance: 500; Time: 1.5s; loss: 7.5; acc: 48/60=0.8125\n"
	 "     Instance: 1000; Time: 1.5s; loss: 6.5; acc: 90/120=0.875\nEpoch: 1 training finished. Time: 3s,  total loss: 14.0\n",
	 "acc", "500 0.75|1000 0.75|1500 0.8125|2000 0.875", NULL},
	{"Marian",
	 "[2026-07-17 12:54:33] Ep. 1 : Up. 100 : Sen. 1,280 : Cost 5.5 : Time 3.5s : 300.5 words/s\n"
	 "[2026-07-17 12:55:33] Ep. 1 : Up. 200 : Sen. 2,560 : Cost 4.5 : Time 3.5s : 300.5 words/s\n"
	 "[2026-07-17 12:55:40] [valid] Ep. 1 : Up. 200 : perplexity : 187.5 : new best\n"
	 "[2026-07-17 12:56:33] Ep. 2 : Up. 300 : Sen. 3,840 : Cost 3.5 : Time 3.5s : 300.5 words/s\n",
	 "Sen", "100 1280.0|200 2560.0|300 3840.0", NULL},
	{"scores of episodes",
	 "Episode 100\tAverage Score: 0.5\tScore: 1.5\nEpisode 200\tAverage Score: 2.5\tScore: 3.5\n"
	 "Episode 300\tAverage Score: 4.5\tScore: 5.5\n",
	 "Average Score", "100 0.5|200 2.5|300 4.5", "Episode {step} {*}"},
	{"Keras-RL",
	 " 87/500: episode: 5, duration: 0.5s, episode reward: 18.5, loss: 4.5\n"
	 " 178/500: episode: 6, duration: 0.5s, episode reward: 29.5, loss: 3.5\n"
	 " 285/500: episode: 7, duration: 0.5s, episode reward: 20.5, loss: 2.5\n",
	 "episode", "87 5.0|178 6.0|285 7.0", "{step}/{}: episode:{episode} {*}"},
	{"a step within the epoch beside one of all",
	 "   --> STEP: 25/50 -- GLOBAL_STEP: 1025\n     | > loss_disc: 2.5  (2.75)\n     | > step_time: 0.5  (0.5)\n"
	 "   --> STEP: 49/50 -- GLOBAL_STEP: 1049\n     | > loss_disc: 2.25  (2.5)\n     | > step_time: 0.5  (0.5)\n"
	 "   --> STEP: 24/50 -- GLOBAL_STEP: 1074\n     | > loss_disc: 2.0  (2.25)\n     | > step_time: 0.5  (0.5)\n",
	 "loss_disc", "1025 2.5|1049 2.25|1074 2.0", NULL},
	{"fairseq of old",
	 "| epoch 005  1000 / 8000 loss=2.5 (3.5), wps=959, lr=0.5\n| epoch 005  2000 / 8000 loss=2.25 (3.5), wps=959, lr=0.5\n"
	 "| epoch 006  1000 / 8000 loss=2.0 (3.5), wps=959, lr=0.5\n| epoch 006  2000 / 8000 loss=1.5 (3.5), wps=959, lr=0.5\n",
	 "loss", "33000 2.5|34000 2.25|41000 2.0|42000 1.5", "epoch {epoch} {step} /{} {*}"},
	{"a verb of several words before the number",
	 "Starting epoch 0 current lr is 0.5\nEpoch 0, Step 2, total used time 7.5 (s), avg loss so far is 2.5\n"
	 "Epoch 0, Step 4, total used time 14.5 (s), avg loss so far is 2.25\nStarting epoch 1 current lr is 0.5\n"
	 "Epoch 1, Step 2, total used time 21.5 (s), avg loss so far is 2.0\n"
	 "Epoch 1, Step 4, total used time 28.5 (s), avg loss so far is 1.5\n",
	 "loss", "2 2.5|4 2.25|6 2.0|8 1.5", NULL},
	{"a step that is called a number of a batch",
	 "INFO - epoch: 0, batch_id: 0, AUC:0.50, loss:2.5\nINFO - epoch: 0, batch_id: 500, AUC:0.75, loss:2.0\n"
	 "INFO - epoch: 0 done, AUC: 0.76, loss: 1.9\nINFO - epoch: 1, batch_id: 0, AUC:0.77, loss:1.5\n"
	 "INFO - epoch: 1, batch_id: 500, AUC:0.78, loss:1.25\nINFO - epoch: 1 done, AUC: 0.79, loss: 1.2\n",
	 "loss", "0 2.5|500 2.0|501 1.5|1001 1.25", "epoch:{epoch}, batch_id:{step} {*}"},
	{"lines of the evaluation with the same counters",
	 "Train | Epoch 1 | 2/5 | 1.5 it/sec | Loss 2.5\nTrain | Epoch 1 | 4/5 | 1.5 it/sec | Loss 2.25\n"
	 "Train Summary | Epoch 1 | Loss=2.0\nValid | Epoch 1 | 1/3 | 0.5 it/sec | Loss 9.5\n"
	 "Valid | Epoch 1 | 2/3 | 0.5 it/sec | Loss 9.25\n"
	 "Train | Epoch 2 | 2/5 | 1.5 it/sec | Loss 1.5\nTrain | Epoch 2 | 4/5 | 1.5 it/sec | Loss 1.25\n"
	 "Train Summary | Epoch 2 | Loss=1.0\nValid | Epoch 2 | 1/3 | 0.5 it/sec | Loss 8.5\n"
	 "Valid | Epoch 2 | 2/3 | 0.5 it/sec | Loss 8.25\n",
	 "loss", "2 2.5|4 2.25|7 1.5|9 1.25", "Train | Epoch {epoch} |{step}/{} {*}"},
	{"an evaluation behind the last step that has the same names",
	 "momentum: 0.5\nEpoch: [0]  [0/4]  loss: 4.5 (4.5)  lr: 0.5 (0.5)\nEpoch: [0]  [2/4]  loss: 3.5 (4.0)  lr: 0.5 (0.5)\n"
	 "Epoch: [1]  [0/4]  loss: 2.5 (2.5)  lr: 0.5 (0.5)\nEpoch: [1]  [2/4]  loss: 1.5 (2.0)  lr: 0.5 (0.5)\n"
	 "acc1: 0.5 (0.5)  loss: 9.5 (9.5)\nacc1: 0.75 (0.5)  loss: 8.5 (9.0)\nacc1: 0.875 (0.75)  loss: 7.5 (8.5)\n",
	 "loss", "0 4.5|2 3.5|4 2.5|6 1.5", NULL},
	{"settings before the first step, of which one has a name like a step's",
	 "INFO: Namespace(lr=0.5, momentum=0.9, log_iter=10, save=5)\nINFO: Iters: 10/90 || Lr: 0.25 || Task Loss: 3.5\n"
	 "INFO: Iters: 20/90 || Lr: 0.125 || Task Loss: 2.5\nINFO: Iters: 30/90 || Lr: 0.0625 || Task Loss: 1.5\n",
	 "lr", "10 0.25|20 0.125|30 0.0625", "Iters:{step}/{} {*}"},
	{"the same names in lines of an evaluation, with the step",
	 "Train step 10 loss 2.5\nValid step 10 loss 9.5\nTrain step 20 loss 2.25\nValid step 20 loss 9.25\nTrain step 30 loss 2.0\n"
	 "Valid step 30 loss 9.0\n",
	 "loss", "10 2.5|20 2.25|30 2.0", "Valid step {step} {val_*}\nTrain step {step} {*}"},
	{"behind the epoch",
	 "Epoch 1 | train | loss 2.5 | acc 0.5\nEpoch 1 | valid | loss 9.5 | acc 0.25\nEpoch 2 | train | loss 2.25 | acc 0.5\n"
	 "Epoch 2 | valid | loss 9.25 | acc 0.375\nEpoch 3 | train | loss 2.0 | acc 0.75\nEpoch 3 | valid | loss 9.0 | acc 0.5\n",
	 "eval_loss", "1 9.5|2 9.25|3 9.0", "Epoch {epoch} | valid | {val_*}\nEpoch {epoch} | train | {*}"},
	{"in brackets",
	 "[Train] Epoch 1 loss 2.5 acc 0.5\n[Valid] Epoch 1 loss 9.5 acc 0.25\n[Train] Epoch 2 loss 2.25 acc 0.5\n"
	 "[Valid] Epoch 2 loss 9.25 acc 0.375\n[Train] Epoch 3 loss 2.0 acc 0.75\n[Valid] Epoch 3 loss 9.0 acc 0.5\n",
	 "val_acc", "1 0.25|2 0.375|3 0.5", "[Valid] Epoch {epoch} {val_*}\n[Train] Epoch {epoch} {*}"},
	{"in the first name of two",
	 "Epoch 1 train loss: 2.5 acc: 0.5\nEpoch 1 test loss: 9.5 acc: 0.25\nEpoch 2 train loss: 2.25 acc: 0.5\n"
	 "Epoch 2 test loss: 9.25 acc: 0.375\nEpoch 3 train loss: 2.0 acc: 0.75\nEpoch 3 test loss: 9.0 acc: 0.5\n",
	 "acc", "1 0.5|2 0.5|3 0.75", "Epoch {epoch} {test_*}\nEpoch {epoch} {*}"},
	{"in the first name, behind a line of the epoch",
	 "Epoch 0/24\n----------\ntrain Loss: 2.5 Acc: 0.5\nval Loss: 9.5 Acc: 0.25\n\nEpoch 1/24\n----------\ntrain Loss: 2.25 Acc: "
	 "0.5\n"
	 "val Loss: 9.25 Acc: 0.375\n\nEpoch 2/24\n----------\ntrain Loss: 2.0 Acc: 0.75\nval Loss: 9.0 Acc: 0.5\n\nBest val Acc: "
	 "0.875\n",
	 "val_Acc", "0 0.25|1 0.375|2 0.5", "Epoch {epoch}/{}\n{val_*}\n{*}"},
	{"without the step",
	 "Step 10, loss: 2.5, acc: 0.5\nStep 20, loss: 2.25, acc: 0.5\nValidation: loss: 9.5, acc: 0.25\nStep 30, loss: 2.0, acc: 0.5\n"
	 "Step 40, loss: 1.5, acc: 0.5\nValidation: loss: 9.25, acc: 0.375\n",
	 "eval_loss", "10|20 9.5|30|40 9.25", "Step {step} {*}\nValidation: {val_*}"},
	{"in a bracket before the numbers",
	 "Epoch 1:\n [TRAIN DATA] avg. acc: 0.5 | avg. loss: 2.5\n [VALID DATA] avg. acc: 0.25 | avg. loss: 9.5\n"
	 "Epoch 2:\n [TRAIN DATA] avg. acc: 0.5 | avg. loss: 2.25\n [VALID DATA] avg. acc: 0.375 | avg. loss: 9.25\n"
	 "Epoch 3:\n [TRAIN DATA] avg. acc: 0.75 | avg. loss: 2.0\n [VALID DATA] avg. acc: 0.5 | avg. loss: 9.0\n",
	 "avg. loss", "1 2.5|2 2.25|3 2.0", "Epoch {epoch}:\nVALID DATA] {val_*}\nTRAIN DATA] {*}"},
	{"of names that two lines share, the first one's value counts",
	 "vocabulary: 5\nEpoch 1\n  rate is 0.5\n  loss = 2.5, accuracy = 0.5\n  accuracy = 0.25, AUC = 0.125\n"
	 "Epoch 2\n  rate is 0.5\n  loss = 2.25, accuracy = 0.625\n  accuracy = 0.25, AUC = 0.125\n"
	 "Epoch 3\n  rate is 0.5\n  loss = 2.0, accuracy = 0.75\n  accuracy = 0.25, AUC = 0.125\ndone in: 5\n",
	 "accuracy", "1 0.5|2 0.625|3 0.75", NULL},
	{"numbers before the step and behind it",
	 "used time:0.5,step:160,loss:2.5\nused time:0.75,step:161,loss:2.25\nused time:1.25,step:162,loss:2.0\n", "used time",
	 "160 0.5|161 0.75|162 1.25", "{*} step:{step} {*}"},
	{"an epoch out of so many",
	 "Time: 104s, Epoch: [1/9],Val_PSNR: 28.5, Val_SSIM: 0.5\nTime: 98s, Epoch: [2/9],Val_PSNR: 30.5, Val_SSIM: 0.625\n"
	 "Time: 101s, Epoch: [3/9],Val_PSNR: 32.5, Val_SSIM: 0.75\n",
	 "Val_PSNR", "1 28.5|2 30.5|3 32.5", "{*} Epoch: [{epoch}/{}] {*}"},
	{"a pair with a colon",
	 "[1 :   100] loss G : 2.5 loss D : 0.5\n[1 :   200] loss G : 2.25 loss D : 0.5\n[2 :   100] loss G : 2.0 loss D : 0.5\n",
	 "loss G", "100 2.5|200 2.25|300 2.0", "[{epoch} :{step}] {*}"},
	{"the end of two bars in turn",
	 "Epoch [1/9]\n100%|##| 30/30 [00:09, loss=2.0]\n100%|##| 5/5 [00:09, loss=9.0]\nloss 2.03125 - val_loss 9.03125\n"
	 "Epoch [2/9]\n100%|##| 30/30 [00:09, loss=1.5]\n100%|##| 5/5 [00:09, loss=8.5]\nloss 1.53125 - val_loss 8.53125\n"
	 "Epoch [3/9]\n100%|##| 30/30 [00:09, loss=1.0]\n100%|##| 5/5 [00:09, loss=8.0]\nloss 1.03125 - val_loss 8.03125\n",
	 "loss", "1 2.03125|2 1.53125|3 1.03125", "Epoch [{epoch}/{}]\n{*}"},
	{"an empty cell of a notebook's table",
	 "Epoch\tTraining Loss\tValidation Loss\n1\tNo log\t2.5\n2\tNo log\t2.25\n3\t1.5\t2.0\n4\t1.25\t1.875\n5\t1.0\t1.75\n",
	 "eval_loss", "1 2.5|2 2.25|3 2.0|4 1.875|5 1.75",
	 "{epoch} No log {Validation Loss}\n{epoch} {Training Loss} {Validation Loss}"},
	{"a list of names over tabs", "epoch,step,tr_loss\n1\t16\t2.5\n1\t32\t2.25\n1\t48\t2.0\n", "tr_loss", "16 2.5|32 2.25|48 2.0",
	 "{epoch} {step} {tr_loss}"},
	{"wide marks, and no spaces",
	 "\u5f53\u524dBatch\uff1a10/60 | \u5f53\u524depoch:0/5 | \u635f\u5931\u503c\uff1a2.5\n"
	 "\u5f53\u524dBatch\uff1a20/60 | \u5f53\u524depoch:0/5 | \u635f\u5931\u503c\uff1a2.25\n"
	 "\u5f53\u524dBatch\uff1a30/60 | \u5f53\u524depoch:0/5 | \u635f\u5931\u503c\uff1a2.0\n",
	 "\u635f\u5931\u503c", "10 2.5|20 2.25|30 2.0", NULL},
	{"a last line without its end, where one of eleven has another number of decimals",
	 "iter 1 loss 2.5000\niter 2 loss 2.2500\niter 3 loss 2.12500\niter 4 loss 2.0000\niter 5 loss 1.7500\niter 6 loss 1.5000\n"
	 "iter 7 loss 1.2500\niter 8 loss 1.0000\niter 9 loss 1.0000\niter 10 loss 1.0000\niter 11 loss 0.5000\niter 12 loss 0.2500",
	 "loss", "1 2.5|2 2.25|3 2.125|4 2.0|5 1.75|6 1.5|7 1.25|8 1.0|9 1.0|10 1.0|11 0.5|12 0.25", "iter {step} {*}"},
	{"rounds", "round 1 acc 0.5\nround 2 acc 0.625\nround 3 acc 0.75\n", "acc", "1 0.5|2 0.625|3 0.75", "round {step} {*}"},
	{"names in Chinese",
	 "INFO - Epoch 1/9\nINFO - \u8bad\u7ec3\u635f\u5931: 2.5, x: 4.5%\n"
	 "INFO - Epoch 2/9\nINFO - \u8bad\u7ec3\u635f\u5931: 2.25, x: 5.5%\n"
	 "INFO - Epoch 3/9\nINFO - \u8bad\u7ec3\u635f\u5931: 2.0, x: 6.5%\n",
	 "\u8bad\u7ec3\u635f\u5931", "1 2.5|2 2.25|3 2.0", NULL},
	{"a block with the name of another axis behind its step",
	 "Learning iteration 0/9\nValue function loss: 2.5\nMean reward: 1.5\nTotal timesteps: 4096\nETA: 00:40:00\n"
	 "Learning iteration 1/9\nValue function loss: 2.25\nMean reward: 2.5\nTotal timesteps: 8192\nETA: 00:39:00\n"
	 "Learning iteration 2/9\nValue function loss: 2.0\nMean reward: 3.5\nTotal timesteps: 12288\nETA: 00:38:00\n",
	 "Value function loss", "0 2.5|1 2.25|2 2.0", NULL},
	{"MindSpore's time",
	 "epoch: 1 step: 195, loss is 2.5\nepoch time: 585.0 ms, per step time: 3.0 ms\nepoch: 2 step: 195, loss is 2.25\n"
	 "epoch time: 390.0 ms, per step time: 2.0 ms\nepoch: 3 step: 195, loss is 2.0\nepoch time: 195.0 ms, per step time: 1.0 ms\n",
	 "step", "1 0.003|2 0.002|3 0.001", NULL},
	{"two numbers in brackets",
	 "[1,  2000] loss: 4.5\n[1,  4000] loss: 3.5\n[1, 12000] loss: 2.5\n[2,  2000] loss: 2.25\n[2,  4000] loss: 2.0\n"
	 "[2, 12000] loss: 1.5\nFinished Training\n",
	 "loss", "2000 4.5|4000 3.5|12000 2.5|14000 2.25|16000 2.0|24000 1.5", "[{epoch},{step}] {*}"},
	{"so many of all",
	 "Epoch: 1  |  Batch 10 of 20  |  Loss: 2.5\nEpoch: 1  |  Batch 15 of 20  |  Loss: 2.0\n"
	 "Epoch: 2  |  Batch 10 of 20  |  Loss: 1.5\nEpoch: 2  |  Batch 15 of 20  |  Loss: 1.0\n",
	 "loss", "10 2.5|15 2.0|30 1.5|35 1.0", NULL},
	{"a measure before the step and its number behind",
	 "Start of epoch 0\nTraining loss (for one batch) at step 0: 4.5\nSeen so far: 64 samples\n"
	 "Training loss (for one batch) at step 200: 3.5\nSeen so far: 128 samples\nTraining loss (for one batch) at step 400: 2.5\n"
	 "Seen so far: 192 samples\n",
	 "loss", "0 4.5|200 3.5|400 2.5", NULL},
	{"a table parted by tabs", "step\tloss\n10\t2.5\n20\t2.25\n30\t2.0\n", "loss", "10 2.5|20 2.25|30 2.0", "{step} {loss}"},
	{"a table parted by tabs, without a step", "total loss\tscore loss\n9.5\t2.5\n8.5\t2.25\n7.5\t2.0\n6.5\t1.75\n5.5\t1.5\n",
	 "score loss", "0 2.5|1 2.25|2 2.0|3 1.75|4 1.5", "{total loss} {score loss}"},
	{"a table parted by single spaces", "epoch loss acc\n1 2.5 0.25\n2 2.25 0.5\n3 2.0 0.75\n", "acc", "1 0.25|2 0.5|3 0.75",
	 "{epoch} {loss} {acc}"},
	{"a line that names the first step alone",
	 "19-08-11 17:38:53.279 - INFO: Start training from epoch: 0, iter: 0\n"
	 "19-08-11 17:44:05.314 - INFO: <epoch:  1, iter:     100, lr:2.000e-04> l_pix: 6.5\n"
	 "19-08-11 17:49:00.121 - INFO: <epoch:  3, iter:     200, lr:2.000e-04> l_pix: 5.5\n"
	 "19-08-11 17:54:00.926 - INFO: <epoch:  5, iter:     300, lr:2.000e-04> l_pix: 4.5\n",
	 "l_pix", "100 6.5|200 5.5|300 4.5", NULL},
	{"a number alone before the line",
	 "step 0: train loss 11.5, val loss 11.5\n0 | loss 11.0 | lr 3e-04 | 104573.5ms\n10 | loss 9.5 | lr 3e-04 | 13597.5ms\n"
	 "20 | loss 7.5 | lr 3e-04 | 13614.5ms\n",
	 "loss", "0 11.0|10 9.5|20 7.5", "step {step}: {*}\n{step} | {*}"},
	{"a number that may be a rank",
	 "1: 9.5, 8.5 avg loss, 0.5 grad norm, 12.5 seconds\n2: 7.5, 6.5 avg loss, 0.5 grad norm, 12.5 seconds\n"
	 "3: 5.5, 4.5 avg loss, 0.5 grad norm, 12.5 seconds\n",
	 "loss", "1 8.5|2 6.5|3 4.5", "{step}: {*}"},
	{"RVC",
	 "INFO:m:Train Epoch: 9 [20%]\nINFO:m:[4200, 9.5e-05]\nINFO:m:loss_disc=3.5, loss_gen=3.0, loss_kl=1.5\n"
	 "INFO:m:Train Epoch: 9 [50%]\nINFO:m:[4400, 9.5e-05]\nINFO:m:loss_disc=2.5, loss_gen=2.0, loss_kl=1.25\n"
	 "INFO:m:Train Epoch: 9 [80%]\nINFO:m:[4600, 9.5e-05]\nINFO:m:loss_disc=1.5, loss_gen=1.0, loss_kl=1.0\n",
	 "loss_kl", "4200 1.5|4400 1.25|4600 1.0", NULL},
	{"the end of a sentence",
	 "INFO: Brain: Step: 1000. Mean Reward: -5.5. Std: 0.5. Training.\nINFO: Brain: Step: 2000. No episode. Training.\n"
	 "INFO: Brain: Step: 3000. Mean Reward: -4.5. Std: 0.5. Training.\n"
	 "INFO: Brain: Step: 4000. Mean Reward: -3. Std: 0. Training.\n",
	 "Mean Reward", "1000 -5.5|3000 -4.5|4000 -3.0", "Step:{step} {*}"},
	{"glog's lines without a step",
	 "I0627 17:29:44.020539 137 solver.cpp:228] Iteration 20, loss = 5.5\n"
	 "I0627 17:29:44.020617 137 solver.cpp:244]     Train net output #0: loss = 5.5 (* 1 = 5.5 loss)\n"
	 "I0627 17:29:44.190858 137 sgd_solver.cpp:106] Iteration 20, lr = 0.5\n"
	 "I0627 17:29:49.245833 137 solver.cpp:228] Iteration 40, loss = 4.5\n"
	 "I0627 17:29:49.245911 137 solver.cpp:244]     Train net output #0: loss = 4.5 (* 1 = 4.5 loss)\n"
	 "I0627 17:29:49.413265 137 sgd_solver.cpp:106] Iteration 40, lr = 0.5\n"
	 "I0627 17:29:54.435341 137 solver.cpp:228] Iteration 60, loss = 3.5\n"
	 "I0627 17:29:54.435420 137 solver.cpp:244]     Train net output #0: loss = 3.5 (* 1 = 3.5 loss)\n"
	 "I0627 17:29:54.601680 137 sgd_solver.cpp:106] Iteration 60, lr = 0.5\n",
	 "loss", "20 5.5|40 4.5|60 3.5", "Iteration {step} {*}"},
	{"CatBoost",
	 "34:\tlearn: 0.75\ttest: 0.5\tbest: 0.875 (1)\ttotal: 17.5s\tremaining: 1h 39m 38s\n"
	 "35:\tlearn: 0.875\ttest: 0.625\tbest: 0.875 (1)\ttotal: 18s\tremaining: 1h 40m\n"
	 "36:\tlearn: 0.9375\ttest: 0.75\tbest: 0.875 (1)\ttotal: 18.5s\tremaining: 59m 1s\n",
	 "learn", "34 0.75|35 0.875|36 0.9375", "{step}: {*}"},
	{"CatBoost, of seconds",
	 "0:\tlearn: 0.75\ttest: 0.5\tbest: 0.5 (0)\ttotal: 50ms\tremaining: 5.5s\n"
	 "100:\tlearn: 0.5\ttest: 0.25\tbest: 0.25 (100)\ttotal: 1.5s\tremaining: 4.5s\n"
	 "200:\tlearn: 0.25\ttest: 0.125\tbest: 0.125 (200)\ttotal: 2.5s\tremaining: 500ms\n",
	 "learn", "0 0.75|100 0.5|200 0.25", "{step}: {*}"},
	{"LightGBM, which prints its best row again",
	 "Training until validation scores don't improve for 20 rounds\n[10]\tvalid_0's auc: 0.5\n[20]\tvalid_0's auc: 0.75\n"
	 "[30]\tvalid_0's auc: 0.625\n[40]\tvalid_0's auc: 0.5\nEarly stopping, best iteration is:\n[20]\tvalid_0's auc: 0.75\n",
	 "valid_0's auc", "10 0.5|20 0.75|30 0.625|40 0.5", "[{step}] {*}"},
	{"LightGBM's metrics",
	 "[10]\ttraining's l2: 0.5\tvalid_1's l2: 0.75\n[20]\ttraining's l2: 0.25\tvalid_1's l2: 0.5\n"
	 "[30]\ttraining's l2: 0.125\tvalid_1's l2: 0.375\n",
	 "valid_1's l2", "10 0.75|20 0.5|30 0.375", "[{step}] {*}"},
	{"XGBoost through a syslog",
	 "[14:00:01] WARNING: ../src/learner.cc:1061: a default changed\n"
	 "[0]#011train-rmse:2.5#011validation-rmse:3.5\n[1]#011train-rmse:2.25#011validation-rmse:3.25\n"
	 "[2]#011train-rmse:2.0#011validation-rmse:3.0\n",
	 "validation-rmse", "0 3.5|1 3.25|2 3.0", "[{step}] {*}"},
	{"DL4J",
	 "06:38:17.253 [main] INFO org.x.ScoreIterationListener - Score at iteration 0 is 1.5\n"
	 "06:38:18.253 [main] INFO org.x.ScoreIterationListener - Score at iteration 100 is 1.25\n"
	 "06:38:19.253 [main] INFO org.x.ScoreIterationListener - Score at iteration 200 is 0.75\n",
	 "Score", "0 1.5|100 1.25|200 0.75", "Score at iteration {step} is {Score}"},
	{"GloVe",
	 "04/15/21 - 07:14.12PM, iter: 001, cost: 0.5\n04/15/21 - 07:15.12PM, iter: 002, cost: 0.25\n"
	 "04/15/21 - 07:16.12PM, iter: 003, cost: 0.125\n",
	 "cost", "1 0.5|2 0.25|3 0.125", "iter:{step} {*}"},
	/* What is minimized by another name, where steps are counted by name. */
	{"an objective",
	 "iter 0: recon=0.5 rate=0.125\niter 1: recon=0.25 rate=0.125\niter 2: recon=0.75 rate=0.125\n"
	 "iter 3: recon=0.25 rate=0.125\n",
	 "recon", "0 0.5|1 0.25|2 0.75|3 0.25", "iter {step}: {*}"},
	{"a share of samples is no step",
	 "epoch   1\nloss: 6.5\ntest accuracy: 20.5%, (512570/2466133)\nepoch   2\nloss: 5.5\ntest accuracy: 24.5%, (597769/2466093)\n"
	 "epoch   3\nloss: 4.5\ntest accuracy: 27.5%, (675904/2466259)\nepoch   4\nloss: 3.5\ntest accuracy: 31.5%, (767633/2466231)\n",
	 "loss", "1 6.5|2 5.5|3 4.5|4 3.5", "epoch {epoch}\n{*}"},
	{"YOLO's tables, with their bars",
	 "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n"
	 "        1/3      1.5G      2.5       1.5        20        640: 100%|####| 16/16 [00:03<00:00,  4.5it/s]\n"
	 "                 Class     Images  Instances  Box(P      R      mAP50  mAP50-95): 100%|####| 4/4 [00:01<00:00, 3.1it/s]\n"
	 "                   all        128        929      0.5       0.25       0.125       0.0625\n"
	 "                 small         64        500      0.9       0.9        0.9         0.9\n"
	 "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n"
	 "        2/3      1.5G      2.25       1.25        21        640: 100%|####| 16/16 [00:03<00:00,  4.5it/s]\n"
	 "                 Class     Images  Instances  Box(P      R      mAP50  mAP50-95): 100%|####| 4/4 [00:01<00:00, 3.1it/s]\n"
	 "                   all        128        929      0.75      0.5        0.25        0.125\n"
	 "                 small         64        500      0.9       0.9        0.9         0.9\n"
	 "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n"
	 "        3/3      1.5G      2.0        1.0        22        640: 100%|####| 16/16 [00:03<00:00,  4.5it/s]\n"
	 "                 Class     Images  Instances  Box(P      R      mAP50  mAP50-95): 100%|####| 4/4 [00:01<00:00, 3.1it/s]\n"
	 "                   all        128        929      0.875     0.75       0.5         0.25\n"
	 "                 small         64        500      0.9       0.9        0.9         0.9\n",
	 "mAP50", "1 0.125|2 0.25|3 0.5",
	 "{epoch}/{} {GPU_mem} {box_loss} {cls_loss} {Instances} {Size}:\nall {Images} {Instances} {P} {R} {mAP50} {mAP50-95}"},
	{"one name in two groups",
	 "Epoch 1, batch 5, loss[loss=2.5, over 5392.00 frames.], tot_loss[loss=3.5, over 31213.18 frames.], lr: 3.00e-03\n"
	 "Epoch 1, batch 6, loss[loss=2.25, over 5392.00 frames.], tot_loss[loss=3.25, over 31213.18 frames.], lr: 3.00e-03\n"
	 "Epoch 1, batch 7, loss[loss=2.0, over 5392.00 frames.], tot_loss[loss=3.0, over 31213.18 frames.], lr: 3.00e-03\n",
	 "tot_loss/loss", "5 3.5|6 3.25|7 3.0", "Epoch {epoch}, batch {step} {*}"},
	{"no step at all",
	 "Progress: 0.3%  lr: 0.5  loss: 2.5  eta: 0h11m\nProgress: 0.4%  lr: 0.5  loss: 2.25  eta: 0h11m\n"
	 "Progress: 0.5%  lr: 0.5  loss: 2.0  eta: 0h11m\nProgress: 0.6%  lr: 0.5  loss: 1.5  eta: 0h11m\n"
	 "Progress: 0.7%  lr: 0.5  loss: 1.0  eta: 0h11m\n",
	 "loss", "0 2.5|1 2.25|2 2.0|3 1.5|4 1.0", NULL},
	{"a line of two ranks, one after the other",
	 "[rank1]: loss: 9.5\n[rank0]: loss: 2.5\n[rank1]: | step | 1 |\n[rank0]: | step | 1 |\n[rank1]: acc: 0.5\n[rank0]: acc: 0.5\n"
	 "[rank1]: loss: 8.5\n[rank0]: loss: 2.25\n[rank1]: | step | 2 |\n[rank0]: | step | 2 |\n[rank1]: acc: 0.5\n[rank0]: acc: "
	 "0.25\n"
	 "[rank1]: loss: 7.5\n[rank0]: loss: 2.0\n[rank1]: | step | 3 |\n[rank0]: | step | 3 |\n[rank1]: acc: 0.5\n[rank0]: acc: "
	 "0.125\n",
	 "loss", "1 2.5|2 2.25|3 2.0|1 9.5|2 8.5|3 7.5", NULL},
	{"PySlowFast",
	 "[05/03 12:00:00][INFO] logging.py:  99: json_stats: {\"_type\": \"train_iter\", \"dt\": 0.5, \"epoch\": \"1/3\", \"e"
	 "ta\": \"1:12:41\", \"iter\": \"20/40\", \"loss\": 2.50000}\n"
	 "[05/03 12:00:01][INFO] logging.py:  99: json_stats: {\"_type\": \"train_iter\", \"dt\": 0.5, \"epoch\": \"1/3\", \"e"
	 "ta\": \"1:12:41\", \"iter\": \"40/40\", \"loss\": 2.25000}\n"
	 "[05/03 12:00:02][INFO] logging.py:  99: json_stats: {\"_type\": \"train_iter\", \"dt\": 0.5, \"epoch\": \"2/3\", \"e"
	 "ta\": \"1:12:41\", \"iter\": \"20/40\", \"loss\": 2.00000}\n"
	 "[05/03 12:00:03][INFO] logging.py:  99: json_stats: {\"_type\": \"train_iter\", \"dt\": 0.5, \"epoch\": \"2/3\", \"e"
	 "ta\": \"1:12:41\", \"iter\": \"40/40\", \"loss\": 1.75000}\n",
	 "loss", "20 2.5|40 2.25|60 2.0|80 1.75",
	 "train_iter epoch {epoch}/{}, iter {step}/{}: {*}"},
	{"MLPerf",
	 ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1725490438668, \"event_type\": \"POINT_IN_TIME\", \"key\": \"global_batc"
	 "h_size\", \"value\": 256, \"metadata\": {\"file\": \"x.py\", \"lineno\": 9}}\n"
	 ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1725490438668, \"event_type\": \"INTERVAL_START\", \"key\": \"run_start"
	 "\", \"value\": null, \"metadata\": {\"file\": \"x.py\", \"lineno\": 9}}\n"
	 ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1725490438668, \"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss"
	 "\", \"value\": 2.5, \"metadata\": {\"file\": \"x.py\", \"lineno\": 9, \"step_num\": 10}}\n"
	 ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1725490438668, \"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss"
	 "\", \"value\": 2.25, \"metadata\": {\"file\": \"x.py\", \"lineno\": 9, \"step_num\": 20}}\n"
	 ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1725490438668, \"event_type\": \"POINT_IN_TIME\", \"key\": \"eval_accura"
	 "cy\", \"value\": 0.5, \"metadata\": {\"file\": \"x.py\", \"lineno\": 9, \"step_num\": 20}}\n"
	 ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1725490438668, \"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss"
	 "\", \"value\": 2.0, \"metadata\": {\"file\": \"x.py\", \"lineno\": 9, \"step_num\": 30}}\n",
	 "loss", "10 2.5|20 2.25|30 2.0",
	 "step {step}: {*}"},
	{"MLPerf, by samples",
	 ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1725490438668, \"event_type\": \"POINT_IN_TIME\", \"key\": \"eval_loss"
	 "\", \"value\": 2.5, \"metadata\": {\"file\": \"x.py\", \"lineno\": 9, \"samples_count\": 1024}}\n"
	 ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1725490438668, \"event_type\": \"POINT_IN_TIME\", \"key\": \"eval_loss"
	 "\", \"value\": 2.25, \"metadata\": {\"file\": \"x.py\", \"lineno\": 9, \"samples_count\": 2048}}\n"
	 ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1725490438668, \"event_type\": \"POINT_IN_TIME\", \"key\": \"eval_loss"
	 "\", \"value\": 2.0, \"metadata\": {\"file\": \"x.py\", \"lineno\": 9, \"samples_count\": 3072}}\n",
	 "eval_loss", "1024 2.5|2048 2.25|3072 2.0",
	 "step {step}: {*}"},
	{"MLPerf, several an epoch",
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 2.5, "
	 "\"metadata\": {\"epoch_num\": 0, \"samples_count\": 64}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 2.25, "
	 "\"metadata\": {\"epoch_num\": 0, \"samples_count\": 128}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 2.0, "
	 "\"metadata\": {\"epoch_num\": 0, \"samples_count\": 192}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 1.75, "
	 "\"metadata\": {\"epoch_num\": 0, \"samples_count\": 256}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 1.5, "
	 "\"metadata\": {\"epoch_num\": 1, \"samples_count\": 320}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 1.25, "
	 "\"metadata\": {\"epoch_num\": 1, \"samples_count\": 384}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 1.0, "
	 "\"metadata\": {\"epoch_num\": 1, \"samples_count\": 448}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 0.75, "
	 "\"metadata\": {\"epoch_num\": 1, \"samples_count\": 512}}\n",
	 "loss", "0 2.5|1 2.25|2 2.0|3 1.75|4 1.5|5 1.25|6 1.0|7 0.75",
	 "epoch {}: {*}"},
	{"MLPerf, by parts of an epoch",
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 2.5, \"metadata\": {\"epoch_num\": 0.5}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 2.25, \"metadata\": {\"epoch_num\": 1.0}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 2.0, \"metadata\": {\"epoch_num\": 1.5}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 1.75, \"metadata\": {\"epoch_num\": 2.0}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 1.5, \"metadata\": {\"epoch_num\": 2.5}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 1.25, \"metadata\": {\"epoch_num\": 3.0}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 1.0, \"metadata\": {\"epoch_num\": 3.5}}\n"
	 ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 0.75, \"metadata\": {\"epoch_num\": 4.0}}\n",
	 "loss", "0 2.5|1 2.25|2 2.0|3 1.75|4 1.5|5 1.25|6 1.0|7 0.75",
	 "{*}"},
	{"DLLogger",
	 "DLLL {\"timestamp\": \"1600000000.1\", \"elapsedtime\": \"9.5\", \"type\": \"LOG\", \"step\": \"PARAMETER\", \"data"
	 "\": {\"lr\": 0.5}}\n"
	 "DLLL {\"timestamp\": \"1600000000.1\", \"elapsedtime\": \"9.5\", \"type\": \"LOG\", \"step\": [0, 10], \"data\": {"
	 "\"train_loss\": 2.5}}\n"
	 "DLLL {\"timestamp\": \"1600000001.1\", \"elapsedtime\": \"9.5\", \"type\": \"LOG\", \"step\": [0, 20], \"data\": {"
	 "\"train_loss\": 2.25}}\n"
	 "DLLL {\"timestamp\": \"1600000002.1\", \"elapsedtime\": \"9.5\", \"type\": \"LOG\", \"step\": [1, 30], \"data\": {"
	 "\"train_loss\": 2.0}}\n"
	 "DLLL {\"timestamp\": \"1600000003.1\", \"elapsedtime\": \"9.5\", \"type\": \"LOG\", \"step\": [1, 40], \"data\": {"
	 "\"train_loss\": 1.75}}\n",
	 "loss", "10 2.5|20 2.25|30 2.0|40 1.75",
	 "epoch {epoch}, step {step}: {*}"},
	{"Vowpal Wabbit",
	 "learning rate = 0.5\n"
	 "average  since         example        example  current  current  current\n"
	 "loss     last          counter         weight    label  predict features\n"
	 "0.500000 0.500000            1            1.0  -1.0000   0.0000       38\n"
	 "0.250000 0.125000            2            2.0  -1.0000  -0.9268       38\n"
	 "0.125000 0.062500            4            4.0  -1.0000  -0.9394       28\n"
	 "0.062500 0.031250            8            8.0  -1.0000  -0.9394       28 h\n"
	 "\n"
	 "average loss = 0.125\n",
	 "since last", "1 0.5|2 0.125|4 0.0625|8 0.03125",
	 "{average loss} {since last} {step} {example weight} {} {} {} h\n{average loss} {since last} {step} {example weight}"
	 " {} {} {}"},
	{"Kaldi's phases",
	 "LOG (nnet3-chain-train[5.5]:PrintStatsForThisPhase():nnet-training.cc:310) Average objective function for 'output' f"
	 "or minibatches 0-9 is -0.25 over 5056 frames.\n"
	 "LOG (nnet3-chain-train[5.5]:PrintStatsForThisPhase():nnet-training.cc:310) Average objective function for 'output-xe"
	 "nt' for minibatches 0-9 is -2.5 over 5056 frames.\n"
	 "LOG (nnet3-chain-train[5.5]:PrintStatsForThisPhase():nnet-training.cc:310) Average objective function for 'output' f"
	 "or minibatches 10-19 is -0.125 + -0.5 = -0.625 over 5056 frames.\n"
	 "LOG (nnet3-chain-train[5.5]:PrintStatsForThisPhase():nnet-training.cc:310) Average objective function for 'output-xe"
	 "nt' for minibatches 10-19 is -2.25 over 5056 frames.\n"
	 "LOG (nnet3-chain-train[5.5]:PrintStatsForThisPhase():nnet-training.cc:310) Average objective function for 'output' f"
	 "or minibatches 20-29 is -0.0625 over 5056 frames.\n"
	 "LOG (nnet3-chain-train[5.5]:PrintStatsForThisPhase():nnet-training.cc:310) Average objective function for 'output-xe"
	 "nt' for minibatches 20-29 is -2.0 over 5056 frames.\n"
	 "LOG (nnet3-chain-train[5.5]:PrintTotalStats():nnet-training.cc:348) Overall average objective function for 'output' "
	 "is -0.75 over 505600 frames.\n",
	 "objective", "9 -0.25|19 -0.125|29 -0.0625",
	 NULL},
	{"nerfstudio behind a chance word of LIBLINEAR",
	 "INFO: use pre trained weights, |g| |f|\n"
	 "Step (% Done)       Train Iter (time)    ETA (time)           Train Rays / Sec\n"
	 "10 (0.03%)          107.5 ms             39 m, 57 s           38.30 K\n"
	 "20 (0.07%)          106.5 ms             39 m, 57 s           38.30 K\n"
	 "30 (0.10%)          105.5 ms             39 m, 57 s           38.30 K\n",
	 "step", "10 0.1075|20 0.1065|30 0.1055",
	 NULL},
	{"nerfstudio",
	 "Step (% Done)       Train Iter (time)    ETA (time)           Train Rays / Sec\n"
	 "-----\n"
	 "0 (0.00%)           1 s, 125.5 ms        39 m, 57 s           38.30 K\n"
	 "10 (0.03%)          107.5 ms             39 m, 57 s           38.30 K\n"
	 "20 (0.07%)          106.5 ms             39 m, 57 s           38.30 K\n"
	 "30 (0.10%)          105.5 ms             39 m, 57 s           38.30 K\n",
	 "step", "0 1.1255|10 0.1075|20 0.1065|30 0.1055",
	 NULL},
	{"a measure with its step behind the name",
	 "Train loss 0 2.500000 Grad Norm 0.5 1.23s/it\n"
	 "Train loss 1 2.250000 Grad Norm 0.5 1.23s/it\n"
	 "Train loss 2 2.000000 Grad Norm 0.5 1.23s/it\n"
	 "Validation loss 2:  9.512345\n",
	 "loss", "0 2.5|1 2.25|2 2.0",
	 "Train loss {step} {Train loss} {*}"},
	{"a time with blanks around a dash",
	 "INFO - 08/10/19 10:00:01 - 0:00:01 -       5 -  103.45 sent/s - train loss:  2.5000 || val loss:  5.5 - Transformer LR = 1"
	 ".0000e-04\n"
	 "INFO - 08/10/19 10:00:02 - 0:00:02 -       10 -  103.45 sent/s - train loss:  2.2500 || val loss:  5.5 - Transformer LR = "
	 "1.0000e-04\n"
	 "INFO - 08/10/19 10:00:03 - 0:00:03 -       15 -  103.45 sent/s - train loss:  2.0000 || val loss:  5.5 - Transformer LR = "
	 "1.0000e-04\n",
	 "loss", "5 2.5|10 2.25|15 2.0",
	 "{step} - {*}"},
	{"CenterNet",
	 "ctdet/default || train: [1][0/40]|Tot: 0:00:00 |ETA: 0:00:40 |loss 2.5000 |hm_loss 1.5 |Data 0.001s(0.010s)\n"
	 "ctdet/default |#| train: [1][20/40]|Tot: 0:00:01 |ETA: 0:00:40 |loss 2.2500 |hm_loss 1.5 |Data 0.001s(0.010s)\n"
	 "ctdet/default |##| train: [2][0/40]|Tot: 0:00:02 |ETA: 0:00:40 |loss 2.0000 |hm_loss 1.5 |Data 0.001s(0.010s)\n"
	 "ctdet/default |###| train: [2][20/40]|Tot: 0:00:03 |ETA: 0:00:40 |loss 1.7500 |hm_loss 1.5 |Data 0.001s(0.010s)\n",
	 "loss", "0 2.5|20 2.25|40 2.0|60 1.75",
	 NULL},
	{"a fraction at the end of a sentence",
	 "Last test reward: 0.5. Training step: 0/900. Played games: 1. Loss: 2.50\n"
	 "Last test reward: 0.5. Training step: 100/900. Played games: 1. Loss: 2.25\n"
	 "Last test reward: 0.5. Training step: 200/900. Played games: 1. Loss: 2.00\n",
	 "loss", "0 2.5|100 2.25|200 2.0", NULL},
	{"a dict with a step",
	 "{'epoch': 0, 'iter': 0, 'avg_loss': 2.5, 'loss': 9.5}\n"
	 "{'epoch': 0, 'iter': 20, 'avg_loss': 2.25, 'loss': 9.5}\n"
	 "{'epoch': 0, 'iter': 40, 'avg_loss': 2.0, 'loss': 9.5}\n",
	 "avg_loss", "0 2.5|20 2.25|40 2.0",
	 NULL},
};

static void read_as(struct test_run *t, const char *path, const struct ts_ingest_result *guess)
{
	struct ts_ingest_options options = {.path = path, .patterns = guess->guessed, .n_patterns = guess->n_guessed};
	struct ts_ingest_result again;
	struct ts_arena arena;

	ts_arena_init(&arena, 0);
	if (ts_text_read(&options, test_objects_sink, &t->objects, &arena, &again, &t->err))
		fail_msg("%s", t->err.text);
	assert_memory_equal(&again.head, &guess->head, sizeof again.head);
	ts_arena_finish(&arena);
}

/* What is guessed has the values of a hand count, and is the run that --pattern with the same templates gives. */
static void logs_are_guessed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
		struct test_run t;
		char got[512], templates[512] = "", path[160];
		size_t n = 0;

		test_run_init(&t);
		if (test_ingest_text(&t, "a.log", logs[i].text))
			fail_msg("%s: %s", logs[i].what, t.err.text);
		rows_of(&t, logs[i].name, got);
		if (strcmp(got, logs[i].want) != 0)
			fail_msg("%s: %s, not %s\n%s", logs[i].what, got, logs[i].want, test_jsonl(&t));
		for (size_t k = 0; k < t.result.n_guessed; k++)
			n += (size_t)snprintf(templates + n, sizeof templates - n, "%s%s", k ? "\n" : "", t.result.guessed[k]);
		if (logs[i].templates && strcmp(templates, logs[i].templates) != 0)
			fail_msg("%s: %s", logs[i].what, templates);
		assert_string_equal(t.result.format, "text log, by a guessed template");
		(void)snprintf(path, sizeof path, "%s/a.log", t.base);
		read_as(&t, path, &t.result);
		test_round_trip(&t);
		test_run_finish(&t);
	}
}

/* As a redirection of PowerShell writes it. */
static void utf16_is_the_same_run(void **state)
{
	static const char text[] = "step 1 loss 2.5\r\nstep 2 loss 2.0\r\nstep 3 loss 1.5\r\n";
	char wide[2 * sizeof text] = "\xff\xfe", got[512];
	struct ts_id head;
	struct test_run t;
	char path[160];

	(void)state;
	test_run_init(&t);
	assert_int_equal(test_ingest_text(&t, "a.log", text), TS_OK);
	head = t.result.head;
	test_run_finish(&t);
	for (size_t i = 0; i + 1 < sizeof text; i++) {
		wide[2 + 2 * i] = text[i];
		wide[3 + 2 * i] = '\0';
	}
	test_run_init(&t);
	test_write_bytes(&t, "a.log", wide, sizeof wide);
	(void)snprintf(path, sizeof path, "%s/a.log", t.base);
	test_ingest_ok(&t, path);
	rows_of(&t, "loss", got);
	assert_string_equal(got, "1 2.5|2 2.0|3 1.5");
	assert_memory_equal(&t.result.head, &head, sizeof head);
	test_run_finish(&t);
}

static void what_was_guessed_is_said_and_kept(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	assert_int_equal(test_ingest_text(&t, "a.log", "step 1 loss 2.5\nstep 2 loss 2.0\nstep 3 loss 1.5\nstep 4 loss 1.0\n"), TS_OK);
	assert_int_equal(t.result.n_first_rows, TS_INGEST_FIRST_ROWS);
	assert_string_equal(t.result.first_rows[0], "step 1: loss 2.5");
	assert_string_equal(test_fact(&t, "session.patterns[0]"), "step {step} {*}");
	test_run_finish(&t);
}

/* --- what is refused --- */

static const char *const others[] = {
	"[1/3] Building C object loss.c.o\n[2/3] Building C object acc.c.o\n[3/3] Linking C executable train\n",
	"iter 1: latency 2.5 ms\niter 2: latency 2.25 ms\niter 3: latency 2.0 ms\n",
	"Step 1/3 : RUN pip install loss==1.5\nStep 2/3 : RUN pip install acc==2.5\nStep 3/3 : RUN pip install lr==2.5\n",
	"step 1 loss 2.5\nstep 2 loss 2.0\n",					/* two lines are no log */
	"step 1 loss 2.5\nstep 1 loss 2.0\nstep 1 loss 1.5\nstep 1 loss 1.5\n", /* nothing rises */
	"step 9 loss 2.5\nstep 3 loss 2.0\nstep 8 loss 1.5\nstep 1 loss 1.5\nstep 7 loss 1\nstep 2 loss 1\nstep 6 loss 1\nstep 1 loss "
	"1\n",
	"64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.5 ms\n64 bytes from 10.0.0.1: icmp_seq=2 ttl=64 time=0.5 ms\n3 packets, 0% "
	"packet loss\n",
	"learning_rate: 0.001\nloss: 0.5\nbatch: 32\nepochs: 90\n",
	"c=12.5, kl=0.25\navg_content=12.5\nc=12.5, kl=0.25\navg_content=12.5\nc=12.5, kl=0.25\navg_content=12.5\n",
	"1: revenue 12.5M, loss 3.5M\n2: revenue 12.5M, loss 2.5M\n3: revenue 12.5M, loss 1.5M\n4: revenue 12.5M, loss 1.0M\n",
	"Lap 1: 80.5s, top 252.5\nLap 2: 79.5s, top 251.5\nLap 3: 78.5s, top 250.5\nLap 4: 77.5s, top 250.5\n",
	"ok, latency=2.5ms, loss=0.5%\nok, latency=2.5ms, loss=1.5%\nok, latency=2.5ms, loss=2.5%\nok, latency=2.5ms, loss=0.5%\n"
	"ok, latency=2.5ms, loss=0.5%\nok, latency=2.5ms, loss=0.5%\n",
	"Lesson 1: learn 12.5 test 3.5\nLesson 2: learn 13.5 test 4.5\nLesson 3: learn 14.5 test 5.5\nLesson 4: learn 15.5 test 6.5\n",
	"round 1: score 7.5\nround 2: score 6.5\nround 3: score 5.5\nround 4: score 5.5\n",
	"batch 1: cost=13.25\nbatch 2: cost=14.25\nbatch 3: cost=15.25\nbatch 4: cost=16.25\n",
	"INFO {\"batch\": 1, \"cost\": 13.25}\nINFO {\"batch\": 2, \"cost\": 14.25}\nINFO {\"batch\": 3, \"cost\": 15.25}\n",
	"iteration 1: total_cost=13.25\niteration 2: total_cost=14.25\niteration 3: total_cost=15.25\niteration 4: total_cost=16.25\n",
	"",
};

/* The step of a line that has an epoch, and a counter behind values of its own, is not known: it is refused, and not read in numbered
 * rows or by a number that is no step. */
static void counters_behind_values_are_refused(void **state)
{
	struct test_run t;
	struct ts_buf text = TS_BUF_INIT(1 << 16);
	char path[160];

	(void)state;
	test_run_init(&t);
	for (int i = 0; i < 40; i++)
		ts_buf_printf(&text,
			      "[06/21 17:58:49][INFO] logging.py: 99: stats: \"_type\": \"train_iter_\", \"dt\": 1.5, "
			      "\"epoch\": \"1/2\", \"eta\": \"3:22:31\", \"grad_norm\": 6.5, \"iter\": \"%d/316\", "
			      "\"loss\": 3.5, \"lr\": 0.5\n",
			      10 * (i + 1));
	ts_buf_char(&text, '\0');
	test_write(&t, "a.log", (const char *)text.data);
	(void)snprintf(path, sizeof path, "%s/a.log", t.base);
	assert_int_equal(ts_text_sniff(path), 0);
	ts_buf_finish(&text);
	test_run_finish(&t);
}

static void other_texts_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		struct test_run t;
		char path[160];

		test_run_init(&t);
		test_write(&t, "a.log", others[i]);
		(void)snprintf(path, sizeof path, "%s/a.log", t.base);
		if (ts_text_sniff(path) != 0)
			fail_msg("%s", others[i]);
		test_run_finish(&t);
	}
}

/* What looks like a part of a counter and is none stays within its line. */
static void odd_counters_are_harmless(void **state)
{
	static const char *const texts[] = {
		"step 1/1.5: loss 2.5\nstep 2/1.5: loss 2.25\nstep 3/1.5: loss 2.0\n",
		"1-2batch\n3-4batch: loss 2\n5-6batch loss 1\n7-batch 8epoch-9batch loss 1\n",
		"9: 8: 7: loss 1\n10: 8: 7: loss 1\n11: 8: 7: loss 1\n[12,\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct ts_text_guess guess;
		struct test_run t;
		char path[160];

		test_run_init(&t);
		test_write(&t, "a.log", texts[i]);
		(void)snprintf(path, sizeof path, "%s/a.log", t.base);
		assert_int_equal(ts_text_guess(path, path, &t.arena, &guess, &t.err), TS_OK);
		test_run_finish(&t);
	}
}

static void a_refusal_has_the_best_guess(void **state)
{
	struct test_run t;
	char path[160];
	const char *advice;

	(void)state;
	test_run_init(&t);
	test_write(&t, "a.log", "it's iter 1: latency 2.5 ms\nit's iter 2: latency 2.25 ms\nit's iter 3: latency 2.0 ms\n");
	(void)snprintf(path, sizeof path, "%s/a.log", t.base);
	advice = ts_text_advice(path, &t.arena);
	assert_non_null(advice);
	assert_non_null(strstr(advice, "none of their numbers has a name of what trainings measure"));
	assert_non_null(strstr(advice, "read it with --pattern 's iter {step}: {*}'"));
	/* Many lines of one epoch: none of their numbers is a step. */
	test_write(&t, "a.log",
		   "Epoch 1 - Batch loss: 2.5\nEpoch 1 - Batch loss: 2.25\nEpoch 1 - Batch loss: 2.0\nEpoch 1 - Batch loss: 1.75\n"
		   "Epoch 1 - Batch loss: 1.5\nEpoch 2 - Batch loss: 1.25\nEpoch 2 - Batch loss: 1.5\nEpoch 2 - Batch loss: 1.0\n");
	advice = ts_text_advice(path, &t.arena);
	assert_non_null(advice);
	assert_non_null(strstr(advice, "they have no step"));
	assert_non_null(strstr(advice, "read it with --pattern 'Epoch {} {*}'"));
	test_write(&t, "a.log", "nothing of the kind\n");
	assert_null(ts_text_advice(path, &t.arena));
	test_write(&t, "a.log", "\xb5\xb1\xc7\xb0 1: 2.5\n\xb5\xb1\xc7\xb0 2: 2.25\n\xb5\xb1\xc7\xb0 3: 2.0\n");
	advice = ts_text_advice(path, &t.arena);
	assert_non_null(advice);
	assert_non_null(strstr(advice, "its text is not UTF-8; iconv makes it so, as in iconv -f GB18030 "));
	test_run_finish(&t);
}

/* What is printed for numbers without names reads them. */
static void numbers_without_names_get_some(void **state)
{
	static const struct {
		const char *line, *pattern; /* line: with a digit of the step at each '#'; pattern: NULL: nothing is said */
	} cases[] = {
		{"# 2.5# 1e-3\n", "{step} {value_1} {value_2}"},
		{"#\t2.5#\n", "{step} {value_1}"},
		{"#,100,2.5#\n", "{step},{value_1},{value_2}"},
		{"#;2.5#\n", "{step};{value_1}"},
		{"0.5 # 2.5#\n", "{value_1} {value_2} {value_3}"},
		{"epoch#\t2.5#\n", "epoch{step} {value_1}"},
		{"2.5#\n", "{value_1}"},
		{"Epoch # 2.5#\n", "Epoch {epoch} {value}"},
		{"1m 50s (- 19m 5s) (#000 6%) 2.5#\n", "({step} {}%) {value}"},
		{"# is 2.5#\n", "{step} is {is}"},
		{"Iteration: #\tError: 0.5#\n", "Iteration:{step} {*}"},
		{"#\n", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *advice;
		char text[512], path[160];
		struct test_run t;
		size_t n = 0;

		test_run_init(&t);
		for (int s = 0; s < 8; s++)
			for (const char *c = cases[i].line; *c; c++)
				text[n++] = *c == '#' ? (char)('0' + s) : *c;
		text[n] = '\0';
		test_write(&t, "a.log", text);
		(void)snprintf(path, sizeof path, "%s/a.log", t.base);
		advice = ts_text_advice(path, &t.arena);
		assert_int_equal(!advice, !cases[i].pattern);
		if (advice) {
			struct ts_span pattern = ts_span_str(cases[i].pattern);
			struct ts_ingest_options options = {.path = path, .patterns = &cases[i].pattern, .n_patterns = 1};

			if (!strstr(advice, cases[i].pattern))
				fail_msg("%s: %s", cases[i].line, advice);
			assert_int_equal(ts_text_pattern_check(pattern, &t.err), TS_OK);
			assert_int_equal(ts_text_read(&options, test_objects_sink, &t.objects, &t.arena, &t.result, &t.err), TS_OK);
			assert_int_equal((int)t.result.steps, 8);
		}
		test_run_finish(&t);
	}
}

/* A few lines of a log in a long text do not make it one. */
static void a_quoted_log_is_none(void **state)
{
	struct test_run t;
	struct ts_buf text = TS_BUF_INIT(1 << 16);
	char path[160];

	(void)state;
	test_run_init(&t);
	for (int i = 0; i < 400; i++)
		ts_buf_str(&text, "This line of a document says nothing.\n");
	ts_buf_str(&text, "step 1 loss 2.5\nstep 2 loss 2.0\nstep 3 loss 1.5\n");
	ts_buf_char(&text, '\0');
	test_write(&t, "a.txt", (const char *)text.data);
	(void)snprintf(path, sizeof path, "%s/a.txt", t.base);
	assert_int_equal(ts_text_sniff(path), 0);
	ts_buf_finish(&text);
	test_run_finish(&t);
}

/* --- named numbers --- */

static void lines_that_are_alike(void **state)
{
	static const struct {
		const char *lines[5], *want;
		bool step;
	} cases[] = {
		{{"[10 | 12.5] loss=2.50 avg=2.61", "[20 | 25.0] loss=2.25 avg=2.5", "[30 | 37.5] loss=2.0 avg=2.25",
		  "[40 | 50.1] loss=2.5 avg=2.2", "[50 | 62.5] loss=1.75 avg=2.0"},
		 "[{step} | {value_1}] loss={loss} avg={avg}",
		 true},
		{{"0 10 loss - 5.25", "0 20 loss - 5.0", "1 10 loss - 4.75", "1 20 loss - 4.5", "2 10 loss - 4.25"},
		 "{epoch} {step} loss - {loss}",
		 true},
		{{"Alpha: 0.025  Progress: 0.2%", "Alpha: 0.024  Progress: 0.4%", "Alpha: 0.023  Progress: 0.6%",
		  "Alpha: 0.022  Progress: 0.8%", "Alpha: 0.021  Progress: 1.0%"},
		 "Alpha: {Alpha} Progress: {Progress}%",
		 false},
		{{"2021-06-01 10:00:00 base INFO [2.45, 30.1, 0, 2e-4]", "2021-06-01 10:00:01 base INFO [2.25, 30.5, 200, 2e-4]",
		  "2021-06-01 10:00:02 base INFO [2.5, 29.1, 400, 2e-4]", "2021-06-01 10:00:03 base INFO [2.0, 28.1, 600, 2e-4]",
		  "2021-06-01 10:00:04 base INFO [1.5, 29.0, 800, 2e-4]"},
		 "base INFO [{value_1}, {value_2}, {step}, {value_3}]",
		 true},
		{{"! Train 1 13.2 0.005 0.95", "! Train 2 26.4 0.005 0.9", "! Train 3 39.6 0.005 0.85", "! Train 4 52.8 0.005 0.8",
		  "! Train 5 66.0 0.005 0.75"},
		 "! Train {step} {value_1} {value_2} {value_3}",
		 true},
		{{"a {1} 2.5", "a {2} 2.25", "a {3} 2.0", "a {4} 1.75", "a {5} 1.5"}, "a {{{step}}} {value_1}", true},
		/* Nothing has decimals; no two lines are alike; only four are. */
		{{"port 1 of 5", "port 2 of 5", "port 3 of 5", "port 4 of 5", "port 5 of 5"}, NULL, false},
		{{"a 1.5", "b 1.5", "c 1.5", "d 1.5", "e 1.5"}, NULL, false},
		{{"a 1.5 1", "a 1.5 2", "a 1.5 3", "a 1.5 4", "b"}, NULL, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;
		char path[160], text[1024];
		struct ts_text_alike found = {.step = false};
		size_t n = 0;

		test_run_init(&t);
		for (size_t k = 0; k < 5; k++)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s\n", cases[i].lines[k]);
		test_write(&t, "a.log", text);
		(void)snprintf(path, sizeof path, "%s/a.log", t.base);
		assert_int_equal(ts_text_alike(path, path, &t.arena, &found), cases[i].want != NULL);
		if ((cases[i].want && strcmp(found.template, cases[i].want) != 0) || found.step != cases[i].step)
			fail_msg("%s: %s, step %d", cases[i].lines[0], found.template, found.step);
		test_run_finish(&t);
	}
}

/* Lines that are alike before 4 MiB of empty lines are found, those behind them are not looked for. */
static void lines_behind_the_sample(void **state)
{
	static const char alike[] = "step 1 loss 2.5\nstep 2 loss 2.25\nstep 3 loss 2.0\nstep 4 loss 1.75\nstep 5 loss 1.5\n";

	(void)state;
	for (int behind = 0; behind < 2; behind++) {
		struct ts_buf text = TS_BUF_INIT(2 * TS_TEXT_GUESS_BYTES);
		struct ts_text_alike found;
		struct test_run t;
		char path[160];

		test_run_init(&t);
		ts_buf_str(&text, behind ? "" : alike);
		for (size_t i = 0; i < TS_TEXT_GUESS_BYTES; i++)
			ts_buf_char(&text, '\n');
		ts_buf_str(&text, behind ? alike : "");
		ts_buf_char(&text, '\0');
		assert_int_equal(text.failed, TS_OK);
		test_write(&t, "a.log", (const char *)text.data);
		(void)snprintf(path, sizeof path, "%s/a.log", t.base);
		assert_int_equal(ts_text_alike(path, path, &t.arena, &found), !behind);
		text.len = behind ? text.len - sizeof alike : 0; /* numbers alone, in the place of these lines */
		ts_buf_str(&text, "1 2.5\n2 2.25\n3 2.0\n4 1.75\n5 1.5\n");
		ts_buf_char(&text, '\0');
		test_write(&t, "b.log", (const char *)text.data);
		(void)snprintf(path, sizeof path, "%s/b.log", t.base);
		assert_int_equal(ts_text_columns(path, path, &t.arena) != NULL, !behind);
		ts_buf_finish(&text);
		test_run_finish(&t);
	}
}

static void named_numbers(void **state)
{
	static const struct {
		const char *text, *want;
		bool all;
	} cases[] = {
		{"loss: 2.5, lr=1e-3 | acc = 0.5; x:1", "loss=2.5 lr=1e-3 acc=0.5 x=1", true},
		{"train loss 2.5  Time  0.52 ( 0.53)", "train loss=2.5 Time=0.52 Time_avg=0.53", true},
		{"| fps | 1000 |", "fps=1000", true},
		{"| 40.1% MFU | 420000 tok/s | 120 ms", "MFU(%)=40.1 tok/s=420000 step_time_ms=120", true},
		{"eta: 0:10:00 left: 1 day, 0:00:01 and 8h 7m 49s", "eta=600.0 left=86401.0", false},
		{"eta: 39 m, 57 s took: 3 s, 250.5 ms", "eta=2397.0 took=3.2505", true},
		{"Accuracy: 98/100 (98%)", "Accuracy=98 Accuracy(%)=98", true},
		{"tps 1.25k mem 20.5GiB(21.5%) max_mem: 2519M", "tps=1250 mem(GiB)=20.5 mem(%)=21.5 max_mem(M)=2519", true},
		{"lr=[0.5] lrs=[0.5, 0.25] same=[0.5, 0.5] mom=[(0.9, 0.95)]", "lr=0.5 same=0.5", false},
		{"'loss': '2.5', \"lr\": 1e-3}", "loss=2.5 lr=1e-3", true},
		{"Top 1: 50.5, Top 5: 75.5", "Top 1=50.5 Top 5=75.5", true},
		{"acc: 45273.0/58518.0=0.75 acc2: 9/12=0.5 of: 9/12", "acc=0.75 acc2=0.5 of=9", true},
		{"Up. 14 : Sen. 1,000", "Up=14 Sen=1000", true},
		{"Sen. 1,280 : Cost 5.5 : Time 3.5s", "Sen=1280 Cost=5.5 Time(s)=3.5", true},
		{"number of skipped iterations:   0", "number of skipped iterations=0", true},
		{"elapsed time (ms): 12.5", "elapsed time (ms)=12.5", true},
		{"time (ms) | fwd: 1.5 | bwd: 2.5", "fwd(ms)=1.5 bwd(ms)=2.5", false},
		{"loss nan grad -inf", "loss=nan grad=-inf", true},
		{"2026-11-28 14:00:00,123 [rank 3] v1.2.3 0x7f main.py:88", "", false},
		{"saved in 5 files at 3", "", false},
		{"loss: 2.5 loss: 3.5", "loss=2.5", true},
		{"a[loss=1, acc=2], b[loss=3], loss: 4", "loss=1 acc=2 b/loss=3", false},
		{"Step: 19000. Reward: -57.5. Std: 3.", "Step=19000 Reward=-57.5 Std=3", true},
		{"I0811 21:54:55.53 1383 log.py:226] loss: 2.5", "loss=2.5", false},
		{"mAP: 100%|████| 71/71 [00:15<00:00,  4.5it/s] loss: 2.5", "it/s=4.5 loss=2.5", false},
		{"mAP: 100%|████|", "", false},
		{"| acc | 98.5% | 3 |", "acc(%)=98.5", false},
		{"loss: tensor(2.5, device='cuda:0') next: 1", "loss=2.5 next=1", true},
		{"avg loss so far is 2.5, acc was 0.5", "avg loss=2.5 acc=0.5", true},
		{"so far is 2.5", "", false},
		{"top 1 acc: 0.25, top 5 acc: 0.5", "top 1 acc=0.25 top 5 acc=0.5", true},
		{"layer 3 grad norm=2.5 loss 2 acc: 0.5", "layer 3 grad norm=2.5 loss=2 acc=0.5", true},
		{"the best loss so far is 2.5", "", false},
		{"", "", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ts_text_record r;
		char got[256] = "";
		size_t n = 0;
		bool all;

		r.brief = false;
		ts_text_record_clear(&r);
		all = ts_text_named_in(ts_span_str(cases[i].text), &r);
		for (size_t k = 0; k < r.n; k++)
			n += (size_t)snprintf(got + n, sizeof got - n, "%s%.*s=%.*s", k ? " " : "", TS_SPAN_ARG(r.cells[k].name),
					      TS_SPAN_ARG(r.cells[k].value));
		if (strcmp(got, cases[i].want) != 0)
			fail_msg("%s: %s", cases[i].text, got);
		if (all != cases[i].all)
			fail_msg("%s: %d", cases[i].text, all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_are_guessed),	     cmocka_unit_test(what_was_guessed_is_said_and_kept),
		cmocka_unit_test(other_texts_are_refused),   cmocka_unit_test(a_refusal_has_the_best_guess),
		cmocka_unit_test(numbers_without_names_get_some),
		cmocka_unit_test(lines_that_are_alike),
		cmocka_unit_test(lines_behind_the_sample),
		cmocka_unit_test(a_quoted_log_is_none),	     cmocka_unit_test(named_numbers),
		cmocka_unit_test(odd_counters_are_harmless),   cmocka_unit_test(utf16_is_the_same_run),
		cmocka_unit_test(counters_behind_values_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
