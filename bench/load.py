#!/usr/bin/env python3
"""Load on `sakiyomi serve`: many who watch, some whose agents think, and one who just wants the page.

    sakiyomi serve --listen 127.0.0.1:7373 &
    python3 bench/load.py 127.0.0.1:7373 --watchers 200 --thinkers 50 --seconds 1800 --pid $! --curve memory.csv

Watchers hold a stream of events of a running duel, thinkers let one agent after the other think for a second and give up
every fifth search in the middle, and the visitor asks for the page and for a position again and again. Prints what
everyone got, and exits with 1 if anything failed. With --pid and --curve the memory of the server is written down every
10 seconds (Linux).
"""

import argparse
import asyncio
import json
import statistics
import time


class Failure(Exception):
    pass


async def ask(server, method, path, body=None):
    """One request; hands over the status and the reader of the body."""
    host, port = server
    reader, writer = await asyncio.open_connection(host, port)
    text = json.dumps(body).encode() if body is not None else b""
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
    writer.write(head.encode() + text)
    await writer.drain()
    line = (await reader.readline()).split()
    if len(line) < 2:
        raise Failure(f"{method} {path}: closed without an answer")
    while (await reader.readline()).strip():
        pass
    return int(line[1]), reader, writer


async def whole(server, method, path, body=None):
    start = time.monotonic()
    status, reader, writer = await ask(server, method, path, body)
    answer = await reader.read()
    writer.close()
    if status >= 400:
        raise Failure(f"{method} {path}: {status} {answer[:200]!r}")
    return answer, time.monotonic() - start


async def watcher(server, job, end, counts):
    status, reader, writer = await ask(server, "GET", f"/api/jobs/{job}/events")
    if status != 200:
        raise Failure(f"events: {status}")
    while time.monotonic() < end:
        try:
            line = await asyncio.wait_for(reader.readline(), end - time.monotonic())
        except (asyncio.TimeoutError, TimeoutError):
            break
        if not line:
            raise Failure("a stream of events ended")
        counts["events"] += line.startswith(b"event")
    writer.close()


async def thinker(server, number, end, counts, failures):
    """Thinks, and begins another match after a failure, so that the load stays what it is."""
    while time.monotonic() < end:
        try:
            await think(server, number, end, counts)
        except (Failure, OSError) as failure:
            failures.append(failure)
            await asyncio.sleep(1)


async def think(server, number, end, counts):
    games = ["connect-four", "othello", "breakthrough", "sangoku", "hagetaka"]
    record = {"game": games[number % len(games)], "seed": number, "moves": []}
    while time.monotonic() < end:
        answer, _ = await whole(server, "POST", "/api/position", {"record": record})
        position = json.loads(answer)
        if position["turn"]["kind"] == "over":
            record["moves"] = []
            continue
        record, texts = position["record"], []
        for player in position["turn"]["players"]:
            request = {"record": record, "player": player, "agent": "uct:time=1s"}
            counts["searches"] += 1
            if counts["searches"] % 5 == 0:
                await given_up(server, request)
                counts["given up"] += 1
            events, _ = await whole(server, "POST", "/api/think", request)
            if b"event: done" not in events:
                raise Failure(f"no decision: {events[-200:]!r}")
            last = [line for line in events.split(b"\n") if b"data: {" in line][-1]
            texts.append(json.loads(last[last.index(b"{"):])["action"])
            counts["decisions"] += 1
        record["moves"].append(texts)


async def given_up(server, request):
    """Leaves a search in the middle, as a page does that is closed."""
    status, reader, writer = await ask(server, "POST", "/api/think", request)
    if status != 200:
        raise Failure(f"think: {status}")
    await reader.readline()
    await asyncio.sleep(0.3)
    writer.close()


async def memory(pid, file, start, end):
    """Writes seconds, resident memory, what of it is no file, and threads of the server."""
    with open(file, "w", encoding="ascii") as out:
        out.write("seconds,resident_mb,anonymous_mb,threads\n")
        while time.monotonic() < end:
            with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
                values = dict(line.split(":", 1) for line in status if ":" in line)
            resident, anonymous = (int(values[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon"))
            seconds = time.monotonic() - start
            out.write(f"{seconds:.0f},{resident:.1f},{anonymous:.1f},{values['Threads'].strip()}\n")
            out.flush()
            await asyncio.sleep(10)


async def visitor(server, end, times):
    record = {"game": "connect-four", "seed": 1, "moves": [["d"], ["c"]]}
    while time.monotonic() < end:
        for name, *request in [
            ("page", "GET", "/"),
            ("position", "POST", "/api/position", {"record": record}),
        ]:
            _, seconds = await whole(server, *request)
            times.setdefault(name, []).append(seconds)
        await asyncio.sleep(0.05)


async def main(options):
    host, port = options.server.rsplit(":", 1)
    server = (host, int(port))
    agents = ["uct:iterations=500", "uct:iterations=200"]
    duel = {"kind": "duel", "game": "othello", "agents": agents, "games": 100000, "seed": int(time.time())}
    answer, _ = await whole(server, "POST", "/api/jobs", duel)
    job = json.loads(answer)["id"]
    start = time.monotonic()
    end = start + options.seconds
    counts, times = {"events": 0, "decisions": 0, "searches": 0, "given up": 0}, {}
    failures = []
    tasks = [watcher(server, job, end, counts) for _ in range(options.watchers)]
    tasks += [thinker(server, number, end, counts, failures) for number in range(options.thinkers)]
    tasks.append(visitor(server, end, times))
    if options.pid and options.curve:
        tasks.append(memory(options.pid, options.curve, start, end + options.rest))
    failures += [result for result in await asyncio.gather(*tasks, return_exceptions=True) if result]
    await whole(server, "POST", f"/api/jobs/{job}/stop", {})
    print(f"{options.watchers} watchers got {counts['events']} events, {options.thinkers} thinkers {counts['decisions']} decisions and gave up {counts['given up']} searches")
    for name, seconds in times.items():
        seconds.sort()
        late = seconds[int(len(seconds) * 0.95)]
        print(f"{name}: {len(seconds)} times, median {statistics.median(seconds) * 1000:.0f} ms, 95 % within {late * 1000:.0f} ms, all within {seconds[-1] * 1000:.0f} ms")
    for failure in failures[:10]:
        print(f"failed: {failure!r}")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("server", help="address and port")
parser.add_argument("--watchers", type=int, default=200)
parser.add_argument("--thinkers", type=int, default=20)
parser.add_argument("--seconds", type=float, default=20.0)
parser.add_argument("--pid", type=int, help="the process of the server")
parser.add_argument("--curve", help="write the memory of the server into this file (CSV)")
parser.add_argument("--rest", type=float, default=0.0, help="seconds for which memory is written down after the load")
raise SystemExit(asyncio.run(main(parser.parse_args())))
