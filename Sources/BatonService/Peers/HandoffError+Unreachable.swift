// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

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
            self.init(
                .connectionUnavailable, "it was given up here: this device left the circle, or batond is stopping")
            isUntried = true
            return
        }
        if let failure = failure as? TransportError, failure.code == .resourceExhausted {
            self.init(
                .connectionUnavailable, "no file descriptor is free here; end some streams and try again",
                cause: "\(failure)")
            isUntried = true
            return
        }
        let isHangUp = if case ChannelFailure.refused? = failure { true } else { false }
        self.init(
            .connectionUnavailable,
            isHangUp
                ? "the other device is there, and hangs up: it is busy, has just ended, or does not have this device in its circle any more; see 'baton devices' on both"
                : "the other device does not answer; bring it nearer and try again",
            cause: failure.map { "\($0)" })
        self.isHangUp = isHangUp
        isUnanswered =
            switch failure {
            case ChannelFailure.timedOut?: true
            case let failure as TransportError: failure.code == .unreachable
            default: false
            }
    }
}
