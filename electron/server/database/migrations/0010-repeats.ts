const INSTANT = `glob '????-??-??T??:??:??.???Z'`

/**
 * Worklist queries that were asked again on the same association are counted on the first one.
 * Append-only.
 */
export const repeatedQueries = `
alter table inspections add column repeats integer not null default 0 check (repeats >= 0);
alter table inspections add column lastAt text check (lastAt ${INSTANT});
`
