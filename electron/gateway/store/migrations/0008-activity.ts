/** Associations with their lines. Append-only. */
export const activityTables = `select 1;`
