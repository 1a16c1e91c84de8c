// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport

/// How the radio is, told when that has changed.
struct StatusTracker {
    private let wantedAdapter: String?
    private let probePrivacy: (String) -> Bool?
    /// Whether each adapter hides its address; `nil` where the kernel does not tell.
    private var privacy: [String: Bool?] = [:]
    /// What was told last.
    private(set) var last: RadioStatus?

    /// A tracker that has told nothing yet.
    ///
    /// - Parameters:
    ///   - wantedAdapter: The adapter that was asked for by name.
    ///   - probePrivacy: Whether an adapter hides its address. Asked once for each that bluetoothd
    ///     brings: it is set at bluetoothd's start.
    init(wantedAdapter: String?, probePrivacy: @escaping (String) -> Bool?) {
        self.wantedAdapter = wantedAdapter
        self.probePrivacy = probePrivacy
    }

    /// Takes how things stand.
    ///
    /// - Parameters:
    ///   - adaptersOfKernel: Of the adapters that would be used, those that the kernel has.
    ///   - refusals: What each adapter in use was refused, by the adapter's name.
    ///   - setup: How bluetoothd was set up.
    ///   - listenerFault: Why there is no listener on the adapter that was asked for by name.
    /// - Returns: The status, if it is another than before.
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
