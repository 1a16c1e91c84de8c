# SPDX-License-Identifier: Apache-2.0
"""Tests what the browser extension does before its user has chosen anything.

    Scripts/python-tests --only=test_defaults Tests/Browsers
"""

import json
import pathlib
import subprocess
import tempfile
import unittest

SETTINGS = pathlib.Path(__file__).resolve().parents[2] / "Extensions/Browser/settings.js"

# A browser's storage: the stored values, and otherwise the defaults.
SCRIPT = """
globalThis.browser = { storage: { local: { get: async (unsaid) => ({ ...unsaid, ...JSON.parse(ARGV[1]) }) } } };
const { settings, load } = await import(ARGV[0]);
await load();
print(JSON.stringify(settings));
"""


class Defaults(unittest.TestCase):
    def settings(self, kept: dict) -> dict:
        with tempfile.NamedTemporaryFile("w", suffix=".js") as script:
            script.write(SCRIPT)
            script.flush()
            done = subprocess.run(["gjs", "-m", script.name, SETTINGS.as_uri(), json.dumps(kept)], check=True, capture_output=True, timeout=60)
        return json.loads(done.stdout)

    def test_a_tab_that_continued_elsewhere_is_not_closed_by_default(self):
        """By default no tab is closed, because any member of the circle can claim that it continued a page."""
        self.assertIs(self.settings({})["closes"], False)
        self.assertIs(self.settings({"closes": True})["closes"], True)

    def test_nothing_is_read_before_the_user_agrees(self):
        self.assertIs(self.settings({})["agreed"], False)
