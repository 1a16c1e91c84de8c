// SPDX-License-Identifier: Apache-2.0

public import DBus

/// The system bus, which is opened again when it ends, as it does when it is restarted.
public struct SystemBus: Sendable {
    private let pauses: ClosedRange<Duration>
    private let open: @Sendable () async throws -> DBusConnection

    /// A bus that nobody is connected to yet.
    ///
    /// - Parameters:
    ///   - pauses: How long it is let be before it is opened again, at first and at most.
    ///   - open: Opens a connection.
    public init(
        pauses: ClosedRange<Duration> = .seconds(1)...(.seconds(30)),
        open: @escaping @Sendable () async throws -> DBusConnection = { try await .system() }
    ) {
        self.pauses = pauses
        self.open = open
    }

    /// Works on one connection after the other, until the task is cancelled.
    ///
    /// - Parameter body: Works until its connection ends.
    func follow(_ body: (DBusConnection) async -> Void) async {
        var pause = pauses.lowerBound
        while !Task.isCancelled {
            let start = ContinuousClock.now
            if let bus = try? await open() {
                await body(bus)
                bus.close()
            }
            // One that ends at once is no better than none.
            if start.duration(to: .now) > pauses.upperBound { pause = pauses.lowerBound }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, pauses.upperBound)
        }
    }
}
