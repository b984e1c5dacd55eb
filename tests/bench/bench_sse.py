"""Many phones at one table: delivery, latency, reconnects (U6, U7, S6).

    python -m tests.bench.bench_sse --clients 500 --rate 5 --seconds 10 [--csv FILE]
    python -m tests.bench.bench_sse --clients 1500 --rate 2 --seconds 10
    python -m tests.bench.bench_sse --drops 1000

The page runs in a process of its own with the settings of `arbitro serve`; the events
are moves of Regicide, played out and written past it, as the camera's process does.
Latency is from the commit to the phone's socket, on one machine; the drawing of the
page comes with every event.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import random
import selectors
import statistics
import tempfile
import threading
import time
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.live_games import moves_of
from tests.support.streams import Stream

if TYPE_CHECKING:
    from companion.ledger import Ledger

BETWEEN_S = 0.004
"""Pause between two phones that open their stream."""
LOAD_BEFORE = os.getloadavg()[0]


def serve(folder: Path, clients: int, told: Connection) -> None:
    """Run the page until the process is ended; tell port and memory."""
    from waitress.server import create_server  # noqa: PLC0415 - in the child only

    from companion.config import Config  # noqa: PLC0415
    from companion.web import create_app  # noqa: PLC0415
    from companion.web.server import bind, settings  # noqa: PLC0415

    config = Config(folder=folder, most_streams=clients + 20)
    sock = bind("127.0.0.1", 0)
    server = create_server(create_app(config), sockets=[sock], **settings(config))
    told.send(sock.getsockname()[1])
    server.run()


def open_table(folder: Path) -> tuple[Ledger, str]:
    """Return the ledger and a table that everybody may watch."""
    from companion.tables.hall import open_hall  # noqa: PLC0415 - after the fork

    hall = open_hall(folder)
    table = hall.ledger.create_table("regicide", {"players": 2}, seats=["A", "B"])
    owner, _ = hall.people.arrive()
    hall.seats.open(table.id, 2, is_listed=True, owner=owner.id)
    return hall.ledger, table.id


def write(
    ledger: Ledger, table: str, moves: list[str], rate: float, sent: dict[int, float]
) -> None:
    """Add the moves at a steady rate; note when each was committed."""
    start = time.monotonic()
    for number, move in enumerate(moves, start=1):
        time.sleep(max(0.0, start + number / rate - time.monotonic()))
        ledger.append(
            table,
            number,
            move,
            source="bench",
            actor=None,
            taken_at=datetime.now(UTC),
        )
        sent[number] = time.monotonic()


def read_all(
    streams: list[Stream], last: int, sent: dict[int, float], limit_s: float
) -> list[float]:
    """Return the latency of every event at every phone, until all have `last`."""
    selector = selectors.DefaultSelector()
    for stream in streams:
        stream.sock.setblocking(False)
        selector.register(stream.sock, selectors.EVENT_READ, stream)
    latencies: list[float] = []
    waiting, deadline = len(streams), time.monotonic() + limit_s
    while waiting and time.monotonic() < deadline:
        for key, _ in selector.select(timeout=1.0):
            phone: Stream = key.data
            data = phone.sock.recv(262_144)
            if not data:
                selector.unregister(phone.sock)
                waiting -= 1
                continue
            now = time.monotonic()
            for seq in phone.take(data):
                latencies.append(now - sent.get(seq, now))
                waiting -= seq == last
    return latencies


def memory_mb(pid: int) -> float:
    """Return the resident memory of a process."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


