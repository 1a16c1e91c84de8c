// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
public import BatonBus
public import DBus
import DesktopEntries
public import Diagnosis
import FoundationEssentials
public import Logging

/// The desktop's side of the daemon: which app continues what, the user's notifications and rules,
/// and the hand-over to an app.
///
/// Each of its concerns has a file of its own, an extension.
public actor Desktop {
    let host: any DesktopHost
    let environment: DesktopEnvironment
    let logger: Logger
    var keeper: GrantKeeper
    var adapterKeeper: AdapterKeeper
    /// What panels are to show, each time that it changes; one consumer, which may be late: the
    /// newest counts.
    public nonisolated let panels: AsyncStream<PanelStatus>

    var inForce = SettingsInForce()
    var presence: Presence { didSet { setAlarm() } }
    var known = KnownOffers()
    var clock = DesktopClock()
    /// What rules continue by themselves.
    var nearRules = NearRules() { didSet { setAlarm() } }
    /// What the user is shown.
    var plan = NotificationPlan() { didSet { setAlarm() } }
    /// The apps, those in sandboxes with what they may have.
    var index = DesktopEntryIndex()
    var openings = Openings()
    /// What the browser was given by its address, for its extension.
    var openedPages = OpenedPages() { didSet { setAlarm() } }
    /// What adapters' apps have open that is not offered.
    var withheldItems = WithheldItems()
    /// Which domains apps claim, and what these say.
    var inquiries: DomainInquiries
    /// How often what is advertised may have changed.
    var advertisingChanges = 0
    /// Whether the user looked at this laptop when that was told last.
    private var toldAttendance = Attendance.present
    /// Goes off at the first deadline of all parts.
    private var alarm: (moment: Duration, task: Task<Void, Never>)?

    var panel: PanelFeed

    /// The desktop's side on a session bus.
    ///
    /// - Parameters:
    ///   - systemBus: Where logind is; nil for none.
    ///   - host: The daemon.
    ///   - session: The user's session.
    ///   - catalogue: The apps that are installed; nil for the session's.
    ///   - pages: What opens web pages; nil for the default browser.
    ///   - grants: What the user has granted sandboxed apps.
    ///   - adapters: What the user has said of adapters of the user's own.
    ///   - agreements: What domains have said about apps.
    ///   - history: What left this laptop.
    ///   - asker: What asks them; without, nobody is asked.
    ///   - pauseMemory: What knows of a pause that has begun before.
    public init(
        bus: DBusConnection, systemBus: SystemBus?, host: any DesktopHost,
        settingsFile: SettingsFile = SettingsFile(), session: SessionEnvironment = SessionEnvironment(),
        catalogue: AppCatalogue? = nil, pages: WebPageOpener? = nil, grants: GrantStore,
        adapters: AdapterStore = AdapterStore(),
        agreements: AgreementStore = AgreementStore(), history: HistoryStore = HistoryStore(),
        asker: DomainAsker = DomainAsker(nil), pauseMemory: PauseMemory = PauseMemory(), logger: Logger
    ) {
        self.host = host
        environment = DesktopEnvironment(
            launcher: AppLauncher(bus: bus, session: session),
            pages: pages ?? WebPageOpener(bus: bus, session: session),
            catalogue: catalogue ?? AppCatalogue(session: session),
            board: NotificationBoard(bus: bus, logger: logger), settingsFile: settingsFile, history: history,
            asker: asker, systemBus: systemBus)
        presence = Presence(memory: pauseMemory)
        keeper = GrantKeeper(store: grants)
        adapterKeeper = AdapterKeeper(store: adapters)
        inquiries = DomainInquiries(agreements)
        self.logger = logger
        let (panels, sink) = AsyncStream.makeStream(of: PanelStatus.self, bufferingPolicy: .bufferingNewest(1))
        self.panels = panels
        panel = PanelFeed(to: sink)
    }

    /// Follows apps, configuration, session and the user's clicks until the task is cancelled.
    public func run() async {
        await keepPause()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.environment.board.run() }
            group.addTask { await self.followClicks() }
            group.addTask { await self.environment.catalogue.watch { await self.appsChanged($0) } }
            group.addTask { await self.followSettings() }
            group.addTask { await self.followDomains() }
            if let systemBus = environment.systemBus {
                group.addTask {
                    await systemBus.follow { bus in
                        await withDiscardingTaskGroup { watches in
                            watches.addTask { await SessionWatch(systemBus: bus).run { await self.sessionChanged($0) } }
                            watches.addTask { await SleepWatch(systemBus: bus).run { await self.sleepChanged($0) } }
                        }
                    }
                }
            }
        }
        openings.cancelAll()
        alarm?.task.cancel()
    }

    private func setAlarm() {
        let deadlines = [presence.deadline, nearRules.deadline, plan.deadline, openedPages.deadline]
        let deadline = deadlines.compactMap(\.self).min()
        guard deadline != alarm?.moment else { return }
        alarm?.task.cancel()
        alarm = deadline.map { moment in
            let task = Task {
                guard (try? await clock.sleep(moment)) != nil, !Task.isCancelled else { return }
                // Not to be cancelled in the middle of what it does.
                alarm = nil
                await timePassed(at: clock.uptime())
            }
            return (moment, task)
        }
    }

    private func timePassed(at uptime: Duration) async {
        openedPages.timePassed(at: uptime)
        nearRules.timePassed(at: uptime)
        continueWhatIsNear()
        for offer in plan.timePassed(at: uptime).compactMap({ known[$0] }) { refresh(offer) }
        if presence.timePassed(at: uptime, clock.date()) { await pauseChanged() }
    }

    /// What degrades the service, one line each.
    public var findings: [Finding] {
        get async {
            let names = await deviceNames()
            var findings = inForce.findings(naming: names)
            // What a sandboxed app claims it does not continue before it is allowed.
            let idle = AppChoice(defaults: settings.defaultApps).idleDefaults(in: keeper.claimed)
            findings += (idle + adapterKeeper.idleSwitches).map { Finding(.settingsMistake, $0) }
            if settings.notifies, await environment.board.lacksServer {
                findings.append(
                    Finding(
                        .noNotifications,
                        "this session has no notification server, so that offers are not shown: start one (a desktop has its own, "
                            + "else dunst or mako), or put 'notifications = off' into baton.conf; 'baton open' continues what 'baton nearby' lists"
                    ))
            }
            findings += Set(nearRules.unheard.compactMap { offers[$0]?.deviceName }).sorted().map { name in
                Finding(
                    .signalUnknown,
                    "a rule continues what \(name) offers once it is near, and the radio does not tell how near it is: the rule waits "
                        + "for that; 'baton open' continues it now")
            }
            let pending = keeper.pendingApps
            if pending > 0 {
                findings.append(
                    Finding(
                        .grantsPending,
                        (pending == 1 ? "a sandboxed app asks" : "\(pending) sandboxed apps ask")
                            + " for activities that are not its own: see 'baton grants'", command: "baton grants"))
            }
            if adapterKeeper.isPending {
                findings.append(
                    Finding(
                        .adaptersPending,
                        "an adapter in your own directory speaks for other apps once you allow it: see 'baton adapters'",
                        command: "baton adapters"))
            }
            return findings
        }
    }

    /// Takes over the apps that are installed, so that who asks first, as a search whose click has
    /// started the daemon, finds them.
    public func useInstalledApps() async {
        _ = await environment.catalogue.askSession()
        await appsChanged(environment.catalogue.index)
    }

    /// Takes over the apps of the session as it is now, before somebody needs them: the desktop may
    /// have said only after the start where they are, and which of them are its defaults.
    public func askSession() async {
        if await environment.catalogue.askSession() { await appsChanged(environment.catalogue.index) }
    }

    private func appsChanged(_ index: DesktopEntryIndex) async {
        keeper.install(index)
        await useApps()
    }

    /// Tells of the offers that another app would continue now, or that a rule hides now or no
    /// more.
    func chooseAppsAgain() async {
        for name in known.identifiers {
            // As it is now: it may have changed, or gone, while another was told of.
            guard let offer = known[name], case let changed = decorated(offer), changed != offer else { continue }
            known.changed(changed)
            refresh(changed)
            await host.tellChanged(changed)
        }
    }

    func sessionChanged(_ state: SessionState) async {
        let wasActive = presence.session.isActive
        presence.session = state
        if state.isActive != wasActive { await advertisingChanged() } else { await attendanceChanged() }
        refreshAll()
    }

    /// Returns once nothing is advertised any more, or all is again.
    func sleepChanged(_ isAboutToSleep: Bool) async {
        guard isAboutToSleep != presence.isAboutToSleep else { return }
        presence.isAboutToSleep = isAboutToSleep
        await advertisingChanged()
    }

    private func followClicks() async {
        for await event in environment.board.events {
            switch event {
            case .chosen(let key, let action, let token): await answered(key, action, token: token)
            case .dismissed(let key): await answered(key, nil, token: nil)
            case .closed(let key): hasExpired(key)
            }
        }
    }

    /// The user has answered a notification.
    ///
    /// - Parameter action: Nil when the user has taken it from the screen.
    private func answered(_ key: String, _ action: String?, token: String?) async {
        guard let key = NotificationKey(key) else { return }
        switch (key, action) {
        case (.grant, _): await answer(key, action)
        case (.fetches(let device), _): await answerFetches(device, action)
        case (.progress(let offer), NotificationStyle.cancelAction): cancel(offer)
        case (.offer(let offer), _?): openForClick(offer, token: token)
        default: break
        }
    }

    private func attendanceChanged() async {
        let before = toldAttendance
        toldAttendance = presence.attendance
        if before == .away, toldAttendance != .away { nearRules.beginListening(at: clock.uptime()) }
        await host.attend(toldAttendance)
    }

    /// Whether anything is advertised, and what not, follows from session, sleep, pause and rules.
    func advertisingChanged() async {
        advertisingChanges += 1
        var told = 0
        // What changed meanwhile may have been told before this was.
        while told != advertisingChanges {
            told = advertisingChanges
            await attendanceChanged()
            await host.advertise(presence.mayAdvertise) { [inForce] in
                inForce.whyHidden(type: $0, app: $1)
            }
        }
    }
}
