// SPDX-License-Identifier: Apache-2.0

/// The queue of a radio's events for one consumer (``Radio/events()``), which may be slow because
/// it may itself wait for the radio.
///
/// Only the latest event of each address waits, and only the latest status of the radio. A stranger
/// can advertise under any number of addresses, so sightings of new addresses are dropped beyond
/// ``maximumAddresses``. Statuses, and the loss of an address that the consumer knows, are never
/// dropped.
public final class RadioEventQueue: Sendable {
    private enum Subject: Hashable { case radio, peer(address: String) }

    /// The maximum number of addresses that the consumer knows or will hear of. This is twice the
    /// number of addresses that a radio remembers, because the consumer may still know as many
    /// addresses that the radio has already lost.
    public static let maximumAddresses = 2_048

    /// The events, for one consumer.
    public let events: AsyncStream<RadioEvent>
    private let mailbox: Mailbox<Subject, RadioEvent>

    /// Creates an empty queue.
    public init() {
        let mailbox = Mailbox<Subject, RadioEvent>()
        self.mailbox = mailbox
        events = AsyncStream(unfolding: { await mailbox.next().flatMap(Self.event) })
    }

    /// The number of events that wait.
    public var count: Int { mailbox.count }

    /// Adds an event.
    public func tell(_ event: RadioEvent) {
        switch event {
        case .sighted(let sighting):
            mailbox.put(event, for: .peer(address: sighting.address), limit: Self.maximumAddresses)
        case .lost(let address): mailbox.remove(.peer(address: address))
        case .status: mailbox.put(event, for: .radio)
        }
    }

    /// Ends the stream of events. The consumer still receives the events that wait.
    public func finish() { mailbox.finish() }

    private static func event(_ news: Mailbox<Subject, RadioEvent>.News) -> RadioEvent? {
        if let event = news.value { return event }
        guard case .peer(let address) = news.key else { return nil }
        return .lost(address: address)
    }
}
