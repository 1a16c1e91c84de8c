// SPDX-License-Identifier: Apache-2.0

import BatonBus

extension [OfferSummary] {
    /// Two offers of one type, of which the second says more, and one whose type is not known.
    static let examples = [
        OfferSummary(offer: "1", device: "aa", deviceName: "desk", type: "t"),
        OfferSummary(
            offer: "2", device: "bb", deviceName: "sofa", type: "t", title: "T", signal: -40, supportsStreams: true),
        OfferSummary(offer: "3", device: "bb", deviceName: "sofa", type: nil),
    ]
}
