// SPDX-License-Identifier: Apache-2.0

internal import Diagnosis

/// The form that an argument of a call, or a property of an activity, must have.
enum Expectation {
    /// A value of the D-Bus type with this signature.
    case type(String)
    /// A text of the same form as this example.
    case form(Example)
    /// A number in this range.
    case number(ClosedRange<Int>)
    /// A text that is one of these words.
    case word([String])
    /// A text whose length in bytes is in this range, without invisible characters.
    case text(ClosedRange<Int>)

    /// Examples of texts, one for each form.
    enum Example: String {
        case url = "https://example.org/a%20b"
        case fileURL = "file:///home/ada/picture.png"
        case uuid = "5F4F5C1E-7A0E-4C5B-9B5A-0D0C4F1B2A3D"
        case busName = ":1.42"
        case address = "192.0.2.7:4711"
    }

    static let string = Expectation.type("s")
    static let strings = Expectation.type("as")
    static let bool = Expectation.type("b")
    static let seconds = Expectation.type("x")
}

extension BatonError {
    /// Creates the error for an argument that does not have the expected form.
    static func invalid(_ name: String, _ expected: Expectation) -> BatonError {
        switch expected {
        case .type(let signature): BatonError(argument: name, .argumentType, ["type": .text(signature)])
        case .form(let example): BatonError(argument: name, .argumentForm, ["example": .text(example.rawValue)])
        case .number(let range): BatonError(argument: name, .argumentRange, values(of: range))
        case .word(let words):
            BatonError(argument: name, .argumentChoice, ["choices": .list(words)])
        case .text(let range): BatonError(argument: name, .argumentText, values(of: range))
        }
    }

    private static func values(of range: ClosedRange<Int>) -> [String: Reason.Value] {
        ["least": .count(range.lowerBound), "greatest": .count(range.upperBound)]
    }

    /// Creates the error for an option that a call does not have.
    static func unknownOption(_ name: String, known: String...) -> BatonError {
        BatonError(argument: "options.\(name.prefix(100))", .argumentUnknown, ["others": .list(known)])
    }
}

extension Optional {
    /// Returns the value, or throws `InvalidArgument` with the expected form if it is nil.
    func orInvalid(_ name: String, _ expected: Expectation) throws -> Wrapped {
        guard let self else { throw BatonError.invalid(name, expected) }
        return self
    }
}
