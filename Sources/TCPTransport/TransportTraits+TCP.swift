// SPDX-License-Identifier: Apache-2.0

public import BatonTransport

extension TransportTraits {
    /// The traits of TCP.
    ///
    /// Only memory limits streams on a network. Dials are 200 ms apart, because the other side
    /// checks only a limited number of knocks in a second. Dialling all its addresses at once might
    /// exceed this limit.
    public static let tcp = TransportTraits(
        kind: .tcp, range: .network, streamWindow: 1_048_576, streamChunk: 65_536,
        pauseBetweenDials: .milliseconds(200), dialAttempts: 1)
}
