// SPDX-License-Identifier: Apache-2.0

/// The extension for which the browser started this program, according to the arguments.
enum Caller: Hashable {
    /// Firefox and related browsers pass the path of the host's manifest and the extension's id.
    case firefox
    /// Chromium and related browsers pass the extension's origin.
    case chromium

    /// The id in `Extensions/Browser/manifest.firefox.json`.
    static let firefoxExtension = "browser@batonproject.org"
    /// The extension's origin. Chromium derives it from the key in
    /// `Extensions/Browser/manifest.chromium.json`.
    static let chromiumOrigin = "chrome-extension://jkhbdoennkkodmmdieibkblhaegealbn/"

    /// Parses the arguments. Returns `nil` if they do not come from Baton's own extension.
    ///
    /// - Parameter arguments: The program's arguments, without its name.
    init?(arguments: [String]) {
        switch arguments.count {
        case 1 where arguments[0] == Self.chromiumOrigin: self = .chromium
        case 2 where arguments[0].hasPrefix("/") && arguments[1] == Self.firefoxExtension: self = .firefox
        default: return nil
        }
    }
}
