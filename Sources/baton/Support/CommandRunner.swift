// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import ChildProcesses
import FoundationEssentials
import Glibc

/// Runs the command of `baton serve`, once for each activity.
actor CommandRunner {
    /// A command that still runs after this time counts as having taken the activity over.
    /// Otherwise the other device would wait, for example, until the user closes an editor.
    static let patience = Duration.seconds(5)
    /// The time limit for an answer to the daemon, even if the command has not started. The daemon
    /// waits for 60 s.
    static let limit = Duration.seconds(55)
    /// How long commands may take to end after SIGTERM.
    private static let farewell = Duration.seconds(2)

    private let command: ShellCommand
    private let patience: Duration
    private let limit: Duration
    private let places: CommandPlaces
    private var lastJob = 0
    private var jobs: [Int: Task<Void, Never>] = [:]
    /// The jobs whose input is not complete.
    private var waiting: Set<Int> = []
    private var children: [Int: ChildProcess] = [:]
    /// For each job without a decision, the stream that reports whether the activity was taken
    /// over. An element means that the command has started.
    private var undecided: [Int: AsyncThrowingStream<Void, any Error>.Continuation] = [:]
    private var isEnding = false

    init(
        _ command: ShellCommand, places: CommandPlaces = CommandPlaces(), patience: Duration = CommandRunner.patience,
        limit: Duration = CommandRunner.limit
    ) {
        self.command = command
        self.places = places
        self.patience = patience
        self.limit = limit
    }

    /// The number of jobs that are prepared or run. For tests.
    var count: Int { jobs.count }

    /// Throws if another command could neither run nor wait.
    func check() async throws { try await places.check() }

    /// Runs the command. Returns when the command has succeeded or has run for ``patience``, or
    /// when ``limit`` has passed.
    ///
    /// - Parameters:
    ///   - name: The activity's name, for a failure that comes after this function has returned.
    ///   - input: Returns the command's input.
    /// - Throws: ``BatonError`` with `applicationFailed` if the command has failed, or with
    ///   `notReady` if there was no place for it. Also throws the error of `input`.
    func run(for name: String, input: @escaping @Sendable () async throws -> CommandInput) async throws {
        let end = ContinuousClock.now + limit
        try await places.take()
        lastJob += 1
        let number = lastJob
        let (answer, sink) = AsyncThrowingStream.makeStream(of: Void.self)
        undecided[number] = sink
        jobs[number] = Task {
            do {
                try await carryOut(number, input) { sink.yield() }
                decide(number)
            } catch {
                let failure = isEnding && error is CancellationError ? Self.ending : error
                if !decide(number, failure) { Output.note("baton: \(name) was taken over, but then: \(failure)") }
            }
            waiting.remove(number)
            (jobs[number], children[number]) = (nil, nil)
            await places.give()
        }
        func finish(at time: ContinuousClock.Instant) -> Task<Void, any Error> {
            Task {
                try await Task.sleep(until: time)
                decide(number)
            }
        }
        var clocks = [finish(at: end)]
        defer { for clock in clocks { clock.cancel() } }
        do {
            for try await _ in answer { clocks.append(finish(at: .now + patience)) }
        } catch let error as BatonError where error.code == .applicationFailed {
            throw BatonError(.applicationFailed, appMessage: "\(error.message), so it has not taken the activity over")
        }
    }

    /// Decides whether a job has taken its activity over. Only the first decision counts.
    ///
    /// - Parameter error: The reason why the job has not taken the activity over, or `nil` if it
    ///   has.
    /// - Returns: Whether this was the first decision.
    @discardableResult
    private func decide(_ number: Int, _ error: (any Error)? = nil) -> Bool {
        guard let sink = undecided.removeValue(forKey: number) else { return false }
        sink.finish(throwing: error)
        return true
    }

    /// Ends all commands and their descendants, and waits until they are gone.
    func end() async {
        isEnding = true
        await places.close()
        for (number, job) in jobs where waiting.contains(number) { job.cancel() }
        await withTaskGroup { group in
            for child in children.values {
                group.addTask { await child.endGroup(within: Self.farewell) }
            }
        }
        while let job = jobs.values.first { await job.value }
    }

    private func carryOut(
        _ number: Int, _ getInput: @Sendable () async throws -> CommandInput, started: () -> Void
    ) async throws {
        // This command may have got its place just before ``end()`` was called.
        guard !isEnding else { throw Self.ending }
        waiting.insert(number)
        let input = try await getInput()
        waiting.remove(number)
        defer { input.received?.remove() }
        let file = try Self.file(input.text)
        let child = try await command.start(
            input: file.forChild, output: .inherited,
            environment: input.environment)
        children[number] = child
        started()
        if isEnding { child.sendToGroup(SIGKILL) }
        if let failure = try await child.end.failure {
            throw BatonError(.applicationFailed, appMessage: "its command \(failure)")
        }
    }

    private static let ending = BatonError(.notReady, appMessage: "baton serve has ended")

    /// Returns a file in memory that contains the text. Unlike a pipe, such a file can be filled
    /// even if the command does not read it.
    private static func file(_ text: String) throws -> OpenDescriptor {
        let name = "/baton-" + UUID().uuidString
        let descriptor = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0o600)
        guard descriptor >= 0 else { throw ToolFailure("cannot keep the activity", errno: errno) }
        shm_unlink(name)
        let file = OpenDescriptor(descriptor)
        try Descriptor.writeAll(Array(text.utf8)[...], to: descriptor, called: "the command")
        lseek(descriptor, 0, SEEK_SET)
        return file
    }
}
