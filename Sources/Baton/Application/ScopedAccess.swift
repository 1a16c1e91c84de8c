// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import Synchronization

/// The files that came with activities, and who reads them at the moment.
final class ScopedAccess: Sendable {
    static let shared = ScopedAccess()

    private struct Grant {
        /// The folder that was made for a copy; nil for a file in a shared folder, whose real place
        /// is then in `root`.
        var folder: URL?
        var root: URL?
        /// The higher, the later it came.
        var number: UInt64
        var uses = 0
    }

    /// How many files are remembered. Beyond that the one goes that came first, of those that are
    /// not read; it cannot be opened any more then.
    static let maximumGrants = 1_024

    private let grants = Mutex<[String: Grant]>([:])
    private let last = Atomic<UInt64>(0)

    /// How many files are remembered; for tests.
    var count: Int { grants.withLock { $0.count } }

    /// A copy in a folder of its own, which goes when nobody reads it any more.
    func grant(_ file: URL, copiedInto folder: URL) { insert(Grant(folder: folder, number: nextNumber()), for: file) }

    /// A file in a shared folder of this device.
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
    /// Opens a file that came with an activity, by the URL that stood under
    /// `UserActivityDocumentURLKey` (Foundation's method of this name, for what Baton gives to an
    /// app).
    ///
    /// A document that came through the streams is a copy in the app's cache: closed before the
    /// first call, and removed with the last ``stopAccessingSecurityScopedResource()``; save it
    /// elsewhere to keep it. One in a shared folder is the file itself. What ``Application`` opens
    /// by `openDocument` is open already.
    ///
    /// - Returns: Whether it may be read. False for a URL that came with no activity, for a file
    ///   that has gone, and for one that a symbolic link has put outside of its shared folder
    ///   meanwhile.
    public func startAccessingSecurityScopedResource() -> Bool { ScopedAccess.shared.start(self) }

    /// Ends what one successful ``startAccessingSecurityScopedResource()`` began. Other calls do
    /// nothing.
    public func stopAccessingSecurityScopedResource() { ScopedAccess.shared.stop(self) }
}
