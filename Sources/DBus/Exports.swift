// SPDX-License-Identifier: Apache-2.0

// What travels in a message.
@_exported public import Descriptors
