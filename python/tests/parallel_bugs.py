"""Counts how often `tscope diff A B --rounding R` names the right tensor of fourteen kinds of parallel bugs, and any of clean runs.

    python3 python/tests/parallel_bugs.py [FOLDER] [SEEDS] [FIRST SEED]

The kinds are those of the table of bugs in TTrace (arXiv 2506.09280), which were found in Megatron-LM; here each is made again in a
small GPT with experts and a tied embedding. A trains it on one process, R is A perturbed, and B trains it over two processes that
gloo connects (with tensor, context, sequence or data parallelism, or a sharded optimizer), or with recomputation, in stages or in
fp8. All of them are recorded in float32 and under bfloat16 autocast, for two steps, by seeds that were not looked at when limits
were chosen (docs/sketches.md). It asks the program that TSCOPE_PROGRAM names, and is skipped without torch and the package.
"""

import os
import random
import re
import sys
import tempfile
import time
from collections import defaultdict

try:
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn import functional
    from torch.utils.checkpoint import checkpoint

    import sketch_rates
    import tscope
    from sketch_rates import Copy, Linear, Sum
except ImportError as error:
    print(f"parallel_bugs: skipped: {error}")
    sys.exit(0)

STEPS, VOCABULARY, LENGTH, BATCH, WORLD = 2, 64, 16, 4, 2

# --- what ranks do for each other ---


class Gather(torch.autograd.Function):
    """Puts the parts of all ranks together; the gradients of the ranks are added, unless `adds` is off, which is a bug."""

    @staticmethod
    def forward(ctx, x, dim, adds):
        ctx.dim, ctx.adds = dim, adds
        parts = [torch.empty_like(x) for _ in range(WORLD)]
        dist.all_gather(parts, x.contiguous())
        return torch.cat(parts, dim)

    @staticmethod
    def backward(ctx, grad):
        grad = grad.contiguous().clone()
        if ctx.adds:
            dist.all_reduce(grad)
        return grad.chunk(WORLD, ctx.dim)[dist.get_rank()].contiguous(), None, None


class GatherOnce(torch.autograd.Function):
    """Puts the parts of all ranks together, where each rank computes the whole rest: its gradient is whole, too."""

    @staticmethod
    def forward(ctx, x):
        parts = [torch.empty_like(x) for _ in range(WORLD)]
        dist.all_gather(parts, x.contiguous())
        return torch.cat(parts, -1)

    @staticmethod
    def backward(ctx, grad):
        return grad.chunk(WORLD, -1)[dist.get_rank()].contiguous()


class Alone(torch.autograd.Function):
    """Copy as an overlap that nobody waits for leaves it: the gradients of the ranks are not added."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


# --- the model ---


class Column(Linear):
    waits = True

    def forward(self, x):
        if self.cut == "columns" and not self.waits:
            return functional.linear(Alone.apply(x), self.weight, self.bias)
        return super().forward(x)


class Tokens(nn.Embedding):
    """The embedding, of which a rank may have a part of the words; its weight is the head's, too."""

    first, cut, border = 0, False, 0

    def forward(self, ids):
        if not self.cut:
            return super().forward(ids)
        inside = (ids >= self.first) & (ids < self.first + self.num_embeddings + self.border)
        y = functional.embedding((ids - self.first).clamp(0, self.num_embeddings - 1), self.weight)
        return Sum.apply(y * inside.unsqueeze(-1))


class Head(nn.Module):
    def __init__(self, tokens):
        super().__init__()
        self.of = [tokens]  # not a module of this one: the weight is tied

    def forward(self, x):
        tokens = self.of[0]
        return GatherOnce.apply(functional.linear(Copy.apply(x), tokens.weight)) if tokens.cut else functional.linear(x, tokens.weight)


class Untied(nn.Module):
    """The head with a copy of the embedding, as the last stage of a pipeline has it."""

    def __init__(self, tokens):
        super().__init__()
        self.weight = nn.Parameter(tokens.weight.detach().clone())

    def forward(self, x):
        return functional.linear(x, self.weight)


