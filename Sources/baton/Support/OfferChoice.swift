// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// Which offer is meant: one by its id, or the one of a type, perhaps of one device.
struct OfferChoice: Sendable {
    let offer: String?
    let type: String?
    /// The device's id.
    let from: String?

    /// The offer that is meant; nil while there is none.
    ///
    /// - Parameter offers: All the offers there are.
    /// - Throws: ``ToolFailure`` that lists the choices when several are meant.
    @Sendable
    func select(_ offers: [OfferSummary]) throws -> OfferSummary? {
        let meant = offers.filter { candidate in
            if let offer { return candidate.offer == offer }
            return candidate.type == type && isFrom(candidate)
        }
        guard meant.count > 1 else { return meant.first }
        let choices = meant.map(OfferText.line).joined(separator: "; ")
        throw ToolFailure("\(meant.count) offers fit, give the OFFER of one of them: \(choices)")
    }

    private func isFrom(_ candidate: OfferSummary) -> Bool {
        from == nil || candidate.device == from
    }

    /// What to say when it was not there in time.
    ///
    /// - Parameter offers: All the offers there are: one whose type is not known yet may be the one.
    func notFound(after wait: Seconds, among offers: [OfferSummary]) -> String {
        let what =
            offer.map { "no offer \($0)" }
            ?? "no offer of type \(type ?? "")"
            + (from.map { " from \($0)" } ?? "")
        let time = wait.duration > .zero ? " within \(wait.defaultValueDescription) s" : ""
        let unknown = offers.filter { type != nil && $0.type == nil && isFrom($0) }.map {
            "; \($0.offer) (from \($0.deviceName)) is of a type that is not known yet"
        }
        return what + " was seen\(time)\(unknown.joined()); see what there is with: baton nearby"
    }
}
