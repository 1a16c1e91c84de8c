// SPDX-License-Identifier: Apache-2.0

/// How much a radio listens for what others advertise: nearly all that Baton takes of a battery is
/// spent by that (Documentation/Energy.md). Time without listening is no silence: nobody counts as
/// lost by it.
public enum Listening: Hashable, Sendable {
    /// Not at all.
    case never
    /// 20 s of each minute: nobody is looking.
    case sometimes
    /// As much as it takes to notice within some seconds what others offer.
    case usually
    /// All of the time: somebody waits for another device.
    case always
}
