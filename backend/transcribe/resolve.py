"""From what a user names to a model that can be loaded."""

from __future__ import annotations

from as2d.backend.errors import WrongUse
from as2d.backend.models.progress import Progress
from as2d.backend.models.store import InstalledModel, ModelStore
from as2d.backend.paths import models_dir
from as2d.backend.protocol.ops import Role, Task
from as2d.backend.transcribe.cancel import CancelToken


def resolve_model(name: str, role: Role, progress: Progress | None, cancel: CancelToken) -> InstalledModel:
    """The model that `name` means: a folder with a model.json, or a name of the catalogue, installed if
    missing.

    Raises:
        UserError: there is no such model, it cannot be installed, or it cannot take the role.
        Cancelled: the installation was cancelled.
    """

    def named(stage: str, done: int, total: int) -> None:
        if progress is not None:
            progress(f"{name}: {stage}", done, total)

    model = ModelStore(models_dir()).ensure(name, named, cancel)
    if role not in model.manifest.roles:
        able = " or ".join(model.manifest.roles)
        raise WrongUse(f"The model '{name}' cannot be the {role}; it can be the {able}.")
    return model


def language_to_ask(target: InstalledModel, language: str | None, task: Task) -> str | None:
    """The language to ask the target for; None: it detects it. A target with one language is asked for that.

    Raises:
        WrongUse: the target does not know the language or cannot do the task.
    """
    declared = target.manifest.declares
    if task not in declared.tasks:
        raise WrongUse(f"The model '{target.name}' cannot {task}; it can {' or '.join(declared.tasks)}.")
    if language is not None and language not in declared.languages:
        raise WrongUse(
            f"The model '{target.name}' does not know the language '{language}'; "
            f"it knows {', '.join(sorted(declared.languages))}."
        )
    if language is None and not target.manifest.tokens.languages:
        return declared.languages[0]
    return language


def language_of_item(target: InstalledModel, said: str | None, asked: str | None) -> str | None:
    """The language to ask the target for where a corpus has `said` one for a recording; None: it detects it.

    A corpus may name what no model knows, as two languages at once: that is detected, unless the user `asked`
    for just that.

    Raises:
        WrongUse: the target does not know the language that the user asked for, or cannot transcribe.
    """
    known = said == asked or said in target.manifest.declares.languages
    return language_to_ask(target, said if known else None, "transcribe")
