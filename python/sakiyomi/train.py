"""A network for a game by one command: `python -m sakiyomi.train GAME` or `sakiyomi train GAME`.

The search plays against itself in Rust, many matches at once; PyTorch teaches the network what the search found and how the
matches ended; and so on. A run can be ended at any time: the same command goes on from the last checkpoint, and computes what
it would have computed.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _native
from .errors import MissingPackage, SakiyomiError, SpecError
from .network import SelfPlayResult, self_play

if TYPE_CHECKING:
    from .model import Evaluator, Student

__all__ = ["Budget", "Settings", "Training", "main"]

GROWTH = 0.5
"""The last half of the generations is learned from, so that what a network without any knowledge played is soon forgotten."""
LEAST_KEPT = 4
PROBED = 8
"""Random matches that say how long a match is."""
POINTS = 10
"""Points of the curve that are measured against an agent."""
LAST_RATE = 0.05
"""The share of the learning rate that is left in the end."""


@dataclass(frozen=True)
class Settings:
    """All that the numbers of a run depend on, beside its budget."""

    games: tuple[str, ...]
    simulations: int = 32
    rule: str = "gumbel"
    considered: int = 16
    """Actions at the root that Gumbel's rule looks at."""
    c: float = 1.0
    """The weight of priors in PUCT."""
    share: float = 0.7
    """How likely descent plays the best action rather than one of the others."""
    matches: int = 128
    """Matches of a generation, all at once."""
    openings: int = 0
    """Every second match begins with up to so many random moves."""
    width: int = 32
    blocks: int = 3
    batch: int = 256
    reuse: float = 4.0
    """How often a position is learned from in the generation that it is new in, on average; others come in its place."""
    window: int = 20
    """Generations that are learned from, at most."""
    rate: float = 2e-3
    teacher: str = ""
    """The agent whose matches the network begins with, if one."""
    taught: int = 0
    """Generations that the teacher plays."""
    against: str = "uct:iterations=200"
    evaluate: int = 40
    """Matches against that agent for a point of the curve."""
    seed: int = 1
    device: str = "cpu"
    threads: int = 0


@dataclass(frozen=True)
class Budget:
    """When a run ends: minutes of wall time, of CPU time, or generations."""

    minutes: float | None = None
    cpu_minutes: float | None = None
    generations: int | None = None

    def share(self, point: Point) -> float:
        """The share that was spent, from 0 on."""
        if self.generations is not None:
            return point.generation / self.generations
        if self.cpu_minutes is not None:
            return point.cpu_seconds / (60 * self.cpu_minutes)
        return point.seconds / (60 * (self.minutes or 15.0))


class Point(NamedTuple):
    """A generation, as the curve shows it. Seconds are those of all generations together."""

    generation: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    positions: int = 0
    policy_loss: float = float("nan")
    value_loss: float = float("nan")
    positions_per_second: float = float("nan")
    """Of self-play in this generation."""
    network_share: float = float("nan")
    """Of the time of self-play in this generation."""
    wins: int | None = None
    draws: int | None = None
    losses: int | None = None
    score: float | None = None


class _Shape(NamedTuple):
    """What a network has to fit."""

    observation: tuple[int, ...]
    n_actions: int
    symmetries: list[tuple[NDArray[np.int64], NDArray[np.int64]]]
    length: float
    """Moves of a random match."""
    of_first: bool
    """Whether the network has to say what each of two players gets, and not only the one who observes."""
    cells: list[int | None]
    """The cells that actions belong to; empty if they have nothing to do with cells."""


