// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import Synchronization

/// How long nothing is advertised, shown or continued by itself.
public struct Pause: Hashable, Sendable {
    /// When it is over; nil: when the user says so.
    public var until: Date?

    /// A pause.
    public init(until: Date? = nil) { self.until = until }
}

/// What outlasts the desktop's side, which is made anew when the daemon finds an adapter: that the
/// user has asked for a pause.
public final class PauseMemory: Sendable {
    private let pause = Mutex<Pause?>(nil)

    /// Without a pause.
    public init() {}

    var current: Pause? {
        get { pause.withLock { $0 } }
        set { pause.withLock { $0 = newValue } }
    }
}
