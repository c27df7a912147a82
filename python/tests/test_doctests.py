"""The examples in docstrings."""

import doctest
import importlib

import numpy
import pytest
import sakiyomi


@pytest.mark.parametrize("name", ["sakiyomi", "sakiyomi.batch", "sakiyomi.network", "sakiyomi.custom", "sakiyomi.onnx_file"])
def test_docstrings(name):
    module = importlib.import_module(name)
    names = {"np": numpy, "sakiyomi": sakiyomi}
    failed, tried = doctest.testmod(module, extraglobs=names, optionflags=doctest.ELLIPSIS)
    assert failed == 0
    assert tried > 0
