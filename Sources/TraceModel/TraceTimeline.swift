// SPDX-License-Identifier: Apache-2.0

/// The contents and the layout of a trace's drawing.
struct TraceTimeline {
    struct Item: Hashable {
        /// The start, in seconds since the beginning of the trace.
        let start: Double
        /// The end, in seconds since the beginning of the trace, or nil if the event has no
        /// duration.
        let end: Double?
        /// Whether the trace lacks the beginning or the end.
        let isOpen: Bool
        let event: String
        /// The facts from the beginning and the end.
        let about: [String: String]

        var hasFailed: Bool { about["failure"] != nil }
    }

    /// A row of items. The items do not overlap, except in the last row of a full band.
    struct Row: Hashable {
        /// The name of the row. The name is empty if the row continues the one above.
        let name: String
        var items: [Item]
    }

    /// The rows of one area of events.
    struct Band: Hashable {
        let lane: TraceLine.Lane
        var rows: [Row]
    }

    /// The maximum number of items to draw. Further items are counted.
    static let maximumItems = 5_000
    /// The maximum number of rows in a band. Items that do not fit go into the last row.
    static let maximumRows = 32

    /// The facts about the trace, from its first line.
    private(set) var about: [String: String] = [:]
    /// The time from the first line to the last, in seconds.
    let duration: Double
    /// The user's marks and the dropped lines, in order.
    private(set) var marks: [Item] = []
    private(set) var bands: [Band] = []
    /// The number of items that are not drawn.
    private(set) var omitted = 0

    /// Creates the timeline of lines in any order.
    init(_ lines: [TraceLine]) {
        let sorted = lines.sorted { $0.at < $1.at }
        let origin = sorted.first?.at ?? 0
        duration = max((sorted.last?.at ?? origin) - origin, 0.001)
        about = sorted.first { $0.lane == .trace && $0.event == "begin" }?.about ?? [:]
        let ends = Dictionary(
            sorted.lazy.filter { $0.phase == .end }.compactMap { line in line.span.map { ($0, line) } },
            uniquingKeysWith: { first, _ in first })
        let begun = Set(sorted.lazy.filter { $0.phase == .begin }.compactMap(\.span))
        var placed: [TraceLine.Lane: [Row]] = [:]
        var count = 0
        for line in sorted {
            guard let item = Self.item(line, origin, duration, ends: ends, begun: begun) else { continue }
            guard count < Self.maximumItems else {
                omitted += 1
                continue
            }
            count += 1
            if line.lane == .trace {
                if line.event != "begin" { marks.append(item) }
            } else {
                Self.place(item, of: line, in: &placed[line.lane, default: []])
            }
        }
        bands = TraceLine.Lane.allCases.compactMap { lane in placed[lane].map { Band(lane: lane, rows: $0) } }
    }

    /// - Returns: The item for a line, or nil if the line ends an event whose beginning is in the
    ///   trace.
    private static func item(
        _ line: TraceLine, _ origin: Double, _ duration: Double, ends: [UInt64: TraceLine], begun: Set<UInt64>
    ) -> Item? {
        let start = line.at - origin
        switch (line.phase, line.span) {
        case (.begin?, let span?):
            let end = ends[span]
            let last = end.map { max($0.at - origin, start) } ?? duration
            return Item(
                start: start, end: last, isOpen: end == nil, event: line.event,
                about: line.about.merging(end?.about ?? [:]) { $1 })
        case (.end?, let span?):
            if begun.contains(span) { return nil }
            return Item(start: 0, end: start, isOpen: true, event: line.event, about: line.about)
        default: return Item(start: start, end: nil, isOpen: false, event: line.event, about: line.about)
        }
    }

    /// Puts a radio event into its device's row, and any other item into the first free row.
    private static func place(_ item: Item, of line: TraceLine, in rows: inout [Row]) {
        if line.lane == .radio {
            let name = item.about["device"] ?? "here"
            if let index = rows.firstIndex(where: { $0.name == name }) {
                rows[index].items.append(item)
            } else if rows.count < maximumRows {
                rows.append(Row(name: name, items: [item]))
            } else {
                rows[rows.count - 1].items.append(item)
            }
            return
        }
        let isFree = rows.firstIndex { row in row.items.allSatisfy { ($0.end ?? $0.start) < item.start } }
        if let index = isFree ?? (rows.count < maximumRows ? nil : rows.count - 1) {
            rows[index].items.append(item)
        } else {
            rows.append(Row(name: "", items: [item]))
        }
    }
}
