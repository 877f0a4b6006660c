-- ask: Is it right that players lose a name, federation, sex, title or club, or get back an earlier one?
-- when: import-players import-list
select * from lost
