// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import DesktopEntries

/// The file that Flatpak puts at the root of each sandbox. The program in the sandbox cannot change
/// it.
enum FlatpakInfo {
    static let name = ".flatpak-info"
    /// The maximum size of the file, in bytes. Real files have a few KiB.
    static let largest = 65_536

    /// Returns the application's id in the text of the file.
    ///
    /// The id is the value of `name` in the group `Application`, or in `Runtime` for a runtime that
    /// runs without an app.
    ///
    /// This parser is stricter than the parser of desktop entries. If a group or key occurs twice,
    /// only the first one counts, because Flatpak writes the identity first.
    ///
    /// - Returns: The id, or nil if there is none or it is not a valid Flatpak id.
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
