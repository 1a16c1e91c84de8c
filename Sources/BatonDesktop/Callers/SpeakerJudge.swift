// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import DesktopEntries
public import Diagnosis
import Synchronization

/// Decides for which programs adapters may publish.
///
/// An adapter may publish for a program that can be inspected and is not sandboxed
/// (Decisions/0025-who-is-calling.md).
///
/// An admission is not remembered. The program is inspected each time.
public final class SpeakerJudge: Sendable {
    private let callers: Callers
    private let session: SessionEnvironment
    private let entry: @Sendable (_ application: String) async -> DesktopEntry?
    private let refused = Mutex(RefusedSpeakers())

    /// Creates a judge.
    ///
    /// - Parameters:
    ///   - session: The session, whose `PATH` is searched for programs.
    ///   - entry: Returns the installed desktop entry of an app, or nil if there is none.
    public init(
        callers: Callers, session: SessionEnvironment = SessionEnvironment(),
        entry: @escaping @Sendable (_ application: String) async -> DesktopEntry?
    ) {
        self.callers = callers
        self.session = session
        self.entry = entry
    }

    /// Returns the verdict on the program behind a connection to the session bus.
    ///
    /// - Parameters:
    ///   - speaker: The connection.
    ///   - application: The app that the program claims to be. An empty text or an invalid id
    ///     claims nothing.
    public func verdict(on speaker: ClientID, as application: String) async throws -> SpeakerVerdict {
        await verdict(on: try await callers.look(at: speaker), as: application)
    }

    /// Returns the verdict on the program at the other end of a connected UNIX stream socket.
    ///
    /// - Throws: ``BatonError/Code/invalidArgument`` if the descriptor is not such a socket.
    public func verdict(onEndOf socket: OwnedDescriptor, as application: String) async throws -> SpeakerVerdict {
        await verdict(on: try callers.look(atEndOf: socket), as: application)
    }

    private func verdict(on observed: ObservedProgram?, as application: String) async -> SpeakerVerdict {
        guard let observed else { return SpeakerVerdict(refusal: .gone) }
        if let refusal = observed.refusal {
            refused.withLock { $0.note(observed, refusal) }
            return SpeakerVerdict(refusal: refusal, program: observed.program)
        }
        let installed = ApplicationID.isValid(application) ? await entry(application) : nil
        let found = observed.application(claimed: application, installed, in: await session.variables())
        return SpeakerVerdict(application: found ?? "", program: observed.program)
    }

    /// Checks that an adapter may publish for a program.
    ///
    /// - Parameter application: The app that the adapter says the program is, or nil for none.
    /// - Throws: ``BatonError/Code/notAllowed`` if the adapter may not.
    public func check(_ speaker: ClientID, as application: String?) async throws {
        let verdict = try await verdict(on: speaker, as: application ?? "")
        if let failure = verdict.failure { throw BatonError(.notAllowed, failure) }
        guard application == nil || application == verdict.application else {
            throw BatonError(.notAllowed, .programForeign, ["app": .text(application ?? "")])
        }
    }

    /// Returns why an adapter may no longer publish for an admitted program, or nil if it may. Also
    /// returns a reason if the check fails, for example because the session bus does not answer.
    public func whyRefused(_ speaker: ClientID, as application: String?) async -> Reason? {
        do {
            try await check(speaker, as: application)
            return nil
        } catch {
            return BatonError(anyError: error).reason ?? Reason(.programUnknown)
        }
    }

    /// Returns whether the program behind a connection is still there.
    public func isPresent(_ speaker: ClientID) async throws -> Bool { try await callers.isPresent(speaker) }

    /// The findings about refused programs, for `baton doctor`.
    public var findings: [Finding] { refused.withLock { $0.findings } }
}
