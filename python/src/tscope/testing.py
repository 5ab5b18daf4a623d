"""Assertions for tests of trainings, which say why with the report that the command prints: for pytest and unittest.

    from tscope.testing import assert_resumes

    def test_resume(tscope_record):
        whole, resumed = tscope_record("whole"), tscope_record("resumed")
        train(steps=6, run=whole)
        train(steps=3, run=tscope_record("first"), save="checkpoint")
        train(steps=3, run=resumed, load="checkpoint")
        assert_resumes(whole, resumed, steps=3)

A run is what `tscope.start` returned, a name, or the path of its folder. What cannot be decided fails: it is not passed as equal.
"""

import os
from typing import Any, NamedTuple, Optional, Union

from tscope import _answers, _client, _program

_program.say_others()  # who was installed later took __init__.py, which says it otherwise


class Profile(NamedTuple):
    """How much two trainings may differ and still be the same. `difference` is the relative one of each series that the training
    computes, at any step; None: that of repeats.

    >>> FLOAT32.difference, BF16.difference
    (1e-05, 0.01)
    """

    name: str
    difference: Optional[float]
    resume: Optional[float] = None  # at the first step behind a resume
    what: str = ""


# Each bit; what sums in another order may differ by in these formats, some steps on; what repeats of one recipe differ by.
BITWISE = Profile("bitwise", 0.0, None, "every bit of what both recorded is the same")
FLOAT32 = Profile("float32", 1e-5, 1e-6, "no series of the training differs by more than 1e-05 of its value")
BF16 = Profile("bf16", 1e-2, 1e-3, "no series of the training differs by more than 0.01 of its value")
REPEATS = Profile("repeats", None, None, "no series differs by more than repeated runs of one recipe do")
_PROFILES = {profile.name: profile for profile in (BITWISE, FLOAT32, BF16, REPEATS)}

_Run = Union[str, "os.PathLike[str]", Any]
_Tolerance = Union[str, Profile, float]


class Decision(NamedTuple):
    """What an assertion that held has decided, by which profile, from which report.

    >>> assert_same_training("exp1", "exp1").profile.name
    'bitwise'
    """

    profile: Profile
    sentence: Optional[str]
    report: "_answers.Answer"


class Undecided(AssertionError):
    """What was recorded does not decide it.

    >>> issubclass(Undecided, AssertionError)
    True
    """


def _profile(tolerance: _Tolerance) -> Profile:
    if isinstance(tolerance, Profile):
        return tolerance
    if isinstance(tolerance, (int, float)):
        return Profile(
            f"{tolerance:g}",
            float(tolerance),
            float(tolerance),
            f"no series of the training differs by more than {tolerance:g} of its value",
        )
    if tolerance not in _PROFILES:
        raise ValueError(f"there is no profile {tolerance!r}; there are {', '.join(_PROFILES)}, and a number is a relative difference")
    return _PROFILES[tolerance]


def _named(run: _Run) -> str:
    """Returns how the program finds a run: a name, or the path of its folder, whose recording has ended then."""
    if isinstance(run, (str, os.PathLike)):
        return str(os.fspath(run))
    if isinstance(run, _client.RecordedRun):
        return run.name
    run.finish()
    return os.path.abspath(str(run.directory))


def _fail(kind: "type[AssertionError]", profile: Profile, why: Optional[str], report: "_answers.Answer") -> AssertionError:
    return kind(f"{why}\ndecided by the profile {profile.name}: {profile.what}\n\n{report}")


def assert_same_training(
    a: _Run, b: _Run, *, tolerance: _Tolerance = "bitwise", repeats: "Optional[_client._Names]" = None
) -> Decision:
    """Fails unless two runs computed the same: each bit, or within a profile: "float32", "bf16", a relative difference, or "repeats",
    with the names of repeated runs of the first one's recipe.

    >>> assert_same_training("exp1", "exp1").profile.what
    'every bit of what both recorded is the same'
    """
    profile = _profile(tolerance)
    if (profile.difference is None) != (repeats is not None):
        raise ValueError('tolerance="repeats" and repeats=[...], the names of repeated runs, go together')
    report = _client.diff(_named(a), _named(b), repeats=repeats, all=True)
    sentence = report.diagnosis.sentence or report.reason
    if report.verdict == "inconclusive":
        raise _fail(Undecided, profile, f"it cannot be told whether the runs are the same: {sentence}", report)
    if profile.difference is None:
        tier = report.diagnosis.tiers.statistically_equivalent
        if report.verdict != "same" and tier.answer != "holds":
            raise _fail(Undecided if tier.answer == "unknown" else AssertionError, profile, f"{sentence}; {tier.why}", report)
        return Decision(profile, sentence, report)
    wrong = None if report.verdict == "same" else _first_wrong(report, profile.difference)
    if wrong:
        raise _fail(AssertionError, profile, sentence if wrong == sentence else f"{sentence}\n{wrong}", report)
    return Decision(profile, sentence, report)


