// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Foundation
import Testing
import UserInfoJSON

@testable import baton

/// Tests for which changes `baton status --watch` prints a new status.
@Suite struct StatusWatchTests {
    @Test("Changes of the counts, and of the time when a device was last seen, do not count as changes")
    func time() {
        func node(_ count: Int, _ seen: Double, name: String = "sofa") -> JSONNode {
            Status.node(
                DaemonStatus(
                    version: "1", radio: "simulated", radioCondition: "ready", adapters: [],
                    device: "aa",
                    deviceName: "desk",
                    members: [CircleMember(device: "bb", name: name, lastSeen: Date(timeIntervalSince1970: seen))],
                    tcp: false, endpoints: [], counts: ["offers": count]))
        }
        let before = node(1, 1_000)
        #expect(before != node(2, 2_000))
        #expect(StatusWatch.news(in: before) == StatusWatch.news(in: node(2, 2_000)))
        #expect(StatusWatch.news(in: before) != StatusWatch.news(in: node(1, 1_000, name: "lap")))
    }
}
