// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UserActivity

@Suite struct UserInfoValueTests {
    @Test("Every supported type is read and returned")
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

    @Test("Booleans, integers and doubles in userInfo stay distinct")
    func scalarsStayApart() throws {
        #expect(try UserInfoValue(true) == .bool(true))
        #expect(try UserInfoValue(1) == .int(1))
        #expect(try UserInfoValue(1.0) == .double(1))
        #expect(try UserInfoValue(UInt8(1)) == .int(1))
        #expect(try UserInfoValue(UInt64.max) == .uint(.max))
        #expect(try UserInfoValue(Int64.min) == .int(.min))
        #expect(try UserInfoValue(Float(1.5)) == .double(1.5))
    }

    @Test("Foundation's numbers stay distinct: booleans, integers and doubles")
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

    @Test("Values of Foundation's classes are read")
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

    @Test("The error about an unsupported type names the place of the value")
    func unsupportedType() {
        struct Other {}
        let error = #expect(throws: UserActivityError.self) {
            try UserInfoValue.userInfo(from: ["draft": ["parts": [1, Other()] as [Any]]])
        }
        #expect(error?.code == .unsupportedValue)
        #expect(error?.description.contains("[\"draft\"][\"parts\"][1] is of type Other") == true)
    }

    @Test("The depth of a value in userInfo is limited")
    func depthIsLimited() throws {
        func nested(_ depth: Int) -> Any { (0..<depth).reduce("x" as Any) { inner, _ in [inner] } }
        _ = try UserInfoValue(nested(UserInfoValue.maximumDepth))
        let error = #expect(throws: UserActivityError.self) {
            try UserInfoValue(nested(UserInfoValue.maximumDepth + 1))
        }
        #expect(error?.code == .tooDeep)

        // The userInfo dictionary itself does not count as a level.
        _ = try UserInfoValue.userInfo(from: ["a": nested(UserInfoValue.maximumDepth)])
        #expect(throws: UserActivityError.self) {
            try UserInfoValue.userInfo(from: ["a": nested(UserInfoValue.maximumDepth + 1)])
        }
    }

    @Test("A nil optional becomes null at every depth")
    func nilIsNull() throws {
        let (absent, present): (String?, String?) = (nil, "x")
        let twice: String?? = .some(nil)
        let typed = try UserInfoValue.userInfo(from: [
            "absent": absent as Any, "present": present as Any, "twice": twice as Any,
            "array": [absent, present], "dictionary": ["a": absent, "b": present], "set": Set([absent, present]),
        ])
        #expect(typed["absent"] == .null)
        #expect(typed["present"] == "x")
        #expect(typed["twice"] == .null)
        #expect(typed["array"] == .array([.null, "x"]))
        #expect(typed["dictionary"] == .dictionary(["a": .null, "b": "x"]))
        #expect(typed["set"] == .set([.null, "x"]))
        #expect(try UserInfoValue(Optional(NSNumber(value: 1)) as Any) == .int(1))
        let activity = UserActivity(activityType: "org.example.nil", host: nil)
        activity.addUserInfoEntries(from: ["title": absent as Any])
        #expect(activity.userInfo?["title"] is NSNull)
        // An unsupported type is found inside an optional too.
        struct Other {}
        #expect(throws: UserActivityError.self) { try UserInfoValue(Optional(Other()) as Any) }
    }

    /// Returns a number after a round trip through userInfo.
    private func read(_ value: Any) -> Any? {
        let activity = UserActivity(activityType: "org.example.numbers", host: nil)
        activity.userInfo = ["n": value]
        return activity.userInfo?["n"]
    }

    @Test("A number can be read as each type that has its value, like an NSNumber")
    func numbersBridge() {
        #expect(read(Float(1.5)) as? Float == 1.5)
        #expect(read(CGFloat(2.5)) as? CGFloat == 2.5)
        #expect(read(0.1) as? CGFloat == 0.1)
        #expect(read(Decimal(2.5)) as? Double == 2.5)
        #expect(read(Int64(-5)) as? Int64 == -5)
        #expect(read(Int32(-5)) as? Int32 == -5)
        #expect(read(Int16(-5)) as? Int16 == -5)
        #expect(read(Int8(-5)) as? Int8 == -5)
        #expect(read(UInt8(5)) as? UInt8 == 5)
        #expect(read(UInt16(5)) as? UInt16 == 5)
        #expect(read(UInt32(5)) as? UInt32 == 5)
        #expect(read(UInt64(5)) as? UInt64 == 5)
        #expect(read(UInt64.max) as? UInt64 == .max)
        #expect(read(8) as? Double == 8)
        #expect(read(8) as? CGFloat == 8)
        #expect(read(7.0) as? Int == 7)
        #expect(read(true) as? Int == 1)
        #expect(read(true) as? Bool == true)
        #expect(read(1) as? Bool == true)
        #expect(read(8) as? NSNumber == 8)
        // As with an NSNumber, the cast returns nil if the value does not fit.
        #expect(read(300) as? UInt8 == nil)
        #expect(read(-1) as? UInt == nil)
        #expect(read(1.5) as? Int == nil)
        #expect(read(2) as? Bool == nil)
        #expect(read(UInt64.max) as? Int == nil)
        #expect(read(UInt64.max) as? CGFloat == nil)
    }

    @Test("Numbers in containers can be read as each type that has their values")
    func numbersInContainersBridge() {
        #expect(read([1, 2]) as? [Int64] == [1, 2])
        #expect(read([1, 2]) as? [Double] == [1, 2])
        #expect(read([Float(1.5)]) as? [Float] == [1.5])
        #expect(read([CGFloat(1.5)]) as? [CGFloat] == [1.5])
        #expect(read(["a": 1]) as? [String: Int32] == ["a": 1])
        #expect(read(Set([1, 2])) as? Set<Int> == [1, 2])
        #expect(read(Set([UInt8(1)])) as? Set<UInt8> == [1])
        #expect(read([7: "x"]) as? [Int: String] == [7: "x"])
        #expect((read([7: "x"]) as? [AnyHashable: Any])?[7] as? String == "x")
    }

    @Test("A value in userInfo is returned itself, not wrapped in an AnyHashable")
    func valuesAreNotWrapped() throws {
        for value in ["text", Data([1]), Date(), UUID(), try #require(URL(string: "https://example.org"))] as [Any] {
            #expect(type(of: try #require(read(value))) == type(of: value))
        }
        #expect(!"\(try #require(read([1, true, "x"])))".contains("AnyHashable"))
        // Setting it again gives the same value.
        let activity = UserActivity(activityType: "org.example.numbers", host: nil)
        activity.userInfo = ["a": [1, 2.0, true, NSNull(), UInt64.max] as [Any], "b": Set([false])]
        let before = activity.currentState.userInfo
        activity.userInfo = activity.userInfo
        #expect(activity.currentState.userInfo == before)
    }

    @Test("Foundation can encode userInfo as JSON and property lists")
    func foundationWritesWhatIsRead() throws {
        let activity = UserActivity(activityType: "org.example.numbers", host: nil)
        activity.userInfo = ["one": 1, "yes": true, "half": 0.5, "list": [0, 1]]
        let read = try #require(activity.userInfo as? [String: Any])
        let json = try JSONSerialization.data(withJSONObject: read, options: .sortedKeys)
        #expect(String(decoding: json, as: UTF8.self) == #"{"half":0.5,"list":[0,1],"one":1,"yes":true}"#)
        let list = try PropertyListSerialization.data(fromPropertyList: read, format: .xml, options: 0)
        let back = try PropertyListSerialization.propertyList(from: list, format: nil)
        #expect(back as? NSDictionary == read as NSDictionary)
    }

    @Test("Keys that Foundation treats as equal do not trap")
    func equalKeys() {
        let pairs: UserInfo = [.int(1): "a", .double(1): "b"]
        #expect(UserInfoValue.foundationDictionary(pairs).count == 1)
        #expect((UserInfoValue.set([.int(1), .double(1)]).foundationValue as? Set<AnyHashable>)?.count == 1)
    }
}
