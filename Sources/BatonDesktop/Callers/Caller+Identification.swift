// SPDX-License-Identifier: Apache-2.0

import Glibc

extension Caller {
    /// Identifies the program of a process.
    ///
    /// The checks are in the same order as in xdg-desktop-portal: Flatpak, snap, unit of the user
    /// manager. A sandbox's proxy is detected before the snap.
    ///
    /// A process that cannot be inspected, or that is in an unknown kind of sandbox, counts as
    /// sandboxed and has no id.
    init(of process: ProcessDirectory, user: UInt32) {
        switch process.openAtRoot(FlatpakInfo.name) {
        case .refused: self = .unidentified
        case .file(let file):
            defer { close(file) }
            guard Self.isTrusted(file, user: user),
                let text = ProcessDirectory.text(file, limit: FlatpakInfo.largest),
                let id = FlatpakInfo.applicationID(in: text)
            else {
                self = .unidentified
                return
            }
            self.init(applicationID: id, kind: .flatpak, isSandboxed: true)
        case .absent:
            guard let executable = process.executable,
                let text = process.text(of: "cgroup", limit: ControlGroup.largest)
            else {
                self = .unidentified
                return
            }
            if executable.fileName == Self.proxyProgram {
                self = .proxy
            } else {
                self.init(groups: ControlGroup(text, user: user))
            }
        }
    }

    /// Identifies a process that does not allow inspection, as Zathura does for its own safety.
    ///
    /// The process is in no sandbox if it sees the daemon's own root, because each sandbox has
    /// another root.
    ///
    /// - Returns: Nil if the process sees another root, or may be the proxy of a sandbox.
    init?(hidden process: ProcessDirectory, user: UInt32) {
        guard process.hasOwnRoot, let command = process.command, command != Self.proxyProgram,
            let text = process.text(of: "cgroup", limit: ControlGroup.largest)
        else { return nil }
        self.init(groups: ControlGroup(text, user: user))
    }

    /// The file name of the proxy's executable. A program in the sandbox cannot choose this name.
    private static let proxyProgram = "xdg-dbus-proxy"

    /// Identifies a snap by the AppArmor label that its process had when it connected.
    ///
    /// Returns nil for any other label. The label belongs to the connection, so it never describes
    /// a later process with the same number.
    init?(label: String) {
        guard label.hasPrefix("snap.") else { return nil }
        let name = ControlGroup.snap(in: String(label.prefix { $0 != " " }))
        self = name.map { Self(applicationID: $0, kind: .snap, isSandboxed: true) } ?? .unidentified
    }

    /// Identifies a process by its control groups.
    init(groups: ControlGroup) {
        if let snap = groups.snap {
            self.init(applicationID: snap, kind: .snap, isSandboxed: true)
        } else if let id = groups.unit.flatMap(UnitName.applicationID(in:)) {
            self.init(applicationID: id, kind: .unit, isSandboxed: false)
        } else {
            self = .ordinary
        }
    }

    /// Returns whether a file is a regular file of the user or root, so that no other user can have
    /// written it in Flatpak's name.
    private static func isTrusted(_ file: Int32, user: UInt32) -> Bool {
        var facts = stat()
        return fstat(file, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
            && (facts.st_uid == user || facts.st_uid == 0) && facts.st_size <= FlatpakInfo.largest
    }
}

extension String {
    /// The last component of a path. The search compares bytes, because a slash with a combining
    /// mark behind it is another Character.
    var fileName: String {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { String(self[utf8.index(after: $0)...]) } ?? self
    }
}
