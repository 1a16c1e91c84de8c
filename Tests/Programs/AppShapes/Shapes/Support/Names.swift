// SPDX-License-Identifier: Apache-2.0

// What an app for Apple's systems writes once: its other files name no module of Baton's.
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
