"""The paper's own figures, each with the table that it stands in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PUBLISHED: dict[str, Any] = json.loads((Path(__file__).parent / "published.json").read_text())
