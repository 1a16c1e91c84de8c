// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonClient
import FoundationEssentials

/// What the extension asks for is done here, and what the daemon says is passed on.
actor Host {
    /// How long the page has to say where its reader is, so that the daemon's 5 seconds are enough.
    static let savingLimit = Duration.seconds(3)
    /// How long a page may take until its tab is there; the daemon waits for two minutes.
    static let openingLimit = Duration.seconds(60)
    /// How many offers are continued at a time, and how many pages taken.
    static let maximumContinuations = 4

    private let connection: DaemonConnection
    private let send: @Sendable (Message) -> Void
    private let end: @Sendable () async -> Void
    private let questions = Questions()
    private var activity: PageActivity
    private let watch: OfferWatch
    private var isGreeted = false
    /// Whether the page in front is offered, unless something hinders all of them.
    private var isOffered = false
    /// Why nothing is offered, whatever the user looks at.
    private var hindrance: String?
    /// The page of ``activity`` that another laptop has taken, or that has come from one.
    private var moved: URL?
    private var continuing: Set<String> = []
    private var taking: Set<String> = []
    private var tasks: [Task<Void, Never>] = []
    private var following: Task<Void, Never>?

    /// - Parameters:
    ///   - connection: The daemon, which need not be there.
    ///   - send: Tells the extension something; waits for nothing.
    ///   - end: Ends the program, for there is no session bus any more.
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
            // The user may have gone on meanwhile.
            guard (try? WebAddress(address))?.url == url else { return nil }
            return PageActivity.Reading(place: place, referrer: referrer.flatMap { try? WebAddress($0) }?.url)
        }
    }

    /// Does what the messages say, to their end.
    func serve(_ messages: AsyncStream<FrameReader.Frame>) async {
        for await message in messages {
            switch message {
            case .message(let bytes): receive(bytes)
            case .tooLong: passOver()
            case .garbage: return send(.error("this is not what a browser sends; reload the extension"))
            }
        }
        for task in tasks { task.cancel() }
        following?.cancel()
    }

    /// A message that is too long may have been a page: the one before is not what the user looks
    /// at any more.
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
            return send(.error("the extension is of another version; restart the browser"))
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
        // What is still told of one that another has followed is not about the page in front.
        guard activity === self.activity else { return }
        switch event {
        case .becameCurrent:
            tellPage(isOffered: true)
            activity.wantToBeAsked()
        case .saved: activity.wantToBeAsked()
        case .currentChanged(let isCurrent):
            tellPage(isOffered: isCurrent, because: isCurrent ? nil : "another program's activity is offered")
        case .notContinued: break
        case .continued:
            moved = activity.handedOver
            // Its reader may have been faster than the other laptop's word.
            if let page = activity.shown { show(page) }
        case .refused(let error), .detached(let error), .failed(let error):
            tellPage(isOffered: false, because: error.message)
        case .resignedCurrent, .warning, .invalidated: break
        }
    }
}

/// What the user looks at.
extension Host {
    private func show(_ url: String, _ title: String?) {
        do throws(WebAddress.Refusal) {
            show(Page(try WebAddress(url), title: title))
            tellPage(isOffered: true)
        } catch {
            hide(because: error.reason)
        }
    }

    private func show(_ page: Page) {
        if let moved, moved != page.url { beginAnother() }
        activity.show(page)
    }

    /// Other laptops are done with the page that has moved: what follows is offered as something
    /// new, so that it is shown there.
    private func beginAnother() {
        connection.activityEnded(activity.identity)
        activity = Self.activity(on: connection, asking: questions, send)
        moved = nil
        followActivity()
    }

    private func hide(because reason: String?) {
        activity.hide()
        tellPage(isOffered: false, because: reason)
    }

    /// Tells whether the page in front is offered. The daemon keeps a page that nobody is told of,
    /// as during a pause: then the reason for that is told.
    private func tellPage(isOffered: Bool, because reason: String? = nil) {
        self.isOffered = isOffered
        let isHindered = isOffered && hindrance != nil
        send(.page(isOffered: isOffered && !isHindered, reason: isHindered ? hindrance : reason))
    }

    /// Nothing is offered from now on, for a reason; or what the user looks at is.
    private func hindered(by reason: String?) {
        hindrance = reason
        if isOffered { tellPage(isOffered: true) }
    }
}

/// What the browser was given by its address alone.
extension Host {
    /// Tells the place in a page that a tab shows. One that another browser has taken, or that
    /// waited for too long, stays at its beginning.
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

/// What the user carries on with.
extension Host {
    private func proceed(_ offer: String) {
        guard continuing.count < Self.maximumContinuations, continuing.insert(offer).inserted else {
            return send(.failed(offer, reason: "this is under way already; wait for it"))
        }
        Task {
            do {
                try await watch.isOfApp(offer) ? open(offer) : carryOn(offer)
                send(.continued(offer))
            } catch {
                send(.failed(offer, reason: (error as? WebAddress.Refusal)?.reason ?? "\(error)"))
            }
            continuing.remove(offer)
        }
    }

    /// Has the daemon do what a click in the notification does: an app goes on, or the default
    /// browser shows its page. Nothing of the activity comes here.
    private func open(_ offer: String) async throws {
        _ = try await connection.bus.openOffer(offer)
    }

    /// Fetches a page's offer and has its page opened; the other laptop is told only when it is
    /// there.
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
            guard case .opened(_, true)? = answer else {
                throw BatonError(.applicationFailed, "the page did not open; try again")
            }
        } catch {
            try? await fetched.decline()
            throw error
        }
        try await fetched.accept()
        moved = page.url
    }
}
