// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus

/// Keeps the daemon's copy of one activity up to date. It has the state that the program wants, the
/// state that the daemon knows, and the one call that is under way.
///
/// After each change, the caller carries out the steps of ``next(mayChangePlace:hasSuccessor:)``
/// until there is none. Then the daemon knows what the program wants, or the machine waits for an
/// answer, for other contents, or for another daemon. Changes that occur during a call are sent
/// together.
struct PublicationMachine {
    /// A step for the caller to carry out. At most one step of each kind is under way.
    enum Step: Hashable {
        /// Ask the app for its newest contents, and report them with ``answered(_:)``.
        case ask
        /// Wait before a rejected call is repeated, then call ``pauseEnded()``.
        case pause
        /// Call the daemon, and report the result with ``finished(_:isDaemonThere:)``.
        case call(Call)
    }

    enum Call: Hashable {
        case publish(ActivityState)
        case update(String, Contents)
        case becomeCurrent(String)
        case resignCurrent(String)
        case invalidate(String)
    }

    /// The contents that an update sends.
    enum Contents: Hashable {
        /// The activity's contents at the time of the call, without asking the app.
        case present
        /// The app's answer to this number of the daemon's requests.
        case saved(ActivityState, requests: Int)
    }

    /// The kinds of calls. After a temporary rejection, calls of the same kind wait for a pause.
    private enum Kind {
        case contents
        case place
        case end
    }

    private struct Known {
        let identifier: String
        var contents: UInt64
        /// The number of the last request to be current that the daemon has received, or nil if the
        /// daemon does not offer the activity.
        var place: UInt64?
    }

    /// A question to the app. The next call sends the answer.
    private struct Question {
        let contents: UInt64
        var requests: Int
        /// Whether the answer is published even if the activity is no longer current by then.
        var isForPublishing: Bool
        var answer: ActivityState?
    }

    private struct CallUnderWay {
        let call: Call
        let contents: UInt64
        let place: UInt64?
        let requests: Int
        /// Whether the daemon has left or the activity has failed since the call began.
        var isOutdated = false
        /// Whether a daemon has appeared on the bus since the call began.
        var hasDaemonCome = false
    }

    /// The time before a rejected call is repeated.
    static let patience = Duration.seconds(1)

    /// Whether the activity outlives the daemon, and is published again by itself.
    private let reattaches: Bool

    // The wanted state. Contents and requests to be current are numbered, and later ones have
    // higher numbers.
    private var lastNumber: UInt64 = 1
    private var wantedContents: UInt64 = 1
    private var wantedPlace: UInt64?
    private var isOver = false
    /// Whether the app must be asked before its contents are sent.
    private var isAskDue = false
    /// The number of the daemon's requests for contents that have not been passed to the app yet.
    private var requests = 0

    // The state at the daemon.
    private var known: Known?
    /// The identifier of a publication that the daemon must end.
    private var leftover: String?
    /// Whether no daemon answers. Calls begin again when another daemon appears.
    private var isDetached = false
    /// The number of the last contents that the daemon rejected, or nil if it has rejected none.
    private var refusedContents: UInt64?

    // The question and the call that are under way.
    private var question: Question?
    private var call: CallUnderWay?
    /// The kinds of calls that were rejected for a temporary reason.
    private var rejected: Set<Kind> = []
    /// The kinds of calls whose next attempt must wait.
    private var waiting: Set<Kind> = []
    private var isPausing = false

    /// Creates the machine of an activity that the daemon does not know.
    ///
    /// - Parameter reattaches: Whether the activity outlives the daemon.
    init(reattaches: Bool) { self.reattaches = reattaches }

