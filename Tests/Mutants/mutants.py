# SPDX-License-Identifier: Apache-2.0
"""The mutants of this directory: what they are, what is wrong with them, and a copy of the sources in which each can be switched on."""

import collections
import pathlib
import re
import subprocess
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
VARIABLE = "BATON_MUTANT"
# It is asked for in the environment of the programs that started this one, too: tests give their programs an environment of their own.
SWITCH = """
// SPDX-License-Identifier: Apache-2.0
import Glibc

enum Mutation {
    static func isOn(_ number: Int) -> Bool { number == self.number }

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

Mutant = collections.namedtuple("Mutant", "number list tests file old new")


def read(directory=HERE):
    """All of them, numbered from 1 in the order of their lists."""
    entries = [(path.stem, entry) for path in sorted(directory.glob("*.toml")) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]]
    return [Mutant(number, name, **entry) for number, (name, entry) in enumerate(entries, 1)]


def faults(mutants, root=ROOT):
    """What keeps mutants from being switched on together: text that is not there once, or is another's, too."""
    taken = collections.defaultdict(list)
    for mutant in mutants:
        name = f"{mutant.list}.toml, {', '.join(mutant.tests)}"
        text = (root / mutant.file).read_text(encoding="utf-8")
        if text.count(mutant.old) != 1:
            yield f"{name}: the old text is {text.count(mutant.old)} times in {mutant.file}"
            continue
        if not re.search(r"\bmutated\b", mutant.new):
            yield f"{name}: the new text is not switched by `mutated`"
        start = text.index(mutant.old)
        end = start + len(mutant.old)
        for other, first, last in taken[mutant.file]:
            if start < last and first < end:
                yield f"{name}: the old text overlaps that of {', '.join(other.tests)}"
        taken[mutant.file].append((mutant, start, end))


def plant(mutants, tree):
    """Copies what git knows of to a tree, and puts each mutant there, switched off; what has not changed keeps its time."""
    files = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
    by_file = collections.defaultdict(list)
    for mutant in mutants:
        by_file[mutant.file].append(mutant)
    for name in filter(None, files):
        copy(ROOT / name, tree / name, by_file[name])
    gone = {path for top in ("Sources", "Tests") for path in (tree / top).rglob("*") if not path.is_dir()} - {tree / name for name in files}
    for path in gone:
        if path.name != "Mutation.swift":
            path.unlink()
    for module in {pathlib.PurePath(mutant.file).parts[1] for mutant in mutants}:
        write(tree / "Sources" / module / "Mutation.swift", SWITCH.encode())


def copy(source, target, mutants):
    if source.is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        target.symlink_to(source.readlink())
    elif source.exists():
        write(target, mutated(source, mutants), source.stat().st_mode)


def mutated(source, mutants):
    if not mutants:
        return source.read_bytes()
    text = source.read_text(encoding="utf-8")
    for mutant in mutants:
        text = text.replace(mutant.old, re.sub(r"\bmutated\b", f"Mutation.isOn({mutant.number})", mutant.new))
    return text.encode()


def write(target, contents, mode=0o644):
    if target.exists() and target.read_bytes() == contents:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(contents)
    target.chmod(mode & 0o777)
