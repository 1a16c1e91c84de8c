// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import UserActivity

extension CallbackDelivery {
    /// Runs callbacks on a dispatch queue, which should be serial.
    ///
    /// - Parameter queue: The queue.
    /// - Returns: The delivery.
    public static func queue(_ queue: DispatchQueue) -> CallbackDelivery {
        CallbackDelivery(isOnMainThread: queue === DispatchQueue.main) { work in queue.async(execute: work) }
    }
}
