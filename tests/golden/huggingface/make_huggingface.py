#!/usr/bin/env python3
"""Output folders of transformers' Trainer: what tests/golden/huggingface holds. Run with torch, transformers and accelerate; written once.

full/     as the library writes it today: losses with all their digits
rounded/  the same training with losses of four decimals, as transformers wrote them from January 2021 to late 2025
Weights, optimizer state and pickled arguments are replaced by small files; expected.json is what the scripts' callback saw.
"""

import json
import os
import shutil
import sys

os.environ['CUDA_VISIBLE_DEVICES'] = ''
import torch  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainerCallback, TrainingArguments  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


class Data(torch.utils.data.Dataset):
    def __init__(self, n, seed):
        generator = torch.Generator().manual_seed(seed)
        start = torch.randint(0, 32, (n, 1), generator=generator)
        self.rows = (start + torch.arange(16)) % 32

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {'input_ids': self.rows[i], 'labels': self.rows[i]}


class Seen(TrainerCallback):
    def __init__(self):
        self.logs = []

    def on_log(self, args, state, control, logs=None, **kwargs):
        self.logs.append([state.global_step, dict(logs)])


class Rounded(Trainer):
    """Logs the loss rounded to 4 decimals, as it was logged before the rounding was removed."""

    def log(self, logs, *args, **kwargs):
        if 'loss' in logs:
            logs['loss'] = round(logs['loss'], 4)
        super().log(logs, *args, **kwargs)


def train(kind, name):
    out = name
    os.chdir(HERE)
    shutil.rmtree(out, ignore_errors=True)
    torch.manual_seed(7)
    model = LlamaForCausalLM(LlamaConfig(vocab_size=32, hidden_size=16, intermediate_size=32, num_hidden_layers=2,
                                         num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=32))
    args = TrainingArguments(output_dir=out, max_steps=60, logging_steps=2, eval_steps=20, eval_strategy='steps', save_steps=20,
                             per_device_train_batch_size=4, learning_rate=1e-2, seed=11, report_to=[], use_cpu=True,
                             include_num_input_tokens_seen='all', disable_tqdm=True)
    seen = Seen()
    trainer = kind(model=model, args=args, train_dataset=Data(160, 1), eval_dataset=Data(16, 2), callbacks=[seen])
    trainer.train()
    trainer.save_state()
    trainer.save_model(out)
    return out, seen.logs


def shrink(out):
    """Weights and optimizer state become a few bytes each; what is left is what the library wrote."""
    for folder, _, names in os.walk(out):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(('.safetensors', '.pt', '.pth', '.bin')):
                with open(path, 'wb') as f:
                    f.write(('in the place of %s\n' % name).encode())
            elif name == 'generation_config.json':
                os.remove(path)


def main():
    expected = {}
    for kind, name in ((Trainer, 'full'), (Rounded, 'rounded')):
        out, expected[name] = train(kind, name)
        shrink(out)
    shutil.rmtree('full/checkpoint-20')
    shutil.rmtree('rounded/checkpoint-20')
    os.remove('rounded/trainer_state.json')
    with open(os.path.join(HERE, 'expected.json'), 'w') as f:
        json.dump(expected, f, indent=1)
    return 0


if __name__ == '__main__':
    sys.exit(main())
