// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Descriptors
import DesktopEntries
import Diagnosis
import FoundationEssentials

/// A profile of Firefox, and whether it knows Baton's extension.
///
/// A profile that was there before the extension was installed takes it at its second start:
/// Firefox looks for new ones after it has started (Documentation/Browser.md). `extensions.json` is
/// a private file of Firefox. So a file that cannot be read gives no finding, and
/// `Tests/Browsers/test_installed.py` fails when Firefox changes it. Only the profile that was used
/// last counts, because others may be years old.
struct FirefoxProfile: Hashable {
    /// The directory's name.
    let name: String
    /// Whether it has the extension, perhaps switched off by its user, or only found it so far.
    let knowsExtension: Bool

    /// The most directories that are looked at.
    static let maximumProfiles = 256
    /// The largest list of extensions that is read, in bytes.
    static let largestList = 16 << 20

    private static let identifier = "browser@batonproject.org"
    private static let list = "extensions.json"

    /// Where the package puts the extension.
    static let installed = URL(
        filePath: "/usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/\(identifier)")

    /// Where the user's profiles are; from version 147 on new ones are in the second.
    static var directories: [URL] {
        [
            BaseDirectories.home.appending(path: ".mozilla/firefox"),
            BaseDirectories.configuration.appending(path: "mozilla/firefox"),
        ]
    }

    /// The profile that was used last; nil without one, where nothing can be read of it, and where
    /// the extension is not installed.
    ///
    /// - Parameters:
    ///   - directories: Where profiles are.
    ///   - extensionDirectory: Where the extension is, if it is installed.
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
        return [
            Finding(
                .extensionWaiting,
                "Firefox's profile \(name) has not taken Baton's extension, which is installed: a profile that was there "
                    + "before takes it at its second start, so close Firefox and start it twice")
        ]
    }
}
