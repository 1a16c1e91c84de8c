// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
public import FoundationEssentials
import SystemSetup
import Wording

/// The state of the window, and the page that follows from it.
///
/// This type is a state machine without I/O. An event changes the state and returns the window's
/// tasks. The window shows ``page``.
public struct WindowModel: Sendable {
    /// Whether the daemon answers.
    enum Daemon: Hashable, Sendable {
        case connecting
        case there
        case gone
        case unreachable(BatonError)
    }

    /// The state of a test of the connection to another laptop.
    enum Probe: Hashable, Sendable {
        case running
        case succeeded(DeviceProbe)
        case failed(BatonError)
    }

    private(set) var daemon = Daemon.connecting
    private(set) var status: DaemonStatus?
    private(set) var offers: [String: OfferSummary] = [:]
    /// The offers that are being continued.
    private(set) var opening: Set<String> = []
    private(set) var pairing = PairingStep.idle
    /// Whether this laptop comes back as a laptop that was removed, until another way is chosen.
    private var isComingBack = false
    /// Whether codes can be read with a camera.
    private var hasCamera = false
    private var isScanning = false
    private(set) var probes: [String: Probe] = [:]
    private(set) var settings = UserSettings(values: [:], rules: [])
    private(set) var history: [HistoryEntry]?
    private(set) var apps = InstalledApps(apps: [], adapters: [])
    /// Whether the daemon has sent the apps, or has refused to.
    private var knowsApps = false
    private(set) var grants: [AppGrant] = []
    private(set) var files: UserFiles?
    /// The rule that the user is writing.
    private(set) var draft = RuleDraft()
    /// The system's setup, as far as every user can see it.
    private var system = SetupState()
    /// The changes to the system that wait for a password, or are being made.
    private var settingUp: Set<SetupStep> = []
    /// Whether the firewall allows Baton, if this window has changed that. Only root can read the
    /// firewall's rules.
    private var isFirewallOpen: Bool?
    private var isShown = true
    /// Whether the daemon was asked to listen for laptops that are being added.
    private var isLooking = false
    /// The report that is shown.
    public private(set) var report: String?
    /// The open pages, without the first one.
    private(set) var path: [Route] = []
    /// The present time, which the caller keeps up to date.
    public var now: Date

    /// The maximum number of offers and of history entries that are shown.
    static let maximumRows = 100

    /// Creates the model of a window that has not yet reached the daemon.
    public init(now: Date) { self.now = now }

    /// The route of the shown page.
    public var route: Route { path.last ?? .home }

    /// The number of pages above the first one.
    public var depth: Int { path.count }

    /// The shown page.
    public var page: Page {
        guard case .there = daemon, let status else { return UnreachablePage(daemon: daemon).page }
        return switch route {
        case .home: status.circle == nil ? welcomePage(status) : homePage(status)
        case .addLaptop:
            PairingPage(status: status, step: pairing, isComingBack: isComingBack, hasCamera: hasCamera, now: now).page
        case .laptop(let device): LaptopPage(status: status, device: device, probe: probes[device], now: now).page
        case .apps: AppsPage(apps: knowsApps ? apps : nil, grants: grants, settings: settings).page
        case .privacy:
            PrivacyPage(status: status, settings: settings, history: history, userFiles: files, apps: apps, now: now)
                .page
        case .rule: RulePage(draft: draft, members: status.members, apps: apps).page
        case .copies: CopiesPage(copies: files?.copies ?? [], now: now).page
        case .folders: FoldersPage(folders: files?.folders ?? []).page
        case .trouble: TroublePage(findings: findings(of: status), setup: setup).page
        case .report: ReportPage(report: report).page
        }
    }

    private func homePage(_ status: DaemonStatus) -> Page {
        HomePage(
            status: status, findings: findings(of: status), offers: shownOffers, opening: opening, apps: apps,
            setup: setup, now: now
        ).page
    }

    private func welcomePage(_ status: DaemonStatus) -> Page {
        WelcomePage(status: status, findings: findings(of: status)).page
    }

    private var setup: SetupChoices {
        SetupChoices(state: system, running: settingUp, isFirewallOpen: isFirewallOpen, status: status)
    }

    /// The offers that the user may see, sorted by laptop and title.
    private var shownOffers: [OfferSummary] {
        let sorted = offers.values.filter { !$0.isHidden }.sorted {
            ($0.deviceName, $0.title ?? "", $0.offer) < ($1.deviceName, $1.title ?? "", $1.offer)
        }
        return Array(sorted.prefix(Self.maximumRows))
    }

