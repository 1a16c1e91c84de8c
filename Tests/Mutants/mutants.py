# SPDX-License-Identifier: Apache-2.0
"""Reads and checks the mutants of this directory, and makes a copy of the sources in which each can be switched on.

A mutant has four keys:

- `tests`: the tests that must fail when the mutant is on.
- `in`: a declaration of the Swift sources, in any file. It may be a type, as in Type.Nested, its function, property,
  initialiser or case, as in Type.function, or a free function. All extensions and overloads of this name count.
  Labels select one overload, as in Type.function(of:_:). A module selects one of two types, as in Module.Type.function.
- `old`: an expression that stands once in this declaration. Blanks, line breaks and comments in it do not count.
- `new`: the expression that replaces it. It means the same as `old` while `mutated` is false.

The comment above a mutant says what Baton does while the mutant is on.
"""

import collections
import pathlib
import re
import subprocess
import tomllib

from sources import module, of_tree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
VARIABLE = "BATON_MUTANT"
# Tests give their programs other environments, so the switch also reads the environments of the ancestors.
SWITCH = """
// SPDX-License-Identifier: Apache-2.0
import Glibc

enum Mutation {
    static func isOn(_ number: Int) -> Bool { number == self.number }

    static func leaveDescriptor() { _ = dup(STDERR_FILENO) }

    private static let number = find()

    private static func find() -> Int {
        var process = getpid()
        while process > 1 {
            let environment = contents("/proc/\\(process)/environ").split(separator: 0)
            let prefix = Array("VARIABLE=".utf8)
            if let entry = environment.first(where: { $0.starts(with: prefix) }) {
                return Int(String(decoding: entry.dropFirst(prefix.count), as: UTF8.self)) ?? 0
            }
            let status = String(decoding: contents("/proc/\\(process)/stat"), as: UTF8.self)
            guard let end = status.lastIndex(of: ")") else { return 0 }
            process = status[end...].split(separator: " ").dropFirst(2).first.flatMap { Int32($0) } ?? 0
        }
        return 0
    }

    private static func contents(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return bytes
    }
}
""".lstrip().replace("VARIABLE", VARIABLE)

Mutant = collections.namedtuple("Mutant", "number list tests declaration old new")


def read(directory=HERE):
    """Returns all mutants, numbered from 1 in the order of their lists."""
    entries = [(path.stem, entry) for path in sorted(directory.glob("*.toml"))
               for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]]
    return [Mutant(number, name, declaration=entry.pop("in"), **entry)
            for number, (name, entry) in enumerate(entries, 1)]


def faults(mutants, sources=None):
    """Returns what keeps mutants from being switched on together."""
    sources = sources or of_tree(ROOT)
    taken = collections.defaultdict(list)
    for mutant in mutants:
        name = f"{mutant.list}.toml, {', '.join(mutant.tests)}"
        places = sources.places(mutant.declaration, mutant.old)
        if len(places) != 1:
            yield f"{name}: {misplaced(mutant, places, sources)}"
            continue
        if not re.search(r"\bmutated\b", mutant.new):
            yield f"{name}: the new expression is not switched by `mutated`"
        (place,) = places
        for other, its in taken[place.file]:
            if place.start < its.end and its.start < place.end:
                yield f"{name}: the old expression overlaps that of {', '.join(other.tests)}"
        taken[place.file].append((mutant, place))


def misplaced(mutant, places, sources):
    if mutant.declaration not in sources.declared:
        return f"no source declares {mutant.declaration}"
    if not places:
        return f"the old expression is not in {mutant.declaration}"
    return f"the old expression is {len(places)} times in {mutant.declaration}: {', '.join(map(sources.line, places))}"


def plant(mutants, tree):
    """Copies the files that git knows to a tree, with each mutant switched off. Unchanged files keep their times."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")[:-1]
    planted = mutated(mutants, of_tree(ROOT))
    for name in names:
        copy(ROOT / name, tree / name, planted.get(name))
    copies = {path for top in ("Sources", "Tests") for path in (tree / top).rglob("*") if not path.is_dir()}
    for path in copies - {tree / name for name in names}:
        if path.name != "Mutation.swift":
            path.unlink()
    for name in {module(file) for file in planted}:
        write(tree / "Sources" / name / "Mutation.swift", SWITCH.encode())


def mutated(mutants, sources):
    """Returns the texts of the sources that have mutants."""
    by_file = collections.defaultdict(list)
    for mutant in mutants:
        for place in sources.places(mutant.declaration, mutant.old):
            by_file[place.file].append((place, replacement(mutant, sources.indentation(place))))
    return {file: replaced(sources.texts[file], edits) for file, edits in by_file.items()}


def replacement(mutant, indentation):
    """Returns a mutant's new expression, indented like the line on which it begins."""
    return re.sub(r"\bmutated\b", f"Mutation.isOn({mutant.number})", mutant.new).replace("\n", "\n" + indentation)


def replaced(text, edits):
    for place, new in sorted(edits, reverse=True):
        text = text[:place.start] + new + text[place.end:]
    return text


def copy(source, target, text):
    if source.is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        target.symlink_to(source.readlink())
    elif source.exists():
        write(target, source.read_bytes() if text is None else text.encode(), source.stat().st_mode)


def write(target, contents, mode=0o644):
    if target.exists() and target.read_bytes() == contents:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(contents)
    target.chmod(mode & 0o777)
