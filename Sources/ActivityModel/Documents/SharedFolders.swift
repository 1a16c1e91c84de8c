// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A slash, which is compared as a byte because a slash with a combining mark is a different
/// `Character`.
private let slash = UInt8(ascii: "/")

/// Folders with the same content on all of the user's devices, at a path that may differ on each.
///
/// Syncthing, Nextcloud or a network mount keeps them in sync. A file inside a shared folder is
/// sent as `baton-folder:/NAME/PATH`, and the receiving device turns this URL into its own path.
public struct SharedFolders: Hashable, Sendable {
    /// The scheme of URLs that name a file in a shared folder.
    public static let scheme = "baton-folder"

    /// The path of each folder on this device, by the name that all devices use.
    public var folders: [String: URL]

    /// Creates folders from their names and paths.
    public init(_ folders: [String: URL] = [:]) { self.folders = folders }

    /// Reads a configuration: lines `NAME = /PATH` in UTF-8, empty lines, and comments after `#`.
    ///
    /// - Parameters:
    ///   - configuration: The bytes of the file, such as `~/.config/baton/folders`.
    ///   - mistake: Called for each ignored line, with an error that names the line. A line is
    ///     ignored if it is not UTF-8 text, or if the path is not absolute. A line is also ignored
    ///     if the name is empty, has a `/` or was used in an earlier line.
    public init(configuration: some Collection<UInt8>, mistake: (UserActivityError) -> Void) {
        folders = [:]
        let lines = configuration.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() where !add(line) {
            mistake(
                UserActivityError(
                    code: .invalidFolder, property: "folders", path: "[line \(number + 1)]",
                    message: "is not NAME = /PATH with a name of its own, in UTF-8"))
        }
    }

    /// Reads one line and adds its folder.
    ///
    /// - Returns: False for a line with a mistake.
    private mutating func add(_ line: some Collection<UInt8>) -> Bool {
        guard !line.contains(0), let text = String(validating: line, as: UTF8.self)?.trimmed else { return false }
        if text.isEmpty || text.hasPrefix("#") { return true }
        let parts = text.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
        guard parts.count == 2, !parts[0].utf8.contains(slash), parts[1].utf8.first == slash, folders[parts[0]] == nil
        else { return false }
        folders[parts[0]] = URL(filePath: parts[1], directoryHint: .isDirectory)
        return true
    }

    /// Returns a file's URL for other devices.
    ///
    /// - Parameter file: A file's URL on this device.
    /// - Returns: The URL, or nil if the file is in no shared folder. If folders are nested, the
    ///   innermost one is used.
    public func travelling(_ file: URL) -> URL? {
        guard file.isFileURL else { return nil }
        let path = file.standardizedFileURL.pathComponents
        let candidates = folders.compactMap { name, folder -> (name: String, depth: Int)? in
            let components = folder.standardizedFileURL.pathComponents.filter { $0 != "" }
            guard path.count > components.count, Array(path.prefix(components.count)) == components else { return nil }
            return (name, components.count)
        }
        guard let innermost = candidates.max(by: { ($0.depth, $1.name) < ($1.depth, $0.name) }) else { return nil }
        return DocumentPath.url([innermost.name] + path.dropFirst(innermost.depth), scheme: Self.scheme)
    }

    /// Returns a state for other devices, in which the document's URL names a shared folder.
    ///
    /// The URL is the entry ``UserActivityDocumentURLKey`` of userInfo. The URL of a file in no
    /// shared folder stays as it is.
    public func travelling(_ state: ActivityState) -> ActivityState {
        let key = UserInfoValue.string(UserActivityDocumentURLKey)
        guard case .url(let file)? = state.userInfo[key], let url = travelling(file) else { return state }
        var state = state
        state.userInfo[key] = .url(url)
        return state
    }

    /// Returns this device's path of a file that another device named.
    ///
    /// - Parameter url: A URL from another device.
    /// - Returns: The file's URL here, or nil for another scheme, an unknown folder, or a path that
    ///   leads out of the folder.
    public func local(_ url: URL) -> URL? {
        guard let path = DocumentPath.whole(in: url, scheme: Self.scheme) else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentEncoding.decoded($0) ?? "" }
        guard parts.count >= 2, var file = folders[parts[0]] else { return nil }
        for part in parts.dropFirst() {
            guard !part.isEmpty, part != ".", part != "..", !part.utf8.contains(slash), !part.utf8.contains(0) else {
                return nil
            }
            file.append(component: part)
        }
        return file
    }
}
