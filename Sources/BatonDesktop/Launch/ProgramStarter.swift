// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import ChildProcesses
public import DBus
import DesktopEntries
import Diagnosis
import FoundationEssentials

/// Starts programs outside of the daemon, so that they outlive it and do not inherit its sandbox.
///
/// With a systemd user manager, each program becomes a transient service. Without one, it becomes a
/// child process.
///
/// Source: org.freedesktop.systemd1(5); "Desktop Environment Integration" of systemd's
/// documentation for the units' names.
public struct ProgramStarter: Sendable {
    private let bus: DBusConnection
    private let session: SessionEnvironment

    /// Creates a starter on the session bus.
    ///
    /// - Parameter session: The session, whose `PATH` is searched for programs.
    public init(bus: DBusConnection, session: SessionEnvironment = SessionEnvironment()) {
        self.bus = bus
        self.session = session
    }

    struct Started: Sendable {
        /// Yields how the program ended, at most once.
        let ends: AsyncStream<End>
    }

    /// How a program ended.
    enum End: Hashable, Sendable {
        /// The program succeeded. Processes that it started may still run.
        case well
        /// The program and all processes that it started ended successfully. Their output is in
        /// this unit's journal.
        case withAll(unit: String)
        /// The program failed. The reason lacks the program's name. If the unit is known, its
        /// journal has the program's output.
        case failed(Reason, unit: String? = nil)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: The program, as a path or a name in `PATH`, and its arguments.
    ///   - identifier: The app's id.
    ///   - directory: The working directory, or nil for the home directory.
    ///   - environment: Variables to add to the environment.
    /// - Throws: ``BatonError`` with `applicationFailed`.
    func start(
        _ arguments: [String], identifier: String, directory: String?, environment: [String: String]
    ) async throws -> Started {
        let variables = await session.variables()
        guard let name = arguments.first, let program = variables.programs.path(of: name) else {
            let name = arguments.first ?? ""
            let isThere = name.hasPrefix("/") && FileManager.default.fileExists(atPath: name)
            throw BatonError(
                .applicationFailed, isThere ? .programUnexecutable : .programMissing, ["program": .text(name)])
        }
        let arguments = [program] + arguments.dropFirst()
        if (try? await bus.owner(of: Self.systemd)) != nil {
            return try await startUnit(
                arguments, identifier: identifier, directory: directory, environment: environment)
        }
        // Do not start the program if the task was cancelled during the call to the bus.
        try Task.checkCancellation()
        return try await startChild(
            arguments, directory: directory, environment: variables.values.merging(environment) { $1 })
    }

    /// Returns the variables by which a program gets the desktop's activation token.
    static func environment(_ activationToken: String?) -> [String: String] {
        activationToken.map { ["XDG_ACTIVATION_TOKEN": $0, "DESKTOP_STARTUP_ID": $0] } ?? [:]
    }

    func has(_ program: String) async -> Bool { await session.variables().programs.path(of: program) != nil }
}

// MARK: - A transient service

extension ProgramStarter {
    static let systemd = "org.freedesktop.systemd1"
    static let path = "/org/freedesktop/systemd1"
    static let manager = "org.freedesktop.systemd1.Manager"

    private func startUnit(
        _ arguments: [String], identifier: String, directory: String?, environment: [String: String]
    ) async throws -> Started {
        let unit = Self.unitName(identifier)
        do {
            try await subscribe()
            // Subscribe before the start, so that no signal is missed.
            let news = try await UnitNews.follow(unit, on: bus)
            try await manager(
                "StartTransientUnit",
                [
                    .string(unit), .string("fail"),
                    .array(
                        elementSignature: "(sv)",
                        Self.properties(arguments, directory: directory, environment: environment)),
                    .array(elementSignature: "(sa(sv))", []),
                ])
            return Started(ends: news.ends(of: unit))
        } catch let error as DBusError {
            throw BatonError(.applicationFailed, .appCrashed, because: error, of: "systemd")
        }
    }

    /// Subscribes to signals about units. systemd allows each connection only one subscription.
    private func subscribe() async throws {
        do {
            try await manager("Subscribe")
        } catch let error as DBusError where error.name == "org.freedesktop.systemd1.AlreadySubscribed" {}
    }

    @discardableResult
    private func manager(_ member: String, _ arguments: [DBusValue] = []) async throws -> [DBusValue] {
        try await bus.call(
            destination: Self.systemd, path: Self.path, interface: Self.manager, member: member, arguments: arguments)
    }

    private static func properties(
        _ arguments: [String], directory: String?, environment: [String: String]
    ) -> [DBusValue] {
        func property(_ name: String, _ value: DBusValue) -> DBusValue { .structure([.string(name), .variant(value)]) }
        // Without `no-env-expand`, systemd would expand text that looks like a variable, such as $$
        // in an address.
        let command = DBusValue.structure([.string(arguments[0]), .strings(arguments), .strings(["no-env-expand"])])
        var properties = [
            property("Description", .string("An app that Baton started")),
            property("Type", .string("exec")),
            property("ExitType", .string("cgroup")),
            property("CollectMode", .string("inactive-or-failed")),
            property("Slice", .string("app.slice")),
            property("ExecStartEx", .array(elementSignature: "(sasas)", [command])),
            property("Environment", .strings(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })),
        ]
        if let directory { properties.append(property("WorkingDirectory", .string(directory))) }
        return properties
    }

    /// Returns the unit name `app-ID@RANDOM.service`, with the id escaped as in systemd-escape(1).
    static func unitName(_ identifier: String) -> String {
        let escaped = identifier.utf8.prefix(150).map { byte -> String in
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "_.:".contains(character))
            return isPlain ? String(character) : "\\x" + byte.hexadecimal()
        }
        return "app-\(escaped.joined())@\(UInt64.random(in: .min ... .max)).service"
    }
}

// MARK: - A child process

extension ProgramStarter {
    private func startChild(
        _ arguments: [String], directory: String?, environment: [String: String]
    ) async throws -> Started {
        let child: ChildProcess
        do {
            child = try await ChildProcess(
                arguments[0], Array(arguments.dropFirst()),
                environment: .own(adding: environment),
                directory: directory ?? BaseDirectories.home.path)
        } catch {
            var failure = BatonError(
                .applicationFailed, .appCrashed, ["reason": .reason(Reason(.serviceUnrunnable))])
            failure.detail = "\(arguments[0]): \(error)"
            throw failure
        }
        let (ends, end) = AsyncStream.makeStream(of: End.self)
        Task {
            switch try? await child.end {
            case .exited(0): end.yield(.well)
            case .exited(let status): end.yield(.failed(.exited(status)))
            case .killed(let signal): end.yield(.failed(.killed(signal)))
            case nil: break
            }
            end.finish()
        }
        return Started(ends: ends)
    }
}

extension Reason {
    /// Returns the reason for a program that ended with a status. The program's name is added
    /// later.
    static func exited(_ status: Int32) -> Reason { Reason(.programExited, ["status": .count(Int(status))]) }

    /// Returns the reason for a program that a signal ended. The program's name is added later.
    static func killed(_ signal: Int32) -> Reason { Reason(.programKilled, ["signal": .count(Int(signal))]) }
}
