// SPDX-License-Identifier: Apache-2.0

/// What a radio has to tell its consumer, which may wait for the radio itself meanwhile:
/// ``Radio/events()``.
///
/// Of each address the latest waits, and of the radio's condition too. A stranger can advertise
/// under ever so many addresses: beyond ``maximumAddresses`` sightings of others are dropped; a
/// lost address that the consumer has heard of, and the condition, never are.
public final class RadioEventQueue: Sendable {
    private enum Subject: Hashable { case radio, peer(address: String) }

    /// How many addresses the consumer knows or will hear of: twice as many as a radio tells apart,
    /// for those that it knew may all be lost.
    public static let maximumAddresses = 2_048

    /// What is told, for one consumer.
    public let events: AsyncStream<RadioEvent>
    private let mailbox: Mailbox<Subject, RadioEvent>

    /// A queue with nothing in it.
    public init() {
        let mailbox = Mailbox<Subject, RadioEvent>()
        self.mailbox = mailbox
        events = AsyncStream(unfolding: { await mailbox.next().flatMap(Self.event) })
    }

    /// How many events wait.
    public var count: Int { mailbox.count }

    /// Puts an event in.
    public func tell(_ event: RadioEvent) {
        switch event {
        case .sighted(let sighting):
            mailbox.put(event, for: .peer(address: sighting.address), limit: Self.maximumAddresses)
        case .lost(let address): mailbox.remove(.peer(address: address))
        case .status: mailbox.put(event, for: .radio)
        }
    }

    /// Ends the events: those that wait are still told.
    public func finish() { mailbox.finish() }

    private static func event(_ news: Mailbox<Subject, RadioEvent>.News) -> RadioEvent? {
        if let event = news.value { return event }
        guard case .peer(let address) = news.key else { return nil }
        return .lost(address: address)
    }
}
