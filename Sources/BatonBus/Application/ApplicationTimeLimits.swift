// SPDX-License-Identifier: Apache-2.0

/// The time limits for an app's answers to the daemon.
public struct ApplicationTimeLimits: Hashable, Sendable {
    /// The time from the app's start until it is on the bus.
    public var start = Duration.seconds(30)
    /// The time to answer `WillContinue`. After this time, Baton itself shows that a continuation
    /// is in progress.
    public var willContinue = Duration.seconds(5)
    /// The time to answer `Continue`, which is long enough for opening a document.
    public var continueActivity = Duration.seconds(60)
    /// The time to answer `DidFail`. After this time, Baton itself shows the error.
    public var didFail = Duration.seconds(5)

    /// Creates the limits that Documentation/DBus/Application.md states.
    public init() {}

    /// The sum of all limits.
    public var all: Duration { start + willContinue + continueActivity + didFail }
}
