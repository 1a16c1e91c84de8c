// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel

/// What devices are called, for those who say which one they mean: by its id, or by a name that
/// only one has.
///
/// A device chooses its own name, and may choose another's: a name says which device a user means
/// now, and never which one it is for good.
public struct DeviceNames: Hashable, Sendable {
    private let members: [CircleMember]

    /// How many devices an error names.
    private static let maximumListed = 16

    /// The names of some devices.
    public init(_ members: [CircleMember]) { self.members = members }

    /// Whether a text has the form of an id: then it is no name, whoever is called so.
    public static func isID(_ text: String) -> Bool { text.isDeviceID }

    /// Whether one of them has an id.
    public func has(_ id: String) -> Bool { members.contains { $0.device == id } }

    /// What one of them is called where people read it.
    public func label(of member: CircleMember) -> String {
        let others = members.lazy.filter { $0.device != member.device }.map(\.name)
        return DeviceLabel.text(member.name, device: member.device, among: others)
    }

    /// The device that somebody means.
    ///
    /// - Parameter text: Its id, in capitals or not, or its name.
    /// - Throws: ``BatonError``: `invalidArgument` for a name that several have, `notFound` for
    ///   one that none has. Both list ids, but for an empty name.
    public func device(called text: String) throws -> CircleMember {
        guard !text.isEmpty else {
            throw BatonError(.notFound, "an empty name means no device; 'baton devices' lists them")
        }
        if let member = members.first(where: { $0.hasID(text) }) { return member }
        let named = Self.isID(text) ? [] : members.filter { $0.name == text }
        guard named.count < 2 else {
            let ids = named.prefix(Self.maximumListed).map(\.device).joined(separator: ", ")
            throw BatonError(
                .invalidArgument, "device: several are called \(text); give the id of one of them: \(ids)")
        }
        guard let member = named.first else {
            let others = members.prefix(Self.maximumListed).map { "\($0.device) (\($0.name))" }.joined(separator: ", ")
            let kind = members.contains(where: \.isThisDevice) ? "device" : "other device"
            throw BatonError(
                .notFound,
                "there is no \(kind) \(text) in the circle; \(others.isEmpty ? "there is none at all" : "there are: \(others)")"
            )
        }
        return member
    }
}

extension CircleMember {
    /// Whether somebody means this device by its id: ids are hexadecimal, in capitals or not.
    public func hasID(_ text: String) -> Bool { device == text.lowercased() }

    /// Whether somebody may mean this device, by its id or its name.
    public func isCalled(_ text: String) -> Bool { hasID(text) || !DeviceNames.isID(text) && name == text }
}
