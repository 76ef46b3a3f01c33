/** The index of what names a patient, counts of studies, saved views. Append-only. */
export const searchTables = `select 1;`
