"""The program ``protopick``. It lies outside the package, so that Ctrl-C is heard while that is imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from protopick.cli import app
    except KeyboardInterrupt:
        sys.exit(130)
    app()


if __name__ == "__main__":
    main()
