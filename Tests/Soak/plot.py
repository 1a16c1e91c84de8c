# SPDX-License-Identifier: Apache-2.0
"""Draws curves over time, as one SVG file."""

from xml.sax.saxutils import escape

WIDTH, HEIGHT, MARGIN, GAP = 760, 110, 60, 34
COLOURS = ["#1f6fb4", "#c2410c", "#3f7d20"]


def plot(path, charts, seconds, marks=()):
    """Draws a plot. `charts` are pairs of a title and a dictionary of series by name. `marks` are times with labels on the
    axis."""
    height = (HEIGHT + GAP) * len(charts) + GAP
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + 2 * MARGIN}" height="{height}" font-family="sans-serif" font-size="11">',
             '<rect width="100%" height="100%" fill="white"/>']
    for number, (title, series) in enumerate(charts):
        parts += chart(title, series, GAP + (HEIGHT + GAP) * number, max(seconds, 1), marks)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*parts, "</svg>"]) + "\n")


def chart(title, series, top, seconds, marks):
    highest = max((value for points in series.values() for _, value in points), default=0) or 1

    def place(at, value):
        return f"{MARGIN + at / seconds * WIDTH:.1f},{top + HEIGHT - value / highest * HEIGHT:.1f}"

    yield f'<text x="{MARGIN}" y="{top - 6}">{escape(title)}</text>'
    yield f'<text x="{MARGIN - 6}" y="{top + 9}" text-anchor="end">{highest}</text>'
    yield f'<rect x="{MARGIN}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#bbb"/>'
    for at, text in marks:
        x = MARGIN + at / seconds * WIDTH
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{top + HEIGHT}" stroke="#999" stroke-dasharray="3"/>'
        yield f'<text x="{x + 3:.1f}" y="{top + HEIGHT + 12}" fill="#666">{escape(text)}</text>'
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        drawn = " ".join(place(at, value) for at, value in thinned(points, seconds))
        yield f'<polyline fill="none" stroke="{colour}" points="{drawn}"/>'
        yield f'<text x="{MARGIN + WIDTH + 6}" y="{top + 12 + 14 * number}" fill="{colour}">{escape(name)}</text>'


def thinned(points, seconds):
    """Returns the lowest and the highest of the points in each column of the picture, in order."""
    columns = {}
    for point in points:
        columns.setdefault(int(point[0] / seconds * WIDTH), []).append(point)
    for column in columns.values():
        yield from sorted({min(column, key=lambda point: point[1]), max(column, key=lambda point: point[1])})
