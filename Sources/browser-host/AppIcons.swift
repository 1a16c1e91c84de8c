// SPDX-License-Identifier: Apache-2.0

import Descriptors
import DesktopEntries
import FoundationEssentials

/// The names and icons of this laptop's apps that can continue offers. An app's name and icon are
/// read when the first offer for the app arrives.
struct AppIcons {
    /// An app in the extension's panel.
    struct App: Hashable {
        /// The app's name in the user's language.
        var name: String
        /// The app's icon as a `data:` URL, or `nil` if there is none that can be shown.
        var icon: String?
    }

    /// The largest size of an icon's file, in bytes.
    static let maximumFile = 32 << 10
    /// The largest size of all icons in one message to the extension, in bytes.
    static let maximumTotal = 256 << 10

    private var apps: [String: App?] = [:]

    /// Returns the given apps that are installed, by id, and forgets all other apps.
    mutating func keep(_ identifiers: Set<String>) -> [String: App] {
        apps = apps.filter { identifiers.contains($0.key) }
        for identifier in identifiers where apps[identifier] == nil {
            apps[identifier] = .some(Self.app(identifier))
        }
        return apps.compactMapValues { $0 }
    }

    private static func app(_ identifier: String) -> App? {
        DesktopEntryIndex.entry(identifier).map { entry in
            let files = entry.icon.map { IconFiles.paths(of: $0) } ?? []
            return App(name: entry.name, icon: files.lazy.compactMap(url).first)
        }
    }

    private static func url(ofFile path: String) -> String? {
        (try? FileContents.read(path, limit: maximumFile)).flatMap(url)
    }

    /// Returns the `data:` URL of a picture.
    ///
    /// - Parameter picture: The bytes of a file.
    /// - Returns: The URL, or `nil` if the file is neither PNG nor SVG. The browser shows the URL
    ///   only as an image, so scripts and addresses in an SVG have no effect.
    static func url(of picture: [UInt8]) -> String? {
        let type: String
        if picture.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            type = "image/png"
        } else if let text = String(bytes: picture, encoding: .utf8), text.contains("<svg") {
            type = "image/svg+xml"
        } else {
            return nil
        }
        return "data:\(type);base64,\(Data(picture).base64EncodedString())"
    }
}
