/**
 * Writes the rows of the studies `s` that the condition picks. A study needs an addendum since the
 * last correction of images that were in it, or that it brought into it, where that was made after
 * its last signature and was not undone. What undoes another correction brings back the images that
 * were read. The two directions of a correction have an index each.
 */
const writeNeeded = (condition: string) => `
  insert into neededAddenda (seq, since)
    select seq, since from (
      select s.seq as seq,
        (select max(r.signedAt) from reports r where r.studyId = s.studyId) as signedAt,
        (select max(c.at) from corrections c
          where (c.fromStudyInstanceUid = s.studyInstanceUid
              or c.toStudyInstanceUid = s.studyInstanceUid)
            and c.undoes is null and c.undoneAt is null) as since
      from studies s where s.area = 'scribe' and ${condition})
    where since >= signedAt;`
const renew = (condition: string) => `
  delete from neededAddenda
    where seq in (select s.seq from studies s where s.area = 'scribe' and ${condition});
  ${writeNeeded(condition)}`
const CORRECTED = renew('s.studyInstanceUid in (new.fromStudyInstanceUid, new.toStudyInstanceUid)')
const SIGNED = renew('s.studyId = new.studyId')

/**
 * Studies whose signed report needs an addendum, because images were corrected after it was signed
 * (decision 0031). Triggers keep the table, so that it changes in the transaction that corrects,
 * undoes or signs. Append-only.
 */
export const neededAddenda = `
create table neededAddenda (
  seq integer primary key references studies on delete cascade,
  since text not null check (since glob '????-??-??T??:??:??.???Z')
) strict;
create index neededAddendaBySince on neededAddenda (since);
create trigger correctionsNeedAddenda after insert on corrections
begin ${CORRECTED} end;
create trigger undoneCorrectionsNeedNone after update of undoneAt on corrections
begin ${CORRECTED} end;
create trigger signedReportsNeedNone after update of status on reports when new.status = 'completed'
begin ${SIGNED} end;
create trigger insertedReportsNeedNone after insert on reports when new.status = 'completed'
begin ${SIGNED} end;
${writeNeeded(`s.studyInstanceUid in (
  select fromStudyInstanceUid from corrections union select toStudyInstanceUid from corrections)`)}
`
