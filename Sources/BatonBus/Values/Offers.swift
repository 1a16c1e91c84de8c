// SPDX-License-Identifier: Apache-2.0

/// How an offer is to be opened: the options of `Offers.Open`.
public struct OpenOptions: Hashable, Sendable {
    /// The app that is to continue it; `nil` leaves the choice to the daemon.
    public var application: String?
    /// What lets the app's window come to the front, as the desktop gave it to the caller.
    public var activationToken: String?
    /// How long the other device may take; `nil` leaves it to the daemon.
    public var timeout: Duration?

    /// Options.
    public init(application: String? = nil, activationToken: String? = nil, timeout: Duration? = nil) {
        self.application = application
        self.activationToken = activationToken
        self.timeout = timeout
    }
}

/// Who took an activity over: the answer of `Offers.Open`.
public enum OpenedOffer: Hashable, Sendable {
    /// An app, by its id.
    case application(String)
    /// The default browser, with this address.
    case webpage(String)
}
