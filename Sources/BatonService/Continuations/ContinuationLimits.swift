// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The limits on how much may be continued at once, and for how long.
enum ContinuationLimits {
    /// The maximum number of unaccepted continuations of one app, over all its connections.
    ///
    /// One connection may have at most ``ContinuedActivity/maximumPerClient``. The same number of
    /// accepted continuations of the app stay available for streams.
    static let perProgram = 32
    /// The maximum number of one device's activities that an app may have fetched without
    /// accepting them.
    ///
    /// This is half the requests that a device answers at once, so that other apps' hand-overs have
    /// room.
    static let perDevice = Session.Limits().requests / 2
    /// The maximum number of unaccepted continuations of all programs together. The same number of
    /// accepted continuations stay available for streams.
    static let total = 256
    /// How long this device's app may take to accept a fetched activity.
    ///
    /// The app may have to start and open a document. The other device waits for the report just as
    /// long.
    static let acceptance = Session.Limits().report
    /// How long streams can be opened to an activity after another device continued it, whether or
    /// not the activity is still current.
    static let reachableAfterwards = Duration.seconds(60)
}
