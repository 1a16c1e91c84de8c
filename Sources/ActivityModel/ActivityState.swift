// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The properties of an activity that travel from one device to another, all read after the app's
/// `willSave`.
///
/// The table in `Documentation/Protocol/Session.md` says how each is carried.
public struct ActivityState: Hashable, Codable, Sendable {
    /// The type of an activity that is a web page, which the browser had open: Foundation's
    /// `NSUserActivityTypeBrowsingWeb`.
    package static let browsingWeb = "NSUserActivityTypeBrowsingWeb"

    /// What kind of activity this is: any non-empty string to 255 UTF-8 bytes, reverse-DNS by
    /// recommendation.
    public var activityType: String
    /// A name to show to the user.
    public var title: String?
    /// The state that the other device needs to continue.
    public var userInfo: UserInfo
    /// A web page that shows the same thing; `http` or `https` only.
    public var webpageURL: URL?
    /// The page that led to ``webpageURL``.
    public var referrerURL: URL?
    /// After this date the activity is no longer offered.
    public var expirationDate: Date?
    /// The keys of ``userInfo`` without which the activity makes no sense.
    public var requiredUserInfoKeys: Set<String>
    /// Which part of an app's content this is about.
    public var targetContentIdentifier: String?
    /// The app's own name for this very activity.
    public var persistentIdentifier: String?
    /// Whether the continuing app may ask for a pair of streams.
    public var supportsContinuationStreams: Bool

    /// An activity of a type, with nothing else set.
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
