// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// What is wrong with a configuration that can be read.
public enum SettingsProblem: Hashable, Sendable {
    /// A rule has a device's name, for which no id could be found when it was read.
    case name(String, place: String, isInForce: Bool)
    /// Ids that were found could not be written into the file.
    case unwritten(String)

    /// What is wrong now, in one line.
    ///
    /// - Parameter names: What the other devices are called: one may have come to be called so
    ///   since.
    func text(naming names: DeviceNames) -> String {
        switch self {
        case .name(let name, let place, let isInForce):
            let meanwhile = isInForce ? "goes by the name" : "is not in force"
            return "\(place): \(Self.reason(name, names)); until the rule says device=ID it \(meanwhile)"
        case .unwritten(let text): return text
        }
    }

    private static func reason(_ name: String, _ names: DeviceNames) -> String {
        do {
            let device = try names.device(called: name).device
            return "\(device) has come to be called \(name) since this was read, and may not be meant"
        } catch {
            return "\(error)"
        }
    }
}
