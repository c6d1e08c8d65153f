"""Tests that launch kernels, to be run by pytest with or without workers."""

import pytest
from kernels import total


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_total(n):
    assert total(n) == 2.0 * n
