// SPDX-License-Identifier: Apache-2.0

import ActivityModel
public import DBus
import Diagnosis

/// A client of an app's `org.batonproject.Application1` interface, which the daemon calls.
///
/// Every method throws a ``BatonError``. An app's own error keeps its code. The code is
/// `applicationFailed` when the app does not have the interface or has ended, and
/// `remoteApplicationTimedOut` when it does not answer in time.
public struct ApplicationBusClient: Sendable {
    /// The app's id, which is its bus name.
    public let identifier: String
    /// The app's connection to the bus. If the app restarts, another connection owns the app's bus
    /// name.
    public let owner: ClientID
    /// The app's name in error messages.
    private let name: String
    /// Whether the app's errors are in whole sentences, like the errors of adapters.
    private let isAdapter: Bool
    private let connection: DBusConnection
    private let limits: ApplicationTimeLimits

    /// Creates a client of an app that is on the bus.
    ///
    /// - Parameters:
    ///   - name: The app's name in error messages, or nil to use the id instead.
    ///   - isAdapter: Whether the app is an adapter, whose errors are shown in its own words. The
    ///     words of any other app are quoted.
    public init(
        identifier: String, name: String? = nil, isAdapter: Bool = false, owner: ClientID, connection: DBusConnection,
        limits: ApplicationTimeLimits = ApplicationTimeLimits()
    ) {
        self.identifier = identifier
        self.isAdapter = isAdapter
        self.name = name ?? identifier
        self.owner = owner
        self.connection = connection
        self.limits = limits
    }

    /// Returns the path of an app's object, which is made from the parts of the app's id.
    ///
    /// Source: Desktop Entry Specification 1.5, "D-Bus Activation".
    public static func path(of identifier: String) -> String {
        "/" + identifier.map { $0 == "." ? "/" : $0 == "-" ? "_" : String($0) }.joined()
    }

    /// Tells the app that the user chose an activity, which Baton is fetching.
    ///
    /// - Returns: Whether the app shows the user that a continuation is in progress.
    public func willContinue(_ coming: ComingActivity) async throws -> Bool {
        try await call(ApplicationInterface.willContinue, coming, limits.willContinue)
    }

    /// Hands the activity to the app. The continuation must already belong to the app.
    ///
    /// - Returns: Whether the app has taken the activity over.
    public func continueActivity(_ activity: ContinuedActivity) async throws -> Bool {
        try await call(ApplicationInterface.continue, activity, limits.continueActivity)
    }

    /// Tells the app that an announced activity will not arrive.
    public func didFail(type: String, error: BatonError) async throws {
        try await call(ApplicationInterface.didFail, (type, error), limits.didFail)
    }

    private func call<Arguments, Answer>(
        _ call: BusCall<Arguments, Answer>, _ arguments: Arguments, _ timeout: Duration
    ) async throws -> Answer {
        do {
            // Call the connection instead of the name. A call to the name would start an app that
            // has ended.
            return try await connection.call(
                call, arguments, destination: owner.rawValue, path: Self.path(of: identifier), timeout: timeout)
        } catch let error as DBusError {
            throw await failure(error)
        }
    }

    private func failure(_ error: DBusError) async -> any Error {
        let app = ["app": Reason.Value.text(name)]
        let ended = BatonError(.applicationFailed, .appEnded, app, cause: error.name)
        switch error.name {
        case DBusError.unknownObject, DBusError.unknownInterface, DBusError.unknownMethod:
            return BatonError(.applicationFailed, .appWithoutInterface, app, cause: error.name)
        case DBusError.noReply:
            // The bus reports the same error for a slow app and for an app that has ended.
            if (try? await connection.owner(of: owner.rawValue)) == nil { return ended }
            return BatonError(.remoteApplicationTimedOut, .appSilent, app, cause: error.name)
        case DBusError.serviceUnknown, DBusError.nameHasNoOwner: return ended
        default:
            guard let failure = BatonError.fromTheBus(error) as? BatonError, failure.code != .busUnavailable
            else { return BatonError.fromTheBus(error) }
            guard !error.message.trimmed.isEmpty else {
                return BatonError(failure.code, .appNotTaken, app, cause: failure.cause)
            }
            // The root of this system or the user has allowed the adapter to speak for apps. It
            // says what happened and what to do, as Baton does.
            if isAdapter { return failure }
            return BatonError(
                failure.code, .appFailed, app.merging(["message": .quotation(error.message)]) { $1 },
                cause: failure.cause)
        }
    }
}
