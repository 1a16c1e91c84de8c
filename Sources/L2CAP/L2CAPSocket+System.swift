// SPDX-License-Identifier: GPL-3.0-or-later

internal import CBluetooth
internal import Glibc

/// The system calls, wrapped for Swift.
extension L2CAPSocket {
    /// Opens a socket with a receive MTU, and binds it. The type of the address makes the socket an
    /// LE socket.
    static func open(
        _ address: BluetoothAddress?, psm: UInt16, receiveMTU: Int, _ operation: String
    ) throws(L2CAPError) -> CInt {
        guard receiveMTUs.contains(receiveMTU) else { throw L2CAPError(.invalidArgument, operation) }
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_BLUETOOTH, type, BTPROTO_L2CAP)
        guard descriptor >= 0 else { throw L2CAPError(errno: errno, operation) }
        return try closingOnError(descriptor) { () throws(L2CAPError) in
            var own = socketAddress(
                octets: address?.kernelOctets ?? bdaddr_t(),
                kind: address?.kernelKind ?? UInt8(BDADDR_LE_PUBLIC), psm: psm)
            guard withSocketAddress(&own, { bind(descriptor, $0, $1) }) == 0 else {
                throw L2CAPError(errno: errno, operation)
            }
            try setOption(descriptor, SOL_BLUETOOTH, BT_RCVMTU, UInt16(receiveMTU), operation)
            return descriptor
        }
    }

    static func closingOnError<Value>(
        _ descriptor: CInt, _ body: () throws(L2CAPError) -> Value
    ) throws(L2CAPError) -> Value {
        do {
            return try body()
        } catch {
            close(descriptor)
            throw error
        }
    }

    static func socketAddress(octets: bdaddr_t, kind: UInt8, psm: UInt16) -> sockaddr_l2 {
        var address = sockaddr_l2()
        address.l2_family = sa_family_t(AF_BLUETOOTH)
        address.l2_psm = psm.littleEndian
        address.l2_bdaddr = octets
        address.l2_bdaddr_type = kind
        return address
    }

    static func withSocketAddress<Result>(
        _ address: inout sockaddr_l2, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafeMutableBytes(of: &address) { bytes in
            // The buffer has a first byte, because a `sockaddr_l2` is not empty.
            guard let start = bytes.baseAddress else { preconditionFailure("a socket address is empty") }
            return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }

    /// Returns the address from `getsockname` or `getpeername`.
    static func name(
        of descriptor: CInt,
        _ call: (CInt, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> CInt,
        _ operation: String
    ) throws(L2CAPError) -> (address: BluetoothAddress?, psm: UInt16) {
        var name = sockaddr_l2()
        let result = withSocketAddress(&name) { pointer, size in
            var size = size
            return call(descriptor, pointer, &size)
        }
        guard result == 0 else { throw L2CAPError(errno: errno, operation) }
        guard CInt(name.l2_family) == AF_BLUETOOTH else { throw L2CAPError(.invalidArgument, operation) }
        let address = BluetoothAddress(kernelOctets: name.l2_bdaddr, kernelKind: name.l2_bdaddr_type)
        return (address, UInt16(littleEndian: name.l2_psm))
    }

    static func option<Value: FixedWidthInteger>(
        _ descriptor: CInt, _ level: CInt, _ option: CInt, _ operation: String
    ) throws(L2CAPError) -> Value {
        var value = Value.zero
        var size = socklen_t(MemoryLayout<Value>.size)
        guard getsockopt(descriptor, level, option, &value, &size) == 0 else {
            throw L2CAPError(errno: errno, operation)
        }
        return value
    }

    static func setOption<Value: FixedWidthInteger>(
        _ descriptor: CInt, _ level: CInt, _ option: CInt, _ value: Value, _ operation: String
    ) throws(L2CAPError) {
        var value = value
        guard setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size)) == 0 else {
            throw L2CAPError(errno: errno, operation)
        }
    }
}
