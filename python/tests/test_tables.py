"""Games, agents, tables and what agents think."""

import json
import threading
import time

import numpy as np
import pytest
import sakiyomi


def test_everything_is_listed():
    games = {entry.name: entry for entry in sakiyomi.games()}
    assert {"tic-tac-toe", "connect-four", "hagetaka", "tubstap", "gdl"} <= games.keys()
    assert all(entry.summary and entry.presets for entry in games.values())
    agents = {entry.name for entry in sakiyomi.agents()}
    assert {"random", "uct", "exact"} <= agents


def test_a_whole_match():
    table = sakiyomi.Game("connect-four:5x4").table(seed=7)
    assert table.players == 2 and table.turn == (0,) and table.payoffs is None
    assert table.legal() == ["a", "b", "c", "d", "e"] and table.legal(1) == []
    while not table.is_over:
        thought = table.advise("uct:iterations=100")
        assert thought.action in table.legal() and thought.iterations == 100
        assert sum(thought.policy.values()) == pytest.approx(1)
        assert thought.to_dict()["action"] == thought.action
        table.play(thought.action)
    assert sum(table.payoffs) == pytest.approx(1) and table.turn == () and table.legal() == []
    again = sakiyomi.Table.replay(json.loads(json.dumps(table.record())))
    assert again.record() == table.record() and again.view() == table.view()
    assert len(table.past()) == len(table.record()["moves"])
    assert table.undo() and not table.is_over


def test_players_who_choose_at_once():
    table = sakiyomi.Table("goofspiel:n=3", seed=2)
    assert table.turn == (0, 1)
    with pytest.raises(sakiyomi.SpecError, match="several players"):
        table.legal()
    assert table.legal(0) == table.legal(1)
    with pytest.raises(sakiyomi.IllegalAction, match="2 choose now, but 1"):
        table.play("1")
    table.play("1", "2")
    table.seat(0, "rm:iterations=50")
    assert table.think(0).action in table.legal(0)


def test_pictures():
    table = sakiyomi.Table("hex:5x5")
    assert table.svg() == table._repr_svg_()
    assert table.svg().startswith("<svg ") and table.svg().count("<polygon") == 25
    assert "a" in str(table) and "hex" in repr(table)
    import xml.etree.ElementTree as tree

    for entry in sakiyomi.games():
        tree.fromstring(sakiyomi.Table(entry.presets[0]).svg())


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (lambda: sakiyomi.Game("chess"), sakiyomi.SpecError, "chess"),
        (lambda: sakiyomi.Game("connect-four:100x100").table(), sakiyomi.SpecError, "100"),
        (lambda: sakiyomi.Table("tic-tac-toe").play("d4"), sakiyomi.IllegalAction, "not legal"),
        (lambda: sakiyomi.Table("tic-tac-toe").advise("uct:speed=3"), sakiyomi.SpecError, "speed"),
        (lambda: sakiyomi.Table("tic-tac-toe").legal(5), IndexError, "no player 5"),
        (lambda: sakiyomi.Table("tic-tac-toe").think(), sakiyomi.TableError, "no agent"),
        (lambda: sakiyomi.Table.replay({"game": "tic-tac-toe"}), sakiyomi.SpecError, "no record"),
        (lambda: sakiyomi.duel("tic-tac-toe", "random", "random", games=0), sakiyomi.SpecError, "0 games"),
    ],
)
def test_errors_are_exceptions(act, error, text):
    with pytest.raises(error, match=text):
        act()
    if issubclass(error, sakiyomi.SpecError):
        assert issubclass(error, ValueError)


def test_a_search_leaves_python_free():
    table = sakiyomi.Table("connect-four")
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.monotonic()
    table.advise("uct:time=400ms")
    done.set()
    thread.join()
    assert time.monotonic() - start > 0.3 and counted > 2, "held for the whole search it would be 1"


def test_a_table_is_busy_while_an_agent_thinks():
    table = sakiyomi.Table("connect-four")
    thread = threading.Thread(target=lambda: table.advise("uct:time=500ms"))
    thread.start()
    time.sleep(0.1)
    with pytest.raises(sakiyomi.SakiyomiError, match="thinking"):
        table.legal()
    thread.join()
    assert len(table.legal()) == 7


def test_positions():
    position = sakiyomi.Game("tic-tac-toe").position()
    other = position.copy()
    assert position == other and hash(position) == hash(other) and position != 3
    position.apply(position.action("b2"))
    assert position != other and position.turn == (1,)
    assert position.action_text(0) in sakiyomi.Table("tic-tac-toe").legal()
    assert position.observation().shape == position.observation_shape
    assert position.mask().sum() == 8 and position.mask(0).sum() == 0
    assert position.legal() == np.flatnonzero(position.mask()).tolist()
    with pytest.raises(sakiyomi.IllegalAction):
        position.apply(9)
    chance = sakiyomi.Game("goofspiel:n=3").position()
    assert chance.is_chance and chance.turn == ()
    assert sum(p for _, p in chance.outcomes()) == pytest.approx(1)
