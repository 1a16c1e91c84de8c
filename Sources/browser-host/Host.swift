// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonClient
import FoundationEssentials
import Wording

/// Carries out the extension's requests, and forwards the daemon's events to it.
actor Host {
    /// How long a page may take to report its reader's place. The daemon waits for 5 s.
    static let savingLimit = Duration.seconds(3)
    /// How long a page may take to open in a tab. The daemon waits for two minutes.
    static let openingLimit = Duration.seconds(60)
    /// The largest number of offers to continue, and of pages to take, at the same time.
    static let maximumContinuations = 4

    private let connection: DaemonConnection
    private let send: @Sendable (Message) -> Void
    private let end: @Sendable () async -> Void
    private let questions = Questions()
    private var activity: PageActivity
    private let watch: OfferWatch
    private var isGreeted = false
    /// Whether the page in front is offered while there is no ``hindrance``.
    private var isOffered = false
    /// The reason why no page is offered at all, or `nil` if pages can be offered.
    private var hindrance: String?
    /// The page of ``activity`` that was handed over to another laptop or came from one.
    private var moved: URL?
    private var continuing: Set<String> = []
    private var taking: Set<String> = []
    private var tasks: [Task<Void, Never>] = []
    private var following: Task<Void, Never>?

    /// Creates a host.
    ///
    /// - Parameters:
    ///   - connection: The connection to the daemon, which need not run.
    ///   - send: Sends a message to the extension without waiting.
    ///   - end: Ends the program, because the session bus is gone.
    init(
        connection: DaemonConnection, send: @escaping @Sendable (Message) -> Void,
        end: @escaping @Sendable () async -> Void
    ) {
        self.connection = connection
        self.send = send
        self.end = end
        watch = OfferWatch(bus: connection.bus, send: send)
        activity = Self.activity(on: connection, asking: questions, send)
    }

    private static func activity(
        on connection: DaemonConnection, asking questions: Questions, _ send: @escaping @Sendable (Message) -> Void
    ) -> PageActivity {
        PageActivity(on: connection) { url in
            let answer = await questions.ask(within: savingLimit) { send(.save($0)) }
            guard case .saved(_, let address, let place, let referrer)? = answer else { return nil }
            // Drop the answer if it comes from another page, to which the user has gone in the
            // meantime.
            guard (try? WebAddress(address))?.url == url else { return nil }
            return PageActivity.Reading(place: place, referrer: referrer.flatMap { try? WebAddress($0) }?.url)
        }
    }

    /// Handles the messages until they end.
    func serve(_ messages: AsyncStream<FrameReader.Frame>) async {
        for await message in messages {
            switch message {
            case .message(let bytes): receive(bytes)
            case .tooLong: passOver()
            case .garbage:
                return send(.error(tr("The browser has sent bytes that are not a message. Reload Baton's extension.")))
            }
        }
        for task in tasks { task.cancel() }
        following?.cancel()
    }

    /// Handles a message that is too long. The message may have announced a page, so the previous
    /// page is no longer offered.
    private func passOver() {
        send(.error(Request.Fault.tooLong.rawValue))
        if isGreeted { hide(because: nil) }
    }

    private func receive(_ bytes: [UInt8]) {
        do throws(Request.Fault) {
            carryOut(try Request(bytes))
        } catch {
            send(.error(error.rawValue))
        }
    }

    private func carryOut(_ request: Request) {
        if case .hello(let version) = request { return greet(version) }
        guard isGreeted else { return send(.error("say hello first")) }
        switch request {
        case .hello: break
        case .page(let url, let title): show(url, title)
        case .away: hide(because: nil)
        case .saved(let id, _, _, _), .opened(let id, _): questions.answer(id, request)
        case .proceed(let offer): proceed(offer)
        case .take(let page): take(page)
        }
    }

    private func greet(_ version: Int) {
        guard version == Message.version else {
            return send(.error(tr("Baton's extension is of another version. Restart the browser.")))
        }
        send(.hello)
        guard !isGreeted else { return }
        isGreeted = true
        tasks = [
            Task { [watch, end] in
                await watch.run()
                if !Task.isCancelled { await end() }
            },
            Task { for await hindrance in watch.hindrances { hindered(by: hindrance) } },
        ]
        followActivity()
    }

    private func followActivity() {
        following = Task { [activity, events = connection.events(of: activity.identity)] in
            for await event in events { follow(event, of: activity) }
        }
    }

    private func follow(_ event: PublicationEvent, of activity: PageActivity) {
        if case .continued(_, let deviceName) = event { send(.taken(activity.handedOver, by: deviceName)) }
        // Ignore late events of a previous activity, which do not concern the page in front.
        guard activity === self.activity else { return }
        switch event {
        case .becameCurrent:
            tellPage(isOffered: true)
            activity.wantToBeAsked()
        case .saved: activity.wantToBeAsked()
        case .currentChanged(let isCurrent):
            tellPage(isOffered: isCurrent, because: isCurrent ? nil : .otherActivity)
        case .notContinued: break
        case .continued:
            moved = activity.handedOver
            // If the user has already gone to the next page, give it an activity of its own.
            if let page = activity.shown { show(page) }
        case .refused(let error), .detached(let error), .failed(let error):
            tellPage(isOffered: false, because: Message.Obstacle(error))
        case .resignedCurrent, .warning, .invalidated: break
        }
    }
}

