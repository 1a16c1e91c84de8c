// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonDesktop

@Suite struct SessionStateTests {
    @Test(
        arguments: [
            ("active", true), ("online", false), ("lingering", true), ("opening", true), (nil, true),
        ] as [(String?, Bool)])
    func onlyAnotherUsersSessionInTheForegroundMakesADifference(user: String?, isActive: Bool) {
        #expect(SessionState(user: user, lockedHint: nil).isActive == isActive)
    }

    @Test func screenIsLockedWhenLogindSaysSo() {
        #expect(SessionState(user: "active", lockedHint: true).isLocked)
        #expect(!SessionState(user: "active", lockedHint: nil).isLocked)
    }
}
