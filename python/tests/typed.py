"""A script of a user, which mypy --strict passes: what the package returns has types. test_client.py does not run it."""

import tscope


def worst(names: list[str], base: str) -> str:
    """Returns a line on the first run that differs from another one."""
    for name in names:
        report = tscope.diff(base, name, ignore="session.*")
        if report.verdict != "same":
            return f"{name}: {report.diagnosis.sentence} ({report.diagnosis.confidence}, {len(report.diagnosis.evidence_for)})"
    return "all are the same"


def findings(name: str) -> list[str]:
    """Returns the codes of what is wrong with a run, and what bounds it."""
    analysis = tscope.analyze(name, warmup=2)
    return [finding.code for finding in analysis.findings] + [analysis.bound.kind]


def last_steps(limit: int) -> dict[str, int]:
    """Returns the last step of some runs."""
    table = tscope.runs("steps>0", columns=["name"], limit=limit)
    found: dict[str, int] = {}
    for name in table["name"]:
        try:
            run = tscope.get(name)
        except tscope.NotFound:
            continue
        found[name] = int(run.steps[-1])
    return found


def held(candidate: str, parent: str) -> bool:
    """Returns whether a run is neither slower nor resumed wrongly."""
    gate, resume = tscope.gate(candidate, baseline=[parent]), tscope.check_resume(candidate, parent)
    return gate.exit_code == 0 and gate.verdict == "pass" and resume.verdict == "correct" and resume.parent is not None
