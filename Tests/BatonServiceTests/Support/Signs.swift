// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import DirectoryWatching
import Foundation
import Logging
import NIOCore
import Synchronization
import TraceModel

/// The signs of activity that the devices of a world give.
///
/// A test that waits for a state of a service checks it only after signs of a certain kind. No sign
/// exists only for tests. Each sign is an event of a radio or clock that the test gave to the
/// service, or data that a user can record or read.
final class Signs: Sendable {
    /// A kind of sign. A sign comes after the change that it reports, or in the same job of the
    /// service's actor.
    enum Sign: Hashable, Sendable {
        /// The service has handled an event of its radio.
        case radioEvent
        /// A line of the device's trace (`Documentation/Trace.md`).
        case traceLine
        /// A line of the device's log.
        case logLine
        /// A task of the device is about to sleep on the device's clock.
        case sleep
        /// The device has written its state to disk.
        case stateWrite
    }

    /// The number of lines to keep for a failed test.
    private static let maximumLines = 400

    private let counts = Watched<[Sign: Int]>([:])
    private let said = Mutex<[String]>([])
    private let directories = Mutex<[String]>([])

    /// Gives a sign.
    func give(_ sign: Sign) { counts.change { $0[sign, default: 0] += 1 } }

    /// Stores a line of a trace or a log, and drops the oldest line if there are too many.
    private func keep(_ line: String) { said.withLock { $0 = $0.suffix(Self.maximumLines - 1) + [line] } }

    /// Returns whether a line with this beginning was kept.
    func hasLine(_ beginning: String) -> Bool { said.withLock { $0.contains { $0.hasPrefix(beginning) } } }

    /// Prints the last lines of all traces and logs, once.
    func printLines() {
        let lines = said.withLock { lines in
            defer { lines = [] }
            return lines
        }
        // Print in one call, because tests run in parallel.
        if !lines.isEmpty { print(lines.joined(separator: "\n")) }
    }

    /// Adds the directory of a device's state, so that writes to it give signs.
    func include(directory: String) { directories.withLock { $0.append(directory) } }

    /// Waits until a condition holds. It checks the condition at the start, and after each sign of
    /// the given kinds.
    ///
    /// - Throws: ``Missing`` if the task is cancelled first, for example at a test's time limit.
    func until(
        _ what: String, after signs: Set<Sign>, isolation: isolated (any Actor)? = #isolation,
        _ condition: () async throws -> Bool
    ) async throws {
        let watching = signs.contains(.stateWrite) ? watchState() : nil
        defer { watching?.cancel() }
        while true {
            let seen = Self.sum(counts.value, of: signs)
            if try await condition() { return }
            try await counts.wait(what) { Self.sum($0, of: signs) > seen ? () : nil }
        }
    }

    private static func sum(_ counts: [Sign: Int], of signs: Set<Sign>) -> Int {
        signs.reduce(0) { $0 + counts[$1, default: 0] }
    }

    /// Gives a sign for each write from now on, until the task is cancelled.
    private func watchState() -> Task<Void, Never> {
        let watch = DirectoryWatch(directories.withLock(\.self))
        return Task {
            while !Task.isCancelled {
                await DirectoryWatch.change(watch)
                give(.stateWrite)
            }
        }
    }
}

extension Signs: TraceSink {
    func write(_ line: [UInt8]) -> TraceSinkOutcome {
        keep(String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines))
        give(.traceLine)
        return .written
    }

    var isOver: Bool { false }
}

extension Signs {
    /// Returns a device's logger. Each line gives a sign.
    func logger(of device: String) -> Logger {
        let handler = ClosureLogHandler { event in
            self.keep("\(device): \(event.level): \(event.message)")
            self.give(.logLine)
        }
        return Logger(label: device) { _ in handler }
    }

    /// Returns a clock that gives a sign before each sleep.
    func noting(_ clock: any DeviceClock) -> any DeviceClock { NotedClock(clock: clock, signs: self) }

    private struct NotedClock: DeviceClock {
        let clock: any DeviceClock
        let signs: Signs

        var unixTime: Int64 { clock.unixTime }
        var uptime: Duration { clock.uptime }

        func sleep(until uptime: Duration) async throws {
            signs.give(.sleep)
            try await clock.sleep(until: uptime)
        }
    }

    /// Returns a radio that gives a sign when its only consumer has handled an event.
    func noting(_ radio: any Radio) -> any Radio { NotedRadio(radio: radio, signs: self) }

    private struct NotedRadio: RadioProxy {
        let radio: any Radio
        let signs: Signs

        func events() -> AsyncStream<RadioEvent> {
            // The service asks for the next event after it has handled the last one.
            nonisolated(unsafe) var events = radio.events().makeAsyncIterator()
            return AsyncStream(unfolding: { [signs] in
                signs.give(.radioEvent)
                return await events.next()
            })
        }
    }
}
