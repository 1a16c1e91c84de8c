// SPDX-License-Identifier: Apache-2.0

import Diagnosis

private let correction = mark("Correct it, and try again.")

extension FailureCode {
    /// The words about mistakes of programs.
    var argumentsWords: Words? {
        switch self {
        case .argumentType:
            Words(mark("{argument} must have the D-Bus type {type}."), correction)
        case .argumentForm:
            Words(mark("{argument} must have a form such as {example}."), correction)
        case .argumentRange:
            Words(mark("{argument} must be a number from {least} to {greatest}."), correction)
        case .argumentChoice:
            Words(mark("{argument} must be one of these: {choices}."), correction)
        case .argumentText:
            Words(mark("{argument} must have {least} to {greatest} bytes, and no invisible characters."), correction)
        case .argumentEmpty:
            Words(mark("{argument} must not be empty."), correction)
        case .argumentUnknown:
            Words(
                mark("{argument} is not known here."), terminal: mark("Use one of these: {others}."),
                window: correction)
        case .argumentNeedless:
            Words(mark("{argument} must be left out here."), correction)
        case .argumentTwice:
            Words(mark("{argument} must not be given twice."), correction)
        case .argumentFixed:
            Words(mark("{argument} cannot be changed any more."), correction)
        case .argumentNUL:
            Words(mark("{argument} must not contain a NUL."), correction)
        case .argumentIdentifier:
            Words(
                mark("{argument} must have 1 to {greatest} bytes, and neither a slash nor a control character."),
                correction)
        case .argumentInvisible: Words(mark("{argument} must not contain invisible characters."), correction)
        case .argumentMarks: Words(mark("{argument} has too many combining characters in a row."), correction)
        case .argumentNoPage:
            Words(
                mark(
                    "{argument} must be the address of a web page, with http or https, a host, and a port that exists."),
                correction)
        case .argumentNoSocket:
            Words(mark("{argument} must be a connected UNIX stream socket."), correction)
        case .argumentForeign:
            Words(mark("{argument} belongs to something else."), correction)
        case .argumentCount:
            Words(mark("{argument} must not have more than {greatest} values."), correction)
        case .argumentSize:
            Words(
                mark("{argument} must not have more than {greatest} bytes."),
                mark("Hand larger contents over through streams."))
        case .argumentDepth:
            Words(mark("{argument} must not have more than {greatest} containers inside each other."), correction)
        case .argumentNaN:
            Words(mark("{argument} must not have a NaN in a key, or in a member of a set."), correction)
        case .argumentMeaningless:
            Words(mark("{argument} has a value that means nothing: {value}."), correction)
        case .callInvalid:
            Words(mark("A call was not valid ({reason})."), correction)
        case .busFull:
            Words(mark("The session bus takes no more calls now."), mark("Wait a moment, and try again."))
        default: nil
        }
    }
}
