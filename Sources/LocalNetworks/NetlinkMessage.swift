// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// One message of rtnetlink (RFC 3549, netlink(7)).
struct NetlinkMessage {
    /// The type, an `RTM_` or `NLMSG_` constant.
    let type: Int
    /// The flags, a set of `NLM_F_` constants.
    let flags: Int
    /// The sequence number of the request that the message answers.
    let sequence: UInt32
    /// The port of the socket that sent the request, or 0 for a notification of the kernel.
    let port: UInt32
    /// The bytes after the header.
    let body: ArraySlice<UInt8>

    /// Returns the messages of a datagram, or nil if one of their lengths is wrong.
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

    /// Returns the bytes of a request.
    ///
    /// - Parameters:
    ///   - flags: The flags besides `NLM_F_REQUEST`.
    ///   - body: The kernel struct of this type, followed by attributes.
    static func request(_ type: Int, flags: Int, sequence: UInt32, body: [UInt8]) -> [UInt8] {
        var header = nlmsghdr()
        header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + body.count)
        header.nlmsg_type = UInt16(type)
        header.nlmsg_flags = UInt16(Int(NLM_F_REQUEST) | flags)
        header.nlmsg_seq = sequence
        return bytes(of: header) + body
    }

    /// Returns the bytes of a kernel struct.
    static func bytes(of value: some BitwiseCopyable) -> [UInt8] { withUnsafeBytes(of: value) { [UInt8]($0) } }

    /// Returns a length with the kernel's padding (`NLMSG_ALIGN`, `RTA_ALIGN`).
    static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension ArraySlice<UInt8> {
    /// Returns the kernel struct at the beginning, or nil if there are too few bytes.
    func load<Value: BitwiseCopyable>(_ type: Value.Type) -> Value? {
        guard count >= MemoryLayout<Value>.size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(as: type) }
    }
}
