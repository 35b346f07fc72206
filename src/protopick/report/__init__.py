"""The report on a fitted selector: summarise -> plain dict -> one HTML page."""

from protopick.report.fragment import fragment
from protopick.report.neighborhoods import neighborhoods
from protopick.report.page import page
from protopick.report.summary import summarise

__all__ = ["fragment", "neighborhoods", "page", "summarise"]
