// SPDX-License-Identifier: Apache-2.0

/// The extension that has the browser start this program, as the browser names it in the arguments.
enum Caller: Hashable {
    /// Firefox and its kin pass the path of the host's manifest, and the extension's id.
    case firefox
    /// Chromium and its kin pass the extension's origin.
    case chromium

    /// The id in `Extensions/Browser/manifest.firefox.json`.
    static let firefoxExtension = "browser@batonproject.org"
    /// What Chromium makes of the key in `Extensions/Browser/manifest.chromium.json`.
    static let chromiumOrigin = "chrome-extension://jkhbdoennkkodmmdieibkblhaegealbn/"

    /// - Parameter arguments: Those of the program, without its name; nil when they are not those
    ///   of Baton's own extension.
    init?(arguments: [String]) {
        switch arguments.count {
        case 1 where arguments[0] == Self.chromiumOrigin: self = .chromium
        case 2 where arguments[0].hasPrefix("/") && arguments[1] == Self.firefoxExtension: self = .firefox
        default: return nil
        }
    }
}
