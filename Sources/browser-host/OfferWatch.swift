// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Diagnosis

/// Follows the offers of other laptops and the daemon's state until the bus ends.
///
/// Also announces pages that are about to open in a browser.
actor OfferWatch {
    private static var busHasGone: String { BatonError(.busUnavailable, .busGone).message }

    private let bus: BatonBusClient
    private let send: @Sendable (Message) -> Void
    /// Yields each new reason why no page is offered or shown, and `nil` when there is no reason
    /// any more.
    nonisolated let hindrances: AsyncStream<String?>
    private let hindrance: AsyncStream<String?>.Continuation
    private var offers: [String: OfferSummary] = [:]
    private var icons = AppIcons()
    /// Why no offers are shown, or `nil` if offers can be shown.
    private var reason: String?
    /// The last message that was sent, so that it is not sent again after events that change only a
    /// signal strength.
    private var told: Message?

    init(bus: BatonBusClient, send: @escaping @Sendable (Message) -> Void) {
        self.bus = bus
        self.send = send
        (hindrances, hindrance) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Sends all offers, and sends them again whenever they change. Returns when the bus has ended.
    func run() async {
        var pause = Duration.seconds(1)
        while !Task.isCancelled {
            do {
                try await follow { pause = .seconds(1) }
                return tell(because: Self.busHasGone)
            } catch let error as BatonError where error.code == .busUnavailable {
                return tell(because: Self.busHasGone)
            } catch {
                offers = [:]
                tell(because: BatonError(anyError: error).message)
            }
            await comeBack(after: pause)
            pause = min(pause * 2, .seconds(30))
        }
    }

    private func follow(began: () -> Void) async throws {
        let events = try await bus.watchOffers()
        offers = [:]
        let statuses = Task { [bus] in
            for await status in try await bus.panelStatuses() { tell(because: status.reason) }
        }
        defer { statuses.cancel() }
        let pages = Task { [bus, send] in
            for await page in try await bus.openedPages() {
                guard let address = try? WebAddress(page.address) else { continue }
                send(.coming(page.page, address))
            }
        }
        defer { pages.cancel() }
        began()
        for try await event in events {
            take(event)
            tell(because: reason)
        }
    }

    /// Returns whether an offer is known and is not a page.
    func isOfApp(_ offer: String) -> Bool { offers[offer].map { !$0.isPage } ?? false }

    private func take(_ event: OfferEvent) {
        switch event {
        case .appeared(let offer), .changed(let offer):
            let isForHere = offer.isPage || offer.application != nil || offer.hasWebpage
            offers[offer.offer] = isForHere ? offer : nil
        case .disappeared(let offer): offers[offer] = nil
        }
    }

    private func tell(because reason: String?) {
        let before = self.reason
        self.reason = reason?.isEmpty == true ? nil : reason
        if self.reason != before { hindrance.yield(self.reason) }
        let shown = offers.values.sorted { $0.offer < $1.offer }.prefix(Message.maximumOffers)
        let apps = icons.keep(Set(shown.compactMap(\.appHere)))
        let message = Message.offers(Array(shown), apps: apps, reason: self.reason)
        guard message != told else { return }
        told = message
        send(message)
    }

    /// Pauses, then waits for the daemon. Without the pause, a daemon that gives no answers would
    /// be called all the time.
    private func comeBack(after pause: Duration) async {
        try? await Task.sleep(for: pause)
        guard let presence = try? await bus.daemonPresence() else { return }
        for await isThere in presence where isThere { return }
    }
}
