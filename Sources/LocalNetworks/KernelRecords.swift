// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

// The records that Baton reads from the kernel's tables. Each initialiser reads the body of a
// message. The initialiser returns nil if a length in the body is wrong, or if Baton has no use for
// the record.

/// An interface (`RTM_NEWLINK`).
struct LinkRecord {
    let index: UInt32
    var name = ""
    var flags: UInt32
    /// Whether the interface has Ethernet addresses, as Wi-Fi has.
    var isEthernet: Bool
    /// The kind of a virtual interface, such as `bridge`, or nil for most hardware.
    var kind: String?
    /// Whether there is hardware behind the interface. Such an interface has a parent device.
    var hasDevice: Bool
    /// The number of the bridge or bond to which the interface belongs, if any.
    var master: UInt32?
    /// The number of the interface on which this interface is built, as a VLAN is, if any.
    var lower: UInt32?
    /// Whether the interface below is in another network namespace.
    var isLowerElsewhere: Bool
    /// How often the interface has lost or found its carrier.
    var carrierChanges: UInt32

    init?(_ body: ArraySlice<UInt8>) {
        guard let head = body.load(ifinfomsg.self), head.ifi_index > 0,
            let attributes = NetlinkAttributes(body.dropFirst(MemoryLayout<ifinfomsg>.size)),
            let name = attributes.text(Int(IFLA_IFNAME))
        else { return nil }
        index = UInt32(head.ifi_index)
        self.name = name
        flags = head.ifi_flags
        isEthernet = head.ifi_type == Self.ethernet
        kind = attributes[Int(IFLA_LINKINFO)].flatMap(NetlinkAttributes.init)?.text(Int(IFLA_INFO_KIND))
        hasDevice = attributes[Int(IFLA_PARENT_DEV_NAME)] != nil
        master = attributes.number(Int(IFLA_MASTER))
        lower = attributes.number(Int(IFLA_LINK))
        isLowerElsewhere = attributes[Int(IFLA_LINK_NETNSID)] != nil
        carrierChanges = attributes.number(Int(IFLA_CARRIER_CHANGES)) ?? 0
    }

    /// `ARPHRD_ETHER` (linux/if_arp.h).
    private static let ethernet: UInt16 = 1
}

/// An address of an interface (`RTM_NEWADDR`).
struct AddressRecord {
    let index: UInt32
    let address: LocalNetwork.Address

    init?(_ body: ArraySlice<UInt8>) {
        guard let head = body.load(ifaddrmsg.self),
            let attributes = NetlinkAttributes(body.dropFirst(MemoryLayout<ifaddrmsg>.size)),
            // Prefer the first attribute. If both are present, the second is the address of the
            // other end.
            let bytes = attributes.address(Int(IFA_LOCAL), family: head.ifa_family)
                ?? attributes.address(Int(IFA_ADDRESS), family: head.ifa_family),
            Int(head.ifa_prefixlen) <= 8 * bytes.count
        else { return nil }
        let flags = attributes.number(Int(IFA_FLAGS)) ?? UInt32(head.ifa_flags)
        guard flags & Self.unusable == 0 else { return nil }
        index = head.ifa_index
        address = .init(bytes: bytes, prefixLength: Int(head.ifa_prefixlen))
    }

    /// The flags of an address that IPv6 is still checking, or that another host already has.
    private static let unusable = UInt32(IFA_F_TENTATIVE) | UInt32(IFA_F_DADFAILED)
}

/// A default route of the main table (`RTM_NEWROUTE`).
struct DefaultRouteRecord {
    /// The interface of a route, and its gateway if the gateway's address is of the route's family.
    struct Hop {
        let index: UInt32
        let gateway: [UInt8]?
    }

    let hops: [Hop]
    /// The route's metric. The kernel prefers the lowest.
    let metric: UInt32

