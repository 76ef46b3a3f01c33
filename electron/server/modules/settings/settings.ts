import { type Actor, type DomainDeps, note } from '#server/modules/audit/audit.ts'
import {
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type SettingValue,
} from '#shared/contract/settings.ts'
import { ApiError, type FieldFault } from '#shared/errors.ts'
import type { SettingValues } from './setting-queries.ts'

/** The settings of shared/contract/settings.ts. */
export interface Settings {
  get<K extends SettingKey>(key: K): SettingValue<K>
  all(): SettingValues
  /**
   * Changes several, all or none. @throws ApiError malformed, naming `body.settings.<key>` for each
   * fault
   */
  change(values: Readonly<Record<string, unknown>>, actor: Actor): SettingValues
  /** Tells which keys have changed, after the commit. Returns what stops it. */
  onChange(listener: (keys: readonly SettingKey[]) => void): () => void
}

export function openSettings(deps: Pick<DomainDeps, 'store'>): Settings {
  const { store } = deps
  const listeners = new Set<(keys: readonly SettingKey[]) => void>()
  return {
    get: (key) => store.settings.get(key),
    all: () => store.settings.all(),
    change(values, actor) {
      const parsed = parse(values)
      store.database.transaction(() => {
        const changed: SettingKey[] = []
        for (const { key, value } of parsed) {
          const before = store.settings.get(key)
          if (
            JSON.stringify(before) === JSON.stringify(value) &&
            !store.settings.unreadable().includes(key)
          )
            continue
          store.settings.set(key, value)
          note(deps.store, actor, 'setting.change', key, { before, after: value })
          changed.push(key)
        }
        if (changed.length > 0)
          store.database.afterCommit(() => {
            for (const listener of listeners) listener(changed)
          })
      })
      return store.settings.all()
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
      errors.push({ path, message: 'is not a setting' })
    else if (!result.success)
      errors.push({ path, message: result.error.issues.map((issue) => issue.message).join('; ') })
    // The partner knows the clinic by it: it is replaced, never taken away.
    else if (key === 'clinic.id' && result.data === null)
      errors.push({ path, message: 'must be a UUID' })
    else parsed.push({ key, value: result.data })
  }
  if (errors.length > 0)
    throw new ApiError(
      'malformed',
      errors.map(({ path, message }) => `${path} ${message}`).join('. '),
      { errors },
    )
  return parsed
}
