// SPDX-License-Identifier: Apache-2.0

/// A decoder of bytes from elsewhere, and what must hold whatever they are.
struct FuzzTarget: Sendable {
    /// What it is called: the first argument, and the folder of its kept inputs.
    let name: String
    /// The longest input that is tried, in bytes.
    let maximumLength: Int
    /// Inputs that are right, to begin with.
    let seeds: @Sendable () throws -> [[UInt8]]

    private let body: @Sendable ([UInt8]) throws -> Void

    /// A target.
    ///
    /// - Parameter body: What is tried; it throws a ``FuzzFinding`` when something does not hold,
    ///   and anything else when the input is refused.
    init(
        _ name: String, maximumLength: Int = 4_096, seeds: @escaping @Sendable () throws -> [[UInt8]],
        body: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.name = name
        self.maximumLength = maximumLength
        self.seeds = seeds
        self.body = body
    }

    /// All there are.
    static let all: [FuzzTarget] = [
        .beacon, .knock, .pairing, .frame, .session, .stream, .invitation, .roster, .state, .busArguments, .infoJSON,
        .desktopEntry, .configuration, .saved, .caller, .air, .bluez, .browser, .domains, .trace,
    ]

    /// Tries an input.
    ///
    /// - Returns: Whether it was taken, and not refused as most of them must be.
    /// - Throws: ``FuzzFinding`` when something does not hold.
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

/// Something that must hold, and does not for some input.
struct FuzzFinding: Error {
    /// One line.
    let rule: String

    /// Throws unless a condition holds. What cannot even be judged without an error does not hold.
    static func unless(_ rule: String, _ condition: () throws -> Bool) throws(FuzzFinding) {
        if (try? condition()) != true { throw FuzzFinding(rule: rule) }
    }
}
