// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// What a person reads of a circle that this device has come into.
enum CircleText {
    /// The names of the other devices.
    static func others(_ circle: CircleSummary) -> String {
        let names = DeviceNames(circle.members)
        return circle.members.filter { !$0.isThisDevice }.map(names.label).joined(separator: ", ")
    }

    /// What to do when another device has this one's name, as two fresh installations have; nil
    /// when none has.
    static func sameName(_ name: String, among members: [CircleMember]) -> String? {
        guard members.contains(where: { !$0.isThisDevice && $0.name == name }) else { return nil }
        return "another device is called \(name) too; "
            + "give this one a name of its own with: baton rename NAME"
    }
}
