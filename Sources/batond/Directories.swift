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

    /// What a new device is called: the machine's name, where it can be shown.
    static var hostName: String {
        let name = ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init) ?? ""
        return name != "localhost" && Member.isValidName(name) ? name : "laptop"
    }
}
