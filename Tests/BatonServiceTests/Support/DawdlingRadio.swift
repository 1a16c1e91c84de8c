// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Synchronization

/// A radio that takes a random time for each advertisement, before and after it is on the air.
final class DawdlingRadio: RadioProxy {
    let radio: any Radio
    private let random: Mutex<SeededGenerator>
    private let payload = Mutex<[UInt8]?>(nil)

    init(_ radio: any Radio, seed: UInt64) {
        self.radio = radio
        random = Mutex(SeededGenerator(seed: seed))
    }

    /// The payload that is on the air.
    var aired: [UInt8]? { payload.withLock(\.self) }

    func advertise(_ payload: [UInt8]?) async throws {
        await dawdle()
        self.payload.withLock { $0 = payload }
        await dawdle()
    }

    private func dawdle() async {
        let turns = random.withLock { random in Int.random(in: 0..<100, using: &random) }
        for _ in 0..<turns { await Task.yield() }
    }
}
