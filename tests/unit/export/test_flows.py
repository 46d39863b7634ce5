"""Accepted candidates are led back to the steps that said them."""

from __future__ import annotations

from as2d.backend.export.flows import Flows
from as2d.backend.protocol.decode_events import Call, Draft, Publish
from as2d.backend.protocol.host_events import PrepareSent


class Story:
    """Events of one preparation, fed as they are made."""

    def __init__(self) -> None:
        self.flows = Flows()
        self.flows.feed(PrepareSent(t=0, window="w", preparation="p"))

    def draft(self, *texts: str, epoch: int = 0) -> None:
        for text in texts:
            self.flows.feed(
                Draft(
                    t=1, seq=0, window="p", epoch=epoch, step=0, start=0, end=1, text=text, drafter_tokens=1,
                    confidence=0.5, end_of_text=not text,
                )
            )  # fmt: skip

    def publish(self, first: int, *tokens: tuple[int, str], epoch: int = 0) -> None:
        ids, texts = tuple(token for token, _ in tokens), tuple(text for _, text in tokens)
        self.flows.feed(
            Publish(
                t=1,
                seq=0,
                window="p",
                epoch=epoch,
                first=first,
                tokens=ids,
                texts=texts,
                length=first + len(ids),
            )
        )

    def call(self, request: str, index: int, cursor: int, candidates: tuple[int, ...], accepted: int) -> None:
        choices = (*candidates, 99)
        self.flows.feed(
            Call(
                t=2, seq=0, request=request, window="p", index=index, kind="verify", start=1, end=2,
                threads=1, k=len(choices), root=1, candidates=candidates, choices=choices,
                margins=(1.0,) * len(choices), accepted=accepted, published=9, cursor=cursor,
                reason="candidates",
            )
        )  # fmt: skip

    def steps(self, request: str, index: int) -> list[int]:
        """The steps at which the flows into a call begin."""
        begins = {flow: step for (_, step), flows in self.flows.drafts.items() for flow in flows}
        return [begins[flow] for flow in self.flows.calls[(request, index)]]


def test_a_token_belongs_to_the_step_that_ended_its_text() -> None:
    story = Story()
    story.draft(" be", "auty", "'s rose", "")
    story.publish(0, (10, " beauty"), (11, "'s"), (12, " rose"), (50, ""))
    story.call("r", 0, 0, (10, 11, 12, 50), 4)
    assert story.steps("r", 0) == [1, 2, 2, 3]


def test_only_what_was_accepted_has_a_flow() -> None:
    story = Story()
    story.draft(" a", " b", " c")
    story.publish(0, (1, " a"), (2, " b"), (3, " c"))
    story.call("r", 0, 1, (2, 3), 1)
    assert story.steps("r", 0) == [1]
    assert story.flows.count == 1


def test_a_restarted_draft_counts_its_text_anew() -> None:
    story = Story()
    story.draft(" one", " two")
    story.publish(0, (1, " one"))
    story.draft(" three", " four", epoch=1)
    story.publish(1, (3, " three"), (4, " four"), epoch=1)
    story.call("r", 0, 1, (3, 4), 2)
    assert story.steps("r", 0) == [2, 3]


def test_requests_that_share_a_preparation_keep_their_own_drafts() -> None:
    story = Story()
    story.draft(" a", " b", " c")
    story.publish(0, (1, " a"), (2, " b"), (3, " c"))
    story.draft(" a", " x", epoch=1)  # another request drafts from the beginning
    story.publish(0, (1, " a"), (7, " x"), epoch=1)
    story.call("serial", 0, 0, (1, 7), 2)
    story.call("as2d", 0, 1, (2, 3), 2)
    assert story.steps("serial", 0) == [3, 4]
    assert story.steps("as2d", 0) == [1, 2]
