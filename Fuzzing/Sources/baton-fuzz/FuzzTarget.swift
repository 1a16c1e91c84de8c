// SPDX-License-Identifier: Apache-2.0

/// A decoder of untrusted bytes, with the rules that hold for every input.
struct FuzzTarget: Sendable {
    /// The name: the first argument, and the folder of its kept inputs.
    let name: String
    /// The longest input to try, in bytes.
    let maximumLength: Int
    /// Returns valid inputs to start from.
    let seeds: @Sendable () throws -> [[UInt8]]

    private let body: @Sendable ([UInt8]) throws -> Void

    /// Creates a target.
    ///
    /// - Parameter body: Tries an input. It throws a ``FuzzFinding`` when a rule is broken, and any
    ///   other error
    ///   when the input is refused.
    init(
        _ name: String, maximumLength: Int = 4_096, seeds: @escaping @Sendable () throws -> [[UInt8]],
        body: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.name = name
        self.maximumLength = maximumLength
        self.seeds = seeds
        self.body = body
    }

    /// All targets.
    static let all: [FuzzTarget] = [
        .beacon, .knock, .pairing, .frame, .session, .stream, .invitation, .roster, .state, .busArguments, .infoJSON,
        .desktopEntry, .configuration, .saved, .caller, .air, .bluez, .browser, .domains, .trace,
    ]

    /// Tries an input.
    ///
    /// - Returns: Whether it was accepted. Most inputs must be refused.
    /// - Throws: ``FuzzFinding`` when a rule is broken.
    @discardableResult
    func run(_ input: [UInt8]) throws(FuzzFinding) -> Bool {
        do {
            try body(input)
            return true
        } catch let finding as FuzzFinding {
            throw finding
        } catch {
            return false
        }
    }
}

/// A rule that some input has broken.
struct FuzzFinding: Error {
    /// The rule in one line.
    let rule: String

    /// Throws unless a condition holds. A condition that throws counts as not met.
    static func unless(_ rule: String, _ condition: () throws -> Bool) throws(FuzzFinding) {
        if (try? condition()) != true { throw FuzzFinding(rule: rule) }
    }
}
