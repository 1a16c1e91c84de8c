// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonService

struct StreamFollowerTests {
    private var subject = StreamFollower()

    private static func progress(_ sent: UInt64) -> StreamProgress {
        StreamProgress(sent: sent, received: 0, transport: "tcp", isWaiting: false)
    }

    @Test("A follower gets the newest change that it has not read, until the reports end")
    mutating func newest() async {
        let (reports, sink) = AsyncStream.makeStream(of: StreamProgress.self, bufferingPolicy: .bufferingNewest(1))
        subject.begin(sink, knowing: Self.progress(1))
        for sent: UInt64 in [1, 2, 3, 3] { subject.tell(Self.progress(sent)) }
        subject.end()
        subject.tell(Self.progress(4))
        #expect(await reports.reduce(into: []) { $0.append($1) } == [Self.progress(3)])
    }

    @Test("Progress that the follower knows already is not reported again")
    mutating func known() async {
        let (reports, sink) = AsyncStream.makeStream(of: StreamProgress.self)
        subject.begin(sink, knowing: Self.progress(1))
        subject.tell(Self.progress(1))
        subject.end()
        #expect(await reports.reduce(into: []) { $0.append($1) } == [])
    }

    @Test("A new follower replaces the previous one")
    mutating func replaced() async {
        let former = AsyncStream.makeStream(of: StreamProgress.self)
        let new = AsyncStream.makeStream(of: StreamProgress.self)
        subject.begin(former.continuation, knowing: Self.progress(0))
        subject.begin(new.continuation, knowing: Self.progress(0))
        subject.tell(Self.progress(5))
        subject.end()
        #expect(await former.stream.reduce(into: []) { $0.append($1) } == [])
        #expect(await new.stream.reduce(into: []) { $0.append($1) } == [Self.progress(5)])
    }

    @Test("Without a follower the progress is not computed")
    mutating func nobody() {
        var count = 0
        func computed() -> StreamProgress {
            count += 1
            return Self.progress(1)
        }
        subject.tell(computed())
        #expect(count == 0)
    }
}
