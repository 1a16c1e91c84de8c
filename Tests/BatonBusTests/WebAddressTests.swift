// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BatonBus

@Suite struct WebAddressTests {
    /// `Tests/Browsers` gives the same addresses to the extension.
    struct Table: Decodable {
        var taken: [String]
        var refused: [String: [String]]
        var loopbackInDisguise, readInTwoWays: [String]
        var encoded: [String: String]

        static let shared = Result {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../Browsers/addresses.json")
            return try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
        }
    }

    private func refusal(_ address: String) -> String? {
        do throws(WebAddress.Refusal) {
            _ = try WebAddress(address)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("Addresses of the table are taken, or refused with the reason")
    func tableOfAddresses() throws {
        let table = try Table.shared.get()
        for address in table.taken { #expect(refusal(address) == nil, "\(address)") }
        for (reason, addresses) in table.refused {
            for address in addresses { #expect(refusal(address) == reason, "\(address)") }
        }
    }

    @Test("A host that can be read in two ways is refused, and so is a loopback in disguise")
    func hostReadInTwoWays() throws {
        let table = try Table.shared.get()
        for address in table.readInTwoWays + table.loopbackInDisguise { #expect(refusal(address) != nil, "\(address)") }
    }

    @Test(
        "A page's address with anything but visible ASCII is refused",
        arguments: [
            "http://example.org/\n", "http://example.org/\u{0}", "http://example.org/\t", "http://bücher.de/",
        ])
    func addressIsVisibleASCII(_ address: String) { #expect(refusal(address) == "the page's address cannot be read") }

    @Test("An address has up to 8,192 bytes; one more is refused")
    func longestAddress() throws {
        let longest = "https://example.org/" + String(repeating: "a", count: 8_192 - 20)
        #expect(try WebAddress(longest).url.absoluteString == longest)
        #expect(refusal(longest + "a") == "the page's address has more than 8192 bytes")
    }

    @Test("An address has up to 8,192 bytes once it is encoded, too")
    func longestEncodedAddress() {
        #expect(
            refusal("https://example.org/?" + String(repeating: "|", count: 4_000)) == WebAddress.Refusal.tooLong.reason
        )
    }

    @Test("What browsers leave is encoded, and what is encoded stays")
    func encodedOnce() throws {
        for (address, encoded) in try Table.shared.get().encoded {
            #expect(try WebAddress(address).url.absoluteString == encoded)
            #expect(try WebAddress(encoded).url.absoluteString == encoded)
        }
        let address = try WebAddress(##"https://example.org/100%?a|b^"<>`{}%20%zz#x#y"##)
        #expect(
            address.url.absoluteString == "https://example.org/100%25?a%7Cb%5E%22%3C%3E%60%7B%7D%20%25zz#x%23y")
        #expect(try WebAddress(address.url.absoluteString) == address)
    }
}
