# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG files: samples as points on a line with their median, and curves over time."""

from xml.sax.saxutils import escape

WIDTH, ROW, LEFT, MARGIN = 480, 22, 330, 30
COLOURS = ["#1f6fb4", "#c2410c", "#3f7d20"]


def samples(path, title: str, figures: list):
    """Draws a row for each figure. All figures have the same unit and one scale that begins at 0."""
    highest = max(max(figure.samples) for figure in figures) or 1
    parts = [f'<text x="{MARGIN}" y="20" font-size="13">{escape(title)}</text>']
    for number, figure in enumerate(figures):
        parts += row(figure, MARGIN + 12 + ROW * (number + 1), highest)
    bottom = MARGIN + 12 + ROW * (len(figures) + 1)
    parts += scale(bottom, highest, figures[0].unit)
    write(path, bottom + MARGIN, parts)


def row(figure, y: float, highest: float):
    yield f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(", ".join(filter(None, (figure.name, figure.series))))}</text>'
    yield f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y}" y2="{y}" stroke="#ddd"/>'
    for value in figure.samples:
        yield f'<circle cx="{LEFT + value / highest * WIDTH:.1f}" cy="{y}" r="3" fill="{COLOURS[0]}" fill-opacity="0.5"/>'
    x = LEFT + figure.median / highest * WIDTH
    yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 8}" y2="{y + 8}" stroke="{COLOURS[1]}" stroke-width="2"/>'


def scale(y: float, highest: float, unit: str):
    for share in (0, 0.5, 1):
        yield f'<text x="{LEFT + share * WIDTH}" y="{y + 4}" text-anchor="middle" fill="#666">{share * highest:.3g} {escape(unit)}</text>'


def curves(path, title: str, series: dict, unit: str):
    """Draws curves. `series` has points (seconds, value) by name."""
    height = 200
    latest, highest = (max((point[axis] for points in series.values() for point in points), default=0) or 1 for axis in (0, 1))
    top = MARGIN + 12
    parts = [f'<text x="{MARGIN}" y="20" font-size="13">{escape(title)}</text>',
             f'<rect x="{LEFT}" y="{top}" width="{WIDTH}" height="{height}" fill="none" stroke="#bbb"/>',
             f'<text x="{LEFT - 10}" y="{top + 10}" text-anchor="end">{highest:.3g} {escape(unit)}</text>',
             f'<text x="{LEFT + WIDTH}" y="{top + height + 16}" text-anchor="middle" fill="#666">{latest:.3g} s</text>']
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        drawn = " ".join(f"{LEFT + at / latest * WIDTH:.1f},{top + height - value / highest * height:.1f}" for at, value in thinned(points))
        parts += [f'<polyline fill="none" stroke="{colour}" points="{drawn}"/>',
                  f'<text x="{LEFT - 10}" y="{top + 40 + 16 * number}" text-anchor="end" fill="{colour}">{escape(name)}</text>']
    write(path, top + height + MARGIN, parts)


def thinned(points: list) -> list:
    """Returns at most one point for each column of the picture, including the last point."""
    step = -(-len(points) // WIDTH)
    return points[::step] + points[-1:] if step > 1 else points


def write(path, height: float, parts: list):
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 2 * MARGIN}" height="{height}" '
            'font-family="sans-serif" font-size="11">')
    path.write_text("\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]) + "\n", encoding="utf-8")
