// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import DBus
import DesktopEntries
import FoundationEssentials

/// How a search shows what was found: `SearchableItemAttributes` in the words of
/// `GetResultMetas`.
struct ResultMeta: Hashable, Sendable {
    /// A picture.
    enum Icon: Hashable, Sendable {
        /// A file, by its URL.
        case file(URL)
        /// An icon of the theme.
        case themed(String)
        /// The picture itself.
        case bytes(Data)
    }

    let id: String
    /// The short title: what the attributes say, else the activity, else the app.
    let name: String
    /// A sentence, else the app's name.
    let description: String
    /// The thumbnail, else the app's icon.
    let icon: Icon?

    /// How a result is shown.
    ///
    /// - Parameter entry: The app's desktop entry, if it is installed.
    init(_ result: SearchResult, entry: DesktopEntry?) {
        let attributes = result.activity.contentAttributeSet
        let app = entry?.name ?? result.application
        id = result.id
        let titles = [attributes?.displayName, attributes?.title, result.activity.state.title]
        name = titles.lazy.compactMap { $0 }.first { !$0.isEmpty } ?? app
        description = attributes?.contentDescription.flatMap { $0.isEmpty ? nil : $0 } ?? (name == app ? "" : app)
        if let data = attributes?.thumbnailData, !data.isEmpty {
            icon = .bytes(data)
        } else if let url = attributes?.thumbnailURL, url.isFileURL {
            icon = .file(url)
        } else if let name = entry?.icon {
            icon = name.hasPrefix("/") ? .file(URL(filePath: name)) : .themed(name)
        } else {
            icon = nil
        }
    }

    /// It as GNOME Shell reads it; `icon` as `g_icon_serialize` writes it, and `gicon` for those
    /// that read text.
    var bus: [String: DBusValue] {
        var result = ["id": plain(id), "name": plain(name)]
        if !description.isEmpty { result["description"] = plain(description) }
        switch icon {
        case .file(let url):
            result["icon"] = .structure([.string("file"), .variant(.string(url.absoluteString))])
            result["gicon"] = plain(url.path)
        case .themed(let name):
            result["icon"] = .structure([.string("themed"), .variant(.strings([name]))])
            result["gicon"] = plain(name)
        case .bytes(let data): result["icon"] = .structure([.string("bytes"), .variant(.bytes([UInt8](data)))])
        case nil: break
        }
        return result
    }

    /// A text without what D-Bus cannot carry.
    private func plain(_ text: String) -> DBusValue { .string(text.filter { $0 != "\0" }) }
}
