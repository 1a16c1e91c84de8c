// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

/// The file that Flatpak puts at the root of each of its sandboxes, where the program inside cannot
/// change it.
enum FlatpakInfo {
    static let name = ".flatpak-info"
    /// The most that is read of one; real ones have a few KiB.
    static let largest = 65_536

    /// The application's id in the text of the file: `name` in the group `Application`, or in
    /// `Runtime` for a runtime that runs alone.
    ///
    /// - Returns: Nil when there is none, or none that an application can have.
    static func applicationID(in text: String) -> String? {
        let file = KeyFile(text)
        let id = file.raw("name", in: file.has("Application") ? "Application" : "Runtime")
        return id.flatMap { SandboxedApp.isFlatpakID($0) ? $0 : nil }
    }
}
