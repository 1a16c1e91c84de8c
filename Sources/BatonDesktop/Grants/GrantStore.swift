// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import Diagnosis
public import Logging
import Synchronization

/// The store of the user's answers about sandboxed apps.
///
/// A revoked grant takes effect at once, even if the file cannot be written. A new grant takes
/// effect after it was written.
public final class GrantStore: Sendable {
    static let fileName = "grants"

    private let file: PrivateFile?
    private let state: Mutex<Grants>
    /// The lock that a change holds until it is written. Readers do not need it, so they do not
    /// wait for the disk.
    private let changing = Mutex(())

    /// Creates a store without a file, for tests.
    public init() {
        file = nil
        state = Mutex(Grants())
    }

    /// Opens the store. A file that cannot be read is put aside, and the store starts without
    /// grants.
    ///
    /// - Parameter directory: The directory of the file `grants`. It must exist and belong to the
    ///   user alone.
    public init(directory: String, logger: Logger) {
        let file = PrivateFile(path: "\(directory)/\(Self.fileName)", largest: GrantCodec.largest)
        self.file = file
        do {
            let (grants, unreadable) = try file.read().map(GrantCodec.decode) ?? (Grants(), 0)
            state = Mutex(grants)
            guard unreadable > 0 else { return }
            logger.warning(
                "\(unreadable) lines of \(file.path) cannot be read, ignoring them: these apps are asked about anew")
        } catch {
            state = Mutex(Grants())
            let aside = (try? file.putAside()) ?? file.path
            logger.warning("the grants cannot be read, beginning without any: \(error); what there was is in \(aside)")
        }
    }

    /// The user's answers.
    var grants: Grants { state.withLock { $0 } }

    func entitlement(of app: SandboxedApp?) -> Entitlement { state.withLock { $0.entitlement(of: app) } }

    /// Changes the answers.
    ///
    /// - Parameter isForLess: Whether the change reduces permissions, and so takes effect even if
    ///   it cannot be written.
    /// - Throws: ``BatonError``.
    func change(isForLess: Bool, _ body: (inout Grants) throws -> Void) throws {
        try changing.withLock { _ in
            var new = grants
            do { try body(&new) } catch is Grants.Full {
                throw BatonError(.limitReached, .grantsFull)
            }
            if isForLess { state.withLock { $0 = new } }
            do {
                try file?.write(GrantCodec.encode(new))
            } catch {
                throw BatonError(.failed, .choiceNotKept, ["reason": BatonError.reason(error)])
            }
            state.withLock { $0 = new }
        }
    }
}
