// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import FoundationEssentials
import Glibc

/// What came by an activity's stream, whole: a file in a directory of its own, for this user alone.
struct ReceivedStream: Sendable {
    /// How long it may take.
    static let patience = Duration.seconds(3_600)

    let path: String
    private let directory: URL
    private let share: StreamRoom.Share

    /// Receives it. This side sends nothing.
    ///
    /// - Parameters:
    ///   - streams: The pair, which is closed at the end.
    ///   - room: What it takes a share of, as long as this is held.
    ///   - parent: Where its directory is made.
    ///   - giveUp: Tells the daemon that it is not wanted any more.
    ///   - waitForEnd: Returns when the daemon says that it is whole; throws when it was cut.
    /// - Throws: Why it is not whole; there is then no file.
    init(
        _ streams: ContinuationStreams, room: StreamRoom, in parent: URL = FileManager.default.temporaryDirectory,
        patience: Duration = Self.patience,
        giveUp: @escaping @Sendable () async -> Void, waitForEnd: @escaping @Sendable () async throws -> Void
    ) async throws {
        directory = parent.appending(path: "baton-\(UUID().uuidString)")
        let share = StreamRoom.Share(of: room)
        self.share = share
        path = directory.appending(path: "stream").path
        let target: StreamTarget
        do {
            guard mkdir(directory.path, 0o700) == 0 else {
                throw ToolFailure(
                    "cannot receive into \(parent.path), which TMPDIR can name otherwise", errno: errno,
                    status: .cannotWrite)
            }
            target = .file(try NewFile(path: path, mode: 0o600), replaces: false, name: path)
        } catch {
            close(streams.descriptor)
            remove()
            throw error
        }
        let pump = StreamPump(streams: streams, source: nil, target: target, admit: share.take)
        do {
            try await Self.run(patience) { _ = try await pump.run(giveUp: giveUp, waitForEnd: waitForEnd) }
        } catch {
            remove()
            throw error
        }
    }

    /// Removes it, unless it has been taken away.
    func remove() { try? FileManager.default.removeItem(at: directory) }

    /// Runs something that can be cancelled, for so long at most.
    private static func run(_ patience: Duration, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task(operation: body)
        let clock = Task {
            try await Task.sleep(for: patience)
            task.cancel()
        }
        defer { clock.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch  where task.isCancelled && !Task.isCancelled {
            throw ToolFailure("the stream had not ended after \(patience.inSeconds) s", status: .unreachable)
        }
    }
}
