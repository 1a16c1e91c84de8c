// SPDX-License-Identifier: Apache-2.0

import Testing

/// Tests random schedules of a program, its app and a daemon.
///
/// ``PublicationWorld`` checks these rules: one call runs at a time, nothing is published after the
/// end, each request is answered once, and no queue grows. At rest the daemon has the activity that
/// the app wants to publish.
@Suite(.timeLimit(.minutes(5))) struct PublicationScheduleTests {
    @Test("In any order of events the daemon finally learns what the app publishes", arguments: [false, true])
    func anyOrder(hasFaults: Bool) {
        for seed in 0..<UInt64(300) {
            var world = PublicationWorld(seed: seed, hasFaults: hasFaults)
            do {
                try world.run(actions: 120)
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }
}
