/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#define BATON_INSIDE
#include <baton-activity.h>
#include <baton-application.h>
#include <baton-continuation.h>
#include <baton-enums.h>
#include <baton-error.h>
#include <baton-fields.h>
#include <baton-folders.h>
#include <baton-macros.h>
#include <baton-offer.h>
#include <baton-offers.h>
#include <baton-streams.h>
#include <baton-value.h>
#undef BATON_INSIDE
