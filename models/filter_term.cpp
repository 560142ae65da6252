// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/filter_term.h"

namespace fencepost::models {

FilterPtr equalTo(Field field, const std::string& value)
{
    auto filter = std::make_shared<Filter>();
    filter->op = Filter::Op::Test;
    filter->field = field;
    filter->comparison = Comparison::Equal;
    filter->values = { { value, {} } };
    return filter;
}

QString equalTerm(Field field, const std::string& value)
{
    return QString::fromStdString(formatFilter(equalTo(field, value)));
}

} // namespace fencepost::models
