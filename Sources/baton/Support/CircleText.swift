// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// Texts about the circle that this device has joined.
enum CircleText {
    static func others(_ circle: CircleSummary) -> String {
        let names = DeviceNames(circle.members)
        return circle.members.filter { !$0.isThisDevice }.map(names.label).joined(separator: ", ")
    }

    /// Returns advice if another device has the same name as this device, as after two fresh
    /// installations. Returns `nil` if the name is unique.
    static func sameName(_ name: String, among members: [CircleMember]) -> String? {
        guard members.contains(where: { !$0.isThisDevice && $0.name == name }) else { return nil }
        return "another device is called \(name) too; "
            + "give this one a name of its own with: baton rename NAME"
    }
}
