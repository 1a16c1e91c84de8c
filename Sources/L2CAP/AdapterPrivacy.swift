// SPDX-License-Identifier: GPL-3.0-or-later

internal import CBluetooth
internal import Glibc

/// Asks the kernel whether an adapter hides its address.
///
/// bluetoothd does not report this, but the kernel's management interface reports it to any user:
/// `Read Controller Information` (`doc/mgmt-api.txt` of BlueZ).
public enum AdapterPrivacy {
    private static let readInformation: UInt16 = 0x0004
    private static let commandComplete: UInt16 = 0x0001
    private static let privacySetting: UInt32 = 1 << 13
    /// The offset of the current settings in the answer, in bytes.
    ///
    /// These fields come first, with their sizes: header 6, opcode 2, status 1, address 6, version
    /// 1, manufacturer 2, supported settings 4.
    private static let settingsOffset = 22
    /// The largest number of other events to read before the answer.
    private static let patience = 32

    /// Returns whether an adapter uses private addresses, or `nil` if the kernel does not report
    /// it. Waits for at most a second.
    ///
    /// - Parameter adapter: The kernel's name of the adapter, such as `hci0`.
    public static func isOn(adapter: String) -> Bool? {
        guard adapter.hasPrefix("hci"), let index = UInt16(adapter.dropFirst(3)),
            let answer = answer(to: packet(readInformation, index: index), index: index)
        else { return nil }
        let settings = (0..<4).reduce(UInt32(0)) { $0 | UInt32(answer[settingsOffset + $1]) << (8 * $1) }
        return settings & privacySetting != 0
    }

    private static func packet(_ opcode: UInt16, index: UInt16) -> [UInt8] {
        [opcode, index, 0].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }

    private static func answer(to packet: [UInt8], index: UInt16) -> [UInt8]? {
        let descriptor = socket(AF_BLUETOOTH, CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var address = sockaddr_hci(
            hci_family: sa_family_t(AF_BLUETOOTH), hci_dev: UInt16(HCI_DEV_NONE),
            hci_channel: UInt16(HCI_CHANNEL_CONTROL))
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_hci>.size)) == 0
            }
        }
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard isBound, write(descriptor, packet, packet.count) == packet.count else { return nil }
        var buffer = [UInt8](repeating: 0, count: 512)
        let head = [
            UInt8(commandComplete), 0, UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: index >> 8),
        ]
        for _ in 0..<patience {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return nil }
            // Check that the event is for this adapter, answers this command, and reports success.
            if count >= settingsOffset + 4, Array(buffer[..<4]) == head, buffer[6] == UInt8(readInformation),
                buffer[7] == 0,
                buffer[8] == 0
            {
                return buffer
            }
        }
        return nil
    }
}
