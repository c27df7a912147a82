"""The command line: `sakiyomi serve`, `sakiyomi duel` and all others."""

import os
import signal
import sys

from . import _native


def main() -> None:
    # For `sakiyomi train`, which runs in the same interpreter.
    os.environ.setdefault("SAKIYOMI_PYTHON", sys.executable)
    # The command line has its own way with Ctrl-C, and until it is set up the system's is the right one.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.main(["sakiyomi", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
