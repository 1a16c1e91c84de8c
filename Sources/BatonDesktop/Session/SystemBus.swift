// SPDX-License-Identifier: Apache-2.0

public import DBus

/// The system bus, which is opened again after its connection has ended, for example by a restart.
public struct SystemBus: Sendable {
    private let pauses: ClosedRange<Duration>
    private let open: @Sendable () async throws -> DBusConnection

    /// Creates a bus without a connection.
    ///
    /// - Parameters:
    ///   - pauses: The shortest and the longest wait before a new connection.
    ///   - open: Called to open a connection.
    public init(
        pauses: ClosedRange<Duration> = .seconds(1)...(.seconds(30)),
        open: @escaping @Sendable () async throws -> DBusConnection = { try await .system() }
    ) {
        self.pauses = pauses
        self.open = open
    }

    /// Runs a body on one connection after the other, until the task is cancelled.
    ///
    /// - Parameter body: The work, which returns when its connection has ended.
    func follow(_ body: (DBusConnection) async -> Void) async {
        var pause = pauses.lowerBound
        while !Task.isCancelled {
            let start = ContinuousClock.now
            if let bus = try? await open() {
                await body(bus)
                bus.close()
            }
            // A connection that ends at once does not reset the wait.
            if start.duration(to: .now) > pauses.upperBound { pause = pauses.lowerBound }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, pauses.upperBound)
        }
    }
}
