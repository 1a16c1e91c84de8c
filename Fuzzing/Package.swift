// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A separate package, so that a build of Baton does not build it. `make fuzz` builds and runs it.
// `Modules` contains links to Baton's modules, because they are built again here with different
// flags. libFuzzer's coverage needs flags that a package may give only to its own targets, and the
// fuzz targets need access to internal declarations. Other dependencies are built as usual.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
    .treatWarning("DeprecatedDeclaration", as: .warning),
]

/// Returns the target of one of Baton's modules, like the parent directory's package.
func module(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Modules/\(name)", exclude: exclude,
        swiftSettings: settings + [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])])
}

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let swiftProtobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

let package = Package(
    name: "BatonFuzzing",
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        .systemLibrary(name: "CDBus", path: "Modules/CDBus", pkgConfig: "dbus-1"),
        module("ActivityModel", []),
        module("AssociatedDomains", ["Diagnosis"]),
        module("Diagnosis", []),
        .systemLibrary(name: "CGettext", path: "Modules/CGettext"),
        module("Wording", ["ActivityModel", "CGettext", "Diagnosis"]),
        module("TraceModel", []),
        module("TransportModel", []),
        module("HostAddresses", []),
        module("UserActivity", ["ActivityModel"]),
        module(
            "BatonProtocol", ["ActivityModel", "Diagnosis", "TransportModel", crypto, swiftProtobuf],
            exclude: ["Circle/circle.proto", "Pairing/pairing.proto", "Wire/activity.proto", "Wire/frame.proto"]),
        module("Threads", []),
        module("Descriptors", []),
        module("HandoffModel", ["ActivityModel", "Descriptors", "Diagnosis", "Wording"]),
        module("DBus", ["CDBus", "Descriptors", "Threads"]),
        module(
            "BatonBus",
            ["ActivityModel", "DBus", "Diagnosis", "HandoffModel", "HostAddresses", "TraceModel", "Wording"]),
        module("DesktopEntries", ["ActivityModel", "Descriptors"]),
        module("ChildProcesses", [subprocess, systemPackage]),
        module("DirectoryWatching", []),
        module(
            "BatonDesktop",
            [
                "ActivityModel", "AssociatedDomains", "BatonBus", "ChildProcesses", "DBus", "Descriptors",
                "DesktopEntries", "Diagnosis", "DirectoryWatching", "Threads", "Wording", crypto, logging,
            ]),
        module("UserInfoJSON", ["ActivityModel"]),
        .systemLibrary(name: "CBluetooth", path: "Modules/CBluetooth", pkgConfig: "bluez"),
        module("L2CAP", ["CBluetooth"]),
        // Include only the decoders, because the rest of the module depends on NIO.
        module("BlueZTransport", ["DBus", "L2CAP"]),
        module("SimulatedTransport", []),
        module("TCPTransport", ["HostAddresses"]),
        // Include only the program's parsers.
        module("browser-host", ["ActivityModel", "BatonBus"]),
        .executableTarget(
            name: "baton-fuzz",
            dependencies: [
                "ActivityModel", "AssociatedDomains", "BatonBus", "BatonDesktop", "BatonProtocol", "BlueZTransport",
                "browser-host", "CDBus", "DBus", "DesktopEntries", "Diagnosis", "L2CAP", "SimulatedTransport",
                "TCPTransport",
                "TraceModel", "UserActivity", "UserInfoJSON", crypto,
            ],
            swiftSettings: settings,
            // libFuzzer without its own main, because the first argument names the target.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
    ],
    swiftLanguageModes: [.v6]
)
