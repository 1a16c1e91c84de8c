// SPDX-License-Identifier: Apache-2.0

/// Why the service could not do what an app or the user asked.
public struct ServiceError: Error, Hashable, Sendable {
    /// The kinds of failure; more may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's stable name.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// An argument that can never be right.
        public static let invalidArgument = Code("invalid argument")
        /// An activity, offer, continuation or device that is not there (any more).
        public static let notFound = Code("not found")
        /// The device belongs to no circle yet.
        public static let noCircle = Code("no circle")
        /// The device already belongs to a circle.
        public static let alreadyInCircle = Code("already in a circle")
        /// The hand-over failed (CocoaError.userActivityHandoffFailed).
        public static let handoffFailed = Code("handoff failed")
        /// The other device cannot be reached (CocoaError.userActivityConnectionUnavailable).
        public static let connectionUnavailable = Code("connection unavailable")
        /// The other device's app did not answer in time
        /// (CocoaError.userActivityRemoteApplicationTimedOut).
        public static let remoteApplicationTimedOut = Code("remote application timed out")
        /// userInfo is above 64 KB (CocoaError.userActivityHandoffUserInfoTooLarge).
        public static let userInfoTooLarge = Code("userInfo too large")
        /// The user called it off.
        public static let userCancelled = Code("user cancelled")
        /// A limit was reached.
        public static let limitReached = Code("limit reached")
        /// An invitation that is malformed, over, used or not known.
        public static let invitationInvalid = Code("invitation invalid")
        /// Two devices were not paired.
        public static let pairingFailed = Code("pairing failed")
        /// The state file cannot be used.
        public static let stateUnusable = Code("state unusable")
        /// Another service uses the state directory.
        public static let stateInUse = Code("state in use")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What failed and what to do, in one line.
    public var message: String

    /// A failure.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension ServiceError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
