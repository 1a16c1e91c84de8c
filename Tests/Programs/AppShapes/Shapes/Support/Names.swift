// SPDX-License-Identifier: Apache-2.0

// An app for Apple's systems needs these names once. Its other files name no module of Baton.
@_exported import Baton
@_exported import Foundation
@_exported import UserActivity

typealias UIApplication = Application
typealias UIApplicationDelegate = ApplicationDelegate
typealias NSApplication = Application
typealias NSApplicationDelegate = ApplicationDelegate
typealias UIScene = ApplicationScene
typealias UISceneSession = ApplicationSceneSession
typealias UIWindowSceneDelegate = ApplicationSceneDelegate
