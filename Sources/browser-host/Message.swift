// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import FoundationEssentials

/// What the extension is told. What a message does not have is not written.
struct Message: Encodable, Hashable {
    /// The version of the messages.
    static let version = 1
    /// Browsers take no more of one message, in bytes.
    static let maximumLength = 1 << 20
    /// How many offers are told of at most.
    static let maximumOffers = 64

    /// An offer as the panel shows it.
    struct Offer: Encodable, Hashable {
        var offer, deviceName: String
        var title: String?
        /// The id and the name of the app here that continues it; nil for a page.
        var application, applicationName: String?
    }

    var type: String
    var version: Int?
    var id: UInt32?
    var url, title, offer, page, deviceName, reason: String?
    var place: PagePlace?
    var offered: Bool?
    var offers: [Offer]?
    /// `data:` URLs, by the id of the app whose icon it is.
    var icons: [String: String]?

    private init(_ type: String) { self.type = type }

    /// The answer to ``Request/hello(version:)``.
    static let hello = Self("hello") { $0.version = version }

    /// Whether what the user looks at is offered, and why not.
    static func page(isOffered: Bool, reason: String? = nil) -> Self {
        Self("page") { ($0.offered, $0.reason) = (isOffered, reason) }
    }

    /// The place in the page is wanted: ``Request/saved(id:url:place:referrer:)`` answers.
    static func save(_ id: UInt32) -> Self { Self("save") { $0.id = id } }

    /// A page is to be opened: ``Request/opened(id:isOpen:)`` answers.
    static func open(_ id: UInt32, _ page: Page, place: PagePlace) -> Self {
        Self("open") {
            ($0.id, $0.url, $0.title, $0.place) = (id, page.url.absoluteString, page.title, place)
        }
    }

    /// A page is about to be opened by its address, in this browser or in another:
    /// ``Request/take(page:)`` takes its place.
    static func coming(_ page: String, _ address: WebAddress) -> Self {
        Self("coming") { ($0.page, $0.url) = (page, address.url.absoluteString) }
    }

    /// The place in a page that was opened by its address.
    static func place(_ page: String, _ place: PagePlace) -> Self {
        Self("place") { ($0.page, $0.place) = (page, place) }
    }

    /// The page that was offered goes on elsewhere.
    static func taken(_ url: URL?, by deviceName: String) -> Self {
        Self("taken") { ($0.url, $0.deviceName) = (url?.absoluteString, Self.shown(deviceName)) }
    }

    /// What other laptops offer, and why there can be none.
    ///
    /// - Parameter apps: The apps that continue what is no page, by id.
    static func offers(_ offers: [OfferSummary], apps: [String: AppIcons.App] = [:], reason: String?) -> Self {
        Self("offers") {
            $0.offers = offers.prefix(maximumOffers).map { offer in
                let app = offer.appHere.flatMap { apps[$0] }
                return Offer(
                    offer: offer.offer, deviceName: shown(offer.deviceName), title: offer.title.map(shown),
                    application: app == nil ? nil : offer.appHere, applicationName: (app?.name).map(shown))
            }
            $0.icons = icons(of: offers, apps)
            $0.reason = reason.map(shown)
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

    /// What the user wanted to carry on with is open here.
    static func continued(_ offer: String) -> Self { Self("continued") { $0.offer = offer } }

    /// It is not, and why.
    static func failed(_ offer: String, reason: String) -> Self {
        Self("failed") { ($0.offer, $0.reason) = (offer, shown(reason)) }
    }

    /// A request that means nothing here, and why.
    static func error(_ reason: String) -> Self { Self("error") { $0.reason = reason } }

    private init(_ type: String, _ fill: (inout Self) -> Void) {
        self.init(type)
        fill(&self)
    }

    /// The message in its frame.
    var framed: [UInt8] {
        get throws { FrameReader.framed(try JSONEncoder().encode(self)) }
    }

    /// What others wrote, as one line.
    private static func shown(_ text: String) -> String {
        VisibleText.replacing(String(text.prefix(Page.maximumTitle))) { _ in " " }
    }
}

extension OfferSummary {
    /// Whether it is a page, which this browser continues.
    var isPage: Bool { type == PageActivity.type }
    /// The app here that continues it, as the daemon has it; nil for a page, and without one.
    var appHere: String? { isPage ? nil : application }
}
