// SPDX-License-Identifier: Apache-2.0

@testable import SimulatedTransport

extension FuzzTarget {
    /// The datagrams of the simulated radio, which any program of the user can send.
    static let air = FuzzTarget("air", maximumLength: 64) {
        [AirDatagram.encode([]), AirDatagram.encode(Array(0..<24))]
    } body: { input in
        guard let payload = AirDatagram.decode(input) else { return }
        try FuzzFinding.unless("an advertisement has at most 24 bytes") { payload.count <= AirDatagram.maximumPayload }
        try FuzzFinding.unless("what is read is written as it was") { AirDatagram.encode(payload) == input }
    }
}
