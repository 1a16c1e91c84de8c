// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import L2CAP
import Testing

@testable import BlueZTransport

/// Identifiers that the peer's kernel holds for taken (Decisions/0009-identifiers-in-use.md).
@Suite struct DialPlanTests {
    private var plan = DialPlan()

    @Test mutating func aRefusedDialIsMadeAgainBesideOneMoreUpToSix() {
        let refusal = L2CAPError(errno: ECONNREFUSED, "connect")
        var dials = [plan.dials]
        while plan.goesOn(after: refusal) { dials.append(plan.dials) }
        #expect(dials == [1, 2, 3, 4, 5, 6])
    }

    @Test(arguments: [ETIMEDOUT, EHOSTDOWN, EMFILE])
    mutating func anyOtherFailureIsFinal(_ errno: CInt) {
        #expect(plan.goesOn(after: L2CAPError(errno: errno, "connect")) == false)
        #expect(plan.goesOn(after: L2CAPError(.timedOut, "connect")) == false)
    }
}