class Mix(nn.Module):
    """Causal attention; of a sequence that is cut, the keys and values of all ranks are gathered."""

    context, adds = False, True

    def __init__(self, head):
        super().__init__()
        self.head = head

    def forward(self, q, k, v):
        above = 0
        if self.context:
            above = q.shape[1] * dist.get_rank()
            k, v = Gather.apply(k, 1, self.adds), Gather.apply(v, 1, self.adds)
        q, k, v = (t.unflatten(-1, (-1, self.head)).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(-1, -2) / self.head**0.5
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(above)
        return (scores.masked_fill(~mask, float("-inf")).softmax(-1).to(v.dtype) @ v).transpose(1, 2).flatten(-2)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.q, self.k, self.v, self.proj = Column(width, width), Column(width, width), Column(width, width), Linear(width, width)
        self.mix = Mix(width // heads)

    def forward(self, x):
        return self.proj(self.mix(self.q(x), self.k(x), self.v(x)))


def to_fp8(x, scale):
    """What is left of a tensor behind a cast to fp8; its gradient goes through."""
    cast = (x.detach() * scale).clamp(-448, 448).to(torch.float8_e4m3fn).to(x.dtype) / scale
    return x + (cast - x).detach()


class Expert(nn.Module):
    fp8, scale = False, 1.0

    def __init__(self, width):
        super().__init__()
        self.fc1, self.act, self.fc2 = Column(width, 2 * width), nn.GELU(), Linear(2 * width, width)

    def forward(self, x):
        y = self.act(self.fc1(x))
        if self.fp8:
            y = to_fp8(y, self.scale * 448 / y.detach().abs().max())
        return self.fc2(y)


class Experts(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.router, self.experts = nn.Linear(width, 2), nn.ModuleList(Expert(width) for _ in range(2))

    def forward(self, x):
        weights = self.router(x).float().softmax(-1)
        return sum(weights[..., i : i + 1].to(x.dtype) * expert(x) for i, expert in enumerate(self.experts))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.attn, self.norm2, self.mlp = nn.LayerNorm(width), Attention(width, heads), nn.LayerNorm(width), Experts(width)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, width, heads, layers):
        super().__init__()
        self.tokens, self.places = Tokens(VOCABULARY, width), nn.Parameter(0.1 * torch.randn(LENGTH, width))
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), Head(self.tokens)
        self.order, self.recomputes, self.wrong = list(range(layers)), False, None

    def forward(self, ids, first=0):
        x = self.tokens(ids) + self.places[first : first + ids.shape[1]]
        for i in self.order:
            x = self.again(i, x) if self.recomputes else self.layers[i](x)
        return self.head(self.norm(x))

    def again(self, i, x):
        """Computes a layer once more in the backward pass; a wrong one from what another sample gave."""
        calls = []

        def layer(x):
            calls.append(i)
            return self.layers[i](x.roll(1, 0) if self.wrong == i and len(calls) > 1 else x)

        return checkpoint(layer, x, use_reentrant=False)


def batch(generator):
    ids = torch.randint(0, VOCABULARY, (BATCH, LENGTH + 1), generator=generator)
    ids[:, 2::3] = (ids[:, 1:-1:3] + ids[:, 0:-2:3]) % VOCABULARY
    return ids[:, :-1], ids[:, 1:]


# --- the ways to train it ---


def cut_tensors(model, rank):
    """Tensor parallelism: the words of the embedding, heads, and the inner width of the experts are cut."""
    tokens = model.tokens
    tokens.cut, tokens.num_embeddings = True, VOCABULARY // WORLD
    tokens.first = rank * tokens.num_embeddings
    tokens.weight = nn.Parameter(tokens.weight.detach().chunk(WORLD)[rank].clone())
    for layer in model.layers:
        for part in (layer.attn.q, layer.attn.k, layer.attn.v, *(e.fc1 for e in layer.mlp.experts)):
            part.shard("columns", rank, WORLD)
        for part in (layer.attn.proj, *(e.fc2 for e in layer.mlp.experts)):
            part.shard("rows", rank, WORLD)


def place(way, rank, name, kind, tensor):
    """Where the part of a rank lies: the argument `shards` of run.sketch."""
    module = name.rpartition(".")[0] if kind in ("param_grad", "update") else name
    of, leaf = module.rpartition(".")[2], name.rpartition(".")[2]
    if way == "tensor":
        if kind in ("param_grad", "update"):
            dim = 0 if of in ("q", "k", "v", "fc1", "tokens") else 1 if of in ("proj", "fc2") and leaf == "weight" else None
        else:
            dim = tensor.dim() - 1 if of in ("q", "k", "v", "mix", "fc1", "act") else None
    elif kind in ("param_grad", "update"):
        dim = None
    else:
        dim = 1 if way == "context" else 0
    if dim is None:
        return None
    shape, offsets = list(tensor.shape), [0] * tensor.dim()
    shape[dim], offsets[dim] = shape[dim] * WORLD, shape[dim] * rank
    return shape, offsets


# Of each kind: how B trains, what is named, and what TTrace says of it.
KINDS = {
    "embedding mask": ("tensor", "the mask of the embedding is off by a word"),
    "recomputed input": ("recompute", "a layer is computed again from another input"),
    "loss, context": ("context", "the loss is divided by the tokens of the rank, with context parallelism"),
    "loss, data": ("data", "the same with data parallelism"),
    "untied embedding": ("untied", "the gradients of embedding and head are not added"),
    "router": ("context", "the gradients of a router are not added, with sequence parallelism"),
    "fp8 cast": ("fp8", "a cast to fp8 has the scale of something else"),
    "no update": ("sharded", "a parameter of another rank's optimizer does not come back"),
    "stages": ("stages", "a layer is in no stage, and the one before it in two"),
    "group": ("tensor", "a sum is made over the wrong group of ranks"),
    "overlap": ("tensor", "nobody waits for the sum of a gradient"),
    "norms": ("context", "the gradients of a norm are not added, with sequence parallelism"),
    "attention": ("context", "the gradients of keys and values are those of one rank, with context parallelism"),
    "norms averaged": ("context", "the gradients of a norm are averaged in place of added"),
}
CLEAN = ("tensor", "context", "data", "sharded", "untied", "recompute", "fp8")
ALONE = ("one", "recompute", "stages", "fp8", "untied")  # which one process can train


class Training:
    def __init__(self, seed, way, bug, rank):
        draw = random.Random(seed)
        layers, width = draw.randrange(2, 5), draw.choice((96, 128, 160))
        torch.manual_seed(seed)
        self.way, self.bug, self.rank, self.at = way, bug, rank, draw.randrange(layers)
        self.model = GPT(width, 4, layers)
        self.layer, self.name = self.model.layers[self.at], f"layers.{self.at}"
        if way == "tensor":
            cut_tensors(self.model, rank)
        for layer in self.model.layers:
            layer.attn.mix.context = way == "context"
            for expert in layer.mlp.experts:
                expert.fp8 = way == "fp8"
        self.model.recomputes = way == "recompute"
        if way == "untied":
            self.model.head = Untied(self.model.tokens)
        self.right = self.plant(draw) if bug else ()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), 3e-3, weight_decay=0.1)
        if way == "sharded":
            self.shard_optimizer()

    def plant(self, draw):
        """Plants the bug. Returns the beginnings of what is to be named."""
        model, layer, name = self.model, self.layer, self.name
        if self.bug == "embedding mask":
            model.tokens.border = 1
            return ("tokens",)
        if self.bug == "recomputed input":
            model.wrong = self.at
            return (name,)
        if self.bug in ("loss, context", "loss, data"):
            return ("gradients",)
        if self.bug == "untied embedding":
            return ("tokens",)
        if self.bug == "fp8 cast":
            layer.mlp.experts[0].scale = draw.choice((4.0, 2.0**-7))
            return (f"{name}.mlp",)
        if self.bug == "no update":
            return ("places", f"{name}.attn.q.weight")
        if self.bug == "stages":
            border = draw.randrange(1, len(model.layers))
            model.order[border] = border - 1
            return (f"layers.{border - 1}", f"layers.{border}")
        if self.bug == "group":
            layer.attn.proj.reduces = False
            return (f"{name}.attn.proj",)
        if self.bug == "overlap":
            layer.attn.q.waits = False
            return (f"{name}.norm1", f"{name}.attn.q")
        if self.bug == "attention":
            layer.attn.mix.adds = False
            return (f"{name}.attn.k", f"{name}.attn.v")
        return {"router": (f"{name}.mlp.router",), "norms": (f"{name}.norm1",), "norms averaged": (f"{name}.norm2",)}[self.bug]

    def shard_optimizer(self):
        """Each rank keeps what the optimizer made of its own parameters, and is sent those of the others."""
        named = list(self.model.named_parameters())
        before = {}

        def keep(*_):
            before.update({name: p.detach().clone() for name, p in named})

        def exchange(*_):
            for i, (name, p) in enumerate(named):
                owner, lost = i % WORLD, self.bug == "no update" and name in self.right
                with torch.no_grad():
                    if lost:
                        owner = 1
                    if owner != self.rank:
                        p.copy_(before[name])
                    if not lost:
                        dist.broadcast(p.detach(), owner)

        self.optimizer.register_step_pre_hook(keep)
        self.optimizer.register_step_post_hook(exchange)

    def given(self, generator):
        ids, target = batch(generator)
        if self.way == "context":
            return ids.chunk(WORLD, 1)[self.rank], target.chunk(WORLD, 1)[self.rank], self.rank * LENGTH // WORLD
        if self.way in ("data", "sharded"):
            return ids.chunk(WORLD)[self.rank], target.chunk(WORLD)[self.rank], 0
        return ids, target, 0

    def loss(self, output, target):
        of = target.numel() if self.bug in ("loss, context", "loss, data") else BATCH * LENGTH
        return functional.cross_entropy(output.float().flatten(0, 1), target.flatten(), reduction="sum") / of

    def share_gradients(self):
        model = self.model
        if self.way == "untied" and self.bug != "untied embedding":
            both = model.tokens.weight.grad + model.head.weight.grad
            model.tokens.weight.grad, model.head.weight.grad = both, both.clone()
        if self.way not in ("context", "data", "sharded"):
            return
        for name, p in model.named_parameters():
            if self.bug in ("router", "norms") and name.startswith(self.right):
                continue
            dist.all_reduce(p.grad)
            if self.bug == "norms averaged" and name.startswith(self.right):
                p.grad /= WORLD

    def record(self, at, seed, autocast, perturb):
        world = 1 if self.way in ALONE else WORLD
        run = tscope.start(at, rank=self.rank if world > 1 else 0, world_size=world)
        shards = (lambda name, kind, tensor: place(self.way, self.rank, name, kind, tensor)) if world > 1 else None
        run.sketch(self.model, self.optimizer, every=1, shards=shards, perturb=perturb)
        generator = torch.Generator().manual_seed(seed + 1)
        for _ in range(STEPS):
            with run.step():
                ids, target, first = self.given(generator)
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
                    loss = self.loss(self.model(ids, first), target)
                self.optimizer.zero_grad()
                loss.backward()
                self.share_gradients()
                self.optimizer.step()
                run.log(loss=loss)
        run.finish()


