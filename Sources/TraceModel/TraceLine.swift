// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// One line of a trace: an event, or the beginning or end of a lasting event.
///
/// A trace is a text of such lines, each a JSON object (`Documentation/Trace.md`).
public struct TraceLine: Codable, Hashable, Sendable {
    /// The area of an event. A timeline draws a band for each area.
    public enum Lane: String, Codable, CaseIterable, Sendable {
        /// The trace itself: its beginning, dropped lines and the user's marks.
        case trace
        /// Advertisements that this device sends and hears.
        case radio
        /// Channels to other devices.
        case connections
        /// Offers, and activities that are being handed over.
        case handover
        /// Continuation streams.
        case streams
    }

    /// Marks a line as the beginning or the end of something that lasts.
    public enum Phase: String, Codable, Sendable {
        case begin
        case end
    }

    /// The maximum length of a line with its end, in bytes.
    ///
    /// A write of up to this many bytes to a pipe is never split (pipe(7), `PIPE_BUF`).
    public static let maximumLength = 4_096
    /// The maximum length of one value, in bytes.
    public static let maximumValue = 256

    /// The time in seconds, by a clock that runs during suspend (`CLOCK_BOOTTIME`).
    public var at: Double
    /// The area of the event.
    public var lane: Lane
    /// The event, in a word or two.
    public var event: String
    /// A number that the first and the last line of a lasting event share, or nil for a single
    /// event.
    public var span: UInt64?
    /// Whether the line begins or ends something that lasts, or nil for a single event.
    public var phase: Phase?
    /// The facts about the event, by name.
    public var about: [String: String]

    /// Creates a line, by default with the present time.
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

    /// The text of the line with its line end, or nil if it is too long.
    public var encoded: [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self), data.count < Self.maximumLength else { return nil }
        return [UInt8](data) + [UInt8(ascii: "\n")]
    }

    /// Reads a line without its line end. The line may come from an untrusted source.
    ///
    /// - Returns: Nil if the text is too long, not JSON, or has values out of their limits.
    public init?(_ text: some Collection<UInt8>) {
        guard text.count < Self.maximumLength, let line = try? JSONDecoder().decode(Self.self, from: Data(text)),
            abs(line.at) < 1e12, line.event.utf8.count <= Self.maximumValue,
            line.about.allSatisfy({ max($0.key.utf8.count, $0.value.utf8.count) <= Self.maximumValue })
        else { return nil }
        self = line
    }

    /// Returns a value cut to the maximum length, without splitting a character.
    private static func shortened(_ value: String) -> String {
        guard value.utf8.count > maximumValue else { return value }
        var end = value.utf8.index(value.startIndex, offsetBy: maximumValue - 3)
        while end.samePosition(in: value) == nil { end = value.utf8.index(before: end) }
        return value[..<end] + "…"
    }
}
