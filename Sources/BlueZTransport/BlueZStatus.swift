// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import DBus
internal import Descriptors
public import Diagnosis
internal import FoundationEssentials

/// The facts that determine the radio's status.
struct BlueZStatus {
    /// The reason why bluetoothd cannot be used.
    enum Absence {
        case noBus
        case noDaemon
        /// bluetoothd runs but did not answer.
        case unanswered(DBusError)
    }

    var absence: Absence?
    /// The name of the only adapter to use, or `nil` for any.
    var wantedAdapter: String?
    /// All adapters that bluetoothd lists.
    var adapters: [BlueZObjects.Adapter] = []
    /// The adapters that the radio would use, as the kernel lists them.
    var adaptersOfKernel: [String] = []
    /// The refusals of the adapters in use, by adapter name.
    var refusals: [String: Refusal] = [:]
    var setup = BluetoothdSetup()
    /// The reason why no listener is open on the configured adapter, or `nil` if there was no
    /// failure.
    var listenerFault: TransportError?
    /// Returns whether an adapter hides its address, or `nil` if that is unknown.
    var isPrivate: (String) -> Bool? = { _ in nil }

    var status: RadioStatus {
        switch absence {
        case .noBus:
            return RadioStatus(.unavailable, because: Finding(.systemBusGone))
        case .noDaemon:
            return RadioStatus(
                .unavailable, because: Finding(.bluetoothdStopped, command: "systemctl start bluetooth"))
        case .unanswered(let error):
            return RadioStatus(.unavailable, because: error.name == DBusError.accessDenied ? Self.denied : Self.silent)
        case nil: break
        }
        let wanted = adapters.filter { wantedAdapter == nil || $0.name == wantedAdapter }.sorted { $0.name < $1.name }
        guard !wanted.isEmpty else {
            let unlisted = adaptersOfKernel.first.map { Finding(unlisted: $0) }
            return RadioStatus(.absent, because: unlisted ?? missing)
        }
        let ready = wanted.filter(\.isReady)
        guard !ready.isEmpty else { return RadioStatus(.off, because: off(wanted)) }
        let names = ready.map(\.name)
        let exposed = names.filter { isPrivate($0) == false }.map(exposed)
        let unreachable = listenerFault.map { [Self.unreachable($0)] } ?? []
        let bluetoothd = BluetoothdFindings(
            version: ready.compactMap(\.version).first, setup: setup, monitors: ready.allSatisfy(\.monitors))
        let degraded = unreachable + exposed + ready.filter(isOfOneRole).map(Self.oneRole) + bluetoothd.all
        guard let (name, refused) = refusals.filter({ names.contains($0.key) }).min(by: { $0.key < $1.key }) else {
            return RadioStatus(.ready, adapters: names, findings: degraded)
        }
        let isCrippled = names.allSatisfy { refusals[$0] != nil }
        return RadioStatus(
            isCrippled ? .unavailable : .ready, because: refused.finding(on: name), adapters: names, findings: degraded)
    }

    private var missing: Finding {
        guard let wantedAdapter else { return Finding(.adapterMissing) }
        let others = adapters.map(\.name).sorted()
        return Finding(
            .adapterMissing,
            ["adapter": .text(wantedAdapter)].merging(others.isEmpty ? [:] : ["others": .list(others)]) { own, _ in own
            })
    }

    private func off(_ adapters: [BlueZObjects.Adapter]) -> Finding {
        if adapters.contains(where: \.isPowered) { return Finding(.adapterUnfit) }
        if adapters.allSatisfy({ $0.isBlocked || Self.isBlocked($0.name) }) {
            return Finding(.adapterBlocked, command: "rfkill unblock bluetooth")
        }
        return Finding(.adapterOff, command: "bluetoothctl power on")
    }

    private func exposed(_ name: String) -> Finding {
        Finding(.addressPublic, ["adapter": .text(name)], command: setup.dropIn)
    }

    /// Returns whether an adapter lacks the central or the peripheral role.
    ///
    /// The role "central-peripheral" is not required, because bluetoothd lists it only if
    /// `KernelExperimental` asks for it. Source: BlueZ, `read_exp_features_complete()` in
    /// `src/adapter.c`.
    private func isOfOneRole(_ adapter: BlueZObjects.Adapter) -> Bool {
        adapter.roles.map { !$0.isSuperset(of: ["central", "peripheral"]) } ?? false
    }

    private static func oneRole(_ adapter: BlueZObjects.Adapter) -> Finding {
        Finding(.adapterOneRole, ["adapter": .text(adapter.name)])
    }

    private static func unreachable(_ fault: TransportError) -> Finding {
        Finding(.listeningFailed, fault.errno.map { ["reason": .reason(Reason(errno: $0))] } ?? [:])
    }

    private static let denied = Finding(.bluetoothDenied)

    /// The finding that bluetoothd hangs.
    static let silent = Finding(.bluetoothdSilent, command: "systemctl restart bluetooth")

    /// Returns whether rfkill blocks an adapter.
    ///
    /// bluetoothd reports this itself since 5.65, but only with `--experimental`.
    static func isBlocked(_ adapter: String, below classes: String = "/sys/class/bluetooth") -> Bool {
        guard adapter.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else { return false }
        let directory = "\(classes)/\(adapter)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.contains { name in
            name.hasPrefix("rfkill")
                && ["soft", "hard"].contains { FileContents.text("\(directory)/\(name)/\($0)")?.first == "1" }
        }
    }
}

extension Finding {
    /// Creates a finding for an adapter that the kernel has but bluetoothd does not list.
    public init(unlisted adapter: String) {
        self.init(.adapterUnlisted, ["adapter": .text(adapter)], command: "systemctl restart bluetooth")
    }
}
