// SPDX-License-Identifier: Apache-2.0

import BatonBus
public import DBus
import Diagnosis
import FoundationEssentials

/// Opens web pages in the user's default browser.
///
/// The opener uses `xdg-open`, or the desktop portal if the daemon is sandboxed or there is no
/// `xdg-open`.
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

    /// Creates an opener on the session bus.
    ///
    /// - Parameters:
    ///   - program: The program that opens an address outside of sandboxes.
    ///   - isSandboxed: Whether this process runs in a Flatpak or a snap.
    ///   - patience: How long to wait for the program to fail. The program may become the browser
    ///     and keep running.
    ///   - portalLimit: The portal's time limit. The portal may ask the user to choose a browser.
    ///   - session: The session, whose `PATH` is searched for programs.
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

    /// Whether this process runs in a Flatpak or a snap.
    public static var isInSandbox: Bool {
        FileManager.default.fileExists(atPath: "/.flatpak-info") || ProcessInfo.processInfo.environment["SNAP"] != nil
    }

    /// Opens an address, and returns when the browser probably has it.
    ///
    /// - Parameters:
    ///   - address: An http or https address.
    ///   - activationToken: The token that lets the browser's window come to the front.
    /// - Throws: ``BatonError`` with `applicationFailed` and a message that says why no browser
    ///   opened the address, or with `userCancelled` if the user declined to choose a browser.
    public func open(_ address: String, activationToken: String?) async throws {
        if !isSandboxed, await starter.has(program) {
            try await run(address, activationToken)
        } else {
            try await askPortal(address, activationToken)
        }
    }

    // MARK: - xdg-open

    private func run(_ address: String, _ token: String?) async throws {
        let started = try await starter.start(
            [program, address], identifier: "xdg-open", directory: nil,
            environment: ProgramStarter.environment(token))
        let end = try await first(within: patience) {
            for await end in started.ends { return end }
            try Task.checkCancellation()
            return nil
        }
        if case .failed(let how, let unit) = end {
            var values = ["reason": Reason.Value.reason(how.with("program", "xdg-open"))]
            values["unit"] = unit.map(Reason.Value.text)
            throw BatonError(.applicationFailed, .browserFailed, values)
        }
    }

    // MARK: - The portal

    private func askPortal(_ address: String, _ token: String?) async throws {
        do {
            // Subscribe before the request, so that no answer is missed.
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
            guard case .objectPath(let request) = reply.first else {
                throw BatonError(.applicationFailed, .pageOpeningLate)
            }
            let answer = try await first(within: portalLimit) {
                for await answer in answers where answer.path == request {
                    return answer.arguments.first?.integer(as: UInt32.self)
                }
                try Task.checkCancellation()
                return nil
            }
            switch answer {
            case .some(0): return
            case .some(1): throw BatonError(.userCancelled, .noBrowserChosen)
            case .some: throw BatonError(.applicationFailed, .noBrowser)
            case nil: throw BatonError(.applicationFailed, .pageOpeningLate)
            }
        } catch let error as DBusError {
            let isAbsent = [DBusError.serviceUnknown, DBusError.nameHasNoOwner].contains(error.name)
            if isAbsent { throw BatonError(.applicationFailed, .portalMissing, cause: error.name) }
            throw BatonError(.applicationFailed, .portalFailed, because: error, of: "xdg-desktop-portal")
        }
    }

    /// Returns the body's value, or nil when the time limit passes first.
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
