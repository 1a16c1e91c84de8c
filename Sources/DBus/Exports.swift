// SPDX-License-Identifier: Apache-2.0

// The values of messages include descriptors.
@_exported public import Descriptors
