{acquire_set}
{acquire_rest}
