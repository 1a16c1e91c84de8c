// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The limits on how much may be continued at once, and for how long.
enum ContinuationLimits {
    /// How many unaccepted continuations one app may have, with all its connections.
    ///
    /// One connection may have ``ContinuedActivity/maximumPerClient``. The same number of accepted
    /// ones stays available to the app for streams.
    static let perProgram = 32
    /// How many of one device's activities an app may have yet to accept.
    ///
    /// This is half the requests that a device answers at once, so that other apps' hand-overs have
    /// room.
    static let perDevice = Session.Limits().requests / 2
    /// How many continuations all programs together may have yet to accept, and have within reach.
    static let total = 256
    /// How long the app here may take to accept a fetched activity.
    ///
    /// The app may have to start and open a document. The session to the other device waits as
    /// long.
    static let acceptance = Session.Limits().report
    /// How long streams can be opened to an activity after it was continued, whether or not it is
    /// still current.
    static let reachableAfterwards = Duration.seconds(60)
}
