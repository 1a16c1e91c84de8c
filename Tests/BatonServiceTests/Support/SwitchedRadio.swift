// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import NIOCore
import Synchronization

@testable import BatonService

/// A radio with a switch and no device in range, which the simulated radio cannot represent.
final class SwitchedRadio: Radio {
    private struct State {
        var condition = RadioStatus.Condition.off
        var timesListened = 0
        var nextPSM: UInt16 = 0x80
        var psm: UInt16?
    }

    let traits = TransportTraits(
        kind: .simulated, range: .radio, streamWindow: 65_536, streamChunk: 8_192, pauseBetweenDials: .seconds(4),
        dialAttempts: 3)
    private let state = Mutex(State())
    /// The payload to advertise.
    let payload = Watched<[UInt8]?>(nil)
    /// The mode of listening that the service has requested.
    let listening = Watched(Listening.always)
    private let stream: AsyncStream<RadioEvent>
    private let continuation: AsyncStream<RadioEvent>.Continuation
    private let starting: @Sendable () async throws -> Void

    /// Creates a radio.
    ///
    /// - Parameter starting: Delays the start, or makes it fail.
    init(starting: @escaping @Sendable () async throws -> Void = {}) {
        self.starting = starting
        (stream, continuation) = AsyncStream.makeStream()
    }

    var timesListened: Int { state.withLock(\.timesListened) }

    /// Sets the condition. Each time the radio is ready again, the open listener has another PSM.
    func set(_ condition: RadioStatus.Condition) {
        state.withLock { state in
            state.condition = condition
            if condition != .ready {
                state.psm = nil
            } else if state.timesListened > 0 {
                state.psm = state.nextPSM
                state.nextPSM += 1
            }
        }
        let problem = condition == .ready ? nil : Finding(.adapterOff)
        continuation.yield(.status(RadioStatus(condition, because: problem)))
    }

    func events() -> AsyncStream<RadioEvent> { stream }

    func advertise(_ payload: [UInt8]?) async throws { self.payload.change { $0 = payload } }

    func scan(_ listening: Listening) async { self.listening.change { $0 = listening } }

    /// Waits until the service has requested this mode of listening.
    func listens(_ listening: Listening) async throws {
        try await self.listening.wait("the radio is to listen: \(listening)") { $0 == listening ? true : nil }
    }

    func disconnect(_ endpoint: Endpoint) async {}

    func start() async throws { try await starting() }

    func stop() async {
        payload.change { $0 = nil }
        continuation.finish()
    }

    func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        throw TransportError(.unreachable, "nobody is in range")
    }

    func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        try state.withLock { state in
            guard state.condition == .ready else { throw TransportError(.radioUnavailable, "switched off") }
            state.timesListened += 1
            state.psm = state.nextPSM
            state.nextPSM += 1
        }
        return OpenDoor(radio: self)
    }

    fileprivate var endpoints: [Endpoint] {
        state.withLock(\.psm).map { [Endpoint(transport: .simulated, address: "fake", port: $0)] } ?? []
    }
}

extension World {
    /// Runs a test with a running service whose radio is switched on, and stops the service
    /// afterwards.
    static func withSwitchedRadio(
        _ body: (HandoffService, SwitchedRadio, ManualClock) async throws -> Void
    ) async throws {
        try await with { world in
            let (radio, clock) = (SwitchedRadio(), ManualClock(uptime: .seconds(1_000)))
            let service = try world.service(radio: radio, clock: clock)
            radio.set(.ready)
            try await service.start { _ in }
            try await body(service, radio, clock)
            await service.stop()
        }
    }
}

private struct OpenDoor: Listener {
    let radio: SwitchedRadio

    func endpoints() async -> [Endpoint] { radio.endpoints }

    func close() async {}
}
