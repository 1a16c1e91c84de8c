// SPDX-License-Identifier: Apache-2.0

// The values of messages include file descriptors, so this module exports their type.
@_exported public import Descriptors
