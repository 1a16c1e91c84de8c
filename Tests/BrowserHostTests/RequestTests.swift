// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import browser_host

@Suite struct RequestTests {
    private func request(_ text: String) throws -> Request { try Request(Array(text.utf8)) }

    @Test("Each type of the extension's requests is read")
    func eachTypeIsRead() throws {
        #expect(try request(#"{"type":"hello","version":1}"#) == .hello(version: 1))
        #expect(try request(#"{"type":"page","url":"u","title":"t"}"#) == .page(url: "u", title: "t"))
        #expect(try request(#"{"type":"page","url":"u"}"#) == .page(url: "u", title: nil))
        #expect(try request(#"{"type":"away"}"#) == .away)
        #expect(try request(#"{"type":"opened","id":2,"opened":true}"#) == .opened(id: 2, isOpen: true))
        #expect(try request(#"{"type":"continue","offer":"o"}"#) == .proceed(offer: "o"))
        #expect(try request(#"{"type":"take","page":"p"}"#) == .take(page: "p"))
        #expect(
            try request(#"{"type":"saved","id":3,"url":"u"}"#) == .saved(id: 3, url: "u", place: nil, referrer: nil))
        var place = PagePlace()
        (place.y, place.fraction, place.text) = (12.5, 0.25, "Once")
        let saved =
            #"{"type":"saved","id":3,"url":"u","place":{"y":12.5,"fraction":0.25,"text":"Once","new":1},"referrer":"r"}"#
        #expect(try request(saved) == .saved(id: 3, url: "u", place: place, referrer: "r"))
    }

    @Test(
        "A message that is not an object with a type is malformed",
        arguments: ["", "{", "[]", "1", "null", "{}", #"{"type":1}"#, "\u{0}", #"{"type":"away"}x"#])
    func noObjectWithAType(_ text: String) {
        #expect(throws: Request.Fault.malformed) { try request(text) }
    }

    @Test("Bytes that are not UTF-8, and deep nesting, are malformed")
    func noTextAndDeepNesting() {
        #expect(throws: Request.Fault.malformed) { try Request([0xFF, 0xFE, 0x80]) }
        let deep = String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000)
        #expect(throws: Request.Fault.malformed) { try request(#"{"type":"away","x":"# + deep + "}") }
    }

    @Test("A request of another type is reported as unknown")
    func otherTypesAreUnknown() {
        #expect(throws: Request.Fault.unknown) { try request(#"{"type":"publish","activity":"x"}"#) }
    }

    @Test(
        "A request with a missing or wrong value is reported",
        arguments: [
            #"{"type":"hello"}"#, #"{"type":"hello","version":"1"}"#, #"{"type":"page"}"#, #"{"type":"page","url":7}"#,
            #"{"type":"page","url":"u","title":{}}"#, #"{"type":"opened","id":1}"#, #"{"type":"opened","opened":true}"#,
            #"{"type":"opened","id":-1,"opened":true}"#, #"{"type":"opened","id":4294967296,"opened":true}"#,
            #"{"type":"saved","id":1}"#, #"{"type":"saved","id":1,"url":"u","referrer":1}"#,
            #"{"type":"saved","id":1,"url":"u","place":{"y":"far"}}"#,
            #"{"type":"saved","id":1,"url":"u","place":{"y":1e999}}"#, #"{"type":"continue"}"#,
            #"{"type":"continue","offer":""}"#, #"{"type":"take"}"#, #"{"type":"take","page":7}"#,
        ])
    func missingOrWrongValue(_ text: String) {
        #expect(throws: Request.Fault.incomplete) { try request(text) }
    }

    @Test("The id of an offer or of a page is limited to 128 bytes")
    func nameHasToTheLimitOf128Bytes() throws {
        let name = String(repeating: "o", count: 128)
        #expect(try request(#"{"type":"continue","offer":"\#(name)"}"#) == .proceed(offer: name))
        #expect(throws: Request.Fault.incomplete) { try request(#"{"type":"continue","offer":"\#(name)o"}"#) }
        #expect(try request(#"{"type":"take","page":"\#(name)"}"#) == .take(page: name))
        #expect(throws: Request.Fault.incomplete) { try request(#"{"type":"take","page":"\#(name)o"}"#) }
    }
}
