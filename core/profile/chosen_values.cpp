// SPDX-License-Identifier: Apache-2.0
#include "core/profile/chosen_values.h"

namespace fencepost::profile {

std::vector<ExpressionPtr> chosenValues(const Expression& expression)
{
    using Op = Expression::Op;
    const auto& arguments = expression.arguments;
    if (arguments.empty())
        return {}; // of what could not be read
    switch (expression.op) {
    case Op::Coalesce:
    case Op::Greatest:
        return arguments;
    case Op::From:
        return { arguments[1] };
    case Op::Case: {
        std::vector<ExpressionPtr> values;
        for (std::size_t i = 1; i < arguments.size(); i += 2)
            values.push_back(arguments[i]);
        values.push_back(arguments.back());
        return values;
    }
    default:
        return {};
    }
}

} // namespace fencepost::profile
