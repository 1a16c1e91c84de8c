// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Synchronization

/// Tells the app's developer why something was not done for saved activities, once for each reason.
struct StoreWarnings: Sendable, ~Copyable {
    /// How long the daemon is left alone that is called too often.
    private static let patience = Duration.seconds(1)

    let warn: @Sendable (String) -> Void
    private let last = Mutex<String?>(nil)

    init(warn: @escaping @Sendable (String) -> Void) { self.warn = warn }

    /// Does something.
    ///
    /// - Parameters:
    ///   - failure: What it means that it was not done.
    ///   - work: What is done, and again after a while where the daemon was called too often.
    func told(_ failure: String, _ work: () async throws -> Void) async throws {
        do {
            do {
                try await work()
            } catch let error as BatonError where error.code == .limitReached {
                try await Task.sleep(for: Self.patience)
                try await work()
            }
            last.withLock { $0 = nil }
        } catch {
            let warning = "\(failure): \(error)"
            let isNew = last.withLock { last in
                defer { last = warning }
                return last != warning
            }
            if isNew { warn(warning) }
            throw error
        }
    }
}