def _first_wrong(report: "_answers.Diff", difference: float) -> str:
    """Says which series differs by more than it may; empty: none. Digests differ with each bit, and are judged bitwise alone."""
    if difference == 0:
        return report.reason
    judged = 0
    for row in report.series:
        if row.role != "trajectory" or row.name.startswith("digests."):
            continue
        where = "" if row.rank is None else f" of rank {row.rank}"
        if row.state in ("only_a", "only_b", "disjoint", "extent"):
            return f"{row.name}{where} is not recorded at the same steps by both runs"
        judged += 1
        if row.state == "parts" and (row.gap is None or not row.gap.greatest_ratio or not row.gap.greatest_ratio <= difference):
            by = (
                "nobody knows how much"
                if row.gap is None or row.gap.greatest_ratio is None
                else f"{row.gap.greatest_ratio:.3g} of its value"
            )
            return f"{row.name}{where} differs from step {row.first_step} on, by {by}; {difference:g} is allowed"
    return "" if judged or report.same_series_count else "no series of the training is recorded by both runs"


def assert_no_slower(
    run: _Run,
    baseline: "Union[_Run, list[_Run]]",
    *,
    metric: "Optional[_client._Names]" = None,
    policy: Optional[str] = None,
    undecided: str = "fail",
) -> Decision:
    """Fails where the gate finds or suspects a regression of the run against the baselines: names, paths, a branch. Too few runs, or
    runs that scatter too much, decide nothing: that fails, too, unless `undecided` is "pass".

    >>> assert_no_slower("exp1", ["base"], undecided="pass").report.exit_code in (0, 3)
    True
    """
    if undecided not in ("fail", "pass"):
        raise ValueError(f'undecided is "fail" or "pass", not {undecided!r}')
    against = [_named(one) for one in (baseline if isinstance(baseline, (list, tuple)) else [baseline])]
    report = _client.gate(_named(run), baseline=against, metric=metric, policy=policy)
    profile = Profile("gate", None, None, f"GATE.* of {policy}" if policy else "the settings of tscope gate")
    if report.verdict in ("regression", "suspect"):
        raise _fail(AssertionError, profile, report.sentence, report)
    if report.verdict not in ("pass", "improvement") and undecided == "fail":
        raise _fail(Undecided, profile, report.sentence, report)
    return Decision(profile, report.sentence, report)


def assert_resumes(parent: _Run, child: _Run, *, steps: int = 1, tolerance: _Tolerance = "bitwise") -> Decision:
    """Fails unless `child` went on from a checkpoint of `parent` as if it had not stopped, by at least so many steps that both made:
    the test of N + N steps against 2 N. Bit by bit three steps are enough; the profiles "float32" and "bf16" allow rounding.

    >>> assert_resumes("base", "resumed", steps=10).sentence[:11]
    'The run res'
    """
    profile = _profile(tolerance)
    if profile.difference is None:
        raise ValueError("a resume is judged bitwise, float32, bf16 or by a number; repeats say nothing of one")
    of_parent, of_child = _named(parent), _named(child)
    report = _client.check_resume(of_child, of_parent, tolerance=profile.resume)
    sentence = report.diagnosis.sentence
    if report.verdict == "wrong" or (profile.difference == 0 and report.diagnosis.tiers.bit_exact.answer == "fails"):
        raise _fail(AssertionError, profile, sentence if report.verdict == "wrong" else f"{sentence}\nnot in every bit", report)
    common = len(set(_client.get(of_parent).steps) & set(_client.get(of_child).steps))
    if common < steps:
        raise _fail(Undecided, profile, f"the runs have {common} steps in common, and {steps} are wanted", report)
    if report.verdict != "correct" or (profile.difference == 0 and report.diagnosis.tiers.bit_exact.answer != "holds"):
        raise _fail(Undecided, profile, f"it cannot be told whether the run resumed correctly: {sentence}", report)
    return Decision(profile, sentence, report)
