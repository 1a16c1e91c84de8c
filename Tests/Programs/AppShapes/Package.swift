// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The shapes of apps in the modes that Baton's own package does not have: Swift 5, and the main
// actor as the default isolation. Baton's package has the same shapes in Swift 6 mode, as
// `app-shapes`. `make test` does not build this package. `run` builds and runs its two programs.
// Each directory below `Modes` is a link to `Shapes`, because a package may name a directory for
// one target only.
func shapes(_ name: String, _ mode: SwiftSetting) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["Baton", "BatonLoopback", "UserActivity"].map { .product(name: $0, package: "Baton") },
        path: "Modes/\(name)", swiftSettings: [mode, .treatAllWarnings(as: .error)])
}

let package = Package(
    name: "AppShapes",
    dependencies: [.package(name: "Baton", path: "../../..", traits: [])],
    targets: [
        shapes("Swift5Mode", .swiftLanguageMode(.v5)),
        shapes("MainActorByDefault", .defaultIsolation(MainActor.self)),
    ],
    swiftLanguageModes: [.v6]
)
