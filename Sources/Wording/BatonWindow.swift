// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Baton's window, which is a package of its own.
public enum BatonWindow {
    /// The window's application id. Its desktop entry and its name on the session bus are the same.
    public static let identifier = "org.batonproject.BatonWindow"

    /// The window's action that shows the page of apps and their requests.
    public static let appsAction = "show-apps"

    /// Whether the window is installed for this user: whether a directory of the session has its
    /// desktop entry.
    ///
    /// Source: XDG Base Directory Specification 0.8; Desktop Entry Specification 1.5.
    public static var isInstalled: Bool {
        isInstalled {
            getenv($0).map { String(cString: $0) }
        } exists: {
            access($0, R_OK) == 0
        }
    }

    static func isInstalled(_ variable: (String) -> String?, exists: (String) -> Bool) -> Bool {
        func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
        let own = value("XDG_DATA_HOME") ?? value("HOME").map { "\($0)/.local/share" }
        let shared = (value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
        return ([own].compactMap(\.self) + shared).contains { exists("\($0)/applications/\(identifier).desktop") }
    }
}
