# SPDX-License-Identifier: Apache-2.0
"""Tests in gjs how the browser extension puts names into its sentences. The test acts as the browser's catalogue.

    /usr/bin/python3 -m unittest discover -s Tests/Extensions
"""

import json
import pathlib
import subprocess
import tempfile
import unittest

TEXTS = pathlib.Path(__file__).resolve().parents[2] / "Extensions/Browser/texts.js"
LIMIT = 60
# Prints, for each list of places, what `say` makes of the sentence `from "$1" in $2`.
SCRIPT = """
const [direction, lists] = JSON.parse(ARGV[0]);
const texts = {direction, sentence: places => `from "${places[0]}" in ${places[1]}`};
globalThis.browser = {i18n: {getMessage: (name, places) => typeof texts[name] === "function" ? texts[name](places) : texts[name]}};
const {say} = await import(ARGV[1]);
print(JSON.stringify(lists.map(places => say("sentence", ...places))));
"""


class Isolates(unittest.TestCase):
    def said(self, direction: str, *lists: tuple) -> list:
        with tempfile.TemporaryDirectory() as directory:
            script = pathlib.Path(directory, "say.js")
            script.write_text(SCRIPT, encoding="utf-8")
            done = subprocess.run(["gjs", "-m", str(script), json.dumps([direction, lists]), TEXTS.as_uri()], text=True, capture_output=True, timeout=LIMIT, check=True)
        return json.loads(done.stdout)

    def test_name_written_from_right_to_left_does_not_move_the_text_around_it(self):
        self.assertEqual(self.said("ltr", ("desk", "Notes"), ("דנה", "Notes"), ("desk", "ملاحظات 2")),
                         ['from "desk" in Notes', 'from "\u2068דנה\u2069" in Notes', 'from "desk" in \u2068ملاحظات 2\u2069'])

    def test_each_name_is_isolated_in_a_sentence_from_right_to_left(self):
        self.assertEqual(self.said("rtl", ("desk", "דנה")), ['from "\u2068desk\u2069" in \u2068דנה\u2069'])


if __name__ == "__main__":
    unittest.main()
