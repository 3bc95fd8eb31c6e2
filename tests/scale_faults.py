"""Steps that die, and programs that kill themselves at a chosen moment: for the tests of faults."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

from kces.scale.run_folder import RunFolder


def die_once(place: str, item: int) -> dict[str, np.ndarray]:
    """Ends its process without a word the first time that item 3 is computed."""
    marker = Path(place) / "died"
    if item == 3 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"value": np.array([item * item])}


def die_always(place: str, item: int) -> dict[str, np.ndarray]:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def refuse(place: str, item: int) -> dict[str, np.ndarray]:
    from kces.errors import OutputError

    raise OutputError("cannot write there: No space left on device")


def wait_for_release(place: str, item: int) -> dict[str, np.ndarray]:
    """Item 0 is done at once; the others wait until somebody touches a file, or for a minute."""
    import time

    if item:
        for _ in range(600):
            if (Path(place) / "go").exists():
                break
            time.sleep(0.1)
    return {"value": np.array([item])}


def killed_after(saves: int, halfway: bool) -> None:
    """Let this process kill itself after so many parts, or in the middle of writing the next."""
    save, count = RunFolder.save, [0]

    def counted(self: RunFolder, stage: str, item: int, results: Any) -> None:
        if count[0] == saves and halfway:
            self.file(stage, item, next(iter(results))).with_suffix(".1.tmp").write_bytes(b"half")
        if count[0] == saves:
            os.kill(os.getpid(), signal.SIGKILL)
        count[0] += 1
        save(self, stage, item, results)

    RunFolder.save = counted  # type: ignore[method-assign]


if __name__ == "__main__":
    killed_after(int(sys.argv[1]), halfway=sys.argv[2] == "halfway")
    from kces.cli import main

    main(sys.argv[3:])
