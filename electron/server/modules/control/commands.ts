import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Context, openContext } from '#server/context.ts'
import { acquireLock } from '#server/database/lock.ts'
import { userErrorText } from '#server/http/start-error.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { refuseHalfRestored } from '#server/modules/backups/restore-files.ts'
import { refuseReplicaFolder } from '#server/modules/backups/takeover-note.ts'
import { runDoctor } from '#server/modules/diagnostics/doctor.ts'
import {
  createSetupLink,
  createSignInLink,
  hasUser,
  openAccounts,
} from '#server/modules/users/people.ts'
import { allUsers } from '#server/modules/users/queries.ts'
import { openLog, reportError } from '#server/platform/log.ts'
import { DICOMWEB_RIGHTS, EVENT_ACCESS } from '#shared/contract/dashboard-people.ts'
import { ClinicRole, Email, GivenName, Level, Password } from '#shared/contract/people.ts'
import { SETTING_KEYS, SETTINGS, type SettingKey } from '#shared/contract/settings.ts'
import { ApiError } from '#shared/errors.ts'
import { englishText } from '#shared/messages/english.ts'
import { fault, issueMessage } from '#shared/messages/issues.ts'
import { verbatim } from '#shared/messages/message.ts'
import { explanationOf } from '#shared/messages/message-error.ts'
import { BACKUP_COMMANDS } from './backup-commands.ts'
import { type DataCommand, originOf, parseOptions, type RunningGateway } from './command.ts'
import { CONFIGURATION_COMMANDS } from './configuration-file.ts'
import { connectionSheet } from './connection-sheet.ts'
import type { ControlReply, ControlRequest } from './control.ts'
import { DESTINATION_COMMANDS } from './destination-commands.ts'
import { DEVICE_COMMANDS } from './device-commands.ts'
import { LIFECYCLE_COMMANDS } from './lifecycle-commands.ts'
import { SANDBOX_COMMANDS } from './sandbox-commands.ts'
import { SHELL_COMMANDS } from './shell-commands.ts'
import { TIER_COMMANDS } from './tier-commands.ts'
import { VIEWER_COMMANDS } from './viewer-commands.ts'

const ACTOR = 'command-line'

const NewKey = z.object({
  description: z.string().trim().min(1, fault('values.empty')).max(200),
  viewer: z.boolean().default(false),
  scope: z.enum(['all', 'self']).default('all'),
  'manage-people': z.boolean().default(false),
  dicomweb: z.enum(DICOMWEB_RIGHTS).default('none'),
  events: z.enum(EVENT_ACCESS).default('none'),
  'clinic-events': z.boolean().default(false),
  'manage-endpoints': z.boolean().default(false),
})
const NewUser = z.object({
  email: Email,
  'first-name': GivenName,
  'last-name': GivenName,
  level: Level,
  role: ClinicRole.default('Other'),
})

