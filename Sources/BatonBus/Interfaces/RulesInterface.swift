// SPDX-License-Identifier: Apache-2.0

/// `org.batonproject.Baton1.Rules`: the user's rules about offers and activities, and the pause.
package enum RulesInterface: BusInterface {
    static let name = BatonBusName.rules
    package static let list: BusCall<Void, [String]> = BusCall(name, "List", returns: .texts("rules"), needs: .managing)
    package static let add = BusCall(name, "Add", takes: .string("rule"), needs: .managing)
    package static let insert = BusCall(
        name, "Insert", takes: .both(.number("number"), .string("rule")), needs: .managing)
    package static let remove = BusCall(name, "Remove", takes: .number("number"), needs: .managing)
    /// Pauses Baton for a duration in whole seconds, or until ``resume`` if the duration is nil.
    package static let pause: BusCall<Duration?, Void> = BusCall(
        name, "Pause",
        takes: BusArguments.number("seconds").map(
            { $0 == 0 ? nil : .seconds($0) }, { $0.map { max(1, Int(clamping: $0.components.seconds)) } ?? 0 }),
        needs: .managing)
    package static let resume = BusCall(name, "Resume", needs: .managing)

    static let methods: [any BusMethod] = [list, add, insert, remove, pause, resume]
}

/// The user's rules, and the pause.
extension BatonBusClient {
    /// Returns the rules in their order, in the form that ``addRule(_:at:)`` takes.
    public func rules() async throws -> [String] { try await call(RulesInterface.list) }

    /// Adds a rule. Documentation/Configuration.md describes the syntax.
    ///
    /// - Parameter number: The number of the new rule, counted from 1, or nil to add it after all
    ///   others. The numbers of the rules from this position on increase by one.
    public func addRule(_ rule: String, at number: Int? = nil) async throws {
        guard let number else { return try await call(RulesInterface.add, rule) }
        try await call(RulesInterface.insert, (number, rule))
    }

    /// Removes a rule by its number, from 1.
    public func removeRule(_ number: Int) async throws { try await call(RulesInterface.remove, number) }

    /// Pauses Baton, so that it advertises, shows and continues nothing. The duration counts in
    /// whole seconds; `nil` pauses until ``resume()``.
    public func pause(for duration: Duration? = nil) async throws { try await call(RulesInterface.pause, duration) }

    /// Ends a pause. Does nothing if Baton is not paused.
    public func resume() async throws { try await call(RulesInterface.resume) }
}
