import { userActor } from '#server/modules/audit/audit.ts'
import type { DashboardDeps, DashboardHandlers } from '#server/modules/dashboard/deps.ts'
import { SETTING_KEYS, SETTINGS } from '#shared/contract/settings.ts'
import type { SettingValues } from './setting-queries.ts'

export const settingsHandlers = ({
  settings,
}: Pick<DashboardDeps, 'settings'>): Pick<DashboardHandlers, 'settings' | 'changeSettings'> => ({
  settings: () => ({ settings: rowsOf(settings.all()) }),
  changeSettings({ body, user }) {
    settings.change(body.settings, userActor(user.userId))
    return { settings: rowsOf(settings.all()) }
  },
})

/** Every setting in the order of its table. */
const rowsOf = (values: SettingValues) =>
  SETTING_KEYS.map((key) => {
    const { initial, about, restart } = SETTINGS[key]
    return { key, value: values[key], initial, about, needsRestart: restart === true }
  })