export const DATA_COMMANDS: Readonly<Record<string, DataCommand>> = {
  'sign-in-link': {
    usage: '[--email E]',
    about:
      'print a one-time link, valid for 15 minutes, to create the owner’s account or to sign in as the owner or the given user',
    options: {
      email: {
        type: 'string',
        takes: 'E',
        about: 'E-mail address of the user; the owner by default.',
      },
      'if-no-owner': { type: 'boolean', about: 'Print nothing if there is an owner.' },
    },
    run: signInLink,
  },
  'api-key create': {
    usage:
      '--description TEXT [--viewer] [--scope all|self] [--manage-people] [--dicomweb none|read|store|read-and-store] [--events none|without-bodies|with-bodies] [--clinic-events] [--manage-endpoints]',
    about: 'create an API key and print it once',
    options: {
      description: {
        type: 'string',
        takes: 'TEXT',
        isRequired: true,
        about: 'What the key is for, as the list of keys shows it.',
      },
      viewer: { type: 'boolean', about: 'The key may use the viewer.' },
      scope: {
        type: 'string',
        takes: 'all|self',
        initial: 'all',
        about: 'all: all studies; self: only those created with this key.',
      },
      'manage-people': { type: 'boolean', about: 'The key may invite and change users.' },
      dicomweb: {
        type: 'string',
        takes: 'RIGHT',
        initial: 'none',
        about:
          'What the key may do over DICOMweb: none, read (search and retrieve), store or read-and-store. Needs the scope all.',
      },
      events: {
        type: 'string',
        takes: 'RIGHT',
        initial: 'none',
        about:
          'What the key may see of its own events: none, without-bodies or with-bodies. Bodies contain patient data.',
      },
      'clinic-events': {
        type: 'boolean',
        about: 'Its events include those that belong to no key, such as worklist requests.',
      },
      'manage-endpoints': { type: 'boolean', about: 'The key may manage its own endpoints.' },
    },
    run(context, { options }) {
      const {
        description,
        viewer,
        scope,
        'manage-people': managesPeople,
        dicomweb,
        events: eventAccess,
        'clinic-events': seesClinicEvents,
        'manage-endpoints': managesEndpoints,
      } = parseOptions(NewKey, options)
      const rights = { managesPeople, dicomweb, eventAccess, seesClinicEvents, managesEndpoints }
      return createApiKey(
        context,
        { description, isViewerEnabled: viewer, scope, ...rights },
        ACTOR,
      ).key
    },
  },
  'user create': {
    usage:
      '--email E --first-name F --last-name L --level owner|admin|member [--role ROLE] --password-stdin',
    about: 'create a user and print the user’s id; the password is read from standard input',
    options: {
      email: {
        type: 'string',
        takes: 'E',
        isRequired: true,
        about: 'E-mail address to sign in with.',
      },
      'first-name': { type: 'string', takes: 'F', isRequired: true, about: 'First name.' },
      'last-name': { type: 'string', takes: 'L', isRequired: true, about: 'Last name.' },
      level: {
        type: 'string',
        takes: 'owner|admin|member',
        isRequired: true,
        about: 'Permissions of the user in Isthmus.',
      },
      role: {
        type: 'string',
        takes: 'ROLE',
        initial: 'Other',
        about: `Role in the clinic: ${ClinicRole.options.join(', ')}.`,
      },
      'password-stdin': {
        type: 'boolean',
        isRequired: true,
        about: 'Read the password from standard input.',
      },
    },
    input: 'password-stdin',
    async run(context, { options, input }) {
      const given = parseOptions(NewUser, options)
      const { password } = parseOptions(z.object({ password: Password }), {
        password: input.replace(/\r?\n$/, ''),
      })
      const user = {
        email: given.email,
        firstName: given['first-name'],
        lastName: given['last-name'],
        level: given.level,
        clinicRole: given.role,
        password,
      }
      return (await openAccounts(context).createUser(user, ACTOR)).userId
    },
  },
  ...DEVICE_COMMANDS,
  ...DESTINATION_COMMANDS,
  ...LIFECYCLE_COMMANDS,
  'config get': {
    usage: '[KEY]',
    about: 'print a setting, or all of them',
    options: {},
    run(context, { arguments: [name] }) {
      const keys = name === undefined ? SETTING_KEYS : [parseSettingKey(name)]
      const printedValue = (key: SettingKey) => JSON.stringify(context.settings.get(key))
      return keys
        .map((key) => (name === undefined ? `${key} = ${printedValue(key)}` : printedValue(key)))
        .join('\n')
    },
  },
  'config set': {
    usage: 'KEY VALUE',
    about: 'change a setting; the value is JSON or plain text',
    options: {},
    run(context, { arguments: [name, value] }) {
      if (name === undefined || value === undefined)
        throw new ApiError('malformed', verbatim('config set takes KEY VALUE.'))
      const key = parseSettingKey(name)
      context.settings.change({ [key]: parseSettingValue(key, value) }, ACTOR)
      const later = SETTINGS[key].restart ? ' (takes effect at the next start)' : ''
      return `${key} = ${JSON.stringify(context.settings.get(key))}${later}`
    },
  },
  ...CONFIGURATION_COMMANDS,
  ...VIEWER_COMMANDS,
  ...BACKUP_COMMANDS,
  ...TIER_COMMANDS,
  ...SANDBOX_COMMANDS,
  ...SHELL_COMMANDS,
  'connection-sheet': {
    usage: '',
    about:
      'print the connection settings for devices as Markdown: AE titles, addresses, ports, certificate and services; no patient data, no secrets',
    options: {},
    run: (context, _request, gateway, version) =>
      connectionSheet(context, gateway?.listening, version),
  },
  doctor: {
    usage: '',
    about: 'check the installation and print what needs fixing',
    options: {},
    run: async (context, _request, gateway) =>
      (await runDoctor(context, gateway?.listening, gateway?.keyStore, gateway)).join('\n'),
  },
}

