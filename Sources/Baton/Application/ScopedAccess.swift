// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import Synchronization

/// The files that came with activities, each with the number of its current uses.
final class ScopedAccess: Sendable {
    static let shared = ScopedAccess()

    private struct Grant {
        /// The folder that was created for a copy, or nil for a file in the shared folder `root`.
        var folder: URL?
        var root: URL?
        /// The serial number of the grant. Later grants have higher numbers.
        var number: UInt64
        var uses = 0
    }

    /// The maximum number of remembered files.
    ///
    /// If there are more files, the oldest file that is not in use is forgotten and can no longer
    /// be opened. A forgotten copy is deleted.
    static let maximumGrants = 1_024

    private let grants = Mutex<[String: Grant]>([:])
    private let last = Atomic<UInt64>(0)

    /// The number of remembered files, for tests.
    var count: Int { grants.withLock { $0.count } }

    /// Remembers a copy. Its folder is removed when the app stops accessing the copy.
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
    /// Begins to access a file that came with an activity, in `UserActivityDocumentURLKey`.
    ///
    /// For files from Baton, this method replaces Foundation's method of the same name.
    ///
    /// A document that came through the streams is a copy. The copy cannot be read before the first
    /// call, and the last ``stopAccessingSecurityScopedResource()`` removes it. To keep the
    /// document, save it elsewhere. A document in a shared folder is the file itself. For a file
    /// that ``Application`` passes to `openDocument`, access has already begun.
    ///
    /// - Returns: Whether the file may be read. The result is false if the URL came with no
    ///   activity, or the file is gone. It is also false if a symbolic link now leads from the
    ///   file's path out of its shared folder.
    public func startAccessingSecurityScopedResource() -> Bool { ScopedAccess.shared.start(self) }

    /// Ends the access that one successful ``startAccessingSecurityScopedResource()`` began.
    ///
    /// Any further call does nothing.
    public func stopAccessingSecurityScopedResource() { ScopedAccess.shared.stop(self) }
}
