// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import DBus
import DesktopEntries
import FoundationEssentials

/// The display of one search result: `SearchableItemAttributes` in the terms of `GetResultMetas`.
struct ResultMeta: Hashable, Sendable {
    enum Icon: Hashable, Sendable {
        /// A file, by its URL.
        case file(URL)
        /// An icon of the theme, by its name.
        case themed(String)
        /// The bytes of the picture.
        case bytes(Data)
    }

    let id: String
    /// The short title: the one in the attributes, or else the activity's, or else the app's name.
    let name: String
    /// A sentence from the attributes, or else the app's name; empty if ``name`` already is the
    /// app's name.
    let description: String
    /// The thumbnail, or else the app's icon; nil if there is neither.
    let icon: Icon?

    /// Creates the texts and the icon with which a desktop shows a result.
    ///
    /// - Parameter entry: The app's desktop entry, or nil if the app is not installed.
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

    /// The D-Bus value for GNOME Shell. `icon` has the form of `g_icon_serialize`, and `gicon` is a
    /// text for programs that do not read that form.
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

    /// Returns a text without the characters that D-Bus cannot carry.
    private func plain(_ text: String) -> DBusValue { .string(text.filter { $0 != "\0" }) }
}
