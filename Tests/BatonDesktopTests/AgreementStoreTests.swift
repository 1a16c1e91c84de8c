// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import BatonTesting
import Foundation
import Logging
import Testing

@testable import BatonDesktop

/// Tests the store that keeps domains' answers across restarts of the daemon.
@Suite struct AgreementStoreTests {
    private let now = 1_800_000_000

    private func book(_ domains: Int = 2) throws -> DomainBook {
        var book = DomainBook()
        let app = try #require(AppIdentifier("TEAM.org.example.Reader"))
        let names = (0..<domains).compactMap { DomainName("a\($0).example.com") }
        book.claim(Dictionary(uniqueKeysWithValues: names.map { ($0, [app]) }), at: now) { 0 }
        for name in names {
            book.take(.answered(approved: [app], lifetime: 86_400), of: name, about: [app], at: now, chance: 0.5)
        }
        return book
    }

    private func withStore(_ body: (AgreementStore, URL) throws -> Void) throws {
        try withDirectory { directory in
            try body(
                AgreementStore(directory: directory.path, logger: Logger(label: "test")),
                directory.appending(path: "domains"))
        }
    }

    @Test("The answers are written to a file that only the user can read, and are read again")
    func roundTrip() throws {
        try withStore { store, file in
            #expect(store.read().records.isEmpty)
            let book = try book()
            store.write(book)
            #expect(store.read().records == book.records)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("The readable lines of a hostile or damaged file count, and the other lines have no effect")
    func damaged() throws {
        try withStore { store, file in
            store.write(try book())
            let good = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
            func read(_ lines: [String]) throws -> Int {
                try Data(lines.joined(separator: "\n").utf8).write(to: file)
                return store.read().records.count
            }
            #expect(try read(["baton domains 2"] + good.dropFirst()) == 0)
            #expect(try read([good[0], "", "{", "\u{0}", #"{"domain":"x"}"#, good[1]]) == 1)
            let false1 = good[1].replacingOccurrences(of: "a0.example.com", with: "127.0.0.1")
            let false2 = good[2].replacingOccurrences(of: "\(now)", with: "-1")
            #expect(try read([good[0], false1, false2]) == 0)
            let unasked = good[1].replacingOccurrences(
                of: #""asked":["TEAM.org.example.Reader"]"#, with: #""asked":[]"#)
            #expect(try unasked != good[1] && read([good[0], unasked]) == 0)
            try Data(repeating: 0x20, count: AgreementStore.largest + 1).write(to: file)
            #expect(store.read().records.isEmpty)
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/dev/zero")
            #expect(store.read().records.isEmpty)
        }
    }

    @Test("The largest contents that the limits allow fit into the file, and larger contents are not written")
    func largest() throws {
        let data = try AgreementStore.encode(try book(256).records)
        #expect(AgreementStore.decode(data).count == 256)
        let many = Data(
            data + Data("\n".utf8) + data.split(separator: UInt8(ascii: "\n")).dropFirst().joined(separator: [10]))
        #expect(AgreementStore.decode(many).count == 256)
    }
}
