// SPDX-License-Identifier: Apache-2.0

import Descriptors
import DesktopEntries
import FoundationEssentials

/// The names and icons of the apps that continue offers here, each read when its first offer comes.
struct AppIcons {
    /// An app as the panel shows it.
    struct App: Hashable {
        /// What it is called in the user's language.
        var name: String
        /// Its icon as a `data:` URL; nil without one that can be shown.
        var icon: String?
    }

    /// The largest file of an icon, in bytes.
    static let maximumFile = 32 << 10
    /// The most bytes of all icons that the extension is sent in a message.
    static let maximumTotal = 256 << 10

    private var apps: [String: App?] = [:]

    /// The apps of these ids that are installed; those of other ids are forgotten.
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

    /// A picture as a `data:` URL.
    ///
    /// - Parameter picture: The bytes of a file.
    /// - Returns: Nil for what is neither PNG nor SVG. The browser shows it as a picture alone:
    ///   what an SVG has of scripts and addresses is not used.
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
