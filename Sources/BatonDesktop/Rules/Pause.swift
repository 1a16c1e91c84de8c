// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import Synchronization

/// A pause, in which Baton advertises and shows nothing, and continues nothing automatically.
public struct Pause: Hashable, Sendable {
    /// The end of the pause, or nil if it lasts until the user resumes.
    public var until: Date?

    /// Creates a pause.
    public init(until: Date? = nil) { self.until = until }
}

/// Remembers the user's pause. The desktop side is recreated when the daemon finds a Bluetooth
/// adapter, and this object outlives it.
public final class PauseMemory: Sendable {
    private let pause = Mutex<Pause?>(nil)

    /// Creates a memory without a pause.
    public init() {}

    var current: Pause? {
        get { pause.withLock { $0 } }
        set { pause.withLock { $0 = newValue } }
    }
}
