// SPDX-License-Identifier: Apache-2.0

/// What the control groups of a process say of the program: the text of `/proc/PID/cgroup`, a line
/// `NUMBER:CONTROLLERS:PATH` for each hierarchy.
struct ControlGroup: Hashable, Sendable {
    /// The most that is read of such a file.
    static let largest = 65_536

    /// The snap's program, as its desktop entry is named: `NAME_PROGRAM`; the snap's name alone
    /// where no program is told.
    private(set) var snap: String?
    /// The scope or service of the user's own systemd.
    private(set) var unit: String?

    /// Reads the text of the file.
    ///
    /// - Parameters:
    ///   - text: The file.
    ///   - user: Whose units count.
    init(_ text: String, user: UInt32) {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            // The unified hierarchy, systemd's own, and the one that snapd makes groups in where
            // there is no unified one.
            guard parts.count == 3, ["", "name=systemd", "freezer"].contains(parts[1]) else { continue }
            // Among bytes: with a combining mark behind it, a slash is another Character.
            let path = parts[2].utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
            if let found = path.lazy.compactMap(Self.snap(in:)).first, snap?.contains("_") != true { snap = found }
            if parts[1] != "freezer", unit == nil { unit = Self.unit(in: path, user: user) }
        }
    }

    /// The unit that the user's manager runs: what stands after `user@UID.service` and its slices.
    private static func unit(in path: [String], user: UInt32) -> String? {
        guard let manager = path.firstIndex(of: "user@\(user).service") else { return nil }
        return path[(manager + 1)...].first { !$0.hasSuffix(".slice") }
    }

    /// `snap.NAME.PROGRAM-UUID.scope`, `snap.NAME.PROGRAM.UUID.scope`, `snap.NAME.PROGRAM.service`
    /// or `snap.NAME`.
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
