// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where the lines of a trace go.
public protocol TraceSink: Sendable {
    /// Takes a line, or drops it; waits for nothing.
    func write(_ line: [UInt8]) -> TraceSinkOutcome
    /// Whether there is no reader any more.
    var isOver: Bool { get }
}

/// What became of a line.
public enum TraceSinkOutcome: Sendable {
    case written
    /// The reader is slow.
    case dropped
    /// There is no reader any more.
    case over
}

/// Tells what happens to whoever records it: nobody, most of the time, and then it costs a look at
/// a flag.
public final class TraceRecorder: Sendable {
    /// How many may record at a time.
    public static let maximumRecordings = 4
    /// How long one may record, in seconds.
    public static let maximumDuration = 3_600.0
    /// Between two lines of what happens without end, such as that a device is heard, in seconds.
    static let interval = 1.0
    /// How many devices such lines are counted for.
    static let maximumKeys = 256

    fileprivate struct Recording: Sendable {
        var mask: TraceMask
        let sink: any TraceSink
        let end: Double
        var dropped = 0
        /// When something was told last, by what and whom it was about.
        var told: [String: Double] = [:]
    }

    private let recordings = Mutex<[Recording]>([])
    private let isRecording = Atomic(false)
    private let lastSpan = Atomic<UInt64>(0)

    /// How long each may record, in seconds.
    private let duration: Double

    /// A recorder that nobody listens to yet.
    public init() { duration = Self.maximumDuration }

    /// One whose recordings last so many seconds.
    init(lasting duration: Double) { self.duration = duration }

    /// How many record now.
    public var count: Int { recordings.withLock { $0.count } }

    /// Begins a recording.
    ///
    /// - Parameters:
    ///   - sink: Where it goes, until that is over.
    ///   - details: What it says beside what everybody may read.
    ///   - about: What is to be known of this device and its daemon.
    /// - Returns: False where too many record already.
    public func begin(to sink: any TraceSink, revealing details: Set<TraceDetail>, about: [String: String]) -> Bool {
        recordings.withLock { recordings in
            let first = TraceLine(.trace, "begin", about: about)
            // Where nothing happens, nobody has noticed yet that a reader has gone, or its time.
            recordings.removeAll { $0.sink.isOver || $0.end <= first.at }
            guard recordings.count < Self.maximumRecordings else { return false }
            guard let line = first.encoded, sink.write(line) == .written else { return false }
            recordings.append(
                Recording(mask: TraceMask(revealing: details), sink: sink, end: first.at + duration))
            isRecording.store(true, ordering: .relaxed)
            return true
        }
    }

    /// Tells of something that happened.
    ///
    /// - Parameter key: What it is about, where it happens without end: of such only one in a
    ///   second is told.
    public func record(
        _ lane: TraceLine.Lane, _ event: String, key: String? = nil, _ fields: @autoclosure () -> [TraceField] = []
    ) {
        guard isRecording.load(ordering: .relaxed) else { return }
        write(lane, event, key: key, fields: fields())
    }

    /// Tells of something that begins, and lasts.
    ///
    /// - Returns: What ``end(_:_:_:_:)`` is told.
    public func begin(
        _ lane: TraceLine.Lane, _ event: String, _ fields: @autoclosure () -> [TraceField] = []
    ) -> UInt64 {
        let span = lastSpan.add(1, ordering: .relaxed).newValue
        if isRecording.load(ordering: .relaxed) { write(lane, event, span: span, phase: .begin, fields: fields()) }
        return span
    }

    /// Tells of its end.
    public func end(
        _ span: UInt64, _ lane: TraceLine.Lane, _ event: String, _ fields: @autoclosure () -> [TraceField] = []
    ) {
        guard isRecording.load(ordering: .relaxed) else { return }
        write(lane, event, span: span, phase: .end, fields: fields())
    }

    private func write(
        _ lane: TraceLine.Lane, _ event: String, span: UInt64? = nil, phase: TraceLine.Phase? = nil,
        key: String? = nil, fields: [TraceField]
    ) {
        let now = TraceLine.now
        recordings.withLock { recordings in
            for index in recordings.indices.reversed() {
                if let key, !recordings[index].mayTell("\(event) \(key)", at: now) { continue }
                let about = recordings[index].mask.about(fields)
                let line = TraceLine(lane, event, span: span, phase: phase, about: about, at: now)
                if !recordings[index].write(line) { recordings.remove(at: index) }
            }
            isRecording.store(!recordings.isEmpty, ordering: .relaxed)
        }
    }
}

extension TraceRecorder.Recording {
    fileprivate mutating func mayTell(_ key: String, at now: Double) -> Bool {
        if let last = told[key], now < last + TraceRecorder.interval { return false }
        if told.count >= TraceRecorder.maximumKeys { told = told.filter { now < $0.value + TraceRecorder.interval } }
        guard told.count < TraceRecorder.maximumKeys else { return false }
        told[key] = now
        return true
    }

    /// - Returns: Whether it goes on.
    fileprivate mutating func write(_ line: TraceLine) -> Bool {
        guard line.at < end else { return false }
        if dropped > 0 {
            let gap = TraceLine(.trace, "dropped", about: ["lines": "\(dropped)"], at: line.at)
            guard let text = gap.encoded else { return false }
            switch sink.write(text) {
            case .written: dropped = 0
            case .dropped: break
            case .over: return false
            }
        }
        guard dropped == 0, let text = line.encoded else {
            dropped += 1
            return true
        }
        switch sink.write(text) {
        case .written: break
        case .dropped: dropped += 1
        case .over: return false
        }
        return true
    }
}
