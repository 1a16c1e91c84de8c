// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries

/// The kernel's facts about a program at one moment.
struct ObservedProgram: Hashable, Sendable {
    /// The application, and whether a sandbox confines it.
    let caller: Caller
    /// The path of the program's executable, or nil if the program does not allow inspection or has
    /// ended.
    let executable: String?
    /// The program's name in lists of processes, or nil if the program has ended.
    let command: String?

    init(_ process: ProcessDirectory, user: UInt32) {
        let seen = Caller(of: process, user: user)
        executable = process.executable
        let isHidden = seen == .unidentified && executable == nil
        caller = (isHidden ? Caller(hidden: process, user: user) : nil) ?? seen
        command = process.command
    }

    init(caller: Caller, executable: String?, command: String? = nil) {
        (self.caller, self.executable, self.command) = (caller, executable, command)
    }

    /// An observation without facts, for example of another user's program.
    static let unseen = ObservedProgram(caller: .unidentified, executable: nil)

    /// The program's name for adapters: the file name of its executable. For a program that does
    /// not allow inspection, this is its name in lists of processes. The name is empty if the
    /// program cannot be judged.
    var program: String { executable?.fileName ?? (refusal == nil ? command : nil) ?? "" }

    /// The reason why no adapter may publish for the program, or nil if adapters may.
    var refusal: SpeakerVerdict.Reason? {
        caller == .unidentified ? .unknown : caller.isSandboxed ? .sandboxed : nil
    }

    /// Returns the app id that the program may use.
    ///
    /// - Parameters:
    ///   - claimed: The app that the program claims to be.
    ///   - entry: The installed desktop entry of that app, or nil if there is none.
    ///   - session: The session, whose `PATH` is searched for programs that entries name without a
    ///     path.
    /// - Returns: The claimed id if the program's unit has the same id, or the entry starts this
    ///   executable. Otherwise the id of its unit, or nil if there is none.
    func application(claimed: String, _ entry: DesktopEntry?, in session: SessionVariables) -> String? {
        let unit = caller.kind == .unit ? caller.applicationID : nil
        guard let entry, entry.identifier == claimed, entry.sandboxedApp == nil, isStarted(by: entry, in: session)
        else {
            return unit
        }
        return claimed
    }

    /// Returns whether an entry starts this program's executable.
    ///
    /// A program that does not allow inspection is compared by its name in lists of processes. The
    /// comparison by name is safe, because the program is the user's own.
    private func isStarted(by entry: DesktopEntry, in session: SessionVariables) -> Bool {
        guard let name = entry.arguments?.first, let program = session.programs.path(of: name),
            let resolved = ProcessDirectory.resolved(program)
        else { return false }
        return executable.map { $0 == resolved } ?? (resolved.fileName == command)
    }
}
