/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The daemon on the session bus. */
#define BATON_NAME "org.batonproject.Baton"
#define BATON_PATH "/org/batonproject/Baton"
#define BATON_ACTIVITIES_INTERFACE "org.batonproject.Baton1.Activities"
#define BATON_OFFERS_INTERFACE "org.batonproject.Baton1.Offers"

/* How long the daemon may take to reach another device, in ms. */
#define BATON_PATIENCE 130000
