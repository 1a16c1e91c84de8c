// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// A program that this one started; it goes on when nobody holds this any more.
///
/// It has the standard streams that it was given, and no other descriptor of this program's; no
/// signal is blocked or ignored in it, and its process group is its own, so that what a terminal
/// tells this program does not reach it. Not Foundation's `Process`, whose children may keep what
/// another thread opens while they are started (Decision 0029).
package final class ChildProcess: Sendable {
    /// One of its standard streams.
    package enum Stream: Sendable {
        /// Nothing: `/dev/null`.
        case none
        /// This program's own.
        case inherited
        /// An open file, or one end of a pipe, and how this program closes it once the child has
        /// it.
        case descriptor(Int32, close: @Sendable () -> Void)
    }

    /// Its environment.
    package enum Environment: Sendable {
        /// This program's, with these variables set.
        case own(adding: [String: String])
        /// These variables alone.
        case only([String: String])
    }

    /// How it ended.
    package enum End: Hashable, Sendable {
        /// By itself, with this status.
        case exited(Int32)
        /// By this signal.
        case killed(Int32)

        /// As a shell says it: the status, or 128 and the signal.
        package var status: Int32 {
            switch self {
            case .exited(let status): status
            case .killed(let signal): 128 + signal
            }
        }
    }

    /// Its number, which another may have once it has ended.
    package let processIdentifier: Int32
    private let life: Life
    private let ended: Task<End, any Error>

    private final class Life: Sendable {
        let isOver = Mutex(false)
    }

    /// Starts one. A task that is cancelled meanwhile has it started all the same.
    ///
    /// - Parameters:
    ///   - program: Its path.
    ///   - arguments: Those after its own name.
    ///   - directory: Where it runs; nil for where this program does.
    /// - Throws: Why it could not be started.
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

    /// How it ended, once it has.
    ///
    /// - Throws: Why that cannot be known; `CancellationError`, while it goes on.
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

    /// Sends it a signal.
    ///
    /// - Returns: Whether it was sent; not once it has ended.
    @discardableResult
    package func send(_ signal: Int32) -> Bool {
        life.isOver.withLock { isOver in !isOver && kill(processIdentifier, signal) == 0 }
    }

    /// Sends a signal to all that is in its process group: to it, and to what it has started, even
    /// when it has ended itself.
    ///
    /// Nothing else has the group's number as long as something is in it, and after that not before
    /// Linux has given all others out, for it goes through them in turn (`alloc_pid`, at least
    /// 32,768): who has just seen something in it, or the end of this, reaches nothing else. What
    /// has made a group of its own is not reached.
    ///
    /// - Returns: Whether there was anything; 0 as the signal only looks.
    @discardableResult
    package func sendToGroup(_ signal: Int32) -> Bool { kill(-processIdentifier, signal) == 0 }

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

    /// What the child gets; for `none` it is opened for it alone.
    fileprivate func descriptor(_ own: FileDescriptor) throws -> FileDescriptor {
        switch self {
        case .none: try .open("/dev/null", .readWrite, options: .closeOnExec)
        case .inherited: own
        case .descriptor(let number, _): FileDescriptor(rawValue: number)
        }
    }
}
