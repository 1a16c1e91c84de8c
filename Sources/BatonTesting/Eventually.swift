// SPDX-License-Identifier: Apache-2.0

/// Returns when a condition holds, which it polls.
///
/// Use it only for conditions that nothing reports, such as the state of a process or of an actor
/// under test. Otherwise wait with ``Watched``.
///
/// - Parameters:
///   - what: The awaited event, in a few words.
///   - limit: The time limit.
///   - isolation: The actor on which the condition runs: the caller's.
/// - Throws: ``Missing`` at the time limit, or when the task is cancelled.
public func eventually(
    _ what: String, within limit: Duration = .seconds(120), isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end, !Task.isCancelled else { throw Missing(what: what) }
        // The awaited work needs the processor more than this loop does.
        try await Task.sleep(for: .milliseconds(2))
    }
}
