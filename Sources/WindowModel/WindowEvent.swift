// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import SystemSetup

/// An event: a report from the daemon, or an action of the user.
public enum WindowEvent: Sendable {
    /// The daemon started or ended.
    case daemon(isThere: Bool)
    /// The daemon cannot be reached.
    case unreachable(BatonError)
    /// The daemon sent its status.
    case status(DaemonStatus)
    /// The daemon sent the user's settings.
    case settings(UserSettings)
    /// The daemon sent the history of activities that left this laptop.
    case history([HistoryEntry])
    /// The daemon sent the installed apps.
    case apps(InstalledApps)
    /// The daemon sent the user's shared folders and copies.
    case files(UserFiles)
    /// The system's setup was examined.
    case system(SetupState)
    /// A change to the system has ended, with this outcome.
    case setUp(SetupStep, SetupOutcome)
    /// The window was hidden or shown again.
    case window(isShown: Bool)
    /// The daemon sent the requests of sandboxed apps.
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
    /// The window found out whether codes can be read with a camera.
    case camera(isThere: Bool)
    /// The camera read a code.
    case scanned(String)
    /// The camera read no code.
    case scanFailed(ScanFailure)
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
