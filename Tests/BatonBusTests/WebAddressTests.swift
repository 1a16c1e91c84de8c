// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HostAddresses
import Testing

@testable import BatonBus

@Suite struct WebAddressTests {
    /// A table of addresses. `Tests/Browsers` gives the same addresses to the extension.
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

    @Test("The table's addresses are accepted, or refused with the reason")
    func tableOfAddresses() throws {
        let table = try Table.shared.get()
        for address in table.taken { #expect(refusal(address) == nil, "\(address)") }
        for (reason, addresses) in table.refused {
            for address in addresses { #expect(refusal(address) == reason, "\(address)") }
        }
    }

    @Test("A host that can be read in two ways is refused, and so is a disguised loopback address")
    func hostReadInTwoWays() throws {
        let table = try Table.shared.get()
        for address in table.readInTwoWays + table.loopbackInDisguise { #expect(refusal(address) != nil, "\(address)") }
    }

    @Test("Arriving pages get the same results for the table's addresses")
    func arrivingPages() throws {
        let (table, machine) = (try Table.shared.get(), ThisMachine(name: "desk.example.net", addresses: []))
        for address in table.taken {
            #expect(throws: Never.self, "\(address)") { try WebAddress(arriving: address, at: machine) }
        }
        for address in table.refused.values.joined() {
            #expect(throws: WebAddress.Refusal.self, "\(address)") { try WebAddress(arriving: address, at: machine) }
        }
    }

    @Test(
        "This computer's own names and addresses are refused in pages that arrive, and allowed in pages that are sent",
        arguments: [
            "http://desk/", "http://DESK.:8080/admin", "https://desk.example.net/", "http://desk.local/",
            "http://192.168.178.20:631/", "http://[2001:db8::20]/", "http://[2001:0db8:0:0::20]:80/",
            "http://[::ffff:192.168.178.20]/", "http://[::ffff:c0a8:b214]/", "http://[fe80::1]/",
        ])
    func ownNamesAndAddresses(_ address: String) throws {
        let addresses = Set(["192.168.178.20", "[2001:db8::20]", "[fe80::1]"].compactMap(HostAddress.init))
        let machine = ThisMachine(name: "Desk.Example.net", addresses: addresses)
        #expect(throws: WebAddress.Refusal.thisMachine) { try WebAddress(arriving: address, at: machine) }
        #expect(refusal(address) == nil)
    }

    @Test(
        "Other computers' names and addresses do not count as this computer's",
        arguments: [
            "http://sofa/", "http://desk.example.org/", "http://desk2.local/", "http://a.desk/",
            "http://192.168.178.2/",
            "http://[2001:db8::21]/",
        ])
    func othersNamesAndAddresses(_ address: String) throws {
        let addresses = Set(["192.168.178.20", "[2001:db8::20]"].compactMap(HostAddress.init))
        _ = try WebAddress(arriving: address, at: ThisMachine(name: "desk.example.net", addresses: addresses))
    }

    @Test("The names of this computer that the kernel reports are refused, and so is the loopback interface")
    func currentMachine() throws {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        #expect(gethostname(&name, name.count) == 0)
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #expect(ThisMachine.current.isCalled(host.lowercased()))
        #expect(ThisMachine.current.isCalled("127.0.0.1"))
    }

    @Test(
        "A page's address with anything but visible ASCII is refused",
        arguments: [
            "http://example.org/\n", "http://example.org/\u{0}", "http://example.org/\t", "http://bücher.de/",
        ])
    func addressIsVisibleASCII(_ address: String) { #expect(refusal(address) == "the page's address cannot be read") }

    @Test("An address of 8,192 bytes is accepted, and a longer one is refused")
    func longestAddress() throws {
        let longest = "https://example.org/" + String(repeating: "a", count: 8_192 - 20)
        #expect(try WebAddress(longest).url.absoluteString == longest)
        #expect(refusal(longest + "a") == "the page's address has more than 8192 bytes")
    }

    @Test("An address may have at most 8,192 bytes, also after it is encoded")
    func longestEncodedAddress() {
        #expect(
            refusal("https://example.org/?" + String(repeating: "|", count: 4_000)) == WebAddress.Refusal.tooLong.reason
        )
    }

    @Test("Characters that browsers do not encode are encoded, and encoded characters stay as they are")
    func encodedOnce() throws {
        for (address, encoded) in try Table.shared.get().encoded {
            #expect(try WebAddress(address).url.absoluteString == encoded)
            #expect(try WebAddress(encoded).url.absoluteString == encoded)
        }
        let address = try WebAddress(##"https://example.org/100%?a|b^"<>`{}%20%zz#x#y"##)
        #expect(address.url.absoluteString == "https://example.org/100%25?a%7Cb%5E%22%3C%3E%60%7B%7D%20%25zz#x%23y")
        #expect(try WebAddress(address.url.absoluteString) == address)
    }
}