def _probe(games: Sequence[str]) -> _Shape:
    """Looks at the games, and says what is in the way of teaching them to a network."""
    shapes = []
    for place, game in enumerate(games):
        position = _native.Position(game)
        problem = None
        if 0 in position.observation_shape:
            problem = "it has no observations for a network"
        elif position.is_ranked:
            problem = "its actions have no numbers that mean the same in every position"
        elif position.is_simultaneous:
            problem = "players choose at once"
        elif position.players > 2:
            problem = "there are more than two players"
        # Of many games the first ones are played.
        n_matches = 0 if problem or place >= PROBED else -(-PROBED // len(games))
        lengths = []
        for i in range(n_matches):
            length, problem = _random_match(game, i)
            lengths.append(length)
            if problem:
                break
        if problem:
            raise SpecError(
                f"{game}: no network can be taught: {problem}; expected a game without chance for one player, or two in turn, "
                "such as connect-four, gdl:sheet=tic-tac-toe or tubstap:map=ford"
            )
        mean = sum(lengths) / max(1, n_matches)
        symmetries = position.symmetries()
        cells = position.cells_of_indices()
        shapes.append(_Shape(position.observation_shape, position.n_actions, symmetries, mean, _is_of_first(position), cells))
    for game, shape in zip(games, shapes, strict=True):
        if shape[:2] != shapes[0][:2]:
            raise SpecError(f"{game} has another board or other actions than {games[0]}; expected games of one shape")
    mean = sum(shape.length for shape in shapes[:PROBED]) / min(PROBED, len(shapes))
    return shapes[0]._replace(length=mean)


def _is_of_first(position: _native.Position) -> bool:
    """Whether the rules do not say that what two players get adds up to 1, as rule sheets never do."""
    return position.players == 2 and not position.is_constant_sum


def _random_match(game: str, seed: int) -> tuple[int, str | None]:
    """How many moves a random match has, and why the search cannot play it."""
    position, rng, n = _native.Position(game), random.Random(seed), 0
    while not position.is_over:
        if position.is_chance:
            return n, "chance has a part in it"
        if len(position.turn) != 1:
            return n, "players choose at once"
        position.apply(rng.choice(position.legal()))
        n += 1
    if position.players == 2 and abs(sum(position.payoffs or ()) - 1) > 1e-9:
        return n, "what one player gets does not say what the other gets"
    return n, None


class Training:
    """A run in a folder: the checkpoint, the examples of the last generations, the curve and the network."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        try:
            import torch

            from . import model
        except ImportError as error:
            raise MissingPackage(f"sakiyomi.train needs PyTorch ({error}): pip install torch") from error
        self._torch, self._model = torch, model
        self.folder = folder
        self.shape = _probe(settings.games)
        if settings.openings == 0:
            settings = replace(settings, openings=max(1, round(self.shape.length / 3)))
        self.settings = settings
        self.points: list[Point] = []
        torch.manual_seed(settings.seed)
        if settings.threads:
            torch.set_num_threads(settings.threads)
        torch.backends.cudnn.benchmark = True
        net = model.Net(self.shape.observation, self.shape.n_actions, settings.width, settings.blocks, self.shape.of_first, self.shape.cells)
        net = net.to(settings.device, memory_format=torch.channels_last)
        self.student: Student = model.Student(net, settings.rate, self.shape.symmetries)
        self._examples: dict[int, tuple[Any, Any, Any]] = {}
        folder.mkdir(parents=True, exist_ok=True)
        self._resume()

    @property
    def last(self) -> Point:
        return self.points[-1] if self.points else Point()

    def _resume(self) -> None:
        """Reads the last checkpoint, if there is one."""
        file = self.folder / "settings.json"
        own = json.loads(json.dumps(asdict(self.settings)))
        known = json.loads(file.read_text()) if file.exists() else own
        # The same numbers on any machine of one kind; which of them may change.
        differing = [name for name in own if known.get(name) != own[name] and name not in ("device", "threads")]
        if differing:
            name = differing[0]
            raise SpecError(
                f"{self.folder} holds a run with {name}={known.get(name)}, not {own[name]}; "
                f"expected the same settings to go on, or another folder (--out)"
            )
        with self._model.replaced(file) as new:
            new.write_text(json.dumps(own, indent=1) + "\n")
        checkpoint = self.folder / "checkpoint.pt"
        if checkpoint.exists():
            state = self._torch.load(checkpoint, map_location=self.student.device, weights_only=True)
            self.points = [Point(*point) for point in state["points"]]
            self.student.load(state["student"])
            for generation in self._kept():
                with np.load(self._examples_file(generation)) as arrays:
                    self._examples[generation] = (arrays["observations"], arrays["policies"], arrays["results"])

    def _kept(self) -> range:
        """The generations that are learned from after the last one."""
        generation = self.last.generation
        n = min(self.settings.window, max(LEAST_KEPT, round(GROWTH * generation)), generation)
        return range(generation - n + 1, generation + 1)

    def _examples_file(self, generation: int) -> Path:
        return self.folder / f"examples-{generation:05}.npz"

    def run(self, budget: Budget, tell: Callable[[str], object] | None = None, say: Callable[[str], object] = print) -> Point:
        """Goes on until the budget is spent, and writes the network. `tell` is told what is being done, and `say` what was."""
        if self.points:
            say(f"goes on after generation {self.last.generation}")
        while (share := budget.share(self.last)) < 1.0:
            point = self._generation(share, budget, tell or (lambda _: None))
            say(_line(point, self.settings))
        path = self._save_network()
        say(f"{path}: {path.stat().st_size / 1e6:.2f} MB; `sakiyomi duel {self.settings.games[0]} net:file={path} uct` plays it")
        return self.last

    def _generation(self, share: float, budget: Budget, tell: Callable[[str], object]) -> Point:
        """Matches, lessons, perhaps a point of the curve, and the checkpoint."""
        began, began_cpu, last = time.perf_counter(), time.process_time(), self.last
        generation = last.generation + 1
        evaluator = self._model.Evaluator(self.student.net, -(-self.settings.matches // 2))
        played = self._taught(generation, tell) if generation <= self.settings.taught else self._play(evaluator, generation, tell)
        seconds = time.perf_counter() - began
        n = len(played.results)
        tell(f"generation {generation}: {n} positions, learning")
        self._save_examples(generation, played)
        rate = self.settings.rate * max(LAST_RATE, min(1.0, 2.0 * (1.0 - share)))
        losses = self._learn(generation, n, rate)
        point = Point(generation, 0.0, 0.0, last.positions + n, *losses, n / seconds, evaluator.seconds / seconds)
        spent = (last.seconds + time.perf_counter() - began, last.cpu_seconds + time.process_time() - began_cpu)
        point = point._replace(seconds=spent[0], cpu_seconds=spent[1])
        if int(POINTS * budget.share(point)) > int(POINTS * share):
            tell(f"generation {generation}: matches against {self.settings.against}")
            point = self._evaluate(point)
            self._save_network()
        self.points.append(point)
        self._save()
        return point

    def _play(self, evaluator: Evaluator, generation: int, tell: Callable[[str], object]) -> SelfPlayResult:
        settings = self.settings

        def progress(ended: int) -> None:
            tell(f"generation {generation}: {ended} of {settings.matches} matches")

        return SelfPlayResult(
            **_native.many_matches(
                settings.games,
                evaluator,
                matches=settings.matches,
                at_once=settings.matches,
                simulations=settings.simulations,
                rule=settings.rule,
                considered=settings.considered,
                c=settings.c,
                noise=(10.0 / self.shape.length, 0.25),
                share=settings.share,
                images=True,
                opening_plies=settings.openings,
                drawn_moves=max(4, round(self.shape.length / 3)),
                seed=_seed(settings.seed, generation),
                threads=settings.threads,
                progress=progress,
            )
        )

    def _taught(self, generation: int, tell: Callable[[str], object]) -> SelfPlayResult:
        """Matches of the teacher."""
        settings = self.settings

        def progress(ended: int) -> None:
            tell(f"generation {generation}: {ended} of {settings.matches} matches of {settings.teacher}")

        return SelfPlayResult(
            **_native.agent_matches(
                settings.games,
                settings.teacher,
                matches=settings.matches,
                opening_plies=settings.openings,
                drawn_moves=max(4, round(self.shape.length / 3)),
                seed=_seed(settings.seed, generation),
                threads=settings.threads,
                progress=progress,
            )
        )

    def _save_examples(self, generation: int, played: SelfPlayResult) -> None:
        """Keeps what is to be learned: the policy, and the mean of how the match ended and of what the search expected. Descent
        learns what it expects alone, since most of its tree was never played."""
        results = played.values if self.settings.rule == "descent" else (played.results + played.values) / 2
        if self.shape.of_first:
            results = np.where(played.players == 0, results, 1 - results).astype(np.float32)
        examples = (played.observations.astype(np.float16), played.policies.astype(np.float16), results)
        with self._model.replaced(self._examples_file(generation)) as new, new.open("wb") as file:
            np.savez(file, observations=examples[0], policies=examples[1], results=examples[2])
        self._examples[generation] = examples

    def _learn(self, generation: int, n_new: int, rate: float) -> tuple[float, float]:
        settings = self.settings
        n = min(settings.window, max(LEAST_KEPT, round(GROWTH * generation)), generation)
        self._examples = {kept: self._examples[kept] for kept in sorted(self._examples) if kept > generation - n}
        steps = max(1, round(settings.reuse * n_new / settings.batch))
        rng = np.random.default_rng([settings.seed, generation])
        return self.student.learn(list(self._examples.values()), steps, settings.batch, rate, rng)

    def _evaluate(self, point: Point) -> Point:
        """Matches of the network against the agent, with as many evaluations as it has iterations."""
        settings = self.settings
        is_alone = _native.Position(settings.games[0]).players == 1
        found = re.search(r"iterations=(\d+)", settings.against)
        played = self_play(
            settings.games[point.generation % len(settings.games)],
            self._model.Evaluator(self.student.net, settings.evaluate),
            games=settings.evaluate,
            at_once=min(settings.evaluate, 200),
            simulations=int(found[1]) if found else 200,
            c=0.5,
            noise=None,
            temperature_moves=0,
            seed=_seed(settings.seed, point.generation),
            opponent=None if is_alone else settings.against,
        )
        own = played.payoffs[np.arange(len(played.seats)), np.maximum(played.seats, 0)]
        wins, losses = int((own > 0.5).sum()), int((own < 0.5).sum())
        return point._replace(wins=wins, draws=len(own) - wins - losses, losses=losses, score=round(float(own.mean()), 4))

    def _save_network(self) -> Path:
        path = self.folder / "network.onnx"
        self._model.save_onnx(self.student.net, self.shape.observation, self.shape.n_actions, path)
        return path

    def _save(self) -> None:
        """Writes the curve and the checkpoint, each as a whole, and removes examples that are not learned from any more."""
        with self._model.replaced(self.folder / "curve.csv") as new, new.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(Point._fields)
            writer.writerows([round(cell, 4) if isinstance(cell, float) else cell for cell in point] for point in self.points)
        with self._model.replaced(self.folder / "checkpoint.pt") as new:
            state = {"points": [tuple(point) for point in self.points], "student": self.student.state()}
            self._torch.save(state, new)
        kept = {self._examples_file(generation).name for generation in self._kept()}
        for old in self.folder.glob("examples-*.npz"):
            if old.name not in kept:
                old.unlink()


def _seed(seed: int, generation: int) -> int:
    return 1_000_000 * seed + generation


def _line(point: Point, settings: Settings) -> str:
    text = (
        f"generation {point.generation}, {point.seconds / 60:.1f} min: {point.positions} positions"
        f" ({point.positions_per_second:.0f} a second, {point.network_share:.0%} in the network),"
        f" losses {point.policy_loss:.3f} {point.value_loss:.3f}"
    )
    if point.score is not None:
        bar = "#" * round(20 * point.score)
        text += f"\n  [{bar:<20}] {point.score:.2f}: {point.wins} won, {point.draws} drawn, {point.losses} lost against {settings.against}"
    return text


def _parser() -> argparse.ArgumentParser:
    defaults = Settings(())
    parser = argparse.ArgumentParser(
        prog="sakiyomi train",
        description="Teach a network a game: it plays against itself, learns, and becomes a file that `net:file=..` plays with.",
        epilog="Ctrl-C ends a run; the same command goes on where it ended. `@FILE` stands for the lines of a file, such as a list "
        "of maps. Needs PyTorch: pip install torch",
        fromfile_prefix_chars="@",
    )
    parser.add_argument("games", nargs="+", metavar="GAME", help="the game, or several of one shape, such as maps of one size")
    parser.add_argument("--out", metavar="DIR", type=Path, help="the folder of the run; trained/GAME if not given")
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--minutes", type=float, help="wall time of self-play and learning; 15 if not given")
    budget.add_argument("--cpu-minutes", type=float, help="CPU time instead, of all cores together")
    budget.add_argument("--generations", type=int, help="generations instead; then nothing depends on the clock")
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto", help="where the network is; a graphics card if there is one")
    parser.add_argument("--threads", type=int, default=0, help="threads of search and network; 0 for one for each core")
    parser.add_argument("--rule", choices=["gumbel", "puct", "descent"], default="gumbel", help="how the search picks actions")
    for name, text in _NUMBERS.items():
        default = getattr(defaults, name)
        shown = {"matches": "128, or 2048 with a graphics card", "width": "32, or 64", "blocks": "3, or 4", "batch": "256, or 1024"}
        of_default = shown.get(name, "a third of a random match" if name == "openings" else f"{default:g}")
        parser.add_argument(f"--{name}", type=type(default), default=None, help=f"{text} ({of_default})")
    parser.add_argument("--teacher", default="", metavar="AGENT", help="an agent that plays the first generations instead of the network")
    parser.add_argument("--against", default=defaults.against, metavar="AGENT", help=f"the opponent for the curve ({defaults.against})")
    parser.add_argument("--quiet", "-q", action="store_true", help="show no progress inside a generation")
    return parser


_NUMBERS = {
    "simulations": "evaluations for a move",
    "taught": "generations that the teacher plays",
    "considered": "actions at the root that Gumbel's rule looks at",
    "share": "how likely descent plays the best action rather than one of the others",
    "matches": "matches of a generation",
    "openings": "every second match begins with up to so many random moves",
    "width": "channels of the network",
    "blocks": "residual blocks of the network",
    "batch": "positions of a step of learning",
    "reuse": "how often a position is learned from for each new one",
    "window": "generations that are learned from at most",
    "rate": "the learning rate, which falls in the second half",
    "evaluate": "matches for a point of the curve",
    "seed": "where random numbers begin",
}
_ON_CARD = {"matches": 2048, "width": 64, "blocks": 4, "batch": 1024}


def _settings(given: argparse.Namespace) -> Settings:
    games = tuple(_native.game_text(game) for game in given.games)
    device = given.device
    if device != "cpu":
        try:
            import torch
        except ImportError as error:
            raise MissingPackage(f"sakiyomi.train needs PyTorch ({error}): pip install torch") from error
        has_card = torch.cuda.is_available()
        if device == "cuda" and not has_card:
            raise SpecError("--device cuda: PyTorch finds no graphics card; expected `cpu` or `auto`")
        device = "cuda" if has_card else "cpu"
    numbers = {**(_ON_CARD if device == "cuda" else {}), **{name: getattr(given, name) for name in _NUMBERS if getattr(given, name) is not None}}
    for name, value in numbers.items():
        if value <= 0 and name not in ("seed", "taught"):
            raise SpecError(f"--{name} is {value}; expected a number above 0")
    for name in ("minutes", "cpu_minutes", "generations"):
        value = getattr(given, name)
        if value is not None and not value > 0:
            raise SpecError(f"--{name.replace('_', '-')} is {value}; expected a number above 0")
    if given.threads < 0:
        raise SpecError(f"--threads is {given.threads}; expected 0 or a number above it")
    against = _native.agent_text(given.against)
    teacher = _native.agent_text(given.teacher) if given.teacher else ""
    if bool(teacher) != (numbers.get("taught", 0) > 0):
        raise SpecError("--teacher and --taught belong together; expected for example `--teacher uct:iterations=200 --taught 3`")
    return Settings(games, rule=given.rule, teacher=teacher, against=against, device=device, threads=given.threads, **numbers)


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    shows = sys.stderr.isatty() and not given.quiet

    def tell(text: str) -> None:
        sys.stderr.write(f"\r{text[:78]:<78}")
        sys.stderr.flush()

    def say(text: str) -> None:
        if shows:
            sys.stderr.write(f"\r{'':<78}\r")
        print(text, flush=True)

    try:
        settings = _settings(given)
        name = re.sub(r"[^\w.-]+", "-", settings.games[0]).strip("-")[:60]
        training = Training(given.out or Path("trained") / name, settings)
        training.run(Budget(given.minutes, given.cpu_minutes, given.generations), tell if shows else None, say)
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped; the same command goes on where it ended\n")
        return 130
    except SakiyomiError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2 if isinstance(error, SpecError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
