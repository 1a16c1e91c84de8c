// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import FoundationEssentials
import Glibc

/// The complete data of an activity's stream, in a file that only this user can read.
struct ReceivedStream: Sendable {
    static let patience = Duration.seconds(3_600)

    let path: String
    private let directory: URL
    private let share: StreamRoom.Share

    /// Receives all data of a pair of streams. This side sends nothing.
    ///
    /// - Parameters:
    ///   - streams: The pair of streams. The streams are closed at the end.
    ///   - room: The limit for received data. The data counts against it while this object exists.
    ///   - parent: The directory in which to make the file's directory.
    ///   - giveUp: Tells the daemon to abort the streams.
    ///   - waitForEnd: Returns when the daemon reports that the data is complete. Throws if the
    ///     streams broke.
    /// - Throws: The reason why the data is not complete. In this case no file is left.
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

    /// Removes the file and its directory, if they still exist.
    func remove() { try? FileManager.default.removeItem(at: directory) }

    /// Runs a closure, and cancels it at a time limit.
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
