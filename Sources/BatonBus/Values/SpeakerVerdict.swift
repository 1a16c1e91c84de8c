// SPDX-License-Identifier: Apache-2.0

/// Whether an adapter may speak for a program, and who the program is: the answer of
/// `Adapters.Judge` and `Adapters.JudgeEnd`.
public struct SpeakerVerdict: Hashable, Sendable {
    /// Why an adapter may not speak for a program.
    public struct Reason: Hashable, Sendable, RawRepresentable {
        /// The word on the bus. More may come.
        public var rawValue: String
        /// A reason with this word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A sandbox confines the program.
        public static let sandboxed = Reason(rawValue: "sandboxed")
        /// The daemon could not find out who the program is.
        public static let unknown = Reason(rawValue: "unknown")
        /// The program has left the bus, or closed its end of the socket.
        public static let gone = Reason(rawValue: "gone")
    }

    /// Why an adapter may not speak for the program; nil when it may.
    public var refusal: Reason?
    /// The id of the app that the program may go by; empty when nothing tells.
    public var application: String
    /// The file name of the program's executable; empty when it cannot be seen.
    public var program: String

    /// A verdict.
    public init(refusal: Reason? = nil, application: String = "", program: String = "") {
        self.refusal = refusal
        self.application = application
        self.program = program
    }

    /// Why an adapter may not speak for the program, in a clause for people; nil when it may.
    public var refusalText: String? {
        switch refusal {
        case nil: nil
        case .sandboxed?: "the program runs in a sandbox, and no adapter speaks for what is in a sandbox"
        case .gone?: "the program has gone"
        case _?: "batond cannot find out which program it is; 'baton doctor' says what to do"
        }
    }
}
