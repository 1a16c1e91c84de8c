// SPDX-License-Identifier: Apache-2.0

/// Reports changes of files in some directories, including changed permissions (inotify).
///
/// If a directory does not exist or cannot be read, its nearest parent directory that can be
/// watched is watched instead.
public final class DirectoryWatch: Sendable {
    /// The changes. Each change yields an element, but several changes may share one.
    public let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    private let inotify: Inotify

    /// The largest number of directories to watch.
    public static let maximumDirectories = 256

    /// Starts to watch. Returns `nil` if the system allows no more watches.
    ///
    /// - Parameters:
    ///   - paths: The directories. Only the first ``maximumDirectories`` are watched.
    ///   - isOfInterest: Returns whether to report changes of a file with this name.
    public convenience init?(
        _ paths: [String], isOfInterest: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.init(paths, on: .shared, isOfInterest: isOfInterest)
    }

    /// Starts to watch with another instance, for tests.
    init?(
        _ paths: [String], on inotify: Inotify, isOfInterest: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (self.changes, self.change, self.inotify) = (changes, change, inotify)
        let isWatching = inotify.add(self, paths.prefix(Self.maximumDirectories)) { name in
            if name.isEmpty || isOfInterest(name) { change.yield() }
        }
        guard isWatching else { return nil }
    }

    deinit {
        inotify.remove(self)
        change.finish()
    }

    /// The time between two checks if the system allows no more watches.
    public static let interval = Duration.seconds(10)

    /// Waits for a change, or for ``interval`` if there is no watch.
    public static func change(_ watch: DirectoryWatch?) async {
        guard let watch else {
            try? await Task.sleep(for: interval)
            return
        }
        for await _ in watch.changes { break }
    }
}
