// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// `org.batonproject.Baton1.Offers`: the offers of other devices, and their continuation.
package enum OffersInterface: BusInterface {
    static let name = BatonBusName.offers
    package static let list: BusCall<Void, [OfferSummary]> = BusCall(name, "List", returns: .list("offers"))
    /// Says that a person looks for offers now.
    package static let look = BusCall(name, "Look", needs: .managing)
    /// Fetches an offered activity. If the client gives no time limit, the daemon chooses one.
    package static let `continue` = BusCall(
        name, "Continue", takes: .both(.string("offer"), timeout), returns: continued, timeout: .seconds(130))
    /// Hands an offer to an app or the browser, and starts the program if necessary. Answers when
    /// the app has taken the activity over, or the browser has been asked to open the page.
    package static let open: BusCall<(String, OpenOptions), OpenedOffer> = BusCall(
        name, "Open", takes: .both(.string("offer"), .dictionary("options")), returns: .dictionary("opened"),
        needs: .managing)
    package static let accept = BusCall(name, "Accept", takes: .both(.string("continuation"), .bool("accepted")))
    package static let openStreams = BusCall(
        name, "OpenStreams", takes: .string("continuation"), returns: streams, timeout: .seconds(130))
    /// Cancels a continuation, a pair of streams, or a running `Continue` or `Open` of an offer.
    package static let cancel = BusCall(name, "Cancel", takes: .string("continuation"))
    /// Answers with the opened pages that no client has taken yet. Sends the client each new page
    /// until the client leaves.
    package static let followPages = BusCall(name, "FollowPages", returns: pages, needs: .managing)
    package static let takePage = BusCall(name, "TakePage", takes: .string("page"), returns: page, needs: .managing)

    static let methods: [any BusMethod] = [
        list, look, `continue`, open, accept, openStreams, cancel, followPages, takePage,
    ]
    static let signals = [
        signal("Appeared", ["offer": "a{sv}"]),
        signal("Changed", ["offer": "a{sv}"]),
        signal("Disappeared", ["offer": "s"]),
        signal("Progress", ["offer": "s", "phase": "s", "details": "a{sv}"]),
        signal("PageOpened", ["page": "s", "address": "s"]),
    ]

    /// The options of `Continue`. The only option is `timeout`.
    private static let timeout: BusArguments<Duration?> = BusArguments.values("options").map(
        { options in
            var timeout: Duration?
            for (name, value) in options {
                guard name == "timeout" else { throw BatonError.unknownOption(name, known: "timeout") }
                timeout = try seconds(value)
            }
            return timeout
        }, { $0.map { ["timeout": .double($0 / .seconds(1))] } ?? [:] })

    /// Reads the option `timeout`, in seconds, from 0 to an hour.
    fileprivate static func seconds(_ value: DBusValue) throws -> Duration {
        let seconds = value.doubleValue ?? value.integer(as: Int32.self).map(Double.init)
        guard let seconds, (0...3_600).contains(seconds) else {
            throw BatonError.invalid("timeout", .number(0...3_600))
        }
        return .seconds(seconds)
    }

    static let continued = BusArguments<(String, [String: DBusValue])>
        .both(.text("continuation"), .values("activity")).map(
            { try ContinuedActivity(continuation: $0, bus: .properties($1)) },
            { (activity: ContinuedActivity) in (activity.continuation, try activity.bus()) })

    private static let page = BusArguments.values("activity").map(
        { try ContinuedActivity(continuation: "", bus: .properties($0)) }, { try $0.bus() })

    private static let streams = BusArguments.three(
        .text("stream"), .text("transport"), .descriptor("descriptor")
    ).map(
        { OpenedStreams(stream: $0, transport: $1, descriptor: $2) }, { ($0.stream, $0.transport, $0.descriptor) })

    private static let pages = BusArguments.values("pages").map(
        { pages in
            pages.sorted { $0.key < $1.key }.compactMap { page, address in
                address.stringValue.map { OpenedPage(page: page, address: $0) }
            }
        }, { pages in Dictionary(pages.map { ($0.page, plain($0.address)) }) { $1 } })
}

/// The offers of other devices.
extension BatonBusClient {
    /// Returns the present offers of other devices.
    public func offers() async throws -> [OfferSummary] { try await call(OffersInterface.list) }

