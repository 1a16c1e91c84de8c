// SPDX-License-Identifier: Apache-2.0

public import BatonBus
package import BatonClient
public import Foundation
public import UserActivity

/// A program's connection to the daemon: it carries the program's activities, and brings those of
/// other devices.
///
/// Give it to ``UserActivity`` as host, or set it as `UserActivity.defaultHost`. Everything that an
/// activity does, and all that the daemon says about it, is carried out one after the other in the
/// order in which it happened; activities do not wait for each other. When the daemon ends and
/// comes back, all that was published is published again; when the bus ends, it fails.
public final class BatonConnection: UserActivityHost, Sendable {
    /// Where the delegates of activities are called.
    public let callbackDelivery: CallbackDelivery
    /// The app's id, the name of its desktop entry; nil: the daemon finds it out, which it can for
    /// Flatpaks, snaps and what the desktop has started.
    public let application: String?
    package let daemon: DaemonConnection
    let storeWarnings: StoreWarnings

    private init(_ daemon: DaemonConnection, callbackDelivery: CallbackDelivery, application: String?) {
        self.daemon = daemon
        self.callbackDelivery = callbackDelivery
        self.application = application
        storeWarnings = StoreWarnings(warn: daemon.warn)
    }

    /// Connects to the daemon; it need not be running yet.
    ///
    /// - Parameters:
    ///   - address: The message bus's address; nil for the session bus.
    ///   - delivery: Where the delegates of activities are called.
    ///   - reattaches: Whether activities outlive the daemon, and are published again when it comes
    ///     back; otherwise they fail.
    ///   - team: Whose apps may continue this one's activities, as `X-Baton-Team` says it.
    ///   - application: The app's id, for a program that the daemon cannot know by itself; what is
    ///     kept for searches is kept under it.
    ///   - folders: The configuration of ``sharedFolders``; a line with a mistake does not count,
    ///     and is warned about.
    ///   - warn: Told, one line each, what the app's developer should know; by default it goes
    ///     where `NSLog` writes. Who follows the events of an activity is told there why the daemon
    ///     refuses it, and not here.
    /// - Returns: The connection, which ``close()`` ends.
    /// - Throws: ``BatonError`` with `busUnavailable` when there is no such bus.
    public static func open(
        address: String? = nil, delivery: CallbackDelivery = .immediate, reattaches: Bool = true,
        team: String? = nil, application: String? = nil, folders: URL = SharedFolders.configurationFile,
        warn: (@Sendable (String) -> Void)? = nil
    ) async throws -> BatonConnection {
        let warn = warn ?? { NSLog("%@", "Baton: \($0)") }
        var options = DaemonConnection.Options()
        options.reattaches = reattaches
        options.publishing.team = team
        options.folders = .configured(in: folders, warn: warn)
        let daemon = try await DaemonConnection.open(address: address, options: options, warn: warn)
        return BatonConnection(daemon, callbackDelivery: delivery, application: application)
    }

    /// Ends the connection: the daemon forgets the program's activities, and all event streams
    /// finish.
    public func close() async { await daemon.close() }

    /// The daemon's session-bus interface, for what is not about activities.
    public var bus: BatonBusClient { daemon.bus }
    /// Whether activities outlive the daemon. None outlives the bus.
    public var reattaches: Bool { daemon.options.reattaches }
    /// Whose apps may continue this one's activities; nil: the daemon decides by the program.
    public var team: String? { daemon.options.publishing.team }
    /// The folders that other devices have too: a document's file in one travels as its place
    /// there.
    public var sharedFolders: SharedFolders { daemon.options.folders }

    /// What happens to an activity from now on. Ask before it becomes current to see all of it.
    public func events(of activity: UserActivity) -> AsyncStream<PublicationEvent> {
        daemon.events(of: activity.identity)
    }

    /// Waits until the daemon has been told all that activities have asked for so far, or cannot be
    /// told.
    ///
    /// For a program that ends next, or that lets another device know that it has something:
    /// nothing else waits for the daemon.
    public func settle() async { await daemon.settle() }
}

