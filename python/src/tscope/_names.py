"""Names of modules and parameters, as they are without what wrappers put into them."""

_WRAPPERS = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")


def name_of(path: str) -> str:
    """Returns a module's or parameter's name as it is without the wrappers of DDP, FSDP, checkpointing and torch.compile.

    >>> name_of("module._orig_mod.layers.0"), name_of("")
    ('layers.0', '(model)')
    """
    parts = [part for part in path.split(".") if part and part not in _WRAPPERS]
    if parts[:1] == ["module"]:
        parts = parts[1:]
    return ".".join(parts) or "(model)"
