# SPDX-License-Identifier: Apache-2.0
"""The declarations of a Swift source: their full names, and where they begin and end."""

import re

from literals import Unbalanced

MODIFIERS = "|".join("""
    async class consuming convenience distributed dynamic fileprivate final indirect infix internal isolated lazy
    mutating nonisolated nonmutating open optional override package postfix prefix private public required static
    unowned weak""".split())
NAME = r"`?\w+`?"
# The marks by which a source is parsed: brackets, attributes at the beginning of a line, and beginnings of
# declarations.
MARK = re.compile(rf"""
    (?P<opening>[({{\[]) | (?P<closing>[)}}\]]) | (?P<attribute>^[ \t]*@)
    | (?<![.`\w])(?:import[ \t].* | (?:(?:{MODIFIERS})(?:\(\w+\))?[ \t]+)*(?:
        (?:actor|class|enum|extension|protocol|struct)[ \t]+
            (?!(?:func|init|let|subscript|var)\b)(?P<type>[\w`\[][^\s{{:<]*)
        | (?P<member>
            func[ \t]+(?P<name>{NAME}|[^\s\w(]+) | (?P<special>init|subscript)(?=[?!]?[ \t]*[(<]) | deinit\b
            | (?:associatedtype|let|macro|typealias|var)[ \t]+(?P<names>{NAME}(?:,\s*{NAME})*)
            | (?P<case>case[ \t]+{NAME}))
    ))""", re.VERBOSE | re.MULTILINE)
PAIRS = {"(": ")", "[": "]", "{": "}"}
INNERMOST = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|<[^<>]*>")


class Body:
    """The part of a source between the braces of a type, or the whole source."""

    def __init__(self, path, start, depth):
        self.path, self.start, self.depth = path, start, depth
        self.attribute = None  # where the attributes of the next declaration begin
        self.member = None  # the mark of the last member, and where it begins

    def begin(self, mark):
        """Returns where a mark's declaration begins, including its attributes."""
        start, self.attribute = mark.start() if self.attribute is None else self.attribute, None
        return start


class Declarations:
    """Finds the declarations in a source without comments and texts.

    A member reaches to the next declaration of the same body, or to the body's end. So nothing needs to know where an
    initial value ends. The declarations inside a member are a part of it.
    """

    def __init__(self, code):
        self.code = code
        self.found = []  # the name, start and end of each
        self.open = []  # the brackets around the position
        self.bodies = [Body((), 0, 0)]
        self.next = None  # the body of a type whose brace is still to come
        for mark in MARK.finditer(code):
            self.read(mark)
        if self.open:
            raise Unbalanced(f"a bracket {self.open[-1]} has no end")
        self.end_member(len(code))

    def read(self, mark):
        body = self.bodies[-1]
        if mark["opening"]:
            self.enter(mark["opening"])
        elif mark["closing"]:
            self.leave(mark)
        elif len(self.open) != body.depth:
            return
        elif mark["attribute"]:
            body.attribute = mark.start() if body.attribute is None else body.attribute
        elif mark["type"]:
            self.end_member(start := body.begin(mark))
            self.next = Body((*body.path, mark["type"]), start, body.depth + 1)
        elif mark["member"]:
            self.end_member(start := body.begin(mark))
            body.member = (mark, start)

    def enter(self, bracket):
        self.open.append(bracket)
        if self.next and bracket == "{" and len(self.open) == self.next.depth:
            self.bodies.append(self.next)
            self.next = None

    def leave(self, mark):
        if not self.open or PAIRS[self.open[-1]] != mark["closing"]:
            raise Unbalanced(f"a bracket {mark['closing']} closes none")
        body = self.bodies[-1]
        if body.path and len(self.open) == body.depth:
            self.end_member(mark.start())
            self.add(body.path, body.start, mark.end())
            self.bodies.pop()
        self.open.pop()

    def end_member(self, end):
        body = self.bodies[-1]
        if body.member:
            (mark, start), body.member = body.member, None
            for name in names(mark, self.code[mark.start():end]):
                self.add((*body.path, name), start, end)

    def add(self, path, start, end):
        self.found.append((".".join(path).replace("`", ""), start, end))


def names(mark, text):
    """Returns the names that a member declares. A function has two names, of which the second one includes its argument
    labels."""
    if mark["case"]:
        return re.findall(rf"(?:\bcase|,)\s*({NAME})", outside_brackets(text))
    if mark["names"]:
        return re.split(r",\s*", mark["names"])
    if name := mark["special"] or mark["name"]:
        return [name, name + labels(text[mark.end() - mark.start():])]
    return ["deinit"]


def labels(text):
    """Returns the labels of the parameters with which a text begins, as in (of:_:)."""
    found, depth, is_inside, is_due = [], 0, False, False
    for mark in re.finditer(r"(?P<opening>[(\[{<])|(?P<closing>[)\]}>])|(?P<comma>,)|\w+", text.replace("->", "")):
        if mark["opening"]:
            depth += 1
            if not is_inside and mark[0] == "(":
                is_inside = is_due = True
        elif mark["closing"]:
            depth -= 1
            if is_inside and depth == 0:
                break
        elif mark["comma"]:
            is_due = is_inside and depth == 1
        elif is_due:
            found.append(f"{mark[0]}:")
            is_due = False
    return f"({''.join(found)})"


def outside_brackets(text):
    text = text.replace("->", "")
    while (shorter := INNERMOST.sub("", text)) != text:
        text = shorter
    return text
