// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials

@testable import browser_host

extension FuzzTarget {
    /// The browser extension's messages, and the addresses and positions from other laptops. The
    /// first byte selects one of these.
    static let browser = FuzzTarget("browser") {
        [
            [0] + FrameReader.framed(Array(#"{"type":"hello","version":1}"#.utf8)) + FrameReader.framed([]),
            [1] + #"{"type":"saved","id":1,"url":"https://a.b/","place":{"y":2.5,"text":"Once","fraction":1}}"#.utf8,
            [1] + #"{"type":"page","url":"http://[2001:db8::1]:80/%20?a|b#c#d","title":"A page"}"#.utf8,
            [2] + "https://a.b:8080/%zz".utf8,
        ]
    } body: { input in
        switch input.first {
        case 0: try frames(Array(input.dropFirst()))
        case 1: try request(Array(input.dropFirst()))
        default: try address(String(decoding: input.dropFirst(), as: UTF8.self))
        }
    }

    private static func frames(_ bytes: [UInt8]) throws {
        var (whole, pieces) = (FrameReader(), FrameReader())
        let frames = whole.take(bytes)
        // The reader's results after garbage may depend on how the input is split, so they are not
        // compared.
        guard !frames.contains(.garbage) else { return }
        try FuzzFinding.unless("the same in any pieces") { bytes.flatMap { pieces.take([$0]) } == frames }
    }

    private static func request(_ bytes: [UInt8]) throws {
        switch try Request(bytes) {
        case .page(let url, let title):
            let page = Page(try WebAddress(url), title: title)
            try FuzzFinding.unless("a title has at most 1,024 bytes") { (page.title ?? "").utf8.count <= 1_024 }
            try address(url)
        case .saved(_, _, let place?, _):
            try FuzzFinding.unless("a place travels as it is") { PagePlace(userInfo: place.userInfo) == place }
        case .proceed(let offer):
            try FuzzFinding.unless("an offer has at most 128 bytes") { offer.utf8.count <= 128 }
        default: break
        }
    }

    private static func address(_ text: String) throws {
        let url = try WebAddress(text).url
        try FuzzFinding.unless("an address is that of a page") {
            url.absoluteString.utf8.count <= 8_192 && ["http", "https"].contains(url.scheme?.lowercased())
                && url.host()?.isEmpty == false && url.user() == nil && url.password() == nil
        }
        try FuzzFinding.unless("what was taken is taken again") { try WebAddress(url.absoluteString).url == url }
        try FuzzFinding.unless("no address is this computer's") {
            !["localhost", "127.0.0.1", "::1", "0.0.0.0"].contains(url.host()?.lowercased())
        }
    }
}
