// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonLoopback
import Foundation
import Testing
import UserActivity

private let type = "org.example.recipes.reading"

private struct Offer: ContinuedOffer {
    let activity: UserActivity
    func accept() async {}
    func decline() async {}
}

@MainActor private final class Seen {
    var titles: [String] = []
}

/// Tests the functions that correspond to SwiftUI's modifiers, as a toolkit uses them.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ViewActivityTests {
    private let application = Application(
        declaration: ApplicationDeclaration(activityTypes: [type]), delegate: nil, coordinator: ResponderCoordinator()
    ) { _ in }
    private let loopback = Loopback()
    private let desk: LoopbackApp
    private let sofa: LoopbackApp
    private let coordinator = ResponderCoordinator()

    init() {
        desk = loopback.app("desk", delivery: .mainActor)
        sofa = loopback.app("sofa")
    }

    private func view() -> ViewActivities { ViewActivities(in: application, host: desk, coordinator: coordinator) }

    private func continues(_ title: String) async -> Bool {
        let activity = UserActivity(activityType: type, host: nil)
        activity.title = title
        return await application.continueActivity(ofType: type) { Offer(activity: activity) } != nil
    }

    @Test("A view's activity is offered, and filled by the closure of the last build")
    func viewOffersItsActivity() async throws {
        let view = view()
        for page in 1...3 {
            view.userActivity(type) { activity in
                activity.title = "Page \(page)"
                activity.addUserInfoEntries(from: ["page": page])
            }
        }
        let offer = await sofa.offer(ofType: type)
        #expect(offer.title == "Page 3")
        let continuation = try await sofa.continueOffer(offer)
        #expect(continuation.activity.userInfo?["page"] as? Int == 3)
        view.disappear()
        await sofa.noOffer(ofType: type)
    }

    @Test("An inactive activity, or one without an element, is no longer offered")
    func inactiveViewOffersNothing() async {
        let view = view()
        view.userActivity(type, element: "Soup") { name, activity in activity.title = name }
        #expect(await sofa.offer(ofType: type).title == "Soup")
        view.userActivity(type, element: String?.none) { name, activity in activity.title = name }
        #expect(sofa.offers.isEmpty)
        view.userActivity(type, isActive: true) { $0.title = "Salad" }
        #expect(await sofa.offer(ofType: type).title == "Salad")
        view.userActivity(type, isActive: false) { _ in Issue.record("it is not asked") }
        #expect(sofa.offers.isEmpty)
    }

    @Test("Building a view again does not replace an activity that became current since")
    func buildingAgainTakesNoPlace() {
        let view = view()
        view.userActivity(type) { $0.title = "Soup" }
        let other = UserActivity(activityType: "org.example.recipes.shopping", host: desk)
        other.becomeCurrent()
        view.userActivity(type) { $0.title = "Salad" }
        #expect(other.isCurrent)
        other.invalidate()
    }

    @Test("Every view that continues a type gets an activity, until it disappears")
    func viewsContinue() async {
        let (first, second, seen) = (view(), view(), Seen())
        first.onContinueUserActivity(type) { seen.titles.append("first \($0.title ?? "")") }
        first.onContinueUserActivity(type) { seen.titles.append("again \($0.title ?? "")") }
        second.onContinueUserActivity(type) { seen.titles.append("second \($0.title ?? "")") }
        #expect(await continues("1"))
        first.disappear()
        #expect(await continues("2"))
        second.disappear()
        #expect(await !continues("3"))
        #expect(seen.titles == ["again 1", "second 1", "second 2"])
    }

    @Test("A view that was released continues no activities")
    func releasedViewContinuesNothing() async {
        let seen = Seen()
        var view: ViewActivities? = view()
        view?.onContinueUserActivity(type) { seen.titles.append($0.title ?? "") }
        view = nil
        #expect(await !continues("1"))
        #expect(view == nil && seen.titles == [])
    }

    @Test("An activity that the app was started for waits for a view that continues its type")
    func coldStart() async {
        let seen = Seen()
        var opened = 0
        application.openScene = { opened += 1 }
        #expect(await continues("Letter"))
        #expect(opened == 1)
        let (other, view) = (view(), view())
        other.onContinueUserActivity("org.example.other") { _ in Issue.record("it is of another type") }
        #expect(seen.titles == [])
        view.onContinueUserActivity(type) { seen.titles.append($0.title ?? "") }
        #expect(seen.titles == ["Letter"])
    }
}
