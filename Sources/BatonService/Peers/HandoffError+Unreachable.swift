// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis

extension HandoffError {
    /// Creates an error that says why a device could not be reached and what the user can do.
    ///
    /// - Parameter failure: The error of the most important dial, or nil if there is none.
    init(unreachableBy failure: (any Error)?) {
        if let failure = failure as? HandoffError {
            self = failure
            return
        }
        if failure is CancellationError {
            self.init(.connectionUnavailable, .attemptStopped)
            isUntried = true
            return
        }
        if let failure = failure as? TransportError, failure.code == .resourceExhausted {
            self.init(.connectionUnavailable, .descriptorsUsedUp, cause: "\(failure)")
            isUntried = true
            return
        }
        let isHangUp = if case ChannelFailure.refused? = failure { true } else { false }
        self.init(.connectionUnavailable, isHangUp ? .hungUp : .unanswered, cause: failure.map { "\($0)" })
        self.isHangUp = isHangUp
        isUnanswered =
            switch failure {
            case ChannelFailure.timedOut?: true
            case let failure as TransportError: [.unreachable, .missed].contains(failure.code)
            default: false
            }
    }
}
