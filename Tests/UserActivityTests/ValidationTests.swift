// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UserActivity

@Suite struct ValidationTests {
    @Test("A type has 1 to 255 bytes of visible characters")
    func typesBytes() throws {
        _ = try ActivityState(activityType: String(repeating: "é", count: 127) + "x").validated()
        for type in ["", String(repeating: "é", count: 128), "a\0b", "a\u{1B}[2Jb", "a\nb", "a\u{9B}b", "a\u{202E}b"] {
            let error = #expect(throws: UserActivityError.self) { try ActivityState(activityType: type).validated() }
            #expect(error?.code == .invalidType)
        }
    }

    @Test("A web page's address is HTTP or HTTPS", arguments: ["http://example.org/", "HTTPS://example.org/a?b#c"])
    func webPageIsHTTP(address: String) throws {
        let url = try #require(URL(string: address))
        _ = try ActivityState(activityType: "t", webpageURL: url).validated()
    }

    @Test(
        "A web page with another scheme is rejected",
        arguments: [
            "file:///etc/passwd", "javascript:alert(1)", "ftp://example.org/", "example.org/a", "http:///a",
            "http://a:65536",
        ])
    func anotherScheme(address: String) throws {
        let url = try #require(URL(string: address))
        let state = ActivityState(activityType: "t", webpageURL: url)
        let error = #expect(throws: UserActivityError.self) { try state.validated() }
        #expect(error?.code == .invalidWebpageURL)
        #expect(error?.property == "webpageURL")
    }

    @Test("NaN is neither a key nor a member of a set")
    func nanInKeysAndSets() throws {
        let nan = UserInfoValue.double(.nan)
        for (info, path) in [
            (["a": .array([.set([nan])])], "[a][0]{}"), (["a": .dictionary([nan: .null])], "[a]["),
            ([nan: .null], "[nan]"),
        ] as [(UserInfo, String)] {
            let error = #expect(throws: UserActivityError.self) {
                try ActivityState(activityType: "t", userInfo: info).validated()
            }
            #expect(error?.code == .unsupportedValue)
            #expect(error?.path.hasPrefix(path) == true, "\(error?.path ?? "")")
        }
        _ = try ActivityState(activityType: "t", userInfo: ["a": .array([nan])]).validated()
        // Foundation's own description of such a date would end the process.
        let date = Date(timeIntervalSinceReferenceDate: .nan)
        for info: UserInfo in [[.date(date): .null], ["a": .dictionary([.array([.date(date)]): .null])]] {
            #expect(throws: UserActivityError.self) { try ActivityState(activityType: "t", userInfo: info).validated() }
        }
        #expect(throws: UserActivityError.self) { try UserInfoValue([date: 1]) }

        for any in [Set([Double.nan]), [Double.nan: 1], [Set([[Double.nan]])], [NSNumber(value: Double.nan): 1]]
            as [Any]
        {
            let error = #expect(throws: UserActivityError.self) { try UserInfoValue(any) }
            #expect(error?.code == .unsupportedValue)
        }
        #expect(try UserInfoValue([Double.nan]).holdsNaN)
    }

    @Test("The depth of userInfo is limited")
    func userInfoDepthIsLimited() throws {
        func nested(_ depth: Int) -> UserInfoValue { (0..<depth).reduce("x") { inner, _ in .array([inner]) } }
        let deepest = nested(UserInfoValue.maximumDepth)
        _ = try ActivityState(activityType: "t", userInfo: ["a": deepest, deepest: "a"]).validated()
        for userInfo: UserInfo in [["a": .array([deepest])], [.array([deepest]): "a"]] {
            let state = ActivityState(activityType: "t", userInfo: userInfo)
            let error = #expect(throws: UserActivityError.self) { try state.validated() }
            #expect(error?.code == .tooDeep)
            #expect(error?.description.contains(userInfo["a"] == nil ? "[an array]" : "[a]") == true)
        }
    }
}
