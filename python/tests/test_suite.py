"""The suite for engines, as docs/suite.md says how to read it."""

import pytest
import swaplist
from conftest import ROOT

VALUES = {"P": 100, "N": 320, "B": 330, "R": 500, "Q": 900}
LINES = (ROOT / "data" / "see-suite.txt").read_text().splitlines()
PROFILES = [(2, "swap"), (3, "sf8"), (4, "sf"), (5, "legal")]


@pytest.mark.parametrize(("column", "profile"), PROFILES)
def test_each_line_has_its_value(column, profile):
    assert len(LINES) >= 150
    values = ",".join(map(str, VALUES.values()))
    for line in LINES:
        fields = line.split(" | ")
        expected = eval(fields[column], {}, VALUES)
        assert swaplist.see(fields[0], fields[1], profile=profile, values=values) == expected, line
