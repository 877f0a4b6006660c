-- ask: Were the choices in office.toml given up, which guarded the newest publication?
-- when: publish
select * from weakened
