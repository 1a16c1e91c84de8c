// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Testing

@testable import BatonProtocol
@testable import BatonService

/// Tests ``WaitingFrames``: the limit for all channels together.
struct WaitingLineTests {
    private let frames = WaitingFrames()

    @Test(
        "If too much waits in all channels together, the channel with the most is closed, not the one with the newest frame"
    )
    func longestIsCut() {
        let cut = Watched<[Int]>([])
        let lines = (0..<17).map { number in
            let line = WaitingLine(in: frames)
            line.onCut { cut.change { $0.append(number) } }
            return line
        }
        for line in lines.dropLast() { line.add(SecureChannel.maximumWaitingBytes) }
        #expect(frames.bytes == WaitingFrames.maximumBytes && cut.value == [])
        lines[3].add(1)
        #expect(cut.value == [3] && lines[3].isCut)
        lines[3].add(-SecureChannel.maximumWaitingBytes)
        lines[16].add(1_000)
        #expect(cut.value == [3] && !lines[16].isCut)
    }

    @Test("The frames of a cut channel are released at once and no longer count, even without a consumer")
    func cutHoldsNothing() {
        let frame = EncodedFrame(body: [UInt8](repeating: 7, count: 1_000_000))
        let lines = (0..<200).map { _ in WaitingLine(in: frames) }
        for line in lines { for _ in 0..<4 { _ = line.put(frame) } }
        #expect(frames.bytes <= WaitingFrames.maximumBytes)
        let held = lines.map { line in (0..<4).count { _ in line.take() != nil } }
        #expect(zip(lines, held).allSatisfy { $0.isCut ? $1 == 0 : $1 == 4 } && held.contains(4))
        #expect(frames.bytes == 0)
    }

    @Test("Frames that wait in an ended channel do not count")
    func ended() {
        do {
            let line = WaitingLine(in: frames)
            line.add(1_000)
            #expect(frames.bytes == 1_000)
        }
        #expect(frames.bytes == 0)
    }
}
