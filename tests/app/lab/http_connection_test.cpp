// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "app/lab/http_connection.h"

namespace fencepost::app {

TEST(HttpConnection, NamesEveryStatusThatTheContractHas)
{
    for (const int status :
        { 200, 201, 202, 303, 400, 401, 404, 405, 409, 410, 412, 413, 415, 422, 429, 431, 500, 503 })
        EXPECT_THAT(wireOf({ status, {}, "" }, true, true),
            testing::Not(testing::StartsWith("HTTP/1.1 " + std::to_string(status) + " Status")));
    EXPECT_THAT(wireOf({ 412, {}, "" }, true, true), testing::StartsWith("HTTP/1.1 412 Precondition Failed\r\n"));
    EXPECT_THAT(wireOf({ 410, {}, "" }, true, true), testing::StartsWith("HTTP/1.1 410 Gone\r\n"));
}

} // namespace fencepost::app
