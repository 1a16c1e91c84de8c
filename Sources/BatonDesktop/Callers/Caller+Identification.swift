// SPDX-License-Identifier: Apache-2.0

import Glibc

extension Caller {
    /// Finds out which program a process is, as xdg-desktop-portal does: Flatpak, else snap, else a
    /// unit of the user's, else none. Before the snap comes the proxy of a sandbox.
    ///
    /// What cannot be looked at, or looks like a sandbox and is none that is known, is taken for
    /// one without a name.
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

    /// Finds out which program a process is that lets nobody look at it, as Zathura does for its
    /// own safety. It is in no sandbox if it sees the daemon's own root: each sandbox has a root of
    /// its own.
    ///
    /// - Returns: Nil where it sees another one, or may be the proxy of a sandbox.
    init?(hidden process: ProcessDirectory, user: UInt32) {
        guard process.hasOwnRoot, let command = process.command, command != Self.proxyProgram,
            let text = process.text(of: "cgroup", limit: ControlGroup.largest)
        else { return nil }
        self.init(groups: ControlGroup(text, user: user))
    }

    /// The file name of the proxy's executable. A program inside cannot choose it.
    private static let proxyProgram = "xdg-dbus-proxy"

    /// A snap, by the label that AppArmor gave its process when it connected; nil for any other
    /// label. It is of the connection, and so never another process's that has got its number.
    init?(label: String) {
        guard label.hasPrefix("snap.") else { return nil }
        let name = ControlGroup.snap(in: String(label.prefix { $0 != " " }))
        self = name.map { Self(applicationID: $0, kind: .snap, isSandboxed: true) } ?? .unidentified
    }

    /// What a process's control groups say.
    init(groups: ControlGroup) {
        if let snap = groups.snap {
            self.init(applicationID: snap, kind: .snap, isSandboxed: true)
        } else if let id = groups.unit.flatMap(UnitName.applicationID(in:)) {
            self.init(applicationID: id, kind: .unit, isSandboxed: false)
        } else {
            self = .ordinary
        }
    }

    /// Whether a file is a regular one of the user's or root's; nobody else can have put it there
    /// for Flatpak.
    private static func isTrusted(_ file: Int32, user: UInt32) -> Bool {
        var facts = stat()
        return fstat(file, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
            && (facts.st_uid == user || facts.st_uid == 0) && facts.st_size <= FlatpakInfo.largest
    }
}

extension String {
    /// The last component of a path; among bytes, since with a combining mark behind it a slash is
    /// another Character.
    var fileName: String {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { String(self[utf8.index(after: $0)...]) } ?? self
    }
}
