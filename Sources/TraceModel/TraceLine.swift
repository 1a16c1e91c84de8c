// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// One line of a trace: something that happened, or that began or ended.
///
/// A trace is a text of such lines, a JSON object each (`Documentation/Trace.md`).
public struct TraceLine: Codable, Hashable, Sendable {
    /// What it happened to; a timeline draws a band for each.
    public enum Lane: String, Codable, CaseIterable, Sendable {
        /// The trace itself: its beginning, what was dropped, and what the user marked.
        case trace
        /// What is advertised and heard.
        case radio
        /// Channels to other devices.
        case connections
        /// Offers, and activities on their way.
        case handover
        /// Continuation streams.
        case streams
    }

    /// How a line takes part in something that lasts.
    public enum Phase: String, Codable, Sendable {
        case begin
        case end
    }

    /// The most bytes of a line, its end among them: what a pipe takes as a whole
    /// (pipe(7), `PIPE_BUF`).
    public static let maximumLength = 4_096
    /// The most bytes of one value.
    public static let maximumValue = 256

    /// In seconds, by a clock that goes on during suspend and that nobody sets (`CLOCK_BOOTTIME`).
    public var at: Double
    /// What it happened to.
    public var lane: Lane
    /// What happened, in a word or two.
    public var event: String
    /// Names what lasts, in its first and its last line.
    public var span: UInt64?
    /// Whether it is the first or the last line of what lasts.
    public var phase: Phase?
    /// What is to be known of it, by name.
    public var about: [String: String]

    /// A line of now, unless another time is given.
    public init(
        _ lane: Lane, _ event: String, span: UInt64? = nil, phase: Phase? = nil, about: [String: String] = [:],
        at: Double = Self.now
    ) {
        self.at = at
        self.lane = lane
        self.event = event
        self.span = span
        self.phase = phase
        self.about = about.mapValues { Self.shortened($0) }
    }

    /// The text of the line, with its end; nil where it would be too long.
    public var encoded: [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self), data.count < Self.maximumLength else { return nil }
        return [UInt8](data) + [UInt8(ascii: "\n")]
    }

    /// Reads a line, without its end, from wherever it came.
    ///
    /// - Returns: Nil for what is not one: too long, not JSON, or outside of its limits.
    public init?(_ text: some Collection<UInt8>) {
        guard text.count < Self.maximumLength, let line = try? JSONDecoder().decode(Self.self, from: Data(text)),
            abs(line.at) < 1e12, line.event.utf8.count <= Self.maximumValue,
            line.about.allSatisfy({ max($0.key.utf8.count, $0.value.utf8.count) <= Self.maximumValue })
        else { return nil }
        self = line
    }

    /// A value that is not too long, in whole characters.
    private static func shortened(_ value: String) -> String {
        guard value.utf8.count > maximumValue else { return value }
        var end = value.utf8.index(value.startIndex, offsetBy: maximumValue - 3)
        while end.samePosition(in: value) == nil { end = value.utf8.index(before: end) }
        return value[..<end] + "…"
    }
}
