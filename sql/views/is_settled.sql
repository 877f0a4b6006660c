-- Whether a list has settled an event, by the status that it gave it: no later list judges the same report again.
create or replace temp macro is_settled(status) as status in ('rated', 'late', 'duplicate', 'superseded');
