// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Wording

enum OfferText {
    static let documents = "org.batonproject.Adapter.Documents"
    static let texts = "org.batonproject.Adapter.Editors"
    static let media = "org.batonproject.Adapter.Media"
    static let browsing = "NSUserActivityTypeBrowsingWeb"

    /// Returns the title of an offer, or its kind, in one line.
    static func what(_ offer: OfferSummary, apps: InstalledApps) -> String {
        if let title = offer.title, !ShownText.title(title).isEmpty { return ShownText.title(title) }
        guard canContinue(offer) else { return tr("Something that no app here can continue") }
        return kind(application: offer.application, isPage: offer.hasWebpage, apps: apps)
    }

    /// Returns the kind of this laptop's own offer, in one line.
    static func what(_ offer: OwnOffer, apps: InstalledApps) -> String {
        kind(application: offer.application, isPage: offer.type == browsing, apps: apps)
    }

    private static func kind(application: String?, isPage: Bool, apps: InstalledApps) -> String {
        switch application {
        case documents?: tr("A document")
        case texts?: tr("A text")
        case media?: tr("Music or a video")
        case nil where isPage: tr("A web page")
        case let app?: name(of: app, in: apps)
        case nil: tr("Something of an app")
        }
    }

    /// Returns the name of an app, or the last part of its id if it is not installed.
    private static func name(of app: String, in apps: InstalledApps) -> String {
        let name = apps.name(of: app)
        return ShownText.name(name == app ? app.split(separator: ".").last.map(String.init) ?? app : name)
    }

    /// Returns the laptop that an offer is from.
    static func origin(_ offer: OfferSummary) -> String {
        tr("From “{laptop}”", ["laptop": ShownText.name(offer.deviceName)])
    }

    /// Returns the name of an offer's icon.
    static func icon(_ offer: OfferSummary) -> String {
        icon(application: offer.application, isPage: offer.hasWebpage)
    }

    /// Returns the name of the icon of this laptop's own offer.
    static func icon(_ offer: OwnOffer) -> String {
        icon(application: offer.application, isPage: offer.type == browsing)
    }

    private static func icon(application: String?, isPage: Bool) -> String {
        switch application {
        case documents?: "org.batonproject.Baton.Document"
        case texts?: "org.batonproject.Baton.Text"
        case media?: "org.batonproject.Baton.Media"
        case nil where isPage: "org.batonproject.Baton.WebPage"
        case let app?: app
        case nil: "org.batonproject.Baton"
        }
    }

    /// Returns whether an app or the browser here can continue an offer.
    static func canContinue(_ offer: OfferSummary) -> Bool { offer.application != nil || offer.hasWebpage }
}
