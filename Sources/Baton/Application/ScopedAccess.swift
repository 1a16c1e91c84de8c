// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import Synchronization

/// The files that came with activities, and the number of their current readers.
final class ScopedAccess: Sendable {
    static let shared = ScopedAccess()

    private struct Grant {
        /// The folder that was created for a copy; nil for a file in the shared folder `root`.
        var folder: URL?
        var root: URL?
        /// The serial number of the grant. Later grants have higher numbers.
        var number: UInt64
        var uses = 0
    }

    /// The greatest number of remembered files.
    ///
    /// Beyond it the oldest file that nobody reads is forgotten. It can then no longer be opened.
    static let maximumGrants = 1_024

    private let grants = Mutex<[String: Grant]>([:])
    private let last = Atomic<UInt64>(0)

    /// The number of remembered files, for tests.
    var count: Int { grants.withLock { $0.count } }

    /// Remembers a copy in its own folder, which is removed when nobody reads the copy any more.
    func grant(_ file: URL, copiedInto folder: URL) { insert(Grant(folder: folder, number: nextNumber()), for: file) }

    /// Remembers a file in a shared folder of this device.
    func grant(_ file: URL, sharedIn root: URL) {
        guard grants.withLock({ $0[file.path] }) == nil else { return }
        insert(Grant(root: root, number: nextNumber()), for: file)
    }

    private func nextNumber() -> UInt64 { last.add(1, ordering: .relaxed).newValue }

    private func insert(_ grant: Grant, for file: URL) {
        let forgotten: Grant? = grants.withLock { grants in
            grants[file.path] = grant
            guard grants.count > Self.maximumGrants,
                let oldest = grants.filter({ $0.value.uses == 0 }).min(by: { $0.value.number < $1.value.number })
            else { return nil }
            return grants.removeValue(forKey: oldest.key)
        }
        if let folder = forgotten?.folder { try? FileManager.default.removeItem(at: folder) }
    }

    func start(_ file: URL) -> Bool {
        grants.withLock { grants in
            guard var grant = grants[file.path] else { return false }
            if let root = grant.root {
                guard SharedRoot.contains(file, in: root), access(file.path, R_OK) == 0 else { return false }
            } else if grant.uses == 0, chmod(file.path, 0o600) != 0 {
                return false
            }
            grant.uses += 1
            grants[file.path] = grant
            return true
        }
    }

    func stop(_ file: URL) {
        let finished: URL? = grants.withLock { grants in
            guard var grant = grants[file.path], grant.uses > 0 else { return nil }
            grant.uses -= 1
            grants[file.path] = grant.uses == 0 && grant.folder != nil ? nil : grant
            return grant.uses == 0 ? grant.folder : nil
        }
        if let finished { try? FileManager.default.removeItem(at: finished) }
    }

    /// Removes a copy that the app did not take.
    func revoke(_ file: URL) {
        let grant: Grant? = grants.withLock { grants in
            guard let grant = grants[file.path], grant.folder != nil, grant.uses == 0 else { return nil }
            grants[file.path] = nil
            return grant
        }
        if let folder = grant?.folder { try? FileManager.default.removeItem(at: folder) }
    }
}

extension URL {
    /// Opens a file that came with an activity, under the URL in `UserActivityDocumentURLKey`.
    ///
    /// It replaces Foundation's method of this name for files from Baton.
    ///
    /// A document that came through the streams is a copy. Nobody can read it before the first
    /// call, and the last ``stopAccessingSecurityScopedResource()`` removes it. Save it elsewhere
    /// to keep it. A document in a shared folder is the file itself. A file that ``Application``
    /// opens with `openDocument` is already open.
    ///
    /// - Returns: Whether the file may be read. False for a URL that came with no activity, and for
    ///   a file that is gone. Also false for a file that a symbolic link has moved out of its
    ///   shared folder.
    public func startAccessingSecurityScopedResource() -> Bool { ScopedAccess.shared.start(self) }

    /// Ends the access that one successful ``startAccessingSecurityScopedResource()`` began.
    ///
    /// Other calls do nothing.
    public func stopAccessingSecurityScopedResource() { ScopedAccess.shared.stop(self) }
}
