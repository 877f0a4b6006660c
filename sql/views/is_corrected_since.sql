-- Whether a correction changes something since another one, by its number: it was made later, and was not undone. The
-- undo of a correction that was made later itself changes nothing.
create or replace temp macro is_corrected_since(correction_no, undoes, known_no) as
    correction_no > known_no
    and (undoes is null or undoes <= known_no)
    and correction_no not in (select undone.undoes from correction as undone where undone.undoes is not null);
