// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import SimulatedTransport

@testable import BatonService

/// What a test waits for when no event of the service tells it.
extension Device {
    /// Returns once a condition holds; looks after each sign that any device of the world gives.
    ///
    /// - Parameter signs: Those that follow each change of what is looked at.
    func until(
        _ what: String, after signs: Signs.Sign..., isolation: isolated (any Actor)? = #isolation,
        _ condition: () async throws -> Bool
    ) async throws {
        try await self.signs.until("\(radio.address): \(what)", after: Set(signs), isolation: isolation, condition)
    }

    /// Returns once the circle that this device knows has members of these names.
    func knows(_ names: [String]) async throws {
        // The circle and its names are on the disk before anybody acts on them.
        try await until("members \(names)", after: .stateWrite) { await memberNames == names.sorted() }
    }

    /// Returns once another device that pairs may dial this one.
    func doorOpens() async throws {
        // The door opens before the pairing is advertised, or the radio has refused that.
        try await until("the open door", after: .traceLine) { await service.channels.pairingDoor.isOpen }
    }

    /// Returns once no control channel is open here, draining ones among them.
    func linksEnd() async throws {
        try await until("the connections' end", after: .traceLine) { await service.counts["openLinks"] == 0 }
    }

    /// Returns once a control channel to another device is here.
    func linkBegins(to other: Device) async throws {
        try await until("a connection to \(other.radio.address)", after: .traceLine) { await hasLink(to: other) }
    }

    /// Closes every control channel of some devices until none has one: dials under way may bring
    /// more.
    static func endLinks(of devices: Device...) async throws {
        try await devices[0].until("no connection is left", after: .traceLine) {
            for device in devices { await device.service.breakLinks() }
            for device in devices where await device.service.counts["openLinks"] != 0 { return false }
            return true
        }
    }

    /// Returns once the dials of now to other devices, on whatever way there is, have ended.
    func dialsEnd() async { for dial in await service.dialsUnderWay { _ = await dial.result } }

    /// Returns once another device's beacon was heard at its own address.
    func hearsBeacon(of other: Device) async throws {
        try await until("the beacon of \(other.radio.address)", after: .radioEvent) {
            await service.isHeard(other, at: other.radio.address)
        }
    }

    /// Returns once another device is to be called by radio, as nothing else leads to it.
    func calls() async throws {
        // The caller then waits on its clock.
        try await until("the call of a device", after: .sleep) { await !service.peers.awaited.hailed.isEmpty }
    }

    /// Returns once a table of the service has so many entries.
    ///
    /// The service tells nobody when it forgets what is over by its clock, or a channel that was
    /// only tried.
    func holds(_ count: Int, of table: String) async throws {
        try await eventually("\(radio.address): \(count) of \(table)") { await service.counts[table] == count }
    }
}

extension HandoffService {
    fileprivate var dialsUnderWay: [Task<Void, any Error>] {
        (circle?.roster.members.keys ?? [:].keys).compactMap { peers.dials[.init(device: $0, route: .any)]?.task }
    }
}