    /// Returns the findings that have no place of their own in the window, the worst first.
    private func findings(of status: DaemonStatus) -> [Finding] {
        let found = otherVersion(of: status) + status.findings
        let shown = found.filter { !FindingAdvice.shownElsewhere.contains($0.code) }
        return shown.filter { !FindingAdvice.minor.contains($0.code) }
            + shown.filter { FindingAdvice.minor.contains($0.code) }
    }

    /// Returns the finding that the daemon is of another version than the window, as after an
    /// upgrade of the package.
    private func otherVersion(of status: DaemonStatus) -> [Finding] {
        guard !status.version.isEmpty, status.version != BatonVersion.current else { return [] }
        return [
            Finding(
                .versionDiffers,
                ["running": .text(status.version), "installed": .text(BatonVersion.current)])
        ]
    }

    /// Handles an event, and returns the window's tasks.
    public mutating func handle(_ event: WindowEvent) -> [WindowEffect] {
        take(event) + useCamera() + look()
    }

    /// Uses the camera only while its page is on the screen.
    private mutating func useCamera() -> [WindowEffect] {
        let isOnScreen = daemon == .there && route == .addLaptop && isShown
        if pairing == .scanning, !isOnScreen { pairing = .idle }
        guard isScanning != (pairing == .scanning) else { return [] }
        isScanning.toggle()
        return [.scan(isScanning)]
    }

    /// Makes the daemon listen for laptops only while the welcome page is on the screen.
    private mutating func look() -> [WindowEffect] {
        let isWelcome = daemon == .there && status.map { $0.circle == nil } == true && path.isEmpty
        guard isLooking != (isWelcome && isShown) else { return [] }
        isLooking.toggle()
        return [.call(.lookForPairing(isLooking))]
    }

    private mutating func take(_ event: WindowEvent) -> [WindowEffect] {
        switch event {
        case .daemon(let isThere): return daemonChanged(isThere: isThere)
        case .setUp(let step, let outcome):
            settingUp.remove(step)
            learn(step, outcome)
            return [.readSystem, .toast(SetupText.result(step, outcome), nil)]
        case .progress(let progress): return take(progress)
        case .answered(let request, let answer): return take(answer, to: request)
        case .failed(let request, let error): return failed(request, error)
        case .acted(let action): return act(action)
        case .typed(let entry, let text): return typed(entry, text)
        case .scanned(let text): return pairing == .scanning ? join(code: oneLine(text)) : []
        case .unreachable(let error): daemon = .unreachable(error)
        case .status(let status):
            // In another network, the firewall may have other rules.
            if status.endpoints != self.status?.endpoints { isFirewallOpen = nil }
            self.status = status
        case .settings(let settings): self.settings = settings
        case .history(let history): self.history = history
        case .apps(let apps): (self.apps, knowsApps) = (apps, true)
        case .grants(let grants): self.grants = grants
        case .files(let files): self.files = files
        case .system(let system): self.system = system
        case .window(let isShown): self.isShown = isShown
        case .offer(let event): take(event)
        case .camera(let isThere): hasCamera = isThere
        case .scanFailed(let failure): if pairing == .scanning { pairing = .notScanned(failure) }
        }
        return []
    }

    /// Remembers the result of a change of the firewall, so that no password is asked for if it
    /// would have no effect.
    private mutating func learn(_ step: SetupStep, _ outcome: SetupOutcome) {
        switch (step, outcome) {
        case (.openFirewall, .done): isFirewallOpen = true
        case (.closeFirewall, .done), (.closeFirewall, .noFirewall): isFirewallOpen = false
        // A firewall that is on again may have other rules.
        case (.openFirewall, .noFirewall), (_, .firewallFailed): isFirewallOpen = nil
        default: break
        }
    }

    private mutating func daemonChanged(isThere: Bool) -> [WindowEffect] {
        daemon = isThere ? .there : .gone
        (offers, opening, probes, isLooking) = ([:], [], [:], false)
        // Another version may have come, which lacks some of these.
        (history, files, grants) = (nil, nil, [])
        if pairing.isUnderWay { pairing = .idle }
        return []
    }

    private mutating func take(_ event: OfferEvent) {
        switch event {
        case .appeared(let offer), .changed(let offer): offers[offer.offer] = offer
        case .disappeared(let offer):
            offers[offer] = nil
            opening.remove(offer)
        }
    }

