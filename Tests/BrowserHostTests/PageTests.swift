// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import Testing

@testable import browser_host

@Suite struct PageTests {
    private func title(_ title: String?) throws -> String? {
        Page(try WebAddress("https://example.org/"), title: title).title
    }

    @Test("A title that is missing or has no visible character counts as no title")
    func pageMayHaveNoTitle() throws {
        #expect(try title(nil) == nil)
        #expect(try title("") == nil)
        #expect(try title(" \u{3000}\u{200B}") == nil)
    }

    @Test("A title is cut to 1,024 bytes, between characters")
    func longestTitle() throws {
        #expect(try title(String(repeating: "t", count: 2_000)) == String(repeating: "t", count: 1_024))
        #expect(try title(String(repeating: "ö", count: 1_000)) == String(repeating: "ö", count: 512))
        // The title ends with one character that consists of many scalars.
        #expect(try title("a" + String(repeating: "\u{301}", count: 60_000)) == nil)
    }

    @Test("A title becomes one visible line")
    func titleIsOneLineThatCanBeSeen() throws {
        #expect(try title("a\nb\u{1B}[31m\u{202E}c") == "a b [31m c")
    }

    @Test("A position in a page is handed over as userInfo")
    func placeTravelsAsUserInfo() {
        var place = PagePlace()
        (place.x, place.y, place.height, place.fraction) = (0, 1_234.5, 70_008, 0.5)
        (place.anchor, place.text, place.offset) = ("a", "Once upon", 0.25)
        (place.mediaTime, place.medium) = (61.5, 1)
        #expect(place.userInfo.count == 9)
        #expect(PagePlace(userInfo: place.userInfo) == place)
    }

    @Test("Entries of userInfo that are not a position in a page are ignored")
    func otherUserInfo() {
        let info: UserInfo = [
            "y": .int(12), "fraction": "half", "anchor": .bool(true), .int(7): .null, "url": "javascript:x",
        ]
        var expected = PagePlace()
        expected.y = 12
        #expect(PagePlace(userInfo: info) == expected)
        #expect(PagePlace(userInfo: [:]) == PagePlace())
    }

    @Test("A number in a position that is negative or above its limit is dropped")
    func numbersOfThePlace() {
        let limits: [(WritableKeyPath<PagePlace, Double?>, Double)] = [
            (\.x, 1e8), (\.y, 1e8), (\.height, 1e8), (\.fraction, 1), (\.offset, 1), (\.mediaTime, 1e8),
            (\.medium, 1e8),
        ]
        for (path, limit) in limits {
            for (number, isKept) in [(0, true), (limit, true), (limit.nextUp, false), (-0.1, false), (.nan, false)] {
                var place = PagePlace()
                place[keyPath: path] = number
                #expect((place.withinLimits[keyPath: path] != nil) == isKept, "\(path) \(number)")
            }
        }
    }

    @Test("The anchor is limited to 256 bytes, the text to 512")
    func anchorAndTextLimits() {
        var place = PagePlace()
        place.anchor = String(repeating: "a", count: 256)
        place.text = String(repeating: "t", count: 512)
        #expect(place.withinLimits == place)
        place.anchor? += "a"
        place.text? += "t"
        #expect(place.withinLimits == PagePlace())
    }
}
