// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import TCPTransport
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests that both devices report a failure of TCP between them until TCP has connected them.
    struct NetworkFailureTests {
        private func with(
            _ body: (_ anna: Device, _ berta: Device, _ tcp: FailingTCP) async throws -> Void
        ) async throws {
            try await World.with { world in
                let anna = try await world.device(
                    "anna", tcp: true, clock: ManualClock(), wrapTCP: { OneAddressTCP(proxied: $0) })
                let (berta, tcp) = try await world.device("berta", clock: ManualClock(), tcpProxy: { FailingTCP($0) })
                try await anna.makeCircle(with: berta)
                try await body(anna, berta, tcp)
            }
        }

        private func codes(_ device: Device) async -> [String] { await findings(device).map(\.code) }

        private func findings(_ device: Device) async -> [Finding] {
            await device.service.status().findings.filter { $0.code.hasPrefix("tcp-") || $0.code == "no-route" }
        }

        @Test("If streams had to use the radio, both sides report that until TCP has connected")
        func told() async throws {
            try await with { anna, berta, tcp in
                tcp.fail(by: .refused)
                let slow = try await StreamEnds(anna, berta)
                #expect(slow.other.transport == "simulated")
                #expect(await findings(berta).map(\.code) == ["tcp-unanswered"])
                #expect(await findings(berta).first?.reason.values["laptop"] == "anna")
                #expect(await codes(anna) == ["tcp-unreached"])
                #expect(await berta.service.counts["tcpFailures"] == 1)
                slow.close()
                tcp.works()
                let fast = try await StreamEnds(anna, berta)
                #expect(fast.other.transport == "tcp")
                #expect(await codes(berta).isEmpty)
                #expect(await codes(anna).isEmpty, "anna has seen it, too")
                #expect(await berta.service.counts["tcpFailures"] == 0)
                fast.close()
            }
        }

        @Test("Streams that this device no longer knows, as after its daemon was killed, cause no report about TCP")
        func ofAnotherDaemon() async throws {
            try await with { anna, berta, _ in
                try await anna.publish("note", streams: true)
                _ = try await berta.takeOver("note")
                let unknown = [UInt8](repeating: 7, count: 16)
                #expect(try await berta.attach(unknown, at: anna) == .reset(Reset(reason: .unknownToken)))
                #expect(await codes(anna).isEmpty)
            }
        }

        @Test("If a device has only addresses in other networks, the finding names that cause")
        func noRoute() async throws {
            try await with { anna, berta, tcp in
                tcp.isElsewhere()
                tcp.fail(by: .refused)
                let ends = try await StreamEnds(anna, berta)
                #expect(await codes(berta) == ["no-route"])
                ends.close()
            }
        }

        @Test("When this device joins another network, the failure is no longer reported")
        func moved() async throws {
            try await with { anna, berta, tcp in
                tcp.fail(by: .refused)
                let ends = try await StreamEnds(anna, berta)
                #expect(await codes(berta) == ["tcp-unanswered"])
                await berta.service.moved()
                #expect(await codes(berta).isEmpty)
                ends.close()
            }
        }

        @Test("A device that leaves the circle is no longer reported")
        func gone() async throws {
            try await with { anna, berta, tcp in
                tcp.fail(by: .refused)
                let ends = try await StreamEnds(anna, berta)
                _ = try await anna.service.removeDevice("berta")
                #expect(await anna.service.counts["tcpFailures"] == 0)
                ends.close()
            }
        }
    }
}

extension HandoffService {
    /// Announces the addresses again, as after a move to another network.
    fileprivate func moved() {
        reachability.told = []
        refreshToldEndpoints()
    }
}

/// Tests ``NetworkFailures`` alone.
struct NetworkFailuresTests {
    private var subject = NetworkFailures()

    private func found(at uptime: Duration = .zero) -> [Finding] { subject.findings(at: uptime, of: "sofa") }

    private func endpoint(_ address: String) -> Endpoint { Endpoint(transport: .tcp, address: address, port: 7) }

    @Test("At most three addresses are named, and only valid ones")
    mutating func addresses() {
        let told = [
            "192.0.2.1", "a\u{1B}[31m", String(repeating: "1", count: 46), "2001:db8::1", "192.0.2.2", "192.0.2.3",
        ]
        subject.unanswered(at: told.map(endpoint), isNearby: true, uptime: .zero)
        let addresses = Reason.Value.list(["192.0.2.1", "2001:db8::1", "192.0.2.2"])
        #expect(found() == [Finding(.tcpUnanswered, ["laptop": "sofa", "addresses": addresses])])
        subject.unanswered(at: [endpoint("x\ny")], isNearby: true, uptime: .zero)
        #expect(found() == [Finding(.tcpUnanswered, ["laptop": "sofa"])])
    }

    @Test("A failure is reported for an hour, or until the device has moved to another network")
    mutating func forgotten() {
        subject.unanswered(at: [endpoint("192.0.2.1")], isNearby: true, uptime: .zero)
        subject.unreached(at: .zero)
        #expect(found(at: .seconds(3_599)).count == 2)
        #expect(found(at: .seconds(3_600)).isEmpty)
        subject.moved()
        #expect(found().count == 1 && subject.count == 1)
    }

    private let isolated = [Finding(.networkIsolated, ["laptop": "sofa", "addresses": .list(["192.0.2.1"])])]

    @Test("A network that keeps the devices apart is reported instead of other failures, for an hour")
    mutating func apart() {
        subject.unanswered(at: [endpoint("192.0.2.1")], isNearby: true, uptime: .zero)
        subject.unreached(at: .zero)
        subject.isolated(at: [endpoint("192.0.2.1")], isLinkedByRadio: true, uptime: .zero)
        #expect(found(at: .seconds(3_599)) == isolated && subject.count == 3)
        #expect(found(at: .seconds(3_600)).isEmpty)
    }

    @Test("Without a link over the radio, the device must say within five minutes that it is still in the network")
    mutating func confirmed() {
        subject.isolated(at: [endpoint("192.0.2.1")], isLinkedByRadio: false, uptime: .zero)
        #expect(found().isEmpty)
        subject.confirmedByRadio(at: .seconds(300))
        #expect(found(at: .seconds(300)) == isolated)
        // A further failure neither takes the confirmation back nor prolongs the finding.
        subject.isolated(at: [endpoint("192.0.2.1")], isLinkedByRadio: false, uptime: .seconds(400))
        #expect(found(at: .seconds(3_599)) == isolated)
        #expect(found(at: .seconds(3_600)).isEmpty)
    }

    @Test("A device that reports after more than five minutes that it is in the network confirms nothing")
    mutating func confirmedLate() {
        subject.isolated(at: [endpoint("192.0.2.1")], isLinkedByRadio: false, uptime: .zero)
        subject.confirmedByRadio(at: .seconds(301))
        #expect(found(at: .seconds(301)).isEmpty && subject.count == 0)
        subject.confirmedByRadio(at: .seconds(302))
        #expect(found(at: .seconds(302)).isEmpty)
    }

    @Test(
        "Nothing is reported after anything has passed between the devices, or the device has moved", arguments: 0..<4)
    mutating func passed(by way: Int) {
        subject.isolated(at: [endpoint("192.0.2.1")], isLinkedByRadio: true, uptime: .zero)
        switch way {
        case 0: subject.answered()
        case 1: subject.reached()
        case 2: subject.moved()
        default: subject.passedAnything()
        }
        #expect(found().isEmpty && subject.count == 0)
    }
}
