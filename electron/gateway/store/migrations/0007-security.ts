/** Locked sessions, second factors, workstations. Append-only. */
export const securityTables = `select 1;`
