// SPDX-License-Identifier: Apache-2.0

public import DBus
public import DesktopEntries
import FoundationEssentials
internal import Synchronization

/// Knows the variables of the user's session.
///
/// A unit of the user's systemd starts before the desktop, and the desktop tells only the manager
/// its environment. So a unit asks the manager, each time that it needs a variable. No signal tells
/// a change. Any other process has the variables of its start.
///
/// Source: org.freedesktop.systemd1(5), the manager's property `Environment`; systemd.exec(5) for
/// the variables that mark a unit.
public final class SessionEnvironment: Sendable {
    /// The session bus, where its manager has to be asked.
    private let manager: DBusConnection?
    private let clock: DesktopClock
    private let patience: Duration
    private let known: Mutex<Known>

    private struct Known: Sendable {
        var variables: SessionVariables
        /// The manager is asked nothing before.
        var nextQuestion = Duration.zero
    }

    /// How long the manager may take for an answer.
    static let patience = Duration.seconds(5)
    /// How long a manager is not asked that gave no answer.
    static let pause = Duration.seconds(30)

    /// Variables that stay as they are: those of this process's start, unless others are given.
    public convenience init(_ variables: SessionVariables = .ofProcess) { self.init(variables, manager: nil) }

    /// The variables that the user's manager has.
    ///
    /// - Parameters:
    ///   - bus: The session bus.
    ///   - start: Those that count until the manager has said its own.
    public convenience init(managerOn bus: DBusConnection, start: SessionVariables = .ofProcess) {
        self.init(start, manager: bus)
    }

    init(
        _ variables: SessionVariables, manager: DBusConnection?, clock: DesktopClock = DesktopClock(),
        patience: Duration = SessionEnvironment.patience
    ) {
        self.manager = manager
        self.clock = clock
        self.patience = patience
        known = Mutex(Known(variables: variables))
    }

    /// The session of this process: as the user's manager has it where this process is a unit of
    /// that manager, and else as it was at the start.
    public static func ofProcess(on bus: DBusConnection) -> SessionEnvironment {
        let process = ProcessInfo.processInfo
        return isUnit(process.environment, processID: process.processIdentifier)
            ? SessionEnvironment(managerOn: bus) : SessionEnvironment()
    }

    /// Whether a user's manager itself has started a process. The environment of a unit is also
    /// that of all programs which the unit starts, so `SYSTEMD_EXEC_PID` has to name the process.
    static func isUnit(_ environment: [String: String], processID: Int32) -> Bool {
        environment["MANAGERPID"] != nil && environment["SYSTEMD_EXEC_PID"] == String(processID)
    }

    /// The variables as they were known last.
    public var latest: SessionVariables { known.withLock { $0.variables } }

    /// The variables as they are now. Of a manager that does not answer the latest count.
    public func variables() async -> SessionVariables {
        guard let manager, clock.uptime() >= known.withLock(\.nextQuestion) else { return latest }
        let answer = try? await manager.call(
            destination: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1",
            interface: "org.freedesktop.DBus.Properties", member: "Get",
            arguments: [.string("org.freedesktop.systemd1.Manager"), .string("Environment")], timeout: patience)
        guard let assignments = answer?.first?.stringsValue else {
            // A task that was cancelled says nothing of the manager.
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