/// What activities ask for.
extension BatonConnection {
    /// Publishes the activity, unless it is already, and makes it current.
    public func activityBecameCurrent(_ activity: UserActivity) { daemon.activityBecameCurrent(activity) }
    /// Tells the daemon to offer the activity no more.
    public func activityResignedCurrent(_ activity: UserActivity) { daemon.activityResignedCurrent() }
    /// Tells the daemon of the change, and of all others until then.
    public func activityChanged(_ activity: UserActivity) { daemon.activityChanged(activity) }
    /// Ends the activity at the daemon.
    public func activityInvalidated(_ activity: UserActivity) { daemon.activityEnded(activity.identity) }
    /// Ends at the daemon what the app has let go.
    public func activityReleased(_ identity: UserActivity.Identity) { daemon.activityEnded(identity) }
    /// Passes the warning to whom the connection was opened with.
    public func activityWarning(_ text: String) { daemon.warn(text) }
}

/// Streams, and what other devices offer.
extension BatonConnection {
    /// Waits until a pair of streams has ended, and says whether all has arrived, which end of file
    /// does not. Use nothing before.
    ///
    /// It ends when both sides have ended what they send and read what they were sent, or when it
    /// is cut: read to the end of file first.
    ///
    /// - Parameter streams: Streams that a delegate or ``Continuation/openStreams()`` got.
    /// - Throws: ``BatonError`` when they broke: what was read is then not all that was sent, or
    ///   the other way round.
    public func waitForEnd(of streams: ContinuationStreams) async throws {
        try await daemon.waitForEnd(of: streams.identifier)
    }

    /// Gives a pair of streams up: the other device learns that what was sent is not whole, which
    /// closing the descriptor may not tell it.
    ///
    /// - Parameter streams: Streams that a delegate or ``Continuation/openStreams()`` got. Nothing
    ///   happens when they have ended.
    public func giveUp(_ streams: ContinuationStreams) async { await daemon.giveUp(streams.identifier) }

    /// The offers of other devices: those there are now, each as `appeared`, then every change. Of
    /// an offer that changes several times before the next event is asked for, there is one event,
    /// for what it has come to.
    ///
    /// - Returns: The events; they finish when the bus goes, with an error when the daemon does.
    /// - Throws: ``BatonError`` when the daemon does not run.
    public func watchOffers() async throws -> AsyncThrowingStream<OfferEvent, any Error> {
        try await bus.watchOffers()
    }

    /// Waits until the offers satisfy a condition.
    ///
    /// - Parameters:
    ///   - timeout: How long at most; zero looks at what is there now.
    ///   - select: What is wanted of all present offers, sorted by id; nil to wait on.
    /// - Returns: What `select` found; nil when the time was over.
    /// - Throws: ``BatonError``, or what `select` throws.
    public func waitForOffer<Found: Sendable>(
        timeout: Duration, select: @escaping @Sendable ([OfferSummary]) throws -> Found?
    ) async throws -> Found? {
        try await bus.waitForOffer(timeout: timeout, select: select)
    }

    /// Fetches an activity that another device offers.
    ///
    /// - Parameters:
    ///   - offer: The offer's id.
    ///   - timeout: How long it may take; nil leaves it to the daemon.
    /// - Returns: The activity, to be accepted or declined.
    /// - Throws: ``BatonError``, or ``UserActivityError`` for contents that no activity may
    ///   have.
    public func continueOffer(_ offer: String, timeout: Duration? = nil) async throws -> Continuation {
        Continuation(try await daemon.continueOffer(offer, timeout: timeout), connection: self)
    }
}

extension UserActivity: PublishedActivity {
    package var isOfferedNow: Bool { isCurrent && isEligibleForHandoff }

    package func receive(_ streams: ContinuationStreams, by connection: DaemonConnection) async -> Bool {
        await receive(streams) { ContinuationPair(adopting: $0, of: connection) }
    }
}
