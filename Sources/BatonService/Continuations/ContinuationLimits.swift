// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// How much may be continued at once, and for how long.
enum ContinuationLimits {
    /// How many continuations an app may have that it has yet to accept, with all its connections
    /// (``ContinuedActivity/maximumPerClient`` with one); and so many that were accepted stay
    /// within its reach for streams.
    static let perProgram = 32
    /// How many of one device's activities an app may have that it has yet to accept: half the
    /// requests that a device answers at once, so that others' hand-overs find one.
    static let perDevice = Session.Limits().requests / 2
    /// How many all programs together may have, and have within reach.
    static let total = 256
    /// How long the app here may take to accept what was fetched. It may have to be started, and to
    /// open a document; the session to the other device waits as long.
    static let acceptance = Session.Limits().report
    /// How long an activity stays within reach for streams after it was continued, current or not.
    static let reachableAfterwards = Duration.seconds(60)
}
