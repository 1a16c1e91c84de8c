// SPDX-License-Identifier: GPL-3.0-or-later

import BatonProtocol
import BatonTesting
import BatonTransport
import Foundation
import Logging
import NIOPosix
import Testing

@testable import BlueZTransport

/// Both conformance suites on the real bluetoothd and the real kernel, between two adapters: in the radio lab, or on hardware.
///
/// `BATON_LAB_ADAPTERS=hci0,hci1` names the adapters; the lane that sets it fails when these tests do not run.
@Suite(.serialized, .enabled(if: Lab.adapters != nil, "BATON_LAB_ADAPTERS names no two adapters"))
struct BlueZLabTests {
    @Test(.timeLimit(.minutes(5)), arguments: ChannelTransportConformance.checks)
    func channelsConform(_ check: ChannelTransportConformance.Check) async throws {
        let suite = ChannelTransportConformance(
            limit: .seconds(240), connectLimit: .seconds(30), channelCount: 16
        ) {
            let (listening, dialling) = try Lab.radios()
            try await listening.start()
            try await dialling.start()
            try await listening.advertise([1])
            _ = await dialling.events().first { if case .sighted = $0 { true } else { false } }
            return ChannelTransportConformance.Ends(
                listening: listening, dialling: dialling,
                nobody: Endpoint(transport: .l2cap, address: "C0:FF:EE:00:00:01/random", port: 0x80)
            ) {
                await listening.stop()
                await dialling.stop()
            }
        }
        try await suite.run(check)
    }

    @Test(.timeLimit(.minutes(5)), arguments: RadioConformance.checks)
    func radioConforms(_ check: RadioConformance.Check) async throws {
        let limits = RadioConformance.Limits(sighted: .seconds(60), lost: .seconds(120), connected: .seconds(60))
        let suite = RadioConformance(limits: limits) {
            let (first, second) = try Lab.radios()
            return RadioConformance.Pair(first: first, second: second)
        }
        try await suite.run(check)
    }
}

/// What the environment says of the lab.
private enum Lab {
    static let adapters: (String, String)? = {
        let names = ProcessInfo.processInfo.environment["BATON_LAB_ADAPTERS"]?.split(separator: ",").map(String.init)
        guard let names, names.count == 2 else { return nil }
        return (names[0], names[1])
    }()

    static func radios() throws -> (BlueZRadio, BlueZRadio) {
        let (first, second) = try #require(adapters)
        func radio(_ adapter: String) -> BlueZRadio {
            BlueZRadio(
                configuration: BlueZConfiguration(adapter: adapter), group: MultiThreadedEventLoopGroup.singleton,
                logger: Logger(label: "lab.\(adapter)"))
        }
        return (radio(first), radio(second))
    }
}

extension AsyncSequence {
    fileprivate func first(_ isWanted: (Element) -> Bool) async rethrows -> Element? {
        for try await element in self where isWanted(element) { return element }
        return nil
    }
}
