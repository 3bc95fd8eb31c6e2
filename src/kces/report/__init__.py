"""Reports: what a scored and cut graph looks like, as one JSON document and as one page that needs nothing else."""

from kces.report.page import render, write_report
from kces.report.payload import report_payload

__all__ = ["render", "report_payload", "write_report"]
