// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The device's state in memory and on disk: every change is on disk before anybody acts on it.
struct StateStore: Sendable {
    private let file: StateFile
    private(set) var state: DeviceState
    /// The circle as members are told it; empty without one.
    private(set) var encodedCircle: [UInt8]
    /// Why the last change could not be written, or none could be now; nil when it was.
    private(set) var failure: String?
    /// The uptime of the last look whether it can be written.
    private var lastLook: Duration?

    /// Reads a device's state, or makes a new device where there was none.
    ///
    /// - Parameter name: What a new device is called.
    /// - Throws: ``BatonError/Code/stateUnusable``; nothing was changed.
    init(
        directory: String, name: String, afterStep: @escaping @Sendable (_ step: String) -> Void = { _ in }
    ) throws {
        file = try StateFile(directory: directory, afterStep: afterStep)
        guard let bytes = try file.read(limit: DeviceState.maximumEncodedLength) else {
            // A name that cannot be read back would make the file useless, and nobody could mean a
            // device by one that reads as an id.
            let name = Member.mayBeChosen(asName: name) ? name : "laptop"
            state = DeviceState(identity: DeviceIdentity(), name: name)
            encodedCircle = []
            try file.write(state.encoded())
            return
        }
        do {
            state = try DeviceState(encoded: bytes)
            encodedCircle = try state.circle?.encoded() ?? []
        } catch {
            throw BatonError(
                .stateUnusable,
                "\(directory)/state: \(error). Restore it from a copy, or move it away to start as a new device outside the circle"
            )
        }
        look(for: bytes.count)
    }

    /// Finds out whether so many bytes could be written now.
    private mutating func look(for count: Int) {
        do { try file.reserveRoom(for: count).discard() } catch let obstacle { failure = "\(obstacle)" }
    }

    /// Changes the state; when the new one cannot be written, the old one stays.
    ///
    /// - Parameter room: What ``reserveRoom()`` gave for this change.
    mutating func update(
        into room: StateDraft? = nil, _ change: (inout DeviceState) throws -> Void
    ) throws {
        var next = state
        try change(&next)
        let circle = next.circle == state.circle ? encodedCircle : try next.circle?.encoded() ?? []
        do {
            try file.write(next.encoded(), into: room)
        } catch {
            failure = "\(error)"
            throw error
        }
        (state, encodedCircle, failure) = (next, circle, nil)
    }

    /// Has the device sign its name in its circle, where it has not.
    mutating func signName() throws {
        var signed = state
        signed.signName()
        if signed.circle != state.circle { try update { $0 = signed } }
    }

    /// Finds out how it is now, once a second, however often somebody asks: what could not be
    /// written the last time is written anew, as what was in the way may be gone, or may have come.
    mutating func lookAgain(at uptime: Duration) {
        guard lastLook.map({ uptime >= $0 + .seconds(1) }) ?? true else { return }
        lastLook = uptime
        if failure == nil { return look(for: encodedCount) }
        try? update { _ in }
    }

    private var encodedCount: Int { (try? state.encoded().count) ?? DeviceState.maximumEncodedLength }

    /// Takes room for the largest state, for an ``update(into:_:)`` that must not fail for want of
    /// it; the caller discards it at the end.
    ///
    /// - Throws: ``BatonError/Code/stateUnusable`` when there is none.
    func reserveRoom() throws -> StateDraft {
        do {
            return try file.reserveRoom(for: DeviceState.maximumEncodedLength)
        } catch let error as BatonError {
            throw BatonError(error.code, "the circle could not be kept: \(error.message); then try again")
        }
    }

    /// Finds out whether a device could be taken in, before another begins to join.
    ///
    /// - Throws: ``BatonError/Code/stateUnusable`` when there is no room for it.
    func checkRoom() throws { try reserveRoom().discard() }

    /// Leaves the directory to another daemon; no change is accepted any more.
    func release() { file.release() }
}
