// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus
internal import FoundationEssentials

/// The settings of a ``BlueZRadio``.
public struct BlueZConfiguration: Hashable, Sendable {
    /// The kernel's name of the only adapter to use (`hci0`), or `nil` for every powered adapter.
    public var adapter: String?
    /// The address of bluetoothd's bus, or `nil` for the system bus. The address has the form of
    /// `DBUS_SYSTEM_BUS_ADDRESS`.
    public var busAddress: String?
    /// The largest SDU that a peer may send, in bytes: 23 to 16,384.
    public var receiveMTU: Int
    /// The least and greatest advertising interval to ask for, in milliseconds.
    ///
    /// bluetoothd before 5.77 respects the interval only with `--experimental`.
    static let advertisingInterval: ClosedRange<UInt32> = 100...150
    /// The minimum time between two changes of the advertisement. Of several changes within this
    /// time, only the last takes effect.
    static let advertisingPause = Duration.seconds(1)
    /// The silence after which the radio checks that bluetoothd still answers, or `nil` for no
    /// checks.
    public var askAfterSilence: Duration?

    /// The first bytes of the payloads to report, at most 8. A Baton beacon begins with its
    /// version.
    ///
    /// The radio does not report other payloads. If bluetoothd offers monitors, other payloads do
    /// not even wake this process.
    public var payloadPrefix: [UInt8]

    /// The kernel's directory of adapters, or `nil` if bluetoothd runs on another machine.
    var kernelAdapters: String?

    /// Creates a configuration. The defaults use every adapter of the system bus.
    public init(
        adapter: String? = nil, busAddress: String? = nil, receiveMTU: Int = 2_048,
        askAfterSilence: Duration? = .seconds(60), payloadPrefix: [UInt8] = []
    ) {
        self.adapter = adapter
        self.busAddress = busAddress
        self.receiveMTU = receiveMTU
        self.askAfterSilence = askAfterSilence
        self.payloadPrefix = payloadPrefix
        kernelAdapters = busAddress == nil ? "/sys/class/bluetooth" : nil
    }
}

extension BlueZConfiguration {
    /// Connects to bluetoothd's bus.
    ///
    /// - Throws: `DBusError`.
    func openBus() async throws -> DBusConnection {
        guard let busAddress else { return try await DBusConnection.system() }
        return try await DBusConnection.open(address: busAddress)
    }

    /// Returns the adapters that the radio would use, as the kernel lists them.
    func adaptersOfKernel() -> [String] {
        let names = kernelAdapters.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
        // The directory also lists connections, such as hci0:42.
        return names.filter { name in
            name.hasPrefix("hci") && name.dropFirst(3).allSatisfy { ("0"..."9").contains($0) }
                && (adapter == nil || adapter == name)
        }.sorted().prefix(8).map { $0 }
    }
}
