// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Who has how many pairs of streams with this device, those that are being opened among them; each costs three descriptors.
struct StreamPlaces {
    /// As many as one device may have, whichever side opened them: a Bluetooth link carries no more.
    static let maximumPerDevice = 32
    /// As many as there may be in all.
    static let maximumCount = 256

    private var taken: [Int: DeviceID] = [:]
    private var next = 0

    /// How many are taken.
    var count: Int { taken.count }

    /// Whether one more may be opened with a device.
    func isFree(for device: DeviceID) -> Bool {
        taken.count < Self.maximumCount && taken.values.count { $0 == device } < Self.maximumPerDevice
    }

    /// Takes a place, if there is one.
    mutating func take(for device: DeviceID) -> Int? {
        guard isFree(for: device) else { return nil }
        next += 1
        taken[next] = device
        return next
    }

    /// Gives a place back, once or again.
    mutating func leave(_ place: Int) { taken[place] = nil }
}
