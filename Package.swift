// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The settings that every Swift target shares.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
    // A newer toolchain may deprecate a function that this one does not. Such a warning must not
    // make the build fail.
    .treatWarning("DeprecatedDeclaration", as: .warning),
]

/// A module of the product: what it depends on is what it may import
/// (Documentation/Architecture.md).
func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// A product of another package, which only the trait `Daemon` needs.
func other(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Daemon"]))
}

let argumentParser = other("ArgumentParser", "swift-argument-parser")
let asyncHTTPClient = other("AsyncHTTPClient", "async-http-client")
let crypto = other("Crypto", "swift-crypto")
let logging = other("Logging", "swift-log")
let nioCore = other("NIOCore", "swift-nio")
let nioHTTP1 = other("NIOHTTP1", "swift-nio")
let nioEmbedded = other("NIOEmbedded", "swift-nio")
let nioPosix = other("NIOPosix", "swift-nio")
let nioSSL = other("NIOSSL", "swift-nio-ssl")
let protobuf = other("SwiftProtobuf", "swift-protobuf")
let serviceLifecycle = other("ServiceLifecycle", "swift-service-lifecycle")
let subprocess = other("Subprocess", "swift-subprocess")
let systemPackage = other("SystemPackage", "swift-system")
let unixSignals = other("UnixSignals", "swift-service-lifecycle")
let asn1 = other("SwiftASN1", "swift-asn1")
let x509 = other("X509", "swift-certificates")

