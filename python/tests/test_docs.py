"""The examples of the documentation, with their output."""

import doctest
import shutil

from conftest import ROOT

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def check(page, folder, monkeypatch):
    # Not where files of the user's own may lie, such as README's quiet.fen.
    shutil.copytree(ROOT / "data", folder / "data")
    monkeypatch.chdir(folder)
    path = str(ROOT / "docs" / page)
    failed, tried = doctest.testfile(path, module_relative=False, optionflags=OPTIONS)
    assert tried > 5 and failed == 0


def test_python(tmp_path, monkeypatch):
    check("python.md", tmp_path, monkeypatch)


def test_train(tmp_path, monkeypatch):
    check("train.md", tmp_path, monkeypatch)


def test_the_example_learns(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "python" / "examples")
    import train

    loss, of_the_mean = train.train([str(ROOT / "data" / "sample.binpack")], 40)
    assert loss < of_the_mean / 100


def test_cluster(cluster, tmp_path, monkeypatch):
    check("cluster.md", tmp_path, monkeypatch)
