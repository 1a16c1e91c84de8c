// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Reports changes of files in some directories, including changed permissions (inotify).
///
/// In place of a directory that does not exist or cannot be read, it watches the nearest parent
/// directory that can be watched.
public final class DirectoryWatch: Sendable {
    /// The changes. After a change there is at least one element. Several changes may be joined
    /// into one.
    public let changes: AsyncStream<Void>
    private let descriptor: Int32
    /// The source of changes. It is only created and cancelled, which Dispatch allows on any
    /// thread.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// The largest number of directories to watch.
    public static let maximumDirectories = 256

    private static let events = UInt32(
        IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
            | IN_MOVE_SELF | IN_ONLYDIR)

    /// A function that adds a watch to a descriptor and sets `errno`, as `inotify_add_watch` does.
    typealias Adder = (_ descriptor: Int32, _ path: String, _ events: UInt32) -> Int32

    /// Starts to watch. Returns `nil` if the system allows no more watches.
    ///
    /// - Parameters:
    ///   - paths: The directories. Only the first ``maximumDirectories`` are watched.
    ///   - isOfInterest: Returns whether to report changes of a file with this name.
    public convenience init?(
        _ paths: [String], isOfInterest: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.init(paths, add: { inotify_add_watch($0, $1, $2) }, isOfInterest: isOfInterest)
    }

    /// Starts to watch, with another function that adds watches, for tests.
    init?(_ paths: [String], add: Adder, isOfInterest: @escaping @Sendable (String) -> Bool = { _ in true }) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        for path in paths.prefix(Self.maximumDirectories) where !Self.watch(path, descriptor, add) {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        changes = stream
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        source.setEventHandler {
            if Self.read(descriptor, isOfInterest) { continuation.yield() }
        }
        source.setCancelHandler {
            close(descriptor)
            continuation.finish()
        }
        source.activate()
    }

    deinit { source.cancel() }

    /// The time between two looks if the system allows no more watches. By default a user may have
    /// 128 inotify instances in all programs together.
    public static let interval = Duration.seconds(10)

    /// Waits for a change, or for ``interval`` if there is no watch.
    public static func change(_ watch: DirectoryWatch?) async {
        guard let watch else {
            try? await Task.sleep(for: interval)
            return
        }
        for await _ in watch.changes { break }
    }

    /// Watches a directory, or the nearest parent that can be watched. Returns `false` if the
    /// system allows no more watches.
    private static func watch(_ path: String, _ descriptor: Int32, _ add: Adder) -> Bool {
        var path = path
        while add(descriptor, path, events) < 0 {
            let error = errno
            if [ENOSPC, ENOMEM].contains(error) { return false }
            guard [ENOENT, ENOTDIR, EACCES].contains(error), path.count > 1 else { return true }
            path = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
            if path.isEmpty { path = "/" }
        }
        return true
    }

    /// Reads the pending changes. Returns whether any of them is of interest. A change of a
    /// directory always is, because the directory may lead to a watched path.
    private static func read(_ descriptor: Int32, _ isOfInterest: (String) -> Bool) -> Bool {
        var isToTell = false
        let head = MemoryLayout<inotify_event>.size
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while case let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
                var offset = 0
                while offset + head <= count {
                    let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let name = buffer[(offset + head)..<(offset + head + Int(event.len))].prefix { $0 != 0 }
                    isToTell =
                        isToTell || name.isEmpty || event.mask & UInt32(IN_ISDIR) != 0
                        || isOfInterest(String(decoding: name, as: UTF8.self))
                    offset += head + Int(event.len)
                }
            }
        }
        return isToTell
    }
}
