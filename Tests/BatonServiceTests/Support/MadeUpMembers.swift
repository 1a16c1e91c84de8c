// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTransport
import Testing

@testable import BatonService

/// Members that exist only in the service under test.
extension HandoffService {
    /// Takes a device into the circle.
    func takeIn(_ device: DeviceIdentity) throws {
        let request = try JoinRequest(device, name: "member", circle: try #require(circle).id)
        try changeCircle { try $0.circle?.add(request, by: $0.identity) }
        adoptCircle()
    }

    /// Removes a device from the circle.
    func putOut(_ device: DeviceID) throws {
        try changeCircle { try $0.circle?.remove(device, by: $0.identity) }
        adoptCircle()
    }

    /// Hears the beacon of a device that offers an activity and accepts no channels.
    func hear(_ device: DeviceID, offering type: String, sequence: UInt32, at address: String) throws {
        let activity = try hash(of: type)
        var cipher = BeaconCipher(secret: try #require(circle?.secret))
        let beacon = Beacon(device: device.short, activity: activity, flags: [], sequence: sequence, psm: 0)
        sighted(Sighting(address: address, payload: cipher.seal(beacon, at: clock.unixTime), signal: -50))
    }

    /// Learns from a hello that a device offers an activity.
    func learn(_ device: DeviceID, offers type: String, sequence: UInt32) throws {
        let (table, activity) = (entries(of: [ActivityKind(team: "", type: type)]), try hash(of: type))
        carryOut(sightings.book.learnt(types: table, from: device.short, at: clock.uptime))
        carryOut(
            sightings.book.hello(device: device.short, sequence: sequence, activity: activity, at: clock.uptime))
    }

    private func hash(of type: String) throws -> ActivityHash {
        try #require(advertising.keys.hasher?.hash(of: ActivityKind(team: "", type: type)))
    }
}
