// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Threads
import TraceModel
import UnixSignals

/// Records a trace from the daemon's events and the user's marks.
struct TraceRecording: Sendable {
    /// The largest number of lines: 28 a second for an hour.
    static let maximumLines = 100_000

    private enum Step: Sendable {
        case told([UInt8])
        case marked(String)
        /// The user has ended the trace. Events that the daemon has already sent still belong to
        /// the trace.
        case stopped
        case over
    }

    private let files: TraceFiles
    private let limit: Duration?

    init(_ files: TraceFiles, for limit: Duration?) {
        self.files = files
        self.limit = limit
    }

    /// Records until a signal arrives, the time is over, the trace is full, or the daemon ends the
    /// trace.
    ///
    /// - Returns: The lines.
    func run(
        from source: OpenDescriptor, until signals: some AsyncSequence<UnixSignal, Never> & Sendable
    ) async throws -> [TraceLine] {
        let (steps, sink) = AsyncStream.makeStream(of: Step.self, bufferingPolicy: .bufferingOldest(4_096))
        Self.read(source, into: sink)
        var feeds = [
            Task {
                for await _ in signals { Self.stop(source, sink) }
            }
        ]
        if let limit {
            feeds.append(
                Task {
                    try? await Task.sleep(for: limit)
                    Self.stop(source, sink)
                })
        }
        defer { for feed in feeds { feed.cancel() } }
        return try await record(steps) { sink.yield(.marked($0)) }
    }

    private func record(
        _ steps: AsyncStream<Step>, mark: @escaping @Sendable (String) -> Void
    ) async throws -> [TraceLine] {
        var (lines, marks, isStopped) = ([TraceLine](), 0, false)
        var typing: Task<Void, Never>?
        defer { typing?.cancel() }
        for await step in steps {
            switch step {
            case .told(let text):
                guard let line = TraceLine(text) else { continue }
                // Start to read marks only after the first event, because the trace begins with
                // that event.
                if lines.isEmpty, Self.mayRead(STDIN_FILENO) {
                    typing = Task { for await line in TypedLines().stream() { mark(line) } }
                }
                lines.append(line)
                try files.append(text + [UInt8(ascii: "\n")])
            case .marked(let text):
                marks += 1
                let line = TraceLine(.trace, "mark", about: ["text": text.isEmpty ? "\(marks)" : text])
                lines.append(line)
                if let text = line.encoded { try files.append(text) }
                Output.note("marked")
            case .stopped: isStopped = true
            case .over:
                if !isStopped { Output.warn(Self.endedByDaemon) }
                return lines
            }
            if lines.count >= Self.maximumLines {
                Output.warn("the trace ends here: it has \(Self.maximumLines) lines")
                return lines
            }
        }
        return lines
    }

    private static func read(_ source: OpenDescriptor, into sink: AsyncStream<Step>.Continuation) {
        OwnThread.startOrDoHere {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
            defer { buffer.deallocate() }
            var lines = LineSplitter(limit: TraceLine.maximumLength)
            while let count = try? Descriptor.read(into: buffer, from: source.number, called: "the trace"), count > 0 {
                for line in lines.take(buffer[..<count]) { line.text.map { _ = sink.yield(.told([UInt8]($0))) } }
            }
            sink.yield(.over)
        }
    }

    private static let endedByDaemon =
        "batond has ended the trace, which is kept: an hour was over, or batond ended (see 'baton status')"

    /// Ends the trace after the lines that the daemon has already sent. These lines are still in
    /// the socket, to which the daemon can send no more.
    private static func stop(_ source: OpenDescriptor, _ sink: AsyncStream<Step>.Continuation) {
        sink.yield(.stopped)
        if shutdown(source.number, Int32(SHUT_RD)) != 0 { sink.yield(.over) }
    }

    /// Returns whether this program may read the descriptor. If a program in the background reads
    /// from a terminal, the kernel stops it.
    private static func mayRead(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 0 || tcgetpgrp(descriptor) == getpgrp()
    }
}