let package = Package(
    name: "Baton",
    products: [
        .library(name: "Baton", targets: ["Baton"]),
        .library(name: "BatonLoopback", targets: ["BatonLoopback"]),
        .library(name: "BatonBus", targets: ["BatonBus"]),
        .library(name: "UserActivity", targets: ["UserActivity"]),
        .library(name: "ActivityModel", targets: ["ActivityModel"]),
        .library(name: "TransportModel", targets: ["TransportModel"]),
        .library(name: "BatonProtocol", targets: ["BatonProtocol"]),
        .library(name: "BatonTransport", targets: ["BatonTransport"]),
        .library(name: "SimulatedTransport", targets: ["SimulatedTransport"]),
        .library(name: "BatonTesting", targets: ["BatonTesting"]),
        .executable(name: "batond", targets: ["batond"]),
        .executable(name: "baton", targets: ["baton"]),
        .executable(name: "baton-gtk", targets: ["baton-gtk"]),
        .executable(name: "browser-host", targets: ["browser-host"]),
        .executable(name: "domain-fetcher", targets: ["domain-fetcher"]),
    ],
    traits: [
        .default(enabledTraits: ["Daemon"]),
        .trait(
            name: "Daemon",
            description: """
                The daemon and the programs around it. Apps need none of it: with `traits: []` the libraries Baton, \
                BatonBus, UserActivity and ActivityModel build without any other package.
                """),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        // Without its default trait BinaryDelimitedStreams, for which it imports all of Foundation.
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CDBus", path: "CModules/CDBus", pkgConfig: "dbus-1",
            providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(
            name: "CBluetooth", path: "CModules/CBluetooth", pkgConfig: "bluez",
            providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CGettext", path: "CModules/CGettext"),
        .systemLibrary(
            name: "CGtk", path: "CModules/CGtk", pkgConfig: "libadwaita-1",
            providers: [.apt(["libadwaita-1-dev"])]),
        .systemLibrary(name: "CMalloc", path: "CModules/CMalloc"),
        .systemLibrary(name: "CNetlink", path: "CModules/CNetlink"),
        .systemLibrary(
            name: "CQREncode", path: "CModules/CQREncode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]),

        module("ActivityModel", []),
        module("AssociatedDomains", ["Diagnosis"]),
        module("Diagnosis", []),
        module("TraceModel", []),
        module("SystemSetup", []),
        module("Wording", ["ActivityModel", "CGettext", "Diagnosis"]),
        module("Descriptors", []),
        module("HandoffModel", ["ActivityModel", "Descriptors", "Diagnosis", "Wording"]),
        module("TransportModel", []),
        module("HostAddresses", []),
        module("LocalNetworks", ["CNetlink", crypto]),
        module("LocalDatagrams", ["LocalNetworks"]),
        module("UserActivity", ["ActivityModel"]),
        .target(
            name: "BatonProtocol", dependencies: ["ActivityModel", "Diagnosis", "TransportModel", crypto, protobuf],
            exclude: ["Circle/circle.proto", "Pairing/pairing.proto", "Wire/activity.proto", "Wire/frame.proto"],
            swiftSettings: settings),
        module("BatonTransport", ["Diagnosis", "TransportModel", nioCore]),
        module("Threads", []),
        module("DBus", ["CDBus", "Descriptors", "Threads"]),
        module("L2CAP", ["CBluetooth"]),
        module("QRCode", ["CQREncode"]),
        module(
            "BlueZTransport",
            [
                "BatonTransport", "DBus", "Descriptors", "Diagnosis", "L2CAP", "SystemSetup", "Threads", logging,
                nioCore, nioPosix,
            ]),
        module("TCPTransport", ["BatonTransport", "HostAddresses", nioCore, nioPosix]),
        module("DirectoryWatching", []),
        module(
            "SimulatedTransport",
            ["BatonTransport", "Descriptors", "Diagnosis", "DirectoryWatching", nioCore, nioPosix]),
        module(
            "BatonService",
            [
                "ActivityModel", "BatonProtocol", "BatonTransport", "Descriptors", "Diagnosis", "HandoffModel",
                "HostAddresses", "LocalDatagrams", "LocalNetworks", "TraceModel", "Wording", crypto, logging, nioCore,
                nioPosix, nioSSL, asn1, x509,
            ]),
        module(
            "BatonBus",
            ["ActivityModel", "DBus", "Diagnosis", "HandoffModel", "HostAddresses", "TraceModel", "Wording"]),
        module("DesktopEntries", ["ActivityModel", "Descriptors"]),
        module("ChildProcesses", [subprocess, systemPackage]),
        module(
            "BatonDesktop",
            [
                "ActivityModel", "AssociatedDomains", "BatonBus", "ChildProcesses", "DBus", "Descriptors",
                "DesktopEntries", "Diagnosis", "DirectoryWatching", "Threads", "Wording", crypto, logging,
            ]),
        module("UserInfoJSON", ["ActivityModel"]),
        module(
            "BatonClient",
            ["ActivityModel", "BatonBus", "Descriptors", "DesktopEntries", "Diagnosis", "HandoffModel"]),
        module("MainLoop", []),
        module("Baton", ["ActivityModel", "BatonBus", "BatonClient", "DesktopEntries", "MainLoop", "UserActivity"]),
        module("BatonLoopback", ["ActivityModel", "Baton", "UserActivity"]),
        module("GtkInterop", ["CGtk", "MainLoop"]),
        module(
            "WindowModel",
            ["BatonBus", "Diagnosis", "SystemSetup", "TransportModel", "Wording"]),
        module(
            "BatonTesting",
            ["BatonTransport", "ChildProcesses", "DirectoryWatching", logging, nioCore, nioEmbedded, nioPosix]),

        .executableTarget(
            name: "batond",
            dependencies: [
                "ActivityModel", "CMalloc", "BatonProtocol", "BatonTransport", "BatonService", "BatonBus",
                "BatonDesktop", "DBus", "Descriptors", "DesktopEntries", "Diagnosis", "BlueZTransport",
                "LocalDatagrams", "LocalNetworks", "TCPTransport", "SimulatedTransport", "TraceModel", "Wording",
                argumentParser, logging, nioCore, nioPosix, serviceLifecycle, unixSignals,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "baton",
            dependencies: [
                "ActivityModel", "BatonBus", "BatonClient", "ChildProcesses", "Descriptors", "DesktopEntries",
                "Diagnosis", "QRCode", "SystemSetup", "Threads", "TraceModel", "TransportModel", "UserInfoJSON",
                "Wording", argumentParser, unixSignals,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "baton-gtk",
            dependencies: [
                "BatonBus", "BatonClient", "ChildProcesses", "Descriptors", "Diagnosis", "GtkInterop", "QRCode",
                "SystemSetup", "Threads", "WindowModel", "Wording",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "browser-host",
            dependencies: [
                "ActivityModel", "BatonBus", "BatonClient", "Descriptors", "DesktopEntries", "Diagnosis", "Wording",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "domain-fetcher",
            dependencies: ["AssociatedDomains", "Diagnosis", asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL],
            swiftSettings: settings),
        .executableTarget(
            name: "contacts", dependencies: ["Baton", "BatonBus", "UserActivity", argumentParser],
            path: "Examples/Contacts", exclude: ["README.md", "org.example.Contacts.desktop"], swiftSettings: settings),
        .executableTarget(
            name: "notes", dependencies: ["Baton", "BatonBus", "UserActivity", argumentParser],
            path: "Examples/Notes/Swift", swiftSettings: settings),

        .target(
            name: "SiteTesting", dependencies: [asn1, crypto, nioCore, nioHTTP1, nioPosix, nioSSL, x509],
            path: "Tests/SiteTesting", swiftSettings: settings),
        tests("AssociatedDomainsTests", ["AssociatedDomains", "Diagnosis"]),
        tests(
            "DomainFetcherTests",
            ["AssociatedDomains", "BatonTesting", "ChildProcesses", "Diagnosis", "SiteTesting", "domain-fetcher"]),
        tests("DescriptorsTests", ["Descriptors"]),
        tests("L2CAPTests", ["L2CAP"]),
        tests("QRCodeTests", ["BatonTesting", "QRCode"]),
        tests(
            "BlueZTransportTests",
            [
                "BatonTesting", "BatonTransport", "BlueZTransport", "ChildProcesses", "DBus", "Diagnosis", "L2CAP",
                "Threads", logging, nioCore, nioEmbedded, nioPosix,
            ]),
        .executableTarget(
            name: "radio-conformance",
            dependencies: ["BatonTesting", "BatonTransport", "BlueZTransport", logging, nioPosix],
            path: "Tests/Programs/RadioConformance", swiftSettings: settings),
        tests("BatonProtocolTests", ["ActivityModel", "BatonProtocol", "Diagnosis", crypto, protobuf]),
        tests(
            "BatonServiceTests",
            [
                "Wording",
                "ActivityModel", "BatonProtocol", "BatonService", "BatonTesting", "BatonTransport", "Diagnosis",
                "DirectoryWatching", "HostAddresses", "LocalDatagrams", "LocalNetworks", "SimulatedTransport",
                "TCPTransport", "TraceModel", crypto, logging, nioCore, nioEmbedded, nioPosix, nioSSL,
            ]),
        tests("BatonTransportTests", ["BatonTesting", "BatonTransport", nioCore]),
        tests("DBusTests", ["BatonTesting", "ChildProcesses", "DBus"]),
        tests("TraceModelTests", ["TraceModel"]),
        tests("WordingTests", ["ChildProcesses", "Diagnosis", "Wording"]),
        tests(
            "BatonBusTests",
            [
                "ActivityModel", "BatonBus", "BatonTesting", "DBus", "Diagnosis", "HandoffModel", "HostAddresses",
                "TraceModel",
            ]),
        tests("HostAddressesTests", ["HostAddresses"]),
        .executableTarget(
            name: "network-watcher", dependencies: ["LocalNetworks", crypto], path: "Tests/Programs/NetworkWatcher",
            swiftSettings: settings),
        .testTarget(
            name: "LocalNetworksTests", dependencies: ["LocalNetworks", "network-watcher", crypto],
            exclude: ["Recorded"], swiftSettings: settings),
        tests("LocalDatagramsTests", ["LocalDatagrams", "LocalNetworks"]),
        tests(
            "TCPTransportTests",
            ["BatonTesting", "BatonTransport", "HostAddresses", "TCPTransport", nioCore, nioEmbedded, nioPosix]),
        tests("DirectoryWatchingTests", ["BatonTesting", "DirectoryWatching"]),
        tests(
            "SimulatedTransportTests",
            ["Diagnosis", "BatonTesting", "BatonTransport", "Descriptors", "SimulatedTransport", nioCore, nioPosix]),
        tests("DesktopEntriesTests", ["BatonTesting", "DesktopEntries"]),
        tests(
            "BatonDesktopTests",
            [
                "Wording",
                "ActivityModel", "app-program", "AssociatedDomains", "BatonBus", "BatonDesktop", "BatonTesting",
                "ChildProcesses", "DBus", "DesktopEntries", "Diagnosis", "DirectoryWatching", "HandoffModel",
                "SiteTesting",
                "TraceModel", "domain-fetcher",
                logging,
            ]),
        tests("ActivityModelTests", ["ActivityModel"]),
        tests("WindowModelTests", ["BatonBus", "Diagnosis", "SystemSetup", "WindowModel"]),
        // The fuzz targets without libFuzzer. With libFuzzer, they are in a separate package
        // (Fuzzing).
        .testTarget(
            name: "FuzzTargetTests",
            dependencies: [
                "ActivityModel", "AssociatedDomains", "BatonBus", "BatonDesktop", "BatonProtocol", "BlueZTransport",
                "CDBus", "DBus", "DesktopEntries", "Diagnosis", "L2CAP", "SimulatedTransport", "TCPTransport",
                "TraceModel", "UserActivity", "UserInfoJSON", "browser-host", crypto,
            ],
            path: "Fuzzing",
            exclude: ["Kept", "Modules", "Package.swift", "Sources/baton-fuzz/BatonFuzz.swift", "run"],
            sources: ["Sources", "Tests"], swiftSettings: settings),
        tests("UserActivityTests", ["UserActivity"]),
        tests("ChildProcessesTests", ["BatonTesting", "ChildProcesses"]),
        .executableTarget(
            name: "clock-program", dependencies: ["BatonTransport"], path: "Tests/Programs/ClockProgram",
            swiftSettings: settings),
        tests("ContactsTests", ["app-program", "BatonTesting", "baton", "batond", "contacts"]),
        tests("AppleAPITests", ["Baton", "BatonLoopback", "UserActivity"]),
        .executableTarget(
            name: "state-writer", dependencies: ["BatonService"], path: "Tests/Programs/StateWriter",
            swiftSettings: settings),
        tests(
            "BatondTests",
            [
                "BatonBus", "BatonDesktop", "BatonProtocol", "BatonService", "BatonTesting", "BatonTransport",
                "ChildProcesses", "DBus", "SimulatedTransport", "SiteTesting", "app-program", "baton", "batond",
                "domain-fetcher", "state-writer",
                argumentParser, crypto, logging, nioCore, nioPosix,
            ]),
        tests("BatonClientTests", ["ActivityModel", "BatonBus", "BatonClient", "BatonTesting", "Diagnosis"]),
        tests("BrowserHostTests", ["ActivityModel", "BatonBus", "browser-host"]),
        tests(
            "BatonToolTests",
            [
                "Wording",
                "ActivityModel", "baton", "BatonBus", "BatonClient", "BatonTesting", "DesktopEntries", "Diagnosis",
                "TransportModel", "UserInfoJSON",
                argumentParser,
            ]),
        .executableTarget(
            name: "glib-program", dependencies: ["Baton", "BatonLoopback", "UserActivity"],
            path: "Tests/Programs/GLibProgram",
            swiftSettings: settings),
        .executableTarget(
            name: "app-program", dependencies: ["Baton", "BatonBus", "UserActivity"], path: "Tests/Programs/AppProgram",
            swiftSettings: settings),
        // As an app would be built: without the settings of Baton's own targets.
        .executableTarget(
            name: "app-shapes", dependencies: ["Baton", "BatonLoopback", "UserActivity"],
            path: "Tests/Programs/AppShapes/Shapes", swiftSettings: [.treatAllWarnings(as: .error)]),
        tests(
            "BatonTests",
            [
                "Wording",
                "ActivityModel", "app-shapes", "baton", "Baton", "BatonBus", "BatonClient", "BatonLoopback",
                "BatonTesting",
                "ChildProcesses", "DBus", "Diagnosis", "TraceModel", "UserActivity", "UserInfoJSON", "browser-host",
                "glib-program",
                argumentParser, unixSignals,
            ]),
    ],
    swiftLanguageModes: [.v6]
)
