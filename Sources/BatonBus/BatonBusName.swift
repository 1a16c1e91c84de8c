// SPDX-License-Identifier: Apache-2.0

/// The daemon's names on the session bus: bus name, object path and interfaces.
public enum BatonBusName {
    /// The well-known name that the daemon owns.
    public static let bus = "org.batonproject.Baton"
    /// The path of the daemon's only object.
    public static let path = "/org/batonproject/Baton"
    /// The interface for the daemon's version, status, trace and history.
    public static let daemon = "org.batonproject.Baton1.Daemon"
    /// The interface for the circle, which consists of one person's devices.
    public static let circle = "org.batonproject.Baton1.Circle"
    /// The interface for the activities that apps on this device publish.
    public static let activities = "org.batonproject.Baton1.Activities"
    /// The interface for the offers of other devices.
    public static let offers = "org.batonproject.Baton1.Offers"
    /// The interface for the activities that apps save for searches.
    public static let saved = "org.batonproject.Baton1.Saved"
    /// The interface for the state that panels show.
    public static let panel = "org.batonproject.Baton1.Panel"
    /// The interface for the user's rules about offers and activities.
    public static let rules = "org.batonproject.Baton1.Rules"
    /// The interface for the user's settings.
    public static let settings = "org.batonproject.Baton1.Settings"
    /// The interface for the grants that the user gives to sandboxed apps.
    public static let grants = "org.batonproject.Baton1.Grants"
    /// The interface for the domains whose pages apps on this device want to continue.
    public static let domains = "org.batonproject.Baton1.Domains"
    /// The interface for the programs that speak for apps which do not know Baton.
    public static let adapters = "org.batonproject.Baton1.Adapters"
    /// The interface for the user's shared folders, and copies of documents.
    public static let files = "org.batonproject.Baton1.Files"
    /// The interface that an app implements so that the daemon can start it and hand activities to
    /// it.
    public static let application = "org.batonproject.Application1"
}
