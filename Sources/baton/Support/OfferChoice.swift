// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// The user's choice of an offer: by id, by type, by device, or any.
struct OfferChoice: Sendable {
    let offer: String?
    let type: String?
    let from: CircleMember?

    /// Returns the matching offers, or `nil` while there is none.
    ///
    /// - Parameter offers: All present offers.
    @Sendable
    func select(_ offers: [OfferSummary]) -> [OfferSummary]? {
        let meant = offers.filter { candidate in
            if let offer { return candidate.offer == offer.lowercased() }
            return (type == nil || candidate.type == type) && isFrom(candidate)
        }
        return meant.isEmpty ? nil : meant
    }

    /// Returns the one offer to use among the matching offers.
    ///
    /// - Parameters:
    ///   - fitting: The matching offers, at least one.
    ///   - best: Returns the id of the offer that panels show. That offer is chosen if no type was
    ///     given and no user can be asked.
    ///   - isTerminal: Whether a user can be asked.
    ///   - answers: The user's typed lines.
    /// - Throws: ``ToolFailure`` that lists the choices if no single offer can be chosen.
    func one(
        of fitting: [OfferSummary], best: () async -> String?, isTerminal: Bool, answers: () -> AsyncStream<String>
    ) async throws -> OfferSummary {
        if fitting.count == 1 { return fitting[0] }
        if isTerminal { return try await Self.chosen(from: fitting, by: answers()) }
        if type == nil, let best = await best(), let found = fitting.first(where: { $0.offer == best }) { return found }
        let choices = fitting.map(OfferText.line).joined(separator: "; ")
        throw ToolFailure("\(fitting.count) offers fit, give the OFFER of one of them: \(choices)", status: .usage)
    }

    private static func chosen(
        from offers: [OfferSummary], by answers: AsyncStream<String>
    ) async throws -> OfferSummary {
        for (index, line) in OfferText.choices(offers).enumerated() { Output.note("\(index + 1)  \(line)") }
        Output.note("which one? (1 to \(offers.count))")
        for await answer in answers {
            if let number = Int(answer.filter { !$0.isWhitespace }), offers.indices.contains(number - 1) {
                return offers[number - 1]
            }
            Output.note("please answer with a number from 1 to \(offers.count)")
        }
        try Task.checkCancellation()
        throw ToolFailure("nothing was done", status: .refused)
    }

    private func isFrom(_ candidate: OfferSummary) -> Bool {
        from == nil || candidate.device == from?.device
    }

    /// Returns the message when no offer matched in time.
    ///
    /// - Parameter offers: All present offers. An offer of unknown type may be the wanted offer.
    func notFound(after wait: Seconds, among offers: [OfferSummary]) -> String {
        let what =
            offer.map { "no offer \($0)" }
            ?? "no offer" + (type.map { " of type \($0)" } ?? "") + (from.map { " from \($0.name)" } ?? "")
        let time = wait.duration > .zero ? " within \(wait.text) s" : ""
        let unknown = offers.filter { type != nil && $0.type == nil && isFrom($0) }.map {
            "; \($0.offer) (from \($0.deviceName)) is of a type that is not known yet"
        }
        return what + " was seen\(time)\(unknown.joined()); see what there is with: baton nearby"
    }
}
