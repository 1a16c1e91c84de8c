// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    var continuingWords: Words? {
        switch self {
        case .offerGone:
            Words(
                mark("This is not offered any more."), terminal: mark("Run \"baton nearby\" to see what is offered."),
                window: mark("Open it again on the other laptop."))
        case .ownActivity:
            Words(
                mark("It was not continued automatically, because this laptop handed it over or has it open."),
                mark("Continue it yourself if you want it back."))
        case .cancelled:
            Words(mark("It was cancelled."), mark("Start it again if you still want it."))
        case .alreadyContinuing:
            Words(mark("This is being continued already."), mark("Wait, or cancel it first."))
        case .tooManyContinuing:
            Words(mark("Too much is being continued at once."), mark("Wait, or cancel some of it first."))
        case .tooManyStreams:
            Words(mark("Too many files or pages are open from other laptops."), mark("Close some of them first."))
        case .pageGone:
            Words(mark("The web page is not there any more."), mark("Open it again on the other laptop."))
        case .pageRefused:
            Words(
                mark("This laptop does not open the page ({reason})."),
                mark("Open the page in the browser yourself, if you trust it."))
        case .pageAddressTooLong: Words(mark("The address of the page has more than 8192 bytes."), copyAddress)
        case .pageNotWeb: Words(mark("Only web pages are handed over."), copyAddress)
        case .pageAddressNamesUser:
            Words(mark("The address of the page has a user name or a password in it."), copyAddress)
        case .pageOfThisLaptop: Words(mark("The page belongs to this computer."), copyAddress)
        case .pageAddressUnclear: Words(mark("The address of the page cannot be read."), copyAddress)
        case .noBrowserChosen:
            Words(mark("No browser was chosen for the web page."), mark("Choose one, and try again."))
        case .browserFailed:
            Words(
                mark("The browser did not open the web page ({reason})."),
                terminal: mark("Run \"journalctl --user -u '{unit}'\" to see why."),
                window: mark("Choose a default browser in the settings."))
        case .noBrowser:
            Words(
                mark("There is no browser for the web page."),
                mark("Install a browser, or choose a default one in the settings."))
        case .pageOpeningLate:
            Words(
                mark("The desktop did not answer in time when it was asked to open the web page."), mark("Try again."))
        case .portalMissing:
            Words(mark("Nothing here can open web pages."), mark("Install the package xdg-utils."))
        case .portalFailed:
            Words(mark("The desktop could not open the web page ({reason})."), mark("Try again."))
        default: nil
        }
    }
}

private let copyAddress = mark("Copy the address to the other laptop yourself.")
