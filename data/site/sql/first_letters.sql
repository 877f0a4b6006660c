-- The beginnings of words that have a slice of names.
select rtrim(beginning) || if(ends_with(beginning, ' '), ' ', '') as beginning from first_letters order by slice;
