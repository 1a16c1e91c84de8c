# SPDX-License-Identifier: Apache-2.0
"""Tests libbaton's description for Vala, as libbaton-dev has it."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from installed import INSTALLED, LIMIT, directories

HERE = pathlib.Path(__file__).resolve().parent


def compile_vala(program: pathlib.Path, source: pathlib.Path):
    """Compiles a program as users of the library do. Every warning of the Vala compiler is an error."""
    share = INSTALLED / "share"
    subprocess.run(["valac", "--fatal-warnings", "--vapidir", share / "vala" / "vapi", "--girdir", share / "gir-1.0", "--pkg", "baton-1",
                    "-o", program.name, source], cwd=program.parent, env={**os.environ, **directories()}, check=True, timeout=LIMIT)


class FromVala(unittest.TestCase):
    def test_returned_values_belong_to_the_caller(self):
        with tempfile.TemporaryDirectory() as directory:
            program = pathlib.Path(directory) / "values"
            compile_vala(program, HERE / "values.vala")
            done = subprocess.run([program], env={**os.environ, **directories(), "G_DEBUG": "fatal-warnings"}, text=True, timeout=LIMIT, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((done.stdout, done.returncode), ("", 0))
