"""Times one scoring of a saved graph with whatever version of kces the running Python has. Started as a script.

Two versions are compared by running this file with both Pythons: it uses nothing but ``kces.Graph`` and
``kces.score_edges``, and no other file of this package. Input: a JSON document with the paths of the graph's arrays and
of the scores to write, the options of ``score_edges`` and how often to score; the quickest counts, so that compiling
does not. Output: one line of JSON.
"""

from __future__ import annotations

import json
import resource
import sys
import time


def main() -> None:
    import numpy as np
    import scipy.sparse as sp

    import kces

    order = json.load(sys.stdin)
    arrays = np.load(order["graph"])
    features = arrays.get("dense")
    if "data" in arrays:
        features = sp.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=arrays["shape"])
    graph = kces.Graph.from_edges(arrays["edges"], features, n_nodes=int(arrays["n_nodes"]))
    seconds, processor = [], []
    for _ in range(order["times"]):
        began, used = time.perf_counter(), time.process_time()
        scores = kces.score_edges(graph, **order["options"])
        seconds.append(time.perf_counter() - began)
        processor.append(time.process_time() - used)
    np.save(order["scores"], scores)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = {"version": kces.__version__, "seconds": min(seconds), "processor_seconds": min(processor), "peak_mb": peak}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
