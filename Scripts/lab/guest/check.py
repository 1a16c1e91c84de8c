# SPDX-License-Identifier: Apache-2.0
"""Checks the output of baton.

    check.py offer FILE KEY=VALUE...                  a list of offers, of which the first has these
    check.py continued FILE USERINFO KEY=VALUE...     a continued activity with these and exactly that userInfo

VALUE may contain alternatives, separated by |. The exit status is 0 only if everything is as expected.
"""

import json
import sys

UNORDERED = ("$set", "$dictionary")


def canonical(value) -> str:
    """Returns a text that is the same only for equal typed values. 1, 1.0 and true differ. The order of sets and keys
    does not matter."""
    if isinstance(value, dict):
        if len(value) == 1 and next(iter(value)) in UNORDERED:
            tag, members = next(iter(value.items()))
            return json.dumps(tag) + ":{" + ",".join(sorted(canonical(m) for m in members)) + "}"
        return "{" + ",".join(sorted(json.dumps(k) + ":" + canonical(v) for k, v in value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(v) for v in value) + "]"
    return f"{type(value).__name__}({json.dumps(value)})"


def differences(expected: dict, found: dict):
    for key in sorted(expected.keys() | found.keys()):
        if key not in found:
            yield f"userInfo lacks {key}"
        elif key not in expected:
            yield f"userInfo has {key}, which was not published"
        elif canonical(expected[key]) != canonical(found[key]):
            yield f"userInfo's {key} is {found[key]!r}, not {expected[key]!r}"


def wrong(found: dict, pairs: list):
    for pair in pairs:
        key, _, values = pair.partition("=")
        if key not in found:
            yield f"{key} is missing"
        elif found[key] not in values.split("|"):
            yield f"{key} is {found[key]!r}, not {values!r}"


def main(arguments: list) -> list:
    kind, file, rest = arguments[0], arguments[1], arguments[2:]
    with open(file, encoding="utf-8") as opened:
        found = json.load(opened)
    if kind == "offer":
        if not isinstance(found, list) or not found:
            return ["there is no offer"]
        missing = [f"{key} is missing" for key in ("offer", "device", "deviceName", "type", "signal") if key not in found[0]]
        return missing + list(wrong(found[0], rest))
    with open(rest[0], encoding="utf-8") as opened:
        expected = json.load(opened)
    return list(wrong(found, rest[1:])) + list(differences(expected, found.get("userInfo") or {}))


if __name__ == "__main__":
    problems = main(sys.argv[1:])
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems else 0)
