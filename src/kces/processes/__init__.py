"""Work in a process of its own, within limits: an order goes in, an answer comes out.

An :class:`Order` names an importable function and its arguments; the process that carries it out is a fresh
interpreter or a fork of a :class:`~kces.processes.forks.Template`. Whatever happens there is an :class:`Answer`.
"""

from kces.processes.answers import Answer, NotApplicableError
from kces.processes.orders import Order
from kces.processes.process import Limits, run_order

__all__ = ["Answer", "Limits", "NotApplicableError", "Order", "run_order"]
