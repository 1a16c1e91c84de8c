// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
public import Logging
import Synchronization

/// What the user has said about sandboxed apps, in a file of its own.
///
/// What is taken back counts at once, also where the file cannot be written; what is granted counts
/// once it is written.
public final class GrantStore: Sendable {
    static let fileName = "grants"

    private let file: PrivateFile?
    private let state: Mutex<Grants>
    /// Held by who changes something, until it is written; who only asks does not wait for the
    /// disk.
    private let changing = Mutex(())

    /// A store without a file, for tests.
    public init() {
        file = nil
        state = Mutex(Grants())
    }

    /// Opens the store. A file that cannot be read is put aside, and nothing is granted then.
    ///
    /// - Parameter directory: Where the file `grants` is; it is there, and its user's alone.
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

    /// All that was said.
    var grants: Grants { state.withLock { $0 } }

    /// What a sandboxed program may do.
    func entitlement(of app: SandboxedApp?) -> Entitlement { state.withLock { $0.entitlement(of: app) } }

    /// Changes what was said.
    ///
    /// - Parameter isForLess: Whether the change counts even if it cannot be written.
    /// - Throws: ``BatonError``.
    func change(isForLess: Bool, _ body: (inout Grants) throws -> Void) throws {
        try changing.withLock { _ in
            var new = grants
            do { try body(&new) } catch is Grants.Full {
                throw BatonError(
                    .limitReached,
                    "more cannot be granted: this app has too much, or too many apps have something; 'baton grants refuse' takes "
                        + "back, and forgets what is not installed any more"
                )
            }
            if isForLess { state.withLock { $0 = new } }
            do {
                try file?.write(GrantCodec.encode(new))
            } catch {
                throw BatonError(.failed, "the grants were not written: \(error)")
            }
            state.withLock { $0 = new }
        }
    }
}