def record(at, seed, way="one", bug="", autocast=False, perturb=False, rank=0):
    training = Training(seed, way, bug, rank)
    training.record(at, seed, autocast, perturb)
    return training.right


def of_two(rank, folder, jobs):
    """What each of two processes does: all runs of more than one rank."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", store=dist.FileStore(os.path.join(folder, "meeting"), WORLD), rank=rank, world_size=WORLD)
    for at, how in jobs:
        record(at, rank=rank, **how)
        dist.barrier()
    dist.destroy_process_group()


# --- pairs ---


def leads(sentence, right):
    """Whether a sentence begins with a module that one run alone has, and it is one of those."""
    alone = re.match(r"the (?:first|second) run alone has .*?, of which the first is (?:the .*? of )?([a-z0-9_.]+)", sentence)
    return alone is not None and alone[1].startswith(right)


class Rates:
    def __init__(self, folder, seeds):
        self.folder, self.seeds = folder, seeds
        self.clean, self.bugs = defaultdict(list), defaultdict(list)

    def at(self, *words):
        return os.path.join(self.folder, "-".join(str(w).replace(" ", "_").replace(",", "") for w in words))

    def pairs(self):
        """Yields for each B where it lies and how it is recorded."""
        for seed in self.seeds:
            for precision in ("fp32", "bf16"):
                for bug, (way, _) in KINDS.items():
                    yield self.at(seed, precision, bug), {"seed": seed, "way": way, "bug": bug, "autocast": precision == "bf16"}
                for way in CLEAN:
                    yield self.at(seed, precision, "clean", way), {"seed": seed, "way": way, "autocast": precision == "bf16"}

    def run(self):
        jobs = list(self.pairs())
        together = [(at, how) for at, how in jobs if how["way"] not in ALONE]
        torch.multiprocessing.spawn(of_two, (self.folder, together), nprocs=WORLD)
        for at, how in jobs:
            if how["way"] in ALONE:
                record(at, **how)
            self.judge(at, **how)

    def reference(self, seed, way, autocast):
        """A and R of a seed, in the format of B."""
        fp8 = "fp8" if way == "fp8" else "one"
        names = [self.at(seed, autocast, fp8, which) for which in "ar"]
        if not os.path.exists(names[0]):
            for name, perturb in zip(names, (False, True)):
                record(name, seed, way=fp8, autocast=autocast, perturb=perturb)
        return names

    def judge(self, b, seed, way, autocast, bug=""):
        a, r = self.reference(seed, way, autocast)
        tensors = sketch_rates.diff(a, b, r)
        named = sketch_rates.named(tensors)
        if not bug:
            self.clean[way].append((seed, autocast, named))
            return
        right = Training(seed, way, bug, 0).right
        ok = tensors["group"] in right or (named is not None and named["name"].startswith(right)) or leads(tensors["sentence"], right)
        self.bugs[bug].append((named is not None, ok, autocast))
        if not ok:
            print("not right:", bug, seed, "bf16" if autocast else "fp32", *right, "-", tensors["sentence"][:120], flush=True)

    def table(self):
        """Yields the lines of the tables, of clean pairs and of bugs."""
        yield f"{'clean':18} {'n':>4} {'named':>5}"
        for way, found in self.clean.items():
            yield f"{way:18} {len(found):4} {sum(named is not None for *_, named in found):5}"
        clean = [of for found in self.clean.values() for of in found]
        false = sum(named is not None for *_, named in clean)
        yield f"{'all':18} {len(clean):4} {false:5}   at most {sketch_rates.bound(false, len(clean)):.1%} at 95 %"
        yield f"{'bug':18} {'n':>4} {'found':>5} {'right':>5} {'fp32':>7} {'bf16':>7}   what is wrong"
        for bug, of in self.bugs.items():
            yield f"{bug:18} {tally(of)}   {KINDS[bug][1]}"
        every = [one for of in self.bugs.values() for one in of]
        least = 1 - sketch_rates.bound(sum(not ok for _, ok, _ in every), len(every))
        yield f"{'all':18} {tally(every)}   right: at least {least:.1%} at 95 %"


def tally(of):
    """How many there are, were found, and were right; and how many of those of each precision were right."""
    by = [[ok for _, ok, autocast in of if autocast == which] for which in (False, True)]
    fine, coarse = (f"{sum(ok)}/{len(ok)}" for ok in by)
    return f"{len(of):4} {sum(found for found, *_ in of):5} {sum(ok for _, ok, _ in of):5} {fine:>7} {coarse:>7}"


def main():
    folder, seeds, first = (*sys.argv[1:], *("", "3", "660000")[len(sys.argv) - 1 :])
    torch.set_num_threads(1)
    began = time.time()
    with tempfile.TemporaryDirectory() as scratch:
        rates = Rates(os.path.abspath(folder or scratch), range(int(first), int(first) + int(seeds)))
        os.makedirs(rates.folder, exist_ok=True)
        rates.run()
        print("\n".join(rates.table()))
    print(f"{time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
