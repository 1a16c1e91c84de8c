// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// The process's inotify instance, which all its ``DirectoryWatch``es share. One instance is shared
/// because by default a user may have only 128 of them, in all programs together.
final class Inotify: Sendable {
    /// The instance of this process. The instance stays open until the process ends.
    static let shared = Inotify { inotify_add_watch($0, $1, $2) }

    /// A function that adds a watch to a descriptor and sets `errno`, as `inotify_add_watch` does.
    typealias Adder = @Sendable (_ descriptor: Int32, _ path: String, _ events: UInt32) -> Int32

    /// A function that is called with the name of a changed file. The name is empty if the
    /// directory or a directory in it has changed, and if changes were lost.
    typealias Reporter = @Sendable (_ name: String) -> Void

    private struct State {
        /// The inotify instance, or -1 until it is open, and the source of its events.
        var descriptor: Int32 = -1
        var source: (any DispatchSourceRead)?
        /// The watchers of each directory, by the directory's watch descriptor. If nobody watches a
        /// directory any more, its set is empty.
        var watchers: [Int32: Set<ObjectIdentifier>] = [:]
        var reporters: [ObjectIdentifier: Reporter] = [:]
        /// The number of watchers that are being added. The kernel may give them the watch
        /// descriptor of a directory that nobody watches any more. So no watch is removed in the
        /// meantime.
        var beingAdded = 0
        /// The directories that changed while watchers were being added. Each new watcher is told
        /// of these changes once it has been added.
        var changedMeanwhile: Set<Int32> = []
    }

    private static let events = UInt32(
        IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
            | IN_MOVE_SELF | IN_ONLYDIR)

    /// The watch descriptor in an event that reports lost events (`IN_Q_OVERFLOW`).
    private static let lostEvents: Int32 = -1

    private let add: Adder
    private let state = Mutex(State())

    init(add: @escaping Adder) { self.add = add }

    // The source closes the descriptor when it is cancelled.
    deinit { state.withLock { $0.source?.cancel() } }

    /// Begins to report changes in some directories. Returns `false` if the system allows no more
    /// watches.
    ///
    /// - Parameters:
    ///   - watcher: The watcher, which is not retained.
    ///   - report: Called on any thread until ``remove(_:)``.
    func add(_ watcher: AnyObject, _ paths: some Sequence<String>, report: @escaping Reporter) -> Bool {
        guard let descriptor = begin() else { return false }
        // Do not hold the lock here, because adding a watch may block if a path is on a file server
        // that does not answer.
        var directories: Set<Int32> = []
        let isComplete = paths.allSatisfy { watch($0, descriptor, &directories) }
        let identifier = ObjectIdentifier(watcher)
        let hasChanged = state.withLock { state in
            for directory in directories {
                state.watchers[directory, default: []].formUnion(isComplete ? [identifier] : [])
            }
            if isComplete { state.reporters[identifier] = report }
            state.beingAdded -= 1
            defer { Self.removeUnwatched(&state) }
            return !state.changedMeanwhile.isDisjoint(with: directories.union([Self.lostEvents]))
        }
        if isComplete, hasChanged { report("") }
        return isComplete
    }

    /// Ends the reports to a watcher.
    func remove(_ watcher: AnyObject) {
        let identifier = ObjectIdentifier(watcher)
        // Release the closure only after unlocking. It may own another watcher, whose release takes
        // the same lock.
        _ = state.withLock { state -> Reporter? in
            guard let report = state.reporters.removeValue(forKey: identifier) else { return nil }
            for directory in state.watchers.keys { state.watchers[directory]?.remove(identifier) }
            Self.removeUnwatched(&state)
            return report
        }
    }

    /// Opens the inotify instance if it is not open. Returns nil if the system allows no more
    /// instances.
    private func begin() -> Int32? {
        state.withLock { state in
            if state.descriptor < 0 {
                let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
                guard descriptor >= 0 else { return nil }
                let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
                source.setEventHandler { [weak self] in self?.read(descriptor) }
                source.setCancelHandler { close(descriptor) }
                source.activate()
                state.descriptor = descriptor
                state.source = source
            }
            state.beingAdded += 1
            return state.descriptor
        }
    }

    /// Watches a directory, or the nearest parent that can be watched. Returns `false` if the
    /// system allows no more watches.
    private func watch(_ path: String, _ descriptor: Int32, _ directories: inout Set<Int32>) -> Bool {
        var watched = ""
        while true {
            var nearest = path
            var directory = add(descriptor, nearest, Self.events)
            while directory < 0 {
                let error = errno
                if [ENOSPC, ENOMEM].contains(error) { return false }
                guard [ENOENT, ENOTDIR, EACCES].contains(error), nearest.count > 1 else { return true }
                nearest = nearest.lastIndex(of: "/").map { String(nearest[..<$0]) } ?? ""
                if nearest.isEmpty { nearest = "/" }
                directory = add(descriptor, nearest, Self.events)
            }
            directories.insert(directory)
            // The directory may have been made before the parent was watched, so look again.
            guard nearest != path, nearest.count > watched.count else { return true }
            watched = nearest
        }
    }

    private static func removeUnwatched(_ state: inout State) {
        guard state.beingAdded == 0 else { return }
        state.changedMeanwhile = []
        for directory in state.watchers.filter(\.value.isEmpty).keys {
            inotify_rm_watch(state.descriptor, directory)
            state.watchers[directory] = nil
        }
    }

    /// Reads and reports the pending changes.
    private func read(_ descriptor: Int32) {
        let head = MemoryLayout<inotify_event>.size
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while case let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
                var offset = 0
                while offset + head <= count {
                    let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let name = buffer[(offset + head)..<(offset + head + Int(event.len))].prefix { $0 != 0 }
                    report(event, String(decoding: name, as: UTF8.self))
                    offset += head + Int(event.len)
                }
            }
        }
    }

    private func report(_ event: inotify_event, _ name: String) {
        let reporters = state.withLock { state in
            if state.beingAdded > 0 { state.changedMeanwhile.insert(event.wd) }
            guard event.wd != Self.lostEvents else { return Array(state.reporters.values) }
            let watchers = state.watchers[event.wd, default: []]
            if event.mask & UInt32(IN_IGNORED) != 0 { state.watchers[event.wd] = nil }
            return watchers.compactMap { state.reporters[$0] }
        }
        // If a directory changed, report an empty name, because a watched path may lead through
        // that directory.
        for reporter in reporters { reporter(event.mask & UInt32(IN_ISDIR) == 0 ? name : "") }
    }
}
