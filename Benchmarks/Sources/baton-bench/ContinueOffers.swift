// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus
import Foundation
import UserActivity

/// Continues an offer as an app does, for each line of input, and prints how long that took.
struct ContinueOffers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "continue",
        abstract: "Wait for an offer; then, for each line of standard input, continue it and print how long it took.",
        discussion: "The time is from the call to the daemon until the activity is here; the bus is connected before.")

    @Option(help: "The message bus's address.")
    var bus: String

    @Option(help: "The offer's type.")
    var type: String

    func run() async throws {
        let connection = try await BatonConnection.open(address: bus)
        let wanted = type
        let offer = try await connection.waitForOffer(timeout: .seconds(60)) { offers in
            offers.first { $0.type == wanted }
        }
        guard let offer else { throw BenchFailure("no offer of \(type) within 60 s") }
        try report(["offer": offer.offer])
        let clock = ContinuousClock()
        while readLine() != nil {
            let start = clock.now
            let continuation = try await connection.continueOffer(offer.offer)
            let took = clock.now - start
            try await continuation.accept()
            try report([
                "milliseconds": took.milliseconds, "transport": continuation.transport,
                "entries": continuation.activity.currentState.userInfo.count,
            ])
        }
        await connection.close()
    }
}
