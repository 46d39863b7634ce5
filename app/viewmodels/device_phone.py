"""What is ours on a phone, what it does on its own, and which processors decode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.device_facts import Fact
from as2d.app.viewmodels.moments import moment_text
from as2d.app.viewmodels.sizes import size_text

if TYPE_CHECKING:
    from as2d.backend.devices.device import JobState
    from as2d.backend.devices.phone_service import Contents
    from as2d.backend.devices.placement import Cluster, Placement
    from as2d.backend.jobs.job import Job

Role = Literal["target", "drafter", "both", "free"]


@dataclass(frozen=True)
class Core:
    """A processor: its number, what runs on it, and its place among the kinds (0: the first cluster)."""

    cpu: int
    role: Role
    cluster: int
    tip: str


@dataclass(frozen=True)
class JobRow:
    """A detached job. `job` is its name; `state` None: it could not be asked."""

    job: str
    created: str
    windows: int
    state: JobState | None
    gone: bool = False

    @property
    def text(self) -> str:
        """How far it is, in words."""
        if self.gone:
            return tr("gone from the phone")
        if self.state is None:
            return tr("not asked yet")
        done = tr("{done} of {n} windows", done=self.state.results, n=self.windows)
        return tr("running, {done}", done=done) if self.state.running else tr("ended, {done}", done=done)

    @property
    def sent(self) -> str:
        """When it was sent."""
        return moment_text(self.created)


def job_row(job: Job, state: JobState | None, *, asked: bool) -> JobRow:
    """A job with what its phone says of it; `asked` and no state: the phone does not know it."""
    return JobRow(job.job, job.created, len(job.windows), state, gone=asked and state is None)


def storage_facts(contents: Contents) -> list[Fact]:
    """What is on the phone, with sizes."""
    facts = [
        Fact(model.name or tr("unreadable model"), size_text(model.size), f"sha256 {model.digest[:12]}")
        for model in contents.models
    ]
    if contents.programs_size:
        facts.append(Fact(tr("Helper program"), size_text(contents.programs_size)))
    if contents.unused_size:
        note = tr("audio, and files of older models")
        facts.append(Fact(tr("Other files"), size_text(contents.unused_size), note))
    if contents.incoming_files:
        note = tr("the next push goes on")
        facts.append(Fact(tr("Cut-off pushes"), size_text(contents.incoming_size), note))
    if contents.running:
        count = tr_count(len(contents.running), "{n} process of ours", "{n} processes of ours")
        facts.append(Fact(tr("Running"), count))
    if contents.free is not None:
        facts.append(Fact(tr("Free"), size_text(contents.free)))
    return facts


def is_empty(contents: Contents) -> bool:
    """Whether nothing of ours is there."""
    return not contents.size and not contents.models and not contents.jobs


def missing_models(contents: Contents, digests: Sequence[str]) -> bool:
    """Whether one of the models (SHA-256 of their model.json) would have to be pushed first."""
    there = {model.digest for model in contents.models}
    return any(digest not in there for digest in digests)


def cores(clusters: Sequence[Cluster], placed: Placement) -> list[Core]:
    """Every processor with what runs on it, in the order of their numbers."""
    found = []
    for place, cluster in enumerate(clusters):
        clock = f", {cluster.max_khz / 1e6:.2f} GHz" if cluster.max_khz is not None else ""
        for cpu in cluster.cpus:
            on_target, on_drafter = cpu in placed.target_cpus, cpu in placed.drafter_cpus
            role: Role = (
                "both" if on_target and on_drafter
                else "target" if on_target else "drafter" if on_drafter else "free"
            )  # fmt: skip
            tip = tr("Processor {cpu}: {core}", cpu=cpu, core=cluster.core or tr("core"))
            found.append(Core(cpu, role, place, f"{tip}{clock}"))
    return sorted(found, key=lambda core: core.cpu)


def placement_facts(placed: Placement) -> list[Fact]:
    """Which processors the target and the drafter get, and why."""
    threads = tr_count(placed.threads, "{n} thread", "{n} threads")
    return [
        Fact(tr("Target"), ", ".join(map(str, placed.target_cpus)), threads),
        Fact(tr("Drafter"), ", ".join(map(str, placed.drafter_cpus))),
        Fact(tr("Chosen by"), placed.reason),
    ]
