// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// A program that this process has started. The program keeps running after this object is
/// released.
///
/// The program gets the given standard streams and no other descriptor of this process. No signal
/// is blocked or ignored in the program. The program has its own process group, so signals from the
/// terminal, as after Ctrl-C, do not reach it.
///
/// This class does not use Foundation's `Process`, whose children may inherit a descriptor that
/// another thread opens during the start (Decision 0029).
package final class ChildProcess: Sendable {
    /// The file behind one of the program's standard streams.
    package enum Stream: Sendable {
        /// No data: `/dev/null`.
        case none
        /// This process's own standard stream.
        case inherited
        /// An open file or one end of a pipe. The closure closes this process's descriptor once the
        /// program has its own copy.
        case descriptor(Int32, close: @Sendable () -> Void)
    }

    /// The program's environment variables.
    package enum Environment: Sendable {
        /// This process's variables, with the given variables set.
        case own(adding: [String: String])
        /// Only these variables.
        case only([String: String])
    }

    /// How the program ended.
    package enum End: Hashable, Sendable {
        /// The program exited with this status.
        case exited(Int32)
        /// The program was killed by this signal.
        case killed(Int32)

        /// The status as a shell reports it: the exit status, or 128 plus the signal.
        package var status: Int32 {
            switch self {
            case .exited(let status): status
            case .killed(let signal): 128 + signal
            }
        }
    }

    /// The process id. After the program has ended, another process may get the same id.
    package let processIdentifier: Int32
    private let life: Life
    private let ended: Task<End, any Error>

    private final class Life: Sendable {
        let isOver = Mutex(false)
    }

    /// Starts a program. Cancelling the task does not prevent the start.
    ///
    /// - Parameters:
    ///   - program: The program's path.
    ///   - arguments: The arguments after its own name.
    ///   - directory: The working directory, or `nil` for this process's own.
    /// - Throws: The reason why the program could not be started.
    package init(
        _ program: String, _ arguments: [String] = [], environment: Environment = .own(adding: [:]),
        directory: String? = nil, input: Stream = .none, output: Stream = .inherited, error: Stream = .inherited
    ) async throws {
        var options = PlatformOptions()
        options.processGroupID = 0
        let configuration = Configuration(
            executable: .path(FilePath(program)), arguments: Arguments(arguments),
            environment: environment.variables, workingDirectory: directory.map { FilePath($0) },
            platformOptions: options)
        let (starts, start) = AsyncThrowingStream.makeStream(of: Int32.self)
        let life = Life()
        ended = Task.detached {
            defer { life.isOver.withLock { $0 = true } }
            do {
                return try await Self.run(configuration, [input, output, error]) { start.yield($0) }
            } catch {
                start.finish(throwing: error)
                throw error
            }
        }
        self.life = life
        guard let number = try await Task.detached(operation: { try await starts.first { _ in true } }).value else {
            throw CancellationError()
        }
        processIdentifier = number
    }

    /// Waits for the program to end, and returns how it ended.
    ///
    /// - Throws: An error if the end cannot be determined, or `CancellationError` if the task is
    ///   cancelled.
    package var end: End {
        get async throws {
            let (ends, end) = AsyncThrowingStream.makeStream(of: End.self)
            Task { [ended] in
                do { end.yield(try await ended.value) } catch { end.finish(throwing: error) }
            }
            for try await value in ends { return value }
            throw CancellationError()
        }
    }

    /// Sends a signal to the program.
    ///
    /// - Returns: Whether the signal was sent. After the program has ended, the result is `false`.
    @discardableResult
    package func send(_ signal: Int32) -> Bool {
        life.isOver.withLock { isOver in !isOver && kill(processIdentifier, signal) == 0 }
    }

    /// Sends a signal to the program's process group: the program and its descendants.
    ///
    /// This works even after the program itself has ended. A descendant that has made its own group
    /// gets no signal.
    ///
    /// Linux does not reuse the group's number while a process is in the group. After that it first
    /// hands out all other process ids, at least 32,768 of them (`alloc_pid`). So a caller that has
    /// just seen the group or the end of the program cannot hit another group.
    ///
    /// - Returns: Whether the group has any process. With signal 0, the function only checks that.
    @discardableResult
    package func sendToGroup(_ signal: Int32) -> Bool { kill(-processIdentifier, signal) == 0 }

    /// Ends the program's process group, as ``sendToGroup(_:)`` finds it. Sends SIGTERM, and after
    /// a time SIGKILL to the processes that are left.
    ///
    /// Returns after the end of the group or after SIGKILL. Cancelling the task does not change
    /// this.
    ///
    /// - Parameter patience: The time from SIGTERM to SIGKILL.
    package func endGroup(within patience: Duration) async {
        guard sendToGroup(SIGTERM) else { return }
        let deadline = ContinuousClock.now + patience
        // A sleep of a cancelled task would not wait.
        await Task.detached { [self] in
            while sendToGroup(0) {
                guard .now < deadline else {
                    sendToGroup(SIGKILL)
                    return
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
        }.value
    }

    private static func run(
        _ configuration: Configuration, _ streams: [Stream], started: (Int32) -> Void
    ) async throws -> End {
        let (input, output, error) = (
            try streams[0].descriptor(.standardInput), try streams[1].descriptor(.standardOutput),
            try streams[2].descriptor(.standardError)
        )
        let outcome = try await Subprocess.run(
            configuration, input: .fileDescriptor(input, closeAfterSpawningProcess: streams[0].isNone),
            output: .fileDescriptor(output, closeAfterSpawningProcess: streams[1].isNone),
            error: .fileDescriptor(error, closeAfterSpawningProcess: streams[2].isNone)
        ) { execution in
            for case .descriptor(_, let close) in streams { close() }
            started(execution.processIdentifier.value)
        }
        switch outcome.terminationStatus {
        case .exited(let status): return .exited(status)
        case .signaled(let signal): return .killed(signal)
        }
    }
}

extension ChildProcess.Environment {
    fileprivate var variables: Subprocess.Environment {
        switch self {
        case .own(let added):
            .inherit.updating(
                Dictionary(
                    uniqueKeysWithValues: added.compactMap { name, value in Key(rawValue: name).map { ($0, value) } }))
        case .only(let variables): .custom(variables.map { Array("\($0)=\($1)\0".utf8) })
        }
    }

    private typealias Key = Subprocess.Environment.Key
}

extension ChildProcess.Stream {
    fileprivate var isNone: Bool { if case .none = self { true } else { false } }

    /// Returns the descriptor to pass to the program. For `none`, opens `/dev/null`.
    fileprivate func descriptor(_ own: FileDescriptor) throws -> FileDescriptor {
        switch self {
        case .none: try .open("/dev/null", .readWrite, options: .closeOnExec)
        case .inherited: own
        case .descriptor(let number, _): FileDescriptor(rawValue: number)
        }
    }
}
