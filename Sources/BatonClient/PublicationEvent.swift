// SPDX-License-Identifier: Apache-2.0

public import BatonBus

/// What happens to an activity while it is published: what its developer wants to see, beside what
/// its delegate is told.
public enum PublicationEvent: Sendable {
    /// The daemon has it and offers it.
    case becameCurrent
    /// It is kept, but not offered any more.
    case resignedCurrent
    /// Another program's activity has taken its place as the one that is offered, or it is that one
    /// again.
    case currentChanged(isCurrent: Bool)
    /// Its fresh contents were handed to the daemon.
    case saved
    /// It was continued on the device with this id and name: its app accepted.
    case continued(device: String, deviceName: String)
    /// The device with this id and name fetched it, and nothing came of it; it is offered as
    /// before, and `continued` may follow, where the other device could not say so before.
    case notContinued(device: String, deviceName: String, reason: String)
    /// Something that its developer should know, such as contents that are large.
    case warning(String)
    /// The daemon does not take its contents, for their size or what is in them: it is offered with
    /// those before, or not before there are others.
    case refused(BatonError)
    /// The daemon is not there, which the error says; the activity is published again when it is.
    case detached(BatonError)
    /// The daemon refused it, or went away from a connection that does not reattach; nothing
    /// follows.
    case failed(BatonError)
    /// It has ended at the daemon; nothing follows.
    case invalidated
}
