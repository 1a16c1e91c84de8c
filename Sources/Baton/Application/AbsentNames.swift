// SPDX-License-Identifier: Apache-2.0

public import UserActivity

// The names in UIKit and AppKit that apps use for activities. If code uses one of them, the
// compiler's error names Baton's replacement.

/// Use ``Application``.
@available(*, unavailable, renamed: "Application")
public typealias UIApplication = Application
/// Use ``Application``.
@available(*, unavailable, renamed: "Application")
public typealias NSApplication = Application
/// Use ``ApplicationDelegate``.
@available(*, unavailable, renamed: "ApplicationDelegate")
public typealias UIApplicationDelegate = ApplicationDelegate
/// Use ``ApplicationDelegate``.
@available(*, unavailable, renamed: "ApplicationDelegate")
public typealias NSApplicationDelegate = ApplicationDelegate
/// Use ``ApplicationSceneDelegate``.
@available(*, unavailable, renamed: "ApplicationSceneDelegate")
public typealias UISceneDelegate = ApplicationSceneDelegate
/// Use ``ApplicationSceneDelegate``.
@available(*, unavailable, renamed: "ApplicationSceneDelegate")
public typealias UIWindowSceneDelegate = ApplicationSceneDelegate
/// Use ``ApplicationScene``.
@available(*, unavailable, renamed: "ApplicationScene")
public typealias UIScene = ApplicationScene
/// Use ``ApplicationScene``.
@available(*, unavailable, renamed: "ApplicationScene")
public typealias UIWindowScene = ApplicationScene
/// Use ``ApplicationSceneSession``.
@available(*, unavailable, renamed: "ApplicationSceneSession")
public typealias UISceneSession = ApplicationSceneSession
/// Use the protocol `UserActivityResponder`.
@available(*, unavailable, message: "adopt the protocol UserActivityResponder, without override and super")
public typealias UIResponder = UserActivityResponder
/// Use the protocol `UserActivityResponder`.
@available(*, unavailable, message: "adopt the protocol UserActivityResponder, without override and super")
public typealias NSResponder = UserActivityResponder
