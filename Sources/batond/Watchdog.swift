// SPDX-License-Identifier: GPL-3.0-or-later

import Logging

/// Tells systemd that the daemon makes progress, and only what has been seen to make it.
///
/// A round goes through every part that a hand-over needs, one after the other; only then is
/// systemd told. A part that hangs ends the rounds, whatever the others do, and systemd starts the
/// daemon anew.
struct Watchdog: Sendable {
    /// A part of the daemon: once it responds, the round goes on.
    struct Part: Sendable {
        /// What it is, for whoever looks for the one that hangs.
        let name: String
        /// Returns once the part has worked off what it had to do before.
        let respond: @Sendable () async throws -> Void
    }

    let manager: ServiceManager
    let parts: [Part]
    let logger: Logger

    /// Rounds until the task is cancelled, three for each time that systemd waits; returns at once
    /// when it does not wait.
    func run() async {
        guard let interval = manager.watchdogInterval else { return }
        while !Task.isCancelled {
            do { try await round() } catch { logger.warning("\(error), ignoring") }
            try? await Task.sleep(for: interval / 3)
        }
    }

    /// One round; systemd is told at its end.
    ///
    /// - Throws: What a part throws, with its name; `ServiceManager.Failure` when systemd cannot be
    ///   told.
    func round() async throws {
        for part in parts {
            logger.trace("watchdog: \(part.name)")
            do {
                try await part.respond()
            } catch {
                throw ServiceManager.Failure(description: "the watchdog finds the \(part.name) at fault (\(error))")
            }
        }
        try manager.alive()
    }
}
