// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import L2CAP
import Testing

@testable import BlueZTransport

/// Tests dials that fail because the peer's kernel believes an identifier to be in use
/// (Decisions/0009-identifiers-in-use.md).
@Suite struct SimultaneousDialsTests {
    private var subject = SimultaneousDials()

    @Test("After each refusal one more dial starts at once, up to six")
    mutating func refusedDial() {
        let refusal = L2CAPError(errno: ECONNREFUSED, "connect")
        var dials = [subject.count]
        while subject.goesOn(after: refusal, took: .zero) { dials.append(subject.count) }
        #expect(dials == [1, 2, 3, 4, 5, 6])
    }

    @Test("After an answer that this side's kernel ignored, six dials start at once, but only once")
    mutating func ignoredAnswer() {
        let reset = L2CAPError(errno: ECONNRESET, "connect")
        #expect(subject.goesOn(after: reset, took: .seconds(3)) && subject.count == 6)
        #expect(subject.goesOn(after: reset, took: .seconds(3)) == false)
    }

    @Test("A peer that closes the channel at once is not dialled six times")
    mutating func refusedAtOnce() {
        #expect(subject.goesOn(after: L2CAPError(errno: ECONNRESET, "connect"), took: .milliseconds(100)) == false)
    }

    @Test("A dial that fails for another reason is not repeated", arguments: [ETIMEDOUT, EHOSTDOWN, EMFILE])
    mutating func anyOtherFailureIsFinal(_ errno: CInt) {
        #expect(subject.goesOn(after: L2CAPError(errno: errno, "connect"), took: .seconds(3)) == false)
        #expect(subject.goesOn(after: L2CAPError(.timedOut, "connect"), took: .seconds(3)) == false)
    }
}
