import { knownText, textGroups } from '../../i18n/t.ts'

const NAMES = [
  'clinic',
  'worklist',
  'dimse',
  'intake',
  'commitment',
  'forwarding',
  'tiers',
  'lifecycle',
  'reports',
  'criticals',
  'dictation',
  'partner',
  'events',
  'http',
  'https',
  'window',
  'oidc',
  'mail',
  'viewer',
  'dicomweb',
  'sandbox',
  'audit',
  'otlp',
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
export const settingName = (key: string): string | undefined =>
  knownText(`ui.settings.names.labels.${key}`)

/** The name of a value of a setting that is chosen from a list. */
export const optionName = (option: string): string =>
  knownText(`ui.settings.names.options.${option}`) ?? option
