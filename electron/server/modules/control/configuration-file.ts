import { z } from 'zod'
import type { Context } from '#server/context.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { addDevice, changeDevice, removeDevice } from '#server/modules/devices/devices.ts'
import {
  type DestinationRecord,
  listDestinations,
} from '#server/modules/forwarding/destination-queries.ts'
import {
  addDestination,
  removeDestination,
  updateDestination,
} from '#server/modules/forwarding/destinations.ts'
import { readPartner, setPartner } from '#server/modules/partners/service.ts'
import { DestinationPatch, NewDestination } from '#shared/contract/destinations.ts'
import { type Device, DevicePatch, NewDevice } from '#shared/contract/devices.ts'
import { SETTING_KEYS, SETTINGS, type SettingKey } from '#shared/contract/settings.ts'
import { ApiError, type FieldFault } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
import type { DataCommand } from './command.ts'
import { faultsOf, NOT_APPLIED_MESSAGE, withPath } from './configuration-faults.ts'
import {
  applyTierSecret,
  schemaOfTier,
  storedTierSecretNames,
  TierEntryPatch,
  TierSecretName,
  tierRecordsOf,
} from './configuration-tiers.ts'
import { ACTOR, requireNoArguments } from './record-command.ts'
import { partnerSecret, SITE_SECRET_NAMES, SITE_SECRETS } from './site-secrets.ts'

/*
 * The configuration as a YAML file. It contains no secrets, but says where the command line reads
 * them. API keys and users are made in the window or by their commands.
 */

// Patches, since a field that the file leaves out keeps its value.
const ConfigurationFile = z.strictObject({
  settings: z.record(z.string(), z.unknown()).default({}),
  partner: z
    .strictObject({ url: z.string(), allowPlaintext: z.boolean().default(false) })
    .optional(),
  devices: z.array(DevicePatch.required({ aeTitle: true }).strict()).optional(),
  destinations: z.array(DestinationPatch.required({ name: true }).strict()).optional(),
  tiers: z.array(TierEntryPatch).optional(),
  /** The values, which the command line has read from where the file says. */
  secrets: z
    .partialRecord(
      z.union([z.enum(SITE_SECRET_NAMES), TierSecretName]),
      z.string().min(1).max(4000),
    )
    .default({}),
})
type ConfigurationFile = z.output<typeof ConfigurationFile>

export const CONFIGURATION_COMMANDS: Readonly<Record<string, DataCommand>> = {
  apply: {
    usage: 'FILE [--dry-run] [--prune]',
    about:
      'apply the configuration in a YAML file, completely or not at all, and print what was changed',
    options: {
      'dry-run': { type: 'boolean', about: 'Print what would be changed, and change nothing.' },
      prune: {
        type: 'boolean',
        about: 'Remove devices, destinations and tiers that are not in the lists of the file.',
      },
    },
    fileArgument: true,
    async run(context, { options, input }, gateway) {
      const file = await readConfiguration(input)
      const isDryRun = options['dry-run'] === true
      const refresh = () => gateway?.forwarding.refresh()
      const lines = applyConfiguration(context, file, options.prune === true, isDryRun, refresh)
      if (lines.length === 0) return 'Nothing to change.'
      const heading = isDryRun ? 'Would be changed:' : 'Changed:'
      return [heading, ...lines].join('\n')
    },
  },
  'config export': {
    usage: '',
    about:
      'print the configuration as a YAML file for apply: the settings that differ from their default values, the partner, devices, destinations and tiers; no secrets, no patient data',
    options: {},
    async run(context, { arguments: words }) {
      requireNoArguments('config export', words)
      const { stringify } = await import('yaml')
      const set = SITE_SECRETS.filter(({ current }) => current(context) !== undefined)
      const names = [...set.map(({ name }) => name), ...storedTierSecretNames(context)].join(', ')
      const comment = names && `# Set here, and not in this file: ${names}\n`
      return `${comment}${stringify(configurationOf(context)).trimEnd()}`
    },
  },
}