    /// Looks for offers because a person asks for them: the radio listens more for a while, and a
    /// datagram goes out. Call this before ``offers()``, and only if a person sees the result.
    ///
    /// A daemon of an earlier version looks whenever the offers are listed. If the daemon hangs,
    /// this returns after 5 s, so that ``offers()`` soon reports that.
    public func lookForOffers() async { try? await call(OffersInterface.look, (), timeout: .seconds(5)) }

    /// Fetches an offered activity. If the task is cancelled, the daemon cancels the continuation
    /// too.
    ///
    /// - Parameters:
    ///   - offer: The offer's id.
    ///   - timeout: How long the daemon may try, at most an hour, or `nil` to let the daemon
    ///     choose.
    public func continueOffer(_ offer: String, timeout: Duration? = nil) async throws -> ContinuedActivity {
        try await cancelling(offer) {
            // Wait longer than the daemon's own limit, because the daemon's error says more.
            let limit = (timeout ?? .seconds(120)) + .seconds(10)
            return try await call(OffersInterface.continue, (offer, timeout), timeout: limit)
        }
    }

    /// Hands an offered activity to an app or the browser, and starts the program if necessary.
    /// Returns when the app has taken the activity over, or the browser has been asked to open the
    /// page. If the task is cancelled, the daemon cancels the hand-over too.
    public func openOffer(_ offer: String, options: OpenOptions = OpenOptions()) async throws -> OpenedOffer {
        try await cancelling(offer) {
            // Wait longer than the daemon's own limits, because the daemon's error says more.
            let limit = (options.timeout ?? .seconds(120)) + ApplicationTimeLimits().all + .seconds(10)
            return try await call(OffersInterface.open, (offer, options), timeout: limit)
        }
    }

    /// Runs `body`, and cancels the offer in the daemon if the task is cancelled.
    private func cancelling<Answer>(_ offer: String, _ body: () async throws -> Answer) async throws -> Answer {
        do {
            return try await body()
        } catch let error as CancellationError {
            // Use a separate task, because the present task is cancelled.
            Task { try? await self.cancel(offer) }
            throw error
        }
    }

    /// Reports to the other device whether this app took the activity over.
    public func accept(continuation: String, accepted: Bool) async throws {
        try await call(OffersInterface.accept, (continuation, accepted))
    }

    /// Opens a pair of streams to the app that published a continued activity.
    public func openStreams(continuation: String) async throws -> OpenedStreams {
        try await call(OffersInterface.openStreams, continuation)
    }

    /// Cancels a continuation, a pair of streams, or a running `continueOffer` or `openOffer`.
    ///
    /// - Parameter name: The id of the continuation, the streams or the offer.
    public func cancel(_ name: String) async throws { try await call(OffersInterface.cancel, name) }
}

/// The pages of other devices that the default browser is opening, for the browser's extension.
extension BatonBusClient {
    /// Returns the recently opened pages that no client has taken, then each new page. The stream
    /// finishes when the bus disconnects.
    ///
    /// Call this again when ``daemonPresence()`` reports that the daemon was restarted.
    public func openedPages() async throws -> AsyncStream<OpenedPage> {
        let changes = try await events(of: BatonBusName.offers, member: "PageOpened") { OpenedPage($0) }
        return Self.following(try await call(OffersInterface.followPages), changes, keeping: 16) { $0 }
    }

    /// Takes a page's activity. Later calls for the same page throw ``BatonError/Code/notFound``.
    ///
    /// - Parameter page: The page's id.
    public func takePage(_ page: String) async throws -> ContinuedActivity {
        try await call(OffersInterface.takePage, page)
    }
}

extension OpenOptions: BusDictionary {
    var bus: [String: DBusValue] {
        var values: [String: DBusValue] = [:]
        values["application"] = application.map(DBusValue.string)
        values["activation-token"] = activationToken.map(DBusValue.string)
        values["timeout"] = timeout.map { .double($0 / .seconds(1)) }
        return values
    }

    init(bus value: DBusValue?) throws {
        self.init()
        for (name, value) in try Properties(value).values {
            switch name {
            case "application":
                let identifier = try value.stringValue.orInvalid(name, .string)
                guard ApplicationID.isValid(identifier) else { throw ApplicationID.invalid }
                application = identifier
            case "activation-token": activationToken = try value.stringValue.orInvalid(name, .string)
            case "timeout": timeout = try OffersInterface.seconds(value)
            default: throw BatonError.unknownOption(name, known: "application", "activation-token", "timeout")
            }
        }
    }
}
