// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FindingCode {
    /// The words about the desktop, the settings and browsers.
    var desktopWords: [Words] {
        switch self {
        case .paused:
            [
                Words(mark("Baton is paused until {end}."), window: mark("Choose \"Resume\" in the panel.")),
                Words(mark("Baton is paused."), window: mark("Choose \"Resume\" in the panel.")),
            ]
        case .settingsMistake: settings
        case .noNotifications:
            [
                Words(
                    mark("This session shows no notifications, so offers are not shown."),
                    terminal: mark(
                        "Start a notification server such as dunst, or put \"notifications = off\" into baton.conf."),
                    window: mark("Start a notification server such as dunst."))
            ]
        case .grantsPending:
            [
                Words(
                    counted(
                        "{count} sandboxed app asks for activities of other apps.",
                        "{count} sandboxed apps ask for activities of other apps.", by: "count"),
                    window: mark("Open Baton, and answer them under Apps."),
                    ownWindow: mark("Answer them under Apps."))
            ]
        case .adaptersPending:
            [
                Words(
                    mark("An adapter in your own directory waits until you allow it."),
                    window: mark("Open Baton, and allow or refuse it under Apps."),
                    ownWindow: mark("Allow or refuse it under Apps."))
            ]
        case .signalUnknown:
            [
                Words(
                    mark("A rule waits until \"{laptop}\" is near, but the radio does not say how near it is."),
                    terminal: mark("\"baton open\" continues its offer now."),
                    window: mark("Click its offer to continue it now."))
            ]
        case .speakerUnknown:
            [
                Words(
                    mark("Baton cannot identify some programs, and offers nothing from them: {programs}."),
                    mark("Start them as your own user, without file capabilities.")),
                Words(
                    mark("Baton cannot identify a program, and offers nothing from it."),
                    mark("Start it as your own user, without file capabilities.")),
            ]
        case .speakerSandboxed:
            [
                Words(
                    mark("Some programs run in a sandbox, so Baton offers nothing from them: {programs}."),
                    mark("Install them from the packages of your distribution.")),
                Words(
                    mark("A program runs in a sandbox, so Baton offers nothing from it."),
                    mark("Install it from the packages of your distribution.")),
            ]
        case .extensionWaiting:
            [
                Words(
                    mark("The Firefox profile {profile} has not taken Baton's extension yet."),
                    mark("Close Firefox, and start it twice."))
            ]
        default: []
        }
    }

    private var settings: [Words] {
        let advice = mark("Correct baton.conf.")
        let naming = mark("Write device=ID into the rule, with the id of the laptop.")
        return [
            Words(mark("baton.conf has a mistake, so the former settings are in force ({former})."), advice),
            Words(mark("baton.conf has a mistake, so only its other lines are in force ({partly})."), advice),
            Words(
                mark("baton.conf cannot be read, so nothing is offered and no offer is shown ({unreadable})."), advice),
            Words(
                mark("Rule {stray} is about a laptop that is not one of yours: {rule}."),
                terminal: mark("To remove it, run \"{command}\"."), window: mark("Remove it.")),
            Words(mark("The rule in line {idle} of baton.conf is not in force ({reason})."), naming),
            Words(
                mark("The rule in line {named} of baton.conf uses a laptop's name instead of its id ({reason})."),
                naming),
            Words(
                mark("The rules in baton.conf name laptops, and Baton could not replace the names ({unwritten})."),
                naming),
            Words(
                mark("No app with the id {missingApp} is installed, so it is not the default app for {type}."), advice),
            Words(mark("{unfitApp} cannot continue {type}, so it is not the default app for that."), advice),
            Words(mark("No adapter with the id {adapter} is installed, so switching it off has no effect."), advice),
            Words(mark("baton.conf has a mistake ({mistake})."), advice),
        ]
    }
}
