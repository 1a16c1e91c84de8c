// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Testing

@testable import baton

/// Tests when `baton doctor` finds that no transport works.
@Suite struct WayByTCPTests {
    private let others = ["bb", "cc"].map { CircleMember(device: $0, name: $0) }

    private func status(_ condition: String, tcp: Bool = true, findings: [Finding] = []) -> DaemonStatus {
        DaemonStatus(
            radio: "bluez", radioCondition: condition, device: "aa", deviceName: "desk", circle: "cc",
            members: [CircleMember(device: "aa", name: "desk", isThisDevice: true)] + others, tcp: tcp,
            findings: findings)
    }

    private func codes(_ status: DaemonStatus, answering: Set<String> = []) async -> [String] {
        await WayByTCP.findings(of: status) { answering.contains($0.device) }.map(\.code)
    }

    @Test(
        "If Bluetooth is off or absent and no device answers over TCP, that is found",
        arguments: ["off", "absent", "unavailable"])
    func nobodyAnswers(condition: String) async {
        #expect(await codes(status(condition)) == ["unreachable"])
        #expect(await codes(status(condition), answering: ["cc"]) == [])
        #expect(await codes(status(condition, tcp: false), answering: ["cc"]) == ["unreachable"])
        var linked = status(condition)
        linked.members[2].transports = ["tcp"]
        #expect(await codes(linked) == [])
    }

    @Test("A simulated radio that replaces a missing one does not count as a radio")
    func simulated() async {
        let simulated = status("ready", findings: [Finding(.radioSimulated)])
        #expect(await codes(simulated) == ["unreachable"])
    }

    @Test("While Bluetooth is on, unreachable laptops give no finding, and neither does a circle of one")
    func nothingWrong() async {
        #expect(await codes(status("ready")) == [])
        // A daemon of an older version reports no condition.
        #expect(await codes(status("")) == [])
        var alone = status("off")
        alone.members.removeLast(2)
        #expect(await codes(alone) == [])
    }
}
