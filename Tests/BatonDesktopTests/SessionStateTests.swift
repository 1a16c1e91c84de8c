// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonDesktop

@Suite struct SessionStateTests {
    @Test(
        "Only another user's session in the foreground makes a difference",
        arguments: [
            // Nobody at any screen: only a session in the background makes a difference.
            ("active", [], true), ("online", [], false), ("lingering", [], true), ("opening", [], true),
            (nil, [], true), (nil, [.nobody], true), ("lingering", [.nobody], true),
            // Behind the login screen.
            ("online", [.nobody], false),
            // Another user's session in the foreground, whatever the own user has: by ssh, or
            // nothing at all.
            ("active", [.another], false), ("lingering", [.another], false), (nil, [.another], false),
            ("online", [.nobody, .another], false),
            // The own, on one of several seats.
            ("active", [.own], true), ("active", [.another, .own], true), (nil, [.own], true),
        ] as [(String?, [SessionState.Foreground], Bool)])
    func anotherInForeground(
        user: String?, seats: [SessionState.Foreground], isActive: Bool
    ) {
        #expect(SessionState(user: user, seats: seats, lockedHint: nil).isActive == isActive)
    }

    @Test("The screen is locked when logind says so")
    func lockedByLogind() {
        #expect(SessionState(user: "active", seats: [.own], lockedHint: true).isLocked)
        #expect(!SessionState(user: "active", seats: [.own], lockedHint: nil).isLocked)
    }
}
