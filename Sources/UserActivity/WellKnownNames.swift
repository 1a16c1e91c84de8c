// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Foundation's name for ``UserActivity``.
public typealias NSUserActivity = UserActivity
/// Foundation's name for ``UserActivityDelegate``.
public typealias NSUserActivityDelegate = UserActivityDelegate
/// UIKit's name for ``UserActivityRestoring``.
public typealias UIUserActivityRestoring = UserActivityRestoring
/// AppKit's name for ``UserActivityRestoring``.
public typealias NSUserActivityRestoring = UserActivityRestoring
/// Foundation's name for the type of a persistent identifier, here a plain string.
public typealias NSUserActivityPersistentIdentifier = String

/// The type of an activity for a web page that was open in the browser.
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"
/// The former name of ``NSUserActivityTypeBrowsingWeb``.
@available(*, deprecated, renamed: "NSUserActivityTypeBrowsingWeb")
public let NSUserActivityTypeContinuingFromWebBrowser = NSUserActivityTypeBrowsingWeb
/// The type of an activity that stands for an item of Core Spotlight's index.
///
/// Baton has no such index and creates no such activity. An activity that Baton's search finds
/// keeps its own type.
public let CSSearchableItemActionType = "com.apple.corespotlightitem"
/// The key in userInfo for the identifier of a ``CSSearchableItemActionType`` item.
public let CSSearchableItemActivityIdentifier = "kCSSearchableItemActivityIdentifier"
/// Foundation's name for ``UserActivityDocumentURLKey``.
public let NSUserActivityDocumentURLKey = UserActivityDocumentURLKey

extension UserActivity {
    /// The URL of the document that this activity is about, or nil.
    public var documentURL: URL? {
        guard case .url(let url)? = currentState.userInfo[.string(UserActivityDocumentURLKey)] else { return nil }
        return url
    }
}
