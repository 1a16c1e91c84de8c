// SPDX-License-Identifier: GPL-3.0-or-later

import Logging

/// Reports to systemd that the daemon makes progress, after it has seen that all parts do.
///
/// A round asks every part that a hand-over needs, one after the other, and then reports to
/// systemd. If a part hangs, the rounds end, and systemd restarts the daemon.
struct Watchdog: Sendable {
    /// A part of the daemon. When it responds, the round continues.
    struct Part: Sendable {
        /// The part's name, which helps to find a part that hangs.
        let name: String
        /// Returns when the part has finished its earlier work.
        let respond: @Sendable () async throws -> Void
    }

    let manager: ServiceManager
    let parts: [Part]
    let logger: Logger

    /// Runs rounds until the task is cancelled, three in each watchdog interval. Returns at once if
    /// systemd has no watchdog.
    func run() async {
        guard let interval = manager.watchdogInterval else { return }
        while !Task.isCancelled {
            do { try await round() } catch { logger.warning("\(error), ignoring") }
            try? await Task.sleep(for: interval / 3)
        }
    }

    /// Runs one round, and reports to systemd at its end.
    ///
    /// - Throws: A part's error with the part's name, or `ServiceManager.Failure` if systemd cannot
    ///   be reached.
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