/** The configuration in the form of the file. Fields with their default values are left out. */
function configurationOf(context: Context): unknown {
  const { settings, database } = context
  const changed = SETTING_KEYS.filter(
    (key) => JSON.stringify(settings.stored(key)) !== JSON.stringify(SETTINGS[key].initial),
  )
  const { url, allowsPlaintext } = readPartner(context)
  return {
    settings: Object.fromEntries(changed.map((key) => [key, portableValueOf(context, key)])),
    ...(url !== null && { partner: { url, ...(allowsPlaintext && { allowPlaintext: true }) } }),
    devices: listDevices(database).map((device) => withoutDefaults(NewDevice, device)),
    destinations: listDestinations(database).map((one) => withoutDefaults(NewDestination, one)),
    tiers: tierRecordsOf(context).all.map((one) => withoutDefaults(schemaOfTier(one), one)),
  }
}

function portableValueOf({ settings, database }: Context, key: SettingKey): unknown {
  const value = settings.stored(key)
  if (key !== REPORT_DESTINATION_KEY) return value
  return (
    listDestinations(database).find(({ destinationId }) => destinationId === value)?.name ?? value
  )
}

function withoutDefaults(schema: z.ZodObject, record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema.shape).flatMap(([name, field]) => {
      const value: unknown = Reflect.get(record, name)
      const parsedDefault = field.safeParse(undefined)
      const isDefault =
        parsedDefault.success && JSON.stringify(parsedDefault.data) === JSON.stringify(value)
      return isDefault ? [] : [[name, value]]
    }),
  )
}

/** @throws ApiError malformed, with the line of a syntax error or the path of each field */
async function readConfiguration(text: string): Promise<ConfigurationFile> {
  const { LineCounter, parseDocument } = await import('yaml')
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter })
  const [error] = document.errors
  if (error) {
    const { line } = lineCounter.linePos(error.pos[0])
    throw new ApiError(
      'malformed',
      verbatim(`The file is not YAML: ${error.message} (line ${line})`),
    )
  }
  const parsed = ConfigurationFile.safeParse(document.toJS({ maxAliasCount: 100 }) ?? {})
  if (parsed.success) return parsed.data
  throw new ApiError('malformed', NOT_APPLIED_MESSAGE, { errors: faultsOf(parsed.error) })
}

/** Thrown to undo what a dry run has changed. */
class DryRunEnd extends Error {
  readonly lines: readonly string[]
  constructor(lines: readonly string[]) {
    super('dry run')
    this.lines = lines
  }
}

/**
 * Makes every change in one transaction, which a dry run rolls back.
 * @param onDestinations called after the commit if destinations have changed
 */
function applyConfiguration(
  context: Context,
  file: ConfigurationFile,
  isPruned: boolean,
  isDryRun: boolean,
  onDestinations: () => void,
): readonly string[] {
  const { database } = context
  try {
    return database.transaction(() => {
      const { [REPORT_DESTINATION_KEY]: reportDestination, ...settings } = file.settings
      // Before the destinations that they name are removed.
      const tierRemovalLines = removeSurplus(tierRecordsOf(context), file.tiers, isPruned)
      const others = [
        ...applySettings(context, settings),
        ...applyPartner(context, file.partner, file.secrets['partner.signingSecret']),
        ...applySecrets(context, file.secrets),
        ...applyRecords(devicesOf(context), file.devices, isPruned),
        ...tierRemovalLines,
      ]
      const destinations = applyRecords(destinationsOf(context), file.destinations, isPruned)
      // What is being sent is not interrupted by other changes.
      if (destinations.length > 0) database.afterCommit(onDestinations)
      const lines = [
        ...others,
        ...destinations,
        ...applyReportDestination(context, reportDestination),
        ...applyRecords(tierRecordsOf(context), file.tiers, false),
        ...applyTierSecrets(context, file.secrets),
      ]
      if (isDryRun) throw new DryRunEnd(lines)
      return lines
    })
  } catch (error) {
    if (error instanceof DryRunEnd) return error.lines
    throw error
  }
}

