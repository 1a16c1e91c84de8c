// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Foundation's name on Linux.
public typealias NSUserActivity = UserActivity
/// Foundation's name on Linux.
public typealias NSUserActivityDelegate = UserActivityDelegate
/// UIKit's name on Linux.
public typealias UIUserActivityRestoring = UserActivityRestoring
/// AppKit's name on Linux.
public typealias NSUserActivityRestoring = UserActivityRestoring
/// Foundation's name on Linux: a plain string.
public typealias NSUserActivityPersistentIdentifier = String

/// The type of an activity that is a web page, which the browser had open.
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"
/// The name that ``NSUserActivityTypeBrowsingWeb`` had at first.
@available(*, deprecated, renamed: "NSUserActivityTypeBrowsingWeb")
public let NSUserActivityTypeContinuingFromWebBrowser = NSUserActivityTypeBrowsingWeb
/// The type of an activity that stands for an item of Core Spotlight's index. Baton has no such
/// index and makes none of these: what its search finds comes back with its own type.
public let CSSearchableItemActionType = "com.apple.corespotlightitem"
/// The key in userInfo under which such an activity has the item's identifier.
public let CSSearchableItemActivityIdentifier = "kCSSearchableItemActivityIdentifier"
/// Foundation's name for ``UserActivityDocumentURLKey``, on Linux.
public let NSUserActivityDocumentURLKey = UserActivityDocumentURLKey

extension UserActivity {
    /// The URL of the document that this activity is about, if it is about one.
    public var documentURL: URL? {
        guard case .url(let url)? = currentState.userInfo[.string(UserActivityDocumentURLKey)] else { return nil }
        return url
    }
}
