// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries

/// What the kernel tells of a program at one moment.
struct ObservedProgram: Hashable, Sendable {
    /// Which application it is, and whether a sandbox confines it.
    let caller: Caller
    /// The path of its executable; nil when it cannot be looked at, as where the program lets
    /// nobody look.
    let executable: String?
    /// What it is called in lists of processes; nil when it has gone.
    let command: String?

    /// Looks at a process.
    init(_ process: ProcessDirectory, user: UInt32) {
        let seen = Caller(of: process, user: user)
        executable = process.executable
        let isHidden = seen == .unidentified && executable == nil
        caller = (isHidden ? Caller(hidden: process, user: user) : nil) ?? seen
        command = process.command
    }

    /// An observation.
    init(caller: Caller, executable: String?, command: String? = nil) {
        (self.caller, self.executable, self.command) = (caller, executable, command)
    }

    /// Nothing was to be seen, as of another user's program.
    static let unseen = ObservedProgram(caller: .unidentified, executable: nil)

    /// The file name of its executable, or what it is called where it lets nobody look; empty when
    /// it cannot be judged.
    var program: String { executable?.fileName ?? (refusal == nil ? command : nil) ?? "" }

    /// Why no adapter may speak for it; nil when one may.
    var refusal: SpeakerVerdict.Reason? {
        caller == .unidentified ? .unknown : caller.isSandboxed ? .sandboxed : nil
    }

    /// Which app it may go by.
    ///
    /// - Parameters:
    ///   - claimed: The app that it claims to be.
    ///   - entry: The installed desktop entry of that app; nil for none.
    ///   - session: Where programs are that entries name without a path.
    /// - Returns: The claim where its unit says the same, or the entry starts the executable. Else
    ///   what its unit says; nil when that says nothing.
    func application(claimed: String, _ entry: DesktopEntry?, in session: SessionVariables) -> String? {
        let unit = caller.kind == .unit ? caller.applicationID : nil
        guard let entry, entry.identifier == claimed, entry.sandboxedApp == nil, isStarted(by: entry, in: session)
        else {
            return unit
        }
        return claimed
    }

    /// Whether the program that an entry starts is the one that is executed. One that lets nobody
    /// look goes by what it is called: it is the user's own, and could be started by that entry.
    private func isStarted(by entry: DesktopEntry, in session: SessionVariables) -> Bool {
        guard let name = entry.arguments?.first, let program = session.programs.path(of: name),
            let resolved = ProcessDirectory.resolved(program)
        else { return false }
        return executable.map { $0 == resolved } ?? (resolved.fileName == command)
    }
}
