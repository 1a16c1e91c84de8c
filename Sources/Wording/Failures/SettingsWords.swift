// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words about the user's files and decisions.
    var settingsWords: Words? {
        switch self {
        case .fileNotText:
            Words(mark("Line {line} of {file} is not valid UTF-8."), mark("Correct it in an editor."))
        case .fileNotRegular:
            Words(mark("{file} is not a regular file."), mark("Put a file there, or remove it."))
        case .fileTooLarge:
            Words(mark("{file} is larger than {limit} KiB."), mark("Shorten it in an editor, or remove it."))
        case .fileUnreadable:
            Words(mark("{file} cannot be read ({reason})."), mark("Check its permissions."))
        case .fileUnwritable:
            Words(
                mark("{file} cannot be written ({reason})."), mark("Free some disk space, and check the permissions."))
        case .fileFull:
            Words(mark("{file} would be larger than {limit} KiB."), mark("Remove something from it first."))
        case .fileMistaken:
            Words(mark("{file} has a mistake ({mistake})."), mark("Correct it in an editor."))
        case .fileMistakenBefore:
            Words(
                mark("Nothing was changed, because {file} has a mistake already ({mistake})."),
                mark("Correct that first, in an editor."))
        case .changeMistaken:
            Words(
                mark("Nothing was changed, because {file} would have a mistake ({mistake})."),
                mark("Choose another value."))
        case .tooManyRules:
            Words(
                mark("There are {count} rules already."),
                terminal: mark("Remove one first with \"baton rules remove\"."), window: mark("Remove one first."))
        case .ruleMissing:
            Words(
                mark("There is no rule {number}."), terminal: mark("Run \"baton rules\" to see the rules."),
                window: mark("Look at the rules, and try again."))
        case .ruleNumber:
            Words(
                mark("A new rule can have a number from 1 to {greatest}, not {number}."),
                terminal: mark("Run \"baton rules\" to see the rules."),
                window: mark("Look at the rules, and try again."))
        case .ruleMistaken:
            Words(mark("This rule cannot be used ({mistake})."), mark("Correct the rule, and try again."))
        case .folderUnusable:
            Words(
                mark("A shared folder needs a name without a slash or \"=\", and a path that begins with a slash."),
                mark("Choose another name or folder."))
        case .folderMissing:
            Words(mark("There is no shared folder called \"{folder}\"."), mark("Look at the list of shared folders."))
        case .historyNotRemoved:
            Words(mark("The history could not be removed ({reason})."), mark("Remove the file yourself."))
        case .adapterOfPackage:
            Words(
                mark("The adapter {adapter} comes from a package, so you need not allow it."),
                terminal: mark("To switch it off, run \"baton adapters off {adapter}\"."),
                window: mark("You can switch it off."))
        case .adapterUnknown:
            Words(
                mark("There is no adapter {adapter}."), terminal: mark("Run \"baton adapters\" to see the adapters."),
                window: mark("Look at the list of adapters."))
        case .choiceNotKept:
            Words(
                mark("Your choice could not be saved ({reason})."),
                mark("Free some disk space, and check the permissions."))
        case .grantUnknown:
            Words(
                mark("No sandboxed app called {app} asks for permission, or has permission, for anything."),
                terminal: mark("Run \"baton grants\" to see the apps."), window: mark("Look at the list of apps."))
        case .grantsFull:
            Words(
                mark("Baton cannot remember more of what you have allowed to apps in sandboxes."),
                terminal: mark("Take something back with \"baton grants refuse\"."),
                window: mark("Take something back first."))
        case .domainUnclaimed:
            Words(
                mark("No app here claims the domain {domain}."),
                terminal: mark("Run \"baton domains\" to see the domains."),
                window: mark("Install an app that opens its pages."))
        case .domainsBusy:
            Words(
                mark("Baton is asking {domain} already, or too many other domains."),
                mark("Wait a moment, and try again."))
        case .domainsOff:
            Words(
                mark("Baton asks no domains, because that is switched off."),
                terminal: mark("Remove \"domains = off\" from baton.conf."),
                window: mark("Switch it on in the settings."))
        case .tooManyRulesInFile:
            Words(
                mark("{file} has {count} rules, and only {limit} may be in it."),
                mark("Take the others out of it in an editor."))
        default: nil
        }
    }
}
