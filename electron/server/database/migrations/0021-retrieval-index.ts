/**
 * The index of queries for stored images, C-FIND and QIDO-RS (decision 0054): by patient, by date,
 * by modality and date, and by words that only the data key can produce. Existing studies are added
 * after the start, in batches (`searchFill`). Triggers on `retrievalStudies` maintain
 * `retrievalModalities`.
 */
export const retrievalIndex = `
create table retrievalStudies (
  number integer primary key references imageStudyNumbers on delete cascade,
  patientKey blob not null check (length(patientKey) = 16),
  studyDate text not null check (studyDate = '' or studyDate glob '[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]'),
  modalities text not null check (json_valid(modalities))
) strict;
create index retrievalStudiesByPatient on retrievalStudies (patientKey);
create index retrievalStudiesByDate on retrievalStudies (studyDate);
create table retrievalModalities (
  modality text not null,
  studyDate text not null,
  number integer not null,
  primary key (modality, studyDate, number)
) strict, without rowid;
create virtual table retrievalWords using fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');

create trigger retrievalStudiesCome after insert on retrievalStudies begin
  insert into retrievalModalities (modality, studyDate, number)
    select value, new.studyDate, new.number from json_each(new.modalities);
end;
create trigger retrievalStudiesChange after update of studyDate, modalities on retrievalStudies
when (old.studyDate, old.modalities) <> (new.studyDate, new.modalities) begin
  delete from retrievalModalities where (modality, studyDate, number) in
    (select value, old.studyDate, old.number from json_each(old.modalities));
  insert into retrievalModalities (modality, studyDate, number)
    select value, new.studyDate, new.number from json_each(new.modalities);
end;
create trigger retrievalStudiesGo after delete on retrievalStudies begin
  delete from retrievalModalities where (modality, studyDate, number) in
    (select value, old.studyDate, old.number from json_each(old.modalities));
  delete from retrievalWords where rowid = old.number;
end;
create index imageSeriesByUid on imageSeries (seriesInstanceUid);

alter table searchFill rename to searchFillBefore;
create table searchFill (
  what text primary key check (what in ('studies', 'images', 'retrieval')),
  below integer not null
) strict, without rowid;
insert into searchFill select what, below from searchFillBefore;
drop table searchFillBefore;
insert into searchFill (what, below)
  select 'retrieval', max(number) + 1 from imageStudyNumbers having count(*) > 0;
`
