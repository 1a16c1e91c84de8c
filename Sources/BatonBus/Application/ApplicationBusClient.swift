// SPDX-License-Identifier: Apache-2.0

public import DBus

/// An app, as the daemon calls it: `org.batonproject.Application1`.
///
/// The methods throw a ``BatonError``: the app's own, `applicationFailed` for one that has no
/// such interface or ended, and `remoteApplicationTimedOut` for one that did not answer in time.
public struct ApplicationBusClient: Sendable {
    /// The app's id, which is its bus name.
    public let identifier: String
    /// The app's connection to the bus, of all that own its name one after the other.
    public let owner: ClientID
    /// What errors call it.
    private let name: String
    private let connection: DBusConnection
    private let limits: ApplicationTimeLimits

    /// An app that is on the bus.
    ///
    /// - Parameter name: What errors call it; nil for its id.
    public init(
        identifier: String, name: String? = nil, owner: ClientID, connection: DBusConnection,
        limits: ApplicationTimeLimits = ApplicationTimeLimits()
    ) {
        self.identifier = identifier
        self.name = name ?? identifier
        self.owner = owner
        self.connection = connection
        self.limits = limits
    }

    /// Where an app has its object: the id's parts, as `org.freedesktop.Application` has it.
    ///
    /// Source: Desktop Entry Specification 1.5, "D-Bus Activation".
    public static func path(of identifier: String) -> String {
        "/" + identifier.map { $0 == "." ? "/" : $0 == "-" ? "_" : String($0) }.joined()
    }

    /// Tells the app what is on its way.
    ///
    /// - Returns: Whether the app shows that something is under way.
    public func willContinue(_ coming: ComingActivity) async throws -> Bool {
        try await call(ApplicationInterface.willContinue, coming, limits.willContinue)
    }

    /// Hands the activity to the app, to which the continuation belongs by then.
    ///
    /// - Returns: Whether the app has taken it over.
    public func continueActivity(_ activity: ContinuedActivity) async throws -> Bool {
        try await call(ApplicationInterface.continue, activity, limits.continueActivity)
    }

    /// Tells the app that what it was told of does not come.
    public func didFail(type: String, error: BatonError) async throws {
        try await call(ApplicationInterface.didFail, (type, error), limits.didFail)
    }

    private func call<Arguments, Answer>(
        _ call: BusCall<Arguments, Answer>, _ arguments: Arguments, _ timeout: Duration
    ) async throws -> Answer {
        do {
            // To the connection and not the name: an app that ended is not to be started by the
            // next call.
            return try await connection.call(
                call, arguments, destination: owner.rawValue, path: Self.path(of: identifier), timeout: timeout)
        } catch let error as DBusError {
            throw await failure(error)
        }
    }

    private func failure(_ error: DBusError) async -> any Error {
        let ended = BatonError(
            .applicationFailed, "\(name) ended before it had taken the activity over", cause: error.name)
        switch error.name {
        case DBusError.unknownObject, DBusError.unknownInterface, DBusError.unknownMethod:
            return BatonError(
                .applicationFailed,
                "\(name) is running, but does not have \(BatonBusName.application) on the session bus; "
                    + "its developer has to add it, or leave X-Baton-ActivityTypes out", cause: error.name)
        case DBusError.noReply:
            // The bus says the same of an app that ended.
            if (try? await connection.owner(of: owner.rawValue)) == nil { return ended }
            return BatonError(.remoteApplicationTimedOut, "\(name) did not answer in time", cause: error.name)
        case DBusError.serviceUnknown, DBusError.nameHasNoOwner: return ended
        default:
            // The app's own words, which need not say whose they are.
            guard let failure = BatonError.fromTheBus(error) as? BatonError, failure.code != .busUnavailable
            else { return BatonError.fromTheBus(error) }
            let isItsOwn = failure.code == .failed && !error.message.isEmpty
            let words = isItsOwn ? error.message : failure.description
            return BatonError(failure.code, "\(name): \(words)", cause: failure.cause)
        }
    }
}
