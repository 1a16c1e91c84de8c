// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
internal import DBus
public import TraceModel

/// An app's or a tool's end of the session-bus interface.
///
/// Every method throws a ``BatonError``: the daemon's own, or
/// ``BatonError/Code/daemonNotRunning`` and ``BatonError/Code/busUnavailable`` for the way to
/// it. A cancelled task throws `CancellationError`.
public final class BatonBusClient: Sendable {
    let connection: DBusConnection
    /// Whom calls go to.
    private let daemon: String

    private init(connection: DBusConnection, daemon: String = BatonBusName.bus) {
        self.connection = connection
        self.daemon = daemon
    }

    /// Connects to the session bus, or to the bus at an address. No daemon needs to run yet.
    public static func connect(address: String? = nil) async throws -> BatonBusClient {
        do {
            if let address { return BatonBusClient(connection: try await .open(address: address)) }
            return BatonBusClient(connection: try await .session())
        } catch let error as DBusError {
            throw BatonError(
                .busUnavailable,
                "cannot connect to the session bus (\(error.message)); "
                    + "run this inside a login session, or set DBUS_SESSION_BUS_ADDRESS", cause: error.name)
        }
    }

    /// Connects to the daemon that runs on the session bus; nil when none does. Its calls go to
    /// that process alone, so that they start none.
    public static func connectToRunning() async throws -> BatonBusClient? {
        let client = try await connect()
        guard let owner = try await client.connection.owner(of: BatonBusName.bus) else {
            client.close()
            return nil
        }
        return BatonBusClient(connection: client.connection, daemon: owner)
    }

    /// This client as the daemon knows it.
    public var id: ClientID { ClientID(rawValue: connection.uniqueName) }

    /// Closes the connection: the daemon invalidates this client's activities, all event streams
    /// finish.
    public func close() { connection.close() }

    @discardableResult
    func call(
        _ interface: String, _ member: String, _ arguments: [DBusValue] = [], timeout: Duration = .seconds(25)
    ) async throws -> [DBusValue] {
        do {
            return try await connection.call(
                destination: daemon, path: BatonBusName.path, interface: interface, member: member,
                arguments: arguments, timeout: timeout)
        } catch {
            throw BatonError.fromTheBus(error)
        }
    }
}

/// The daemon and the circle.
extension BatonBusClient {
    /// The condition of the daemon.
    ///
    /// - Parameter timeout: How long to wait for the answer.
    public func status(timeout: Duration = .seconds(25)) async throws -> DaemonStatus {
        try DaemonStatus(bus: try await call(BatonBusName.daemon, "Status", timeout: timeout).first)
    }

    /// Begins a trace: lines of text, a JSON object each, that come by the descriptor until it is
    /// closed, or for an hour (`Documentation/Trace.md`).
    ///
    /// - Parameter details: What is told as it is, and not by a letter.
    public func trace(revealing details: Set<TraceDetail>) async throws -> OwnedDescriptor {
        let words = DBusValue.array(elementSignature: "s", details.map { .string($0.rawValue) })
        guard let descriptor = try await call(BatonBusName.daemon, "Trace", [words]).first?.descriptorValue else {
            throw BatonError.invalid("reply", "a descriptor")
        }
        return descriptor
    }

    /// What left this laptop, the latest first.
    public func history() async throws -> [HistoryEntry] {
        let reply = try await call(BatonBusName.daemon, "History")
        return try (reply.first?.arrayValue).orInvalid("reply", "entries").map { try HistoryEntry(bus: $0) }
    }

    /// Forgets all of that.
    public func forgetHistory() async throws { try await call(BatonBusName.daemon, "ForgetHistory") }

    /// Creates a circle with this device in it; an empty name means the machine's own.
    public func createCircle(name: String = "") async throws -> CircleSummary {
        try CircleSummary(bus: try await call(BatonBusName.circle, "Create", [.string(name)]).first)
    }

    /// Makes an invitation to this device's circle.
    public func invite() async throws -> CircleInvitation {
        try CircleInvitation(reply: try await call(BatonBusName.circle, "Invite"))
    }

    /// Joins the circle of an invitation; it takes as long as reaching the inviter does, at most
    /// two minutes.
    public func joinCircle(invitation: String) async throws -> CircleSummary {
        try CircleSummary(
            bus: try await call(BatonBusName.circle, "Join", [.string(invitation)], timeout: .seconds(120)).first)
    }

