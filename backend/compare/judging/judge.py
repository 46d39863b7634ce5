"""Judges recorded runs: of a plan, one by one, from here or from elsewhere, by the same computation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from as2d.backend.compare.judging.breakdowns import corpus_tables, regimes
from as2d.backend.compare.judging.cautions import cautions
from as2d.backend.compare.judging.decoded import Decoded, Site
from as2d.backend.compare.judging.differences import differences
from as2d.backend.compare.judging.gathered import Gathered, gather
from as2d.backend.compare.judging.judgement import Judgement, Side
from as2d.backend.compare.judging.outputs import Correctness, compare_outputs
from as2d.backend.compare.judging.pairing import pair
from as2d.backend.compare.judging.reading import collect
from as2d.backend.compare.judging.scopes import alone_of, scopes_of
from as2d.backend.compare.judging.sides import Draft, mean_of, one_arm, side_of
from as2d.backend.errors import WrongUse
from as2d.backend.runs.labels import read_labels
from as2d.backend.runs.origin import read_origin
from as2d.backend.runs.store import StoredRun
from as2d.backend.transcribe.methods import SD_WIDTHS, STANDARD_SD


def judge(runs: Sequence[StoredRun], cancel: Callable[[], bool] | None = None) -> Judgement:
    """Judge runs; the first way to decode in them is the reference of the others. A plan's runs on one device
    are sessions of the same sides; any other run has sides of its own.

    Raises:
        WrongUse: there is nothing to compare.
        InputRefused: a run cannot be read.
        Cancelled: the end was asked for.
    """
    collected = collect(runs, cancel)
    gathered = gather(collected)
    drafts = _drafts(gathered)
    if len(drafts) < 2:
        raise WrongUse("A comparison needs two runs, or a benchmark of two methods, that decoded something.")
    scopes = scopes_of(drafts)
    sites = _sites_of(runs)
    names = _names(sites)
    sides = tuple(_sides(gathered, drafts, names))
    return Judgement(
        names=tuple(names.values()),
        differences=tuple(differences([[run.manifest for run in sessions] for sessions in sites.values()])),
        notes=(*collected.notes, *_origins(runs)),
        cautions=tuple(cautions(sides, gathered.windows)),
        windows=tuple(gathered.windows),
        sides=sides,
        tables=tuple(corpus_tables(gathered, drafts, scopes)),
        regimes=tuple(regimes(gathered, drafts, scopes)),
    )


def _sites_of(runs: Sequence[StoredRun]) -> dict[Site, list[StoredRun]]:
    found: dict[Site, list[StoredRun]] = {}
    for number, run in enumerate(runs):
        found.setdefault(Site.of(run.manifest, number), []).append(run)
    return found


def _names(sites: Mapping[Site, list[StoredRun]]) -> dict[Site, str]:
    """What runs are called: as the user named them, else by their id; those of a plan by the plan's name,
    with the device and the target where it has several.
    """
    plain: dict[Site, str] = {}
    full: dict[Site, str] = {}
    for site, sessions in sites.items():
        run = sessions[0]
        comparison, manifest = run.manifest.comparison, run.manifest
        if comparison is None:
            plain[site] = full[site] = read_labels(run.folder).name or manifest.run
        else:
            plain[site] = comparison.name
            full[site] = f"{comparison.name}, {manifest.device.name}, {manifest.target.name}"
    alike = list(plain.values())
    return {site: name if alike.count(name) == 1 else full[site] for site, name in plain.items()}


def _origins(runs: Sequence[StoredRun]) -> Iterator[str]:
    for run in runs:
        origin = read_origin(run.folder)
        if origin is not None:
            where = f"the bundle {origin.bundle}" if origin.bundle else "elsewhere"
            yield f"The run {run.manifest.run} comes from {where}."


def _drafts(gathered: Gathered) -> list[Draft]:
    """The sides in order, behind the last width of `sd` the mean of them."""
    drafts: list[Draft] = []
    sites = list(dict.fromkeys(arm.site for arm in gathered.arms))
    arms = sorted(
        gathered.arms, key=lambda arm: (sites.index(arm.site), _order(arm))
    )  # a stable sort: arms that no list names stay as they came
    groups: dict[tuple[object, ...], list[int]] = {}
    for arm in arms:
        drafts.append(one_arm(arm))
        if _is_standard(arm):
            members = groups.setdefault(_alike(arm), [])
            members.append(len(drafts) - 1)
            if len(members) == len(SD_WIDTHS):
                drafts.append(mean_of([drafts[member] for member in members], members))
    return drafts


def _order(arm: Decoded) -> int:
    """An arm's place in the list of its run."""
    listed = [used.label for used in arm.manifest.arms] or arm.manifest.settings.get("arms")
    return listed.index(arm.arm) if isinstance(listed, list) and arm.arm in listed else 0


def _is_standard(arm: Decoded) -> bool:
    return arm.used.method == STANDARD_SD and arm.used.budget + 1 in SD_WIDTHS


def _alike(arm: Decoded) -> tuple[object, ...]:
    """What the widths of `sd` that are averaged share."""
    used = arm.used
    seen = (used.threads, used.shared_threads, used.drafter_threads, used.drafter_shared_threads)
    return arm.site, used.start_condition, used.preparing, used.drafter, seen, arm.arm.partition("(")[2]


def _sides(gathered: Gathered, drafts: Sequence[Draft], names: Mapping[Site, str]) -> Iterator[Side]:
    correctness = Correctness(gathered)
    for number, draft in enumerate(drafts):
        alone = alone_of(number, drafts)
        reference = alone if alone is not None else 0 if number else None
        outputs = None
        if reference is not None and not draft.is_mean:
            outputs = compare_outputs(gathered, draft.arm, drafts[reference].arm)
        rates = (None, None) if draft.is_mean else correctness.of(draft.arm)
        side = side_of(draft, names[draft.arm.site], len(gathered.windows), rates, outputs)
        yield side.model_copy(
            update={
                "output_reference": reference if outputs is not None else None,
                "first": _paired(gathered, drafts, number, 0) if number else None,
                "alone": _paired(gathered, drafts, number, alone) if alone is not None else None,
            }
        )


def _paired(gathered: Gathered, drafts: Sequence[Draft], number: int, reference: int) -> object:
    return pair(drafts[number].measured, drafts[reference].measured, reference, gathered.windows)
