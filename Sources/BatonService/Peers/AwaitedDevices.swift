// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The devices that programs here wait for to answer, and which of them are hailed, as nothing else
/// has led to them.
struct AwaitedDevices: Sendable {
    private struct Awaited {
        let arrival = Waiters<Void>()
        var wasHailed = false
    }

    private var pinged: Set<DeviceID> = []
    private var awaited: [DeviceID: Awaited] = [:]

    /// How many are waited for.
    var count: Int { pinged.count }
    /// Those that are hailed.
    var hailed: Set<DeviceID> { Set(awaited.keys) }

    /// A program begins to wait for a device.
    ///
    /// - Returns: Whether it may: requests to a device are few, and hand-overs need them.
    mutating func begin(_ device: DeviceID) -> Bool { pinged.insert(device).inserted }

    /// A program waits no more.
    mutating func end(_ device: DeviceID) { pinged.remove(device) }

    /// A device is to be hailed from now on.
    ///
    /// - Returns: What is resolved when it arrives.
    mutating func beginHail(of device: DeviceID) -> Waiters<Void> {
        let new = Awaited()
        awaited[device] = new
        return new.arrival
    }

    /// A device is not to be hailed any more.
    mutating func endHail(of device: DeviceID) { awaited[device] = nil }

    /// The hail of a device is on the air, be it for a program that waits or not.
    mutating func hailAired(_ device: DeviceID) { awaited[device]?.wasHailed = true }

    /// Whether the hail of a device has been on the air since it is waited for.
    func wasHailed(_ device: DeviceID) -> Bool { awaited[device]?.wasHailed ?? false }

    /// A device is here.
    func arrived(_ device: DeviceID) { awaited[device]?.arrival.resolve(with: .success(())) }

    /// Nobody arrives any more.
    func giveUp() { for device in awaited.values { device.arrival.resolve(with: .failure(CancellationError())) } }
}
