// SPDX-License-Identifier: Apache-2.0

import BatonBus
public import Diagnosis

/// A problem with a configuration that can be read.
public enum SettingsProblem: Hashable, Sendable {
    /// A rule contains a device's name, and no id could be found for it when the rule was read.
    case name(String, line: Int, isInForce: Bool)
    /// The ids that were found could not be written to the file.
    case unwritten(Reason.Value)

    /// Returns the problem as it is now.
    ///
    /// - Parameter names: The names of the other devices. A device may have taken the name since
    ///   the rule was read.
    func finding(naming names: DeviceNames) -> Finding {
        switch self {
        case .name(let name, let line, let isInForce):
            let place = isInForce ? "named" : "idle"
            return Finding(.settingsMistake, [place: .count(line), "reason": Self.reason(name, names)])
        case .unwritten(let reason): return Finding(.settingsMistake, ["unwritten": reason])
        }
    }

    private static func reason(_ name: String, _ names: DeviceNames) -> Reason.Value {
        do {
            let device = try names.device(called: name).device
            return .reason(Reason(.nameTakenLater, ["laptop": .text(name), "id": .text(device)]))
        } catch {
            return BatonError.reason(error)
        }
    }
}
