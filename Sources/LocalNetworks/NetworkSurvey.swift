// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// Reads the kernel's tables over one socket, and reads them again after each change.
///
/// A notification only causes all tables to be read again. Its contents are not used, because the
/// kernel does not report every change. For example, the IPv4 routes of an interface that goes down
/// vanish without a notification.
struct NetworkSurvey {
    /// An action that the socket's owner must perform.
    enum Action: Equatable {
        /// Send a request to the kernel.
        case send([UInt8])
        /// Start or stop receiving changes of neighbours.
        case hearNeighbours(Bool)
        /// Report the networks, because all tables have been read.
        case tell([LocalNetwork])
        /// Begin again with a new socket, because the received tables are incomplete.
        case beginAgain
    }

    /// The table that is being read.
    private enum Step: Equatable {
        case links
        case addresses
        case routes
        /// The table of neighbours, with the gateways that are still to be looked up. The last of
        /// them is being looked up.
        case neighbours([NetworkHost])
        /// No table is being read.
        case rest
    }

    /// The remembered link-layer address of a gateway. The address is valid while the interface
    /// keeps its carrier.
    private struct Memory {
        let linkLayerAddress: [UInt8]
        let carrierChanges: UInt32
    }

    /// The port of the socket, which identifies answers to its requests.
    private var port: UInt32 = 0
    private var sequence: UInt32 = 0
    private var step = Step.rest
    private var table = NetworkTable()
    private var hasChanged = false
    /// The number of successive reads during which the tables changed.
    private var disturbedRounds = 0
    private var isHearingNeighbours = false
    private var missing: Set<NetworkHost> = []
    private var remembered: [NetworkHost: Memory] = [:]

    /// How often tables that change during reading are read again. After that they are reported as
    /// they are.
    static let maximumDisturbedRounds = 8

    /// Begins to read the tables over a new socket.
    ///
    /// - Parameter port: The socket's port.
    mutating func begin(port: UInt32) -> [Action] {
        self.port = port
        (sequence, disturbedRounds, isHearingNeighbours) = (0, 0, false)
        return begin()
    }

    private mutating func begin() -> [Action] {
        table = NetworkTable()
        hasChanged = false
        return ask(for: .links)
    }

    mutating func handle(_ datagram: [UInt8]) -> [Action] {
        guard let messages = NetlinkMessage.messages(in: datagram) else { return [.beginAgain] }
        var actions: [Action] = []
        for message in messages {
            actions += isAnswer(message) ? answered(message) : notified(message)
            if actions.contains(.beginAgain) { return [.beginAgain] }
        }
        if step == .rest, hasChanged { actions += begin() }
        return actions
    }

    private func isAnswer(_ message: NetlinkMessage) -> Bool {
        step != .rest && message.port == port && message.sequence == sequence
    }

    private mutating func notified(_ message: NetlinkMessage) -> [Action] {
        switch message.type {
        case Int(RTM_NEWNEIGH):
            if let host = NeighbourRecord(message.body)?.host, missing.contains(host) { hasChanged = true }
        case Int(RTM_NEWLINK), Int(RTM_DELLINK), Int(RTM_NEWADDR), Int(RTM_DELADDR), Int(RTM_NEWROUTE),
            Int(RTM_DELROUTE):
            hasChanged = true
        default: break
        }
        return []
    }

    private mutating func answered(_ message: NetlinkMessage) -> [Action] {
        if message.flags & Int(NLM_F_DUMP_INTR) != 0 { hasChanged = true }
        switch (step, message.type) {
        case (.links, Int(RTM_NEWLINK)): LinkRecord(message.body).map { table.add($0) }
        case (.addresses, Int(RTM_NEWADDR)): AddressRecord(message.body).map { table.add($0) }
        case (.routes, Int(RTM_NEWROUTE)): DefaultRouteRecord(message.body).map { table.add($0) }
        case (.neighbours(let gateways), Int(RTM_NEWNEIGH)):
            NeighbourRecord(message.body).map { table.add($0) }
            return ask(for: .neighbours(gateways.dropLast()))
        // The kernel has no entry for the gateway.
        case (.neighbours(let gateways), Int(NLMSG_ERROR)): return ask(for: .neighbours(gateways.dropLast()))
        case (_, Int(NLMSG_ERROR)): return [.beginAgain]
        case (_, Int(NLMSG_DONE)):
            guard message.body.load(Int32.self) ?? 0 == 0 else { return [.beginAgain] }
            return dumped()
        default: break
        }
        return []
    }

    private mutating func dumped() -> [Action] {
        switch step {
        case .links: ask(for: .addresses)
        case .addresses: ask(for: .routes)
        case .routes: ask(for: .neighbours(table.gateways.reversed()))
        case .neighbours, .rest: []
        }
    }

    private mutating func ask(for next: Step) -> [Action] {
        step = next
        sequence &+= 1
        switch next {
        case .links: return [dump(Int(RTM_GETLINK), NetlinkMessage.bytes(of: ifinfomsg()))]
        case .addresses: return [dump(Int(RTM_GETADDR), NetlinkMessage.bytes(of: ifaddrmsg()))]
        case .routes: return [dump(Int(RTM_GETROUTE), NetlinkMessage.bytes(of: rtmsg()))]
        case .neighbours(let gateways):
            guard let gateway = gateways.last else { return finish() }
            return [.send(gateway.request(sequence: sequence))]
        case .rest: return []
        }
    }

    private func dump(_ type: Int, _ body: [UInt8]) -> Action {
        .send(NetlinkMessage.request(type, flags: Int(NLM_F_DUMP), sequence: sequence, body: body))
    }

    /// Ends a round of reading. If the tables changed during the round, reads them again. If not,
    /// reports the networks.
    private mutating func finish() -> [Action] {
        step = .rest
        if hasChanged, disturbedRounds < Self.maximumDisturbedRounds {
            disturbedRounds += 1
            return begin()
        }
        disturbedRounds = 0
        recall()
        missing = table.unknownGateways
        var actions: [Action] = []
        if isHearingNeighbours == missing.isEmpty {
            isHearingNeighbours.toggle()
            actions.append(.hearNeighbours(isHearingNeighbours))
            // Read again, because the kernel may have learned the address before the notifications
            // began.
            hasChanged = hasChanged || isHearingNeighbours
        }
        return actions + [.tell(table.networks)]
    }

    /// Remembers the gateways' link-layer addresses, and restores the addresses that the kernel has
    /// forgotten.
    ///
    /// The kernel may forget an address, but the network is still the same until the interface
    /// loses its carrier.
    private mutating func recall() {
        var found: [NetworkHost: Memory] = [:]
        for gateway in table.gateways {
            let carrierChanges = table.carrierChanges(of: gateway.index) ?? 0
            if let address = table.linkLayerAddress(of: gateway) {
                found[gateway] = Memory(linkLayerAddress: address, carrierChanges: carrierChanges)
            } else if let memory = remembered[gateway], memory.carrierChanges == carrierChanges {
                found[gateway] = memory
                table.add(NeighbourRecord(host: gateway, linkLayerAddress: memory.linkLayerAddress))
            }
        }
        remembered = found
    }
}
