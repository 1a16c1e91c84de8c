// SPDX-License-Identifier: Apache-2.0

public import BatonBus
package import BatonClient
public import Foundation
public import UserActivity

/// A program's connection to the daemon. It carries activities to and from other devices.
///
/// Give the connection to ``UserActivity`` as host, or set it as `UserActivity.defaultHost`. The
/// connection makes one call at a time for each activity. Each call sends all changes since the
/// last call. Activities do not wait for each other. When the daemon restarts, the connection
/// publishes the current activity again. When the bus ends, the connection fails.
public final class BatonConnection: UserActivityHost, Sendable {
    /// Where the delegates of activities are called, such as on a dispatch queue.
    public let callbackDelivery: CallbackDelivery
    /// The app's id, which is the name of its desktop entry.
    ///
    /// If it is nil, the daemon identifies the app, which works for Flatpaks, snaps and apps that
    /// the desktop started.
    public let application: String?
    package let daemon: DaemonConnection
    let storeWarnings: StoreWarnings

    private init(_ daemon: DaemonConnection, callbackDelivery: CallbackDelivery, application: String?) {
        self.daemon = daemon
        self.callbackDelivery = callbackDelivery
        self.application = application
        storeWarnings = StoreWarnings(warn: daemon.warn)
    }

    /// Connects to the daemon, which need not be running yet.
    ///
    /// - Parameters:
    ///   - address: The address of the message bus, or nil for the session bus.
    ///   - delivery: Where the delegates of activities are called, such as on a dispatch queue.
    ///   - reattaches: Whether activities outlive the daemon and are published again when it
    ///     restarts. If it is false, they fail when the daemon ends.
    ///   - team: The team whose apps may continue this app's activities, as in `X-Baton-Team`.
    ///   - application: The app's id, for a program that the daemon cannot identify by itself.
    ///     Activities saved for searches are stored under it.
    ///   - folders: The configuration file of ``sharedFolders``. A line with a mistake is ignored,
    ///     with a warning.
    ///   - warn: Called with one line for each warning to the app's developer. By default warnings
    ///     go to `NSLog`. A program that follows an activity's events learns from an event why the
    ///     daemon rejects the activity, and gets no warning about that.
    /// - Returns: The connection. Call ``close()`` to end it.
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

    /// Ends the connection.
    ///
    /// The daemon forgets the program's activities, and all event streams finish.
    public func close() async { await daemon.close() }

    /// The client of the daemon's session-bus interface, for everything except activities.
    public var bus: BatonBusClient { daemon.bus }
    /// Whether activities outlive the daemon. No activity outlives the bus.
    public var reattaches: Bool { daemon.options.reattaches }
    /// The team whose apps may continue this app's activities.
    ///
    /// If it is nil, the daemon takes the team of the identified program.
    public var team: String? { daemon.options.publishing.team }
    /// The folders that other devices have too.
    ///
    /// An activity about a file in one of them names the file's place in that folder.
    public var sharedFolders: SharedFolders { daemon.options.folders }

    /// Returns the events of an activity from now on.
    ///
    /// To get all events, call this before the activity becomes current.
    public func events(of activity: UserActivity) -> AsyncStream<PublicationEvent> {
        daemon.events(of: activity.identity)
    }

    /// Waits until the daemon has received all requests of activities so far, or cannot be reached.
    ///
    /// Call this function before the program ends, or before the program tells another device about
    /// an activity. Functions that change an activity do not wait for the daemon.
    public func settle() async { await daemon.settle() }
}

/// Requests from activities to the daemon.
extension BatonConnection {
    /// Publishes the activity if necessary, and makes it current.
    public func activityBecameCurrent(_ activity: UserActivity) { daemon.activityBecameCurrent(activity) }
    /// Makes the daemon stop offering the activity.
    public func activityResignedCurrent(_ activity: UserActivity) { daemon.activityResignedCurrent() }
    /// Sends the activity's changes to the daemon.
    ///
    /// Changes in quick succession are sent together.
    public func activityChanged(_ activity: UserActivity) { daemon.activityChanged(activity) }
    /// Ends the activity at the daemon.
    public func activityInvalidated(_ activity: UserActivity) { daemon.activityEnded(activity.identity) }
    /// Ends an activity at the daemon after the app has released it.
    public func activityReleased(_ identity: UserActivity.Identity) { daemon.activityEnded(identity) }
    /// Passes a warning to the function that was given to `open`.
    public func activityWarning(_ text: String) { daemon.warn(text) }
}

/// Streams, and the offers of other devices.
extension BatonConnection {
    /// Waits until a pair of streams has ended, and throws if bytes were lost.
    ///
    /// First read to the end of file, because streams end only when both sides have finished
    /// sending and have read everything, or when the connection breaks. End of file alone does not
    /// prove that all bytes have arrived, so do not rely on them before this function returns.
    ///
    /// - Parameter streams: The streams from a delegate or ``Continuation/openStreams()``.
    /// - Throws: ``BatonError`` when the streams broke. In that case one side has not received all
    ///   bytes.
    public func waitForEnd(of streams: ContinuationStreams) async throws {
        try await daemon.waitForEnd(of: streams.identifier)
    }

    /// Returns how far a pair of streams is, for people: the present progress, then the new one
    /// after each change.
    ///
    /// A report comes at most every 300 ms, and only while something changes. If several changes
    /// come before the next report is requested, there is only one report, with the latest numbers.
    /// The reports end with the streams, but the last one may be older than the end. They do not
    /// prove that the bytes are complete, which only ``waitForEnd(of:)`` does.
    ///
    /// Only the program that has the streams can follow them. A pair has one sequence of reports at
    /// a time. A new call ends the sequence of the former call.
    ///
    /// - Parameter streams: The streams from a delegate or ``Continuation/openStreams()``.
    /// - Returns: The reports.
    /// - Throws: ``BatonError`` with `notFound` if the streams have ended, and another error if the
    ///   daemon has version 0.2 or earlier, which reports no progress.
    public func progress(of streams: ContinuationStreams) async throws -> AsyncStream<StreamProgress> {
        try await daemon.progress(of: streams.identifier)
    }

    /// Abandons a pair of streams, and tells the other device that the bytes are incomplete.
    ///
    /// Closing the descriptor alone may look like the end of complete data.
    ///
    /// - Parameter streams: The streams from a delegate or ``Continuation/openStreams()``. If the
    ///   streams have ended, nothing happens.
    public func giveUp(_ streams: ContinuationStreams) async { await daemon.giveUp(streams.identifier) }

    /// Returns the offers of other devices: the present ones as `appeared`, then every change.
    ///
    /// If an offer changes several times before the next event is requested, there is only one
    /// event, with the offer's latest state.
    ///
    /// - Returns: The events, which finish when the bus ends, and throw an error when the daemon
    ///   ends.
    /// - Throws: ``BatonError`` when the daemon is not running.
    public func watchOffers() async throws -> AsyncThrowingStream<OfferEvent, any Error> {
        try await bus.watchOffers()
    }

    /// Waits until the offers fulfil a condition.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait. Zero checks only the present offers.
    ///   - select: Called with all present offers, sorted by id. Returns the result, or nil to
    ///     continue waiting.
    /// - Returns: The result of `select`, or nil if the time ran out.
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
    ///   - timeout: The longest time for the fetch, or nil for the daemon's own limit.
    /// - Returns: The activity, which must be accepted or declined.
    /// - Throws: ``BatonError``, or ``UserActivityError`` if the activity's contents are invalid.
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
