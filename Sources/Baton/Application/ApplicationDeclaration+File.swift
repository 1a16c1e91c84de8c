// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ApplicationDeclaration {
    /// Where desktop entries are, the first that counts first: `applications` in `$XDG_DATA_HOME` and in each of `$XDG_DATA_DIRS`.
    public static var desktopEntryDirectories: [URL] {
        let environment = ProcessInfo.processInfo.environment
        let home =
            environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/share").path
        let directories =
            environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
        return ([home] + directories.split(separator: ":").map(String.init)).filter { $0.hasPrefix("/") }
            .map { URL(filePath: $0, directoryHint: .isDirectory).appending(path: "applications") }
    }

    /// Reads the desktop entry of an installed app.
    ///
    /// - Parameters:
    ///   - identifier: The app's id, the entry's name without `.desktop`, such as `org.example.Letters`.
    ///   - directories: Where to look; the first entry of this name counts.
    /// - Returns: What it declares; nil when there is no such entry, the id is none, or the entry cannot be read or is larger than 1 MiB.
    public init?(
        applicationIdentifier identifier: String, in directories: [URL] = ApplicationDeclaration.desktopEntryDirectories
    ) {
        guard !identifier.isEmpty, !identifier.contains("/"), !identifier.utf8.contains(0) else { return nil }
        for directory in directories {
            let file = directory.appending(component: identifier + ".desktop")
            guard let handle = try? FileHandle(forReadingFrom: file) else { continue }
            defer { try? handle.close() }
            guard let data = try? handle.read(upToCount: Self.largestEntry + 1), data.count <= Self.largestEntry,
                let text = String(data: data, encoding: .utf8)
            else { return nil }
            self.init(desktopEntry: text)
            return
        }
        return nil
    }

    private static let largestEntry = 1 << 20
}
