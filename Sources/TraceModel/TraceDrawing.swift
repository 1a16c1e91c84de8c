// SPDX-License-Identifier: Apache-2.0

/// A web page that shows a trace as a timeline and a table of all lines.
///
/// The page loads nothing and runs no scripts. All contents of the trace are escaped as text.
public struct TraceDrawing {
    /// The maximum number of lines in the table.
    static let maximumLines = 20_000

    private let timeline: TraceTimeline
    private let lines: [TraceLine]

    private let left = 150.0
    private let width = 1_000.0
    private let rowHeight = 22.0

    /// Creates the drawing of a trace's lines.
    public init(_ lines: [TraceLine]) {
        timeline = TraceTimeline(lines)
        self.lines = lines.sorted { $0.at < $1.at }
    }

    /// The page as HTML.
    public var html: String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>A trace of Baton</title>
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <style>\(Self.style)</style></head><body>
        <h1>A trace of Baton</h1>
        \(summary)
        \(svg)
        \(table)
        </body></html>

        """
    }

    private var summary: String {
        let about = timeline.about.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }
            .map { "<dt>\(Self.text($0.key))</dt><dd>\(Self.text($0.value))</dd>" }
        let omitted =
            timeline.omitted > 0 ? "<p>\(timeline.omitted) events are not drawn; the table has them.</p>" : ""
        return "<dl>\(about.joined())<dt>lasted</dt><dd>\(Self.seconds(timeline.duration))</dd></dl>\(omitted)"
    }

    private var svg: String {
        var (parts, y) = ([String](), 44.0)
        for band in timeline.bands {
            parts.append("<text class=\"lane\" x=\"4\" y=\"\(Self.number(y + 14))\">\(band.lane.rawValue)</text>")
            for row in band.rows {
                if !row.name.isEmpty {
                    parts.append(
                        "<text class=\"row\" x=\"\(Self.number(left - 8))\" y=\"\(Self.number(y + 14))\">"
                            + "\(Self.text(String(row.name.prefix(12))))</text>")
                }
                parts += row.items.map { shape(of: $0, in: band.lane, at: y) }
                y += rowHeight
            }
            parts.append("<line class=\"band\" x1=\"0\" x2=\"\(Self.number(left + width))\" y1=\"\(y)\" y2=\"\(y)\"/>")
            y += 6
        }
        let marks = timeline.marks.enumerated().map { index, mark in
            // Draw the labels at two alternating heights, because marks may be close together.
            let place = Self.number(x(mark.start))
            return "<g class=\"mark\"><line x1=\"\(place)\" x2=\"\(place)\" y1=\"30\" y2=\"\(y)\"/>"
                + "<text x=\"\(place)\" y=\"\(index % 2 == 0 ? 12 : 26)\">\(Self.text(Self.label(of: mark)))</text>\(Self.title(of: mark))</g>"
        }
        let size = "\(Self.number(left + width + 20)) \(Self.number(y + 24))"
        return "<svg viewBox=\"0 0 \(size)\" role=\"img\" aria-label=\"timeline\">"
            + (parts + marks + [axis(at: y)]).joined(separator: "\n") + "</svg>"
    }

    private func shape(of item: TraceTimeline.Item, in lane: TraceLine.Lane, at y: Double) -> String {
        let classes = [lane.rawValue, item.hasFailed ? "failed" : "", item.isOpen ? "open" : ""]
            .filter { !$0.isEmpty }.joined(separator: " ")
        guard let end = item.end else {
            let place = Self.number(x(item.start))
            return "<g class=\"\(classes)\"><circle cx=\"\(place)\" cy=\"\(Self.number(y + 10))\" r=\"4\"/>"
                + "\(Self.title(of: item))</g>"
        }
        let length = max(x(end) - x(item.start), 3)
        let label =
            length > 60
            ? "<text x=\"\(Self.number(x(item.start) + 4))\" y=\"\(Self.number(y + 14))\">\(Self.text(item.event))</text>"
            : ""
        return "<g class=\"\(classes)\"><rect x=\"\(Self.number(x(item.start)))\" y=\"\(Self.number(y + 2))\" "
            + "width=\"\(Self.number(length))\" height=\"16\" rx=\"3\"/>\(label)\(Self.title(of: item))</g>"
    }

    private func axis(at y: Double) -> String {
        (0...10).map { step in
            let time = timeline.duration * Double(step) / 10
            return "<text class=\"axis\" x=\"\(Self.number(x(time)))\" y=\"\(Self.number(y + 16))\">"
                + "\(Self.number(time)) s</text>"
        }.joined(separator: "\n")
    }

    private var table: String {
        let origin = lines.first?.at ?? 0
        let rows = lines.prefix(Self.maximumLines).map { line in
            let about = line.about.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return "<tr class=\"\(line.about["failure"] == nil ? "" : "failed")\">"
                + "<td>\(Self.seconds(line.at - origin))</td><td>\(line.lane.rawValue)</td>"
                + "<td>\(Self.text(line.event)) \(line.phase?.rawValue ?? "")</td>"
                + "<td>\(Self.text(about.joined(separator: ", ")))</td></tr>"
        }
        let left = lines.count - rows.count
        return
            "<table><tr><th>s</th><th>what</th><th>event</th><th>about</th></tr>\(rows.joined(separator: "\n"))</table>"
            + (left > 0 ? "<p>and \(left) more lines.</p>" : "")
    }

    private func x(_ time: Double) -> Double { left + width * min(max(time / timeline.duration, 0), 1) }

    private static func label(of mark: TraceTimeline.Item) -> String {
        mark.event == "mark" ? mark.about["text"] ?? "" : mark.event
    }

    private static func title(of item: TraceTimeline.Item) -> String {
        let length = item.end.map { ", for \(seconds($0 - item.start))" } ?? ""
        let about = item.about.sorted { $0.key < $1.key }.map { "\n\($0.key): \($0.value)" }
        return "<title>\(text("\(item.event), at \(seconds(item.start))\(length)\(about.joined())"))</title>"
    }

    /// Returns a text escaped for HTML.
    static func text(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n": result += "\n"
            case _ where scalar.properties.generalCategory == .control: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns a coordinate with one decimal.
    private static func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private static func seconds(_ value: Double) -> String { "\((value * 1_000).rounded() / 1_000) s" }

    private static let style = """
        :root { color-scheme: light dark; font: 14px system-ui, sans-serif }
        body { margin: 2em auto; max-width: 1200px; padding: 0 1em }
        dl { display: grid; grid-template-columns: max-content auto; gap: 2px 1em } dt { opacity: .6 } dd { margin: 0 }
        svg { width: 100%; margin: 1em 0 } svg text { font-size: 11px; fill: currentColor }
        .lane { font-weight: bold } .row, .axis { text-anchor: end; opacity: .7 }
        .band { stroke: currentColor; opacity: .2 }
        .radio circle { fill: #4a7fd6 } .connections rect { fill: #5aa469 } .connections circle { fill: #5aa469 }
        .handover rect, .handover circle { fill: #c58a2b } .streams rect, .streams circle { fill: #8b6bc4 }
        g rect { opacity: .75 } g.open rect { stroke-dasharray: 4 2; stroke: currentColor; opacity: .5 }
        g.failed rect, g.failed circle { fill: #d0453e } tr.failed td { color: #d0453e }
        .mark line { stroke: #d04a9a; stroke-dasharray: 3 3 } .mark text { fill: #d04a9a; text-anchor: middle }
        table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: 1px 8px; vertical-align: top }
        td:first-child { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
        tr:nth-child(even) td { background: color-mix(in srgb, currentColor 5%, transparent) }
        """
}
