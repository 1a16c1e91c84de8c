// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Testing

@testable import L2CAP

/// Tests that run on every machine. BlueZTransportTests tests the rest in the radio lab, with a
/// kernel that has Bluetooth.
@Suite struct L2CAPSocketTests {
    private let address = BluetoothAddress("C0:FF:EE:00:00:01/random")

    /// The kernel's `struct sockaddr_l2` (include/net/bluetooth/l2cap.h): family, PSM, address,
    /// channel id, address type.
    @Test("A socket address has the kernel's layout")
    func socketAddressLayout() throws {
        let address = try #require(address)
        var target = L2CAPSocket.socketAddress(octets: address.kernelOctets, kind: address.kernelKind, psm: 0x80)
        let bytes = L2CAPSocket.withSocketAddress(&target) { pointer, size in
            Array(UnsafeRawBufferPointer(start: pointer, count: Int(size)))
        }
        #expect(bytes == [31, 0, 0x80, 0, 0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0, 0, 0, 2, 0])
    }

    @Test("An address converts to the kernel's form and back")
    func kernelsForm() throws {
        let address = try #require(address)
        #expect(BluetoothAddress(kernelOctets: address.kernelOctets, kernelKind: address.kernelKind) == address)
        #expect(BluetoothAddress(kernelOctets: address.kernelOctets, kernelKind: 0) == nil)
    }

    /// On a machine with Bluetooth the result is a PSM, elsewhere the error that there is no
    /// Bluetooth.
    @Test("Listening either works or reports that there is no Bluetooth")
    func listeningOrNoBluetooth() throws {
        do {
            let (descriptor, psm) = try L2CAPSocket.listen(on: nil, psm: nil, receiveMTU: 2_048)
            L2CAPSocket.close(descriptor)
            #expect(L2CAPSocket.dynamicPSMs.contains(psm))
        } catch {
            #expect(error.code == .unsupported)
            #expect(error.errno == EAFNOSUPPORT)
            #expect(error.errnoName == "EAFNOSUPPORT")
            #expect(error.description.contains("modprobe bluetooth"))
        }
    }

    @Test("PSMs outside of LE's range are refused", arguments: [UInt16(0), 0x100, .max])
    func refusesPSMsThatAreNotOfLE(_ psm: UInt16) throws {
        let address = try #require(address)
        #expect(throws: L2CAPError.self) { try L2CAPSocket.listen(on: nil, psm: psm, receiveMTU: 2_048) }
        let error = #expect(throws: L2CAPError.self) {
            try L2CAPSocket.startConnecting(from: nil, to: address, psm: psm, receiveMTU: 2_048)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test("Impossible MTUs are refused", arguments: [-1, 0, 22, 65_536])
    func refusesImpossibleMTUs(_ mtu: Int) {
        let error = #expect(throws: L2CAPError.self) {
            try L2CAPSocket.listen(on: nil, psm: nil, receiveMTU: mtu)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test(
        "Errors keep the errno, and their messages are one line",
        arguments: [
            (EAFNOSUPPORT, L2CAPError.Code.unsupported), (EACCES, .notPermitted), (EHOSTUNREACH, .noAdapter),
            (ENETDOWN, .noAdapter), (EADDRINUSE, .addressInUse), (ECONNREFUSED, .unreachable), (ETIMEDOUT, .timedOut),
            (EMSGSIZE, .brokenLink), (EMFILE, .resourceExhausted), (ENOSYS, .unreachable), (ENOTTY, .other),
        ])
    func errorsKeepTheErrnoInOneLine(_ errno: CInt, _ code: L2CAPError.Code) {
        let error = L2CAPError(errno: errno, "try")
        #expect(error.code == code)
        #expect(error.errno == errno)
        #expect(error.isMissed == (errno == ENOSYS))
        #expect(!error.description.contains("\n"))
        #expect(error.description.hasPrefix("cannot try: "))
    }

    @Test("A descriptor of another family is refused")
    func anotherFamily() throws {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        #expect(throws: L2CAPError.self) { try L2CAPSocket.sendMTU(of: descriptor) }
    }
}
