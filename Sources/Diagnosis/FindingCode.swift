// SPDX-License-Identifier: Apache-2.0

/// The kinds of findings: one table for what the daemon warns of and for what `baton doctor` finds.
/// A code means the same in every version.
public enum FindingCode: String, CaseIterable, Sendable {
    // The daemon.
    case noSessionBus = "no-session-bus"
    case daemonStopped = "daemon-stopped"
    case daemonSilent = "daemon-silent"
    case daemonRestarted = "daemon-restarted"
    case daemonNotEnabled = "daemon-not-enabled"
    case versionDiffers = "version-differs"
    case keysUnusable = "keys-unusable"
    // The radio.
    case radioSimulated = "radio-simulated"
    case radioNotReady = "radio-not-ready"
    case systemBusGone = "system-bus-gone"
    case bluetoothdStopped = "bluetoothd-stopped"
    case adapterMissing = "adapter-missing"
    case adapterOff = "adapter-off"
    case adapterBlocked = "adapter-blocked"
    case adapterUnfit = "adapter-unfit"
    case adapterStarting = "adapter-starting"
    case advertisingFull = "advertising-full"
    case bluetoothDenied = "bluetooth-denied"
    case bluetoothRefused = "bluetooth-refused"
    case addressPublic = "address-public"
    case bluetoothPlain = "bluetooth-plain"
    // The network.
    case noAddress = "no-address"
    // The circle.
    case noCircle = "no-circle"
    case removed = "removed"
    case circleOutdated = "circle-outdated"
    case alone = "alone"
    case outOfTouch = "out-of-touch"
    case sequenceUsedUp = "sequence-used-up"
    case clockWrong = "clock-wrong"
    case clockDiffers = "clock-differs"
    case deviceSilent = "device-silent"
    // The desktop.
    case paused = "paused"
    case settingsMistake = "settings-mistake"
    case noNotifications = "no-notifications"
    case grantsPending = "grants-pending"
    // The checks themselves.
    case checkFailed = "check-failed"
    case checkHung = "check-hung"
    /// A warning of a daemon of a version that gave them no codes.
    case warning = "warning"

    /// What it means, in a phrase.
    public var meaning: String {
        switch self {
        case .noSessionBus: "there is no session bus to reach the daemon by"
        case .daemonStopped: "batond does not run, and does not start"
        case .daemonSilent: "batond runs, and does not answer"
        case .daemonRestarted: "systemd has started batond anew since it crashed or hung"
        case .daemonNotEnabled: "batond does not start with the session, but only when a program asks for it"
        case .versionDiffers: "baton and batond are of different versions"
        case .keysUnusable: "this device's keys cannot be read"
        case .radioSimulated: "the radio is simulated: no other laptop can hear it"
        case .radioNotReady: "the radio cannot be used"
        case .systemBusGone: "there is no system bus to reach bluetoothd by"
        case .bluetoothdStopped: "bluetoothd does not run"
        case .adapterMissing: "there is no Bluetooth adapter, or not the one that was asked for"
        case .adapterOff: "Bluetooth is off"
        case .adapterBlocked: "Bluetooth is blocked by a switch, or by rfkill"
        case .adapterUnfit: "the adapter cannot advertise over Bluetooth LE"
        case .adapterStarting: "the adapter is still starting"
        case .advertisingFull: "another program takes the adapter's room for advertisements"
        case .bluetoothDenied: "bluetoothd does not let this user advertise or scan"
        case .bluetoothRefused: "bluetoothd refused to advertise or scan"
        case .addressPublic: "the adapter shows its own address, by which it can be tracked"
        case .bluetoothPlain: "bluetoothd has no monitors of advertisements: scanning costs more, and takes longer"
        case .noAddress: "TCP is on, and there is no network to be reached by"
        case .noCircle: "this device is in no circle"
        case .removed: "another device has removed this one from its circle"
        case .circleOutdated: "the circle was made by an earlier version, and cannot be used"
        case .alone: "there is no other device in the circle"
        case .outOfTouch: "no other device of the circle was in touch for a day"
        case .sequenceUsedUp: "this device has used up its sequence numbers"
        case .clockWrong: "this device's clock shows what cannot be"
        case .clockDiffers: "the clocks of two devices differ"
        case .deviceSilent: "a device that is near does not answer"
        case .paused: "the user has paused Baton"
        case .settingsMistake: "there is a mistake in the settings"
        case .noNotifications: "the session has no notification server to show offers"
        case .grantsPending: "a sandboxed app asks for something that the user is to decide"
        case .checkFailed: "a check could not be made"
        case .checkHung: "a check did not end in time"
        case .warning: "the daemon warns of something else"
        }
    }
}
