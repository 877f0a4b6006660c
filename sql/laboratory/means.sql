-- Means of whole numbers, half up; null where there is nothing to count. The first is of units of 1e-9.
create or replace temp macro mean_millionths(total, n) as case when n > 0 then (2 * total + 1000 * n) // (2000 * n) end;
create or replace temp macro mean_hundredths(total, n) as case when n > 0 then floor((200 * total + n) / (2 * n)) end;
