// SPDX-License-Identifier: Apache-2.0

import BatonBus
import ChildProcesses
import FoundationEssentials
import Glibc

/// Runs the command of `baton serve`, once for each activity.
actor CommandRunner {
    /// A command that still runs then has taken the activity over: the other device is not to wait
    /// until an editor is closed.
    static let patience = Duration.seconds(5)
    /// When the daemon is answered at the latest, even if the command has not started: it waits for
    /// 60 s.
    static let limit = Duration.seconds(55)
    /// How long commands have to end once they are told to.
    private static let farewell = Duration.seconds(2)

    private let command: ShellCommand
    private let patience: Duration
    private let limit: Duration
    private let places: CommandPlaces
    private var lastJob = 0
    private var jobs: [Int: Task<Void, Never>] = [:]
    /// Those whose input is still on its way; and the commands of those that have come so far.
    private var waiting: Set<Int> = []
    private var children: [Int: ChildProcess] = [:]
    /// Who is to hear whether an activity is taken over, until that is decided. A word says that
    /// its command has started.
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

    /// How many are run, or prepared; for tests.
    var count: Int { jobs.count }

    /// Refuses what could not be run in time.
    func check() async throws { try await places.check() }

    /// Runs the command; returns when it has ended well, or goes on for a while, or when there is
    /// no more time for an answer.
    ///
    /// - Parameters:
    ///   - name: What it is for, in what is said of it when it fails after the answer.
    ///   - input: Gets what it is given.
    /// - Throws: ``BatonError``: `applicationFailed` when the command has failed, `notReady`
    ///   when there was no place for it; or what `input` throws.
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
            throw BatonError(.applicationFailed, "\(error.message), so it has not taken the activity over")
        }
    }

    /// Says whether an activity is taken over; what comes first counts.
    ///
    /// - Parameter error: Why it is not; nil when it is.
    /// - Returns: Whether this came first.
    @discardableResult
    private func decide(_ number: Int, _ error: (any Error)? = nil) -> Bool {
        guard let sink = undecided.removeValue(forKey: number) else { return false }
        sink.finish(throwing: error)
        return true
    }

    /// Ends all commands and what they have started, and waits until they have gone.
    func end() async {
        isEnding = true
        await places.close()
        for (number, job) in jobs where waiting.contains(number) { job.cancel() }
        var told = children.values.filter { $0.sendToGroup(SIGTERM) }
        let deadline = ContinuousClock.now + Self.farewell
        while !told.isEmpty, .now < deadline {
            try? await Task.sleep(for: .milliseconds(20))
            // The number of a group that has gone may become another's.
            told.removeAll { !$0.sendToGroup(0) }
        }
        for child in told { child.sendToGroup(SIGKILL) }
        while let job = jobs.values.first { await job.value }
    }

    private func carryOut(
        _ number: Int, _ getInput: @Sendable () async throws -> CommandInput, started: () -> Void
    ) async throws {
        // It may have got its place just before the others were ended.
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
            throw BatonError(.applicationFailed, "its command \(failure)")
        }
    }

    private static let ending = BatonError(.notReady, "baton serve has ended")

    /// A file in memory: nobody has to wait until a command reads it, or ever does.
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
