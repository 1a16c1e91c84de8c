// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Descriptors
import DesktopEntries
import Diagnosis
import FoundationEssentials

/// A profile of Firefox, and whether it knows Baton's extension.
///
/// If a profile existed before the extension was installed, Firefox adds the extension at the
/// profile's second start. Firefox looks for new extensions only after it has started
/// (Documentation/Browser.md). `extensions.json` is a private file of Firefox, whose format may
/// change. So a file that cannot be read gives no finding, and `Tests/Browsers/test_installed.py`
/// fails when the format changes. Only the profile that was used last counts, because others may be
/// years old.
struct FirefoxProfile: Hashable {
    let name: String
    /// Whether the profile lists the extension, even if it is switched off or not yet installed.
    let knowsExtension: Bool

    /// The largest number of profile directories to look at.
    static let maximumProfiles = 256
    /// The largest size of an `extensions.json` that is read, in bytes.
    static let largestList = 16 << 20

    private static let identifier = "browser@batonproject.org"
    private static let list = "extensions.json"

    /// The directory in which the package installs the extension.
    static let installed = URL(
        filePath: "/usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/\(identifier)")

    /// The directories with the user's profiles. Firefox 147 and later creates new profiles in the
    /// second directory.
    static var directories: [URL] {
        [
            BaseDirectories.home.appending(path: ".mozilla/firefox"),
            BaseDirectories.configuration.appending(path: "mozilla/firefox"),
        ]
    }

    /// Returns the profile that was used last.
    ///
    /// Returns `nil` if the extension is not installed, or if that profile cannot be read.
    ///
    /// - Parameters:
    ///   - directories: The directories with profiles.
    ///   - extensionDirectory: The directory of the extension, if it is installed.
    static func newest(in directories: [URL] = directories, extensionDirectory: URL = installed) -> FirefoxProfile? {
        guard FileManager.default.fileExists(atPath: extensionDirectory.path) else { return nil }
        let lists = directories.flatMap { directory in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
            return names.sorted().prefix(maximumProfiles).compactMap { name -> (URL, Date)? in
                let file = directory.appending(components: name, list)
                let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
                return (attributes?[.modificationDate] as? Date).map { (file, $0) }
            }
        }
        guard let (file, _) = lists.max(by: { $0.1 < $1.1 }),
            let bytes = try? FileContents.read(file.path, limit: largestList),
            let known = try? JSONDecoder().decode(Extensions.self, from: Data(bytes))
        else { return nil }
        return FirefoxProfile(
            name: file.deletingLastPathComponent().lastPathComponent,
            knowsExtension: known.addons.contains { $0.id == identifier })
    }

    private struct Extensions: Decodable {
        struct Extension: Decodable { var id: String }
        var addons: [Extension]
    }

    var findings: [Finding] {
        guard !knowsExtension else { return [] }
        let name = VisibleText.replacing(name) { _ in "?" }
        return [Finding(.extensionWaiting, ["profile": .text(name)])]
    }
}
