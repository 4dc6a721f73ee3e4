"""The examples of the documentation, with their output."""

import doctest

from conftest import ROOT

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def check(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    path = str(ROOT / "docs" / page)
    failed, tried = doctest.testfile(path, module_relative=False, optionflags=OPTIONS)
    assert tried > 5 and failed == 0


def test_python(monkeypatch):
    check("python.md", monkeypatch)


def test_train(monkeypatch):
    check("train.md", monkeypatch)


def test_the_example_learns(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "python" / "examples")
    import train

    loss, of_the_mean = train.train([str(ROOT / "data" / "sample.binpack")], 40)
    assert loss < of_the_mean / 2


def test_cluster(cluster, monkeypatch):
    check("cluster.md", monkeypatch)
