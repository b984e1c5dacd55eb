"""What makes many applications in one process cheap, with the same parts.

Templates are compiled once for all of them, not once for each (20 to 120 ms a page),
and secrets are hashed by the same argon2 with little memory (0.15 s each otherwise).
One test holds the cost that people get.
"""

from __future__ import annotations

from functools import cache

from argon2 import PasswordHasher
from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from companion.tables import people


class Compiled(BytecodeCache):
    """Templates as they were compiled first, by their text."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, bytes]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what was kept of this text."""
        checksum, code = self._kept.get(bucket.key, ("", b""))
        if checksum == bucket.checksum:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it."""
        self._kept[bucket.key] = bucket.checksum, bucket.bytecode_to_string()


COMPILED = Compiled()
slow_hasher = people.hasher


@cache
def quick_hasher() -> PasswordHasher:
    """Return an argon2 that takes a millisecond."""
    return PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)


def be_quick() -> None:
    """Share compiled templates, and hash with little memory, from now on."""
    Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": COMPILED}
    people.hasher = quick_hasher
