-- The newest index of all that is published, so that the counter only grows and a lost index is put back.

-- One row per home that has published: the content of published/index.json, and of published/index.json.sig, which is
-- empty where the office does not sign.
create table published_index (
    content varchar not null,
    signature varchar not null
);
