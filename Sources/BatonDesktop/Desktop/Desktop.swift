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
/// Its parts decide, and none of them waits: each has its state for itself, and is told what
/// happens and the time. The desktop's side asks for what they have to know, carries out what they
/// decide, and has one alarm for all of them.
public actor Desktop {
    let host: any DesktopHost
    let launcher: AppLauncher
    let pages: WebPageOpener
    let catalogue: AppCatalogue
    let board: NotificationBoard
    let settingsFile: SettingsFile
    let history: HistoryStore
    let asker: DomainAsker
    private let systemBus: SystemBus?
    let logger: Logger
    /// What panels are to show, each time that it changes; one consumer, which may be late: the
    /// newest counts.
    public nonisolated let panels: AsyncStream<PanelStatus>

    var clock = DesktopClock() { didSet { domainKeeper.clock = clock } }
    var inForce = SettingsInForce()
    var presence: Presence { didSet { setAlarm() } }
    var keeper: GrantKeeper
    var adapterKeeper: AdapterKeeper
    var domainKeeper: DomainKeeper { didSet { setAlarm() } }
    /// The apps, those in sandboxes with what they may have.
    var index = DesktopEntryIndex()
    var known = KnownOffers()
    var nearRules = NearRules() { didSet { setAlarm() } }
    var openings = Openings()
    var openedPages = OpenedPages() { didSet { setAlarm() } }
    var plan = NotificationPlan() { didSet { setAlarm() } }
    var withheldItems = WithheldItems()
    var panel: PanelFeed

    /// How often what is advertised may have changed.
    var advertisingChanges = 0
    /// Whether the user looked at this laptop when that was told last.
    var toldAttendance = Attendance.present
    /// Asks a domain whose time has come.
    private var asking: Task<Void, Never>?
    /// Whether ``run()`` is over, and nothing has its time any more.
    private var hasEnded = false
    /// Goes off at the first deadline of all parts.
    private var alarm: (moment: Duration, task: Task<Void, Never>)?

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
        launcher = AppLauncher(bus: bus, session: session)
        self.pages = pages ?? WebPageOpener(bus: bus, session: session)
        self.catalogue = catalogue ?? AppCatalogue(session: session)
        board = NotificationBoard(bus: bus, logger: logger)
        (self.settingsFile, self.history, self.asker, self.systemBus) = (settingsFile, history, asker, systemBus)
        presence = Presence(memory: pauseMemory)
        keeper = GrantKeeper(store: grants)
        adapterKeeper = AdapterKeeper(store: adapters)
        domainKeeper = DomainKeeper(store: agreements)
        self.logger = logger
        let (panels, sink) = AsyncStream.makeStream(of: PanelStatus.self, bufferingPolicy: .bufferingNewest(1))
        self.panels = panels
        panel = PanelFeed(to: sink)
    }

    /// Follows apps, configuration, session and the user's clicks until the task is cancelled.
    public func run() async {
        await keepPause()
        domainKeeper.begin(at: clock.uptime())
        await withDiscardingTaskGroup { group in
            group.addTask { await self.board.run() }
            group.addTask { await self.followClicks() }
            group.addTask { await self.catalogue.watch { await self.appsChanged($0) } }
            group.addTask { await self.followSettings() }
            if let systemBus {
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
        hasEnded = true
        setAlarm()
        asking?.cancel()
        await asking?.value
    }

    private func setAlarm() {
        let deadlines = [
            presence.deadline, nearRules.deadline, plan.deadline, openedPages.deadline, domainKeeper.deadline,
        ]
        let deadline = hasEnded ? nil : deadlines.compactMap(\.self).min()
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
        if let domain = domainKeeper.timePassed(at: uptime, asks: settings.asksDomains) {
            asking = Task { await askInTime(domain) }
        }
        if presence.timePassed(at: uptime, clock.date()) { await pauseChanged() }
    }

    /// What degrades the service, one line each.
    public var findings: [Finding] {
        get async {
            let names = await deviceNames()
            var findings = inForce.findings(naming: names)
            // What a sandboxed app claims it does not continue before it is allowed.
            let idle = choice.idleDefaults(in: keeper.claimed) + adapterKeeper.idleSwitches
            findings += idle.map { Finding(.settingsMistake, $0) }
            if settings.notifies, let finding = await board.finding { findings.append(finding) }
            findings += Set(nearRules.unheard.compactMap { known[$0]?.deviceName }).sorted().map(NearRules.finding)
            findings += [keeper.finding, adapterKeeper.finding].compactMap(\.self)
            return findings
        }
    }

    /// How many entries each table has that other programs make larger, by name.
    public var counts: [String: Int] {
        [
            "openedPages": openedPages.all.count, "openings": openings.count,
            "pageFollowers": openedPages.followers.count, "withheld": withheldItems.count,
        ]
    }

    /// Has a browser's extension told of the pages that are opened from now on.
    ///
    /// - Parameter client: The extension's program, until ``clientLeft(_:)``.
    /// - Returns: Those that were opened of late, which nobody has taken.
    public func followPages(_ client: ClientID) -> [OpenedPage] {
        let isFirst = !openedPages.hasBeenFollowed
        openedPages.follow(client)
        // Notifications no longer say that pages open at their top.
        if isFirst { refreshAll() }
        return openedPages.all
    }

    /// Gives a page's activity to the extension of the browser that shows it, once.
    ///
    /// - Throws: ``BatonError`` with `notFound`.
    public func takePage(_ page: String) throws -> ContinuedActivity {
        guard let activity = openedPages.remove(page) else {
            throw BatonError(.notFound, "there is no page \(page) any more, or another browser has taken it")
        }
        return activity
    }

    /// A program has left the bus.
    public func clientLeft(_ client: ClientID) {
        openedPages.leave(client)
        if withheldItems.leave(client) { tellPanel() }
    }
}
