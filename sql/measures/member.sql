-- One row per group of players of a list and member of it; a player with two titles is in the group of each.
create table member as
select player_group.*, listed.* exclude (category)
from player_group join listed on case grouping
    when 'all' then true
    when 'active' then not contains(coalesce(flag, ''), 'i')
    when 'title' then title = value or coalesce(women_title = value, false)
    when 'with_reference' then reference_rating is not null
    when 'born_after' then birth_year > try_cast(value as integer)
    when 'category' then category = value
end