/**
 * Opens the folder under its lock and runs a command; `undefined` if another process holds the
 * lock. Errors of the command become its reply.
 */
export async function runWithLock(
  folder: string,
  request: ControlRequest,
  version = '',
): Promise<ControlReply | undefined> {
  using lock = acquireLock(folder)
  if (!lock) return undefined
  refuseHalfRestored(folder)
  refuseReplicaFolder(folder)
  using context = openContext({ folder, log: openLog('error') })
  return await runCommand(context, request, undefined, version)
}

/**
 * Runs a command from `DATA_COMMANDS`. Errors with an explanation become the reply; others are
 * thrown.
 */
export async function runCommand(
  context: Context,
  request: ControlRequest,
  gateway: RunningGateway | undefined,
  version: string,
): Promise<ControlReply> {
  const command = Object.hasOwn(DATA_COMMANDS, request.command)
    ? DATA_COMMANDS[request.command]
    : undefined
  if (!command) return { ok: false, output: `There is no command “${request.command}”.` }
  try {
    return { ok: true, output: await command.run(context, request, gateway, version) }
  } catch (error) {
    const sentence = userErrorText(error)
    if (sentence === undefined) throw error
    const explanation = explanationOf(error)
    return { ok: false, output: sentence, explanation }
  }
}

/**
 * Runs a command in the running gateway. An internal error is logged and reported by its reference.
 */
export const runInGateway = (
  context: Context,
  request: ControlRequest,
  gateway: RunningGateway,
  version: string,
): Promise<ControlReply> =>
  runCommand(context, request, gateway, version).catch((error: unknown) => {
    const reference = randomUUID().slice(0, 8)
    reportError(context, error, reference)
    return {
      ok: false,
      output: `An internal error occurred. The log of the gateway has the details under the reference ${reference}.`,
    }
  })

/**
 * The link replaces the password: anyone who can open the data folder is trusted with it. Creating
 * the link is audited.
 */
function signInLink(
  context: Context,
  { options }: ControlRequest,
  gateway: RunningGateway | undefined,
): string {
  const origin = originOf(context, gateway)
  if (!hasUser(context)) return `${origin}/#/welcome?token=${createSetupLink(context, ACTOR).token}`
  if (options['if-no-owner'] === true) return ''
  const email = typeof options.email === 'string' ? options.email.toLowerCase() : undefined
  const user = allUsers(context.database).find(
    (one) =>
      one.deactivatedAt === null &&
      (email ? one.email.toLowerCase() === email : one.level === 'owner'),
  )
  if (!user)
    throw new ApiError(
      'not-found',
      verbatim(
        email
          ? `There is no active user ${email}.`
          : 'There is no active owner; name a user with --email.',
      ),
    )
  return `${origin}/#/sign-in?token=${createSignInLink(context, user.userId, ACTOR).token}`
}

function parseSettingKey(name: string): SettingKey {
  const key = SETTING_KEYS.find((known) => known === name)
  if (key) return key
  throw new ApiError(
    'not-found',
    verbatim(`There is no setting “${name}”. config get lists them all.`),
  )
}

/** Parses a value as JSON, or takes it as text if it is not valid JSON for the setting. */
function parseSettingValue(key: SettingKey, text: string): unknown {
  const { schema } = SETTINGS[key]
  const asJson = schema.safeParse(json(text))
  if (asJson.success) return asJson.data
  const asText = schema.safeParse(text)
  if (asText.success) return asText.data
  const faults = asJson.error.issues.map((issue) => englishText(issueMessage(issue)))
  throw new ApiError(
    'malformed',
    verbatim(`${key} was not changed: ${faults.join('; ')}. ${englishText(SETTINGS[key].about)}`),
  )
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