    /// The activity's identifier at the daemon, or nil while the daemon does not know it.
    var identifier: String? { known?.identifier }
    /// Whether the daemon is being asked for an identifier.
    var isPublishing: Bool { if case .publish? = call?.call { true } else { false } }
    /// Whether the call under way decides which activity the daemon offers.
    var isChangingPlace: Bool { call.map { Self.kind(of: $0.call) == .place } ?? false }
    /// Whether the program wants the daemon to offer the activity.
    var wantsPlace: Bool { wantedPlace != nil }
    /// Whether the daemon may still offer the activity soon.
    var mayBecomeCurrent: Bool { wantedPlace != nil && (known != nil || refusedContents != wantedContents) }
    private var isAsking: Bool { question.map { $0.answer == nil } ?? false }
    /// Whether nothing is left to do or to remember.
    var isIdle: Bool {
        call == nil && known == nil && leftover == nil
            && (isOver || question == nil && wantedPlace == nil)
    }
    /// Whether a step other than a pause is under way.
    var isBusy: Bool { call != nil || isAsking && !isOver }
    /// Whether the daemon's copy can end so that another activity can be published.
    var canGiveWay: Bool { known != nil && wantedPlace == nil && call == nil && question == nil && !isAskDue }
    /// Whether the daemon has rejected the publication again because of a limit, so that another
    /// activity must make room.
    private(set) var needsRoom = false
}

/// The program's changes to the wanted state.
extension PublicationMachine {
    /// Makes the activity current, even if it already is. The app is asked for its contents first.
    mutating func becomeCurrent() {
        guard !isOver else { return }
        wantedPlace = nextNumber()
        isAskDue = true
        // A call may start the daemon.
        isDetached = false
        change()
    }

    /// Records that the activity need no longer be current.
    mutating func resignCurrent() { wantedPlace = nil }

    /// Sends the activity's present contents.
    mutating func change() { wantedContents = nextNumber() }

    /// Ends the activity for good.
    mutating func end() -> [PublicationEvent] {
        guard !isOver else { return [] }
        isOver = true
        leaveDaemon()
        return eventsAtEnd
    }

    /// Ends the daemon's copy. The activity is published again when it becomes current.
    mutating func giveWay() { leaveDaemon() }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    private mutating func leaveDaemon() {
        leftover = known?.identifier ?? leftover
        wantedPlace = nil
        forget()
    }

    /// Forgets everything about the daemon's copy.
    private mutating func forget() {
        known = nil
        refusedContents = nil
        question = isAsking ? Question(contents: wantedContents, requests: 0, isForPublishing: false) : nil
        requests = 0
        rejected = []
        waiting = []
        call?.isOutdated = true
    }

    private var eventsAtEnd: [PublicationEvent] {
        isOver && leftover == nil && call == nil ? [.invalidated] : []
    }
}

/// Messages from the daemon.
extension PublicationMachine {
    /// Handles the daemon's request for the app's newest contents.
    mutating func willSave() {
        guard known != nil else { return }
        requests += 1
        isAskDue = true
        // Skip the pause, because another device waits for the answer.
        waiting.remove(.contents)
        change()
    }

    /// Notes that the daemon offers another activity of this program.
    mutating func wasReplaced() { known?.place = nil }

    /// Notes that the daemon has ended the activity.
    mutating func wasEnded(_ error: BatonError) -> [PublicationEvent] {
        known = nil
        leaveDaemon()
        return [.failed(error)]
    }

    /// Records that a daemon has appeared on the bus.
    mutating func daemonCame() {
        isDetached = false
        call?.hasDaemonCome = true
    }

    /// Notes that the daemon has left the bus, and that all it knew is lost.
    mutating func daemonLeft(_ error: BatonError) -> [PublicationEvent] {
        let isAffected = known != nil || wantedPlace != nil && !isDetached
        forget()
        leftover = nil
        call?.hasDaemonCome = false
        isDetached = true
        guard isAffected else { return eventsAtEnd }
        return reattaches ? [.detached(error)] : fail(error)
    }

    /// Notes that nothing can reach the daemon any more.
    mutating func busEnded(_ error: BatonError) -> [PublicationEvent] {
        known = nil
        leftover = nil
        return isOver ? eventsAtEnd : fail(error)
    }

