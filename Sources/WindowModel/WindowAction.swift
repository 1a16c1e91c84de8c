// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import SystemSetup

/// The pages of the window.
public enum Route: Hashable, Sendable {
    /// The first page: what can be continued, or a welcome without a circle.
    case home
    /// The page on which the user adds another laptop.
    case addLaptop
    /// One laptop, by its id.
    case laptop(String)
    /// The apps that take part, and the requests of sandboxed ones.
    case apps
    /// The user's permissions and rules, and the history.
    case privacy
    /// A rule that is being written.
    case rule
    /// The copies of documents.
    case copies
    /// The folders that the laptops share.
    case folders
    /// The problems that keep Baton from working.
    case trouble
    /// The report, before it is saved.
    case report
}

/// A request that the user makes by a click.
public enum WindowAction: Hashable, Sendable {
    /// Show a page.
    case show(Route)
    /// Go back to the previous page.
    case back
    /// Send a request to the daemon.
    case request(BusRequest)
    /// Ask the user before the action.
    case ask(Question)
    /// Change the system, with an administrator's password.
    case setUp(SetupStep)
    /// Begin to pair in this way. A running pairing ends.
    case pair(PairingWay)
    /// Show the page for adding a laptop, and pair as a laptop that was removed from its circle.
    case comeBack
    /// Stop looking for a code with the camera.
    case endScan
    /// Say whether both laptops show the same digits.
    case compared(same: Bool)
    /// Put a text into the clipboard.
    case copy(String)
    /// Choose a file for the report.
    case saveReport
    /// Open the Bluetooth settings.
    case openBluetoothSettings
    /// Have the desktop install a package.
    case install(package: String)
    /// Begin to write a new rule, or to change the rule with this number.
    case writeRule(number: Int?)
    /// Change the rule that is being written.
    case changeRule(RuleDraft)
    /// Save the rule that is being written.
    case saveRule
    /// Open a file with its app.
    case openFile(String)
    /// Move a file to the rubbish bin.
    case trash(String)
    /// Choose a folder that the laptops share.
    case chooseFolder
    /// Share the folder at a path.
    case shareFolder(String)
}

/// A way to pair.
public enum PairingWay: Hashable, Sendable {
    /// By six digits, over the radio.
    case digits
    /// By six digits, as a laptop that was removed from its circle.
    case comingBack
    /// By a code that this laptop shows.
    case showCode
    /// By a code that this laptop's camera reads.
    case scanCode
}

/// A call of the daemon.
public enum BusRequest: Hashable, Sendable {
    /// Start the daemon.
    case start
    /// Set a value in the settings.
    case set(String, to: String)
    case forgetHistory
    /// Look for the installed apps again.
    case readApps
    /// Switch an adapter on or off.
    case switchAdapter(String, isOn: Bool)
    /// Answer whether one of the user's own adapters may speak for apps.
    case answerAdapter(String, isAllowed: Bool)
    /// Answer a sandboxed app's request, or take a permission back.
    case answerGrant(AppGrant, isAllowed: Bool)
    case addRule(String, number: Int?)
    case removeRule(Int)
    /// Replace the rule with this number.
    case replaceRule(Int, by: String)
    /// Move a rule to another place in the list.
    case moveRule(String, from: Int, to: Int)
    /// Set the path of a shared folder. An empty path removes the folder from the list.
    case setFolder(String, path: String)
    /// Begin or stop to listen for laptops that are being added.
    case lookForPairing(Bool)
    /// Let Baton look for the other laptops in the present networks.
    case knowNetworks
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
    /// Change the system.
    case setUp(SetupStep)
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
    /// Whether yes destroys something.
    public var isDestructive = false
}

/// A task for the window.
public enum WindowEffect: Hashable, Sendable {
    /// Call the daemon.
    case call(BusRequest)
    /// Show a short message, which may have a button.
    case toast(String, PageButton?)
    /// Ask the user, and carry out the action if the answer is yes.
    case ask(QuestionText, WindowAction)
    /// Look at the system's setup.
    case readSystem
    /// Change the system, after polkit's agent has asked for a password.
    case setUp(SetupStep)
    /// Put a text into the clipboard.
    case copy(String)
    /// Let the user choose a file for the report.
    case chooseReportFile
    /// Open a file with its app.
    case openFile(String)
    /// Move a file to the rubbish bin, and show the text.
    case trash(String, done: String)
    /// Let the user choose a folder.
    case chooseFolder
    /// Open the desktop's Bluetooth settings.
    case openBluetoothSettings
    /// Have the desktop install a package, or show the text if the desktop cannot.
    case install(package: String, otherwise: String)
    /// Find out whether codes can be read with a camera.
    case lookForCamera
    /// Begin or stop to read a code with the camera.
    case scan(Bool)
}
