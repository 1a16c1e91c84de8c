// SPDX-License-Identifier: GPL-3.0-or-later

/// Everything that a stream has yielded so far, to be waited for in order: what a wait passes over
/// is gone.
final class EventLog<Element: Sendable>: Sendable {
    /// The stream ended before the event came.
    struct Ended: Error {}

    private let stream: AsyncStream<Element>

    init(_ stream: AsyncStream<Element>) {
        // Taken at once, as by the service: of what waits a radio tells only the latest.
        let (log, continuation) = AsyncStream.makeStream(of: Element.self)
        self.stream = log
        Task {
            for await element in stream { continuation.yield(element) }
            continuation.finish()
        }
    }

    /// The next event for which `transform` has an answer; what comes before is dropped.
    func next<Answer: Sendable>(_ transform: @Sendable (Element) -> Answer?) async throws -> Answer {
        for await element in stream {
            if let answer = transform(element) { return answer }
        }
        throw Ended()
    }

    /// Waits for the end of the stream and gives what was left in it.
    func rest() async -> [Element] {
        var all: [Element] = []
        for await element in stream { all.append(element) }
        return all
    }
}

extension EventLog where Element: Equatable {
    /// Waits for exactly this event; what comes before is dropped.
    func wait(for element: Element) async throws { try await next { $0 == element ? () : nil } }
}
