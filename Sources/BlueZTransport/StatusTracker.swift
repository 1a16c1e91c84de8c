// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport

/// Computes the radio's status and detects its changes.
struct StatusTracker {
    private let wantedAdapter: String?
    private let probePrivacy: (String) -> Bool?
    /// Whether each adapter hides its address, or `nil` if the kernel does not report it.
    private var privacy: [String: Bool?] = [:]
    /// The last status that was returned.
    private(set) var last: RadioStatus?

    /// Creates a tracker that has returned no status yet.
    ///
    /// - Parameters:
    ///   - wantedAdapter: The name of the only adapter to use, or `nil` for any.
    ///   - probePrivacy: Called once for each adapter that appears; returns whether the adapter
    ///     hides its address. bluetoothd turns this privacy on or off only when it starts.
    init(wantedAdapter: String?, probePrivacy: @escaping (String) -> Bool?) {
        self.wantedAdapter = wantedAdapter
        self.probePrivacy = probePrivacy
    }

    /// Computes the status from the current facts.
    ///
    /// - Parameters:
    ///   - adaptersOfKernel: The adapters that the radio would use, as the kernel lists them.
    ///   - refusals: The refusals of the adapters in use, by adapter name.
    ///   - setup: The setup of bluetoothd.
    ///   - listenerFault: The reason why no listener is open on the configured adapter.
    /// - Returns: The status if it has changed, otherwise `nil`.
    mutating func update(
        absence: BlueZStatus.Absence?, adapters: [BlueZObjects.Adapter], adaptersOfKernel: [String] = [],
        refusals: [String: Refusal] = [:],
        setup: BluetoothdSetup = BluetoothdSetup(), listenerFault: TransportError? = nil
    ) -> RadioStatus? {
        let present = Set(adapters.map(\.name))
        var known = privacy.filter { present.contains($0.key) }
        let status = BlueZStatus(
            absence: absence, wantedAdapter: wantedAdapter, adapters: adapters, adaptersOfKernel: adaptersOfKernel,
            refusals: refusals, setup: setup, listenerFault: listenerFault
        ) { [probePrivacy] name in
            if let answer = known[name] { return answer }
            let answer = probePrivacy(name)
            known[name] = .some(answer)
            return answer
        }.status
        privacy = known
        guard status != last else { return nil }
        last = status
        return status
    }
}
