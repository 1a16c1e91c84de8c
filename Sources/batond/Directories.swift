// SPDX-License-Identifier: GPL-3.0-or-later

import BatonProtocol
import Foundation
import Glibc

/// Where things are kept when the command line does not say: the XDG base directories.
enum Directories {
    /// Keys and circle: `$XDG_STATE_HOME/baton`.
    static var state: String {
        (absolute("XDG_STATE_HOME") ?? NSHomeDirectory() + "/.local/state") + "/baton"
    }

    /// The simulated radio of all daemons of this user: `$XDG_RUNTIME_DIR/baton-radio`, or a directory of the user's own in `/tmp`.
    static var radio: String {
        absolute("XDG_RUNTIME_DIR").map { $0 + "/baton-radio" } ?? "/tmp/baton-radio-\(geteuid())"
    }

    /// What a new device is called: the machine's name, where it can be shown.
    static var hostName: String {
        let name = ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init) ?? ""
        return name != "localhost" && Member.isValidName(name) ? name : "laptop"
    }

    /// The specification has relative paths ignored.
    private static func absolute(_ variable: String) -> String? {
        ProcessInfo.processInfo.environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
