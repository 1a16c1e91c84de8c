// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import FoundationEssentials

/// One code that a program shows, from its making to its end. It belongs to the service's actor.
final class CodeRun {
    let id = UUID().uuidString.lowercased()
    let client: ClientID
    /// The device that this one was when it made the code.
    let device: DeviceID
    /// The circle that the code leads to.
    let circle: CircleID
    /// That circle, when this device founds it with whoever comes; nothing of it is kept before.
    let prospect: Circle?
    /// The name of the open invitation that the code is; nil until it is open.
    var invitation: String?
    private(set) var isOver = false

    /// Ends with the run; fails as it does.
    let outcome: Task<Void, any Error>
    private let end: AsyncThrowingStream<Void, any Error>.Continuation

    init(client: ClientID, device: DeviceID, circle: CircleID, prospect: Circle?) {
        self.client = client
        self.device = device
        self.circle = circle
        self.prospect = prospect
        let (ends, end) = AsyncThrowingStream.makeStream(of: Void.self, throwing: (any Error).self)
        self.end = end
        outcome = Task { for try await _ in ends {} }
    }

    /// The run is over: a device has joined, or the reason why none has.
    func finish(_ failure: BatonError?) {
        isOver = true
        end.finish(throwing: failure)
    }
}
