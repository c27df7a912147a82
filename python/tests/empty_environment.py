"""In an environment with nothing but the wheel: the first example of the README, what is missing, and the page.

    python empty_environment.py PROGRAM

It is no test of pytest, which is not there; `python/test.sh` runs it with the installed `sakiyomi` program.
"""

import importlib
import importlib.util
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import sakiyomi


def main(program):
    others = [name for name in ("pandas", "pettingzoo", "gymnasium", "anywidget", "pyspiel", "ray", "torch") if importlib.util.find_spec(name)]
    assert not others, f"the environment is not empty: {others}"
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    code = readme.split("```python\n", 1)[1].split("```", 1)[0]
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})

    needs = {
        "pandas": lambda: sakiyomi.duel("tic-tac-toe", "random", "random", games=2).to_frame(),
        "pettingzoo": lambda: importlib.import_module("sakiyomi.pettingzoo"),
        "gymnasium": lambda: importlib.import_module("sakiyomi.gymnasium"),
        "anywidget": lambda: importlib.import_module("sakiyomi.widget"),
        "open_spiel": lambda: importlib.import_module("sakiyomi.open_spiel"),
        "ray": lambda: importlib.import_module("sakiyomi.ray").run("all"),
    }
    for package, call in needs.items():
        try:
            call()
        except sakiyomi.MissingPackage as error:
            assert f"pip install {package}" in str(error), error
        else:
            raise AssertionError(f"nothing said that {package} is missing")

    server = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://\S+", server.stdout.readline()).group(0)
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert answer.status == 200 and b"<html" in answer.read().lower()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=60)
    print("the wheel works in an empty environment")


if __name__ == "__main__":
    main(sys.argv[1])
