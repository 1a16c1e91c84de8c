// SPDX-License-Identifier: Apache-2.0

import Descriptors
import FoundationEssentials

/// What the lists of one directory say of a type (GIO's `UnindexedMimeTweaks`).
struct MimeTweaks: Hashable, Sendable {
    /// The apps that open it.
    var additions: [String]?
    /// Those that do not, whatever directories after this one say.
    var removals: [String]?
    /// Those that are its default, the first that is installed counting.
    var defaults: [String]?

    /// Takes apps out of what opens the type and what does not.
    mutating func removeApps(where isOther: (String) -> Bool) {
        additions?.removeAll(where: isOther)
        removals?.removeAll(where: isOther)
    }

    /// Reads the lists of a directory, by type.
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
            // GLib's own list of old, which is in no specification.
            reader.read("defaults.list")
            reader.read("mimeinfo.cache", associations: "MIME Cache")
        }
        return reader.tweaks
    }

    /// What was read of a directory's files so far; those that count first are read first.
    private struct Reader {
        let directory: URL
        let hierarchy: MimeHierarchy
        var tweaks: [String: MimeTweaks] = [:]

        /// Reads a list.
        ///
        /// - Parameter added: The group of the apps that open types; nil for a list that may say
        ///   nothing but defaults.
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

    /// Adds apps that neither of two lists has. Into a list that is not there yet all go, as GIO
    /// does it: a directory's `mimeapps.list` does not take away what its own `mimeinfo.cache`
    /// adds.
    private mutating func expand(
        _ list: WritableKeyPath<MimeTweaks, [String]?>, by apps: [String], except other: KeyPath<MimeTweaks, [String]?>?
    ) {
        guard var known = self[keyPath: list] else { return self[keyPath: list] = apps }
        let excluded = other.flatMap { self[keyPath: $0] } ?? []
        for app in apps where !known.contains(app) && !excluded.contains(app) { known.append(app) }
        self[keyPath: list] = known
    }
}
