// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Who has how many pairs of streams with this device, those that are being opened among them; each
/// costs three descriptors.
struct StreamPlaces: Sendable {
    /// As many as one program may have with one device, so that others have some too.
    static let maximumPerProgramAndDevice = 16
    /// As many as one program may have with all devices.
    static let maximumPerProgram = 64

    private var taken: [Int: (device: DeviceID, program: ClientProgram)] = [:]
    private var next = 0

    /// How many are taken.
    var count: Int { taken.count }

    /// Whether one more may be opened with a device, by some program.
    func isFree(for device: DeviceID) -> Bool {
        taken.count < StreamLimits.maximumCount
            && taken.values.count { $0.device == device } < StreamLimits.maximumPerDevice
    }

    /// Takes a place, if there is one.
    mutating func take(for device: DeviceID, by program: ClientProgram) -> Int? {
        let own = taken.values.filter { $0.program == program }
        guard isFree(for: device), own.count < Self.maximumPerProgram,
            own.count(where: { $0.device == device }) < Self.maximumPerProgramAndDevice
        else { return nil }
        next += 1
        taken[next] = (device, program)
        return next
    }

    /// Gives a place back, once or again.
    mutating func leave(_ place: Int) { taken[place] = nil }
}
