// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import Foundation
import Testing

@testable import BatonDesktop

@Suite struct OpenedPagesTests {
    private func activity(
        _ address: String?, type: String = ActivityState.browsingWeb, place: Double = 0
    ) -> ContinuedActivity {
        ContinuedActivity(
            continuation: "c",
            activity: ActivityState(
                activityType: type, userInfo: ["y": .double(place)], webpageURL: address.flatMap(URL.init(string:))),
            device: "d", deviceName: "desk", transport: "l2cap")
    }

    @Test("An opened page can be taken once")
    func pageIsTakenOnce() throws {
        var pages = OpenedPages()
        let added = pages.add(activity("https://example.org/", place: 7))
        let page = try #require(added)
        #expect(page.address == "https://example.org/")
        #expect(pages.all == [page])
        let (first, second) = (pages.remove(page.page), pages.remove(page.page))
        #expect(first?.activity.userInfo["y"] == .double(7))
        #expect(second == nil)
        #expect(pages.all.isEmpty)
    }

    @Test("Other activities with a page are not among the opened pages")
    func otherActivities() {
        var pages = OpenedPages()
        let note = pages.add(activity("https://example.org/", type: "org.example.note"))
        let nowhere = pages.add(activity(nil))
        #expect(note == nil && nowhere == nil)
        #expect(pages.all.isEmpty)
    }

    @Test("At most eight opened pages wait, and the oldest is dropped first")
    func eightPagesWait() {
        var pages = OpenedPages()
        let all = (0..<100_000).compactMap { pages.add(activity("https://example.org/\($0)")) }
        #expect(Set(all.map(\.page)).count == 100_000)
        #expect(pages.all == all.suffix(8))
    }

    @Test("A page that is not taken is forgotten two minutes after it was opened")
    func pageNobodyTakes() throws {
        var pages = OpenedPages()
        let added = ["https://example.org/1", "https://example.org/2"].map { pages.add(activity($0)) }
        #expect(pages.deadline == nil)
        pages.opened(try #require(added[0]).page, at: .seconds(10))
        #expect(pages.deadline == .seconds(130))
        pages.timePassed(at: .seconds(129))
        #expect(pages.all.count == 2)
        pages.timePassed(at: .seconds(130))
        #expect(pages.all == [added[1]] && pages.deadline == nil)
    }

    @Test("A program that leaves stops following the opened pages")
    func whoLeavesFollowsNoMore() {
        var pages = OpenedPages()
        for number in 0..<100_000 {
            let client = ClientID(rawValue: ":1.\(number)")
            pages.follow(client)
            pages.follow(client)
            #expect(pages.followers == [client])
            pages.leave(client)
        }
        #expect(pages.followers.isEmpty)
    }

    @Test("A browser whose extension has followed pages once counts as having the extension, even while it is closed")
    func followerIsRemembered() {
        var pages = OpenedPages()
        #expect(!pages.hasBeenFollowed)
        pages.follow(ClientID(rawValue: ":1.1"))
        pages.leave(ClientID(rawValue: ":1.1"))
        #expect(pages.hasBeenFollowed)
    }
}
