// SPDX-License-Identifier: Apache-2.0

/// What a drawing of a trace shows, and where: no clock, no files.
struct TraceTimeline {
    /// Something on the timeline.
    struct Item: Hashable {
        /// In seconds since the beginning of the trace.
        let start: Double
        /// The same; nil for what has no duration.
        let end: Double?
        /// Whether its end is not in the trace: it was going on then, or the trace was cut.
        let isOpen: Bool
        /// What happened.
        let event: String
        /// What is known of it, from its beginning and its end.
        let about: [String: String]

        /// Whether something went wrong.
        var hasFailed: Bool { about["failure"] != nil }
    }

    /// Items that do not overlap.
    struct Row: Hashable {
        /// What it is called; empty for what begins with the row above.
        let name: String
        var items: [Item]
    }

    /// The rows of a lane.
    struct Band: Hashable {
        let lane: TraceLine.Lane
        var rows: [Row]
    }

    /// How many items are drawn; those beyond are counted.
    static let maximumItems = 5_000
    /// How many rows a band has; what finds no room in them goes into the last.
    static let maximumRows = 32

    /// What is known of the whole, from its first line.
    private(set) var about: [String: String] = [:]
    /// From its first line to its last, in seconds.
    let duration: Double
    /// What the user marked, and what was dropped, in order.
    private(set) var marks: [Item] = []
    /// All bands that have something in them.
    private(set) var bands: [Band] = []
    /// How many items are not drawn.
    private(set) var omitted = 0

    /// The timeline of lines, in any order.
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

    /// - Returns: Nil for the end of something whose beginning is there.
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

    /// What is heard of a device has its own row; all else the first with room.
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