    private mutating func take(_ progress: OfferProgress) -> [WindowEffect] {
        switch progress.phase {
        case .done, .failed: opening.remove(progress.offer)
        default: opening.insert(progress.offer)
        }
        return []
    }

    private mutating func take(_ answer: BusAnswer, to request: BusRequest) -> [WindowEffect] {
        switch (request, answer) {
        case (_, .apps(let apps)): (self.apps, knowsApps) = (apps, true)
        case (_, .digits(let digits)): pairing = .comparing(digits)
        case (_, .code(let code)): pairing = .showingCode(code)
        case (.probe(let device), .probe(let probe)): probes[device] = .succeeded(probe)
        case (_, .circle(let circle)): pairing = .done(circle)
        case (_, .report(let report)): self.report = report
        case (.knowNetworks, _): return [.toast(tr("Baton looks for your laptops in this network now."), nil)]
        case (.saveReport, _): return [.toast(tr("The report is saved."), nil)]
        case (.open(let offer), _): opening.remove(offer)
        case (.remove(let device), _):
            if route == .laptop(device) { path.removeLast() }
        // The other pages are about a circle that this laptop no longer knows.
        case (.leave, _): path = []
        default: break
        }
        return []
    }

    private mutating func failed(_ request: BusRequest, _ error: BatonError) -> [WindowEffect] {
        switch request {
        case .pair, .showCode, .join, .confirm:
            if pairing.isUnderWay { pairing = .failed(error) }
            return []
        case .probe(let device):
            probes[device] = .failed(error)
            return []
        case .open(let offer):
            opening.remove(offer)
            guard error.code != .userCancelled else { return [] }
            return [.toast(FailureText.continuing(error), nil)]
        case .readApps:
            knowsApps = true
            return []
        case .start:
            if daemon == .connecting { daemon = .unreachable(error) }
            return []
        // Do not report these failures. An older daemon, for example, cannot listen.
        case .cancel, .endPairing, .lookForPairing: return []
        default: return [.toast(FailureText.any(error), nil)]
        }
    }

    private mutating func act(_ action: WindowAction) -> [WindowEffect] {
        switch action {
        case .show(let route): return show(route)
        case .back: return goBack()
        case .request(let request): return begin(request)
        case .ask(let question): return ask(question)
        case .setUp(let step): return settingUp.insert(step).inserted ? [.setUp(step)] : []
        case .pair(let way): return pair(way)
        case .comeBack: return comeBack()
        case .endScan: return pairing == .scanning ? pair(.digits) : []
        case .compared(let same): return compared(same: same)
        case .copy(let text): return [.copy(text), .toast(tr("The text is copied."), nil)]
        case .saveReport: return [.chooseReportFile]
        case .writeRule(let number): return write(ruleWithNumber: number)
        case .changeRule(let changed):
            draft = changed
            return []
        case .saveRule: return saveRule()
        case .openFile(let path): return [.openFile(path)]
        case .trash(let path): return [.trash(path, done: tr("The copy is in the bin."))]
        case .chooseFolder: return [.chooseFolder]
        case .shareFolder(let path): return share(path)
        case .openBluetoothSettings: return [.openBluetoothSettings]
        case .install(let package): return [.install(package: package, otherwise: AppText.installing(package))]
        }
    }

    private mutating func show(_ route: Route) -> [WindowEffect] {
        // A click on a notification may ask for the page that is already shown.
        guard self.route != route else { return [] }
        path.append(route)
        switch route {
        case .addLaptop: return pair(.digits) + [.lookForCamera]
        // No signal reports a change that somebody makes in a terminal.
        case .trouble: return [.readSystem]
        // Read the apps again, because no event says that a missing file was installed.
        case .apps: return [.call(.readApps)]
        case .report:
            report = nil
            return [.call(.makeReport)]
        default: return []
        }
    }

    private mutating func write(ruleWithNumber number: Int?) -> [WindowEffect] {
        let existing = number.flatMap { number in
            settings.rules.indices.contains(number - 1) ? RuleDraft(settings.rules[number - 1]) : nil
        }
        draft = existing ?? RuleDraft()
        return show(.rule)
    }

    private mutating func saveRule() -> [WindowEffect] {
        guard route == .rule else { return [] }
        path.removeLast()
        // The rules may have changed while the page was open.
        guard let index = draft.replaced.flatMap({ settings.rules.firstIndex(of: $0) }) else {
            return [.call(.addRule(draft.rule, number: nil))]
        }
        return [.call(.replaceRule(index + 1, by: draft.rule))]
    }

