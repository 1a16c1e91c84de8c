// SPDX-License-Identifier: Apache-2.0

internal import DesktopEntries
public import Foundation
public import UserActivity

extension SharedFolders {
    /// Where the user's configuration is: `$XDG_CONFIG_HOME/baton/folders`, lines `NAME = /PATH`.
    public static var configurationFile: URL { BaseDirectories.configuration.appending(path: "baton/folders") }

    /// The folders that the user has configured.
    ///
    /// - Parameter file: The configuration, such as ``configurationFile``; a file that is not there
    ///   names no folders.
    /// - Throws: ``UserActivityError`` that names the line, or a `CocoaError` for a file that
    ///   cannot be read or is larger than 64 KiB.
    public init(configurationFile file: URL) throws {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: file)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            self.init()
            return
        }
        defer { try? handle.close() }
        let data = try handle.read(upToCount: Self.largestConfiguration + 1) ?? Data()
        guard data.count <= Self.largestConfiguration else { throw CocoaError(.fileReadTooLarge) }
        guard let text = String(data: data, encoding: .utf8) else {
            throw CocoaError(.fileReadInapplicableStringEncoding)
        }
        try self.init(configuration: text)
    }

    /// The folders of a configuration, and none, with a warning, when there is a mistake in it.
    static func configured(in file: URL, warn: (String) -> Void) -> SharedFolders {
        do {
            return try SharedFolders(configurationFile: file)
        } catch {
            warn("\(file.path) names no folders: \(error)")
            return SharedFolders()
        }
    }

    private static let largestConfiguration = 65_536

    /// Where this device has a file, if no symbolic link leads out of the shared folder, and that
    /// folder.
    func localFile(_ url: URL) -> (file: URL, root: URL)? {
        guard let file = local(url) else { return nil }
        return folders.values.first { SharedRoot.contains(file, in: $0) }.map { (file, $0) }
    }
}

enum SharedRoot {
    /// Whether a file is in a folder, symbolic links followed.
    static func contains(_ file: URL, in root: URL) -> Bool {
        file.resolvingSymlinksInPath().pathComponents.starts(
            with: root.resolvingSymlinksInPath().pathComponents.filter { $0 != "" })
    }
}
