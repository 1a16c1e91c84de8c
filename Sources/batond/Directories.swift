// SPDX-License-Identifier: GPL-3.0-or-later

import BatonProtocol
import DesktopEntries
import FoundationEssentials
import Glibc

/// The default directories, which follow the XDG base directories.
enum Directories {
    /// The directory for keys and the circle: `$XDG_STATE_HOME/baton`.
    static var state: String { BaseDirectories.state.appending(path: "baton").path }

    /// The directory for the simulated radio of all daemons of this user:
    /// `$XDG_RUNTIME_DIR/baton-radio`, or a directory of the user's own in `/tmp`.
    static var radio: String {
        BaseDirectories.runtime?.appending(path: "baton-radio").path ?? "/tmp/baton-radio-\(geteuid())"
    }

    /// Returns an absolute path.
    ///
    /// - Parameter path: A path that is absolute, or relative to the current directory.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }

    /// Whether the current directory's path is UTF-8. Swift would repair other bytes and name
    /// another directory.
    static var isHereReadable: Bool {
        guard let path = getcwd(nil, 0) else { return false }
        defer { free(path) }
        return String(validatingCString: path) != nil
    }

    /// The name of a new device, made from the machine's name.
    static var hostName: String { deviceName(ofHost: ProcessInfo.processInfo.hostName) }

    /// Returns the name of a device on a machine: the first part of the machine's name, if a user
    /// could choose that name.
    ///
    /// An asset tag such as `00412345` looks like an id, so a word is put before it.
    static func deviceName(ofHost host: String) -> String {
        let word = "laptop"
        let name = host.split(separator: ".").first.map(String.init) ?? ""
        guard !name.isEmpty, name != "localhost" else { return word }
        return [name, "\(word)-\(name)"].first(where: Member.mayBeChosen) ?? word
    }
}
