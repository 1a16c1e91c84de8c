// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import TraceModel

@Suite struct TraceRecorderTests {
    /// The destination of a test's trace.
    private final class Sink: TraceSink {
        private let state = Mutex<(lines: [TraceLine], outcome: TraceSinkOutcome)>(([], .written))

        func write(_ line: [UInt8]) -> TraceSinkOutcome {
            state.withLock { state in
                if state.outcome == .written { state.lines += [TraceLine(line.dropLast())].compactMap(\.self) }
                return state.outcome
            }
        }

        var isOver: Bool { state.withLock { $0.outcome == .over } }

        func becomes(_ outcome: TraceSinkOutcome) { state.withLock { $0.outcome = outcome } }
        var events: [String] { state.withLock { $0.lines.map(\.event) } }
        var lines: [TraceLine] { state.withLock { $0.lines } }
    }

    @Test("While there is no recording, the facts about an event are not computed")
    func silent() {
        let recorder = TraceRecorder()
        var isAsked = false
        func fields() -> [TraceField] {
            isAsked = true
            return []
        }
        recorder.record(.radio, "heard", fields())
        recorder.end(recorder.begin(.radio, "dial", fields()), .radio, "dial", fields())
        #expect(!isAsked)
    }

    @Test("A recording begins with facts about the device, followed by all events")
    func recorded() {
        let (recorder, sink) = (TraceRecorder(), Sink())
        #expect(recorder.begin(to: sink, revealing: [], about: ["version": "1"]))
        let span = recorder.begin(.connections, "dial", [.plain("transport", "tcp")])
        recorder.end(span, .connections, "dial", [.failure("refused", detail: "")])
        #expect(sink.events == ["begin", "dial", "dial"])
        #expect(sink.lines.first?.about == ["version": "1"])
        #expect(sink.lines.dropFirst().map(\.phase) == [.begin, .end])
        #expect(sink.lines[1].span == sink.lines[2].span && sink.lines[1].span != nil)
        #expect(sink.lines[2].about == ["failure": "refused"])
    }

    @Test("An event that happens all the time is recorded once a second for each subject")
    func paced() {
        let (recorder, sink) = (TraceRecorder(), Sink())
        _ = recorder.begin(to: sink, revealing: [], about: [:])
        for _ in 0..<1_000 {
            recorder.record(.radio, "heard", key: "a")
            recorder.record(.radio, "heard", key: "b")
        }
        // On a busy machine a second may pass.
        #expect((2..<100).contains(sink.events.count { $0 == "heard" }))
        for number in 0..<10_000 { recorder.record(.radio, "lost", key: "\(number)") }
        #expect(sink.events.count { $0 == "lost" } < 10_000)
    }

    @Test("Four recordings can run, and one whose reader has left makes room")
    func limit() {
        let (recorder, sinks) = (TraceRecorder(), (0..<5).map { _ in Sink() })
        for sink in sinks.prefix(4) { #expect(recorder.begin(to: sink, revealing: [], about: [:])) }
        #expect(!recorder.begin(to: sinks[4], revealing: [], about: [:]))
        sinks[0].becomes(.over)
        recorder.record(.radio, "lost")
        #expect(recorder.count == 3)
        #expect(recorder.begin(to: sinks[4], revealing: [], about: [:]))
        // A finished recording makes room even if no event has happened since.
        sinks[1].becomes(.over)
        #expect(recorder.begin(to: Sink(), revealing: [], about: [:]))
        #expect(recorder.count == 4)
    }

    @Test("A recording at its time limit ends, gets no more lines, and makes room for another one")
    func timeIsOver() {
        let (recorder, sinks) = (TraceRecorder(lasting: 0), (0..<5).map { _ in Sink() })
        for sink in sinks { #expect(recorder.begin(to: sink, revealing: [], about: [:])) }
        recorder.record(.radio, "lost")
        #expect(sinks.allSatisfy { $0.events == ["begin"] })
    }

    @Test("A slow reader learns how many lines were dropped before the next one")
    func slow() {
        let (recorder, sink) = (TraceRecorder(), Sink())
        _ = recorder.begin(to: sink, revealing: [], about: [:])
        sink.becomes(.dropped)
        for _ in 0..<3 { recorder.record(.radio, "lost") }
        sink.becomes(.written)
        recorder.record(.radio, "status")
        #expect(sink.events == ["begin", "dropped", "status"])
        #expect(sink.lines[1].about == ["lines": "3"])
    }

    @Test("Each reader gets its own details and letters")
    func readers() {
        let (recorder, all, none) = (TraceRecorder(), Sink(), Sink())
        _ = recorder.begin(to: all, revealing: [.names], about: [:])
        recorder.record(.radio, "hailed", [.device("1", name: "anna")])
        _ = recorder.begin(to: none, revealing: [], about: [:])
        recorder.record(.radio, "hailed", [.device("2", name: "berta")])
        #expect(all.lines.compactMap { $0.about["device"] } == ["anna", "berta"])
        #expect(none.lines.compactMap { $0.about["device"] } == ["A"])
    }
}
