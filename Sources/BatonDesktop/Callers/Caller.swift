// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

/// The program behind a connection to the session bus, as far as this device can identify it.
public struct Caller: Hashable, Sendable {
    /// How a program was identified.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The program is identified by the `.flatpak-info` file at its root.
        case flatpak
        /// The program is identified by the snap's name in its control group or its AppArmor label.
        case snap
        /// The program is identified by the scope or service of the systemd user manager in which
        /// it runs.
        case unit
        /// The program is identified by its executable: it is the proxy through which a sandbox
        /// reaches the session bus.
        case proxy
        /// The program was not identified.
        case unknown
    }

    /// The application's id, which is also the name of its desktop entry, or nil if it is unknown.
    public var applicationID: String?
    /// How the program was identified.
    public var kind: Kind
    /// Whether the program is sandboxed, so that its own claims do not count. Flatpaks, snaps, and
    /// programs that could not be inspected are sandboxed.
    public var isSandboxed: Bool

    /// The account for the program's limits, or nil if its connection has limits of its own.
    ///
    /// An application has one account for all its connections. All sandboxes without an id share
    /// one account, because each could be the same program on a new connection.
    public var account: String? { applicationID ?? (isSandboxed ? Self.unidentifiedAccount : nil) }

    /// The program as a sandboxed app, or nil if it is not sandboxed or has no id.
    var sandboxedApp: SandboxedApp? {
        guard isSandboxed, let applicationID else { return nil }
        return SandboxedApp(SandboxedApp.Sandbox(rawValue: kind.rawValue) ?? .unknown, applicationID)
    }

    /// The shared account of unidentified programs. No application can have this id.
    private static let unidentifiedAccount = "/unidentified"

    /// An unidentified program of the user, outside of any sandbox, with the user's permissions.
    public static let ordinary = Caller(applicationID: nil, kind: .unknown, isSandboxed: false)
    /// The proxy through which an unidentified sandbox reaches the session bus. All programs in
    /// that sandbox appear as the proxy.
    public static let proxy = Caller(applicationID: nil, kind: .proxy, isSandboxed: true)
    /// A program that could not be inspected or has ended, and whose own claims do not count.
    public static let unidentified = Caller(applicationID: nil, kind: .unknown, isSandboxed: true)
}
