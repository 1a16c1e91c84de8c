// SPDX-License-Identifier: Apache-2.0

public import BatonBus

/// What happens to an activity while it is published: what its developer wants to see, beside what its delegate is told.
public enum PublicationEvent: Sendable {
    /// The daemon has it and offers it.
    case becameCurrent
    /// It is kept, but not offered any more.
    case resignedCurrent
    /// Its fresh contents were handed to the daemon.
    case saved
    /// It was continued on the device with this id: its app accepted.
    case continued(device: String)
    /// Something that its developer should know, such as contents that are large.
    case warning(String)
    /// The daemon is not there, which the error says; the activity is published again when it is.
    case detached(BatonBusError)
    /// The daemon refused it, or went away from a connection that does not reattach; nothing follows.
    case failed(BatonBusError)
    /// It has ended at the daemon; nothing follows.
    case invalidated
}
