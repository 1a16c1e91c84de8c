// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UserActivity

@Suite struct UserInfoValueTests {
    @Test("Every supported type is read and given back")
    func everySupportedType() throws {
        let id = UUID()
        let url = try #require(URL(string: "https://example.org/a"))
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.123)
        let dictionary: [AnyHashable: Any] = [
            "array": [1, "two", [3.5]] as [Any], "data": Data([0, 255]), "date": date, "dictionary": ["a": ["b": 1]],
            "null": NSNull(), "number": 42, "set": Set([1, 2]), "string": "é", "uuid": id, "url": url, 7: true,
        ]
        let typed = try UserInfoValue.userInfo(from: dictionary)
        #expect(typed["array"] == .array([.int(1), "two", .array([.double(3.5)])]))
        #expect(typed["data"] == .data(Data([0, 255])))
        #expect(typed["date"] == .date(date))
        #expect(typed["dictionary"] == .dictionary(["a": .dictionary(["b": .int(1)])]))
        #expect(typed["null"] == .null)
        #expect(typed["number"] == .int(42))
        #expect(typed["set"] == .set([.int(1), .int(2)]))
        #expect(typed["string"] == "é")
        #expect(typed["uuid"] == .uuid(id))
        #expect(typed["url"] == .url(url))
        #expect(typed[.int(7)] == .bool(true))
        #expect(try UserInfoValue.userInfo(from: UserInfoValue.foundationDictionary(typed)) == typed)
    }

    @Test("Booleans, integers and doubles stay apart")
    func scalarsStayApart() throws {
        #expect(try UserInfoValue(true) == .bool(true))
        #expect(try UserInfoValue(1) == .int(1))
        #expect(try UserInfoValue(1.0) == .double(1))
        #expect(try UserInfoValue(UInt8(1)) == .int(1))
        #expect(try UserInfoValue(UInt64.max) == .uint(.max))
        #expect(try UserInfoValue(Int64.min) == .int(.min))
        #expect(try UserInfoValue(Float(1.5)) == .double(1.5))
    }

    @Test("Numbers of Foundation stay apart: booleans, integers and doubles")
    func numbersOfFoundationStayApart() throws {
        #expect(try UserInfoValue(NSNumber(value: true)) == .bool(true))
        #expect(try UserInfoValue(NSNumber(value: false)) == .bool(false))
        #expect(try UserInfoValue(NSNumber(value: 1)) == .int(1))
        #expect(try UserInfoValue(NSNumber(value: Int8(1))) == .int(1))
        #expect(try UserInfoValue(NSNumber(value: 0)) == .int(0))
        #expect(try UserInfoValue(NSNumber(value: 1.0)) == .double(1))
        #expect(try UserInfoValue(NSNumber(value: UInt64.max)) == .uint(.max))
        #expect(try UserInfoValue(NSNumber(value: Int64.min)) == .int(.min))
    }

    @Test("Classes of Foundation are read")
    func classesOfFoundationAreRead() throws {
        let date = NSDate(timeIntervalSinceReferenceDate: 5)
        let url = try #require(NSURL(string: "https://example.org/"))
        let id = NSUUID()
        #expect(try UserInfoValue(NSString("x")) == "x")
        #expect(try UserInfoValue(NSData(data: Data([1]))) == .data(Data([1])))
        #expect(try UserInfoValue(date) == .date(Date(timeIntervalSinceReferenceDate: 5)))
        #expect(try UserInfoValue(url) == .url(#require(URL(string: "https://example.org/"))))
        #expect(try UserInfoValue(id) == .uuid(#require(UUID(uuidString: id.uuidString))))
        #expect(try UserInfoValue(NSArray(array: [NSNumber(value: 1)])) == .array([.int(1)]))
        #expect(try UserInfoValue(NSDictionary(dictionary: ["a": NSNull()])) == .dictionary(["a": .null]))
        #expect(try UserInfoValue(NSSet(array: ["a"])) == .set(["a"]))
    }

    @Test("An unsupported type is refused, and its place named")
    func unsupportedType() {
        struct Other {}
        let error = #expect(throws: UserActivityError.self) {
            try UserInfoValue.userInfo(from: ["draft": ["parts": [1, Other()] as [Any]]])
        }
        #expect(error?.code == .unsupportedValue)
        #expect(error?.description.contains("[\"draft\"][\"parts\"][1] is of type Other") == true)
    }

    @Test("The depth of a value is limited")
    func depthIsLimited() throws {
        func nested(_ depth: Int) -> Any { (0..<depth).reduce("x" as Any) { inner, _ in [inner] } }
        _ = try UserInfoValue(nested(UserInfoValue.maximumDepth))
        let error = #expect(throws: UserActivityError.self) {
            try UserInfoValue(nested(UserInfoValue.maximumDepth + 1))
        }
        #expect(error?.code == .tooDeep)

        // A userInfo is not counted itself.
        _ = try UserInfoValue.userInfo(from: ["a": nested(UserInfoValue.maximumDepth)])
        #expect(throws: UserActivityError.self) {
            try UserInfoValue.userInfo(from: ["a": nested(UserInfoValue.maximumDepth + 1)])
        }
    }

    @Test("Keys that Foundation holds for equal do not trap")
    func equalKeys() {
        let pairs: UserInfo = [.int(1): "a", .double(1): "b"]
        #expect(UserInfoValue.foundationDictionary(pairs).count == 1)
        #expect((UserInfoValue.set([.int(1), .double(1)]).foundationValue as? Set<AnyHashable>)?.count == 1)
    }
}
