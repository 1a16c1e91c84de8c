// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Glibc
import Synchronization

/// Shows the progress of a command's streams in the last line of the terminal while they are open.
///
/// The daemon reports each change. No task runs while no bytes move.
final class StreamProgressLine: Sendable {
    /// How long streams are open before the line appears. Streams that end sooner show no line.
    private static let patience = Duration.milliseconds(500)
    private static let begun = ContinuousClock.now

    private struct State {
        var meter = StreamMeter()
        /// The tasks that follow the open pairs.
        var following: [String: Task<Void, Never>] = [:]
        /// Removes the rate from the line when no bytes move any more.
        var quiet: Task<Void, Never>?
    }

    private let bus: BatonBusClient
    private let line: StatusLine
    private let state = Mutex(State())

    /// Creates the line for a command, or returns nil if standard error is not a terminal, or if
    /// the streams themselves use the terminal.
    init?(for streams: StreamOptions, bus: BatonBusClient) {
        let usesTerminal =
            streams.usesStandardOutput && Terminal(STDOUT_FILENO).isTerminal
            || streams.streamFrom == "-" && Terminal(STDIN_FILENO).isTerminal
        guard Terminal(STDERR_FILENO).showsColours, !usesTerminal else { return nil }
        (self.bus, line) = (bus, .standardError)
    }

    /// Shows how far a pair of streams is, until the pair ends.
    func begin(_ stream: String) {
        state.withLock { state in state.following[stream] = Task { await self.follow(stream) } }
    }

    /// Forgets a pair. Without any, the line disappears.
    func end(_ stream: String) {
        state.withLock { state in
            state.following.removeValue(forKey: stream)?.cancel()
            state.quiet?.cancel()
            state.meter.remove(stream)
            show(&state)
        }
    }

    private func follow(_ stream: String) async {
        // A daemon of version 0.2 reports no progress.
        guard let reports = try? await bus.followStreams(stream) else { return }
        try? await Task.sleep(for: Self.patience)
        for await progress in reports {
            state.withLock { state in
                guard state.following[stream] != nil else { return }
                state.meter.update(stream, progress, at: Self.uptime)
                show(&state)
                state.quiet?.cancel()
                state.quiet = Task { await self.showAgain(after: StreamMeter.window) }
            }
        }
    }

    private func showAgain(after pause: Duration) async {
        guard (try? await Task.sleep(for: pause)) != nil else { return }
        state.withLock { state in if !Task.isCancelled { show(&state) } }
    }

    private func show(_ state: inout State) { line.show(state.meter.line(at: Self.uptime)) }

    private static var uptime: Duration { begun.duration(to: .now) }
}
