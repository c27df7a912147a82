"""A board for notebooks, on which one can play and see what an agent thinks.

    from sakiyomi.widget import Board
    Board("connect-four", opponent="uct:iterations=2000")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._native import Table
from .errors import MissingPackage, SakiyomiError

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise MissingPackage("sakiyomi.widget needs anywidget: pip install anywidget") from error

if TYPE_CHECKING:
    from . import Game

__all__ = ["Board"]

_PAGE = """
function render({ model, el }) {
  el.classList.add("sakiyomi");
  const draw = () => {
    el.innerHTML = '<div class="board"></div><p role="status"></p><div class="moves"></div><div class="orders"></div><table></table>';
    el.querySelector(".board").innerHTML = model.get("svg");
    el.querySelector("p").textContent = model.get("caption") + (model.get("error") ? " \\u2014 " + model.get("error") : "");
    const button = (place, text, message) => {
      const made = document.createElement("button");
      made.textContent = text;
      made.onclick = () => model.send(message);
      el.querySelector(place).append(made);
    };
    for (const action of model.get("legal")) button(".moves", action, { kind: "play", action });
    button(".orders", "think", { kind: "think" });
    button(".orders", "undo", { kind: "undo" });
    for (const [action, share] of Object.entries(model.get("policy")).slice(0, 10)) {
      const row = el.querySelector("table").insertRow();
      row.insertCell().textContent = action;
      const bar = document.createElement("meter");
      bar.value = share;
      row.insertCell().append(bar);
      row.insertCell().textContent = (100 * share).toFixed(0) + " %";
    }
  };
  for (const name of ["svg", "caption", "error", "legal", "policy"]) model.on("change:" + name, draw);
  draw();
}
export default { render };
"""

_STYLE = """
.sakiyomi .board svg { max-width: 24em; height: auto; }
.sakiyomi button { margin: 0.1em; }
"""


class Board(anywidget.AnyWidget):
    """A match with buttons for its moves. With an `opponent` the other seats are played by it; *think* asks the
    `adviser`, and its shares of the moves are drawn as bars. `table` is the match, which Python may play on, too: call
    `refresh()` then."""

    _esm = _PAGE
    _css = _STYLE
    svg = traitlets.Unicode().tag(sync=True)
    caption = traitlets.Unicode().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)
    legal = traitlets.List(traitlets.Unicode()).tag(sync=True)
    policy = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        game: str | Game | Table,
        *,
        seat: int = 0,
        opponent: str | None = None,
        adviser: str = "uct:iterations=2000",
        seed: int = 1,
    ) -> None:
        super().__init__()
        self.table = game if isinstance(game, Table) else Table(game, seed)
        self.seat, self.opponent, self.adviser = seat, opponent, adviser
        self.on_msg(self._told)
        self._answer()
        self.refresh()

    def play(self, action: str) -> None:
        """Plays a move of the person's, and the opponent's answers."""
        self.policy = {}
        self.table.play(action)
        self._answer()
        self.refresh()

    def think(self) -> None:
        """Asks the adviser, and shows the shares of the moves."""
        self.policy = dict(self.table.advise(self.adviser).policy)

    def undo(self) -> None:
        """Takes back to the person's last move."""
        self.policy = {}
        while self.table.undo() and self.opponent is not None and self.table.turn != (self.seat,):
            pass
        self._answer()
        self.refresh()

    def refresh(self) -> None:
        """Draws the match as it is now."""
        self.svg = self.table.svg()
        self.legal = self.table.legal() if len(self.table.turn) == 1 else []
        payoffs = self.table.payoffs
        self.caption = self.table.caption if payoffs is None else f"{self.table.caption} {payoffs}"

    def _answer(self) -> None:
        while self.opponent is not None and len(self.table.turn) == 1 and self.table.turn != (self.seat,):
            self.table.play(self.table.advise(self.opponent).action)

    def _told(self, _widget: Any, content: dict[str, Any], _buffers: Any) -> None:
        self.error = ""
        try:
            match content.get("kind"):
                case "play":
                    self.play(str(content.get("action")))
                case "think":
                    self.think()
                case "undo":
                    self.undo()
        except SakiyomiError as error:
            self.error = str(error)
