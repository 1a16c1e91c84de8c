// SPDX-License-Identifier: Apache-2.0

/// The places in the window.
public enum Route: Hashable, Sendable {
    /// The first page: what can be continued, or a welcome without a circle.
    case home
    /// The way to another laptop.
    case addLaptop
    /// One laptop, by its id.
    case laptop(String)
    /// The user's permissions and rules, and the history.
    case privacy
    /// The problems that keep Baton from working.
    case trouble
    /// The report, before it is saved.
    case report
}

/// A request that the user makes by a click.
public enum WindowAction: Hashable, Sendable {
    /// Show a page.
    case show(Route)
    /// Go to the page before.
    case back
    /// Ask the daemon for something.
    case request(BusRequest)
    /// Ask the user first.
    case ask(Question)
    /// Pair in a way. A pairing that runs ends.
    case pair(PairingWay)
    /// Say whether both laptops show the same digits.
    case compared(same: Bool)
    /// Put a text into the clipboard.
    case copy(String)
    /// Choose a file for the report.
    case saveReport
    /// Open the settings of Bluetooth.
    case openBluetoothSettings
}

/// A way to pair.
public enum PairingWay: Hashable, Sendable {
    /// By six digits, over the radio.
    case digits
    /// By six digits, as a laptop that was removed from its circle.
    case comingBack
    /// By a code that this laptop shows.
    case showCode
}

/// A call of the daemon.
public enum BusRequest: Hashable, Sendable {
    /// Start the daemon.
    case start
    /// Set a value in the settings.
    case set(String, to: String)
    case readHistory
    case forgetHistory
    case addRule(String, number: Int?)
    case removeRule(Int)
    case open(offer: String)
    case cancel(offer: String)
    /// Pause for a time in seconds, or until the user resumes.
    case pause(seconds: Int?)
    case resume
    case rename(String)
    case remove(device: String)
    case leave
    case stop(device: String)
    case allow(device: String)
    case probe(device: String)
    /// Pair by digits, by radio or at an address.
    case pair(address: String?, isComingBack: Bool)
    case showCode
    case join(code: String)
    case confirm(pairing: String, same: Bool)
    case endPairing
    case makeReport
    case saveReport(path: String)
}

/// A question that the user answers with a button.
public enum Question: Hashable, Sendable {
    /// Remove this laptop from the circle.
    case remove(device: String)
    /// Take the user's own laptop out of the circle.
    case leave
    /// Delete the history.
    case forgetHistory
}

/// A question as the user reads it.
public struct QuestionText: Hashable, Sendable {
    /// The question.
    public var heading: String
    /// The consequences.
    public var text: String
    /// The button for no.
    public var cancel: String
    /// The button for yes.
    public var confirm: String
}

/// A task for the window.
public enum WindowEffect: Hashable, Sendable {
    /// Call the daemon.
    case call(BusRequest)
    /// Show a short message, which may have a button.
    case toast(String, PageButton?)
    /// Ask the user, and act if the answer is yes.
    case ask(QuestionText, BusRequest)
    /// Put a text into the clipboard.
    case copy(String)
    /// Let the user choose a file for the report.
    case chooseReportFile
    /// Open the desktop's settings of Bluetooth.
    case openBluetoothSettings
}
