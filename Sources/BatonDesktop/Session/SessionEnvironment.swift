// SPDX-License-Identifier: Apache-2.0

public import DBus
public import DesktopEntries
import FoundationEssentials
internal import Synchronization

/// Provides the environment variables of the user's session.
///
/// A unit of the systemd user manager starts before the desktop, and the desktop gives its
/// environment only to that manager. No signal reports a change. So a unit asks the manager each
/// time that it needs a variable. Any other process uses the variables of its start.
///
/// Source: org.freedesktop.systemd1(5), the manager's property `Environment`; systemd.exec(5) for
/// the variables that mark a unit.
public final class SessionEnvironment: Sendable {
    /// The session bus for calls to the manager, or nil if the manager is not asked.
    private let manager: DBusConnection?
    private let clock: DesktopClock
    private let patience: Duration
    private let known: Mutex<Known>

    private struct Known: Sendable {
        var variables: SessionVariables
        /// The time before which the manager is not asked.
        var nextQuestion = Duration.zero
    }

    /// The time limit for the manager's answer.
    static let patience = Duration.seconds(5)
    /// How long to wait after the manager did not answer.
    static let pause = Duration.seconds(30)

    /// Creates an environment with fixed variables, by default the variables with which this
    /// process started.
    public convenience init(_ variables: SessionVariables = .ofProcess) { self.init(variables, manager: nil) }

    init(
        _ variables: SessionVariables, manager: DBusConnection?, clock: DesktopClock = DesktopClock(),
        patience: Duration = SessionEnvironment.patience
    ) {
        self.manager = manager
        self.clock = clock
        self.patience = patience
        known = Mutex(Known(variables: variables))
    }

    /// Returns the environment of this process's session.
    ///
    /// The environment asks the user manager if this process is one of the manager's units.
    /// Otherwise it has the variables of the process's start.
    public static func ofProcess(on bus: DBusConnection) -> SessionEnvironment {
        let process = ProcessInfo.processInfo
        return isUnit(process.environment, processID: process.processIdentifier)
            ? SessionEnvironment(.ofProcess, manager: bus) : SessionEnvironment()
    }

    /// Returns whether a user manager has started a process directly. All programs that a unit
    /// starts inherit its environment, so `SYSTEMD_EXEC_PID` must name this process.
    static func isUnit(_ environment: [String: String], processID: Int32) -> Bool {
        environment["MANAGERPID"] != nil && environment["SYSTEMD_EXEC_PID"] == String(processID)
    }

    /// The last known variables.
    public var latest: SessionVariables { known.withLock { $0.variables } }

    /// Returns the current variables, or the last known ones if the manager does not answer.
    public func variables() async -> SessionVariables {
        guard let manager, clock.uptime() >= known.withLock(\.nextQuestion) else { return latest }
        let answer = try? await manager.call(
            destination: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1",
            interface: "org.freedesktop.DBus.Properties", member: "Get",
            arguments: [.string("org.freedesktop.systemd1.Manager"), .string("Environment")], timeout: patience)
        guard let assignments = answer?.first?.stringsValue else {
            // A missing answer to a cancelled task does not mean that the manager hangs.
            if !Task.isCancelled { known.withLock { $0.nextQuestion = clock.uptime() + Self.pause } }
            return latest
        }
        let variables = SessionVariables(Self.environment(assignments))
        known.withLock { $0.variables = variables }
        return variables
    }

    private static func environment(_ assignments: [String]) -> [String: String] {
        var environment: [String: String] = [:]
        for assignment in assignments {
            let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { environment[String(parts[0])] = String(parts[1]) }
        }
        return environment
    }
}