    private func share(_ path: String) -> [WindowEffect] {
        guard let name = FoldersPage.name(of: path, among: files?.folders ?? []) else {
            return [.toast(tr("A folder with this name cannot be shared."), nil)]
        }
        return [.call(.setFolder(name, path: path))]
    }

    private mutating func goBack() -> [WindowEffect] {
        guard path.popLast() == .addLaptop else { return [] }
        defer { pairing = .idle }
        return endOfPairing
    }

    private var endOfPairing: [WindowEffect] { pairing.isUnderWay ? [.call(.endPairing)] : [] }

    private mutating func begin(_ request: BusRequest) -> [WindowEffect] {
        switch request {
        case .start where daemon != .there: daemon = .connecting
        case .open(let offer): opening.insert(offer)
        case .probe(let device): probes[device] = .running
        case .removeRule(let number):
            guard settings.rules.indices.contains(number - 1) else { return [] }
            let undo = PageButton(tr("Undo"), .request(.addRule(settings.rules[number - 1], number: number)))
            return [.call(request), .toast(tr("The rule is removed."), undo)]
        case .setFolder(let name, path: ""):
            let path = files?.folders.first { $0.name == name }?.path ?? ""
            let undo = PageButton(tr("Undo"), .request(.setFolder(name, path: path)))
            return [.call(request), .toast(tr("The folder is no longer shared."), undo)]
        case .cancel(let offer): opening.remove(offer)
        default: break
        }
        return [.call(request)]
    }

    private mutating func pair(_ way: PairingWay) -> [WindowEffect] {
        let end = endOfPairing
        isComingBack = way == .comingBack
        switch way {
        case .digits, .comingBack:
            pairing = .searching(address: nil)
            return end + [.call(.pair(address: nil, isComingBack: isComingBack))]
        case .showCode:
            pairing = .makingCode
            return end + [.call(.showCode)]
        case .scanCode:
            pairing = .scanning
            return end
        }
    }

    private mutating func comeBack() -> [WindowEffect] {
        guard route != .addLaptop else { return pair(.comingBack) }
        path.append(.addLaptop)
        return pair(.comingBack) + [.lookForCamera]
    }

    private mutating func compared(same: Bool) -> [WindowEffect] {
        guard case .comparing(let digits) = pairing else { return [] }
        // Say at once that digits that differ end the pairing. The daemon reports it later, or not
        // at all if it has ended.
        pairing =
            same
            ? .waiting(pairing: digits.pairing) : .failed(BatonError(.pairingFailed, .digitsDifferHere))
        return [.call(.confirm(pairing: digits.pairing, same: same))]
    }

    private mutating func typed(_ entry: Row.Entry, _ text: String) -> [WindowEffect] {
        let text = oneLine(text)
        guard !text.isEmpty else { return [] }
        switch entry {
        case .name: return [.call(.rename(text))]
        case .code: return join(code: text)
        case .address:
            let end = endOfPairing
            pairing = .searching(address: text)
            return end + [.call(.pair(address: text, isComingBack: isComingBack))]
        }
    }

    private func oneLine(_ text: String) -> String { text.split(whereSeparator: \.isNewline).joined() }

    /// Joins with a code that the user pasted, or that the camera read.
    private mutating func join(code: String) -> [WindowEffect] {
        let end = endOfPairing
        pairing = .joining
        return end + [.call(.join(code: code))]
    }

    private func ask(_ question: Question) -> [WindowEffect] {
        let cancel = tr("Cancel")
        switch question {
        case .remove(let device):
            let name = MemberText.name(of: device, in: status?.members ?? [])
            let text = QuestionText(
                heading: tr("Remove “{laptop}”?", ["laptop": name]),
                text: tr("Your laptops offer it nothing from now on. It comes back only with your consent."),
                cancel: cancel, confirm: tr("Remove"), isDestructive: true)
            return [.ask(text, .request(.remove(device: device)))]
        case .leave:
            let text = QuestionText(
                heading: tr("Take this laptop out?"),
                text: tr("It no longer works together with your other laptops. You can add it again."),
                cancel: cancel, confirm: tr("Take Out"), isDestructive: true)
            return [.ask(text, .request(.leave))]
        case .forgetHistory:
            let text = QuestionText(
                heading: tr("Delete the history?"),
                text: tr("This laptop then no longer knows what your other laptops have continued."),
                cancel: cancel, confirm: tr("Delete"), isDestructive: true)
            return [.ask(text, .request(.forgetHistory))]
        case .setUp(let step): return [.ask(SetupText.question(step), .setUp(step))]
        }
    }
}
