// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// Which offer is meant: one by its id, or one of a type, of one device, or any.
struct OfferChoice: Sendable {
    let offer: String?
    let type: String?
    let from: CircleMember?

    /// The offers that are meant; nil while there is none.
    ///
    /// - Parameter offers: All the offers there are.
    @Sendable
    func select(_ offers: [OfferSummary]) -> [OfferSummary]? {
        let meant = offers.filter { candidate in
            if let offer { return candidate.offer == offer.lowercased() }
            return (type == nil || candidate.type == type) && isFrom(candidate)
        }
        return meant.isEmpty ? nil : meant
    }

    /// The one that is meant among those that fit.
    ///
    /// - Parameters:
    ///   - fitting: At least one.
    ///   - best: The id of the one that panels show. It counts where no type was given; with one,
    ///     all that fit are alike but for their contents.
    ///   - isTerminal: Whether somebody is there to choose.
    ///   - answers: What they type.
    /// - Throws: ``ToolFailure`` that lists the choices when nobody can say which.
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

    /// What to say when it was not there in time.
    ///
    /// - Parameter offers: All the offers there are: one whose type is not known yet may be the
    ///   one.
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