    private mutating func fail(_ error: BatonError) -> [PublicationEvent] {
        leaveDaemon()
        return [.failed(error)]
    }
}

/// Steps and their results.
extension PublicationMachine {
    /// Returns the next step, which is then under way. Returns nil if no step is possible now.
    ///
    /// - Parameters:
    ///   - mayChangePlace: Whether no other call decides which activity the daemon offers.
    ///   - hasSuccessor: Whether another activity is about to replace this one. Until then the
    ///     daemon still offers this activity.
    mutating func next(mayChangePlace: Bool, hasSuccessor: Bool) -> Step? {
        if !waiting.isEmpty, !isPausing {
            isPausing = true
            return .pause
        }
        if beginQuestion() { return .ask }
        guard call == nil, !isDetached else { return nil }
        guard
            let next = leftoverCall ?? contentsCall
                ?? (mayChangePlace ? placeCall(hasSuccessor: hasSuccessor) : nil)
        else { return nil }
        begin(next)
        return .call(next)
    }

    /// Takes the app's answer.
    mutating func answered(_ state: ActivityState) {
        guard let asked = question, isAsking else { return }
        question?.answer = state
        if isOver || known == nil && !asked.isForPublishing && wantedPlace == nil { question = nil }
    }

    /// Allows the waiting calls.
    mutating func pauseEnded() {
        isPausing = false
        waiting = []
    }

    /// Repeats a rejected publication without waiting longer.
    mutating func roomWasMade() { if known == nil { waiting.remove(.contents) } }

    /// Takes the result of the call under way.
    ///
    /// - Parameters:
    ///   - result: The identifier that `publish` returns, or an empty text for other calls.
    ///   - isDaemonThere: Whether a daemon owns the bus name.
    /// - Returns: The events of the activity.
    mutating func finished(_ result: Result<String, BatonError>, isDaemonThere: Bool) -> [PublicationEvent] {
        guard let done = call else { return [] }
        call = nil
        needsRoom = false
        switch result {
        case .success(let identifier): return succeeded(done, identifier)
        case .failure(let error): return failed(done, error, isDaemonThere: isDaemonThere)
        }
    }

    private mutating func beginQuestion() -> Bool {
        guard question == nil, !isOver, !isDetached, leftover == nil, !waiting.contains(.contents) else {
            return false
        }
        if known == nil {
            guard wantedPlace != nil, refusedContents != wantedContents, call == nil else { return false }
        } else if !isAskDue {
            return false
        }
        question = Question(contents: wantedContents, requests: requests, isForPublishing: known == nil)
        isAskDue = false
        requests = 0
        return true
    }

    private var leftoverCall: Call? { waiting.contains(.end) ? nil : leftover.map { .invalidate($0) } }

    private var contentsCall: Call? {
        guard leftover == nil, !waiting.contains(.contents) else { return nil }
        if let question, let answer = question.answer {
            let saved = Contents.saved(answer, requests: question.requests)
            return known.map { .update($0.identifier, saved) } ?? .publish(answer)
        }
        guard let known, question == nil, known.contents < wantedContents, refusedContents != wantedContents else {
            return nil
        }
        return .update(known.identifier, .present)
    }

    /// Returns the call that changes which activity the daemon offers, or nil if none is due.
    /// Contents are sent first, unless the daemon rejects them.
    private func placeCall(hasSuccessor: Bool) -> Call? {
        guard let known, !waiting.contains(.place) else { return nil }
        if wantedPlace == nil {
            return known.place != nil && !hasSuccessor ? .resignCurrent(known.identifier) : nil
        }
        return known.place != wantedPlace && !isAsking ? .becomeCurrent(known.identifier) : nil
    }

    private mutating func begin(_ next: Call) {
        var (contents, requests) = (wantedContents, 0)
        if Self.kind(of: next) == .contents, let asked = question {
            (contents, requests) = (asked.contents, asked.requests)
            question = nil
        }
        call = CallUnderWay(call: next, contents: contents, place: wantedPlace, requests: requests)
    }

