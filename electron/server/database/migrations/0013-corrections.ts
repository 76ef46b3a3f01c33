const INSTANT = `glob '????-??-??T??:??:??.???Z'`

/**
 * Corrections of the patient or exam of images (decision 0031). A corrected copy is a new instance;
 * its original is kept as superseded, and its row here prevents it from being shown or restored.
 * Patient values and reasons are encrypted. A removed destination may still have images of a study,
 * so its studies stay listed.
 *
 * undoes, undoneWith: if copies had left the gateway, undoing is a further correction with the
 * original values.
 */
export const correctionTables = `
create table corrections (
  correctionId text primary key,
  kind text not null check (kind in ('correct', 'reassign', 'split', 'merge')),
  cause text not null check (cause in ('wrong-worklist-entry', 'patient-safety')),
  fromStudyInstanceUid text not null references imageStudies,
  toStudyInstanceUid text not null references imageStudies,
  instances integer not null check (instances > 0),
  sealedDetails blob not null,
  userId text not null,
  at text not null check (at ${INSTANT}),
  undoes text references corrections,
  undoneAt text check (undoneAt ${INSTANT}),
  undoneBy text,
  undoneWith text references corrections,
  check ((undoneAt is null) = (undoneBy is null)),
  check (undoneWith is null or undoneAt is not null)
) strict, without rowid;
create index correctionsFrom on corrections (fromStudyInstanceUid, at);
create index correctionsTo on corrections (toStudyInstanceUid, at);

create table correctedInstances (
  originalId integer not null,
  correctedId integer not null,
  correctionId text not null references corrections,
  primary key (originalId, correctionId)
) strict, without rowid;
create index correctedInstancesByCopy on correctedInstances (correctedId);
create index correctedInstancesByCorrection on correctedInstances (correctionId);

create table rejectionNotes (
  correctionId text primary key references corrections,
  studyInstanceUid text not null,
  sopInstanceUid text not null unique,
  createdAt text not null check (createdAt ${INSTANT})
) strict, without rowid;
create index rejectionNotesByStudy on rejectionNotes (studyInstanceUid);

create table correctionNotices (
  noticeId integer primary key autoincrement,
  correctionId text not null references corrections,
  kind text not null check (kind in ('destination', 'partner', 'person')),
  subject text not null,
  isUndo integer not null default 0 check (isUndo in (0, 1)),
  sealedDetails blob not null,
  state text not null check (state in ('open', 'done')),
  createdAt text not null check (createdAt ${INSTANT}),
  doneAt text check (doneAt ${INSTANT}),
  doneBy text not null default '',
  sealedNote blob,
  unique (correctionId, kind, subject, isUndo),
  check ((state = 'done') = (doneAt is not null))
) strict;
create index correctionNoticesOpen on correctionNotices (noticeId) where state = 'open';

create table formerDestinationStudies (
  studyInstanceUid text not null,
  destinationId text not null,
  name text not null,
  primary key (studyInstanceUid, destinationId)
) strict, without rowid;
create trigger destinationsRemoved before delete on destinations begin
  insert or replace into formerDestinationStudies
  select studyInstanceUid, old.destinationId, old.name
  from forwardedStudies where destinationId = old.destinationId and sent > 0;
end;
`
