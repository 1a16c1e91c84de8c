// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus
internal import FoundationEssentials

/// What a ``BlueZRadio`` is told at its start.
public struct BlueZConfiguration: Hashable, Sendable {
    /// The adapter to use, by its kernel name (`hci0`); `nil` for every one that is powered.
    public var adapter: String?
    /// The bus that bluetoothd is on, in the form of `DBUS_SYSTEM_BUS_ADDRESS`; `nil` for the
    /// system bus.
    public var busAddress: String?
    /// The largest SDU that a peer may send, in bytes: 23 to 16,384.
    public var receiveMTU: Int
    /// The advertising interval that is asked for, in milliseconds, least and most: 20 to 10,485.
    /// bluetoothd before 5.77 heeds it only with `--experimental`.
    public var advertisingInterval: ClosedRange<UInt32>
    /// At most one change of the advertisement in this time; of several changes the newest wins.
    public var advertisingPause: Duration
    /// How long bluetoothd may tell nothing before it is asked whether it lives; `nil`: it is
    /// never asked.
    public var askAfterSilence: Duration?

    /// What the payloads of interest begin with, at most 8 bytes; a Baton beacon begins with its
    /// version. Others are not reported, and where bluetoothd offers monitors they do not even wake
    /// this process.
    public var payloadPrefix: [UInt8]

    /// Where the kernel lists its adapters; `nil` where bluetoothd is not this machine's.
    var kernelAdapters: String?

    /// The defaults: every adapter of the system bus, SDUs of 2,048 bytes, an advertisement every
    /// 100 to 150 ms, changed once a second at most, and a bluetoothd that may be silent for a
    /// minute.
    public init(
        adapter: String? = nil, busAddress: String? = nil, receiveMTU: Int = 2_048,
        advertisingInterval: ClosedRange<UInt32> = 100...150, advertisingPause: Duration = .seconds(1),
        askAfterSilence: Duration? = .seconds(60), payloadPrefix: [UInt8] = []
    ) {
        self.adapter = adapter
        self.busAddress = busAddress
        self.receiveMTU = receiveMTU
        self.advertisingInterval = advertisingInterval
        self.advertisingPause = advertisingPause
        self.askAfterSilence = askAfterSilence
        self.payloadPrefix = payloadPrefix
        kernelAdapters = busAddress == nil ? "/sys/class/bluetooth" : nil
    }
}

extension BlueZConfiguration {
    /// Connects to the bus that bluetoothd is on.
    ///
    /// - Throws: `DBusError`.
    func openBus() async throws -> DBusConnection {
        guard let busAddress else { return try await DBusConnection.system() }
        return try await DBusConnection.open(address: busAddress)
    }

    /// Of the adapters that would be used, those that the kernel has.
    func adaptersOfKernel() -> [String] {
        let names = kernelAdapters.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
        // Its connections stand beside them: hci0:42.
        return names.filter { name in
            name.hasPrefix("hci") && name.dropFirst(3).allSatisfy { ("0"..."9").contains($0) }
                && (adapter == nil || adapter == name)
        }.sorted().prefix(8).map { $0 }
    }
}
