// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Diagnosis
import Threads

/// All checks. Each check comes after the checks that it depends on, and the slow one comes last.
extension Check {
    static let all: [Check] = [daemon, unit, radio, network, circle, clock, desktop, browser, devices]

    /// Returns a check that only repeats the daemon's findings with these codes.
    private static func reported(_ name: String, _ subject: String, _ codes: Set<FindingCode>) -> Check {
        Check(name: name, subject: subject, codes: codes) { $0.reported(codes) }
    }

    private static let daemon = Check(
        name: "daemon", subject: "whether batond is running, answers, and can read and save its data",
        codes: [
            .noSessionBus, .daemonStopped, .daemonSilent, .versionDiffers, .keysUnusable, .stateUnwritable,
            .advertisingWaits, .fileDamaged, .warning,
        ], needsDaemon: false
    ) { patient in
        let status: DaemonStatus
        do {
            status = try patient.status.get()
        } catch {
            return [absence(error)]
        }
        var findings = patient.reported([.keysUnusable, .stateUnwritable, .advertisingWaits, .fileDamaged])
        if Status.otherVersion(status) != nil {
            findings.append(
                Finding(
                    .versionDiffers, ["running": .text(status.version), "installed": .text(BatonVersion.current)],
                    command: "systemctl --user restart batond"))
        }
        // Add findings that belong to no other check, such as the findings of a newer daemon, so
        // that none is lost.
        return findings + status.findings.filter { !isSpokenOf($0.code) }
    }

    /// Returns whether some check reports this code.
    private static func isSpokenOf(_ code: String) -> Bool {
        guard let code = FindingCode(rawValue: code), code != .warning else { return false }
        return all.contains { $0.codes.contains(code) }
    }

    private static func absence(_ error: any Error) -> Finding {
        let message = (error as? BatonError)?.message ?? "\(error)"
        let reason: [String: Reason.Value] =
            (error as? BatonError)?.reason.map { $0.values.filter { $0.key == "reason" } }
            ?? ["reason": .reason(Reason(quoting: message))]
        let start = "systemctl --user start batond"
        guard let error = error as? BatonError else { return Finding(.daemonStopped, reason, command: start) }
        if error.code == .busUnavailable { return Finding(.noSessionBus, reason) }
        if error.code == .daemonNotRunning { return Finding(.daemonStopped, reason, command: start) }
        return Finding(.daemonSilent, error.isUnanswered ? [:] : reason, command: "systemctl --user restart batond")
    }

    private static let unit = Check(
        name: "unit", subject: "whether systemd starts batond with the session, and whether it had to restart batond",
        codes: [.daemonNotEnabled, .daemonRestarted], needsDaemon: false
    ) { _ in try await UserUnit.batond()?.findings ?? [] }

    private static let radio = reported(
        "radio", "whether Bluetooth can advertise and scan",
        [
            .radioSimulated, .radioNotReady, .systemBusGone, .bluetoothdStopped, .bluetoothdSilent, .adapterMissing,
            .adapterUnlisted, .adapterOff, .adapterBlocked, .adapterUnfit, .adapterStarting, .advertisingFull,
            .bluetoothDenied, .bluetoothRefused, .bluetoothBroken, .listeningFailed, .addressPublic, .bluetoothPlain,
            .bluetoothdOld, .advertisingSlow, .eattOn, .adapterOneRole,
        ])

    private static let network = Check(
        name: "network", subject: "whether devices reach each other by TCP, where that is on",
        codes: [
            .noAddress, .tcpUnanswered, .noRoute, .tcpUnreached, .firewallOn, .networkUnknown, .datagramsRefused,
            .networkIsolated,
        ]
    ) { patient in
        guard let status = try? patient.status.get(), status.tcp else { return [] }
        let endpoint = status.endpoints.first { $0.hasPrefix("tcp") }
        guard let port = endpoint.flatMap({ $0.split(separator: ":").last }).flatMap({ Int($0) }) else {
            return [Finding(.noAddress)]
        }
        let unreached = patient.reported([.tcpUnreached])
        // Look for a firewall only if another device could not reach this one.
        let firewall = unreached.isEmpty ? nil : try await Firewall.before(port: port)
        return patient.reported([.tcpUnanswered, .noRoute, .networkUnknown, .datagramsRefused, .networkIsolated])
            + unreached
            + (firewall.map { [$0.finding(port: port)] } ?? [])
    }

    private static let circle = Check(
        name: "circle", subject: "whether there is a circle with another device",
        codes: [.noCircle, .removed, .circleOutdated, .alone, .outOfTouch, .sequenceUsedUp]
    ) { patient in
        var findings = patient.reported([.noCircle, .removed, .circleOutdated, .outOfTouch, .sequenceUsedUp])
        if let status = try? patient.status.get(), status.circle != nil, status.members.allSatisfy(\.isThisDevice) {
            findings.append(Finding(.alone, command: "baton pair"))
        }
        return findings
    }

    private static let clock = reported(
        "clock", "whether the clocks of the devices agree, as far as this device knows them",
        [.clockWrong, .clockDiffers])

    private static let desktop = Check(
        name: "desktop", subject: "whether offers can be shown here, and whether the settings have mistakes",
        codes: [
            .paused, .settingsMistake, .noNotifications, .grantsPending, .adaptersPending, .signalUnknown,
            .speakerUnknown, .speakerSandboxed,
        ]
    ) { patient in
        let findings = patient.reported([
            .settingsMistake, .noNotifications, .grantsPending, .adaptersPending, .signalUnknown, .speakerUnknown,
            .speakerSandboxed,
        ])
        return findings + [(try? patient.status.get()).flatMap(PauseText.finding)].compactMap(\.self)
    }

    private static let browser = Check(
        name: "browser", subject: "whether Firefox has loaded the extension, if it is installed",
        codes: [.extensionWaiting], needsDaemon: false
    ) { _ in try await OwnThread.run { FirefoxProfile.newest()?.findings ?? [] } }

    private static let devices = Check(
        name: "devices",
        subject: "whether the devices that are near answer, hear and reach, as 'baton ping --each-way' asks, "
            + "and any can be reached without Bluetooth where that cannot be used",
        codes: [.deviceSilent, .radioOneWay, .transportOneWay, .unreachable], limit: .seconds(150)
    ) { patient in
        // Run one check after the other, because a device answers one question at a time.
        await NearDevices.findings(of: patient) + WayByTCP.findings(of: patient)
    }
}
