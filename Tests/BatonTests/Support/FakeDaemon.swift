// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DBus
import Diagnosis
import Foundation
import Glibc
import UserActivity
import TraceModel

/// A daemon that does what a test says, on a bus of the test's own.
actor FakeDaemon: BatonBusHandler {
    /// What a client asked for, in its order.
    enum Call: Hashable, Sendable {
        case published(String, needsSave: Bool)
        case updated(String, ActivityState, needsSave: Bool?)
        case becameCurrent(String)
        case resigned(String)
        case invalidated(String)
        case continued(String)
        case accepted(String, Bool)
        case openedStreams(String)
        case saved(ActivityState, application: String?)
    }

    nonisolated let calls: AsyncStream<Call>
    /// What a client has given up.
    nonisolated let cancelled: AsyncStream<String>
    private let cancellations: AsyncStream<String>.Continuation
    private let sink: AsyncStream<Call>.Continuation
    private var findings: [Finding] = []
    private var hangs = false
    private var (losesPings, endsWhenAsked) = (false, false)
    /// Whether the other device does not hear this one, and TCP leads nowhere.
    private var isUnheard = false
    private var isTired = false
    /// What the device was called, one after the other.
    private(set) var names: [String] = []
    private var service: BatonBusService?
    private var offered: [OfferSummary] = []
    private(set) var activities: [String: ActivityState] = [:]
    /// The teams that clients named, by the activity.
    private(set) var teams: [String: String] = [:]
    private(set) var saved: [String: SavedActivities] = [:]
    private var client: ClientID?
    private var continuable: [String: ContinuedActivity] = [:]
    /// What the browser was given by its address, and who is told of it.
    private var (pages, follower): ([String: ContinuedActivity], ClientID?) = ([:], nil)
    private var failure: BatonError?
    private var failureAfterRenaming: BatonError?
    private var version = "1.0"
    /// Why the device is in no circle, once it is in none.
    static let withoutCircle = "sofa removed this device from its circle; run 'baton pair'"

    /// Whether the device is in a circle, and why it may not pair.
    private var (isInCircle, pairingRefusal): (Bool, String?) = (true, nil)
    private var endpoints: [String] = []
    private var published = 0
    /// How many calls about activities are too many.
    private var refusals = 0
    /// How many were refused so far.
    private(set) var refused = 0
    /// The title of contents that are too much.
    private var full: String?
    /// How many activities there may be.
    private var limit = 64
    /// What an app, or the browser, was to open.
    private(set) var opened: [String] = []
    /// What waits for a publisher to take it.
    private var untaken: [String: OpenedStreams] = [:]
    /// How often a device has left or was removed.
    private(set) var farewells = 0
    /// How often a device was asked to answer.
    private(set) var pings = 0
    /// The daemon's ends of the streams it opened.
    private(set) var streamEnds: [String: Int32] = [:]

    private let connection: DBusConnection
    private let confirmations: AsyncStream<Bool>
    private let confirmed: AsyncStream<Bool>.Continuation

    private init(_ connection: DBusConnection) {
        self.connection = connection
        (calls, sink) = AsyncStream.makeStream(of: Call.self)
        (cancelled, cancellations) = AsyncStream.makeStream(of: String.self)
        (confirmations, confirmed) = AsyncStream.makeStream(of: Bool.self)
    }

    /// Runs a closure with a bus and a daemon on it.
    static func with(_ body: @Sendable (FakeDaemon, PrivateBus) async throws -> Void) async throws {
        try await PrivateBus.with { bus in
            let connection = try await DBusConnection.open(address: bus.address)
            let daemon = FakeDaemon(connection)
            try await daemon.comeBack()
            do {
                try await body(daemon, bus)
                await daemon.end()
            } catch {
                await daemon.end()
                throw error
            }
        }
    }

    /// Takes the bus name, as a daemon does that starts.
    func comeBack() async throws {
        service = try await BatonBusService.start(on: connection, version: "1.0", handler: self)
    }

    /// Leaves the bus name, as a daemon does that ends.
    func leave() async { await service?.stop() }

    /// Ends for good, and lets go of the service that answers by it.
    private func end() async {
        await leave()
        service = nil
        connection.close()
    }

    /// Listens there from now on, as it says.
    func listen(at endpoints: [String]) { self.endpoints = endpoints }

    /// Says so of itself from now on.
    func be(ofVersion version: String) { self.version = version }

    /// Is in no circle any more, and may have a reason not to pair.
    func loseCircle(refusingToPair refusal: String? = nil) { (isInCircle, pairingRefusal) = (false, refusal) }

    /// Every later call fails like this.
    func fail(_ error: BatonError) { failure = error }

    /// Every call after the next renaming fails like this.
    func failAfterRenaming(_ error: BatonError) { failureAfterRenaming = error }

    /// Has no room for contents with this title, ever.
    func fill(with title: String) { full = title }

    /// Has no room for the next calls about activities.
    func refuse(_ count: Int) { refusals = count }

    /// Keeps no more activities than these.
    func keep(_ count: Int) { limit = count }

    /// Forgets all activities, as a daemon that was started anew.
    func forget() { activities = [:] }

    func appear(_ offer: OfferSummary, activity: ActivityState? = nil, transport: String = "simulated") {
        offered.removeAll { $0.offer == offer.offer }
        offered.append(offer)
        if let activity {
            continuable[offer.offer] = ContinuedActivity(
                continuation: "c" + offer.offer, activity: activity, device: offer.device,
                deviceName: offer.deviceName, transport: transport)
        }
        service?.sendAppeared(offer)
    }

    /// No device answers.
    func losePings() { losesPings = true }

    /// Gives no answer about its status: it hangs.
    func hang() { hangs = true }

    /// Gives no answer about its status: it ends.
    func endWhenAsked() { endsWhenAsked = true }

    /// The other device does not hear this one.
    func becomeUnheard() { isUnheard = true }
    /// Other devices were asked too often to look for this one.
    func becomeTired() { isTired = true }

    /// Warns of this in its status.
    func warn(of findings: [Finding]) { self.findings = findings }

    /// What panels show.
    func show(_ status: PanelStatus) { service?.publish(status) }

    /// Whether somebody wants to be told of pages.
    var isFollowed: Bool { follower != nil }

    /// A page is opened in the default browser.
    func open(_ page: String, _ activity: ActivityState) {
        pages[page] = ContinuedActivity(
            continuation: "", activity: activity, device: "dd", deviceName: "desk", transport: "simulated")
        guard let follower, let address = activity.webpageURL?.absoluteString else { return }
        service?.sendPageOpened(OpenedPage(page: page, address: address), to: follower)
    }

    func disappear(_ offer: String) {
        offered.removeAll { $0.offer == offer }
        service?.sendDisappeared(offer: offer)
    }

    func change(_ offer: OfferSummary) {
        offered.removeAll { $0.offer == offer.offer }
        offered.append(offer)
        service?.sendChanged(offer)
    }

    func askToSave(_ activity: String) {
        if let client { service?.sendWillSave(activity: activity, to: client) }
    }

    func beContinued(_ activity: String, on device: String, called name: String) {
        if let client {
            service?.sendWasContinued(activity: activity, device: device, deviceName: name, to: client)
        }
    }

    func warn(_ activity: String, _ text: String) {
        if let client { service?.sendWarning(activity: activity, text: text, to: client) }
    }

    func changeCurrent(_ activity: String, _ isCurrent: Bool) {
        if let client { service?.sendCurrentChanged(activity: activity, isCurrent: isCurrent, to: client) }
    }

    func end(_ activity: String, _ reason: String) {
        if let client { service?.sendEnded(activity: activity, reason: reason, to: client) }
    }

    /// Opens streams to a publisher; gives the daemon's end.
    func openStreams(_ stream: String, to activity: String, device: String, called name: String = "") throws -> Int32 {
        let (app, end) = try Self.socketPair()
        untaken[stream] = OpenedStreams(
            stream: stream, transport: "tcp", descriptor: OwnedDescriptor(adopting: app))
        tellOfStreams(stream, to: activity, device: device, called: name)
        return end
    }

    /// Tells a publisher of streams, whether they wait or not.
    func tellOfStreams(_ stream: String, to activity: String, device: String, called name: String) {
        guard let client else { return }
        service?.sendStreamsOpened(activity: activity, stream: stream, device: device, deviceName: name, to: client)
    }

    func takeStreams(_ stream: String, client: ClientID) async throws -> OpenedStreams {
        guard let streams = untaken.removeValue(forKey: stream) else {
            throw BatonError(.notFound, "no streams \(stream) wait")
        }
        return streams
    }

    func endStream(_ stream: String, error: String? = nil) {
        if let client { service?.sendStreamEnded(stream: stream, complete: error == nil, error: error, to: client) }
    }

    func trace(revealing details: Set<TraceDetail>) async throws -> OwnedDescriptor {
        throw BatonError(.limitReached, "4 traces are being recorded")
    }

    func status() async throws -> DaemonStatus {
        if hangs { try await Task.sleep(for: .seconds(86_400)) }
        if endsWhenAsked {
            connection.close()
            for await _ in connection.disconnected {}
        }
        try check()
        return DaemonStatus(
            version: version, radio: "simulated", device: "aa", deviceName: "desk",
            circle: isInCircle ? "cc" : nil,
            withoutCircle: isInCircle ? nil : Self.withoutCircle,
            pairingRefusal: pairingRefusal,
            members: !isInCircle
                ? []
                : [
                    CircleMember(device: "aa", name: "desk", isThisDevice: true),
                    CircleMember(
                        device: "bb", name: "sofa", isNear: true, lastSeen: Date(timeIntervalSince1970: 2_000_000_000),
                        transports: ["l2cap"]),
                ], tcp: !endpoints.isEmpty, endpoints: endpoints, findings: findings)
    }

    func createCircle(name: String) async throws -> CircleSummary {
        try check()
        return CircleSummary(circle: "cc", device: "aa", deviceName: name.isEmpty ? "host" : name)
    }

    func invite() async throws -> CircleInvitation {
        try check()
        return CircleInvitation(text: "secret\n", expires: Date(timeIntervalSince1970: 2_000_000_000))
    }

    func joinCircle(invitation: String) async throws -> CircleSummary {
        try check()
        guard invitation == "secret\n" else { throw BatonError(.invitationInvalid, "not an invitation") }
        return CircleSummary(
            circle: "cc", device: "bb", deviceName: "sofa", members: [CircleMember(device: "aa", name: "desk")])
    }

    func pair(address: String?, anew: Bool, client: ClientID) async throws -> PairingDigits {
        try check()
        return PairingDigits(pairing: "p1", digits: "012345")
    }

    func pairByCode(client: ClientID) async throws -> PairingCode { throw BatonError(.failed, "not here") }

    func confirm(pairing: String, same: Bool, client: ClientID) async throws { confirmed.yield(same) }

    func paired(_ pairing: String, client: ClientID) async throws -> CircleSummary {
        for await same in confirmations {
            guard same else { throw BatonError(.userCancelled, "the digits were not the same") }
            break
        }
        return CircleSummary(
            circle: "cc", device: "aa", deviceName: "desk",
            members: [
                CircleMember(device: "aa", name: "desk", isThisDevice: true), CircleMember(device: "bb", name: "sofa"),
            ])
    }

    func rename(to name: String) async throws {
        try check()
        names.append(name)
        failure = failureAfterRenaming
    }

    func removeDevice(_ device: String) async throws -> (member: CircleMember, unvouched: [String]) {
        try check()
        guard !["desk", "aa"].contains(device) else { throw BatonError(.invalidArgument, "run 'baton leave'") }
        guard ["sofa", "bb"].contains(device) else { throw BatonError(.notFound, "there is no device \(device)") }
        farewells += 1
        return (CircleMember(device: "bb", name: "sofa"), ["aa"])
    }

    func ping(_ device: String) async throws -> DeviceAnswer {
        try check()
        guard ["sofa", "bb"].contains(device), !losesPings else {
            throw BatonError(.connectionUnavailable, "\(device): it is out of reach")
        }
        pings += 1
        return DeviceAnswer(
            device: "bb", deviceName: "sofa", transport: "l2cap", roundTrip: .milliseconds(10 + 2 * pings),
            connecting: pings == 1 ? .milliseconds(480) : nil)
    }

    func probe(_ device: String) async throws -> DeviceProbe {
        if isTired { throw BatonError(.limitReached, "sofa: it was asked too often") }
        let answer = try await ping(device)
        let reached = DeviceProbe.Way(transport: "l2cap", time: .milliseconds(240))
        let tcp = isUnheard ? DeviceProbe.Way(transport: "tcp", time: nil, reason: "nobody answers") : nil
        return DeviceProbe(
            answer: answer,
            here: DeviceProbe.Side(hears: true, signal: -52, ways: [reached] + (tcp.map { [$0] } ?? [])),
            there: DeviceProbe.Side(hears: !isUnheard, ways: [reached]))
    }

    func leaveCircle() async throws -> [String] {
        try check()
        farewells += 1
        return ["sofa"]
    }

    func publish(_ activity: ActivityState, options: PublishOptions, needsSave: Bool, client: ClientID) async throws
        -> String
    {
        try check()
        try admit()
        if activity.title == "too large" { throw BatonError(.userInfoTooLarge, "the contents are too large") }
        guard activities.count < limit else { throw BatonError(.limitReached, "too many activities") }
        self.client = client
        published += 1
        let identifier = "a\(published)"
        activities[identifier] = activity
        teams[identifier] = options.team
        sink.yield(.published(identifier, needsSave: needsSave))
        return identifier
    }

    func update(activity: String, properties: ActivityProperties, client: ClientID) async throws {
        try admit()
        guard let before = activities[activity] else { throw BatonError(.notFound, "no activity \(activity)") }
        let after = properties.applied(to: before)
        if let full, after.title == full { throw BatonError(.limitReached, "no room") }
        if after.title == "too large" { throw BatonError(.userInfoTooLarge, "the contents are too large") }
        activities[activity] = after
        sink.yield(.updated(activity, after, needsSave: properties.needsSave))
    }

    func becomeCurrent(activity: String, client: ClientID) async throws {
        try admit()
        sink.yield(.becameCurrent(activity))
    }

    func resignCurrent(activity: String, client: ClientID) async throws {
        try admit()
        sink.yield(.resigned(activity))
    }

    func invalidate(activity: String, client: ClientID) async throws {
        try admit()
        activities[activity] = nil
        sink.yield(.invalidated(activity))
    }

    func offers() async throws -> [OfferSummary] {
        try check()
        return offered
    }

    func continueOffer(_ offer: String, timeout: Duration?, client: ClientID) async throws -> ContinuedActivity {
        try check()
        self.client = client
        sink.yield(.continued(offer))
        guard let found = continuable[offer] else { throw BatonError(.notFound, "no offer \(offer)") }
        return found
    }

    func followPages(client: ClientID) async throws -> [OpenedPage] {
        follower = client
        return pages.sorted { $0.key < $1.key }.compactMap { page, activity in
            activity.activity.webpageURL.map { OpenedPage(page: page, address: $0.absoluteString) }
        }
    }

    func takePage(_ page: String) async throws -> ContinuedActivity {
        guard let found = pages.removeValue(forKey: page) else { throw BatonError(.notFound, "no page \(page)") }
        return found
    }

    func openOffer(_ offer: String, options: OpenOptions, client: ClientID) async throws -> OpenedOffer {
        try check()
        guard offer != "failing" else { throw BatonError(.applicationFailed, "it failed") }
        opened.append(offer)
        return offer == "page"
            ? .webpage("https://example.org/") : .application(options.application ?? "org.example.App")
    }
    func grants() async throws -> [AppGrant] {
        [AppGrant(sandbox: "flatpak", application: "org.example.Mail", state: .pending, types: ["t"])]
    }
    func rules() async throws -> [String] { ["ask", "near signal=-50"] }
    func addRule(_ rule: String, at number: Int?) async throws { try check() }
    func removeRule(_ number: Int) async throws { try check() }
    func pause(for duration: Duration?) async throws { try check() }
    func resume() async throws { try check() }
    func accept(continuation: String, accepted: Bool, client: ClientID) async throws {
        sink.yield(.accepted(continuation, accepted))
    }

    func openStreams(continuation: String, client: ClientID) async throws -> OpenedStreams {
        try check()
        let (app, end) = try Self.socketPair()
        streamEnds["s" + continuation] = end
        sink.yield(.openedStreams(continuation))
        return OpenedStreams(
            stream: "s" + continuation, transport: "l2cap", descriptor: OwnedDescriptor(adopting: app))
    }

    func cancel(_ continuationOrOffer: String, client: ClientID) async throws {
        untaken[continuationOrOffer] = nil
        cancellations.yield(continuationOrOffer)
    }
    func save(_ activity: SavedUserActivity, application: String?, client: ClientID) async throws {
        if let failure { throw failure }
        saved[application ?? "", default: SavedActivities()].save(activity)
        sink.yield(.saved(activity.state, application: application))
    }

    func deleteSaved(persistentIdentifiers: Set<String>, application: String?, client: ClientID) async throws {
        try admit()
        saved[application ?? ""]?.delete(persistentIdentifiers: persistentIdentifiers)
    }

    func deleteAllSaved(application: String?, client: ClientID) async throws { saved[application ?? ""] = nil }

    func savedActivities(
        matching query: String?, application: String?, client: ClientID
    ) async throws -> [SavedUserActivity] {
        let saved = saved[application ?? ""] ?? SavedActivities()
        return query.map { saved.activities(matching: $0) } ?? saved.activities().reversed()
    }

    func clientLeft(_ client: ClientID) async {}

    private func admit() throws(BatonError) {
        guard refusals == 0 else {
            refusals -= 1
            refused += 1
            throw BatonError(.limitReached, "too many calls")
        }
    }

    private func check() throws {
        if let failure { throw failure }
    }

    private static func socketPair() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw BatonError(.failed, "socketpair")
        }
        return (ends[0], ends[1])
    }
}

extension AsyncStream.Iterator {
    /// The next element, or the failure that there is none.
    mutating func required() async throws -> Element {
        guard let element = await next(isolation: nil) else { throw BatonError(.failed, "the stream has ended") }
        return element
    }
}
