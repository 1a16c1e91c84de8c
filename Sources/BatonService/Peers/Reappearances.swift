// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The tasks that wait for a device to be heard at a new address.
///
/// The address at which the device was dialled may be useless for good, because a device uses a new
/// private address after its connection broke.
struct Reappearances: Sendable {
    private var waiting: [DeviceID: Waiters<Void>] = [:]

    /// The number of devices that tasks wait for.
    var count: Int { waiting.count }

    /// Adds a waiter for the next time that a device is heard at a new address.
    ///
    /// - Returns: The waiters to resolve then.
    mutating func next(of device: DeviceID) -> Waiters<Void> {
        if let waiters = waiting[device] { return waiters }
        let waiters = Waiters<Void>()
        waiting[device] = waiters
        return waiters
    }

    /// Forgets devices that are not members of the circle.
    mutating func keep(where isMember: (DeviceID) -> Bool) { waiting = waiting.filter { isMember($0.key) } }

    /// Wakes the tasks that wait for a device, because it was heard at a new address.
    mutating func heard(_ device: DeviceID) { waiting.removeValue(forKey: device)?.resolve(with: .success(())) }
}
