# SPDX-License-Identifier: Apache-2.0
"""Imports modules of Tests/Examples for tests of programs with libbaton."""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

from laptops import BIN, LIMIT, ROOT, demo  # noqa: E402, F401
from library import INSTALLED, SANITIZED, Laptops, compile_c, directories, introspected  # noqa: E402, F401
