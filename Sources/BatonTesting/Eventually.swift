// SPDX-License-Identifier: Apache-2.0

/// Returns once a condition holds that nobody tells of, such as the state of an actor that is
/// tested or of a process; what somebody tells of is waited for (``Watched``).
///
/// - Parameters:
///   - what: What is waited for, in a few words.
///   - limit: For how long it is looked for.
///   - isolation: Where the condition is looked at: where the caller is.
/// - Throws: ``Missing`` when the time is up, or the task was cancelled.
public func eventually(
    _ what: String, within limit: Duration = .seconds(120), isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end, !Task.isCancelled else { throw Missing(what: what) }
        // What is waited for needs the processor more than the question does.
        try await Task.sleep(for: .milliseconds(2))
    }
}
