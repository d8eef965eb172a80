"""Where rows come from: one room per source. Each input obeys `windowlog.contracts.Input`."""

from connectors.files import FileInput

__all__ = ["FileInput"]
