/**
 * The identity of a study: who overrode the check, and an index of the studies with a mismatch
 * (`isMismatched`, null until it was computed once). That somebody acknowledged a mismatch changes
 * nothing any more; the audit trail keeps who did. Append-only.
 */
export const identity = `
alter table imageStudies add column sealedOverride blob;
alter table imageStudies add column isMismatched integer check (isMismatched in (0, 1));
drop index imageStudiesMismatched;
update imageStudies set isMismatched = 1 where sealedMismatch is not null;
create index imageStudiesMismatched on imageStudies (studyInstanceUid) where isMismatched = 1;
create index imageStudiesUncompared on imageStudies (studyInstanceUid) where isMismatched is null;
`
