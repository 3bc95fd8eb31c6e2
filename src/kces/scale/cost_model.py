"""What scoring a graph on disk will take, from measured unit costs: time, memory, disk, and what breaks first.

A spreadsheet in code: every stage of ``robust_on_disk.py`` is a count of elementary steps times the cost of one, shared
by the threads of all workers, and a count of bytes over the speed of a disk. The unit costs are fitted to the points of
``docs/scaling.md`` by ``kces.bench.fit_scale``; a test holds the model to within a quarter of each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from kces.scale.robust_layout import RobustLayout, memory_bound, plan_layout
from kces.scorers.feature_spaces import RANK

__all__ = [
    "Effort",
    "Machine",
    "Resources",
    "ScalePlan",
    "UnitCosts",
    "Workload",
    "make_plan",
    "stage_efforts",
]


@dataclass(frozen=True)
class Workload:
    """The sizes of a graph.

    Attributes
    ----------
    nodes, edges, features : counts; edges are undirected.
    """

    nodes: int
    edges: int
    features: int = 64


@dataclass(frozen=True)
class Machine:
    """One machine of the cluster; the defaults are the one that was measured.

    Attributes
    ----------
    threads : that compute at once, shared by its workers.
    memory : bytes.
    disk_speed : bytes a second that it reads and writes, of a disk that it does not share.
    price : of an hour, in any currency.
    """

    threads: int = 2
    memory: int = 24 * 2**30
    disk_speed: float = 2.0e9
    price: float = 0.0


@dataclass(frozen=True)
class UnitCosts:
    """Nanoseconds of one thread for one step of each kind.

    Attributes
    ----------
    row_entry : a feature of a node, read, weighted and summed.
    hop_entry : a neighbor's feature added to a row.
    hop_miss : added to it for each doubling of the hops beyond the cache.
    node_entry : a feature of a node in the products of nodes and their covariance.
    project_entry : a feature of a node along the leading directions.
    pair_entry : a feature of a pair in one of the nine products of its ends.
    pair_miss : added to a pair for each doubling of the hops beyond the cache.
    pair : cosines of a pair in one space.
    score_edge : the score of an edge from its views, one thread of each worker.
    cut_edge : an edge in the passes of the cut, one thread alone.
    order_link : a link in the canonical order, one thread alone.
    stage, cluster_stage : what a stage takes on any graph, in this process and on a cluster.
    """

    row_entry: float = 13.3
    hop_entry: float = 2.91
    hop_miss: float = 1.04
    node_entry: float = 12.4
    project_entry: float = 56.1
    pair_entry: float = 0.0
    pair_miss: float = 90.7
    pair: float = 1140.0
    score_edge: float = 260.0
    cut_edge: float = 518.0
    order_link: float = 128.0
    stage: float = 0.0
    cluster_stage: float = 113000000.0


UNITS = UnitCosts()
_CACHE = 32 * 2**20
"""Bytes within which rows are at hand."""


@dataclass(frozen=True)
class ScalePlan:
    """What it takes.

    Attributes
    ----------
    layout : columns, rows and edges at a time.
    workers : processes in all.
    machines : that they run on.
    seconds : by stage.
    memory : bytes that each worker holds.
    client_memory : bytes that the process holds which starts it all.
    folder_bytes, run_bytes : on the shared disk: the graph, and the parts while it runs.
    moved_bytes : that all workers read and write.
    price : of all machines for that time.
    breaks_first : what is nearest to its limit, in words.
    """

    layout: RobustLayout
    workers: int
    machines: int
    seconds: dict[str, float] = field(default_factory=dict)
    memory: int = 0
    client_memory: int = 0
    folder_bytes: int = 0
    run_bytes: int = 0
    moved_bytes: int = 0
    price: float = 0.0
    breaks_first: str = ""

    @property
    def total_seconds(self) -> float:
        return sum(self.seconds.values())


def make_plan(
    work: Workload,
    machine: Machine | None = None,
    *,
    workers: int = 0,
    machines: int = 1,
    memory: int | None = None,
    chunk: int | None = None,
    units: UnitCosts = UNITS,
) -> ScalePlan:
    """Estimate a run.

    Parameters
    ----------
    work : the graph.
    machine : what each machine is.
    workers : Dask processes on each machine; 0 is one process without Dask.
    machines : how many; they see one shared disk.
    memory : bytes that each worker may use; default what the program would take.
    chunk : edges at a time; default what the program would take.
    units : costs of the steps.

    Examples
    --------
    >>> small, large = (make_plan(Workload(edges // 8, edges), workers=2) for edges in (10**6, 10**7))
    >>> 5 < large.total_seconds / small.total_seconds < 15
    True
    """
    machine = machine or Machine()
    processes = max(workers, 1) * machines
    allowed = memory or _allowance(work, machine, workers)
    layout = plan_layout(work.nodes, work.edges, work.features, workers=processes, memory=allowed, chunk=chunk)
    threads = machine.threads * machines
    resources = Resources(threads, processes, machines * machine.disk_speed, bool(workers))
    efforts = stage_efforts(work, layout, resources)
    seconds = {stage: effort.seconds(units, resources.disk) for stage, effort in efforts.items()}
    hops = 24 * work.nodes * (work.features + RANK)
    reads = processes if layout.held else -(-work.edges // layout.chunk)
    views = 73 * work.edges
    plan = ScalePlan(
        layout,
        processes,
        machines,
        seconds,
        memory_bound(work.nodes, layout),
        120 * work.nodes + 2**29,
        work.nodes * (8 + 4 * work.features) + 16 * work.edges * (1 if work.nodes < 2**31 else 2),
        hops + 144 * work.nodes + views,
        2 * hops + reads * hops + 3 * views,
        sum(seconds.values()) / 3600 * machines * machine.price,
    )
    return _with_verdict(plan, work, machine, max(workers, 1))


def _allowance(work: Workload, machine: Machine, workers: int) -> int:
    """What the program allows itself, or the least that can work where that is more."""
    least = 1.3 * (24 * 4 + 150) * work.nodes + 250 * min(work.edges, 2_000_000)
    usual = min(4 * 2**30, 0.6 * machine.memory) if not workers else 0.54 * machine.memory / workers
    return int(max(usual, least))


@dataclass(frozen=True)
class Resources:
    """Threads and processes in all, bytes a second of all disks together, and whether Dask is between."""

    threads: int
    processes: int
    disk: float
    on_cluster: bool


@dataclass(frozen=True)
class Effort:
    """What a stage is made of.

    Attributes
    ----------
    steps : how often each of the :class:`UnitCosts` is paid, by name, on the thread that is busy longest.
    moved : bytes over the disks of all machines, each its share.
    """

    steps: dict[str, float]
    moved: float = 0.0

    def seconds(self, units: UnitCosts, disk: float) -> float:
        """What it takes with these unit costs, over disks of so many bytes a second."""
        return 1e-9 * sum(count * getattr(units, unit) for unit, count in self.steps.items()) + self.moved / disk


def stage_efforts(work: Workload, layout: RobustLayout, given: Resources) -> dict[str, Effort]:
    """The stages of a run, each as counts of elementary steps.

    Parameters
    ----------
    work : the graph.
    layout : how it is parted.
    given : threads, processes and disks.
    """
    n, e, f = work.nodes, work.edges, work.features
    blocks = -(-f // layout.width)
    pattern_width = layout.pattern_width(RANK, f)
    gathered = [f, RANK] if layout.held else [*[layout.width] * blocks, *[pattern_width] * -(-RANK // pattern_width)]
    hop = 24 * n * (f + RANK)
    reads = (given.processes if layout.held else -(-e // layout.chunk)) * hop
    stage = "cluster_stage" if given.on_cluster else "stage"
    links = 2 * (2 * e + n)

    def shared(steps: dict[str, float], moved: float = 0.0, stages: int = 1) -> Effort:
        return Effort({stage: stages, **{unit: count / given.threads for unit, count in steps.items()}}, moved)

    def hops(columns: int, width: int) -> dict[str, float]:
        return {"hop_entry": links * columns, "hop_miss": links * columns * _doublings(n, width)}

    return {
        "rows": shared({"row_entry": 2.0 * n * f}, 8 * n * f, stages=2),
        "hops": shared(hops(f, layout.width), 24 * n * f),
        "nodes": shared({"node_entry": n * f}, 24 * n * f),
        "order": Effort({"stage": 1, "order_link": 2 * e + 20 * n}),
        "patterns": shared({"project_entry": n * f, **hops(RANK, pattern_width)}, 24 * n * RANK, stages=2),
        "views": shared(
            {
                "pair_entry": 9 * e * (f + RANK),
                "pair": 2 * e,
                "pair_miss": e * sum(width * _doublings(n, width) for width in gathered) / sum(gathered),
            },
            reads + 64 * e,
        ),
        "scores": Effort({stage: 1, "score_edge": e / given.processes}),
        "cut": Effort({"cut_edge": e}),
    }


def _doublings(n_nodes: int, width: int) -> float:
    """How often the cache would have to double to hold the hops of so many columns."""
    return math.log2(max(1.0, 24 * n_nodes * width / _CACHE))


def _with_verdict(plan: ScalePlan, work: Workload, machine: Machine, workers: int) -> ScalePlan:
    held, alone = plan.memory * workers, plan.seconds["order"] + plan.seconds["cut"]
    limits = {
        f"memory: {held / 2**30:,.0f} GiB of {machine.memory / 2**30:,.0f} GiB on each machine": held / machine.memory,
        f"what one process does alone, order and cut: {alone / 3600:.1f} h": alone / max(plan.total_seconds, 1e-9),
        f"the shared disk: {plan.moved_bytes / 1e12:.2f} TB are moved": (
            plan.moved_bytes / (plan.machines * machine.disk_speed) / max(plan.total_seconds, 1e-9)
        ),
    }
    return replace(plan, breaks_first=max(limits, key=lambda limit: limits[limit]))
