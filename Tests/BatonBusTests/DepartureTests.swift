// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus
import Synchronization
import Testing

@testable import BatonBus

/// Tests that programs that have left are forgotten.
@Suite(.timeLimit(.minutes(5))) struct DepartureTests {
    /// How long an answer may take. The time is long, because other tests may use all threads of
    /// this process.
    private static let patience = Duration.seconds(200)

    /// Handling a departure may wait for the radio. Other clients must not have to wait for it.
    @Test("Programs that have left are forgotten even while the handler is busy with one of them")
    func forgetsWhileBusy() async throws {
        try await Ends.with { ends in
            let (ends1, end) = AsyncStream.makeStream(of: Void.self)
            ends.handler.state.withLock { $0.departureHold = Task { for await _ in ends1 { return } } }
            for number in 0..<400 {
                let client = try await DBusConnection.open(address: ends.bus.address)
                let call = Task {
                    try await client.call(
                        destination: BatonBusName.bus, path: BatonBusName.path, interface: BatonBusName.activities,
                        member: "BecomeCurrent", arguments: [.string("a")], timeout: Self.patience)
                }
                // Some clients leave before they are answered.
                if number.isMultiple(of: 2) { _ = try await call.value } else { await client.respond() }
                client.close()
                _ = await call.result
            }
            try await eventually("all are forgotten") {
                ends.service.clients.withLock { $0.count } == 0 && ends.service.rates.withLock { $0.count } == 0
            }
            end.yield()
        }
    }

    /// The number of simultaneous calls is limited. Programs that have left must not use it up.
    @Test("Calls of programs that have left end even while the handler is busy with one of them")
    func callsEndWhileBusy() async throws {
        try await Ends.with { ends in
            let (calls, open) = AsyncStream.makeStream(of: Void.self)
            let (departures, end) = AsyncStream.makeStream(of: Void.self)
            ends.handler.state.withLock {
                $0.callHold = Task { for await _ in calls { return } }
                $0.departureHold = Task { for await _ in departures { return } }
            }
            for _ in 0..<DBusLimits().handledCalls + 64 {
                let client = try await DBusConnection.open(address: ends.bus.address)
                let call = Task.immediate {
                    try await client.call(
                        destination: BatonBusName.bus, path: BatonBusName.path, interface: BatonBusName.activities,
                        member: "BecomeCurrent", arguments: [.string("a")])
                }
                await client.respond()
                client.close()
                _ = await call.result
            }
            open.yield()
            try await eventually("an answer") { (try? await ends.client.status()) != nil }
            end.yield()
        }
    }
}
