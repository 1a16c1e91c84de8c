// SPDX-License-Identifier: Apache-2.0

import Foundation

/// VLC and Home Assistant: a controller makes its activity and sets userInfo directly. It has no
/// `updateUserActivityState`.
@MainActor private final class FilmController: UserActivityResponder {
    func show(_ film: Int, title: String) {
        userActivity = NSUserActivity(activityType: "org.example.films.playing")
        userActivity?.title = title
        userActivity?.userInfo = ["film": film]
        userActivity?.becomeCurrent()
    }
}

@MainActor func films() async throws {
    let devices = Devices()
    let controller = FilmController()
    controller.show(7, title: "Soup")
    let arrived = try await devices.handOver("org.example.films.playing")
    try expect(arrived.userInfo?["film"] as? Int == 7 && arrived.title == "Soup", "the film arrives")
    try expect(controller.userActivity?.userInfo?["film"] as? Int == 7, "the activity here keeps it")
    controller.userActivity = nil
}

/// WordPress: an extension of a protocol lets a search find any screen.
@MainActor private protocol SearchableScreen: UserActivityResponder {
    var activityType: String { get }
    var activityTitle: String { get }
    var activityUserInfo: [String: String]? { get }
    var activityDescription: String? { get }
}

extension SearchableScreen {
    fileprivate func registerUserActivity() {
        let activity = NSUserActivity(activityType: activityType)
        activity.title = activityTitle
        activity.expirationDate = Date(timeIntervalSinceNow: 604_800)
        if let activityUserInfo {
            activity.userInfo = activityUserInfo
            activity.requiredUserInfoKeys = Set([activityUserInfo.keys.sorted()[0]])
        }
        if let activityDescription {
            let attributes = CSSearchableItemAttributeSet(itemContentType: "public.text")
            attributes.contentDescription = activityDescription
            attributes.contentCreationDate = nil
            activity.contentAttributeSet = attributes
        }
        activity.isEligibleForSearch = true
        activity.isEligibleForHandoff = false
        activity.suggestedInvocationPhrase = "Open \(activityTitle)"
        userActivity = activity
    }
}

@MainActor private final class SiteScreen: SearchableScreen {
    let activityType = "org.example.site.posts"
    let activityTitle = "Posts"
    let activityUserInfo: [String: String]? = ["site": "12", "tab": "drafts"]
    let activityDescription: String? = "All posts of the site"
}

@MainActor func screens() async throws {
    let devices = Devices()
    let store = MemoryActivityStore()
    UserActivity.store = store
    let screen = SiteScreen()
    ResponderCoordinator.shared.mainChain = [screen]
    screen.registerUserActivity()
    let activity = screen.userActivity
    let state = await activity?.saved()
    try expect(state?.userInfo.count == 2, "what was set directly stays: \(String(describing: state?.userInfo))")
    let saved = activity?.savedActivity
    try expect(saved?.state.userInfo == ["site": "12"], "a search keeps what is required")
    try expect(devices.sofa.offers.isEmpty, "it is not handed over")
    screen.userActivity = nil
}
