// SPDX-License-Identifier: Apache-2.0

import Descriptors
import FoundationEssentials

/// The associations of a type in one directory's lists (GIO's `UnindexedMimeTweaks`).
struct MimeTweaks: Hashable, Sendable {
    /// The apps that open the type, or nil if no list says which.
    var additions: [String]?
    /// The apps that do not open the type, whatever later directories say; nil if no list removes
    /// any.
    var removals: [String]?
    /// The default apps for the type, or nil if no list names one. The first installed app is used.
    var defaults: [String]?

    /// Removes apps from the additions and removals.
    mutating func removeApps(where isOther: (String) -> Bool) {
        additions?.removeAll(where: isOther)
        removals?.removeAll(where: isOther)
    }

    /// Reads the lists of a directory, and returns the associations by type.
    ///
    /// - Parameters:
    ///   - desktops: The desktops whose own lists come first.
    ///   - hasApps: Whether the directory has desktop entries.
    static func read(
        _ directory: URL, desktops: [String], hasApps: Bool, _ hierarchy: MimeHierarchy
    ) -> [String: MimeTweaks] {
        var reader = Reader(directory: directory, hierarchy: hierarchy)
        for desktop in desktops { reader.read("\(desktop)-mimeapps.list") }
        reader.read("mimeapps.list", associations: "Added Associations")
        if hasApps {
            // GLib's old list, which no specification describes.
            reader.read("defaults.list")
            reader.read("mimeinfo.cache", associations: "MIME Cache")
        }
        return reader.tweaks
    }

    /// Collects the associations of a directory's files, in order of precedence.
    private struct Reader {
        let directory: URL
        let hierarchy: MimeHierarchy
        var tweaks: [String: MimeTweaks] = [:]

        /// Reads a list.
        ///
        /// - Parameter added: The name of the group with added apps, or nil to read only the
        ///   defaults.
        mutating func read(_ name: String, associations added: String? = nil) {
            let path = directory.appending(component: name).path
            guard let bytes = try? FileContents.read(path, limit: MimeDefaults.largestFile),
                let file = KeyFile(bytes)
            else { return }
            if let added {
                for (type, apps) in lists(added, of: file) {
                    tweaks[type, default: MimeTweaks()].expand(\.additions, by: apps, except: \.removals)
                }
                for (type, apps) in lists("Removed Associations", of: file) {
                    tweaks[type, default: MimeTweaks()].expand(\.removals, by: apps, except: \.additions)
                }
            }
            for (type, apps) in lists("Default Applications", of: file) {
                tweaks[type, default: MimeTweaks()].expand(\.defaults, by: apps, except: nil)
            }
        }

        private func lists(_ group: String, of file: KeyFile) -> [(String, [String])] {
            file.keys(in: group).prefix(MimeDefaults.maximumTypes).compactMap { type in
                file.list(type, in: group).map { apps in
                    let known = apps.prefix(MimeDefaults.maximumApps)
                    return (hierarchy.type(type), known.compactMap(DesktopEntryFiles.identifier(ofFile:)))
                }
            }
        }
    }

    /// Adds apps to a list, except those that are already in it or in another list.
    ///
    /// As in GIO, a missing list takes all apps, even those in the other list. So a directory's
    /// `mimeapps.list` does not remove apps that the directory's own `mimeinfo.cache` adds.
    private mutating func expand(
        _ list: WritableKeyPath<MimeTweaks, [String]?>, by apps: [String], except other: KeyPath<MimeTweaks, [String]?>?
    ) {
        guard var known = self[keyPath: list] else { return self[keyPath: list] = apps }
        let excluded = other.flatMap { self[keyPath: $0] } ?? []
        for app in apps where !known.contains(app) && !excluded.contains(app) { known.append(app) }
        self[keyPath: list] = known
    }
}
