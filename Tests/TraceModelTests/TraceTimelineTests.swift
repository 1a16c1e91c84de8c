// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TraceModel

@Suite struct TraceTimelineTests {
    private func line(
        _ at: Double, _ lane: TraceLine.Lane, _ event: String, _ span: UInt64? = nil, _ phase: TraceLine.Phase? = nil,
        _ about: [String: String] = [:]
    ) -> TraceLine {
        TraceLine(lane, event, span: span, phase: phase, about: about, at: at)
    }

    @Test("A beginning and its end are one item, with the facts from both")
    func spans() {
        let timeline = TraceTimeline([
            line(100, .trace, "begin", nil, nil, ["version": "1"]),
            line(101, .connections, "dial", 1, .begin, ["transport": "tcp"]),
            line(103, .connections, "dial", 1, .end, ["failure": "refused"]), line(110, .radio, "lost"),
        ])
        #expect(timeline.duration == 10)
        #expect(timeline.about == ["version": "1"])
        let item = timeline.bands.first { $0.lane == .connections }?.rows.first?.items.first
        #expect(item?.start == 1 && item?.end == 3 && item?.isOpen == false && item?.hasFailed == true)
        #expect(item?.about == ["transport": "tcp", "failure": "refused"])
    }

    @Test("Items of a timeline without a beginning or an end extend to the drawing's edge")
    func open() {
        let timeline = TraceTimeline([
            line(0, .trace, "begin"), line(1, .streams, "streams", 1, .begin), line(2, .handover, "save", 9, .end),
            line(4, .radio, "lost"),
        ])
        let streams = timeline.bands.first { $0.lane == .streams }?.rows.first?.items.first
        #expect(streams?.start == 1 && streams?.end == 4 && streams?.isOpen == true)
        let save = timeline.bands.first { $0.lane == .handover }?.rows.first?.items.first
        #expect(save?.start == 0 && save?.end == 2 && save?.isOpen == true)
    }

    @Test("Overlapping items of a timeline are in separate rows, and each heard device has its own row")
    func rows() {
        let timeline = TraceTimeline([
            line(0, .connections, "dial", 1, .begin), line(1, .connections, "dial", 2, .begin),
            line(2, .connections, "dial", 1, .end), line(3, .connections, "dial", 2, .end),
            line(4, .connections, "dial", 3, .begin), line(5, .connections, "dial", 3, .end),
            line(1, .radio, "heard", nil, nil, ["device": "A"]), line(2, .radio, "heard", nil, nil, ["device": "B"]),
            line(3, .radio, "heard", nil, nil, ["device": "A"]), line(3, .radio, "status"),
        ])
        #expect(timeline.bands.map(\.lane) == [.radio, .connections])
        #expect(timeline.bands[0].rows.map(\.name) == ["A", "B", "here"])
        #expect(timeline.bands[0].rows.map(\.items.count) == [2, 1, 1])
        #expect(timeline.bands[1].rows.map(\.items.count) == [2, 1])
    }

    @Test("A huge trace is drawn with a few thousand items in 32 rows")
    func bounded() {
        let lines = (0..<6_000).map { line(Double($0), .connections, "dial", UInt64($0), .begin) }
        let timeline = TraceTimeline(lines)
        #expect(timeline.bands[0].rows.count == TraceTimeline.maximumRows)
        #expect(timeline.bands[0].rows.map(\.items.count).reduce(0, +) == TraceTimeline.maximumItems)
        #expect(timeline.omitted == 1_000)
    }

    @Test("Marks and dropped lines cross all bands")
    func marks() {
        let timeline = TraceTimeline([
            line(0, .trace, "begin"), line(1, .trace, "mark", nil, nil, ["text": "now"]),
            line(2, .trace, "dropped", nil, nil, ["lines": "3"]),
        ])
        #expect(timeline.marks.map(\.event) == ["mark", "dropped"] && timeline.bands.isEmpty)
    }

    @Test("Empty traces, traces of one moment, and extreme times can be drawn")
    func extremes() {
        for times in [[], [1], [5, 5], [-1e300, 1e300], [0, .leastNonzeroMagnitude]] as [[Double]] {
            let html = TraceDrawing(times.map { line($0, .radio, "lost") }).html
            #expect(html.hasSuffix("</html>\n") && !html.contains("nan"))
        }
    }

    @Test("All contents of a trace are text in the drawing")
    func hostile() {
        let evil = "</title></text><script>alert(1)</script>\"'&\u{7}"
        let html = TraceDrawing([
            line(0, .trace, "begin", nil, nil, [evil: evil]), line(1, .trace, "mark", nil, nil, ["text": evil]),
            line(1, .radio, evil, nil, nil, ["device": evil]), line(1, .handover, evil, 1, .begin, ["failure": evil]),
        ]).html
        #expect(!html.contains("<script") && !html.contains("\u{7}"))
        #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\u{FFFD}"))
    }
}
