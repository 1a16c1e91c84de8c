// SPDX-License-Identifier: Apache-2.0

/// The options of `Offers.Open`.
public struct OpenOptions: Hashable, Sendable {
    /// The app that continues the offer, or `nil` to let the daemon choose.
    public var application: String?
    /// The desktop's activation token, which lets the app's window come to the front, as the caller
    /// received it.
    public var activationToken: String?
    /// How long the other device may take, or `nil` to let the daemon choose.
    public var timeout: Duration?

    /// Creates options.
    public init(application: String? = nil, activationToken: String? = nil, timeout: Duration? = nil) {
        self.application = application
        self.activationToken = activationToken
        self.timeout = timeout
    }
}

/// The program that took an activity over: the answer of `Offers.Open`.
public enum OpenedOffer: Hashable, Sendable {
    /// An app with this id.
    case application(String)
    /// The default browser, which opens this address.
    case webpage(String)
}
