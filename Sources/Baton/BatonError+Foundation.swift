// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import Foundation

extension BatonError {
    /// This error as a `CocoaError`. Its code is `userActivityHandoffFailed` if Foundation has no
    /// closer one.
    public var foundationError: CocoaError {
        let code: CocoaError.Code =
            switch self.code {
            case .connectionUnavailable, .daemonNotRunning, .busUnavailable, .radioUnavailable:
                .userActivityConnectionUnavailable
            case .remoteApplicationTimedOut: .userActivityRemoteApplicationTimedOut
            case .userInfoTooLarge: .userActivityHandoffUserInfoTooLarge
            case .userCancelled: .userCancelled
            default: .userActivityHandoffFailed
            }
        return CocoaError(code, userInfo: [NSUnderlyingErrorKey: self, NSLocalizedDescriptionKey: description])
    }
}
