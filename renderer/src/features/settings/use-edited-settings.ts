import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { useSend } from '../../api/queries.ts'
import { changesOf, faultOf, faultsBySetting, type JsonValue, type SettingRow } from './fields.ts'

/**
 * What somebody changed of the settings and has not saved yet, with its faults: this window's, and
 * those of a refusal until they are edited.
 */
export function useEditedSettings(rows: readonly SettingRow[]) {
  const [edited, setEdited] = useState<Readonly<Record<string, JsonValue>>>({})
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({})
  const save = useSend(dashboard.changeSettings, [
    dashboard.settings,
    dashboard.status,
    dashboard.session,
  ])
  const changes = changesOf(rows, edited)
  const faults: Record<string, string> = { ...refused }
  for (const [key, value] of Object.entries(changes)) {
    const fault = faultOf(key, value)
    if (fault) faults[key] = fault
  }
  const discard = () => {
    setEdited({})
    setRefused({})
  }
  return {
    changes,
    faults,
    isSaving: save.isPending,
    /** Of a refusal that is about no setting. */
    error: save.error && save.error.errors.length === 0 ? save.error : null,
    shownValue: (row: SettingRow): JsonValue =>
      row.key in edited ? (edited[row.key] ?? null) : row.value,
    edit(key: string, value: JsonValue) {
      setEdited({ ...edited, [key]: value })
      setRefused(Object.fromEntries(Object.entries(refused).filter(([one]) => one !== key)))
    },
    discard,
    /** @param onSaved hears whether the gateway uses it only after a restart */
    send(onSaved: (needsRestart: boolean) => void) {
      save.mutate(
        { body: { settings: changes } },
        {
          onSuccess: () => {
            discard()
            onSaved(rows.some((row) => row.needsRestart && row.key in changes))
          },
          onError: (error) => setRefused(faultsBySetting(error.errors)),
        },
      )
    },
  }
}
