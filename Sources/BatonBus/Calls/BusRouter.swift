// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The closures that answer calls, one for each ``BusCall``, and the error for all other calls.
///
/// A ``BatonError`` that a route throws reaches the caller with its code, unless the code concerns
/// only the daemon itself. Most other errors arrive as `Failed`. The calls of one client begin in
/// the order in which the client made them.
package struct BusRouter: Sendable {
    private typealias Route = @Sendable ([DBusValue], ClientID, Admission) async throws -> [DBusValue]

    private var routes: [String: Route] = [:]
    private let otherwise: BatonError

    /// Creates a router without routes.
    ///
    /// - Parameter otherwise: The error to throw for calls that have no route.
    package init(otherwise: BatonError) { self.otherwise = otherwise }

    /// Sets the closure that answers a call, and replaces an earlier one. The closure gets the
    /// arguments and the client.
    package mutating func on<Arguments, Answer>(
        _ call: BusCall<Arguments, Answer>,
        _ body: @escaping @Sendable (Arguments, ClientID) async throws -> Answer
    ) {
        routes[call.fullName] = { values, client, admission in
            let answer = try await body(call.takes.decode(values), client)
            return try call.returns.encode(admission.contains(.managing) ? answer : call.unprivilegedPart(answer))
        }
    }

    /// Sets the closure that answers a call without arguments.
    package mutating func on<Answer>(
        _ call: BusCall<Void, Answer>, _ body: @escaping @Sendable (ClientID) async throws -> Answer
    ) {
        on(call) { (_: Void, client: ClientID) in try await body(client) }
    }

    /// Sets the closure that answers a call with two arguments.
    package mutating func on<First, Second, Answer>(
        _ call: BusCall<(First, Second), Answer>,
        _ body: @escaping @Sendable (First, Second, ClientID) async throws -> Answer
    ) {
        on(call) { (both: (First, Second), client: ClientID) in try await body(both.0, both.1, client) }
    }

    /// Sets the closure that answers a call with three arguments.
    package mutating func on<First, Second, Third, Answer>(
        _ call: BusCall<(First, Second, Third), Answer>,
        _ body: @escaping @Sendable (First, Second, Third, ClientID) async throws -> Answer
    ) {
        on(call) { (all: (First, Second, Third), client: ClientID) in try await body(all.0, all.1, all.2, client) }
    }

    /// The full names of all interfaces' methods that have no route, without the one method that
    /// the service answers itself.
    package var unrouted: [String] {
        BatonBusService.interfaces.flatMap { $0.methods.map(\.fullName) }
            .filter { routes[$0] == nil && $0 != DaemonInterface.explainErrors.fullName }
    }

    func answer(
        _ method: any BusMethod, _ values: [DBusValue], client: ClientID, admission: Admission
    ) async throws -> [DBusValue] {
        guard let route = routes[method.fullName] else {
            // Check the arguments first, as for a method with a route.
            try method.checkArguments(values)
            throw otherwise
        }
        return try await route(values, client, admission)
    }
}
