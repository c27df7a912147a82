"""The Python of README.md and of the documents in docs, and the notebooks, run as they are written."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))


def blocks(document):
    """The code blocks in Python of a document."""
    return [part.split("```", 1)[0] for part in document.read_text().split("```python\n")[1:]]


@pytest.mark.parametrize(
    "document", [document for document in DOCUMENTS if blocks(document)], ids=lambda document: document.stem
)
def test_documents(document, monkeypatch, tmp_path):
    if "VectorEnv" in document.read_text():
        pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": document.stem}
    for code in blocks(document):
        exec(compile(code, document.name, "exec"), names)


def test_there_are_three_notebooks():
    assert len(NOTEBOOKS) == 3
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text())["cells"]
        assert cells[0]["cell_type"] == "markdown"
        assert not any(cell.get("outputs") for cell in cells), f"{path.name} is kept without outputs"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks(path, tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    for package in ("ipykernel", "anywidget", "gymnasium"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert any(cell.get("outputs") for cell in notebook.cells)
