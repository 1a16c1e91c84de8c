// SPDX-License-Identifier: Apache-2.0

/// The snap and the systemd unit of a process, from the names of its control groups. The input is
/// `/proc/PID/cgroup`, with a line `NUMBER:CONTROLLERS:PATH` for each hierarchy.
struct ControlGroup: Hashable, Sendable {
    /// The maximum size of the file, in bytes.
    static let largest = 65_536

    /// The snap's program by the name of its desktop entry, `NAME_PROGRAM`, or the snap's name
    /// alone if no program is named. The name is nil if the process belongs to no snap.
    private(set) var snap: String?
    /// The scope or service of the user's own systemd manager, or nil if there is none.
    private(set) var unit: String?

    /// Parses the text of the file.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - user: The user whose units count.
    init(_ text: String, user: UInt32) {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            // Use the unified hierarchy, systemd's own, and the one in which snapd creates groups
            // if there is no unified one.
            guard parts.count == 3, ["", "name=systemd", "freezer"].contains(parts[1]) else { continue }
            // Split bytes, because a slash with a combining mark behind it is another Character.
            let path = parts[2].utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
            if let found = path.lazy.compactMap(Self.snap(in:)).first, snap?.contains("_") != true { snap = found }
            if parts[1] != "freezer", unit == nil { unit = Self.unit(in: path, user: user) }
        }
    }

    /// Returns the unit of the user manager: the component after `user@UID.service` and its slices;
    /// nil if there is none.
    private static func unit(in path: [String], user: UInt32) -> String? {
        guard let manager = path.firstIndex(of: "user@\(user).service") else { return nil }
        return path[(manager + 1)...].first { !$0.hasSuffix(".slice") }
    }

    /// Returns the snap's name and program in a component of a path, or nil for any other
    /// component.
    ///
    /// The component has one of the forms `snap.NAME.PROGRAM-UUID.scope`,
    /// `snap.NAME.PROGRAM.UUID.scope`, `snap.NAME.PROGRAM.service` and `snap.NAME`.
    static func snap(in component: String) -> String? {
        var parts = component.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 2, parts[0] == "snap", isName(parts[1]) else { return nil }
        if ["scope", "service"].contains(parts.last), parts.count > 2 { parts.removeLast() }
        guard parts.count > 2 else { return parts[1] }
        let program = withoutUUID(parts[2])
        return isName(program) ? "\(parts[1])_\(program)" : parts[1]
    }

    private static func withoutUUID(_ text: String) -> String {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.count > 5, groups.suffix(5).map(\.count) == [8, 4, 4, 4, 12],
            groups.suffix(5).allSatisfy({ $0.allSatisfy(\.isHexDigit) })
        else { return text }
        return groups.dropLast(5).joined(separator: "-")
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 80
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
    }
}