    init?(_ body: ArraySlice<UInt8>) {
        guard let head = body.load(rtmsg.self), head.rtm_dst_len == 0, Int(head.rtm_type) == Int(RTN_UNICAST),
            NetlinkAttributes.addressLength(head.rtm_family) != nil,
            let attributes = NetlinkAttributes(body.dropFirst(MemoryLayout<rtmsg>.size)),
            attributes.number(Int(RTA_TABLE.rawValue)) ?? UInt32(head.rtm_table) == RT_TABLE_MAIN.rawValue
        else { return nil }
        metric = attributes.number(Int(RTA_PRIORITY.rawValue)) ?? 0
        if let hops = attributes[Int(RTA_MULTIPATH.rawValue)] {
            guard let hops = Self.hops(hops, family: head.rtm_family) else { return nil }
            self.hops = hops
        } else {
            guard let index = attributes.number(Int(RTA_OIF.rawValue)) else { return nil }
            hops = [
                Hop(index: index, gateway: attributes.address(Int(RTA_GATEWAY.rawValue), family: head.rtm_family))
            ]
        }
    }

    /// Returns the hops of a route with several hops, or nil if one of their lengths is wrong.
    private static func hops(_ bytes: ArraySlice<UInt8>, family: UInt8) -> [Hop]? {
        var hops: [Hop] = []
        var rest = bytes
        let head = MemoryLayout<rtnexthop>.size
        while !rest.isEmpty {
            guard let hop = rest.load(rtnexthop.self), hop.rtnh_ifindex > 0 else { return nil }
            let length = Int(hop.rtnh_len)
            guard length >= head, length <= rest.count,
                let attributes = NetlinkAttributes(rest.prefix(length).dropFirst(head))
            else { return nil }
            hops.append(
                Hop(
                    index: UInt32(hop.rtnh_ifindex),
                    gateway: attributes.address(Int(RTA_GATEWAY.rawValue), family: family)))
            rest = rest.dropFirst(NetlinkMessage.aligned(length))
        }
        return hops
    }
}

/// The link-layer address of an Ethernet host (`RTM_NEWNEIGH`), if the kernel knows it.
struct NeighbourRecord {
    let host: NetworkHost
    /// The six bytes of the address.
    let linkLayerAddress: [UInt8]

    init(host: NetworkHost, linkLayerAddress: [UInt8]) {
        (self.host, self.linkLayerAddress) = (host, linkLayerAddress)
    }

    init?(_ body: ArraySlice<UInt8>) {
        guard let head = body.load(ndmsg.self), head.ndm_ifindex > 0, Int(head.ndm_state) & Self.known != 0,
            let attributes = NetlinkAttributes(body.dropFirst(MemoryLayout<ndmsg>.size)),
            let address = attributes.address(Int(NDA_DST), family: head.ndm_family),
            let linkLayerAddress = attributes[Int(NDA_LLADDR)], Self.isHost(linkLayerAddress)
        else { return nil }
        host = NetworkHost(index: UInt32(head.ndm_ifindex), address: address)
        self.linkLayerAddress = Array(linkLayerAddress)
    }

    /// Returns whether a link-layer address belongs to a single host and is not zero.
    ///
    /// In IEEE 802, the lowest bit of the first byte marks a group address.
    private static func isHost(_ address: ArraySlice<UInt8>) -> Bool {
        address.count == 6 && (address.first ?? 1) & 1 == 0 && address.contains { $0 != 0 }
    }

    /// The states of a neighbour entry whose link-layer address is valid.
    private static let known =
        Int(NUD_REACHABLE) | Int(NUD_STALE) | Int(NUD_DELAY) | Int(NUD_PROBE) | Int(NUD_PERMANENT)
}

/// A host on an interface.
struct NetworkHost: Hashable {
    let index: UInt32
    /// The 4 or 16 bytes of the host's IP address.
    let address: [UInt8]

    /// Returns the request for the kernel's record of the host.
    func request(sequence: UInt32) -> [UInt8] {
        var head = ndmsg()
        head.ndm_family = UInt8(address.count == 4 ? AF_INET : AF_INET6)
        head.ndm_ifindex = Int32(bitPattern: index)
        let body = NetlinkMessage.bytes(of: head) + NetlinkAttributes.bytes(Int(NDA_DST), address)
        return NetlinkMessage.request(Int(RTM_GETNEIGH), flags: 0, sequence: sequence, body: body)
    }
}