    /// Looks for another device whose user pairs, for two minutes, and agrees on six digits with
    /// it. The pairing ends with this client.
    ///
    /// - Parameters:
    ///   - address: An IP address and a port to dial; `nil` to find the other device by radio, and
    ///     to be dialled.
    ///   - anew: Whether this device was removed from its circle, and comes back to it as a new
    ///     one.
    public func pair(address: String? = nil, anew: Bool = false) async throws -> PairingDigits {
        var options = address.map { ["address": DBusValue.string($0)] } ?? [:]
        if anew { options["anew"] = .bool(true) }
        return try PairingDigits(
            reply: try await call(BatonBusName.circle, "Pair", [.properties(options)], timeout: .seconds(150)))
    }

    /// Opens the door for the one device that reads a code, for ten minutes. The pairing ends with
    /// this client.
    public func pairByCode() async throws -> PairingCode {
        try PairingCode(reply: try await call(BatonBusName.circle, "PairByCode"))
    }

    /// Says whether both devices show the same digits.
    public func confirm(pairing: String, same: Bool) async throws {
        try await call(BatonBusName.circle, "Confirm", [.string(pairing), .bool(same)])
    }

    /// Returns once both devices are in one circle; throws when that is not to be.
    ///
    /// - Parameter timeout: How long to wait; the daemon has limits of its own, four minutes with
    ///   digits and ten with a code.
    public func paired(_ pairing: String, timeout: Duration = .seconds(240)) async throws -> CircleSummary {
        try CircleSummary(
            bus: try await call(BatonBusName.circle, "Paired", [.string(pairing)], timeout: timeout).first)
    }

    /// Gives this device another name.
    public func rename(to name: String) async throws {
        try await call(BatonBusName.circle, "Rename", [.string(name)])
    }

    /// Removes a device from the circle, for good.
    ///
    /// - Parameter device: Its id, or its name if no other has the same.
    /// - Returns: Which device it was, and the ids of the members that stay although only it
    ///   vouched for them.
    public func removeDevice(_ device: String) async throws -> (member: CircleMember, unvouched: [String]) {
        let reply = try await call(BatonBusName.circle, "Remove", [.string(device)])
        let member = try reply.first.orInvalid("reply", "a device")
        return (try CircleMember(bus: member), member.propertiesValue?["unvouched"]?.stringsValue ?? [])
    }

    /// Gives a device nothing of this one for an hour.
    ///
    /// - Parameter device: Its id, or its name if no other has the same.
    /// - Returns: Which it is, and until when.
    public func stopDevice(_ device: String) async throws -> CircleMember {
        let reply = try await call(BatonBusName.circle, "Stop", [.string(device)])
        return try CircleMember(bus: try reply.first.orInvalid("reply", "a device"))
    }

    /// Gives a device that was stopped again what it asks for.
    ///
    /// - Parameter device: Its id, or its name if no other has the same.
    /// - Returns: Which it is, and whether it was stopped.
    public func allowDevice(_ device: String) async throws -> (member: CircleMember, wasStopped: Bool) {
        let reply = try await call(BatonBusName.circle, "Allow", [.string(device)])
        let member = try CircleMember(bus: try reply.first.orInvalid("reply", "a device"))
        return (member, reply.dropFirst().first?.boolValue ?? false)
    }

    /// Has another device answer; it is connected with first if need be, and has 30 s for all of
    /// that.
    ///
    /// - Parameter device: Its id, or its name if no other has the same.
    public func ping(_ device: String) async throws -> DeviceAnswer {
        // The daemon's own limit is to strike first, since its error says more.
        try DeviceAnswer(
            bus: try await call(BatonBusName.circle, "Ping", [.string(device)], timeout: .seconds(40)).first)
    }

    /// Has another device and this one look for each other by each transport that they have, each
    /// way; a minute and a half is the most that it takes.
    ///
    /// - Parameter device: Its id, or its name if no other has the same.
    public func probe(_ device: String) async throws -> DeviceProbe {
        try DeviceProbe(
            bus: try await call(BatonBusName.circle, "Probe", [.string(device)], timeout: .seconds(120)).first)
    }

    /// Takes this device out of its circle, and returns the names of the devices that have been
    /// told.
    public func leaveCircle() async throws -> [String] {
        try await call(BatonBusName.circle, "Leave", timeout: .seconds(60)).first?.stringsValue ?? []
    }
}

