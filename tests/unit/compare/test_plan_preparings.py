"""Plans whose windows are prepared one by one, ahead, or both."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from as2d.backend.compare.plan import ComparePlan, PlannedReplay


def test_windows_prepared_ahead_are_arms_of_their_own() -> None:
    methods, recordings = ("sd", "as2d"), ("talk.mp3",)
    both = ComparePlan(methods=methods, recordings=recordings, preparings=("isolated", "ahead")).arms()
    alone = ComparePlan(methods=methods, recordings=recordings).arms()
    ahead = [arm for arm in both if arm.preparing == "ahead"]
    assert [arm for arm in both if arm.preparing == "isolated"] == alone
    assert len(ahead) == len(alone)
    assert all("prepared ahead" in arm.label for arm in ahead)
    assert len({arm.label for arm in both}) == len(both)
    assert not {arm.preparation for arm in ahead} & {arm.preparation for arm in alone}


def test_a_plan_from_before_windows_were_prepared_ahead_is_gone_on_with() -> None:
    plan = ComparePlan(methods=("as2d",), recordings=("a.wav",))
    assert plan.digest == "2588cc142fb6d1056e3fe10693995c22951cac5d4949c54f424bb3a14d58ff32"
    assert plan.model_copy(update={"preparings": ("ahead",)}).digest != plan.digest


def test_a_replay_prepares_nothing_ahead() -> None:
    replay = PlannedReplay(traces=("t.jsonl",), profiles=("c.json",))
    with pytest.raises(ValidationError, match="a replay prepares nothing"):
        ComparePlan(methods=("as2d",), replay=replay, preparings=("ahead",))
