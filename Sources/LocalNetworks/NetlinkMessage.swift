// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// One message of rtnetlink (RFC 3549, netlink(7)).
struct NetlinkMessage {
    /// `RTM_` or `NLMSG_`.
    let type: Int
    /// `NLM_F_`.
    let flags: Int
    /// The sequence number of the request that caused it.
    let sequence: UInt32
    /// The port of the socket from which that request came; 0 for the kernel.
    let port: UInt32
    /// What follows the header.
    let body: ArraySlice<UInt8>

    /// The messages of a datagram; nil if one of their lengths is wrong.
    static func messages(in datagram: [UInt8]) -> [NetlinkMessage]? {
        var messages: [NetlinkMessage] = []
        var rest = datagram[...]
        let head = MemoryLayout<nlmsghdr>.size
        while !rest.isEmpty {
            guard let header = rest.load(nlmsghdr.self) else { return nil }
            let length = Int(header.nlmsg_len)
            guard length >= head, length <= rest.count else { return nil }
            messages.append(
                NetlinkMessage(
                    type: Int(header.nlmsg_type), flags: Int(header.nlmsg_flags), sequence: header.nlmsg_seq,
                    port: header.nlmsg_pid, body: rest.prefix(length).dropFirst(head)))
            rest = rest.dropFirst(aligned(length))
        }
        return messages
    }

    /// The bytes of a request.
    ///
    /// - Parameters:
    ///   - flags: Besides `NLM_F_REQUEST`.
    ///   - body: The struct of the type, and attributes.
    static func request(_ type: Int, flags: Int, sequence: UInt32, body: [UInt8]) -> [UInt8] {
        var header = nlmsghdr()
        header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + body.count)
        header.nlmsg_type = UInt16(type)
        header.nlmsg_flags = UInt16(Int(NLM_F_REQUEST) | flags)
        header.nlmsg_seq = sequence
        return bytes(of: header) + body
    }

    /// The bytes of a struct of the kernel's.
    static func bytes(of value: some BitwiseCopyable) -> [UInt8] { withUnsafeBytes(of: value) { [UInt8]($0) } }

    /// A length with what the kernel pads it with (`NLMSG_ALIGN`, `RTA_ALIGN`).
    static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension ArraySlice<UInt8> {
    /// A struct of the kernel's at the beginning; nil if there are too few bytes.
    func load<Value: BitwiseCopyable>(_ type: Value.Type) -> Value? {
        guard count >= MemoryLayout<Value>.size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(as: type) }
    }
}
