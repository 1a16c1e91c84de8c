// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, so that nobody who builds Baton builds this; `make fuzz` builds and runs
// it. `Modules` are links to Baton's own modules, because here they are built anew: with
// libFuzzer's coverage, which needs flags that a package may give to its own targets only, and with
// their internal declarations open to the targets that fuzz them. What they depend on is built as
// it is.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
    .treatWarning("DeprecatedDeclaration", as: .warning),
]

/// One of Baton's modules, as the package in the parent directory has it.
func module(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Modules/\(name)", exclude: exclude,
        swiftSettings: settings + [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])])
}

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")
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
        module("AssociatedDomains", []),
        module("Diagnosis", []),
        module("TraceModel", []),
        module("TransportModel", []),
        module("HostAddresses", []),
        module("UserActivity", ["ActivityModel"]),
        module(
            "BatonProtocol", ["ActivityModel", "TransportModel", crypto, protobuf],
            exclude: ["Circle/circle.proto", "Pairing/pairing.proto", "Wire/activity.proto", "Wire/frame.proto"]),
        module("Threads", []),
        module("Descriptors", []),
        module("HandoffModel", ["ActivityModel", "Descriptors", "Diagnosis"]),
        module("DBus", ["CDBus", "Descriptors", "Threads"]),
        module("BatonBus", ["ActivityModel", "DBus", "Diagnosis", "HandoffModel", "HostAddresses", "TraceModel"]),
        module("DesktopEntries", ["ActivityModel", "Descriptors"]),
        module("ChildProcesses", [subprocess, systemPackage]),
        module("DirectoryWatching", []),
        module(
            "BatonDesktop",
            [
                "ActivityModel", "AssociatedDomains", "BatonBus", "ChildProcesses", "DBus", "Descriptors",
                "DesktopEntries", "Diagnosis", "DirectoryWatching", "Threads", crypto, logging,
            ]),
        module("UserInfoJSON", ["ActivityModel"]),
        .systemLibrary(name: "CBluetooth", path: "Modules/CBluetooth", pkgConfig: "bluez"),
        module("L2CAP", ["CBluetooth"]),
        // Of these only what decodes: the rest works on NIO.
        module("BlueZTransport", ["DBus", "L2CAP"]),
        module("SimulatedTransport", []),
        module("TCPTransport", ["HostAddresses"]),
        // Of the program what reads, and none of what it does.
        module("browser-host", ["ActivityModel", "BatonBus"]),
        .executableTarget(
            name: "baton-fuzz",
            dependencies: [
                "ActivityModel", "AssociatedDomains", "BatonBus", "BatonDesktop", "BatonProtocol", "BlueZTransport",
                "browser-host", "CDBus", "DBus", "DesktopEntries", "L2CAP", "SimulatedTransport", "TCPTransport",
                "TraceModel", "UserActivity", "UserInfoJSON", crypto,
            ],
            swiftSettings: settings,
            // libFuzzer without its main: the first argument names the target.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
    ],
    swiftLanguageModes: [.v6]
)
