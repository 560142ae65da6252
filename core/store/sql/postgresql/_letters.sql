SELECT json_array_elements_text(:ids::json)
