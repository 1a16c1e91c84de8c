// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Wording

/// The progress of a command's pairs of streams, in one line for people.
struct StreamMeter: Sendable {
    /// The time over which the rate is averaged.
    static let window = Duration.seconds(3)
    /// The least time over which a rate means something.
    private static let leastWindow = Duration.milliseconds(500)

    private var pairs: [String: StreamProgress] = [:]
    /// How many bytes had moved at which times, the latest last.
    private var samples: [(time: Duration, bytes: UInt64)] = []

    mutating func update(_ stream: String, _ progress: StreamProgress, at now: Duration) {
        // Bytes that moved before the first report do not count for the rate.
        if pairs.updateValue(progress, forKey: stream) == nil { samples = [] }
        samples.removeAll { $0.time + Self.window < now }
        samples.append((now, bytes))
    }

    /// Forgets a pair that has ended.
    mutating func remove(_ stream: String) {
        pairs[stream] = nil
        samples = []
    }

    /// Returns the line, or nil if there is no pair.
    func line(at now: Duration) -> String? {
        guard !pairs.isEmpty else { return nil }
        let amounts = amounts
        guard !pairs.values.contains(where: \.isWaiting) else { return Self.waiting(amounts) }
        let transport = JoinedText.list(Set(pairs.values.map(\.transport)).sorted())
        guard let rate = rate(at: now).map(Self.text) else { return Self.line(amounts, over: transport) }
        return Self.line(amounts, over: transport, at: rate)
    }

    /// Returns the line for streams without a known rate.
    private static func line(_ amounts: Amounts, over transport: String) -> String {
        switch amounts {
        case (nil, nil): tr("Connected over {transport}", ["transport": transport])
        case (let sent?, nil): tr("{sent} sent over {transport}", ["sent": sent, "transport": transport])
        case (nil, let received?):
            tr("{received} received over {transport}", ["received": received, "transport": transport])
        case (let sent?, let received?):
            tr(
                "{sent} sent and {received} received over {transport}",
                ["sent": sent, "received": received, "transport": transport])
        }
    }

    /// Returns the line for streams that move data at this rate.
    private static func line(_ amounts: Amounts, over transport: String, at rate: String) -> String {
        switch amounts {
        case (nil, nil): line(amounts, over: transport)
        case (let sent?, nil):
            tr(
                "{sent} sent over {transport}, {rate} a second",
                ["sent": sent, "transport": transport, "rate": rate])
        case (nil, let received?):
            tr(
                "{received} received over {transport}, {rate} a second",
                ["received": received, "transport": transport, "rate": rate])
        case (let sent?, let received?):
            tr(
                "{sent} sent and {received} received over {transport}, {rate} a second",
                ["sent": sent, "received": received, "transport": transport, "rate": rate])
        }
    }

    /// Returns the line for streams whose connection has broken or stalled.
    private static func waiting(_ amounts: Amounts) -> String {
        switch amounts {
        case (nil, nil): tr("Waiting for the connection")
        case (let sent?, nil): tr("{sent} sent, waiting for the connection", ["sent": sent])
        case (nil, let received?): tr("{received} received, waiting for the connection", ["received": received])
        case (let sent?, let received?):
            tr(
                "{sent} sent and {received} received, waiting for the connection",
                ["sent": sent, "received": received])
        }
    }

    /// The texts of the amounts that were sent and received. An amount of zero has no text.
    private typealias Amounts = (sent: String?, received: String?)

    private var amounts: Amounts {
        (sent > 0 ? Self.text(sent) : nil, received > 0 ? Self.text(received) : nil)
    }

    private var sent: UInt64 { sum(\.sent) }
    private var received: UInt64 { sum(\.received) }
    private var bytes: UInt64 { sent.addingClamped(received) }

    private func sum(_ count: (StreamProgress) -> UInt64) -> UInt64 {
        pairs.values.reduce(0) { $0.addingClamped(count($1)) }
    }

    /// Returns how many bytes move in a second, or nil if that is unknown or no bytes move.
    private func rate(at now: Duration) -> UInt64? {
        guard let first = samples.first(where: { $0.time + Self.window >= now }), now >= first.time + Self.leastWindow,
            bytes > first.bytes
        else { return nil }
        return UInt64(Double(bytes - first.bytes) / ((now - first.time) / .seconds(1)))
    }

    /// Returns an amount in the largest unit in which it has at least two digits.
    static func text(_ bytes: UInt64) -> String {
        switch bytes {
        case ..<10_000: tr("{count} B", ["count": String(bytes)])
        case ..<10_000_000: tr("{count} kB", ["count": String(bytes / 1_000)])
        case ..<10_000_000_000: tr("{count} MB", ["count": String(bytes / 1_000_000)])
        default: tr("{count} GB", ["count": String(bytes / 1_000_000_000)])
        }
    }
}

extension UInt64 {
    /// Returns the sum, or the maximum number if the sum is too large.
    fileprivate func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
