// SPDX-License-Identifier: Apache-2.0

package import Diagnosis

/// Whether an adapter may speak for a program, and the program's identity: the answer of
/// `Adapters.Judge` and `Adapters.JudgeEnd`.
public struct SpeakerVerdict: Hashable, Sendable {
    /// The reason why an adapter may not speak for a program.
    public struct Reason: Hashable, Sendable, RawRepresentable {
        /// The word on the bus. Later versions may add more.
        public var rawValue: String
        /// Creates a reason with this word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A sandbox confines the program.
        public static let sandboxed = Reason(rawValue: "sandboxed")
        /// The daemon could not identify the program.
        public static let unknown = Reason(rawValue: "unknown")
        /// The program has left the bus, or closed its end of the socket.
        public static let gone = Reason(rawValue: "gone")
    }

    /// The reason why an adapter may not speak for the program, or nil if it may.
    public var refusal: Reason?
    /// The id of the app to which the program may belong, or empty if it is unknown.
    public var application: String
    /// The file name of the program's executable, or empty if the daemon cannot read it.
    public var program: String

    /// Creates a verdict.
    public init(refusal: Reason? = nil, application: String = "", program: String = "") {
        self.refusal = refusal
        self.application = application
        self.program = program
    }

    /// The failure of a call that lets an adapter speak for the program, or nil if it may.
    package var failure: FailureCode? {
        switch refusal {
        case nil: nil
        case .sandboxed?: .programSandboxed
        case .gone?: .programGone
        case _?: .programUnknown
        }
    }
}
