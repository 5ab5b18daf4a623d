"""The forms in which the logs of make_kinds.py are shown, and the labels of a pair in each form: what is right, and what honestly cannot
be told from it.

A label follows from what was done to the run and from what the form still records, never from an answer:

    right   classes that name the cause; "identical" where no value that the form keeps differs
    wide    classes that say that several causes cannot be told apart, and of which no record of the form contradicts all; such an answer
            is undecided, not wrong, if the truth is in the class or among what remains
    close   single classes that the form cannot tell from the truth: undecided at low confidence, with the truth among what remains
"""
import copy
import struct

FORMS = ("full", "no when", "params", "doubles", "float32", "decimals", "third", "no facts", "no environment")
# Those of make_loops.py have two forms more: the loss alone, and digests of every tenth step.
MORE_FORMS = (*FORMS, "tenth digests", "loss alone")

RIGHT = {
    "identical": ["identical"], "config": ["config"], "precision": ["precision"], "reduction": ["reduction_order"], "code": ["code"],
    "corruption": ["corruption"], "init": ["init"], "data_order": ["data_order"], "data_position": ["data_position"],
    "data_set": ["data_set"], "rng": ["rng_stream"], "resume_state": ["resume_state"], "resume_data": ["resume_data"],
    "reporting": ["reporting"], "digits": ["reporting", "quantization"], "numbering": ["step_numbering"], "ranks": ["rank_order"],
    "local": ["local_losses"], "on_policy": ["on_policy", "rng_stream"], "nan": ["blow_up", "corruption"],
    "nondeterminism": ["nondeterminism"], "evaluation": ["evaluation"],
}
KERNELS = ["precision", "reduction_order", "nondeterminism", "platform"]
DATA = ["data_order", "data_set", "data_position"]
RESUMES = ["resume_state", "resume_data"]
FAMILIES = (KERNELS, DATA, RESUMES)
WIDE = ("unknown", "not_comparable", "jump", "init_or_data", "kernel_rng_or_data", "computation", "rounding", "order_or_set")
COVERS = {
    "init_or_data": ["init", "rng_stream", "on_policy", *DATA],
    "kernel_rng_or_data": [*KERNELS, "rng_stream", "on_policy", *DATA],
    "computation": ["code", "config", "corruption", *KERNELS],
    "rounding": KERNELS,
    "order_or_set": DATA,
}
# What a machine measures differs between equal runs.
MEASURED = ("eta", "it/s", "data_wait", "samples_per_second", "elapsed_s", "time/fps", "train_wps", "elapsed time per iteration (ms)")
# Learning rates that no form cuts to four decimals, beside those whose name begins with lr.
RATES = ("train_lr", "learning-rate", "train/learning_rate")
# Wide classes that the digests of batches, parameters and generators contradict, by truth.
DIGESTS_TELL = {
    "data": ("init_or_data", "kernel_rng_or_data", "computation", "rounding"),
    "other": ("init_or_data", "kernel_rng_or_data", "order_or_set"),
}


# The losses of make_loops.py that its form "loss alone" keeps.
LOSSES = ("loss", "train_mse", "train_loss", "train/loss", "train_nll_loss", "loss/contrastive", "lm loss")


def number(value, form):
    if not isinstance(value, float):
        return value
    if form == "float32":
        return struct.unpack("f", struct.pack("f", value))[0] if abs(value) < 3e38 else value
    return round(value, 4) if form == "decimals" and value == value else value


def shown(rank, form):
    """Returns the part of one rank's run that the form keeps."""
    rank = copy.deepcopy(rank)
    if form == "third":
        rank["steps"] = [r for r in rank["steps"] if r["step"] % 3 == 0]
    for record in rank["steps"]:
        if "digests" in record:
            if form == "params":
                record["digests"] = {"params": record["digests"]["params"]}
            elif form == "tenth digests":
                if record["step"] % 10:
                    del record["digests"]
            elif form not in ("full", "no when"):
                del record["digests"]
        if form in ("float32", "decimals"):
            record["scalars"] = {k: v if form == "decimals" and (k.split("/")[-1].startswith("lr") or k in RATES) else number(v, form)
                                 for k, v in record["scalars"].items()}
        if form == "loss alone":
            record["scalars"] = {k: v for k, v in record["scalars"].items() if k in LOSSES}
    if form == "no when":
        del rank["facts"]["columns"]
    if form in ("no facts", "loss alone"):
        del rank["facts"], rank["run"]
    if form == "no environment":
        del rank["run"]["environment"]
        for group in ("determinism", "libraries", "hardware"):
            del rank["facts"][group]
    return rank


def values(ranks, form):
    kept = {}
    for i, rank in enumerate(ranks):
        for r in shown(rank, form)["steps"]:
            at = kept.setdefault((i, r["step"]), {})
            for k, v in r["scalars"].items():
                if k in MEASURED:
                    continue
                at[k.replace("train/", "")] = repr(v)
            for k, v in r.get("digests", {}).items():
                at["digests." + k] = v
    return kept


def labels_of(pair, a, b, forms=FORMS):
    labels, truth = {}, pair["truth"]
    right = RIGHT[truth] + pair.get("also", [])
    for form in forms:
        x, y = values(a, form), values(b, form)
        common = x.keys() & y.keys()
        if common and all(x[k] == y[k] for k in common) and len(a) == len(b):
            labels[form] = {"right": ["identical"], "wide": [], "close": []}
            continue
        wide = list(WIDE)
        if form in ("full", "no when"):
            out = DIGESTS_TELL["data" if truth in ("data_order", "data_set", "data_position", "resume_data", "numbering", "ranks")
                               else "other"]
            if form == "no when" and pair["at"] == 0:
                out = tuple(w for w in out if w != "init_or_data")
            if truth in ("rng", "on_policy", "local"):
                out = ("init_or_data",)
            wide = [w for w in wide if w not in out]
        elif form == "params" and truth != "init" and pair["at"] > 0:
            wide.remove("init_or_data")
        if truth in ("identical", "reporting", "digits"):
            wide = ["unknown", "not_comparable", "jump", "computation", "rounding"]
        close = sorted({c for f in FAMILIES if set(f) & set(right) for c in f} - set(right))
        if form in ("full", "no when") and truth in ("numbering", "ranks", "data_position"):
            close = []
        labels[form] = {"right": right, "wide": wide, "close": close}
    return labels


def judge(label, answer):
    """right, undecided, wrong, medium (wrong at medium) or high (wrong at high)."""
    cause, sure, remaining = answer["cause"], answer["confidence"], set(answer["remaining"])
    if cause in label["right"]:
        return "right"
    wrong = {"high": "high", "medium": "medium"}.get(sure, "wrong")
    if sure == "high":
        return wrong
    if label["right"] == ["identical"]:
        return "undecided" if cause == "not_comparable" else wrong
    if cause == "not_comparable":
        return "undecided"
    if cause in label["wide"] and (remaining | set(COVERS.get(cause, ()))) & set(label["right"]):
        return "undecided"
    if cause in label["close"] and sure != "medium" and remaining & set(label["right"]):
        return "undecided"
    return wrong
