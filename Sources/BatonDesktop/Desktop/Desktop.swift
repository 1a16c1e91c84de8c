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
/// ``DesktopCore`` makes the decisions. This actor gathers the core's input, carries out the
/// actions that the core returns, and calls the core at its deadline.
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
    private let panelSink: AsyncStream<PanelStatus>.Continuation
    /// Notifies that the desktop's part of the daemon's status may have changed.
    public nonisolated let statusChange = ChangeNotice()
    /// Notifies that ``grants`` may have changed.
    public nonisolated let grantsChange = ChangeNotice()
    /// Notifies that ``userSettings`` may have changed.
    public nonisolated let settingsChange = ChangeNotice()

    var clock = DesktopClock() { didSet { core.apps.domains.clock = clock } }
    var core: DesktopCore {
        didSet {
            setAlarm()
            statusChange.note()
        }
    }

    /// The task that ends when the newest settings are in force. Changes of the settings are
    /// carried out one after another.
    var settingsInForce: Task<Void, Never>?
    /// The number of changes so far that may affect what is advertised.
    var advertisingChanges = 0
    /// The last task that asks a domain that is due, or nil before the first.
    private var asking: Task<Void, Never>?
    /// Whether ``run()`` has ended, so that no alarm is set any more.
    private var hasEnded = false
    /// The alarm at the core's deadline, or nil if there is no deadline.
    private var alarm: (moment: Duration, task: Task<Void, Never>)?

    /// Creates the desktop side on a session bus.
    ///
    /// - Parameters:
    ///   - systemBus: The bus with logind, or nil for none.
    ///   - host: The daemon.
    ///   - session: The user's session.
    ///   - catalogue: The installed apps, or nil for the apps that the session finds.
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
        core = DesktopCore(
            presence: Presence(memory: pauseMemory),
            apps: UsableApps(
                grants: GrantKeeper(store: grants), adapters: AdapterKeeper(store: adapters),
                domains: DomainKeeper(store: agreements)),
            welcome: welcome)
        self.logger = logger
        (panels, panelSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Follows apps, configuration, session and the user's clicks until the task is cancelled.
    public func run() async {
        await keepPause()
        core.apps.domains.begin(at: clock.uptime())
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
        core.openings.cancelAll()
        hasEnded = true
        setAlarm()
        asking?.cancel()
        await asking?.value
    }

    private func setAlarm() {
        let deadline = hasEnded ? nil : core.deadline
        guard deadline != alarm?.moment else { return }
        alarm?.task.cancel()
        alarm = deadline.map { moment in
            let task = Task {
                guard (try? await clock.sleep(moment)) != nil, !Task.isCancelled else { return }
                alarm = nil
                carryOut(core.timePassed(at: clock.uptime(), clock.date()))
            }
            return (moment, task)
        }
    }

    /// Carries out actions in their order. Actions that wait run in tasks of their own.
    func carryOut(_ actions: [DesktopCore.Action]) {
        for action in actions {
            switch action {
            case .notify(.show(let notification, let key, let replaced)):
                board.show(notification, key: key.text, replacing: replaced?.text)
            case .notify(.remove(let key)): board.remove(key: key.text)
            case .tellPanels(let status): panelSink.yield(status)
            case .continueByRule(let offer, let signal): Task { await continueByRule(offer, near: signal) }
            case .ask(let domain): asking = Task { await askInTime(domain) }
            case .readSettings: Task { await readSettings() }
            case .endPause: Task { await pauseChanged() }
            }
        }
    }

    /// Updates everything that the user sees.
    func refreshAll() { carryOut(core.refreshAll(at: clock.uptime())) }

    /// The findings about problems that degrade the service.
    public var findings: [Finding] {
        get async {
            let names = await deviceNames()
            let screen = settings.notifies ? await board.finding : nil
            return core.findings(naming: names, screen: screen)
        }
    }

    /// The sizes of the tables that other programs can fill, by name.
    public var counts: [String: Int] {
        [
            "openedPages": core.openedPages.all.count, "openings": core.openings.count,
            "pageFollowers": core.openedPages.followers.count, "withheld": core.withheldItems.count,
        ]
    }

    /// Registers a browser extension for pages that are opened from now on.
    ///
    /// - Parameter client: The extension's program. It stays registered until ``clientLeft(_:)``.
    /// - Returns: The recently opened pages that no extension has taken yet.
    public func followPages(_ client: ClientID) -> [OpenedPage] {
        let isFirst = !core.openedPages.hasBeenFollowed
        core.openedPages.follow(client)
        // From now on, notifications omit the hint that pages open at their top.
        if isFirst { refreshAll() }
        return core.openedPages.all
    }

    /// Returns a page's activity to the browser extension that shows the page, and forgets it.
    ///
    /// - Throws: ``BatonError`` with `notFound` if the page has expired or was taken already.
    public func takePage(_ page: String) throws -> ContinuedActivity {
        guard let activity = core.openedPages.remove(page) else {
            throw BatonError(.notFound, .pageUnknown)
        }
        return activity
    }

    /// Forgets a program that has left the bus.
    public func clientLeft(_ client: ClientID) {
        core.openedPages.leave(client)
        if core.withheldItems.leave(client) { carryOut(core.tellPanels()) }
    }
}
