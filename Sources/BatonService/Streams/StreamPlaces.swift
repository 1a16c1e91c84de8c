// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Limits the pairs of streams with other devices, including those that are being opened.
///
/// Each pair costs three file descriptors.
struct StreamPlaces: Sendable {
    /// The largest number of pairs of one program with one device. The limit leaves room for other
    /// programs.
    static let maximumPerProgramAndDevice = 16
    /// The largest number of pairs of one program with all devices.
    static let maximumPerProgram = 64

    private var taken: [Int: (device: DeviceID, program: ClientProgram)] = [:]
    private var next = 0

    var count: Int { taken.count }

    /// Returns whether one more pair may be opened with a device, by some program.
    func isFree(for device: DeviceID) -> Bool {
        taken.count < StreamLimits.maximumCount
            && taken.values.count { $0.device == device } < StreamLimits.maximumPerDevice
    }

    /// Takes a place, or returns nil if none is free.
    mutating func take(for device: DeviceID, by program: ClientProgram) -> Int? {
        let own = taken.values.filter { $0.program == program }
        guard isFree(for: device), own.count < Self.maximumPerProgram,
            own.count(where: { $0.device == device }) < Self.maximumPerProgramAndDevice
        else { return nil }
        next += 1
        taken[next] = (device, program)
        return next
    }

    /// Returns a place. Returning the same place again has no effect.
    mutating func leave(_ place: Int) { taken[place] = nil }
}
