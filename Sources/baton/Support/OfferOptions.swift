// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus

/// The arguments that say which offer is meant, and how long to wait for it.
struct OfferOptions: ParsableArguments {
    @Argument(help: "The offer, as baton nearby names it.")
    var offer: String?

    @Option(help: ArgumentHelp("Continue the offer of this type instead.", valueName: "type"))
    var type: String?

    @Option(help: ArgumentHelp("Only from this device: its name or its id.", valueName: "device"))
    var from: String?

    @Option(
        help: ArgumentHelp(
            "How long to wait for the offer to appear. (default: 20 with --type, else 0)", valueName: "seconds"))
    var wait: Seconds?

    func validate() throws {
        guard (offer == nil) != (type == nil) else { throw ValidationError("give either an OFFER or --type TYPE") }
        if from != nil, type == nil { throw ValidationError("--from goes with --type") }
    }

    /// The id of the device that `--from` means: more than one may have the name.
    private func device(on connection: BatonConnection) async throws -> String? {
        guard let from else { return nil }
        if let obstacle = await Daemon.obstacle(connection.bus) { throw ToolFailure(obstacle) }
        let members = try await connection.bus.status().members
        return try DeviceNames(members.filter { !$0.isThisDevice }).device(called: from).device
    }

    /// The offer, once it is there.
    func find(on connection: BatonConnection) async throws -> OfferSummary {
        let wanted = OfferChoice(offer: offer, type: type, from: try await device(on: connection))
        let limit = wait ?? (type == nil ? Seconds(0) : Seconds(20))
        guard let found = try await connection.waitForOffer(timeout: limit.duration, select: wanted.select) else {
            if let obstacle = await Daemon.obstacle(connection.bus) { throw ToolFailure(obstacle) }
            throw ToolFailure(wanted.notFound(after: limit, among: try await connection.bus.offers()))
        }
        return found
    }
}
