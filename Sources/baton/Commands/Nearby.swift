// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import UserInfoJSON
import Wording

struct Nearby: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the activities that other devices of the circle offer.")

    @Flag(help: "Print a JSON array; with --watch, one object on each line.")
    var json = false

    @Flag(help: "Stay until batond ends, and print every change.")
    var watch = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Wait at most this long for the first offer whose type is known. With --watch, stay this long. Without an offer in that time, the exit status is 75.",
            valueName: "seconds"),
        transform: Seconds.init(parsing:))
    var wait: Seconds?

    func run() async throws {
        let command = self
        guard watch else { return try await Termination.cancels { try await command.list() } }
        do {
            try await Termination.cancels { try await Output.standard.whileRead(command.follow) }
        } catch let failure as ToolFailure where failure.status == .interrupted {}
    }

    private func list() async throws {
        let wait = wait
        let (offers, obstacle) = try await Daemon.connected { connection in
            var timeout = Duration.zero
            // Without a circle no offer can come, so do not wait.
            if let wait, try await Daemon.obstacle(connection.bus) == nil { timeout = wait.duration }
            await connection.bus.lookForOffers()
            // Wait until the type of an offer is known. The daemon must first ask the other device
            // for it.
            let named = try await connection.bus.waitForOffer(timeout: timeout) { offers in
                offers.contains { $0.type != nil } ? offers : nil
            }
            let offers = if let named { named } else { try await connection.bus.offers() }
            if offers.isEmpty, let hint = try await Daemon.networkHint(connection.bus) { Output.warn(hint) }
            return (offers, offers.isEmpty ? try await Daemon.obstacle(connection.bus) : nil)
        }
        if json {
            try Output.standard.json(JSONNode.array(offers.map(OfferText.node)), pretty: true)
        } else if !offers.isEmpty {
            for line in OfferText.table(offers) { try Output.standard.line(line) }
        } else if wait == nil, obstacle == nil {
            try Output.standard.line(tr("Nothing is offered nearby."))
        }
        if let obstacle { throw obstacle }
        if let wait, offers.isEmpty { throw Self.nothingSeen(wait) }
    }

    private func follow() async throws {
        let (json, wait) = (json, wait)
        let count = try await Daemon.connected { connection in
            try await withThrowingTaskGroup(of: Int?.self) { group in
                await connection.bus.lookForOffers()
                let events = try await connection.bus.watchOffers()
                if let obstacle = try await Daemon.obstacle(connection.bus) { Output.warn(obstacle.description) }
                group.addTask {
                    var count = 0
                    do {
                        for try await event in events {
                            count += 1
                            if json {
                                try Output.standard.json(OfferText.node(event))
                            } else {
                                try Output.standard.line(OfferText.line(event))
                            }
                        }
                    } catch is CancellationError {}
                    return count
                }
                if let wait {
                    group.addTask {
                        try await Task.sleep(for: wait.duration)
                        return nil
                    }
                }
                var ended = try await group.next() ?? nil
                let timeIsOver = ended == nil
                group.cancelAll()
                if timeIsOver { ended = try await group.next() ?? nil }
                try Task.checkCancellation()
                guard timeIsOver else {
                    throw ToolFailure(
                        "the session bus has gone; log in again, then repeat the command", status: .noDaemon)
                }
                return ended ?? 0
            }
        }
        if let wait, count == 0 { throw Self.nothingSeen(wait) }
    }

    private static func nothingSeen(_ wait: Seconds) -> ToolFailure {
        ToolFailure(
            tr(
                "Nothing was offered within {seconds} s. Open something on another laptop nearby, and compare \"baton status\" on both.",
                ["seconds": wait.text]), status: .noOffer)
    }
}