/// Offering the page that the user looks at.
extension Host {
    private func show(_ url: String, _ title: String?) {
        do throws(WebAddress.Refusal) {
            show(Page(try WebAddress(url), title: title))
            tellPage(isOffered: true)
        } catch {
            hide(because: Message.Obstacle(error))
        }
    }

    private func show(_ page: Page) {
        if let moved, moved != page.url { beginAnother() }
        activity.show(page)
    }

    /// Starts a new activity after a page was handed over. Other laptops show the new activity,
    /// because it is not the one that they have handled.
    private func beginAnother() {
        connection.activityEnded(activity.identity)
        activity = Self.activity(on: connection, asking: questions, send)
        moved = nil
        followActivity()
    }

    private func hide(because obstacle: Message.Obstacle?) {
        activity.hide()
        tellPage(isOffered: false, because: obstacle)
    }

    /// Tells the extension whether the page in front is offered.
    ///
    /// During a pause the daemon keeps the page but does not offer it. The extension then gets the
    /// reason.
    private func tellPage(isOffered: Bool, because obstacle: Message.Obstacle? = nil) {
        self.isOffered = isOffered
        let pause = hindrance.map { Message.Obstacle(reason: $0) }
        let isHindered = isOffered && pause != nil
        send(.page(isOffered: isOffered && !isHindered, because: isHindered ? pause : obstacle))
    }

    /// Handles a new reason why no page is offered, or `nil` if pages can be offered again.
    private func hindered(by reason: String?) {
        hindrance = reason
        if isOffered { tellPage(isOffered: true) }
    }
}

/// Pages that the browser opened by address only.
extension Host {
    /// Sends the extension the place in a page that a tab shows. Sends no message if another
    /// browser took the page or if too much time has passed. The tab then shows the beginning of
    /// the page.
    private func take(_ page: String) {
        guard taking.count < Self.maximumContinuations, taking.insert(page).inserted else { return }
        Task {
            if let taken = try? await connection.bus.takePage(page) {
                send(.place(page, PagePlace(userInfo: taken.activity.userInfo)))
                moved = taken.activity.webpageURL.flatMap { try? WebAddress($0.absoluteString) }?.url
            }
            taking.remove(page)
        }
    }
}

/// Continuing offers.
extension Host {
    private func proceed(_ offer: String) {
        guard continuing.count < Self.maximumContinuations, continuing.insert(offer).inserted else {
            return send(.failed(offer, because: .underWay))
        }
        Task {
            do {
                try await watch.isOfApp(offer) ? open(offer) : carryOn(offer)
                send(.continued(offer))
            } catch {
                send(.failed(offer, because: Message.Obstacle(error)))
            }
            continuing.remove(offer)
        }
    }

    /// Makes the daemon open an offer in an app or the default browser, as a click on the offer's
    /// notification does. This program does not get the activity.
    private func open(_ offer: String) async throws {
        _ = try await connection.bus.openOffer(offer)
    }

    /// Fetches an offered page and opens it in a tab. Accepts the activity only when the page is
    /// open.
    private func carryOn(_ offer: String) async throws {
        let fetched = try await connection.continueOffer(offer)
        let page: Page
        do {
            guard fetched.state.activityType == PageActivity.type, let url = fetched.state.webpageURL else {
                throw WebAddress.Refusal.notWeb
            }
            page = Page(try WebAddress(arriving: url.absoluteString), title: fetched.state.title)
            let place = PagePlace(userInfo: fetched.state.userInfo)
            let answer = await questions.ask(within: Self.openingLimit) { [send] in
                send(.open($0, page, place: place))
            }
            guard case .opened(_, true)? = answer else { throw Message.PageNotOpened() }
        } catch {
            try? await fetched.decline()
            throw error
        }
        try await fetched.accept()
        moved = page.url
    }
}
