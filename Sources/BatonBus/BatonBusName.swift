// SPDX-License-Identifier: Apache-2.0

/// Where the daemon is found on the session bus, and what its interfaces are called.
public enum BatonBusName {
    /// The well-known name that the daemon owns.
    public static let bus = "org.batonproject.Baton"
    /// The path of its one object.
    public static let path = "/org/batonproject/Baton"
    /// What it is and its condition.
    public static let daemon = "org.batonproject.Baton1.Daemon"
    /// The devices of one person.
    public static let circle = "org.batonproject.Baton1.Circle"
    /// What apps here publish.
    public static let activities = "org.batonproject.Baton1.Activities"
    /// What other devices offer.
    public static let offers = "org.batonproject.Baton1.Offers"
    /// What is kept of apps' activities for searches.
    public static let saved = "org.batonproject.Baton1.Saved"
    /// What panels show.
    public static let panel = "org.batonproject.Baton1.Panel"
    /// What the user wants to happen with offers and activities.
    public static let rules = "org.batonproject.Baton1.Rules"
    /// What the user allows sandboxed apps.
    public static let grants = "org.batonproject.Baton1.Grants"
    /// The domains whose pages apps here want to continue.
    public static let domains = "org.batonproject.Baton1.Domains"
    /// Programs that speak for apps which do not know Baton.
    public static let adapters = "org.batonproject.Baton1.Adapters"
    /// What an app implements, to be started and told of what it is to continue.
    public static let application = "org.batonproject.Application1"
}
