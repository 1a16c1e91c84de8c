# SPDX-License-Identifier: Apache-2.0
"""Writes the report: report.md for people, report.json for programs, plots, and masked logs."""

import datetime
import json
from dataclasses import asdict
from pathlib import Path

from . import machine, mask, plot
from .bench import NOT_RUN, PASSED

# The parts that a default run leaves out, and how to run them. A report lists them, so that nobody assumes that they ran.
BY_HAND = {"headphones": "throughput while headphones play: HIL=\"--beside-connections\", and connect them before"}
EMULATED = "The controllers are emulated: the figures say nothing about a radio."
CAPTIONS = {"samples.svg": "Hand-overs: samples and their medians", "streams.svg": "Streams by the radio: what has come, over time",
            "tcp.svg": "Streams by TCP: what has come, over time", "bluetoothd.svg": "Streams by bluetoothd's options: what has come, over time"}


def document(version: str, described: list, notes: list, results: list, options) -> dict:
    """Returns the content of a report, masked. `described` has the machine of each adapter. Two adapters of one machine have the
    same."""
    parts = [{**asdict(result), "figures": [{**asdict(figure), "median": figure.median} for figure in result.figures]} for result in results]
    for part in parts:
        part.pop("curves")
    statuses = {part["name"]: part["status"] for part in parts}
    wanted = [name for name in statuses if name in options.usual or name in options.parts]
    controllers_told = [each["controller"] for each in described]
    machines = [{key: each[key] for key in ("kernel", "bluetoothd")} for each in described[:options.machines]]
    return mask.everywhere({
        "format": 2, "date": datetime.date.today().isoformat(), "baton": version,
        "passed": all(statuses[name] == PASSED for name in wanted), "wanted": wanted,
        "machines": machines, "controllers": controllers_told, "emulated": any(controller["emulated"] for controller in controllers_told),
        "notes": notes, "times": options.times, "bytes": options.bytes, "parts": parts, "notRun": left_out(parts, notes),
    })


def left_out(parts: list, notes: list) -> list:
    """Returns the parts that did not run, each with the reason."""
    found = [{"name": part["name"], "reason": part["reason"]} for part in parts if part["status"] == NOT_RUN]
    beside = any("has connections" in note for note in notes)
    return found + [{"name": name, "reason": reason} for name, reason in BY_HAND.items() if not beside]


def write(directory: Path, told: dict, results: list, logs: list):
    """Writes all files. The logs come from the daemons and the suites. They may contain names of devices nearby."""
    pictures = plots(directory, results)
    (directory / "report.json").write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (directory / "report.md").write_text(markdown(told, pictures), encoding="utf-8")
    for log in logs:
        target = directory / "logs" / log.name
        target.parent.mkdir(exist_ok=True)
        mask.copy(log, target)


def plots(directory: Path, results: list) -> list:
    drawn = []
    for result in results:
        times = [figure for figure in result.figures if figure.unit == "s"]
        if result.name == "hand-over" and times:
            plot.samples(directory / "samples.svg", CAPTIONS["samples.svg"], times)
            drawn.append("samples.svg")
        if result.curves:
            series = {name: [(at, count / 1000) for at, count in points] for name, points in result.curves.items()}
            name = f"{result.name}.svg"
            plot.curves(directory / name, CAPTIONS[name], series, "kB")
            drawn.append(name)
    return drawn


def markdown(told: dict, pictures: list) -> str:
    """Returns the report as a page."""
    lines = [f"# Hardware in the loop, {told['date']}: {'passed' if told['passed'] else 'FAILED'}", ""]
    lines += [EMULATED, ""] * told["emulated"]
    lines += [f"Baton {told['baton']}, {'; the peer: '.join(map(system, told['machines']))}", ""]
    lines += [f"Note: {note}." for note in told["notes"]] + [""] * bool(told["notes"])
    lines += controllers(told["controllers"]) + parts(told["parts"]) + figures(told["parts"])
    lines += ["## Not run", "", *[f"- {each['name']}: {each['reason']}" for each in told["notRun"]], ""]
    lines += [f"![{CAPTIONS[name]}]({name})\n" for name in pictures]
    lines += ["## The row for Documentation/Hardware.md", "", "```", row(told), "```", ""]
    return "\n".join(lines)


def system(told: dict) -> str:
    """Describes a machine's kernel and bluetoothd."""
    return f"kernel {told['kernel']['release']} ({told['kernel']['machine']}), BlueZ {bluez(told)}"


def bluez(told: dict) -> str:
    return f"{told['bluetoothd']['version']} {daemon(told['bluetoothd'])}".strip()


def daemon(told: dict) -> str:
    """Returns bluetoothd's options and relevant settings."""
    return " ".join([*told["options"], *[f"{name}={value}" for name, value in told["configuration"].items()]])


def controllers(told: list) -> list:
    lines = ["## Controllers", "", table(["adapter", "controller", "OUI", "driver", "firmware", "settings"])]
    for each in told:
        lines.append(table_row([each["adapter"], machine.name(each), each["oui"], each["driver"], machine.firmware(each), ", ".join(each["current"])]))
    said = [f"- {each['adapter']}, the kernel: {line}" for each in told for line in each["kernelSays"]]
    return [*lines, "", *said, *([""] if said else [])]


def parts(told: list) -> list:
    lines = ["## Parts", "", table(["part", "what", "", "seconds", ""])]
    lines += [table_row([part["name"], part["title"], part["status"], f"{part['seconds']:.0f}", "; ".join([*part["facts"], part["reason"]]).strip("; ")])
              for part in told]
    return [*lines, ""]


def figures(told: list) -> list:
    """Returns the table of medians. The samples, and the medians of the suites' checks, are in report.json."""
    lines = ["## Figures", "", table(["figure", "", "median", "from least to most", "samples"])]
    for part in told:
        for figure in part["figures"] if part["name"] != "conformance" else []:
            samples = figure["samples"]
            lines.append(table_row([figure["name"], figure["series"], f"{figure['median']:.4g} {figure['unit']}",
                                    f"{min(samples):.4g} to {max(samples):.4g}", str(len(samples))]))
    return [*lines, ""] if len(lines) > 3 else []


def median(told: dict, part: str, name: str, series: str = "") -> str:
    """Returns the medians of a part's figure, of all series with this ending, with the unit, or a dash if there is
    none."""
    figures_told = [figure for each in told["parts"] if each["name"] == part for figure in each["figures"]]
    found = [figure for figure in figures_told if figure["name"] == name and figure["series"].endswith(series)]
    return " / ".join(f"{figure['median']:.3g}" for figure in found) + f" {found[0]['unit']}" if found else "–"


def row(told: dict) -> str:
    """Returns the row for the table of Documentation/Hardware.md: the first direction, then the other."""
    each = told["controllers"]
    names = [machine.name(controller) for controller in each]
    firmware = [machine.firmware(controller) for controller in each]
    kernels, daemons = ([get(each) for each in told["machines"]] for get in (lambda each: each["kernel"]["release"], bluez))
    ran = sum(part["status"] == PASSED for part in told["parts"])
    return table_row([
        *("; ".join(dict.fromkeys(each)) for each in (names, firmware, kernels, daemons)), f"{ran} of {len(told['wanted'])}",
        *(median(told, "hand-over", figure, "connecting") for figure in ("offer seen", "continued")), median(told, "streams", "stream"),
        f"{told['date']}, {told['baton']}",
    ])


def table(names: list) -> str:
    return table_row(names) + "\n" + "|" + "---|" * len(names)


def table_row(cells: list) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