/// Activities of this client.
extension BatonBusClient {
    /// Publishes an activity, and returns its id. It is not current yet.
    ///
    /// - Parameters:
    ///   - activity: Its type and contents.
    ///   - options: Who may continue it, and when it is offered.
    ///   - needsSave: Whether to ask this client for fresher contents before they are handed over.
    public func publish(
        _ activity: ActivityState, options: PublishOptions = PublishOptions(), needsSave: Bool = false
    ) async throws -> String {
        try ActivityCoding.checkType(activity.activityType)
        var properties = try ActivityCoding.encode(activity)
        properties["needsSave"] = .bool(needsSave)
        properties.merge(options.bus) { $1 }
        let reply = try await call(
            BatonBusName.activities, "Publish", [.string(activity.activityType), .properties(properties)])
        return try (reply.first?.stringValue).orInvalid("reply", "an activity")
    }

    /// Changes some properties of an activity.
    public func update(activity: String, properties: ActivityProperties) async throws {
        let values = try ActivityCoding.encode(properties)
        try await call(BatonBusName.activities, "Update", [.string(activity), .properties(values)])
    }

    /// Makes an activity the one that is advertised.
    public func becomeCurrent(activity: String) async throws {
        try await call(BatonBusName.activities, "BecomeCurrent", [.string(activity)])
    }

    /// Stops advertising an activity, which stays published.
    public func resignCurrent(activity: String) async throws {
        try await call(BatonBusName.activities, "ResignCurrent", [.string(activity)])
    }

    /// Ends an activity.
    public func invalidate(activity: String) async throws {
        try await call(BatonBusName.activities, "Invalidate", [.string(activity)])
    }

    /// Takes a pair of streams that a continuing app has opened: once, and within 30 s after
    /// ``ActivityEvent/streamsOpened(activity:stream:device:deviceName:)``.
    public func takeStreams(_ stream: String) async throws -> OpenedStreams {
        let reply = try await call(BatonBusName.activities, "TakeStreams", [.string(stream)])
        guard reply.count == 2, let transport = reply[0].stringValue, let descriptor = reply[1].descriptorValue else {
            throw BatonError.invalid("reply", "a pair of streams")
        }
        return OpenedStreams(stream: stream, transport: transport, descriptor: descriptor)
    }

    /// Gives a pair of streams back whose two directions this program has closed: the other device
    /// gets all that was written, even if this program ends now.
    ///
    /// - Parameters:
    ///   - stream: The pair's id.
    ///   - end: The program's end, or a copy of it; the daemon gets one of its own.
    ///   - discards: Whether what still comes is thrown away; otherwise it breaks the streams.
    ///   - timeout: How long to wait for the daemon's answer.
    public func closeStreams(
        _ stream: String, end: OwnedDescriptor, discards: Bool, timeout: Duration
    ) async throws {
        try await call(
            BatonBusName.activities, "CloseStreams", [.string(stream), .bool(discards), .unixFD(end)],
            timeout: timeout)
    }
}

/// Offers of other devices.
extension BatonBusClient {
    /// What other devices offer now.
    public func offers() async throws -> [OfferSummary] {
        let reply = try await call(BatonBusName.offers, "List")
        return try (reply.first?.arrayValue).orInvalid("reply", "offers").map { try OfferSummary(bus: $0) }
    }

    /// Fetches an offered activity. Cancelling the task cancels the continuation in the daemon too.
    ///
    /// - Parameters:
    ///   - offer: The offer's id.
    ///   - timeout: How long the daemon may try, to an hour; `nil` leaves it to the daemon.
    public func continueOffer(_ offer: String, timeout: Duration? = nil) async throws -> ContinuedActivity {
        var options: [String: DBusValue] = [:]
        if let timeout { options["timeout"] = .double(timeout / .seconds(1)) }
        // The daemon's own limit is to strike first, since its error says more.
        let limit = (timeout ?? .seconds(120)) + .seconds(10)
        do {
            let reply = try await call(
                BatonBusName.offers, "Continue", [.string(offer), .properties(options)], timeout: limit)
            let continuation = try (reply.first?.stringValue).orInvalid("reply", "a continuation")
            return try ContinuedActivity(continuation: continuation, bus: reply.dropFirst().first)
        } catch let error as CancellationError {
            // In a task of its own, since this one is cancelled.
            Task { try? await self.cancel(offer) }
            throw error
        }
    }

