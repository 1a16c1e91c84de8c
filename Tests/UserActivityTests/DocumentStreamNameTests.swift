// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UserActivity

@Suite struct DocumentStreamNameTests {
    @Test(
        "A document's name is handed over in the URL",
        arguments: ["a", "Dear Ada é.txt", "..a", "%2e%2e", String(repeating: "x", count: 255)])
    func nameTravelsInTheURL(name: String) throws {
        let url = try #require(DocumentStream.url(name: name))
        #expect(url.scheme == "baton-document")
        #expect(DocumentStream.name(in: url) == name)
    }

    @Test(
        "Text that is not a file name has no URL",
        arguments: ["", ".", "..", "a/b", "/", "a\u{0}", String(repeating: "x", count: 256)])
    func whatIsNoNameOfAFileHasNoURL(name: String) { #expect(DocumentStream.url(name: name) == nil) }

    @Test("A name with control characters is sent exactly, in addition to the one that is shown")
    func nameWithControlsTravelsBesideTheOneThatIsShown() throws {
        let url = try #require(DocumentStream.url(name: "a\nb.txt"))
        #expect(url.absoluteString == "baton-document:/a%EF%BF%BDb.txt?bytes=/a%0Ab.txt")
        #expect(DocumentStream.name(in: url) == "a\u{FFFD}b.txt")
        // With three bytes for each character the URL would be too long.
        let long = try #require(DocumentStream.url(name: String(repeating: "\n", count: 255)))
        #expect(DocumentStream.name(in: long) == String(repeating: "_", count: 255))
    }

    @Test(
        "A path from another device is not accepted as a name",
        arguments: [
            "baton-document:/", "baton-document:/..", "baton-document:/%2E%2E", "baton-document:/a/b",
            "baton-document:/a%2Fb",
            "baton-document:/%00", "baton-document://host/a", "file:/a", "baton-document:a", "baton-document:/%FF",
        ])
    func pathFromElsewhereIsNoName(address: String) throws {
        let url = try #require(URL(string: address))
        #expect(DocumentStream.name(in: url) == nil)
    }

    @Test("The length of a document has a limit")
    func lengthHasALimit() {
        for length in [0, 1, 255, 256, 1 << 40] {
            #expect(DocumentStream.length(header: DocumentStream.header(length: length), limit: 1 << 40) == length)
        }
        #expect(DocumentStream.length(header: DocumentStream.header(length: 2), limit: 1) == nil)
        #expect(DocumentStream.length(header: [UInt8](repeating: 255, count: 8), limit: .max) == nil)
        #expect(DocumentStream.length(header: [0, 0], limit: 1) == nil)
    }
}
