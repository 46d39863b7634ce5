"""What the user calls a run: `labels.json` of its folder, beside what was recorded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from as2d.backend.errors import InputRefused
from as2d.backend.runs.files import storage_error, write_atomically

LABELS_NAME = "labels.json"
NAME_CHARACTERS = 200
TAG_CHARACTERS = 40
_MOST_TAGS = 50

_Tag = Annotated[str, Field(pattern=rf"^[^\s,]{{1,{TAG_CHARACTERS}}}$")]


class Labels(BaseModel):
    """A name of the user's own, and tags: words without blanks and commas."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    name: Annotated[str, Field(min_length=1, max_length=NAME_CHARACTERS)] | None = None
    tags: tuple[_Tag, ...] = Field(default=(), max_length=_MOST_TAGS)

    @model_validator(mode="after")
    def _is_plain(self) -> Labels:
        """Texts of others are shown on terminals, which take control characters for commands."""
        if not all(text.isprintable() for text in (self.name or "", *self.tags)):
            raise ValueError("names and tags have no control characters")
        return self

    def named(self, name: str) -> Labels:
        """The same with another name; an empty one: none.

        Raises:
            InputRefused: it is too long.
        """
        words = " ".join(_plain(name).split())
        if len(words) > NAME_CHARACTERS:
            raise InputRefused(f"A run's name has at most {NAME_CHARACTERS} characters; give a shorter one.")
        return Labels(name=words or None, tags=self.tags)

    def tagged(self, add: Iterable[str] = (), remove: Iterable[str] = ()) -> Labels:
        """The same with more or fewer tags; capitals and small letters make no other tag.

        Raises:
            InputRefused: a tag is too long, or there are too many.
        """
        tags = {tag.casefold(): tag for tag in self.tags}
        for tag in split_tags(remove):
            tags.pop(tag.casefold(), None)
        for tag in split_tags(add):
            tags.setdefault(tag.casefold(), tag)
        if len(tags) > _MOST_TAGS:
            raise InputRefused(f"A run has at most {_MOST_TAGS} tags; remove some first.")
        return Labels(name=self.name, tags=tuple(tags.values()))


def split_tags(words: Iterable[str]) -> list[str]:
    """The tags in texts, between blanks and commas.

    Raises:
        InputRefused: one is too long.
    """
    found = [tag for word in words for tag in re.split(r"[\s,]+", _plain(word)) if tag]
    for tag in found:
        if len(tag) > TAG_CHARACTERS:
            raise InputRefused(
                f"The tag '{tag[:20]}…' has more than {TAG_CHARACTERS} characters; shorten it."
            )
    return found


def read_labels(folder: Path) -> Labels:
    """The labels of a run's folder; none where there is no such file or it cannot be understood."""
    try:
        return known_labels(folder)
    except InputRefused:  # they are only names: the run itself must stay readable
        return Labels()


def known_labels(folder: Path) -> Labels:
    """The labels of a run's folder, to be changed and written again; none where there is no such file.

    Raises:
        InputRefused: the file cannot be read, or is of a later version.
    """
    path = folder / LABELS_NAME
    try:
        return parsed_labels(path.read_bytes(), path)
    except FileNotFoundError:
        return Labels()
    except OSError as error:
        raise InputRefused(
            f"The run's name and tags in {path} cannot be read ({error.strerror or error}); nothing was "
            "changed."
        ) from error


def parsed_labels(content: bytes, path: Path) -> Labels:
    """The labels in the content of the file `path`.

    Raises:
        InputRefused: they are of a later version.
    """
    try:
        return Labels.model_validate_json(content)
    except ValidationError as error:
        raise InputRefused(
            f"{path} holds no name and tags that this version of AS²D knows; change them with the version "
            "that made them, or move the file away."
        ) from error


def write_labels(folder: Path, labels: Labels) -> None:
    """Write the labels of a run's folder, whole or not at all.

    Raises:
        UserError: they cannot be written.
    """
    try:
        write_atomically(folder / LABELS_NAME, labels.model_dump_json(indent=1).encode() + b"\n")
    except OSError as error:
        raise storage_error(error, folder, "the run's name and tags") from error


def _plain(text: str) -> str:
    """A text without control characters."""
    return "".join(character if character.isprintable() else " " for character in text)
