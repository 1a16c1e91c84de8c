// SPDX-License-Identifier: Apache-2.0

// The descriptor of a pair of streams is part of this module's interface.
@_exported public import Descriptors
