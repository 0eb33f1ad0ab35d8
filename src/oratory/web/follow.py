"""A command of the program that ends when the page does: `python -m oratory.web.follow train lm`.

The page holds the other end of stdin. When the page ends in any way, even by being killed, stdin ends too; the command
is then interrupted as by Ctrl-C, so that its run is saved and nothing trains on unseen.
"""

import os
import runpy
import signal
import threading


def _watch() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    threading.Thread(target=_watch, daemon=True).start()
    runpy.run_module("oratory", run_name="__main__", alter_sys=True)
