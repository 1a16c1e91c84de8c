// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import L2CAP
import Testing

@testable import BlueZTransport

/// Identifiers that the peer's kernel believes to be in use (Decisions/0009-identifiers-in-use.md).
@Suite struct SimultaneousDialsTests {
    private var subject = SimultaneousDials()

    @Test("After each refusal one more dial starts at once, up to six")
    mutating func refusedDial() {
        let refusal = L2CAPError(errno: ECONNREFUSED, "connect")
        var dials = [subject.count]
        while subject.goesOn(after: refusal) { dials.append(subject.count) }
        #expect(dials == [1, 2, 3, 4, 5, 6])
    }

    @Test("Any failure but a refusal is final", arguments: [ETIMEDOUT, EHOSTDOWN, EMFILE])
    mutating func anyOtherFailureIsFinal(_ errno: CInt) {
        #expect(subject.goesOn(after: L2CAPError(errno: errno, "connect")) == false)
        #expect(subject.goesOn(after: L2CAPError(.timedOut, "connect")) == false)
    }
}