def cpu_s(pid: int) -> float:
    """Return the processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1]
    return (int(fields.split()[11]) + int(fields.split()[12])) / 100


def keep(path: Path | None, row: dict[str, object]) -> None:
    """Add a row to a file of results, with the load of the machine."""
    if path is None:
        return
    row |= {"load before": round(LOAD_BEFORE, 1)}
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        if is_new:
            rows.writerow(["run", "figure", "value"])
        run = row.pop("run")
        rows.writerows([run, name, value] for name, value in row.items())


def crowd(port: int, pid: int, folder: Path, wanted: argparse.Namespace) -> None:
    """Let many phones follow one table; print what they got."""
    ledger, table = open_table(folder)
    path = f"/tables/{table}/events"
    streams = []
    for _ in range(wanted.clients):
        streams.append(Stream.open(port, path))
        time.sleep(BETWEEN_S)
    time.sleep(2.0)
    count = round(wanted.rate * wanted.seconds)
    moves = moves_of("regicide", seed=3, most=count)
    sent: dict[int, float] = {}
    before = cpu_s(pid)
    writer = threading.Thread(
        target=write, args=(ledger, table, moves, wanted.rate, sent)
    )
    writer.start()
    start = time.monotonic()
    latencies = read_all(streams, len(moves), sent, wanted.seconds * 4 + 20)
    spent = time.monotonic() - start
    writer.join()
    expected = list(range(1, len(moves) + 1))
    whole = sum(stream.ids == expected for stream in streams)
    doubled = sum(len(stream.ids) - len(set(stream.ids)) for stream in streams)
    lost = sum(len(set(expected) - set(stream.ids)) for stream in streams)
    ms = sorted(1000 * latency for latency in latencies)
    print(f"{len(streams)} phones, {len(moves)} moves at {wanted.rate}/s")
    print(f"  whole streams {whole}/{len(streams)}, lost {lost}, doubled {doubled}")
    print(
        f"  commit to phone: median {statistics.median(ms):.0f} ms,"
        f" p99 {ms[int(0.99 * len(ms))]:.0f} ms, most {ms[-1]:.0f} ms"
    )
    print(
        f"  drawings {sum(s.stages for s in streams)},"
        f" {sum(s.received for s in streams) / 1e6:.0f} MB in {spent:.1f} s;"
        f" server {(cpu_s(pid) - before) / spent:.2f} cores, {memory_mb(pid):.0f} MB"
    )
    keep(
        wanted.csv,
        {
            "run": f"{len(streams)} phones, {len(moves)} moves at {wanted.rate}/s",
            "lost": lost,
            "doubled": doubled,
            "median ms": round(statistics.median(ms)),
            "p99 ms": round(ms[int(0.99 * len(ms))]),
            "most ms": round(ms[-1]),
            "memory MB": round(memory_mb(pid)),
        },
    )
    for stream in streams:
        stream.close()
    ledger.close()


def drops(port: int, folder: Path, wanted: argparse.Namespace) -> None:
    """Break one stream again and again while events come; print what it missed."""
    from companion.ledger import Kind  # noqa: PLC0415 - after the fork

    ledger, table = open_table(folder)
    rng, stop = random.Random(11), threading.Event()

    def keep_writing() -> None:
        seq = 0
        while not stop.is_set():
            seq += 1
            ledger.append(
                table,
                seq,
                "a word",
                kind=Kind.NOTE,
                source="bench",
                actor=None,
                taken_at=datetime.now(UTC),
            )
            time.sleep(0.003)

    writer = threading.Thread(target=keep_writing)
    writer.start()
    got: list[int] = []
    for _ in range(wanted.drops):
        last = got[-1] if got else 0
        stream = Stream.open(port, f"/tables/{table}/events", last=last)
        stream.read_until(last + rng.randint(1, 5))
        got += stream.ids
        stream.close()
    stop.set()
    writer.join()
    missed = len(set(range(1, got[-1] + 1)) - set(got))
    doubled = len(got) - len(set(got))
    run = f"{wanted.drops} forced drops (seed 11)"
    print(f"{run}: {len(got)} events, {missed} missed, {doubled} doubled")
    keep(
        wanted.csv,
        {"run": run, "events": len(got), "missed": missed, "doubled": doubled},
    )
    ledger.close()


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=500)
    parser.add_argument("--rate", type=float, default=5.0)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--drops", type=int, default=0)
    parser.add_argument("--csv", type=Path, help="a file of results to add to")
    wanted = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page = context.Process(
            target=serve, args=(folder, wanted.clients, theirs), daemon=True
        )
        page.start()
        port = ours.recv()
        if wanted.drops:
            drops(port, folder, wanted)
        else:
            crowd(port, page.pid or 0, folder, wanted)
        page.terminate()
        page.join()


if __name__ == "__main__":
    main()
