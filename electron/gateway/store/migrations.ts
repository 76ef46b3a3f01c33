import { init } from './migrations/0001-init.ts'
import { interfaceTables } from './migrations/0002-interface.ts'

/** SQL of each schema version, append-only; `user_version` counts how many have run. */
export const MIGRATIONS: readonly string[] = [init, interfaceTables]
