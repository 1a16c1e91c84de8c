// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Diagnosis

/// The device's state in memory and on disk. Each change is on disk before the service acts on it.
struct StateStore: Sendable {
    private let file: StateFile
    private(set) var state: DeviceState
    /// The circle in the encoding that members receive; empty without a circle.
    private(set) var encodedCircle: [UInt8]
    /// Why the last write, or the last check of the disk, failed; nil if it succeeded.
    private(set) var failure: BatonError?
    /// The uptime of the last check of the disk by ``lookAgain(at:)``, or nil before the first.
    private var lastLook: Duration?

    /// Reads a device's state, or makes a new device if there is no state.
    ///
    /// - Parameter name: The name of a new device.
    /// - Throws: ``BatonError/Code/stateUnusable``. In that case the state file is unchanged.
    init(
        directory: String, name: String, afterStep: @escaping @Sendable (_ step: String) -> Void = { _ in }
    ) throws {
        file = try StateFile(directory: directory, afterStep: afterStep)
        guard let bytes = try file.read(limit: DeviceState.maximumEncodedLength) else {
            // A name that cannot be read back would make the file useless. A name that reads as an
            // id could not identify the device.
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
                .stateUnusable, .stateDamaged,
                ["path": .text("\(directory)/state"), "reason": BatonError.reason(error)])
        }
        look(for: bytes.count)
    }

    /// Checks whether a state of this size could be written now.
    private mutating func look(for count: Int) {
        do { try file.reserveRoom(for: count).discard() } catch let obstacle {
            failure = BatonError(anyError: obstacle)
        }
    }

    /// Changes the state. If the new state cannot be written, the old one remains.
    ///
    /// - Parameter room: The draft from ``reserveRoom()`` for this change; nil to make one now.
    mutating func update(into room: StateDraft? = nil, _ change: (inout DeviceState) throws -> Void) throws {
        var next = state
        try change(&next)
        let circle = next.circle == state.circle ? encodedCircle : try next.circle?.encoded() ?? []
        do {
            try file.write(next.encoded(), into: room)
        } catch {
            failure = BatonError(anyError: error)
            throw error
        }
        (state, encodedCircle, failure) = (next, circle, nil)
    }

    /// The finding that the state cannot be written; nil if the last write succeeded.
    var finding: Finding? { failure.map { Finding(.stateUnwritable, Self.values(of: $0)) } }

    /// Returns the path that could not be written and the system's reason, for a sentence that says
    /// what this means.
    private static func values(of error: BatonError) -> [String: Reason.Value] {
        guard let values = error.reason?.values, values["reason"] != nil else {
            return ["reason": BatonError.reason(error)]
        }
        return values
    }

    /// Signs the device's name in its circle if it is not signed yet.
    mutating func signName() throws {
        var signed = state
        signed.signName()
        if signed.circle != state.circle { try update { $0 = signed } }
    }

    /// Checks whether the state can be written, at most once a second. After a failed write, writes
    /// the present state again, because the obstacle may be gone.
    mutating func lookAgain(at uptime: Duration) {
        guard lastLook.map({ uptime >= $0 + .seconds(1) }) ?? true else { return }
        lastLook = uptime
        if failure == nil { return look(for: encodedCount) }
        try? update { _ in }
    }

    private var encodedCount: Int { (try? state.encoded().count) ?? DeviceState.maximumEncodedLength }

    /// Reserves space for the largest state, so that an ``update(into:_:)`` cannot run out of
    /// space. The caller discards the draft at the end.
    ///
    /// - Throws: ``BatonError/Code/stateUnusable`` when there is not enough space.
    func reserveRoom() throws -> StateDraft {
        do {
            return try file.reserveRoom(for: DeviceState.maximumEncodedLength)
        } catch let error as BatonError {
            throw BatonError(error.code, .circleNotKept, Self.values(of: error))
        }
    }

    /// Checks that there is space to add a device to the circle, before the device begins to join.
    ///
    /// - Throws: ``BatonError/Code/stateUnusable`` when there is not enough space.
    func checkRoom() throws { try reserveRoom().discard() }

    /// Leaves the directory to another daemon. Every later change throws.
    func release() { file.release() }
}
