// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import UserInfoJSON

/// Formats offers for people and for programs.
enum OfferText {
    static func node(_ offer: OfferSummary) -> JSONNode {
        .object([
            "offer": .string(offer.offer),
            "device": .string(offer.device),
            "deviceName": .string(offer.deviceName),
            "type": offer.type.map(JSONNode.string) ?? .null,
            "title": offer.title.map(JSONNode.string) ?? .null,
            "signal": offer.signal.map { .int(Int64($0)) } ?? .null,
            "webpage": .bool(offer.hasWebpage),
            "streams": .bool(offer.supportsStreams),
        ])
    }

    static func node(_ event: OfferEvent) -> JSONNode {
        switch event {
        case .appeared(let offer): merged("appeared", node(offer))
        case .changed(let offer): merged("changed", node(offer))
        case .disappeared(let offer): .object(["event": .string("disappeared"), "offer": .string(offer)])
        }
    }

    /// Returns an event's line in the output.
    static func line(_ event: OfferEvent) -> String {
        switch event {
        case .appeared(let offer): "appeared     " + line(offer)
        case .changed(let offer): "changed      " + line(offer)
        case .disappeared(let offer): "disappeared  \(offer)"
        }
    }

    /// Returns the description of an offer that shells show next to its id: device, type and title.
    static func meaning(_ offer: OfferSummary) -> String {
        ["from \(offer.deviceName)", offer.type, offer.title].compactMap { $0 }.filter { !$0.isEmpty }.joined(
            separator: ", ")
    }

    /// Returns one line that identifies an offer.
    static func line(_ offer: OfferSummary) -> String {
        cells(offer).filter { $0 != "-" }.joined(separator: "  ")
    }

    /// Returns a line for each offer, without the ids.
    static func choices(_ offers: [OfferSummary]) -> [String] {
        offers.map { cells($0).dropFirst().filter { $0 != "-" }.joined(separator: "  ") }
    }

    /// Returns a table with a heading and aligned columns.
    static func table(_ offers: [OfferSummary]) -> [String] {
        let rows = [["OFFER", "DEVICE", "TYPE", "SIGNAL", "CARRIES", "TITLE"]] + offers.map(cells)
        let widths = rows[0].indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
        return rows.map { row in
            var line = zip(row, widths)
                .map { text, width in text + String(repeating: " ", count: width - text.columns) }
                .joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    private static func cells(_ offer: OfferSummary) -> [String] {
        let carries = [offer.hasWebpage ? "page" : nil, offer.supportsStreams ? "streams" : nil].compactMap { $0 }
        return [
            offer.offer, offer.deviceName, offer.type ?? "(unknown)", offer.signal.map { "\($0) dBm" } ?? "-",
            carries.isEmpty ? "-" : carries.joined(separator: "+"), offer.title ?? "-",
        ].map(VisibleText.escaped)
    }

    private static func merged(_ event: String, _ node: JSONNode) -> JSONNode {
        guard case .object(var object) = node else { return node }
        object["event"] = .string(event)
        return .object(object)
    }
}
