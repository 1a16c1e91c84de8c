// SPDX-License-Identifier: Apache-2.0

public import UserActivity

// Names of UIKit and AppKit that code for activities uses: the compiler says what stands in their
// place.

/// ``Application``.
@available(*, unavailable, renamed: "Application")
public typealias UIApplication = Application
/// ``Application``.
@available(*, unavailable, renamed: "Application")
public typealias NSApplication = Application
/// ``ApplicationDelegate``.
@available(*, unavailable, renamed: "ApplicationDelegate")
public typealias UIApplicationDelegate = ApplicationDelegate
/// ``ApplicationDelegate``.
@available(*, unavailable, renamed: "ApplicationDelegate")
public typealias NSApplicationDelegate = ApplicationDelegate
/// ``ApplicationDelegate``: Baton has no scenes.
@available(
    *, unavailable,
    message: "Baton has no scenes: adopt ApplicationDelegate, with application(_:continue:restorationHandler:)"
)
public typealias UISceneDelegate = ApplicationDelegate
/// ``ApplicationDelegate``: Baton has no scenes.
@available(
    *, unavailable,
    message: "Baton has no scenes: adopt ApplicationDelegate, with application(_:continue:restorationHandler:)"
)
public typealias UIWindowSceneDelegate = ApplicationDelegate
/// ``Application``: Baton has no scenes.
@available(
    *, unavailable,
    message: "Baton has no scenes: write application(_:continue:restorationHandler:) in an ApplicationDelegate"
)
public typealias UIScene = Application
/// `UserActivityResponder`, a protocol.
@available(*, unavailable, message: "adopt the protocol UserActivityResponder, without override and super")
public typealias UIResponder = UserActivityResponder
/// `UserActivityResponder`, a protocol.
@available(*, unavailable, message: "adopt the protocol UserActivityResponder, without override and super")
public typealias NSResponder = UserActivityResponder
