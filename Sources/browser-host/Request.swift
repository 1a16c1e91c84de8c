// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

enum Request: Hashable {
    /// The first message, with the version of its message format.
    case hello(version: Int)
    /// The user looks at this page.
    case page(url: String, title: String?)
    /// The user looks at no page, or at a page that must not be handed over.
    case away
    /// The answer to ``Message/save(_:)``. The place and the referrer may be missing.
    case saved(id: UInt32, url: String, place: PagePlace?, referrer: String?)
    /// The answer to ``Message/open(_:_:place:)``: whether the page is open.
    case opened(id: UInt32, isOpen: Bool)
    /// The user wants to continue this offer.
    case proceed(offer: String)
    /// A tab of this browser has opened the page of ``Message/coming(_:_:)``.
    case take(page: String)

    /// The reason why a message is invalid.
    enum Fault: String, Error {
        case tooLong = "a message has at most 65536 bytes"
        case malformed = "a message is a JSON object with a type"
        case unknown = "there is no message of this type"
        case incomplete = "the message lacks a value, or has a wrong one"
    }

    /// The largest size of the id of an offer or a page, in bytes.
    static let maximumName = 128

    /// Parses a message.
    ///
    /// - Parameter bytes: The message's JSON.
    init(_ bytes: [UInt8]) throws(Fault) {
        guard let kind = try? JSONDecoder().decode(Kind.self, from: Data(bytes)) else { throw .malformed }
        guard Self.types.contains(kind.type) else { throw .unknown }
        guard let values = try? JSONDecoder().decode(Values.self, from: Data(bytes)),
            let request = Self(kind.type, values)
        else { throw .incomplete }
        self = request
    }

    private static let types: Set<String> = ["hello", "page", "away", "saved", "opened", "continue", "take"]

    private struct Kind: Decodable { var type: String }

    private struct Values: Decodable {
        var version: Int?
        var url, title, offer, page, referrer: String?
        var id: UInt32?
        var place: PagePlace?
        var opened: Bool?
    }

    private init?(_ type: String, _ values: Values) {
        switch (type, values.id) {
        case ("hello", _):
            guard let version = values.version else { return nil }
            self = .hello(version: version)
        case ("page", _):
            guard let url = values.url else { return nil }
            self = .page(url: url, title: values.title)
        case ("away", _): self = .away
        case ("saved", let id?):
            guard let url = values.url else { return nil }
            self = .saved(id: id, url: url, place: values.place?.withinLimits, referrer: values.referrer)
        case ("opened", let id?):
            guard let isOpen = values.opened else { return nil }
            self = .opened(id: id, isOpen: isOpen)
        case ("continue", _):
            guard let offer = Self.name(values.offer) else { return nil }
            self = .proceed(offer: offer)
        case ("take", _):
            guard let page = Self.name(values.page) else { return nil }
            self = .take(page: page)
        default: return nil
        }
    }

    private static func name(_ text: String?) -> String? {
        text.flatMap { (1...maximumName).contains($0.utf8.count) ? $0 : nil }
    }
}
