// SPDX-License-Identifier: Apache-2.0

@testable import BatonProtocol
import ActivityModel
import Foundation
@testable import UserInfoJSON

extension FuzzTarget {
    /// The typed JSON of `--info-json`, and its two ways to other programs: the session bus and the
    /// wire.
    static let infoJSON = FuzzTarget("info-json") {
        [
            """
            {"draft": "Dear Ada", "page": 3, "big": 18446744073709551615, "ratio": 0.1, "done": true, "none": null,
             "list": [1, [2.5]], "nested": {"a": {"b": 1}}}
            """,
            #"{"a": {"$double": "-0"}, "b": {"$data": "AP8="}, "c": {"$date": "2026-01-31T12:00:00.5Z"}}"#,
            #"{"a": {"$uuid": "00010203-0405-0607-0809-0a0b0c0d0e0f"}, "b": {"$url": "https://example.org/?q"}}"#,
            #"{"a": {"$set": [1, "2"]}, "b": {"$dictionary": [[1, 2], ["c", {"$date": 0.1}]]}, "$x": 1}"#,
            #"{"$object": {"$set": 1}}"#, #"{"$dictionary": [[{"$double": 1e300}, {"$double": "NaN"}]]}"#,
        ].map { Array($0.utf8) }
    } body: { input in
        let userInfo = try UserInfoJSON.userInfo(parsing: Data(input))
        try check(userInfo)
        // The wire refuses a userInfo that is too large.
        guard let encoded = try? UserInfoCoding.encode(userInfo) else { return }
        try FuzzFinding.unless("a userInfo goes over the wire as it is") {
            let read = try UserInfoCoding.decode(encoded)
            return try UserInfoCoding.encode(read) == encoded
                && UserInfoJSON.node(read).text() == UserInfoJSON.node(userInfo).text()
        }
    }
}
