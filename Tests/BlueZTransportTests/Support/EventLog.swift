// SPDX-License-Identifier: GPL-3.0-or-later

/// The elements of a stream, for tests that wait for them in order. A wait drops the elements
/// before the one that it returns.
final class EventLog<Element: Sendable>: Sendable {
    /// The stream ended before the event came.
    struct Ended: Error {}

    private let stream: AsyncStream<Element>

    init(_ stream: AsyncStream<Element>) {
        // Take each element at once, as the service does, because a radio keeps only the latest
        // status for a slow consumer.
        let (log, continuation) = AsyncStream.makeStream(of: Element.self)
        self.stream = log
        Task {
            for await element in stream { continuation.yield(element) }
            continuation.finish()
        }
    }

    /// Returns the first answer of `transform`, and drops the elements before it.
    func next<Answer: Sendable>(_ transform: @Sendable (Element) -> Answer?) async throws -> Answer {
        for await element in stream {
            if let answer = transform(element) { return answer }
        }
        throw Ended()
    }

    /// Waits for the end of the stream, and returns the remaining elements.
    func rest() async -> [Element] {
        var all: [Element] = []
        for await element in stream { all.append(element) }
        return all
    }
}

extension EventLog where Element: Equatable {
    /// Waits for this element, and drops those before it.
    func wait(for element: Element) async throws { try await next { $0 == element ? () : nil } }
}
