-- What other queries use. Means are hundredths, rounded half away from zero.
create macro mean_hundredths(total, players) as (sign(total) * ((200 * abs(total) + players) // (2 * players)))::int;
create macro is_active(flag) as not contains(coalesce(flag, ''), 'i');
create macro control_number(time_control) as list_position(['standard', 'rapid', 'blitz'], time_control) - 1;
create table event_place (month int, event_id varchar, digest hugeint, first int, slice int, event int);
create table moved (
    month int, step int, from_revision int, to_revision int, day varchar, reason varchar, time_control varchar,
    fide_id bigint, name varchar, federation varchar, old_rating int, new_rating int, change int
);
