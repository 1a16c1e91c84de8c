// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
internal import Descriptors
internal import DesktopEntries
public import FoundationEssentials
import Glibc

extension SharedFolders {
    /// The user's configuration file, `$XDG_CONFIG_HOME/baton/folders`, with lines `NAME = /PATH`.
    public static var configurationFile: URL { BaseDirectories.configuration.appending(path: "baton/folders") }

    /// Reads the folders that the user has configured.
    ///
    /// - Parameters:
    ///   - file: The configuration, such as ``configurationFile``. A missing file means no folders.
    ///   - mistake: Called for each ignored line, with an error that names the line.
    /// - Throws: ``UserActivityError`` with the reason why the file cannot be read. Files larger
    ///   than 64 KiB are not read.
    public init(configurationFile file: URL, mistake: (UserActivityError) -> Void) throws {
        do {
            let bytes = try FileContents.read(file.path, limit: Self.largestConfiguration)
            self.init(configuration: bytes, mistake: mistake)
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: self.init()
            case EFBIG: throw Self.unreadable("is larger than \(Self.largestConfiguration) bytes")
            case EINVAL: throw Self.unreadable("is not a regular file")
            default: throw Self.unreadable("cannot be read: \(String(cString: strerror(error.code)))")
            }
        }
    }

    private static func unreadable(_ message: String) -> UserActivityError {
        UserActivityError(code: .invalidFolder, property: "folders", message: message)
    }

    /// Returns the configured folders, with a warning for each ignored line.
    ///
    /// If the file cannot be read, it warns and returns no folders.
    package static func configured(
        in file: URL = configurationFile, warn: (String) -> Void
    ) -> SharedFolders {
        do {
            return try SharedFolders(configurationFile: file) {
                warn("\(file.path): a line does not count: \($0)")
            }
        } catch {
            warn("\(file.path) names no folders: \(error)")
            return SharedFolders()
        }
    }

    private static let largestConfiguration = 65_536
}
