const INSTANT = `glob '????-??-??T??:??:??.???Z'`

/**
 * What staff decided about exams without an order and orders without images (decision 0032), and
 * indexes to find both. `day` is that of the exam or the order in the clinic. At most one decision
 * on an exam, and one on an order, holds at a time. Append-only.
 */
export const reconciliation = `
create table reconciliations (
  decisionId integer primary key autoincrement,
  kind text not null check (kind in ('link', 'keep', 'not-done')),
  day text not null check (day glob '????-??-??'),
  imageStudyUid text references imageStudies,
  orderStudyUid text,
  scheduledProcedureStepId text,
  sealedDetails blob not null,
  userId text not null,
  at text not null check (at ${INSTANT}),
  undoneAt text check (undoneAt ${INSTANT}),
  undoneBy text,
  check ((imageStudyUid is null) = (kind = 'not-done')),
  check ((orderStudyUid is null) = (kind = 'keep')),
  check ((orderStudyUid is null) = (scheduledProcedureStepId is null)),
  check ((undoneAt is null) = (undoneBy is null))
) strict;
create index reconciliationsByDay on reconciliations (day) where undoneAt is null;
create unique index reconciliationsOfImages on reconciliations (imageStudyUid) where undoneAt is null;
create unique index reconciliationsOfOrders on reconciliations (orderStudyUid, scheduledProcedureStepId)
  where undoneAt is null;
create index imageStudiesUnscheduled on imageStudies (createdAt, studyInstanceUid)
  where sealedHandedOut is null and isFetched = 0 and remoteAddress <> '';
create index inspectionsWithFault on inspections (at) where fault is not null;
`
