/**
 * Images that arrived, or were found on the disk, as another version of an image of which the
 * database does not know that it was corrected: corrected copies, or their originals (decision
 * 0031). `otherUid` is the SOP Instance UID of each other version; the header names a patient.
 */
export const foundVersions = `
create table foundVersions (
  instanceId integer not null references instances on delete cascade,
  otherUid text not null,
  sealedHeader blob not null,
  primary key (instanceId, otherUid)
) strict, without rowid;
create index foundVersionsByUid on foundVersions (otherUid);
`
