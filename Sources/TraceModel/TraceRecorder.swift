// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The destination of a trace's lines.
public protocol TraceSink: Sendable {
    /// Writes a line or drops it, without waiting.
    func write(_ line: [UInt8]) -> TraceSinkOutcome
    /// Whether the reader is gone.
    var isOver: Bool { get }
}

/// The result of writing a line.
public enum TraceSinkOutcome: Sendable {
    case written
    /// The reader is slow, so the line was dropped.
    case dropped
    /// The reader is gone.
    case over
}

/// Sends events to all running recordings.
///
/// Usually no recording is running. In that case recording an event only reads a flag.
public final class TraceRecorder: Sendable {
    /// The maximum number of simultaneous recordings.
    public static let maximumRecordings = 4
    /// The longest recording, in seconds.
    public static let maximumDuration = 3_600.0
    /// The least time between two lines about an event that happens all the time, in seconds.
    ///
    /// Hearing a device is such an event.
    static let interval = 1.0
    /// The maximum number of devices for which the times of such lines are kept.
    static let maximumKeys = 256

    fileprivate struct Recording: Sendable {
        var mask: TraceMask
        let sink: any TraceSink
        let end: Double
        var dropped = 0
        /// The time of the last line for each such event and device.
        var told: [String: Double] = [:]
    }

    private let recordings = Mutex<[Recording]>([])
    private let isRecording = Atomic(false)
    private let lastSpan = Atomic<UInt64>(0)

    /// The longest recording, in seconds.
    private let duration: Double

    /// Creates a recorder without recordings.
    public init() { duration = Self.maximumDuration }

    /// Creates a recorder whose recordings last at most this many seconds.
    init(lasting duration: Double) { self.duration = duration }

    /// The number of running recordings.
    public var count: Int { recordings.withLock { $0.count } }

    /// Begins a recording.
    ///
    /// - Parameters:
    ///   - sink: The destination of the lines. The recording ends when the sink's reader is gone.
    ///   - details: The private facts to include.
    ///   - about: The facts about this device and its daemon.
    /// - Returns: False if too many recordings are running, or the sink does not accept the first
    ///   line.
    public func begin(to sink: any TraceSink, revealing details: Set<TraceDetail>, about: [String: String]) -> Bool {
        recordings.withLock { recordings in
            let first = TraceLine(.trace, "begin", about: about)
            // Remove ended recordings first. A reader that left, or a time limit that passed, is
            // only noticed at an event.
            recordings.removeAll { $0.sink.isOver || $0.end <= first.at }
            guard recordings.count < Self.maximumRecordings else { return false }
            guard let line = first.encoded, sink.write(line) == .written else { return false }
            recordings.append(Recording(mask: TraceMask(revealing: details), sink: sink, end: first.at + duration))
            isRecording.store(true, ordering: .relaxed)
            return true
        }
    }

    /// Records an event.
    ///
    /// - Parameter key: The subject of an event that happens all the time, such as a device. For
    ///   each subject, only one such event per second is recorded. If nil, every event is recorded.
    public func record(
        _ lane: TraceLine.Lane, _ event: String, key: String? = nil, _ fields: @autoclosure () -> [TraceField] = []
    ) {
        guard isRecording.load(ordering: .relaxed) else { return }
        write(lane, event, key: key, fields: fields())
    }

    /// Records the beginning of something that lasts.
    ///
    /// - Returns: The number to pass to ``end(_:_:_:_:)``.
    public func begin(
        _ lane: TraceLine.Lane, _ event: String, _ fields: @autoclosure () -> [TraceField] = []
    ) -> UInt64 {
        let span = lastSpan.add(1, ordering: .relaxed).newValue
        if isRecording.load(ordering: .relaxed) { write(lane, event, span: span, phase: .begin, fields: fields()) }
        return span
    }

    /// Records the end of something that lasts.
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

    /// - Returns: Whether the recording continues.
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
