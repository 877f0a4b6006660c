-- ask: Is it right that the list is published without a correction?
-- when: publish
-- remedy: {to_include_it}
--
-- It was made after the list, or one before it, was calculated. A correction that was applied and undone since
-- changes nothing. A player's data are corrected on every list that is calculated since; of anything else, the list
-- before that it stands on has to be corrected too.
select
    made.correction_no as correction,
    made.what,
    strftime(made.known_on, '%Y-%m-%d') as made_on,
    made.first_month as first_list,
    case
        when judged.month in (select month from current_revision) then 'ratinglist rerate --from ' || made.first_month
        else 'ratinglist rate ' || judged.month
    end as to_include_it
from correction_described as made
join calculation as judged
    on judged.is_standing and judged.month = case when made.decided_action = 'change_data' then $month else made.first_month end
where is_corrected_since(made.correction_no, made.undoes, judged.last_correction)
    and made.first_month <= $month
order by made.correction_no
