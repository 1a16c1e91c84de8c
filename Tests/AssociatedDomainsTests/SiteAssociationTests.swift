// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import Testing

/// Tests how a domain's file is read (requirements 113, 114, 116 to 118).
@Suite struct SiteAssociationTests {
    private func apps(_ text: String, _ type: String? = nil) throws(SiteAssociation.Refusal) -> [String] {
        try SiteAssociation(Array(text.utf8), contentType: type).apps.map(\.description).sorted()
    }

    @Test("The apps are in activitycontinuation.apps, and other keys are ignored")
    func apps() throws {
        #expect(
            try apps(#"{"activitycontinuation":{"apps":["T.b","T.a","T.a"],"paths":["*"]},"applinks":{"details":[1]}}"#)
                == ["T.a", "T.b"])
        #expect(try apps(#"{"activitycontinuation":{"apps":[]}}"#) == [])
    }

    @Test("A file that is not JSON, or has no list of apps, is rejected with the reason")
    func refusals() {
        for text in ["", "<html>", "{", "\u{FEFF}nothing"] {
            #expect(throws: SiteAssociation.Refusal.notJSON, "\(text)") { try apps(text) }
        }
        let others = [
            "{}", "[]", #"{"activitycontinuation":[]}"#, #"{"activitycontinuation":{}}"#,
            #"{"activitycontinuation":{"apps":"T.a"}}"#, #"{"activitycontinuation":{"apps":[1]}}"#,
            #"{"activitycontinuation":{"apps":null}}"#, #"{"applinks":{"apps":["T.a"]}}"#,
        ]
        for text in others { #expect(throws: SiteAssociation.Refusal.noApps, "\(text)") { try apps(text) } }
    }

    private static let signedTypes = [
        "application/pkcs7-mime", "Application/PKCS7-MIME; a=b", "application/x-pkcs7-mime",
    ]

    @Test("A signed file, recognized by its first byte or its content type, is rejected with the reason")
    func signed() {
        #expect(throws: SiteAssociation.Refusal.signed) { try SiteAssociation([0x30, 0x82, 1, 1]) }
        for type in Self.signedTypes {
            #expect(throws: SiteAssociation.Refusal.signed) { try apps("-----BEGIN PKCS7-----", type) }
        }
        #expect(throws: SiteAssociation.Refusal.notJSON) { try apps("-----BEGIN PKCS7-----", "text/plain") }
    }

    @Test("JSON is read whatever content type the server sends")
    func mislabelled() throws {
        for type in Self.signedTypes + ["application/json; charset=utf-8", "text/html", ""] {
            #expect(try apps(#"{"activitycontinuation":{"apps":["T.a"]}}"#, type) == ["T.a"], "\(type)")
        }
    }

    @Test("A file has at most 128 KiB and a thousand apps of at most 511 bytes each")
    func limits() throws {
        let file = #"{"activitycontinuation":{"apps":["T.a"]}}"#
        let spaces = String(repeating: " ", count: 131_072 - file.utf8.count)
        #expect(try apps(file + spaces) == ["T.a"])
        #expect(throws: SiteAssociation.Refusal.tooLarge) { try apps(file + spaces + " ") }
        let many = (1...1_001).map { "\"T.\($0)\"" }.joined(separator: ",")
        #expect(try apps(#"{"activitycontinuation":{"apps":[\#(many)]}}"#).count == 1_000)
        let long = String(repeating: "a", count: 512)
        #expect(try apps(#"{"activitycontinuation":{"apps":["\#(long)","T.a",""]}}"#) == ["T.a"])
    }

    @Test("Very deeply nested JSON is rejected without a crash")
    func nesting() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: SiteAssociation.Refusal.notJSON) { try apps(deep) }
        #expect(throws: SiteAssociation.Refusal.self) { try apps(#"{"activitycontinuation":"# + deep) }
    }
}
