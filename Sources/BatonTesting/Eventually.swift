// SPDX-License-Identifier: Apache-2.0

/// Waits until a condition holds, by checking it repeatedly.
///
/// Use this only if nothing reports when the condition changes. For example, the condition may
/// depend on the state of a process or of an actor under test. In all other cases use ``Watched``.
///
/// - Parameters:
///   - what: The awaited event, in a few words.
///   - limit: The time limit.
///   - isolation: The actor on which the condition runs, which is the caller's.
/// - Throws: ``Missing`` at the time limit, or when the task is cancelled.
public func eventually(
    _ what: String, within limit: Duration = .seconds(120), isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end, !Task.isCancelled else { throw Missing(what: what) }
        // Sleep, because the awaited work needs the processor more than this loop does.
        try await Task.sleep(for: .milliseconds(2))
    }
}
