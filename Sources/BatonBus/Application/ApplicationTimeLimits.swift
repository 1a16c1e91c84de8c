// SPDX-License-Identifier: Apache-2.0

/// How long an app may take for each thing that is asked of it.
public struct ApplicationTimeLimits: Hashable, Sendable {
    /// To be on the bus, from its start.
    public var start = Duration.seconds(30)
    /// To answer `WillContinue`; after that Baton shows what is under way.
    public var willContinue = Duration.seconds(5)
    /// To answer `Continue`: a document may have to be opened.
    public var continueActivity = Duration.seconds(60)
    /// To answer `DidFail`; after that Baton shows the error.
    public var didFail = Duration.seconds(5)

    /// The limits that Documentation/DBus/Application.md states.
    public init() {}

    /// All of them, one after the other.
    public var all: Duration { start + willContinue + continueActivity + didFail }
}
