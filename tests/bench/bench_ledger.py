"""How much the ledger withstands, and how fast it is; prints counts and intervals.

    python tests/bench/bench_ledger.py kill 1000     # kill -9 at random moments
    python tests/bench/bench_ledger.py power 1000    # power cuts, unsynced writes lost
    python tests/bench/bench_ledger.py tamper 10000  # touched exports, with a receipt
    python tests/bench/bench_ledger.py speed 400     # appends, replays, verify

`--seed N` chooses the random numbers (default 1). Run from the root of the checkout.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from companion.ledger import (
    Ledger,
    SignedHead,
    TableRecord,
    Witness,
    open_ledger,
    verify_export,
    verify_table,
)
from companion.ledger.export import export_table
from tests.support.crashes import Survey, cut_power, kill_writers
from tests.support.live_games import OPTIONS, moves_of
from tests.support.tampering import KINDS, tampered

BATCH = 100


def at_most(failures: int, count: int) -> float:
    """Return the upper end of the 95 % interval of a share (Wilson; 3/n for none)."""
    if not failures:
        return 3 / count
    z, share = 1.96, failures / count
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (middle + spread) / (1 + z * z / count)


def crashes(
    run: Callable[[Path, int, int], Survey], folder: Path, count: int, seed: int
) -> None:
    """Run in batches of 100, each with files of its own."""
    total = Survey()
    for start in range(0, count, BATCH):
        own = folder / str(start)
        own.mkdir()
        found = run(own, min(BATCH, count - start), seed + start)
        for name in vars(total):
            setattr(total, name, getattr(total, name) + getattr(found, name))
    lost = at_most(total.lost, max(1, total.acknowledged))
    broken = at_most(total.broken, total.crashes)
    print(f"{total.crashes} crashes, {total.acknowledged} events acknowledged:")
    print(f"  {total.lost} lost; 95 %: at most {lost:.4%} of them")
    print(f"  {total.doubled} doubled")
    print(f"  {total.broken} chains broken; 95 %: at most {broken:.2%} of crashes")


def tamper(folder: Path, count: int, seed: int) -> None:
    """Touch one export in every way, and count what is not found."""
    with open_ledger(folder / "arbitro.db") as ledger:
        table, receipt = game(ledger, folder / "session")
    witness, rng = Witness(receipt), random.Random(seed)
    missed: Counter[str] = Counter()
    named: Counter[str] = Counter()
    path = folder / "touched"
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        tampered(kind, folder / "session", path, rng)
        fault = verify_export(path, witness).fault
        if fault is None:
            missed[kind] += 1
        else:
            named[str(fault.code)] += 1
    lost = missed.total()
    print(f"{count} touched sessions of table {table.game} in {len(KINDS)} ways:")
    print(
        f"  {lost} not found {dict(missed)}; 95 %: at most {at_most(lost, count):.3%}"
    )
    print(f"  named as {dict(named.most_common())}")


def speed(folder: Path, count: int, _: int) -> None:
    """Time the parts; medians, in milliseconds."""
    with open_ledger(folder / "arbitro.db") as ledger:
        table = game(ledger, folder / "session")[0]
        spent_ms = []
        for _ in range(count):
            seq = ledger.head(table.id).seq + 1
            start = time.perf_counter()
            append(ledger, table, seq, "a word", kind="note")
            spent_ms.append((time.perf_counter() - start) * 1000)
        spent_ms.sort()
        p99_ms = spent_ms[int(len(spent_ms) * 0.99) - 1]
        print(f"append: median {statistics.median(spent_ms):.2f} ms, p99 {p99_ms:.2f}")
        picture = random.Random(1).randbytes(100_000)
        timed("keep 100 KB", lambda n: ledger.keep(picture + bytes([n]), "image/jpeg"))
        timed("head", lambda _: ledger.head(table.id))
        timed("state, remembered", lambda _: ledger.state(table.id))
        last = ledger.head(table.id).seq
        timed(f"state, {last} events", lambda _: ledger.state(table.id, seq=last))
        timed("verify table", lambda _: verify_table(ledger, table.id))
        timed("export", lambda _: export_table(ledger, table.id, folder / "s"))
        timed("verify export", lambda _: verify_export(folder / "s"))


def timed(name: str, work: Callable[[int], object], times: int = 15) -> None:
    """Print the median of several runs."""
    spent_ms = []
    for number in range(times):
        start = time.perf_counter()
        work(number)
        spent_ms.append((time.perf_counter() - start) * 1000)
    print(f"{name}: median {statistics.median(spent_ms):.2f} ms")


def game(ledger: Ledger, file: Path) -> tuple[TableRecord, SignedHead]:
    """Return a table with a game of Regicide and pictures, exported to `file`."""
    table = ledger.create_table("regicide", OPTIONS["regicide"])
    for seq, move in enumerate(moves_of("regicide", most=30), start=1):
        shown = ledger.keep(f"picture {seq}".encode() * 200, "image/jpeg")
        append(ledger, table, seq, move, evidence=(shown,))
    export_table(ledger, table.id, file)
    return table, ledger.signed_head(table.id)


def append(
    ledger: Ledger,
    table: TableRecord,
    seq: int,
    move: str,
    *,
    kind: str = "move",
    evidence: tuple[str, ...] = (),
) -> None:
    """Add one event."""
    ledger.append(
        table.id,
        seq,
        move,
        kind=kind,
        source="bench",
        actor=None,
        taken_at=datetime.now(UTC),
        evidence=evidence,
    )


def main() -> None:
    """Run one of the benches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["kill", "power", "tamper", "speed"])
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print("$ python tests/bench/bench_ledger.py", *sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder, start = Path(name), time.monotonic()
        match asked.what:
            case "kill":
                run = lambda f, n, s: kill_writers(f, n, seed=s)  # noqa: E731
                crashes(run, folder, asked.count, asked.seed)
            case "power":
                run = lambda f, n, s: cut_power(f, n, seed=s)  # noqa: E731
                crashes(run, folder, asked.count, asked.seed)
            case "tamper":
                tamper(folder, asked.count, asked.seed)
            case _:
                speed(folder, asked.count, asked.seed)
        print(f"({time.monotonic() - start:.0f} s)")


if __name__ == "__main__":
    main()
