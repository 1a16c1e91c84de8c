// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import FoundationEssentials

/// A pairing by a code that a program shows, from the code's creation to its end. Only the
/// service's actor uses this object.
final class CodeRun {
    let id = UUID().uuidString.lowercased()
    let client: ClientID
    /// The id that this device had when it made the code.
    let device: DeviceID
    /// The circle that the code leads to.
    let circle: CircleID
    /// The circle that this device founds with the device that reads the code; nil if this device
    /// is in a circle already. A founded circle is not stored before that device has joined.
    let prospect: Circle?
    /// The name of the code's invitation; nil until the invitation is open.
    var invitation: String?
    private(set) var isOver = false

    /// The task that ends with the run, and throws the run's failure.
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

    /// Ends the run because a device has joined, or with the reason why no device has joined.
    func finish(_ failure: BatonError?) {
        isOver = true
        end.finish(throwing: failure)
    }
}
