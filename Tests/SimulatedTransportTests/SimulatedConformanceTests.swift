// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import SimulatedTransport
import Testing

/// Runs both conformance suites on the simulated radio. They run one check at a time, because a
/// check counts descriptors.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SimulatedConformanceTests {
    @Test(
        "The simulated radio's channels pass each check of the suite for channel transports",
        arguments: ChannelTransportConformance.checks)
    func channelsConform(_ check: ChannelTransportConformance.Check) async throws {
        let suite = ChannelTransportConformance {
            let directory = try TemporaryAir()
            let listening = SimulatedRadio(directory: directory.path)
            let dialling = SimulatedRadio(directory: directory.path)
            try await listening.start()
            try await dialling.start()
            try await listening.advertise([1])
            return ChannelTransportConformance.Ends(
                listening: listening, dialling: dialling,
                nobody: Endpoint(transport: .simulated, address: "nobody", port: 0x80)
            ) {
                await listening.stop()
                await dialling.stop()
                directory.remove()
            }
        }
        try await suite.run(check)
    }

    @Test("The simulated radio passes each check of the radio suite", arguments: RadioConformance.checks)
    func radioConforms(_ check: RadioConformance.Check) async throws {
        let limits = RadioConformance.Limits(sighted: .seconds(20), lost: .seconds(20), connected: .seconds(20))
        let suite = RadioConformance(limits: limits) {
            let directory = try TemporaryAir()
            let configuration = SimulatedRadio.Configuration(interval: .milliseconds(20), lostAfter: .milliseconds(500))
            return RadioConformance.Pair(
                first: SimulatedRadio(directory: directory.path, configuration: configuration),
                second: SimulatedRadio(directory: directory.path, configuration: configuration)
            ) { directory.remove() }
        }
        try await suite.run(check)
    }
}
