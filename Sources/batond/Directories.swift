// SPDX-License-Identifier: GPL-3.0-or-later

import BatonProtocol
import DesktopEntries
import FoundationEssentials
import Glibc

/// Where things are kept when the command line does not say: the XDG base directories.
enum Directories {
    /// Keys and circle: `$XDG_STATE_HOME/baton`.
    static var state: String {
        BaseDirectories.state.appending(path: "baton").path
    }

    /// The simulated radio of all daemons of this user: `$XDG_RUNTIME_DIR/baton-radio`, or a
    /// directory of the user's own in `/tmp`.
    static var radio: String {
        BaseDirectories.runtime?.appending(path: "baton-radio").path ?? "/tmp/baton-radio-\(geteuid())"
    }

    /// A path that means the same from everywhere.
    ///
    /// - Parameter path: One from here, or from the root.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }

    /// Whether the current directory's path can be read as it is: other bytes would be read as
    /// another directory.
    static var isHereReadable: Bool {
        guard let path = getcwd(nil, 0) else { return false }
        defer { free(path) }
        return String(validatingCString: path) != nil
    }

    /// What a new device is called: the machine's name.
    static var hostName: String { deviceName(ofHost: ProcessInfo.processInfo.hostName) }

    /// What a device of a machine is called: the first part of the machine's name where a user
    /// could choose that. An asset tag such as `00412345` reads as an id, and has a word before it.
    static func deviceName(ofHost host: String) -> String {
        let word = "laptop"
        let name = host.split(separator: ".").first.map(String.init) ?? ""
        guard !name.isEmpty, name != "localhost" else { return word }
        return [name, "\(word)-\(name)"].first(where: Member.mayBeChosen) ?? word
    }
}
