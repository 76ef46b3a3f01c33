import { type Actor, note } from '#server/audit-log/audit.ts'
import type { AuditStore } from '#server/audit-log/audit-queries.ts'
import type { Database } from '#server/database/database.ts'
import type { Clock } from '#server/platform/clock.ts'
import {
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type SettingValue,
} from '#shared/contract/settings.ts'
import { type FieldFault, malformedFields } from '#shared/errors.ts'
import { issueMessage } from '#shared/messages/issues.ts'
import { message } from '#shared/messages/message.ts'
import { type SettingValues, settingsStore } from './setting-queries.ts'

/**
 * Settings for one run, such as those of `serve --http`. They take precedence over stored values.
 */
export type SettingOverrides = { readonly [K in SettingKey]?: SettingValue<K> }

/** The effective settings: stored values, or the overrides of this run. */
export interface Settings {
  get<K extends SettingKey>(key: K): SettingValue<K>
  /** The stored value, whatever the overrides of this run are. */
  stored<K extends SettingKey>(key: K): SettingValue<K>
  all(): SettingValues
  /**
   * Changes several settings, or none if one is invalid. @throws ApiError malformed, with
   * `body.settings.<key>` as the path of each fault
   */
  change(values: Readonly<Record<string, unknown>>, actor: Actor): SettingValues
  /**
   * Calls the listener after the commit with the keys that changed. Returns a function that
   * unsubscribes.
   */
  onChange(listener: (keys: readonly SettingKey[]) => void): () => void
  /**
   * Stores a value that the setting's schema has validated, without an audit entry and without
   * calling listeners.
   */
  set<K extends SettingKey>(key: K, value: SettingValue<K>): void
  /**
   * Keys whose stored value cannot be read; they have their initial value until they are set again.
   */
  unreadable(): SettingKey[]
}

export function openSettings(
  database: Database,
  clock: Clock,
  audit: AuditStore,
  overrides: SettingOverrides = {},
): Settings {
  const store = settingsStore(database, clock)
  const listeners = new Set<(keys: readonly SettingKey[]) => void>()
  const all = () => ({ ...store.all(), ...overrides })
  return {
    get: (key) =>
      Object.hasOwn(overrides, key) ? (overrides[key] as SettingValue<typeof key>) : store.get(key),
    stored: store.get,
    all,
    set: store.set,
    unreadable: store.unreadable,
    change(values, actor) {
      const parsed = parse(values)
      database.transaction(() => {
        const changed: SettingKey[] = []
        for (const { key, value } of parsed) {
          const before = store.get(key)
          if (JSON.stringify(before) === JSON.stringify(value) && !store.unreadable().includes(key))
            continue
          store.set(key, value)
          note({ audit }, actor, 'setting.change', key, { before, after: value })
          changed.push(key)
        }
        if (changed.length > 0)
          database.afterCommit(() => {
            for (const listener of listeners) listener(changed)
          })
      })
      return all()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function parse(
  values: Readonly<Record<string, unknown>>,
): { key: SettingKey; value: SettingValue<SettingKey> }[] {
  const errors: FieldFault[] = []
  const parsed: { key: SettingKey; value: SettingValue<SettingKey> }[] = []
  for (const [name, given] of Object.entries(values)) {
    const path = `body.settings.${name}`
    const key = SETTING_KEYS.find((known) => known === name)
    const result = key && SETTINGS[key].schema.safeParse(given)
    if (key === undefined || result === undefined)
      errors.push({ path, message: message('settings.unknown') })
    else if (!result.success)
      errors.push(...result.error.issues.map((issue) => ({ path, message: issueMessage(issue) })))
    // Partners identify the clinic by this ID, so it can be replaced but not cleared.
    else if (key === 'clinic.id' && result.data === null)
      errors.push({ path, message: message('settings.not-a-uuid') })
    else parsed.push({ key, value: result.data })
  }
  const [first, ...others] = errors
  if (first) throw malformedFields(first, others)
  return parsed
}
