// SPDX-License-Identifier: Apache-2.0

/// How long an app may take for each thing that is asked of it.
public enum ApplicationTimeLimit {
    /// To be on the bus, from its start.
    public static let start = Duration.seconds(30)
    /// To answer `WillContinue`; after that Baton shows what is under way.
    public static let willContinue = Duration.seconds(5)
    /// To answer `Continue`: a document may have to be opened.
    public static let continueActivity = Duration.seconds(60)
    /// To answer `DidFail`; after that Baton shows the error.
    public static let didFail = Duration.seconds(5)
    /// All of them, one after the other.
    public static let all = start + willContinue + continueActivity + didFail
}
