// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import SimulatedTransport

@testable import BatonService

/// Ways to wait for states that no event of the service reports.
extension Device {
    /// Waits until a condition holds. It checks the condition after each sign from any device of
    /// the world.
    ///
    /// - Parameter signs: The signs that follow each change of the condition's state.
    func until(
        _ what: String, after signs: Signs.Sign..., isolation: isolated (any Actor)? = #isolation,
        _ condition: () async throws -> Bool
    ) async throws {
        try await self.signs.until("\(radio.address): \(what)", after: Set(signs), isolation: isolation, condition)
    }

    /// Waits until the circle on this device has members with exactly these names.
    func knows(_ names: [String]) async throws {
        // The service writes the circle and its names to disk before it acts on the change.
        try await until("members \(names)", after: .stateWrite) { await memberNames == names.sorted() }
    }

    /// Waits until other devices that pair may dial this device.
    func doorOpens() async throws {
        // The device accepts pairing before the radio advertises the pairing or refuses to.
        try await until("the open door", after: .traceLine) { await service.channels.pairingDoor.isOpen }
    }

    /// Waits until this device has no open control channel. Draining channels count as open.
    func linksEnd() async throws {
        try await until("the connections' end", after: .traceLine) { await service.counts["openLinks"] == 0 }
    }

    /// Waits until this device has a control channel to another device.
    func linkBegins(to other: Device) async throws {
        try await until("a connection to \(other.radio.address)", after: .traceLine) { await hasLink(to: other) }
    }

    /// Closes the devices' control channels, until no device has a control channel. It repeats
    /// this, because running dials may open more.
    static func endLinks(of devices: Device...) async throws { try await endLinks(of: devices) }

    /// Closes the devices' control channels, until no device has a control channel.
    static func endLinks(of devices: [Device]) async throws {
        try await devices[0].until("no connection is left", after: .traceLine) {
            for device in devices { await device.service.breakLinks() }
            for device in devices where await device.service.counts["openLinks"] != 0 { return false }
            return true
        }
    }

    /// Waits until the dials to other devices that are running now have ended.
    func dialsEnd() async { for dial in await service.dialsUnderWay { _ = await dial.result } }

    /// Waits until another device's beacon was heard at its own address.
    func hearsBeacon(of other: Device) async throws {
        try await until("the beacon of \(other.radio.address)", after: .radioEvent) {
            await service.isHeard(other, at: other.radio.address)
        }
    }

    /// Waits until this device wants to call another device by radio, because it knows no other
    /// way to reach it.
    func calls() async throws {
        // While a call is pending, the service sleeps on its clock.
        try await until("the call of a device", after: .sleep) { await !service.peers.awaited.hailed.isEmpty }
    }

    /// Waits until a table of the service has this number of entries.
    ///
    /// This function polls, because the service gives no sign when it forgets expired entries or a
    /// channel that was only tried.
    func holds(_ count: Int, of table: String) async throws {
        try await eventually("\(radio.address): \(count) of \(table)") { await service.counts[table] == count }
    }
}

extension HandoffService {
    fileprivate var dialsUnderWay: [Task<Void, any Error>] {
        (circle?.roster.members.keys ?? [:].keys).compactMap { peers.dials[.init(device: $0, route: .any)]?.task }
    }
}
