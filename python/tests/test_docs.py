"""The examples of the documentation, with their output."""

import doctest

import pytest
from conftest import ROOT

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("page", ["python.md", "cluster.md"])
def test_page(page, monkeypatch):
    if page == "cluster.md":
        ray = pytest.importorskip("ray")
        ray.init(num_cpus=2, log_to_driver=False, logging_level="error")
        ray.data.DataContext.get_current().enable_progress_bars = False
    monkeypatch.chdir(ROOT)
    path = str(ROOT / "docs" / page)
    failed, tried = doctest.testfile(path, module_relative=False, optionflags=OPTIONS)
    if page == "cluster.md":
        ray.shutdown()
    assert tried > 5 and failed == 0
