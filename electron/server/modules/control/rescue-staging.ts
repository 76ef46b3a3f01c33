import { randomBytes } from 'node:crypto'
import { dataKeyOf } from '#server/database/data-key.ts'
import { rowCounts, salvageSetting } from '#server/database/database-contents.ts'
import { StoreError } from '#server/database/store-error.ts'
import { readRescueHint } from '#server/modules/backups/rescue-hint.ts'
import { RestoreStaging } from '#server/modules/backups/restore-staging.ts'
import type { Clock } from '#server/platform/clock.ts'
import { type Log, reportError } from '#server/platform/log.ts'

/** Stages a restore into a data folder that the gateway cannot open. The caller holds its lock. */
export class RescueStaging extends RestoreStaging {
  readonly folder: string
  readonly clock: Clock
  readonly #log: Log
  readonly #dataKey: Buffer | undefined
  readonly #backupFolder: string | null

  /** @param dataKey from the key store; `undefined` to read `data.key` */
  constructor(
    folder: string,
    clock: Clock,
    log: Log,
    dataKey: Buffer | undefined,
    onReady: () => void,
    lingerMs: number,
  ) {
    super(folder, clock, onReady, lingerMs)
    this.folder = folder
    this.clock = clock
    this.#log = log
    this.#dataKey = dataKey
    this.#backupFolder = salvageSetting(folder, 'backup.folder') ?? readRescueHint(folder) ?? null
  }

  override backupFolder(): string | null {
    return this.#backupFolder
  }

  override dataKey(): Buffer | undefined {
    try {
      const options = { mayCreate: false, dataKey: this.#dataKey, random: randomBytes }
      return dataKeyOf(this.folder, options)
    } catch (error) {
      if (error instanceof StoreError) return undefined
      throw error
    }
  }

  protected override async rowsNow(tables: readonly string[]) {
    return rowCounts(this.folder, tables)
  }

  protected override reportError(error: unknown): void {
    reportError({ log: this.#log }, error)
  }
}
