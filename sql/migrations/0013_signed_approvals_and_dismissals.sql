-- Approvals signed by the person who gave them, and reports set aside. These tables only grow.

-- One row per approval that is signed: the signature of what was approved, and the public key, as in manifest.json.sig.
create table if not exists approval_signature (
    approval_no integer not null primary key,
    signature varchar not null
);

-- One row per time that a refused report was set aside, or taken up again: then reason is empty. The newest one holds.
create table if not exists dismissal (
    dismissal_no integer not null primary key,
    report_id varchar not null,
    reason varchar not null,
    known_on date not null
);
