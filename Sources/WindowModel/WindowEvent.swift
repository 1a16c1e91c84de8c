// SPDX-License-Identifier: Apache-2.0

public import BatonBus

/// An event: news of the daemon, or an action of the user.
public enum WindowEvent: Sendable {
    /// The daemon came, or went.
    case daemon(isThere: Bool)
    /// The daemon cannot be reached.
    case unreachable(BatonError)
    /// The daemon's status is this.
    case status(DaemonStatus)
    /// The user's settings are these.
    case settings(UserSettings)
    /// The history of what left this laptop is this.
    case history([HistoryEntry])
    /// The installed apps are these.
    case apps(InstalledApps)
    /// The user's shared folders and copies are these.
    case files(UserFiles)
    /// The window is shown on the screen, or hidden.
    case window(isShown: Bool)
    /// The requests of sandboxed apps are these.
    case grants([AppGrant])
    /// The offers of other laptops changed.
    case offer(OfferEvent)
    /// An offer is being continued.
    case progress(OfferProgress)
    /// The daemon answered.
    case answered(BusRequest, BusAnswer)
    /// The daemon refused, or the call failed.
    case failed(BusRequest, BatonError)
    /// The user clicked.
    case acted(WindowAction)
    /// The user typed a text.
    case typed(Row.Entry, String)
}

/// The daemon's answer.
public enum BusAnswer: Sendable {
    case done
    case apps(InstalledApps)
    case digits(PairingDigits)
    case code(PairingCode)
    case circle(CircleSummary)
    case probe(DeviceProbe)
    case report(String)
}
