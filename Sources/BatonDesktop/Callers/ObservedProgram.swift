// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries

/// What the kernel tells of a program at one moment.
struct ObservedProgram: Hashable, Sendable {
    /// Which application it is, and whether a sandbox confines it.
    let caller: Caller
    /// The path of its executable; nil when it cannot be looked at.
    let executable: String?
    /// What it is called in lists of processes; nil when it has gone.
    let command: String?

    /// Looks at a process.
    init(_ process: ProcessDirectory, user: UInt32) {
        caller = Caller(of: process, user: user)
        executable = process.executable
        command = process.command
    }

    /// An observation.
    init(caller: Caller, executable: String?, command: String? = nil) {
        (self.caller, self.executable, self.command) = (caller, executable, command)
    }

    /// Nothing was to be seen, as of another user's program.
    static let unseen = ObservedProgram(caller: .unidentified, executable: nil)

    /// The file name of its executable; empty when it cannot be looked at.
    var program: String { executable?.fileName ?? "" }

    /// Why no adapter may speak for it; nil when one may.
    var refusal: SpeakerVerdict.Reason? {
        caller == .unidentified ? .unknown : caller.isSandboxed ? .sandboxed : executable == nil ? .unknown : nil
    }

    /// Which app it may go by.
    ///
    /// - Parameters:
    ///   - claimed: The app that it claims to be.
    ///   - entry: The installed desktop entry of that app; nil for none.
    /// - Returns: The claim where its unit says the same, or the entry starts the executable. Else
    ///   what its unit says; nil when that says nothing.
    func application(claimed: String, _ entry: DesktopEntry?) -> String? {
        let unit = caller.kind == .unit ? caller.applicationID : nil
        guard let entry, entry.identifier == claimed, entry.sandboxedApp == nil, isStarted(by: entry) else {
            return unit
        }
        return claimed
    }

    /// Whether the program that an entry starts is the one that is executed.
    private func isStarted(by entry: DesktopEntry) -> Bool {
        guard let executable, let name = entry.arguments?.first, let program = ProgramStarter.executable(name) else {
            return false
        }
        return ProcessDirectory.resolved(program) == executable
    }
}
