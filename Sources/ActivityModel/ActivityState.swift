// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The properties of an activity that are sent from one device to another.
///
/// Baton reads them after the app has handled `willSave`. The table in
/// `Documentation/Protocol/Session.md` says how each one is encoded.
public struct ActivityState: Hashable, Codable, Sendable {
    /// The type of an activity for a web page: Foundation's `NSUserActivityTypeBrowsingWeb`.
    package static let browsingWeb = "NSUserActivityTypeBrowsingWeb"

    /// The kind of the activity.
    ///
    /// The kind is a non-empty string of visible characters and at most 255 UTF-8 bytes, preferably
    /// in reverse-DNS form.
    public var activityType: String
    /// The name of the activity that users see.
    public var title: String?
    /// The state that the other device needs to continue the activity.
    public var userInfo: UserInfo
    /// A web page that shows the same content, with the scheme `http` or `https`.
    public var webpageURL: URL?
    /// The page that led to ``webpageURL``.
    public var referrerURL: URL?
    /// The date after which the activity is no longer offered.
    public var expirationDate: Date?
    /// The keys of ``userInfo`` without which the activity makes no sense.
    public var requiredUserInfoKeys: Set<String>
    /// The part of the app's content that the activity is about.
    public var targetContentIdentifier: String?
    /// The app's own name for this activity.
    public var persistentIdentifier: String?
    /// Whether the continuing app may ask for a pair of streams.
    public var supportsContinuationStreams: Bool

    /// Creates the state of an activity of a type. The other properties have their defaults.
    public init(activityType: String, title: String? = nil, userInfo: UserInfo = [:], webpageURL: URL? = nil) {
        self.activityType = activityType
        self.title = title
        self.userInfo = userInfo
        self.webpageURL = webpageURL
        referrerURL = nil
        expirationDate = nil
        requiredUserInfoKeys = []
        targetContentIdentifier = nil
        persistentIdentifier = nil
        supportsContinuationStreams = false
    }
}
