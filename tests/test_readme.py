"""The README's examples run, one after the other, and print what their comments say."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


def test_the_examples_run(capsys):
    pytest.importorskip("rapidfuzz")
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.S)
    assert len(blocks) >= 5
    names = {}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)
    printed = capsys.readouterr().out
    for block in blocks:
        for promised in re.findall(r"^# (\[.*\])$", block, flags=re.M):
            assert promised in printed
