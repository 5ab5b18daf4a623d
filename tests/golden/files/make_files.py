#!/usr/bin/env python3
"""Small logs as Lightning's CSVLogger and dvclive write them. Run with torch, lightning and, for `dvclive`, with dvclive: make_files.py lightning|dvclive.

The values are known beforehand; expected_lightning.json and expected_dvclive.json hold them.
"""

import json
import math
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def loss(step):
    return 2.0 / (1 + step) + 0.1 * math.sin(step)


def write_lightning():
    import lightning as L
    import torch
    from lightning.pytorch.loggers import CSVLogger

    class Model(L.LightningModule):
        def __init__(self, lr, hidden, note):
            super().__init__()
            self.save_hyperparameters()
            self.layer = torch.nn.Linear(2, 1)
            self.wanted = {'train_loss': [], 'val_loss': []}

        def training_step(self, batch, i):
            value = self.layer(batch[0]).mean() * 0 + loss(self.global_step)
            self.log('train_loss', value)
            self.wanted['train_loss'].append([self.global_step, value.item()])
            return value

        def validation_step(self, batch, i):
            value = torch.tensor(loss(self.global_step) + 1)
            self.log('val_loss', value)
            if i == 0:
                # what an evaluation logs stands at the last step that was made
                self.wanted['val_loss'].append([self.global_step - 1, value.item()])

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)

    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(40, 2)), batch_size=4)
    model = Model(lr=0.01, hidden=32, note='small: "quoted"')
    L.Trainer(max_epochs=3, log_every_n_steps=5, logger=CSVLogger('.', name='lightning_logs'), accelerator='cpu', num_sanity_val_steps=0,
              enable_progress_bar=False, enable_model_summary=False, enable_checkpointing=False, limit_val_batches=1).fit(model, data, data)
    with open('expected_lightning.json', 'w') as f:
        json.dump(model.wanted, f, indent=1)


def write_dvclive():
    from dvclive import Live

    folder = tempfile.mkdtemp()
    os.chdir(folder)
    with Live(dir='dvclive', save_dvc_exp=False, dvcyaml=None) as live:
        live.log_params({'lr': 0.01, 'layers': 2})
        for step in range(12):
            live.log_metric('train/loss', loss(step))
            if step % 4 == 3:
                live.log_metric('eval/acc', step / 16)
            live.log_metric('lr', 0.01 * (12 - step) / 12, timestamp=True)
            live.next_step()
    os.chdir(HERE)
    shutil.copytree(os.path.join(folder, 'dvclive'), 'dvclive')
    shutil.rmtree(folder)
    with open('expected_dvclive.json', 'w') as f:
        json.dump({'train/loss': [[s, loss(s)] for s in range(12)], 'eval/acc': [[s, s / 16] for s in (3, 7, 11)],
                   'lr': [[s, 0.01 * (12 - s) / 12] for s in range(12)]}, f, indent=1)


def main():
    os.chdir(HERE)
    for folder in ('lightning_logs',) if sys.argv[1] == 'lightning' else ('dvclive',):
        shutil.rmtree(folder, ignore_errors=True)
    {'lightning': write_lightning, 'dvclive': write_dvclive}[sys.argv[1]]()
    return 0


if __name__ == '__main__':
    sys.exit(main())
