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
/// ``ApplicationSceneDelegate``.
@available(*, unavailable, renamed: "ApplicationSceneDelegate")
public typealias UISceneDelegate = ApplicationSceneDelegate
/// ``ApplicationSceneDelegate``.
@available(*, unavailable, renamed: "ApplicationSceneDelegate")
public typealias UIWindowSceneDelegate = ApplicationSceneDelegate
/// ``ApplicationScene``.
@available(*, unavailable, renamed: "ApplicationScene")
public typealias UIScene = ApplicationScene
/// ``ApplicationScene``.
@available(*, unavailable, renamed: "ApplicationScene")
public typealias UIWindowScene = ApplicationScene
/// ``ApplicationSceneSession``.
@available(*, unavailable, renamed: "ApplicationSceneSession")
public typealias UISceneSession = ApplicationSceneSession
/// `UserActivityResponder`, a protocol.
@available(*, unavailable, message: "adopt the protocol UserActivityResponder, without override and super")
public typealias UIResponder = UserActivityResponder
/// `UserActivityResponder`, a protocol.
@available(*, unavailable, message: "adopt the protocol UserActivityResponder, without override and super")
public typealias NSResponder = UserActivityResponder
