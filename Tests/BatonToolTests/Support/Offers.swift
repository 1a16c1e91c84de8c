// SPDX-License-Identifier: Apache-2.0

import BatonBus

extension [OfferSummary] {
    /// Two offers of one type, the second with more details, and one of unknown type.
    static let examples = [
        OfferSummary(offer: "1", device: "aa", deviceName: "desk", type: "t"),
        OfferSummary(
            offer: "2", device: "bb", deviceName: "sofa", type: "t", title: "T", signal: -40, supportsStreams: true),
        OfferSummary(offer: "3", device: "bb", deviceName: "sofa", type: nil),
    ]
}
