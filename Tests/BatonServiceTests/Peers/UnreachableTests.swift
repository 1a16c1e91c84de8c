// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Testing

@testable import BatonService

/// Tests the errors for a device that could not be reached.
@Suite struct UnreachableTests {
    @Test("If no descriptor is free, a dial fails with an error that says so, and does not count as an attempt")
    func withoutDescriptors() {
        let error = HandoffError(unreachableBy: TransportError(.resourceExhausted, "socket: EMFILE"))
        #expect(error.reason.failure == .descriptorsUsedUp)
        #expect(error.cause?.contains("EMFILE") == true)
        #expect(error.isUntried && !error.isUnanswered && !error.isHangUp)
    }

    @Test("A dial that was cancelled here is not reported as a device that does not answer")
    func givenUpHere() {
        let error = HandoffError(unreachableBy: CancellationError())
        #expect(error.reason.failure == .attemptStopped && error.cause == nil)
        #expect(error.isUntried && !error.isUnanswered && !error.isHangUp)
    }

    @Test("A device that does not answer counts as tried")
    func unanswered() {
        let error = HandoffError(unreachableBy: TransportError(.unreachable, "no answer"))
        #expect(error.reason.failure == .unanswered)
        #expect(error.isUnanswered && !error.isUntried)
    }
}
