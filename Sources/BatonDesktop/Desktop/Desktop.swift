// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
public import BatonBus
public import DBus
public import Diagnosis
import FoundationEssentials
public import Logging

/// The part of the daemon that integrates with the desktop.
///
/// This part chooses apps for activities, shows notifications, applies rules, and hands activities
/// to apps.
///
/// Its parts make the decisions and never wait. Each part keeps its own state, and receives events
/// and the time. This actor gathers their input, carries out their decisions, and keeps one alarm
/// for all of them.
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
    /// Yields the state that panels show, after each change. There is one consumer. A slow consumer
    /// gets only the newest state.
    public nonisolated let panels: AsyncStream<PanelStatus>
    /// Notifies that the desktop's part of the daemon's status may have changed.
    public nonisolated let statusChange = ChangeNotice()
    /// Notifies that ``grants`` may have changed.
    public nonisolated let grantsChange = ChangeNotice()
    /// Notifies that ``userSettings`` may have changed.
    public nonisolated let settingsChange = ChangeNotice()

    var clock = DesktopClock() { didSet { usableApps.domains.clock = clock } }
    var inForce = SettingsInForce() { didSet { settingsChange.note() } }
    var presence: Presence { didSet { setAlarm() } }
    var usableApps: UsableApps { didSet { setAlarm() } }
    var known = KnownOffers()
    var nearRules = NearRules() { didSet { setAlarm() } }
    var openings = Openings()
    var openedPages = OpenedPages() { didSet { setAlarm() } }
    var welcome: WelcomeNotice
    var plan = NotificationPlan() { didSet { setAlarm() } }
    var withheldItems = WithheldItems()
    var panel: PanelFeed { didSet { statusChange.note() } }

    /// The task that ends when the newest settings are in force. Changes of the settings are
    /// carried out one after another.
    var settingsInForce: Task<Void, Never>?
    /// The number of changes so far that may affect what is advertised.
    var advertisingChanges = 0
    /// The attendance that the daemon was last informed of.
    var toldAttendance = Attendance.present
    /// The last task that asks a domain that is due, or nil before the first.
    private var asking: Task<Void, Never>?
    /// Whether ``run()`` has ended, so that no alarm is set any more.
    private var hasEnded = false
    /// The alarm at the earliest deadline of all parts, or nil if there is no deadline.
    private var alarm: (moment: Duration, task: Task<Void, Never>)?

    /// Creates the desktop side on a session bus.
    ///
    /// - Parameters:
    ///   - systemBus: The bus with logind, or nil for none.
    ///   - host: The daemon.
    ///   - session: The user's session.
    ///   - catalogue: The installed apps, or nil for those of the session.
    ///   - pages: The opener for web pages, or nil for the default browser.
    ///   - grants: The user's answers about sandboxed apps.
    ///   - adapters: The user's answers about adapters in the user's own directory.
    ///   - agreements: The domains' answers about apps.
    ///   - history: The record of activities that left this laptop.
    ///   - asker: The asker of domains. The default asks none.
    ///   - pauseMemory: The memory that may hold a pause from before this object existed.
    ///   - welcome: The notification that suggests adding another laptop. The default shows none.
    public init(
        bus: DBusConnection, systemBus: SystemBus?, host: any DesktopHost,
        settingsFile: SettingsFile = SettingsFile(), session: SessionEnvironment = SessionEnvironment(),
        catalogue: AppCatalogue? = nil, pages: WebPageOpener? = nil, grants: GrantStore,
        adapters: AdapterStore = AdapterStore(),
        agreements: AgreementStore = AgreementStore(), history: HistoryStore = HistoryStore(),
        asker: DomainAsker = DomainAsker(nil), pauseMemory: PauseMemory = PauseMemory(),
        welcome: WelcomeNotice = WelcomeNotice(directory: nil), logger: Logger
    ) {
        self.host = host
        launcher = AppLauncher(bus: bus, session: session)
        self.pages = pages ?? WebPageOpener(bus: bus, session: session)
        self.catalogue = catalogue ?? AppCatalogue(session: session)
        board = NotificationBoard(bus: bus, logger: logger)
        (self.settingsFile, self.history, self.asker, self.systemBus) = (settingsFile, history, asker, systemBus)
        self.welcome = welcome
        presence = Presence(memory: pauseMemory)
        usableApps = UsableApps(
            grants: GrantKeeper(store: grants), adapters: AdapterKeeper(store: adapters),
            domains: DomainKeeper(store: agreements))
        self.logger = logger
        let (panels, sink) = AsyncStream.makeStream(of: PanelStatus.self, bufferingPolicy: .bufferingNewest(1))
        self.panels = panels
        panel = PanelFeed(to: sink)
    }

    /// Follows apps, configuration, session and the user's clicks until the task is cancelled.
    public func run() async {
        await keepPause()
        usableApps.domains.begin(at: clock.uptime())
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
            presence.deadline, nearRules.deadline, plan.deadline, openedPages.deadline, usableApps.domains.deadline,
        ]
        let deadline = hasEnded ? nil : deadlines.compactMap(\.self).min()
        guard deadline != alarm?.moment else { return }
        alarm?.task.cancel()
        alarm = deadline.map { moment in
            let task = Task {
                guard (try? await clock.sleep(moment)) != nil, !Task.isCancelled else { return }
                // Clear the alarm, so that this task is not cancelled while it works.
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
        if let domain = usableApps.domains.timePassed(at: uptime, asks: settings.asksDomains) {
            asking = Task { await askInTime(domain) }
        }
        if presence.timePassed(at: uptime, clock.date()) { await pauseChanged() }
    }

    /// The findings about problems that degrade the service.
    public var findings: [Finding] {
        get async {
            let names = await deviceNames()
            var findings = inForce.findings(naming: names)
            // Use all claims, because an app that waits for permission is not a mistake in the
            // configuration.
            findings += choice.idleDefaults(in: usableApps.grants.claimed) + usableApps.adapters.idleSwitches
            if settings.notifies, let finding = await board.finding { findings.append(finding) }
            findings += Set(nearRules.unheard.compactMap { known[$0]?.deviceName }).sorted().map(NearRules.finding)
            findings += [usableApps.grants.finding, usableApps.adapters.finding].compactMap(\.self)
            return findings
        }
    }

    /// The sizes of the tables that other programs can fill, by name.
    public var counts: [String: Int] {
        [
            "openedPages": openedPages.all.count, "openings": openings.count,
            "pageFollowers": openedPages.followers.count, "withheld": withheldItems.count,
        ]
    }

    /// Registers a browser extension for pages that are opened from now on.
    ///
    /// - Parameter client: The extension's program. It stays registered until ``clientLeft(_:)``.
    /// - Returns: The recently opened pages that no extension has taken yet.
    public func followPages(_ client: ClientID) -> [OpenedPage] {
        let isFirst = !openedPages.hasBeenFollowed
        openedPages.follow(client)
        // From now on, notifications omit the hint that pages open at their top.
        if isFirst { refreshAll() }
        return openedPages.all
    }

    /// Returns a page's activity to the browser extension that shows the page, and forgets it.
    ///
    /// - Throws: ``BatonError`` with `notFound` if the page has expired or was taken already.
    public func takePage(_ page: String) throws -> ContinuedActivity {
        guard let activity = openedPages.remove(page) else {
            throw BatonError(.notFound, .pageUnknown)
        }
        return activity
    }

    /// Forgets a program that has left the bus.
    public func clientLeft(_ client: ClientID) {
        openedPages.leave(client)
        if withheldItems.leave(client) { tellPanel() }
    }
}