    /// Has an app take an offered activity over, which is started if need be; returns once it has.
    /// Cancelling the task cancels it in the daemon too.
    public func openOffer(_ offer: String, options: OpenOptions = OpenOptions()) async throws -> OpenedOffer {
        var values: [String: DBusValue] = [:]
        values["application"] = options.application.map(DBusValue.string)
        values["activation-token"] = options.activationToken.map(DBusValue.string)
        values["timeout"] = options.timeout.map { .double($0 / .seconds(1)) }
        // The daemon's own limits are to strike first, since its errors say more.
        let limit = (options.timeout ?? .seconds(120)) + ApplicationTimeLimits().all + .seconds(10)
        do {
            let reply = try await call(
                BatonBusName.offers, "Open", [.string(offer), .properties(values)], timeout: limit)
            return try OpenedOffer(bus: reply.first)
        } catch let error as CancellationError {
            // In a task of its own, since this one is cancelled.
            Task { try? await self.cancel(offer) }
            throw error
        }
    }

    /// Tells the other device whether this app took the activity over.
    public func accept(continuation: String, accepted: Bool) async throws {
        try await call(BatonBusName.offers, "Accept", [.string(continuation), .bool(accepted)])
    }

    /// Opens a pair of streams to the app that published a continued activity.
    public func openStreams(continuation: String) async throws -> OpenedStreams {
        let reply = try await call(
            BatonBusName.offers, "OpenStreams", [.string(continuation)], timeout: .seconds(130))
        guard reply.count == 3, let stream = reply[0].stringValue, let transport = reply[1].stringValue,
            let descriptor = reply[2].descriptorValue
        else { throw BatonError.invalid("reply", "a pair of streams") }
        return OpenedStreams(stream: stream, transport: transport, descriptor: descriptor)
    }

    /// Gives up a continuation, a pair of streams, or the `continueOffer` or `openOffer` of an
    /// offer that is under way.
    ///
    /// - Parameter name: Its id.
    public func cancel(_ name: String) async throws {
        try await call(BatonBusName.offers, "Cancel", [.string(name)])
    }
}

/// The user's say.
extension BatonBusClient {
    /// The rules in their order; each is what ``addRule(_:)`` takes.
    public func rules() async throws -> [String] {
        try (try await call(BatonBusName.rules, "List").first?.stringsValue).orInvalid("reply", "rules")
    }

    /// Adds a rule, as Documentation/Configuration.md describes them.
    ///
    /// - Parameter number: The number, from 1, that it gets, those from there on having one more;
    ///   nil for after the others.
    public func addRule(_ rule: String, at number: Int? = nil) async throws {
        guard let number else {
            try await call(BatonBusName.rules, "Add", [.string(rule)])
            return
        }
        try await call(BatonBusName.rules, "Insert", [.uint32(UInt32(clamping: number)), .string(rule)])
    }

    /// Removes a rule by its number, from 1.
    public func removeRule(_ number: Int) async throws {
        try await call(BatonBusName.rules, "Remove", [.uint32(UInt32(clamping: number))])
    }

    /// Advertises, shows and continues nothing by itself for a while; to a second, `nil` until
    /// ``resume()``.
    public func pause(for duration: Duration? = nil) async throws {
        let seconds = duration.map { max(1, UInt32(clamping: $0.components.seconds)) } ?? 0
        try await call(BatonBusName.rules, "Pause", [.uint32(seconds)])
    }

    /// Ends a pause; nothing happens when there is none.
    public func resume() async throws { try await call(BatonBusName.rules, "Resume") }
}

/// What the daemon says by itself.
extension BatonBusClient {
    /// The events of this client's activities and streams, from now on.
    ///
    /// A stream that is not read keeps the newest 1,024.
    public func activityEvents() async throws -> AsyncStream<ActivityEvent> {
        try await events(of: BatonBusName.activities) { ActivityEvent($0) }
    }

    /// The events of other devices' offers, from now on.
    public func offerEvents() async throws -> AsyncStream<OfferEvent> {
        try await events(of: BatonBusName.offers) { OfferEvent($0) }
    }

    private func events<Event: Sendable>(
        of interface: String, _ transform: @escaping @Sendable (DBusSignal) -> Event?
    ) async throws -> AsyncStream<Event> {
        do {
            return try await connection.signals(
                matching: DBusMatch(sender: BatonBusName.bus, path: BatonBusName.path, interface: interface),
                transform: transform)
        } catch {
            throw BatonError.fromTheBus(error)
        }
    }

    /// Whether the daemon is there: the present state at once, then each change; finishes when the
    /// bus goes.
    public func daemonPresence() async throws -> AsyncStream<Bool> {
        do {
            let changes = try await connection.nameOwnerChanges(of: BatonBusName.bus)
            let present = try await connection.owner(of: BatonBusName.bus) != nil
            let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(16))
            continuation.yield(present)
            let task = Task {
                for await change in changes { continuation.yield(change.newOwner != nil) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
            return stream
        } catch {
            throw BatonError.fromTheBus(error)
        }
    }
}
