// SPDX-License-Identifier: Apache-2.0

import ActivityModel
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
    /// This is stricter than what reads desktop entries: of a group or a key that is there twice
    /// the first counts, so that nothing behind what Flatpak writes first says who an app is.
    ///
    /// - Returns: Nil when there is none, or none that an application can have.
    static func applicationID(in text: String) -> String? {
        let lines = text.unicodeScalars.split(separator: "\n").map { String($0).trimmed }
        guard let start = ["[Application]", "[Runtime]"].lazy.compactMap({ lines.firstIndex(of: $0) }).first else {
            return nil
        }
        let name = lines[(start + 1)...].prefix { $0.unicodeScalars.first != "[" }.lazy
            .map { $0.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
            .first { $0.count == 2 && String($0[0]).trimmed == "name" }
        return name.map { String($0[1]).trimmed }.flatMap { SandboxedApp.isFlatpakID($0) ? $0 : nil }
    }
}
