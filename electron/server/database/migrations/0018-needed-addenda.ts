/**
 * Writes the rows of the studies `s` that the condition selects. A study needs an addendum if
 * images were corrected out of it or into it after its last signature, and that correction was
 * neither undone nor itself an undo, which brings back the images that were read. Each direction of
 * a correction has an index.
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
const renewNeeded = (condition: string) => `
  delete from neededAddenda
    where seq in (select s.seq from studies s where s.area = 'scribe' and ${condition});
  ${writeNeeded(condition)}`
const RENEW_CORRECTED = renewNeeded(
  's.studyInstanceUid in (new.fromStudyInstanceUid, new.toStudyInstanceUid)',
)
const RENEW_SIGNED = renewNeeded('s.studyId = new.studyId')

/**
 * Studies whose signed report needs an addendum because images were corrected after it was signed
 * (decision 0031). Triggers maintain the table, so it changes in the same transaction as the
 * correction, undo or signature.
 */
export const neededAddenda = `
create table neededAddenda (
  seq integer primary key references studies on delete cascade,
  since text not null check (since glob '????-??-??T??:??:??.???Z')
) strict;
create index neededAddendaBySince on neededAddenda (since);
create trigger correctionsNeedAddenda after insert on corrections
begin ${RENEW_CORRECTED} end;
create trigger undoneCorrectionsNeedNone after update of undoneAt on corrections
begin ${RENEW_CORRECTED} end;
create trigger signedReportsNeedNone after update of status on reports when new.status = 'completed'
begin ${RENEW_SIGNED} end;
create trigger insertedReportsNeedNone after insert on reports when new.status = 'completed'
begin ${RENEW_SIGNED} end;
${writeNeeded(`s.studyInstanceUid in (
  select fromStudyInstanceUid from corrections union select toStudyInstanceUid from corrections)`)}
`
