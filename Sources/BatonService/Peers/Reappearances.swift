// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Those who wait for a device to be heard at another address than before: where it was dialled it
/// may be gone for good, for a private address is a new one after each break.
struct Reappearances: Sendable {
    private var waiting: [DeviceID: Waiters<Void>] = [:]

    /// How many devices are waited for.
    var count: Int { waiting.count }

    /// Somebody waits from now on.
    ///
    /// - Returns: What is resolved when a device is heard at another address.
    mutating func next(of device: DeviceID) -> Waiters<Void> {
        if let waiters = waiting[device] { return waiters }
        let waiters = Waiters<Void>()
        waiting[device] = waiters
        return waiters
    }

    /// Forgets the devices that are in the circle no more.
    mutating func keep(where isMember: (DeviceID) -> Bool) { waiting = waiting.filter { isMember($0.key) } }

    /// A device is heard where it was not heard before.
    mutating func heard(_ device: DeviceID) { waiting.removeValue(forKey: device)?.resolve(with: .success(())) }
}
