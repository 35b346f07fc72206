"""The order of the examples: from the first that a newcomer should see to the most special."""

_ORDER = (
    "digits", "methods", "strings", "ecg", "streamlines", "mixed_table", "asymmetric", "pipeline", "million",
)  # fmt: skip


def position(filename: str) -> int:
    """Return where an example stands; one that is not listed fails the build."""
    return _ORDER.index(filename.removeprefix("plot_").removesuffix(".py"))
