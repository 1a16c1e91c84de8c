// SPDX-License-Identifier: Apache-2.0

/// `org.batonproject.Baton1.Rules`: what the user wants to happen with offers and activities.
package enum RulesInterface: BusInterface {
    static let name = BatonBusName.rules
    package static let list: BusCall<Void, [String]> = BusCall(name, "List", returns: .texts("rules"), needs: .managing)
    package static let add = BusCall(name, "Add", takes: .string("rule"), needs: .managing)
    package static let insert = BusCall(
        name, "Insert", takes: .both(.number("number"), .string("rule")), needs: .managing)
    package static let remove = BusCall(name, "Remove", takes: .number("number"), needs: .managing)
    /// Without a duration until ``resume``.
    package static let pause: BusCall<Duration?, Void> = BusCall(
        name, "Pause",
        takes: BusArguments.number("seconds").map(
            { $0 == 0 ? nil : .seconds($0) }, { $0.map { max(1, Int(clamping: $0.components.seconds)) } ?? 0 }),
        needs: .managing)
    package static let resume = BusCall(name, "Resume", needs: .managing)

    static let methods: [any BusMethod] = [list, add, insert, remove, pause, resume]
}

/// The user's say.
extension BatonBusClient {
    /// The rules in their order; each is what ``addRule(_:)`` takes.
    public func rules() async throws -> [String] { try await call(RulesInterface.list) }

    /// Adds a rule, as Documentation/Configuration.md describes them.
    ///
    /// - Parameter number: The number, from 1, that it gets, those from there on having one more;
    ///   nil for after the others.
    public func addRule(_ rule: String, at number: Int? = nil) async throws {
        guard let number else { return try await call(RulesInterface.add, rule) }
        try await call(RulesInterface.insert, (number, rule))
    }

    /// Removes a rule by its number, from 1.
    public func removeRule(_ number: Int) async throws { try await call(RulesInterface.remove, number) }

    /// Advertises, shows and continues nothing by itself for a while; to a second, `nil` until
    /// ``resume()``.
    public func pause(for duration: Duration? = nil) async throws { try await call(RulesInterface.pause, duration) }

    /// Ends a pause; nothing happens when there is none.
    public func resume() async throws { try await call(RulesInterface.resume) }
}
