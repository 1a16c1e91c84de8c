// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// A problem with a configuration that can be read.
public enum SettingsProblem: Hashable, Sendable {
    /// A rule contains a device's name, and no id could be found for it when the rule was read.
    case name(String, place: String, isInForce: Bool)
    /// The ids that were found could not be written to the file.
    case unwritten(String)

    /// Returns the problem as it is now, in one line.
    ///
    /// - Parameter names: The names of the other devices. A device may have taken the name since
    ///   the rule was read.
    func text(naming names: DeviceNames) -> String {
        switch self {
        case .name(let name, let place, let isInForce):
            let meanwhile = isInForce ? "goes by the name" : "is not in force"
            return "\(place): \(Self.reason(name, names)) Until the rule says device=ID, it \(meanwhile)"
        case .unwritten(let text): return text
        }
    }

    private static func reason(_ name: String, _ names: DeviceNames) -> String {
        do {
            let device = try names.device(called: name).device
            return "The laptop \(device) took the name \(name) later, so it may not be the one that is meant."
        } catch {
            return "\(error)"
        }
    }
}
