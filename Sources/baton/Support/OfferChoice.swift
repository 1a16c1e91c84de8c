// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// Which offer is meant: one by its id, or the one of a type, perhaps of one device.
struct OfferChoice: Sendable {
    let offer: String?
    let type: String?
    let from: String?

    /// The offer that is meant; nil while there is none.
    ///
    /// - Parameter offers: All the offers there are.
    /// - Throws: ``ToolFailure`` that lists the choices when several are meant.
    @Sendable
    func select(_ offers: [OfferSummary]) throws -> OfferSummary? {
        let meant = offers.filter { candidate in
            if let offer { return candidate.offer == offer }
            return candidate.type == type && (from == nil || candidate.deviceName == from || candidate.device == from)
        }
        guard meant.count > 1 else { return meant.first }
        let choices = meant.map(OfferText.line).joined(separator: "; ")
        throw ToolFailure("\(meant.count) offers fit, give the OFFER of one of them: \(choices)")
    }

    /// What to say when it was not there in time.
    func notFound(after wait: Seconds) -> String {
        let what =
            offer.map { "no offer \(Output.printable($0))" }
            ?? "no offer of type \(Output.printable(type ?? ""))"
            + (from.map { " from \(Output.printable($0))" } ?? "")
        let time = wait.duration > .zero ? " within \(wait.defaultValueDescription) s" : ""
        return what + " was seen\(time); see what there is with: baton nearby"
    }
}
