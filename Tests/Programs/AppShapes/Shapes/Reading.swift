// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Firefox and Brave: the page of the tab in front, unless the tab is private.
@MainActor final class TabActivity {
    private var activity: NSUserActivity?

    func select(_ url: URL?, title: String?, isPrivate: Bool) {
        activity?.invalidate()
        activity = nil
        guard let url, !isPrivate, url.scheme == "https" || url.scheme == "http" else { return }
        let page = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
        page.title = title
        page.webpageURL = url
        page.becomeCurrent()
        activity = page
    }

    deinit { activity?.invalidate() }
}

@MainActor func tabs() async throws {
    let devices = Devices()
    var tab: TabActivity? = TabActivity()
    tab?.select(URL(string: "https://example.org/soup"), title: "Soup", isPrivate: false)
    let page = try await devices.handOver(NSUserActivityTypeBrowsingWeb)
    try expect(page.webpageURL?.path == "/soup" && page.title == "Soup", "the page arrives")
    tab?.select(URL(string: "https://example.org/secret"), title: nil, isPrivate: true)
    try expect(devices.sofa.offers.isEmpty, "a private tab is not offered")
    tab?.select(URL(string: "about:config"), title: nil, isPrivate: false)
    try expect(devices.sofa.offers.isEmpty, "a page of the browser's own is not offered")
    tab?.select(URL(string: "http://example.org/"), title: nil, isPrivate: false)
    try expect(devices.sofa.offers.count == 1, "the next page is offered")
    tab = nil
    try expect(devices.sofa.offers.isEmpty && tab == nil, "a closed tab is not offered")
}

/// NetNewsWire: an activity for the selected feed and one for the open article, with attributes and
/// phrases for a search.
@MainActor final class ReaderActivities {
    struct Article {
        let id: Int
        let title: String
        let feed: String
        let picture: Data?
    }

    private var selecting: NSUserActivity?
    private var reading: NSUserActivity?

    var stateRestorationActivity: NSUserActivity? { reading ?? selecting }

    func select(feed: String) {
        endAll()
        let activity = activity("org.example.reader.feed", title: "Articles of \(feed)", identifier: "feed-\(feed)")
        activity.userInfo = ["feed": feed]
        describe(activity, title: feed, summary: nil, picture: nil)
        activity.becomeCurrent()
        selecting = activity
    }

    func read(_ article: Article) {
        reading?.invalidate()
        let activity = activity("org.example.reader.article", title: article.title, identifier: "article-\(article.id)")
        activity.userInfo = ["feed": article.feed, "article": article.id]
        activity.isEligibleForHandoff = true
        activity.isEligibleForPrediction = false
        describe(activity, title: article.title, summary: "from \(article.feed)", picture: article.picture)
        activity.becomeCurrent()
        reading = activity
    }

    func endAll() {
        for activity in [selecting, reading] { activity?.invalidate() }
        selecting = nil
        reading = nil
    }

    func forget(_ articles: [Int], then done: @escaping @Sendable () -> Void) {
        NSUserActivity.deleteSavedUserActivities(
            withPersistentIdentifiers: articles.map { "article-\($0)" }, completionHandler: done)
    }

    private func activity(_ type: String, title: String, identifier: String) -> NSUserActivity {
        let activity = NSUserActivity(activityType: type)
        activity.title = title
        activity.suggestedInvocationPhrase = title
        activity.isEligibleForPrediction = true
        activity.isEligibleForSearch = true
        activity.persistentIdentifier = identifier
        return activity
    }

    private func describe(_ activity: NSUserActivity, title: String, summary: String?, picture: Data?) {
        let words = title.components(separatedBy: " ").filter { $0.count > 2 }
        let attributeSet = CSSearchableItemAttributeSet(itemContentType: "public.composite-content")
        attributeSet.title = title
        attributeSet.contentDescription = summary
        attributeSet.keywords = words
        if let picture { attributeSet.thumbnailData = picture }
        activity.keywords = Set(words)
        activity.contentAttributeSet = attributeSet
        activity.needsSave = true
    }
}

@MainActor func articles() async throws {
    let devices = Devices()
    let store = MemoryActivityStore()
    UserActivity.store = store
    let reader = ReaderActivities()
    reader.select(feed: "Kitchen")
    reader.read(.init(id: 7, title: "A long soup", feed: "Kitchen", picture: Data([1])))
    let arrived = try await devices.handOver("org.example.reader.article")
    try expect(arrived.userInfo?["article"] as? Int == 7, "the article arrives")
    try expect(Set([arrived]).isDisjoint(with: [reader.stateRestorationActivity].compactMap { $0 }), "it is another")
    // Deletions are processed after earlier saves.
    await withCheckedContinuation { done in reader.forget([1]) { done.resume() } }
    let found = await store.activities(matching: "long soup").first
    try expect(found?.contentAttributeSet?.thumbnailData == Data([1]), "a search finds the article")
    await withCheckedContinuation { done in reader.forget([7]) { done.resume() } }
    let left = await store.activities().map(\.state.activityType)
    try expect(left == ["org.example.reader.feed"], "what was read is forgotten: \(left)")
    reader.endAll()
    try expect(devices.sofa.offers.isEmpty, "nothing is offered in the end")
}

/// Wikipedia: factories in an extension, and a page that stands for each place of the app.
extension NSUserActivity {
    enum Place: String {
        case explore, article
    }

    static func exploring() -> NSUserActivity { place(.explore) }

    static func article(_ url: URL?, title: String) -> NSUserActivity {
        let activity = place(.article)
        activity.title = title
        activity.webpageURL = url
        activity.requiredUserInfoKeys = ["place"]
        return activity
    }

    var place: Place? {
        if activityType == NSUserActivityTypeBrowsingWeb { return .article }
        return (userInfo?["place"] as? String).flatMap(Place.init)
    }

    private static func place(_ place: Place) -> NSUserActivity {
        let activity = NSUserActivity(activityType: "org.example.encyclopaedia.\(place.rawValue)")
        activity.isEligibleForHandoff = true
        activity.isEligibleForSearch = true
        activity.isEligibleForPublicIndexing = true
        activity.addUserInfoEntries(from: ["place": place.rawValue])
        return activity
    }
}

@MainActor func encyclopaedia() async throws {
    let devices = Devices()
    let exploring = NSUserActivity.exploring()
    exploring.becomeCurrent()
    try expect(try await devices.handOver(exploring.activityType).place == .explore, "the place arrives")
    let article = NSUserActivity.article(URL(string: "https://example.org/wiki/Soup"), title: "Soup")
    article.becomeCurrent()
    let arrived = try await devices.handOver(article.activityType)
    try expect(arrived.place == .article && arrived.webpageURL == article.webpageURL, "the article arrives")
    try expect(arrived.requiredUserInfoKeys == ["place"], "what is required is told")
    try expect(NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb).place == .article, "a page is an article")
    for activity in [exploring, article] { activity.invalidate() }
}