    private static func kind(of call: Call) -> Kind {
        switch call {
        case .publish, .update: .contents
        case .becomeCurrent, .resignCurrent: .place
        case .invalidate: .end
        }
    }

    /// Returns whether a call was about the copy that the daemon still has.
    private func isPresent(_ done: CallUnderWay) -> Bool {
        switch done.call {
        case .publish: !isOver && !done.isOutdated
        case .update(let identifier, _), .becomeCurrent(let identifier), .resignCurrent(let identifier):
            known?.identifier == identifier
        case .invalidate(let identifier): leftover == identifier
        }
    }

    private mutating func succeeded(_ done: CallUnderWay, _ identifier: String) -> [PublicationEvent] {
        guard isPresent(done) else {
            // The activity ended or left the daemon during the call, so the daemon must end the
            // publication.
            if case .publish = done.call { leftover = identifier }
            return eventsAtEnd
        }
        rejected.remove(Self.kind(of: done.call))
        switch done.call {
        case .publish:
            known = Known(identifier: identifier, contents: done.contents)
        case .update:
            known?.contents = done.contents
            if done.requests > 0 { return [.saved] }
        case .becomeCurrent:
            known?.place = done.place
            return [.becameCurrent]
        case .resignCurrent:
            known?.place = nil
            return [.resignedCurrent]
        case .invalidate: leftover = nil
        }
        return eventsAtEnd
    }

    private mutating func failed(
        _ done: CallUnderWay, _ error: BatonError, isDaemonThere: Bool
    ) -> [PublicationEvent] {
        let kind = Self.kind(of: done.call)
        guard isPresent(done) else { return eventsAtEnd }
        if kind == .end {
            if error.mayPass { waiting.insert(kind) } else { leftover = nil }
            return eventsAtEnd
        }
        let isKept = known != nil || reattaches
        if kind == .contents, isKept, error.isAboutTheContents {
            refusedContents = done.contents
            rejected.remove(kind)
            return [.refused(error)]
        }
        if isKept, error.mayPass, isDaemonThere || error.code == .limitReached { return reject(done, error) }
        guard reattaches, error.saysThatTheDaemonIsGone || error.code == .notFound else {
            if error.saysThatTheDaemonIsGone { known = nil }
            return fail(error)
        }
        // A daemon that gave no answer may still have the activity.
        if error.code != .notFound { leftover = known?.identifier }
        forget()
        if error.code == .notFound {
            // Another daemon is already running. Pause before the next call to it.
            waiting.insert(.contents)
        } else {
            isDetached = !done.hasDaemonCome
        }
        return [.detached(error)]
    }

    /// Repeats a call later, with the state at that time.
    private mutating func reject(_ done: CallUnderWay, _ error: BatonError) -> [PublicationEvent] {
        let kind = Self.kind(of: done.call)
        requests += done.requests
        isAskDue = isAskDue || requests > 0
        waiting.insert(kind)
        let isNew = rejected.isEmpty
        // Waiting did not help, so a second rejection is not about the rate of calls.
        needsRoom = known == nil && rejected.contains(kind) && error.code == .limitReached
        rejected.insert(kind)
        return isNew ? [.warning(error.message)] : []
    }
}

extension BatonError {
    /// Whether the daemon might accept other contents.
    fileprivate var isAboutTheContents: Bool { [.userInfoTooLarge, .invalidArgument].contains(code) }

    /// Whether a retry may help.
    ///
    /// Other programs may have used up the daemon's limits, this program may have called too often,
    /// or no answer came in time.
    fileprivate var mayPass: Bool { code == .limitReached || isUnanswered }

    /// Whether no daemon answers, so that waiting may help.
    fileprivate var saysThatTheDaemonIsGone: Bool { code == .daemonNotRunning || isUnanswered }
}
