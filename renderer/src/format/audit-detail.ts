import { knownText, t } from '../i18n/t.ts'
import { bytesText } from './amounts.ts'
import { clockText, dayText } from './dates.ts'

/** Hashes, positions of the chain and ids of nothing that has a page: for the export alone. */
const TECHNICAL_MEMBERS = new Set([
  ...['textHash', 'pdfHash', 'hash', 'anchorSeq', 'anchorHash'],
  ...['correctionId', 'furtherCorrectionId', 'noticeId', 'sessionId', 'viewId'],
])

/** Members whose values are codes of the interface, and the text of each value. */
const CODED_MEMBERS: Readonly<Record<string, (value: string) => string>> = {
  area: (value) => `ui.studies.areas.${value}`,
  clinicRole: (value) => `ui.users.roles.${value}`,
  level: (value) => `ui.users.levels.${value}`,
  method: (value) => `ui.reports.communication.methods.${value}`,
  severity: (value) => `ui.study-list.severities.${value}.label`,
  status: (value) => `ui.study-list.statuses.${value}.label`,
  stationMode: (value) => `ui.devices.form.stations.${value}`,
  tls: (value) => `ui.devices.form.tlsModes.${value}`,
  type: (value) => `ui.format.event.events.${value}.name`,
  events: (value) => `ui.format.event.events.${value}.name`,
}
/** Members whose values are names of members. */
const MEMBERS_WITH_NAMES = new Set(['fields', 'fromPartner'])

/** What texts of the audit log need beside the entry. */
export interface DetailReader {
  /** The name of a user, device, destination or customer by its id; undefined for an unknown one. */
  readonly nameOf: (id: string) => string | undefined
  /** The time zone of the clinic. */
  readonly zone: string | undefined
  /** Members that go without saying where the text is shown. */
  readonly hidden?: ReadonlySet<string>
}
const NO_NAMES: DetailReader = { nameOf: () => undefined, zone: undefined }

/**
 * The detail of an audit entry on one line, in words: `15 → 30` for a change, else `Reason: …;
 * Images: 4`. Empty where there is nothing to say.
 */
export function detailText(detail: unknown, reader: DetailReader = NO_NAMES): string {
  if (detail === null || detail === undefined) return ''
  if (typeof detail !== 'object') return valueText(detail, '', reader)
  if (Array.isArray(detail)) return detail.map((one) => valueText(one, '', reader)).join(', ')
  if (isChange(detail)) return changeText(detail, '', reader)
  return Object.entries(detail)
    .filter(([name]) => !TECHNICAL_MEMBERS.has(name) && !reader.hidden?.has(name))
    .map(([name, value]) => `${nameOf(name)}: ${valueText(value, name, reader)}`)
    .join('; ')
}

interface Change {
  readonly before: unknown
  readonly after: unknown
}

const isChange = (value: object): value is Change =>
  Object.keys(value).length === 2 && 'before' in value && 'after' in value
const changeText = ({ before, after }: Change, name: string, reader: DetailReader) =>
  `${valueText(before, name, reader)} → ${valueText(after, name, reader)}`

/** The name of a member: from the catalogue, else its own as words, `Patient name`. */
const nameOf = (name: string): string =>
  knownText(`ui.format.details.${name}`) ??
  name
    .replace(
      /([a-z])([A-Z])(?=[a-z])/g,
      (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
    )
    .replace(/^./, (first) => first.toUpperCase())

function valueText(value: unknown, name: string, reader: DetailReader): string {
  if (value === null || value === undefined || value === '') return t('ui.format.nothing')
  if (typeof value === 'boolean') return value ? t('ui.format.yes') : t('ui.format.no')
  if (Array.isArray(value))
    return value.length === 0
      ? t('ui.format.nothing')
      : value.map((one) => valueText(one, name, reader)).join(', ')
  if (typeof value === 'object')
    return isChange(value) ? changeText(value, name, reader) : `(${detailText(value, reader)})`
  if (typeof value === 'string') return stringText(value, name, reader)
  return name === 'bytes' && typeof value === 'number' ? bytesText(value) : String(value)
}

function stringText(value: string, name: string, { nameOf: known, zone }: DetailReader): string {
  if (MEMBERS_WITH_NAMES.has(name)) return nameOf(value)
  const code = value.replaceAll(' ', '-')
  const codedText = CODED_MEMBERS[name]?.(value)
  const text =
    (codedText === undefined ? undefined : knownText(codedText)) ??
    knownText(`ui.audit.values.${name}.${code}`) ??
    known(value)
  if (text !== undefined) return text
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return dayText(value)
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return clockText(value, zone, new Date())
  return value.replace(/^[a-z]{3}_(?=[0-9a-f]{32}$)/, '')
}

/** What an action was done to, in words: a name where there is one, else its kind and its id. */
export function targetText(
  action: string,
  target: string,
  { nameOf: known }: DetailReader,
): string {
  const text =
    action === 'setting.change'
      ? settingText(target)
      : (knownText(`ui.audit.targets.${target}`) ?? known(target))
  const noun = action.slice(0, action.indexOf('.'))
  return (
    text ?? (isId(target) ? knownText(`ui.audit.nouns.${noun}`) : undefined) ?? objectText(target)
  )
}

/** The kind and the id of what has a page of its own, `Study 1f0c93ab…`; anything else as it is. */
export function objectText(id: string): string {
  if (UID.test(id))
    return t('ui.audit.objects.stu', { id: `…${id.slice(-12).replace(/^\.+/, '')}` })
  const prefix = /^([a-z]{3})_[0-9a-f]{32}$/.exec(id)?.[1]
  return (
    (prefix && knownText(`ui.audit.objects.${prefix}`, { id: shortIds(id.slice(4)) })) ??
    shortIds(id)
  )
}
/** Digits and dots, as a study is named by. */
const UID = /^[0-2](?:\.\d+)+$/
const isId = (text: string): boolean => /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text)

/** A setting with its group: several groups have a `TCP port`. */
function settingText(key: string): string | undefined {
  const group = knownText(`ui.settings.names.groups.${key.slice(0, key.indexOf('.'))}.title`)
  const label = knownText(`ui.settings.names.labels.${key}`)
  return group && label && t('ui.audit.setting', { group, label })
}

/** Ids shortened to their first digits: `usr_1f0c93ab…`. The whole belongs on hover. */
export const shortIds = (text: string): string =>
  text.replace(
    /[0-9a-f]{8}(?:[0-9a-f]{56}|[0-9a-f]{24}|-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/g,
    (id) => `${id.slice(0, 8)}…`,
  )
