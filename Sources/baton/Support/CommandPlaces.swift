// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient

/// Limits the number of commands that run at the same time. Further commands wait in order, up to a
/// time limit.
actor CommandPlaces {
    /// The largest number of running commands, and also of waiting commands.
    static let maximum = 16
    /// How long a command may wait: less than the 60 s that an app has to answer.
    static let patience = Duration.seconds(50)

    private var free: Int
    private let maximumWaiting: Int
    private let patience: Duration
    private var waiting: [(number: Int, waiter: CheckedContinuation<Bool, Never>)] = []
    private var lastNumber = 0
    private var isClosed = false

    init(
        _ count: Int = CommandPlaces.maximum, waiting: Int = CommandPlaces.maximum,
        patience: Duration = CommandPlaces.patience
    ) {
        free = count
        maximumWaiting = waiting
        self.patience = patience
    }

    /// Throws if a new command could neither run nor wait.
    ///
    /// - Throws: ``BatonError`` with `notReady`.
    func check() throws {
        guard !isClosed, free > 0 || waiting.count < maximumWaiting else { throw Self.full }
    }

    /// Takes a place. Call ``give()`` to return it.
    ///
    /// - Throws: ``BatonError`` with `notReady` when no place becomes free in time.
    func take() async throws {
        try check()
        guard free == 0 else {
            free -= 1
            return
        }
        lastNumber += 1
        let number = lastNumber
        let clock = Task {
            try await Task.sleep(for: patience)
            giveUp(number)
        }
        let isMine = await withCheckedContinuation { waiting.append((number, $0)) }
        clock.cancel()
        guard isMine else { throw Self.full }
    }

    /// Gives a place back. The command that has waited longest gets it.
    func give() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().waiter.resume(returning: true) }
    }

    /// Refuses the waiting commands and all new ones.
    func close() {
        isClosed = true
        for (_, waiter) in waiting { waiter.resume(returning: false) }
        waiting = []
    }

    private func giveUp(_ number: Int) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: index).waiter.resume(returning: false)
    }

    private static let full = BatonError(
        .notReady, appMessage: "as many commands run as may at once; try again when one of them has ended")
}
