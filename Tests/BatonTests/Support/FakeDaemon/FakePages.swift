// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import BatonTesting
import Foundation
import UserActivity

/// The pages that a ``FakeDaemon`` opened in the browser, and the client that follows them.
struct FakePages {
    private var untaken: [String: ContinuedActivity] = [:]
    /// The client that follows pages, or nil if there is none.
    fileprivate let follower = Watched<ClientID?>(nil)

    mutating func open(_ page: String, _ activity: ActivityState) {
        untaken[page] = ContinuedActivity(
            continuation: "", activity: activity, device: "dd", deviceName: "desk", transport: "simulated")
    }

    /// Makes a client follow pages. Returns the pages that no client has taken.
    func follow(as client: ClientID) -> [OpenedPage] {
        follower.change { $0 = client }
        return untaken.sorted { $0.key < $1.key }.compactMap { page, activity in
            activity.activity.webpageURL.map { OpenedPage(page: page, address: $0.absoluteString) }
        }
    }

    mutating func take(_ page: String) throws(BatonError) -> ContinuedActivity {
        guard let found = untaken.removeValue(forKey: page) else {
            throw BatonError(.notFound, appMessage: "no page \(page)")
        }
        return found
    }
}

extension FakeDaemon {
    /// Waits until a client follows pages.
    func waitForFollower() async throws {
        try await pages.follower.wait("somebody who wants to be told of pages") { $0 }
    }

    /// Opens a page in the default browser.
    func open(_ page: String, _ activity: ActivityState) {
        pages.open(page, activity)
        guard let follower = pages.follower.value, let address = activity.webpageURL?.absoluteString else { return }
        service?.sendPageOpened(OpenedPage(page: page, address: address), to: follower)
    }

    nonisolated func addPages(to router: inout BusRouter) {
        router.on(OffersInterface.followPages) { client in await self.pages.follow(as: client) }
        router.on(OffersInterface.takePage) { page, _ in try await self.takePage(page) }
    }

    private func takePage(_ page: String) throws -> ContinuedActivity { try pages.take(page) }
}
