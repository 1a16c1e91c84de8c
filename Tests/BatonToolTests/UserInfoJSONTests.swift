// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Foundation
import Testing

@testable import baton
@testable import UserInfoJSON

@Suite struct UserInfoJSONTests {
    private func parse(_ text: String) throws -> UserInfo { try UserInfoJSON.userInfo(parsing: Data(text.utf8)) }

    @Test("Plain JSON becomes the same plain values")
    func plainJSONIsReadAsItIs() throws {
        let text = #"{"n":null,"b":true,"i":-5,"u":18446744073709551615,"d":1.5,"s":"é\n","a":[1,[]],"o":{"x":{}}}"#
        #expect(
            try parse(text) == [
                "n": .null, "b": .bool(true), "i": .int(-5), "u": .uint(.max), "d": .double(1.5), "s": "é\n",
                "a": .array([.int(1), .array([])]), "o": .dictionary(["x": .dictionary([:])]),
            ])
    }

    @Test("Tags express the types that JSON lacks")
    func tagsGiveTypes() throws {
        let text = #"""
            {"d":{"$double":1},"nan":{"$double":"NaN"},"inf":{"$double":"-inf"},"zero":{"$double":"-0"},
             "data":{"$data":"AP8="},"uuid":{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"},
             "url":{"$url":"https://example.org/a%20b"},"date":{"$date":"2001-01-01T01:00:00.25+01:00"},
             "old":{"$date":0},"set":{"$set":[1,2]},"dict":{"$dictionary":[[1,"a"],[{"$double":1},"b"]]},
             "obj":{"$object":{"$data":1}}}
            """#
        let info = try parse(text)
        #expect(info["d"] == .double(1))
        #expect(info["inf"] == .double(-.infinity))
        #expect(info["data"] == .data(Data([0, 255])))
        #expect(info["uuid"] == .uuid(try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))))
        #expect(info["url"] == .url(try #require(URL(string: "https://example.org/a%20b"))))
        #expect(info["date"] == .date(Date(timeIntervalSinceReferenceDate: 0.25)))
        #expect(info["old"] == .date(Date(timeIntervalSince1970: 0)))
        #expect(info["set"] == .set([.int(1), .int(2)]))
        #expect(info["dict"] == .dictionary([.int(1): "a", .double(1): "b"]))
        #expect(info["obj"] == .dictionary(["$data": .int(1)]))
        guard case .double(let nan) = info["nan"], case .double(let zero) = info["zero"] else {
            Issue.record("not doubles")
            return
        }
        #expect(nan.isNaN)
        #expect(zero.sign == .minus)
    }

    @Test(
        "An error in a userInfo is reported with its path",
        arguments: [
            (#"[1]"#, "the document is not an object"),
            (#"{"a":"#, "the document is not JSON"),
            (#"{"a":{"$foo":1}}"#, #"["a"] has the unknown tag "$foo""#),
            (#"{"a":[1,{"$data":"*"}]}"#, #"["a"][1]["$data"] is not base64"#),
            (#"{"a":{"$data":1}}"#, #"["a"]["$data"] is not a string"#),
            (#"{"a":{"$uuid":"x"}}"#, #"["a"]["$uuid"] is not a UUID"#),
            (#"{"a":{"$url":""}}"#, #"["a"]["$url"] is not a URL"#),
            (#"{"a":{"$date":"2023-02-29T00:00:00Z"}}"#, #"["a"]["$date"] is not a date"#),
            (#"{"a":{"$date":"2023-02-28T24:00:00Z"}}"#, #"["a"]["$date"] is not a date"#),
            (#"{"a":{"$date":"2023-02-28"}}"#, #"["a"]["$date"] is not a date"#),
            (#"{"a":{"$double":"1"}}"#, #"["a"]["$double"] is not a number"#),
            (#"{"a":{"$set":[1,1]}}"#, #"["a"]["$set"][1] is in the set twice"#),
            (#"{"a":{"$set":[1,{"$double":"NaN"}]}}"#, #"["a"]["$set"][1] has a NaN"#),
            (#"{"a":{"$set":[[{"$double":"NaN"}]]}}"#, #"["a"]["$set"][0] has a NaN"#),
            (#"{"a":{"$date":{"since2001":"NaN"}}}"#, #"["a"]["$date"] is not a date"#),
            (#"{"a":{"$date":{"since2001":"-inf"}}}"#, #"["a"]["$date"] is not a date"#),
            (
                "{\"a\":\"a" + String(repeating: "\u{301}", count: 65) + "\"}",
                #"["a"] has more than 64 combining marks"#
            ),
            (#"{"a":{"$set":{}}}"#, #"["a"]["$set"] is not an array"#),
            (#"{"a":{"$dictionary":[[1]]}}"#, #"["a"]["$dictionary"][0] is not a [key, value]"#),
            (#"{"a":{"$dictionary":[[1,2],[1,3]]}}"#, #"["a"]["$dictionary"][1] repeats a key"#),
            (#"{"a":{"$object":1}}"#, #"["a"]["$object"] is not an object"#),
            (#"{"a":[0,1e999]}"#, #"["a"][1] is a number beyond"#),
            (#"{"a":[0,"\ud800"]}"#, #"["a"][1] is a string that is not Unicode"#),
        ])
    func faultIsNamedWithItsPath(text: String, message: String) {
        let error = #expect(throws: UserInfoJSONError.self) { try parse(text) }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }

    @Test(
        "Invalid JSON is refused with its line and column",
        arguments: [
            (#"{"a":1,}"#, 1, 7, "after this comma"), ("[1,\n  2, ]", 2, 4, "after this comma"),
            (#"{"a":1,,}"#, 1, 8, "',' stands where a key"), (#"{,}"#, 1, 2, "a key in double quotes"),
            ("{\n \"ü\": x}", 2, 7, "'x' stands where a value"), ("{\"é\": 1\n \"b\": 2}", 2, 2, "a comma or '}'"),
            (#"{"a":01}"#, 1, 6, "no number"), (#"{"a":1.}"#, 1, 6, "no number"), (#"{"a":1e}"#, 1, 6, "no number"),
            (#"{"a":-}"#, 1, 6, "no number"), (#"{"a":+1}"#, 1, 6, "'+'"), (#"{"a":.5}"#, 1, 6, "'.'"),
            (#"{"a":0x1}"#, 1, 7, "'x'"), (#"{"a":NaN}"#, 1, 6, "'N'"), (#"{"a":nul}"#, 1, 6, "'n'"),
            (#"{'a':1}"#, 1, 2, "double quotes"), ("{\"a\":/**/1}", 1, 6, "'/'"), (#"{"a" 1}"#, 1, 6, "a colon"),
            (#"{"a":1} x"#, 1, 9, "follows the end"), ("{}\n{}", 2, 1, "follows the end"),
            ("{\"a\":\"x\ny\"}", 1, 8, "control character"), (#"{"a":"\q"}"#, 1, 7, "no such escape"),
            (#"{"a":"\u12"}"#, 1, 7, "no such escape"), (#"{"a":"x"#, 1, 6, "no end"),
            (#"{"a":"x\"#, 1, 8, "no such escape"),
            (#"{"a":1,"\u0061":2}"#, 1, 8, "stands here again"), (#"{"o":{"a":1,"a":1}}"#, 1, 13, "stands here again"),
            ("\u{FEFF}{}", 1, 1, "byte order mark"), ("{\"a\":\u{A0}1}", 1, 6, "not ASCII"),
            ("", 1, 1, "it ends where a value"),
            (#"{"a":"#, 1, 6, "it ends where a value"), ("{\u{0}\"a\":1}", 1, 2, "a key"),
        ])
    func notJSON(text: String, line: Int, column: Int, message: String) {
        let error = #expect(throws: UserInfoJSONError.self) { try parse(text) }
        let told = error?.description ?? ""
        #expect(told.hasPrefix("the document is not JSON: line \(line), column \(column): "), "\(text): \(told)")
        #expect(told.contains(message), "\(text): \(told)")
    }

    @Test("A text that is not UTF-8 is refused with its position")
    func notUTF8() {
        for (bytes, column) in [([0x7B, 0x22, 0xFF, 0x22], 3), ([0x22, 0xC3], 2), ([0x7B, 0, 0x7D, 0], 2)]
            as [([UInt8], Int)]
        {
            let error = #expect(throws: UserInfoJSONError.self) { try UserInfoJSON.userInfo(parsing: Data(bytes)) }
            #expect(error?.description.contains("line 1, column \(column): ") == true, "\(error as Any)")
        }
    }

    @Test("All valid JSON is accepted")
    func allThatIsJSONIsTaken() throws {
        let text =
            "\t{ \"\\u00e9\\ud83d\\ude00\\/\" : [ -0 , 0.5 , 1E+2 , -12e-1 , true , false , null , { } , [ ] , \"\u{7F}\" ] }\r\n"
        #expect(try parse(text).keys.first == "é😀/")
    }

    @Test("The depth of a userInfo is limited")
    func depthIsLimited() throws {
        func nested(_ depth: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        }
        let deepest = try parse(nested(UserInfoValue.maximumDepth))
        #expect(deepest["a"]?.depth == UserInfoValue.maximumDepth)
        #expect(throws: UserInfoJSONError.self) { try parse(nested(UserInfoValue.maximumDepth + 1)) }
        #expect(throws: UserInfoJSONError.self) { try parse(nested(100_000)) }
    }

    @Test("The size of a userInfo's JSON is limited")
    func sizeIsLimited() {
        let text = #"{"a":""# + String(repeating: "x", count: UserInfoJSON.maximumSize) + #""}"#
        #expect(throws: UserInfoJSONError.self) { try parse(text) }
    }

    @Test("The JSON of a userInfo is written in a canonical form")
    func outputIsCanonical() throws {
        let info: UserInfo = [
            "b": .set([.int(10), .int(9), "x"]), "a": .double(2), "c": .dictionary([.int(2): .null, .int(1): .null]),
        ]
        #expect(
            try UserInfoJSON.node(info).text()
                == #"{"a":{"$double":2},"b":{"$set":["x",10,9]},"c":{"$dictionary":[[1,null],[2,null]]}}"#)
        #expect(try UserInfoJSON.node(["$set": .int(1)]).text() == #"{"$object":{"$set":1}}"#)
        #expect(try UserInfoJSON.node([.bool(true): .int(1)]).text() == #"{"$dictionary":[[true,1]]}"#)
    }

    @Test(
        "A date is written in the first form that loses nothing",
        arguments: [
            (0.0, #"{"$date":"2001-01-01T00:00:00Z"}"#), (-0.25, #"{"$date":"2000-12-31T23:59:59.75Z"}"#),
            (785_000_000.125, #"{"$date":"2025-11-16T15:33:20.125Z"}"#),
            (-62_135_769_600.0, #"{"$date":{"since2001":-62135769600}}"#),
            (1e-10, #"{"$date":{"since2001":1e-10}}"#),
        ])
    func dateFormWithoutLoss(seconds: Double, text: String) throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let node = UserInfoJSON.node(.date(date))
        if abs(seconds) < 6e10 { #expect(try node.text() == text) }
        #expect(try parse(JSONNode.object(["date": node]).text()) == ["date": .date(date)])
    }

    @Test("A userInfo with any values is read back equal", arguments: UInt64(0)..<300)
    func whateverItHoldsComesBack(seed: UInt64) throws {
        var random = RandomUserInfo(seed: seed)
        let info = random.userInfo()
        let text = try UserInfoJSON.node(info).text()
        let back = try parse(text)
        #expect(back == info, "\(text)")
        #expect(try UserInfoJSON.node(back).text() == text)
        #expect(try parse(UserInfoJSON.node(info).text(pretty: true)) == info)
    }
}
