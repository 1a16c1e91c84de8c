// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
internal import DBus

/// `org.batonproject.Baton1.Activities`: the activities that apps on this device publish.
package enum ActivitiesInterface: BusInterface {
    static let name = BatonBusName.activities
    /// Publishes an activity and answers with its id. The activity is not current yet.
    package static let publish = BusCall(name, "Publish", takes: publication, returns: .text("activity"))
    /// Changes an activity. Invalid properties become an error value, so that the route can record
    /// the call before it throws.
    package static let update = BusCall(name, "Update", takes: .both(.string("activity"), change))
    package static let becomeCurrent = BusCall(name, "BecomeCurrent", takes: .string("activity"))
    package static let resignCurrent = BusCall(name, "ResignCurrent", takes: .string("activity"))
    package static let invalidate = BusCall(name, "Invalidate", takes: .string("activity"))
    /// Gives the client a pair of streams that another device has opened, and answers with the
    /// transport and the socket. A pair can be taken only once, because the daemon keeps no copy of
    /// the client's socket.
    package static let takeStreams: BusCall<String, (String, OwnedDescriptor)> = BusCall(
        name, "TakeStreams", takes: .string("stream"), returns: .both(.text("transport"), .descriptor("descriptor")))
    /// Gives a pair of streams back to the daemon, with its socket, after the client has closed
    /// both directions. If `discard` is true, the daemon discards the bytes that still arrive.
    package static let closeStreams = BusCall(
        name, "CloseStreams", takes: .three(.string("stream"), .bool("discard"), .descriptor("descriptor")))
    /// Answers with the progress of a pair of streams. Sends the client the progress after each
    /// change until the streams end or the client leaves.
    package static let followStreams: BusCall<String, StreamProgress> = BusCall(
        name, "FollowStreams", takes: .string("stream"), returns: .dictionary("progress"))

    static let methods: [any BusMethod] = [
        publish, update, becomeCurrent, resignCurrent, invalidate, takeStreams, closeStreams, followStreams,
    ]
    static let signals = [
        signal("WillSave", ["activity": "s"]),
        signal("WasContinued", ["activity": "s", "device": "s", "deviceName": "s"]),
        signal("NotContinued", ["activity": "s", "device": "s", "deviceName": "s", "reason": "s"]),
        signal("StreamsOpened", ["activity": "s", "stream": "s", "device": "s", "deviceName": "s"]),
        signal("Warning", ["activity": "s", "text": "s"]),
        signal("CurrentChanged", ["activity": "s", "current": "b"]),
        signal("StreamEnded", ["stream": "s", "complete": "b", "error": "s"]),
        signal("Ended", ["activity": "s", "reason": "s"]),
        signal("StreamProgress", ["stream": "s", "progress": "a{sv}"]),
    ]

    private static let publication = BusArguments<(String, [String: DBusValue])>
        .both(.string("type"), .values("properties")).map(
            { type, values in
                try ActivityCoding.checkType(type)
                let options = try PublishOptions(bus: values)
                let properties = try ActivityCoding.decode(values, also: PublishOptions.keys)
                try ActivityCoding.checkNothingIsCleared(values)
                return Publication(
                    activity: properties.applied(to: ActivityState(activityType: type)), options: options,
                    needsSave: properties.needsSave ?? false)
            },
            { publication in
                try ActivityCoding.checkType(publication.activity.activityType)
                var values = try ActivityCoding.encode(publication.activity)
                values["needsSave"] = .bool(publication.needsSave)
                return (publication.activity.activityType, values.merging(publication.options.bus) { $1 })
            })

    private static let change: BusArguments<Result<ActivityProperties, BatonError>> = BusArguments.values("properties")
        .map(
            { values in
                do { return .success(try ActivityCoding.decode(values)) } catch let error as BatonError {
                    return .failure(error)
                }
            },
            { try ActivityCoding.encode($0.get()) })
}

/// An activity that a client publishes.
package struct Publication: Hashable, Sendable {
    /// The activity's type and contents.
    package var activity: ActivityState
    /// The apps that may continue the activity, and when it is offered.
    package var options: PublishOptions
    /// Whether to ask the client for fresher contents before they are sent.
    package var needsSave: Bool
}

/// The client's own activities.
extension BatonBusClient {
    /// Publishes an activity and returns its id. The activity is not current yet.
    ///
    /// - Parameters:
    ///   - activity: The activity's type and contents.
    ///   - options: The apps that may continue the activity, and when it is offered.
    ///   - needsSave: Whether to ask this client for fresher contents before they are sent.
    public func publish(
        _ activity: ActivityState, options: PublishOptions = PublishOptions(), needsSave: Bool = false
    ) async throws -> String {
        try await call(
            ActivitiesInterface.publish, Publication(activity: activity, options: options, needsSave: needsSave))
    }

    /// Changes some properties of an activity.
    public func update(activity: String, properties: ActivityProperties) async throws {
        try await call(ActivitiesInterface.update, (activity, .success(properties)))
    }

    /// Makes an activity the current one, which this device advertises.
    public func becomeCurrent(activity: String) async throws {
        try await call(ActivitiesInterface.becomeCurrent, activity)
    }

    /// Stops advertising an activity. The activity stays published.
    public func resignCurrent(activity: String) async throws {
        try await call(ActivitiesInterface.resignCurrent, activity)
    }

    /// Ends an activity.
    public func invalidate(activity: String) async throws { try await call(ActivitiesInterface.invalidate, activity) }

    /// Takes a pair of streams that a continuing app has opened. A pair can be taken once, within
    /// 30 s after ``ActivityEvent/streamsOpened(activity:stream:device:deviceName:)``.
    public func takeStreams(_ stream: String) async throws -> OpenedStreams {
        let (transport, descriptor) = try await call(ActivitiesInterface.takeStreams, stream)
        return OpenedStreams(stream: stream, transport: transport, descriptor: descriptor)
    }

    /// Returns the progress of a pair of this client's streams, then the new progress after each
    /// change, at most a few times a second. The stream finishes when the bus disconnects, but not
    /// when the pair ends.
    public func followStreams(_ stream: String) async throws -> AsyncStream<StreamProgress> {
        let changes = try await events(
            of: BatonBusName.activities, member: "StreamProgress", arguments: [0: stream]
        ) { try? StreamProgress(bus: $0.arguments.dropFirst().first) }
        return Self.following(try await call(ActivitiesInterface.followStreams, stream), changes)
    }

    /// Gives a pair of streams back to the daemon after this program has closed both directions.
    /// The other device then gets all bytes that were written, even if this program ends now.
    ///
    /// - Parameters:
    ///   - stream: The pair's id.
    ///   - end: The program's socket, or a copy of it. The daemon gets a descriptor of its own.
    ///   - discards: Whether the daemon discards bytes that still arrive. If not, such bytes break
    ///     the streams.
    ///   - timeout: The time to wait for the daemon's answer.
    public func closeStreams(
        _ stream: String, end: OwnedDescriptor, discards: Bool, timeout: Duration
    ) async throws {
        try await call(ActivitiesInterface.closeStreams, (stream, discards, end), timeout: timeout)
    }
}
