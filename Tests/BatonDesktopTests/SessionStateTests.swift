// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonDesktop

@Suite struct SessionStateTests {
    @Test(
        "Only another user's session in the foreground makes a difference",
        arguments: [
            // No user is at a screen. Only a session in the background makes a difference.
            ("active", [], true), ("online", [], false), ("lingering", [], true), ("opening", [], true),
            (nil, [], true), (nil, [.nobody], true), ("lingering", [.nobody], true),
            // The user's own session is behind the login screen.
            ("online", [.nobody], false),
            // Another user's session is in the foreground, whatever session this user has, such as
            // one over ssh.
            ("active", [.another], false), ("lingering", [.another], false), (nil, [.another], false),
            ("online", [.nobody, .another], false),
            // The user's own session is on one of several seats.
            ("active", [.own], true), ("active", [.another, .own], true), (nil, [.own], true),
        ] as [(String?, [SessionState.Foreground], Bool)])
    func anotherInForeground(user: String?, seats: [SessionState.Foreground], isActive: Bool) {
        #expect(SessionState(user: user, seats: seats, lockedHint: nil).isActive == isActive)
    }

    @Test("The screen is locked if logind reports that")
    func lockedByLogind() {
        #expect(SessionState(user: "active", seats: [.own], lockedHint: true).isLocked)
        #expect(!SessionState(user: "active", seats: [.own], lockedHint: nil).isLocked)
    }
}
