-- Means of whole numbers, half up, with the standard deviation over the number and the standard error of the mean; null
-- where there is nothing to count. The first is of units of 1e-9.
create macro mean_millionths(total, n) as case when n > 0 then (2 * total + 1000 * n) // (2000 * n) end;
create macro mean_hundredths(total, n) as case when n > 0 then floor((200 * total + n) / (2 * n)) end;
create macro deviation_hundredths(total, squares, n) as
    case when n > 0 then round(100 * sqrt(n::hugeint * squares - total::hugeint * total) / n) end;
create macro error_hundredths(total, squares, n) as
    case when n > 0 then round(100 * sqrt(n::hugeint * squares - total::hugeint * total) / n / sqrt(n)) end;
