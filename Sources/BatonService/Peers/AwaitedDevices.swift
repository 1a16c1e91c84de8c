// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The devices whose answers this device's programs wait for.
///
/// This device hails some of them because it has no other way to reach them.
struct AwaitedDevices: Sendable {
    private struct Awaited {
        let arrival = Waiters<Void>()
        var wasHailed = false
    }

    private var pinged: Set<DeviceID> = []
    private var awaited: [DeviceID: Awaited] = [:]

    /// The number of devices that programs wait for.
    var count: Int { pinged.count }
    /// The devices to hail.
    var hailed: Set<DeviceID> { Set(awaited.keys) }

    /// Begins a program's wait for a device.
    ///
    /// - Returns: False if another program waits for the device already. A second ping could delay
    ///   hand-overs, because a device answers few requests at once.
    mutating func begin(_ device: DeviceID) -> Bool { pinged.insert(device).inserted }

    /// Ends a program's wait for a device.
    mutating func end(_ device: DeviceID) { pinged.remove(device) }

    /// Begins to hail a device.
    ///
    /// - Returns: The waiters to resolve when the device arrives.
    mutating func beginHail(of device: DeviceID) -> Waiters<Void> {
        let new = Awaited()
        awaited[device] = new
        return new.arrival
    }

    mutating func endHail(of device: DeviceID) { awaited[device] = nil }

    /// Records that the hail of a device is on the air.
    ///
    /// Does nothing if no program waits for the device, because the device may be hailed for
    /// another reason.
    mutating func hailAired(_ device: DeviceID) { awaited[device]?.wasHailed = true }

    /// Returns whether the hail of a device has been on the air since the wait for it began.
    func wasHailed(_ device: DeviceID) -> Bool { awaited[device]?.wasHailed ?? false }

    /// Wakes the tasks that wait for a device, because it arrived.
    func arrived(_ device: DeviceID) { awaited[device]?.arrival.resolve(with: .success(())) }

    /// Fails all waits with `CancellationError`.
    func giveUp() { for device in awaited.values { device.arrival.resolve(with: .failure(CancellationError())) } }
}
