// SPDX-License-Identifier: Apache-2.0

public import BatonBus
import DirectoryWatching

/// Reads the user's shared folders and copies, and reports their changes.
public struct UserFilesWatch: Sendable {
    /// The minimum time between two checks of the directories.
    private static let pace = Duration.milliseconds(300)

    private let folders: FoldersFile
    private let copies: DocumentCopies
    /// Notifies that ``files`` may have changed.
    public let change = ChangeNotice()

    /// Creates a watch of the user's files.
    public init() { self.init(folders: FoldersFile(), copies: DocumentCopies()) }

    init(folders: FoldersFile, copies: DocumentCopies) { (self.folders, self.copies) = (folders, copies) }

    /// The shared folders and the latest copies.
    public var files: UserFiles { UserFiles(folders: folders.folders, copies: copies.copies) }

    /// Adds, changes or removes a shared folder.
    ///
    /// - Parameter path: The path, or an empty text to remove the folder.
    /// - Throws: ``BatonError``. After an error, nothing has changed.
    public func setFolder(_ name: String, to path: String) throws {
        defer { change.note() }
        try folders.set(name, to: path)
    }

    /// Reports changes until the task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            let watch = DirectoryWatch(folders.directories + copies.directories)
            change.note()
            await DirectoryWatch.change(watch)
            try? await Task.sleep(for: Self.pace)
        }
    }
}