function applySettings({ settings }: Context, values: ConfigurationFile['settings']): string[] {
  const stored = () => SETTING_KEYS.map((key) => JSON.stringify(settings.stored(key)))
  const before = stored()
  withPath('settings', () => settings.change(values, ACTOR))
  const after = stored()
  return SETTING_KEYS.flatMap((key, at) =>
    before[at] === after[at]
      ? []
      : [
          `~ ${key}: ${before[at]} -> ${after[at]}${SETTINGS[key].restart ? ' (at the next start)' : ''}`,
        ],
  )
}

/** The file names a destination, since its id is another one on each gateway. */
const REPORT_DESTINATION_KEY = 'reports.destinationId'

function applyReportDestination(context: Context, wanted: unknown): string[] {
  if (wanted === undefined) return []
  const named = listDestinations(context.database).find(({ name }) => name === wanted)
  return applySettings(context, { [REPORT_DESTINATION_KEY]: named?.destinationId ?? wanted })
}

/** Secrets of addresses are set after the settings with these addresses. */
function applySecrets(context: Context, secrets: ConfigurationFile['secrets']): string[] {
  return SITE_SECRETS.flatMap(({ name, current, set }) => {
    const wanted = secrets[name]
    const before = current(context)
    if (wanted === undefined || wanted === before) return []
    withPath(`secrets.${name}`, () => set(context, wanted, ACTOR))
    return [`${before === undefined ? '+' : '~'} secret ${name}`]
  })
}

const applyTierSecrets = (context: Context, secrets: ConfigurationFile['secrets']): string[] =>
  Object.entries(secrets)
    .filter(([name]) => TierSecretName.safeParse(name).success)
    .flatMap(([name, secret = '']) =>
      withPath(`secrets.${name}`, () => applyTierSecret(context, name, secret)),
    )

function applyPartner(
  context: Context,
  partner: ConfigurationFile['partner'],
  signingSecret: string | undefined,
): string[] {
  if (!partner) {
    if (signingSecret !== undefined)
      throw new ApiError('malformed', NOT_APPLIED_MESSAGE, { errors: [NO_PARTNER_FAULT] })
    return []
  }
  const before = readPartner(context)
  const isSame =
    before.url !== null &&
    URL.canParse(partner.url) &&
    new URL(partner.url).href === before.url &&
    before.allowsPlaintext === partner.allowPlaintext
  const isSameSecret =
    signingSecret === undefined || signingSecret === partnerSecret(context.database)
  if (isSame && isSameSecret) return []
  const { url, secret } = withPath('partner', () =>
    setPartner(context, { ...partner, secret: signingSecret }, ACTOR),
  )
  const newSecretNote = secret === null ? '' : `; its new signing secret, shown once: ${secret}`
  const replaced = isSameSecret ? '' : '; its signing secret was replaced'
  return [`~ partner: ${before.url ?? 'none'} -> ${url}${newSecretNote}${replaced}`]
}

const NO_PARTNER_FAULT: FieldFault = {
  path: 'secrets.partner.signingSecret',
  message: verbatim('needs the partner in the same file'),
}

/** The fields of a record that the file has. */
type Patch<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** How the records of one list are named, added, changed and removed. */
interface RecordListAdapter<New extends object, Kept extends New> {
  readonly kind: 'device' | 'destination' | 'tier'
  readonly all: readonly Kept[]
  readonly schema: z.ZodType<New>
  readonly nameOf: (record: Patch<New>) => string
  readonly add: (record: New) => unknown
  readonly change: (kept: Kept, patch: Patch<New>) => unknown
  readonly remove: (kept: Kept) => unknown
}

