// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import FoundationEssentials
import Wording

/// A message to the extension. Properties that are `nil` are not written.
struct Message: Encodable, Hashable {
    /// The version of the message format.
    static let version = 1
    /// The largest size of a message that browsers accept, in bytes.
    static let maximumLength = 1 << 20
    static let maximumOffers = 64

    /// An offer in the extension's panel.
    struct Offer: Encodable, Hashable {
        var offer, deviceName: String
        var title: String?
        /// The id and the name of this laptop's app that continues the offer, or `nil` for a page.
        var application, applicationName: String?
    }

    /// The reason why a request was not carried out.
    struct Obstacle: Hashable {
        /// The code, for which the extension has words, or `nil` if the reason comes from the
        /// daemon.
        var code: String?
        /// The reason, for an extension that does not know the code.
        var reason: String

        static let otherActivity = Self(code: "other-activity", reason: "another program's activity is offered")
        static let underWay = Self(code: "under-way", reason: "this is under way already; wait for it")
        static let notOpened = Self(code: "page-not-opened", reason: "the page did not open; try again")

        init(_ error: any Error) {
            switch error {
            case let refusal as WebAddress.Refusal: self.init(code: refusal.code, reason: refusal.reason)
            case is PageNotOpened: self = .notOpened
            default: self.init(reason: BatonError(anyError: error).message)
            }
        }

        init(code: String? = nil, reason: String) { (self.code, self.reason) = (code, reason) }
    }

    /// The browser did not open a page.
    struct PageNotOpened: Error {}

    var type: String
    var version: Int?
    var id: UInt32?
    var url, title, offer, page, deviceName, code, reason: String?
    var place: PagePlace?
    var offered: Bool?
    var offers: [Offer]?
    /// The apps' icons as `data:` URLs, by app id.
    var icons: [String: String]?

    private init(_ type: String) { self.type = type }

    /// The answer to ``Request/hello(version:)``.
    static let hello = Self("hello") { $0.version = version }

    /// Reports whether the page in front is offered, and why not.
    static func page(isOffered: Bool, because obstacle: Obstacle? = nil) -> Self {
        Self("page") { ($0.offered, $0.code, $0.reason) = (isOffered, obstacle?.code, obstacle?.reason) }
    }

    /// Asks for the place in the page. ``Request/saved(id:url:place:referrer:)`` is the answer.
    static func save(_ id: UInt32) -> Self { Self("save") { $0.id = id } }

    /// Asks to open a page. ``Request/opened(id:isOpen:)`` is the answer.
    static func open(_ id: UInt32, _ page: Page, place: PagePlace) -> Self {
        Self("open") {
            ($0.id, $0.url, $0.title, $0.place) = (id, page.url.absoluteString, page.title, place)
        }
    }

    /// Announces that this or another browser is about to open a page by its address. The browser
    /// that opens it asks for the place with ``Request/take(page:)``.
    static func coming(_ page: String, _ address: WebAddress) -> Self {
        Self("coming") { ($0.page, $0.url) = (page, address.url.absoluteString) }
    }

    /// The place in a page that was opened by its address.
    static func place(_ page: String, _ place: PagePlace) -> Self {
        Self("place") { ($0.page, $0.place) = (page, place) }
    }

    /// Another laptop has taken the offered page.
    static func taken(_ url: URL?, by deviceName: String) -> Self {
        Self("taken") { ($0.url, $0.deviceName) = (url?.absoluteString, Self.shown(deviceName)) }
    }

    /// The offers of other laptops, or the reason why there are none.
    ///
    /// - Parameter apps: The apps that continue offers other than pages, by id.
    static func offers(_ offers: [OfferSummary], apps: [String: AppIcons.App] = [:], reason: String?) -> Self {
        Self("offers") {
            $0.offers = offers.prefix(maximumOffers).map { offer in
                let app = offer.appHere.flatMap { apps[$0] }
                return Offer(
                    offer: offer.offer, deviceName: shown(offer.deviceName), title: offer.title.map(shown),
                    application: app == nil ? nil : offer.appHere, applicationName: (app?.name).map(shown))
            }
            $0.icons = icons(of: offers, apps)
            $0.reason = reason.map(sentence)
        }
    }

    private static func icons(of offers: [OfferSummary], _ apps: [String: AppIcons.App]) -> [String: String]? {
        var (icons, total): ([String: String], Int) = ([:], 0)
        for application in offers.prefix(maximumOffers).compactMap(\.appHere) where icons[application] == nil {
            guard let icon = apps[application]?.icon, total + icon.utf8.count <= AppIcons.maximumTotal else { continue }
            icons[application] = icon
            total += icon.utf8.count
        }
        return icons.isEmpty ? nil : icons
    }

    /// An offer that the user chose has been opened.
    static func continued(_ offer: String) -> Self { Self("continued") { $0.offer = offer } }

    /// An offer that the user chose could not be opened, with the reason.
    static func failed(_ offer: String, because obstacle: Obstacle) -> Self {
        Self("failed") { ($0.offer, $0.code, $0.reason) = (offer, obstacle.code, shown(obstacle.reason)) }
    }

    /// A request was invalid, with the reason.
    static func error(_ reason: String) -> Self { Self("error") { $0.reason = reason } }

    private init(_ type: String, _ fill: (inout Self) -> Void) {
        self.init(type)
        fill(&self)
    }

    /// The bytes to send: the message with its length in front.
    var framed: [UInt8] { get throws { FrameReader.framed(try JSONEncoder().encode(self)) } }

    /// Returns a sentence of the daemon as one line, in which names keep their isolates.
    private static func sentence(_ text: String) -> String {
        ForeignText.visible(String(text.prefix(Page.maximumTitle)), insteadOfOthers: " ")
    }

    /// Returns a text from another laptop as one line.
    private static func shown(_ text: String) -> String {
        VisibleText.replacing(String(text.prefix(Page.maximumTitle))) { _ in " " }
    }
}

extension OfferSummary {
    /// Whether the offer is a page, which this browser continues itself.
    var isPage: Bool { type == PageActivity.type }
    /// This laptop's app that would continue the offer according to the daemon, or `nil` for a page
    /// or if there is no app.
    var appHere: String? { isPage ? nil : application }
}
