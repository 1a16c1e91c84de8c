// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

/// The file that Flatpak puts at the root of each of its sandboxes, where the program inside cannot change it.
enum FlatpakInfo {
    static let name = ".flatpak-info"
    /// The most that is read of one; real ones have a few KiB.
    static let largest = 65_536

    /// The application's id in the text of the file: `name` in the group `Application`, or in `Runtime` for a runtime that runs alone.
    ///
    /// - Returns: nil when there is none, or none that an application can have.
    static func applicationID(in text: String) -> String? {
        let file = KeyFile(text)
        let id = file.raw("name", in: file.has("Application") ? "Application" : "Runtime")
        return id.flatMap { isApplicationID($0) ? $0 : nil }
    }

    /// Whether Flatpak would let an application have this id: three elements or more, of letters, digits, `_` and `-`, none of which begins with a digit.
    static func isApplicationID(_ text: String) -> Bool {
        let elements = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 255 && elements.count >= 3
            && elements.allSatisfy { element in
                guard let first = element.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
                    return false
                }
                return element.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
            }
    }
}