const devicesOf = (context: Context): RecordListAdapter<NewDevice, Device> => ({
  kind: 'device',
  all: listDevices(context.database),
  schema: NewDevice,
  // An AE title may be used at several addresses.
  nameOf: ({ aeTitle, address }) => `${aeTitle?.trim()}${address ? ` at ${address}` : ''}`,
  add: (device) => addDevice(context, device, ACTOR),
  change: ({ deviceId }, patch) => changeDevice(context, deviceId, patch, ACTOR),
  remove: ({ deviceId }) => removeDevice(context, deviceId, ACTOR),
})

const destinationsOf = (
  context: Context,
): RecordListAdapter<NewDestination, DestinationRecord> => ({
  kind: 'destination',
  all: listDestinations(context.database),
  schema: NewDestination,
  nameOf: ({ name }) => `${name?.trim()}`,
  add: (destination) => addDestination(context, destination, ACTOR),
  change: ({ destinationId }, patch) => updateDestination(context, destinationId, patch, ACTOR),
  remove: ({ destinationId }) => removeDestination(context, destinationId, ACTOR),
})

/** A list that the file does not have is left as it is. */
function applyRecords<New extends object, Kept extends New>(
  records: RecordListAdapter<New, Kept>,
  wanted: readonly Patch<New>[] | undefined,
  isPruned: boolean,
): string[] {
  if (!wanted) return []
  const { kind, nameOf } = records
  const keyOf = (record: Patch<New>) => nameOf(record).toUpperCase()
  const keys = wanted.map(keyOf)
  const duplicateIndex = keys.findIndex((key, at) => keys.indexOf(key) !== at)
  if (duplicateIndex >= 0)
    throw new ApiError('malformed', NOT_APPLIED_MESSAGE, {
      errors: [
        { path: `${kind}s[${duplicateIndex + 1}]`, message: verbatim('is in the list twice') },
      ],
    })
  return [
    // Removed first, because a new record may have the address of a removed one.
    ...removeSurplus(records, wanted, isPruned),
    ...wanted.flatMap((record, at) =>
      withPath(`${kind}s[${at + 1}]`, () => applyRecord(records, record, keyOf)),
    ),
  ]
}

/** Removes what is not in the list; returns the changes. */
function removeSurplus<New extends object, Kept extends New>(
  { kind, all, nameOf, remove }: RecordListAdapter<New, Kept>,
  wanted: readonly Patch<New>[] | undefined,
  isPruned: boolean,
): string[] {
  if (!wanted || !isPruned) return []
  const keys = wanted.map((record) => nameOf(record).toUpperCase())
  const surplus = all.filter((record) => !keys.includes(nameOf(record).toUpperCase()))
  for (const record of surplus) withPath(`${kind} ${nameOf(record)}`, () => remove(record))
  return surplus.map((record) => `- ${kind} ${nameOf(record)}`)
}

function applyRecord<New extends object, Kept extends New>(
  { kind, all, schema, nameOf, add, change }: RecordListAdapter<New, Kept>,
  wanted: Patch<New>,
  keyOf: (record: Patch<New>) => string,
): string[] {
  const before = all.find((record) => keyOf(record) === keyOf(wanted))
  if (!before) {
    const parsed = schema.safeParse(wanted)
    if (!parsed.success)
      throw new ApiError('malformed', NOT_APPLIED_MESSAGE, { errors: faultsOf(parsed.error) })
    add(parsed.data)
    return [`+ ${kind} ${nameOf(wanted)}`]
  }
  const changes = Object.entries(wanted).flatMap(([field, value]) => {
    const [from, to] = [shownValue(Reflect.get(before, field)), shownValue(value)]
    return from === to ? [] : [`${field} ${shorten(from)} -> ${shorten(to)}`]
  })
  if (changes.length === 0) return []
  change(before, wanted)
  return [`~ ${kind} ${nameOf(wanted)}: ${changes.join(', ')}`]
}

const shownValue = (value: unknown): string => JSON.stringify(value)
/** A certificate is longer than a line. */
const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)
