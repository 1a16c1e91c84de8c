// SPDX-License-Identifier: Apache-2.0

public import BatonTransport

extension TransportTraits {
    /// TCP: on a network only memory limits streams, and dials are 200 ms apart, so that a device
    /// with many addresses does not use up the knocks that the other side tries in a second.
    public static let tcp = TransportTraits(
        kind: .tcp, range: .network, streamWindow: 1_048_576, streamChunk: 65_536,
        pauseBetweenDials: .milliseconds(200), dialAttempts: 1)
}
