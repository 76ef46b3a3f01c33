import type { Database } from '#server/database/database.ts'
import { type Clock, instantOf } from '#server/platform/clock.ts'
import {
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type SettingValue,
} from '#shared/contract/settings.ts'

export type SettingValues = { readonly [K in SettingKey]: SettingValue<K> }

/**
 * Stored settings, as declared in SETTINGS (shared/contract/settings.ts). A setting that is missing
 * or unreadable has its initial value.
 */
export interface SettingsStore {
  get<K extends SettingKey>(key: K): SettingValue<K>
  /** The caller has validated the value with the setting's schema. */
  set<K extends SettingKey>(key: K, value: SettingValue<K>): void
  all(): SettingValues
  /**
   * Keys whose stored value cannot be read; they have their initial value until they are set again.
   */
  unreadable(): SettingKey[]
}

export function settingsStore(db: Database, clock: Clock): SettingsStore {
  const known = new Map<SettingKey, { readonly value: unknown; readonly isReadable: boolean }>()

  function read(key: SettingKey): { readonly value: unknown; readonly isReadable: boolean } {
    const remembered = known.get(key)
    if (remembered) return remembered
    const row = db.get(db.sql.selectFrom('settings').select('value').where('key', '=', key))
    const parsed = row && SETTINGS[key].schema.safeParse(jsonOf(row.value))
    const found = parsed?.success
      ? { value: parsed.data, isReadable: true }
      : { value: SETTINGS[key].initial, isReadable: !row }
    if (!db.inTransaction) known.set(key, found)
    return found
  }

  return {
    get: <K extends SettingKey>(key: K) => read(key).value as SettingValue<K>,
    set(key, value) {
      const row = { key, value: JSON.stringify(value), updatedAt: instantOf(clock()) }
      known.delete(key)
      db.run(
        db.sql
          .insertInto('settings')
          .values(row)
          .onConflict((old) => old.column('key').doUpdateSet(row)),
      )
    },
    all: () =>
      Object.fromEntries(SETTING_KEYS.map((key) => [key, read(key).value])) as SettingValues,
    unreadable: () => SETTING_KEYS.filter((key) => !read(key).isReadable),
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
