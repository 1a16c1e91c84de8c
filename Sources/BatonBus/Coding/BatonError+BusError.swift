// SPDX-License-Identifier: Apache-2.0

public import DBus
public import Diagnosis
package import HandoffModel

extension DBusError {
    /// Returns the reason for people: Baton's words for the error's name, or a quotation of the
    /// program's message.
    ///
    /// - Parameter program: The name of the program that reported the error.
    package func reason(of program: String) -> Reason {
        Reason(busError: name, of: program) ?? Reason(quoting: message.isEmpty ? name : message, of: program)
    }
}

extension DBusError: ExplainedError {
    /// The reason, if it is not known which program reported the error.
    public var explanation: Reason { reason(of: "D-Bus") }
}

extension BatonError {
    /// Creates an error because another program reported one over D-Bus. The log gets the program's
    /// message.
    ///
    /// - Parameters:
    ///   - values: The values of the sentence, to which `reason` is added.
    ///   - error: The program's error.
    ///   - program: The program's name for people.
    package init(
        _ code: Code, _ failure: FailureCode, _ values: [String: Reason.Value] = [:], because error: DBusError,
        of program: String = "D-Bus"
    ) {
        let reason = Reason.Value.reason(error.reason(of: program))
        self.init(code, Reason(failure, values).with("reason", reason), cause: error.name)
        detail = "\(program): \(error)"
    }
}
