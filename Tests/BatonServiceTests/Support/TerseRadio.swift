// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import NIOCore
import SimulatedTransport

/// A simulated radio that reports each advertisement as BlueZ does: once, and again only after the
/// advertisement has changed.
final class TerseRadio: RadioProxy {
    let radio: any Radio

    init(_ radio: any Radio) { self.radio = radio }

    func events() -> AsyncStream<RadioEvent> {
        let events = radio.events()
        return AsyncStream { continuation in
            let task = Task {
                var told: [String: [UInt8]] = [:]
                for await event in events {
                    switch event {
                    case .sighted(let sighting):
                        if told.updateValue(sighting.payload, forKey: sighting.address) == sighting.payload { continue }
                    case .lost(let address): told[address] = nil
                    case .status: break
                    }
                    continuation.yield(event)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
