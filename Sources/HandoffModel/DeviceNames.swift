// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel
internal import Diagnosis

/// Finds the device that a user means by an id, or by a name that only one device has.
///
/// A device chooses its own name, and may choose another device's name. So a name may identify a
/// device in one command, but never permanently.
public struct DeviceNames: Hashable, Sendable {
    private let members: [CircleMember]

    /// The maximum number of devices that an error lists.
    private static let maximumListed = 16

    /// Creates the names of some devices.
    public init(_ members: [CircleMember]) { self.members = members }

    /// Returns whether a text has the form of an id. Such a text never counts as a name.
    public static func isID(_ text: String) -> Bool { text.isDeviceID }

    /// Returns whether one of the devices has an id.
    public func has(_ id: String) -> Bool { members.contains { $0.device == id } }

    /// Returns the text that shows a device to people.
    public func label(of member: CircleMember) -> String {
        let others = members.lazy.filter { $0.device != member.device }.map(\.name)
        return DeviceLabel.text(member.name, device: member.device, among: others)
    }

    /// Returns the device with this id or name.
    ///
    /// - Parameter text: The device's id, in upper or lower case, or its name.
    /// - Throws: ``BatonError`` with `invalidArgument` for a name that several devices have, or
    ///   with `notFound` for a name that no device has. Both errors list ids, except for an empty
    ///   name.
    public func device(called text: String) throws -> CircleMember {
        guard !text.isEmpty else { throw unknown(text) }
        if let member = members.first(where: { $0.hasID(text) }) { return member }
        let named = Self.isID(text) ? [] : members.filter { $0.name == text }
        guard named.count < 2 else {
            let ids = named.prefix(Self.maximumListed).map(\.device)
            throw BatonError(.invalidArgument, .laptopAmbiguous, ["laptop": .text(text), "others": .list(ids)])
        }
        guard let member = named.first else { throw unknown(text) }
        return member
    }

    private func unknown(_ text: String) -> BatonError {
        let others = members.prefix(Self.maximumListed).map { "\($0.device) (\($0.name))" }
        return BatonError(
            .notFound, .laptopUnknown,
            others.isEmpty ? ["laptop": .text(text)] : ["laptop": .text(text), "others": .list(others)])
    }
}

extension CircleMember {
    /// Returns whether a text is this device's id, in upper or lower case.
    public func hasID(_ text: String) -> Bool { device == text.lowercased() }

    /// Returns whether a text is this device's id or name.
    public func isCalled(_ text: String) -> Bool { hasID(text) || !DeviceNames.isID(text) && name == text }
}
