// SPDX-License-Identifier: Apache-2.0

import BatonBus
public import DBus
import FoundationEssentials

/// Opens web pages in the user's default browser: by `xdg-open`, or by the desktop's portal for a
/// daemon that is itself in a sandbox, or where there is no `xdg-open`.
///
/// Source: xdg-open(1); xdg-desktop-portal's org.freedesktop.portal.OpenURI and
/// org.freedesktop.portal.Request.
public struct WebPageOpener: Sendable {
    private let bus: DBusConnection
    private let starter: ProgramStarter
    private let program: String
    private let isSandboxed: Bool
    private let patience: Duration
    private let portalLimit: Duration

    private static let portal = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"

    /// An opener on the session bus.
    ///
    /// - Parameters:
    ///   - program: What opens an address outside of sandboxes.
    ///   - isSandboxed: Whether this process is a Flatpak's or a snap's.
    ///   - patience: How long to wait for a failure of the program: it may become the browser, and
    ///     go on.
    ///   - portalLimit: How long the portal may take, which may ask the user for a browser.
    ///   - session: Whose `PATH` counts.
    public init(
        bus: DBusConnection, program: String = "xdg-open", isSandboxed: Bool = Self.isInSandbox,
        patience: Duration = .seconds(5), portalLimit: Duration = .seconds(60),
        session: SessionEnvironment = SessionEnvironment()
    ) {
        self.bus = bus
        starter = ProgramStarter(bus: bus, session: session)
        self.program = program
        self.isSandboxed = isSandboxed
        self.patience = patience
        self.portalLimit = portalLimit
    }

    /// Whether this process is a Flatpak's or a snap's.
    public static var isInSandbox: Bool {
        FileManager.default.fileExists(atPath: "/.flatpak-info") || ProcessInfo.processInfo.environment["SNAP"] != nil
    }

    /// Opens an address; returns once the browser has it, as far as can be told.
    ///
    /// - Parameters:
    ///   - address: An http or https address.
    ///   - activationToken: What lets the browser's window come to the front.
    /// - Throws: ``BatonError``: `applicationFailed` with a message that says why no browser has
    ///   it, `userCancelled` when the user was asked for one and did not want any.
    public func open(_ address: String, activationToken: String?) async throws {
        if !isSandboxed, await starter.has(program) {
            try await run(address, activationToken)
        } else {
            try await askPortal(address, activationToken)
        }
    }

    private static func failure(_ why: String, cause: String? = nil) -> BatonError {
        BatonError(.applicationFailed, "the web page could not be opened: \(why)", cause: cause)
    }

    // MARK: - xdg-open

    private func run(_ address: String, _ token: String?) async throws {
        let environment = token.map { ["XDG_ACTIVATION_TOKEN": $0, "DESKTOP_STARTUP_ID": $0] } ?? [:]
        let started = try await starter.start(
            [program, address], identifier: "xdg-open", directory: nil, environment: environment)
        let end = try await first(within: patience) {
            for await end in started.ends { return end }
            try Task.checkCancellation()
            return nil
        }
        if case .failed(let how) = end {
            throw Self.failure("xdg-open \(how); is there a browser? 'xdg-settings get default-web-browser' names it")
        }
    }

    // MARK: - The portal

    private func askPortal(_ address: String, _ token: String?) async throws {
        do {
            // Asked for before the request is made, so that no answer is missed.
            let answers = try await bus.signals(
                matching: DBusMatch(
                    sender: Self.portal, pathNamespace: "\(Self.path)/request",
                    interface: "org.freedesktop.portal.Request", member: "Response"))
            var options: [String: DBusValue] = [
                "handle_token": .string("baton\(UInt64.random(in: .min ... .max))")
            ]
            options["activation_token"] = token.map(DBusValue.string)
            let reply = try await bus.call(
                destination: Self.portal, path: Self.path, interface: "org.freedesktop.portal.OpenURI",
                member: "OpenURI", arguments: [.string(""), .string(address), .properties(options)])
            guard case .objectPath(let request) = reply.first else { throw Self.failure("the portal gave no request") }
            let answer = try await first(within: portalLimit) {
                for await answer in answers where answer.path == request {
                    return answer.arguments.first?.integer(as: UInt32.self)
                }
                try Task.checkCancellation()
                return nil
            }
            switch answer {
            case .some(0): return
            case .some(1): throw BatonError(.userCancelled, "no browser was chosen for the web page")
            case .some: throw Self.failure("the desktop's portal found no browser for it")
            case nil: throw Self.failure("the desktop's portal did not answer in time")
            }
        } catch let error as DBusError {
            let isAbsent = [DBusError.serviceUnknown, DBusError.nameHasNoOwner].contains(error.name)
            let why =
                isAbsent
                ? "there is neither xdg-open nor a desktop portal; install xdg-utils"
                : "the desktop's portal says: \(error.message)"
            throw Self.failure(why, cause: error.name)
        }
    }

    /// What comes first: the value, or nil when the time is up.
    private func first<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable () async throws -> Value?
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
