// SPDX-License-Identifier: Apache-2.0

// Apps import one module: the values are part of what the class speaks in (Decision 0053).
@_exported public import ActivityModel
