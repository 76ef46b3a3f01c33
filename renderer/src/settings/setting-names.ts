import { isTextCode, t, textGroups } from '../i18n/t.ts'

const NAMES = [
  'clinic',
  'worklist',
  'dimse',
  'intake',
  'commitment',
  'forwarding',
  'reports',
  'partner',
  'events',
  'http',
  'https',
  'window',
  'mail',
  'viewer',
  'audit',
  'activity',
  'backup',
  'update',
  'setup',
  'inspector',
] as const

/** Groups in their order, by the first part of a key. */
export const GROUPS: Readonly<Record<string, { readonly title: string; readonly about: string }>> =
  textGroups('ui.settings.names.groups', NAMES, 'title', 'about')

/** The name of a setting; undefined for one that this version does not know. */
export function settingName(key: string): string | undefined {
  const code = `ui.settings.names.labels.${key}`
  return isTextCode(code) ? t(code) : undefined
}

/** The name of a value of a setting that is chosen from a list. */
export function optionName(option: string): string {
  const code = `ui.settings.names.options.${option}`
  return isTextCode(code) ? t(code) : option
}
