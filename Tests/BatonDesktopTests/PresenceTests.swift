// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Foundation
import Testing

@testable import BatonDesktop

/// Tests whether the user is present, and when a pause ends.
@Suite struct PresenceTests {
    private var presence = Presence()
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    @Test("A pause ends by the wall clock, which runs in suspend and is therefore checked every half minute")
    mutating func pauseEnds() {
        presence.setPause(Pause(until: start + 100), at: .zero, start)
        #expect(presence.deadline == .seconds(30))
        #expect(presence.timePassed(at: .seconds(29), start + 200) == false)
        #expect(presence.timePassed(at: .seconds(30), start + 95) == false)
        #expect(presence.deadline == .seconds(35) && presence.isPaused)
        #expect(presence.timePassed(at: .seconds(35), start + 100) == true)
        #expect(presence.deadline == nil && !presence.isPaused)
    }

    @Test("A remembered pause continues, and ends at once if its time has passed")
    mutating func remembered() {
        let memory = PauseMemory()
        memory.current = Pause(until: start)
        presence = Presence(memory: memory)
        #expect(presence.isPaused)
        presence.setPause(presence.pause, at: .seconds(5), start + 1)
        #expect(presence.deadline == .seconds(5))
        #expect(presence.timePassed(at: .seconds(5), start + 1) == true)
        #expect(memory.current == nil)
    }

    @Test("A pause that ended elsewhere leaves no deadline behind")
    mutating func endedElsewhere() {
        let memory = PauseMemory()
        presence = Presence(memory: memory)
        presence.setPause(Pause(until: start + 10), at: .zero, start)
        memory.current = nil
        #expect(presence.timePassed(at: .seconds(10), start + 10) == false)
        #expect(presence.deadline == nil)
    }
}
