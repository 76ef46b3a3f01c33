import { init } from './migrations/0001-init.ts'

/** SQL of each schema version, append-only; `user_version` counts how many have run. */
export const MIGRATIONS: readonly string[] = [init]
