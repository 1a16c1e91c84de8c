// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

/// Which program is behind a connection to the session bus, as far as this device can tell by
/// itself.
public struct Caller: Hashable, Sendable {
    /// How a program was recognised.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// By the `.flatpak-info` at its root.
        case flatpak
        /// By the name of its snap's control group.
        case snap
        /// By the scope or service that the user's systemd runs it in.
        case unit
        /// By its executable, as the proxy that a sandbox reaches the session bus through.
        case proxy
        /// Not at all.
        case unknown
    }

    /// The application's id, which is also the name of its desktop entry; nil when there is none to
    /// be known.
    public var applicationID: String?
    /// How it was recognised.
    public var kind: Kind
    /// Whether it is confined, so that what it says of itself does not count: Flatpaks, snaps, and
    /// what could not be looked at.
    public var isSandboxed: Bool

    /// A program.
    public init(applicationID: String?, kind: Kind, isSandboxed: Bool) {
        self.applicationID = applicationID
        self.kind = kind
        self.isSandboxed = isSandboxed
    }

    /// To whose account goes what it uses; nil for its connection's alone.
    ///
    /// An application has one for all its connections. All sandboxes without a name have one
    /// together: each could be the same program again.
    public var account: String? { applicationID ?? (isSandboxed ? Self.unidentifiedAccount : nil) }

    /// It as an app that a sandbox confines; nil when none does, or it has no name.
    var sandboxedApp: SandboxedApp? {
        guard isSandboxed, let applicationID else { return nil }
        return SandboxedApp(SandboxedApp.Sandbox(rawValue: kind.rawValue) ?? .unknown, applicationID)
    }

    /// No application can be called so.
    private static let unidentifiedAccount = "/unidentified"

    /// A program of the user's that nothing is known about: it may do what the user may.
    public static let ordinary = Caller(applicationID: nil, kind: .unknown, isSandboxed: false)
    /// The proxy through which a sandbox reaches the session bus, where nothing tells whose sandbox
    /// it is: each program inside comes to the bus as this one.
    public static let proxy = Caller(applicationID: nil, kind: .proxy, isSandboxed: true)
    /// A program that would not be looked at, or has gone: nothing that it says of itself counts.
    public static let unidentified = Caller(applicationID: nil, kind: .unknown, isSandboxed: true)
}
