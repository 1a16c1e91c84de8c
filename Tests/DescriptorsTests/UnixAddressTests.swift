// SPDX-License-Identifier: Apache-2.0

import Descriptors
import Foundation
import Glibc
import Testing

/// Tests addresses of Unix sockets.
@Suite(.timeLimit(.minutes(1))) struct UnixAddressTests {
    private static let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)

    @Test("A path or an abstract name may have 1 to 107 bytes")
    func length() {
        for (count, isTaken) in [(0, false), (1, true), (107, true), (108, false)] {
            let name = String(repeating: "x", count: count)
            #expect((UnixAddress(path: name) != nil) == isTaken)
            #expect((UnixAddress(abstract: name) != nil) == isTaken)
        }
    }

    @Test("A socket can be reached at the path or the abstract name at which it is bound", arguments: [true, false])
    func reached(hasPath: Bool) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "address-\(UUID().uuidString)").path
        defer { unlink(path) }
        let address = try #require(hasPath ? UnixAddress(path: path) : UnixAddress(abstract: path))
        let (one, other) = (socket(AF_UNIX, Self.type, 0), socket(AF_UNIX, Self.type, 0))
        defer { for descriptor in [one, other] { close(descriptor) } }
        #expect(address.send([7], from: one, flags: 0) == -1)
        #expect(address.bind(other) == 0 && address.connect(one) == 0)
        #expect(address.send([1, 2, 3], from: one, flags: 0) == 3)
        var bytes = [UInt8](repeating: 0, count: 8)
        let count = recv(other, &bytes, 8, Int32(MSG_DONTWAIT))
        #expect(count == 3 && bytes[..<3] == [1, 2, 3])
        #expect(access(path, F_OK) == (hasPath ? 0 : -1))
    }
}
