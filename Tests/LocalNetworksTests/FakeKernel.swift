// SPDX-License-Identifier: Apache-2.0

@testable import LocalNetworks

/// A fake kernel that answers a survey's requests from its own tables, in the kernel's format.
struct FakeKernel {
    static let port: UInt32 = 4_711
    static let (newLink, newAddress, newRoute, newNeighbour): (UInt16, UInt16, UInt16, UInt16) = (16, 20, 24, 28)
    private static let (getLink, getAddress, getRoute, getNeighbour): (UInt16, UInt16, UInt16, UInt16) =
        (18, 22, 26, 30)
    private static let (failed, done): (UInt16, UInt16) = (2, 3)

    var links: [[UInt8]] = []
    var addresses: [[UInt8]] = []
    var routes: [[UInt8]] = []
    /// The neighbours by address.
    var neighbours: [[UInt8]: [UInt8]] = [:]
    /// The types of the received requests.
    var asked: [UInt16] = []

    /// Answers a survey's requests, and the requests that follow from the answers.
    ///
    /// - Parameter between: Datagrams that are sent to the survey after each answer.
    /// - Returns: All actions except requests.
    mutating func answer(
        _ survey: inout NetworkSurvey, _ actions: [NetworkSurvey.Action], between: () -> [UInt8]? = { nil }
    ) -> [NetworkSurvey.Action] {
        var (rest, others) = (actions, [NetworkSurvey.Action]())
        while !rest.isEmpty {
            guard case .send(let request) = rest.removeFirst() else { continue }
            var next = survey.handle(answer(request))
            if let datagram = between() { next += survey.handle(datagram) }
            rest += next.filter { if case .send = $0 { true } else { false } }
            others += next.filter { if case .send = $0 { false } else { true } }
        }
        return others
    }

    private mutating func answer(_ request: [UInt8]) -> [UInt8] {
        let type = UInt16(request[4]) | UInt16(request[5]) << 8
        let sequence = (8..<12).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(request[$1]) }
        asked.append(type)
        func dump(_ type: UInt16, _ bodies: [[UInt8]]) -> [UInt8] {
            bodies.flatMap { Self.message(type, sequence: sequence, $0) }
                + Self.message(Self.done, sequence: sequence, Self.bytes(UInt32(0)))
        }
        switch type {
        case Self.getLink: return dump(Self.newLink, links)
        case Self.getAddress: return dump(Self.newAddress, addresses)
        case Self.getRoute: return dump(Self.newRoute, routes)
        default:
            // Skip both headers and the attribute's header.
            let address = Array(request[(16 + 12 + 4)...])
            guard let neighbour = neighbours[address] else {
                return Self.message(Self.failed, sequence: sequence, Self.bytes(UInt32(bitPattern: -2)))
            }
            return Self.message(Self.newNeighbour, sequence: sequence, neighbour)
        }
    }

    static func message(
        _ type: UInt16, sequence: UInt32 = 0, port: UInt32 = port, flags: UInt16 = 0, _ body: [UInt8]
    ) -> [UInt8] {
        let length = 16 + body.count
        return bytes(UInt32(length)) + bytes(type) + bytes(flags) + bytes(sequence) + bytes(port) + body
            + [UInt8](repeating: 0, count: (4 - length % 4) % 4)
    }

    static func bytes(_ value: some FixedWidthInteger & BitwiseCopyable) -> [UInt8] {
        withUnsafeBytes(of: value) { [UInt8]($0) }
    }

    static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        bytes(UInt16(4 + value.count)) + bytes(type) + value
            + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }

    /// The body of an interface's message.
    static func link(
        _ index: UInt32, _ name: String, type: UInt16 = 1, flags: UInt32 = running, kind: String? = nil,
        device: Bool = false, master: UInt32? = nil, lower: UInt32? = nil, elsewhere: Bool = false,
        carrierChanges: UInt32 = 1
    ) -> [UInt8] {
        var attributes = attribute(3, Array(name.utf8) + [0]) + attribute(35, bytes(carrierChanges))
        if let kind { attributes += attribute(18, attribute(1, Array(kind.utf8) + [0])) }
        if device { attributes += attribute(56, Array("0000:00:1f.6".utf8) + [0]) }
        if let master { attributes += attribute(10, bytes(master)) }
        if let lower { attributes += attribute(5, bytes(lower)) }
        if elsewhere { attributes += attribute(37, bytes(UInt32(0))) }
        return [0, 0] + bytes(type) + bytes(index) + bytes(flags) + bytes(UInt32(0)) + attributes
    }

    /// The flags of an interface that is up, running and able to broadcast.
    static let running: UInt32 = 0x1 | 0x2 | 0x40

    /// The body of an address's message.
    static func address(_ index: UInt32, _ address: [UInt8], _ prefixLength: UInt8, flags: UInt32 = 0) -> [UInt8] {
        [family(address), prefixLength, 0, 0] + bytes(index) + attribute(1, address) + attribute(8, bytes(flags))
    }

    /// The body of a default route's message.
    static func route(
        _ index: UInt32, via gateway: [UInt8]?, family: UInt8 = 2, metric: UInt32 = 100, table: UInt32 = 254,
        type: UInt8 = 1, prefixLength: UInt8 = 0
    ) -> [UInt8] {
        let family = gateway.map(Self.family) ?? family
        return [family, prefixLength, 0, 0, UInt8(truncatingIfNeeded: table), 3, 0, type] + bytes(UInt32(0))
            + attribute(15, bytes(table)) + attribute(6, bytes(metric)) + attribute(4, bytes(index))
            + (gateway.map { attribute(5, $0) } ?? [])
    }

    /// The body of a neighbour's message.
    static func neighbour(
        _ index: UInt32, _ address: [UInt8], _ linkLayerAddress: [UInt8], state: UInt16 = 0x4
    ) -> [UInt8] {
        [family(address), 0, 0, 0] + bytes(index) + bytes(state) + [0, 1] + attribute(1, address)
            + attribute(2, linkLayerAddress)
    }

    private static func family(_ address: [UInt8]) -> UInt8 { address.count == 4 ? 2 : 10 }
}
