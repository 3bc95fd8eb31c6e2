"""Re-runs every table and figure of the paper: ``reproduce("table-k", Plan(seeds=3), ...)``."""

from kces.lab.reproduce.cells import Cell
from kces.lab.reproduce.experiments import EXPERIMENTS, find_experiment
from kces.lab.reproduce.plan import Experiment, Plan, Slot
from kces.lab.reproduce.reproduction import reproduce
from kces.lab.reproduce.result_pages import Report, make_folder, write_report
from kces.lab.reproduce.runner import RunReport, Settings, run_cells
from kces.lab.reproduce.store import Outcome, Store, default_store
from kces.lab.reproduce.tables import plain_tables, to_frame

__all__ = [
    "EXPERIMENTS",
    "Cell",
    "Experiment",
    "Outcome",
    "Plan",
    "Report",
    "RunReport",
    "Settings",
    "Slot",
    "Store",
    "default_store",
    "find_experiment",
    "make_folder",
    "plain_tables",
    "reproduce",
    "run_cells",
    "to_frame",
    "write_report",
]
