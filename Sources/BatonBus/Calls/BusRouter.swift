// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// What answers each call: a route for each ``BusCall``, and one error for those without a route.
///
/// A route may throw a ``BatonError``, which reaches the caller as it is; any other error arrives
/// as `Failed`. Calls of one client begin in the order in which it made them.
package struct BusRouter: Sendable {
    private typealias Route = @Sendable ([DBusValue], ClientID, Admission) async throws -> [DBusValue]

    private var routes: [String: Route] = [:]
    private let otherwise: BatonError

    /// A router without routes.
    ///
    /// - Parameter otherwise: The answer of calls that have no route.
    package init(otherwise: BatonError) { self.otherwise = otherwise }

    /// Answers a call by a closure, which gets the arguments and the client. It takes the place of
    /// a route that the call had.
    package mutating func on<Arguments, Answer>(
        _ call: BusCall<Arguments, Answer>,
        _ body: @escaping @Sendable (Arguments, ClientID) async throws -> Answer
    ) {
        routes[call.fullName] = { values, client, admission in
            let answer = try await body(call.takes.decode(values), client)
            return try call.returns.encode(admission.contains(.managing) ? answer : call.unprivilegedPart(answer))
        }
    }

    /// Answers a call without arguments.
    package mutating func on<Answer>(
        _ call: BusCall<Void, Answer>, _ body: @escaping @Sendable (ClientID) async throws -> Answer
    ) {
        on(call) { (_: Void, client: ClientID) in try await body(client) }
    }

    /// Answers a call with two arguments.
    package mutating func on<First, Second, Answer>(
        _ call: BusCall<(First, Second), Answer>,
        _ body: @escaping @Sendable (First, Second, ClientID) async throws -> Answer
    ) {
        on(call) { (both: (First, Second), client: ClientID) in try await body(both.0, both.1, client) }
    }

    /// Answers a call with three arguments.
    package mutating func on<First, Second, Third, Answer>(
        _ call: BusCall<(First, Second, Third), Answer>,
        _ body: @escaping @Sendable (First, Second, Third, ClientID) async throws -> Answer
    ) {
        on(call) { (all: (First, Second, Third), client: ClientID) in try await body(all.0, all.1, all.2, client) }
    }

    /// The methods of all interfaces that have no route.
    package var unrouted: [String] {
        BatonBusService.interfaces.flatMap { $0.methods.map(\.fullName) }.filter { routes[$0] == nil }
    }

    func answer(
        _ method: any BusMethod, _ values: [DBusValue], client: ClientID, admission: Admission
    ) async throws -> [DBusValue] {
        guard let route = routes[method.fullName] else {
            // A caller learns of its own mistake first, as from a method that has a route.
            try method.checkArguments(values)
            throw otherwise
        }
        return try await route(values, client, admission)
    }
}
