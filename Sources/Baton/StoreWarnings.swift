// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Synchronization

/// Warns the app's developer when a store operation fails, but not twice in a row for the same
/// reason.
struct StoreWarnings: Sendable, ~Copyable {
    /// How long to wait before repeating a call that the daemon refused because of too many calls.
    private static let patience = Duration.seconds(1)

    let warn: @Sendable (String) -> Void
    private let last = Mutex<String?>(nil)

    /// Runs an operation of the store, and warns if it fails.
    ///
    /// - Parameters:
    ///   - failure: The beginning of the warning, which names the consequence.
    ///   - work: The operation. If the daemon refuses it because of too many calls, it is repeated
    ///     once after a pause.
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
