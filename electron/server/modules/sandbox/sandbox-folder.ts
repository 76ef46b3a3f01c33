import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Actor, note } from '#server/audit-log/audit.ts'
import { type Context, openContext } from '#server/context.ts'
import { makeFolder, SANDBOX_FILE, syncFolder } from '#server/database/data-directory.ts'
import { acquireLock } from '#server/database/lock.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { type ApiKeyRecord, insertApiKey, listApiKeys } from '#server/modules/api-keys/queries.ts'
import {
  type EndpointRecord,
  endpointSecrets,
  insertEndpointSecret,
  listEndpoints,
  saveEndpoint,
} from '#server/modules/partners/queries.ts'

// The sandbox is a data folder inside the data folder: its own database, key and images. Nothing of
// it is in the live database, so no query of the live gateway can read it.

const NOTICE = `This folder holds the test data of the sandbox of Isthmus: invented patients, reached only by
API keys that begin with sk_test_. It is no part of the records of the clinic and is not backed up.
Delete it while the sandbox is switched off to remove all test keys and test data.
`

export const sandboxFolder = (folder: string): string => join(folder, 'sandbox')
/** The next sandbox while the present one is being emptied, and what is left of the present one. */
const nextFolder = (folder: string) => join(folder, 'sandbox-next')
const formerFolder = (folder: string) => join(folder, 'sandbox-former')

/**
 * Prepares the folder of the sandbox, and finishes what a crash interrupted while it was emptied.
 * @param folder the data folder of the gateway
 */
export function prepareSandboxFolder(folder: string): string {
  const ownFolder = sandboxFolder(folder)
  if (!existsSync(ownFolder) && existsSync(nextFolder(folder)))
    renameSync(nextFolder(folder), ownFolder)
  for (const rest of [nextFolder(folder), formerFolder(folder)])
    rmSync(rest, { recursive: true, force: true })
  makeFolder(ownFolder)
  mark(ownFolder)
  return ownFolder
}

/** What a test key may do: everything that an interface call can. */
export const TEST_KEY_RIGHTS = {
  isViewerEnabled: true,
  scope: 'all',
  managesPeople: true,
  dicomweb: 'read-and-store',
  eventAccess: 'with-bodies',
  seesClinicEvents: true,
  managesEndpoints: true,
} as const

/**
 * Creates a test key and switches the sandbox on while no gateway runs; the next start opens it.
 * @returns the key
 */
export function createTestKey(context: Context, description: string, actor: Actor): string {
  context.settings.change({ 'sandbox.isOn': true }, actor)
  const folder = prepareSandboxFolder(context.folder)
  using _lock = acquireLock(folder)
  using sandbox = openContext({ folder, clock: context.clock })
  const { apiKey, key } = createApiKey(sandbox, { description, ...TEST_KEY_RIGHTS }, actor)
  context.database.transaction(() => note(context, actor, 'sandbox.create-key', apiKey.apiKeyId))
  return key
}

/** What stays when the sandbox is emptied. */
export interface KeptSandboxSettings {
  readonly apiKeys: readonly ApiKeyRecord[]
  readonly endpoints: readonly {
    readonly endpoint: EndpointRecord
    /** Oldest first. */
    readonly secrets: readonly { readonly secret: string; readonly createdAt: string }[]
  }[]
  readonly plaintextHosts: readonly string[]
}

export const keptSandboxSettings = ({ database, settings }: Context): KeptSandboxSettings => ({
  apiKeys: listApiKeys(database),
  endpoints: listEndpoints(database).map((endpoint) => ({
    endpoint,
    secrets: endpointSecrets(database, endpoint.endpointId).toReversed(),
  })),
  plaintextHosts: settings.get('partner.plaintextHosts'),
})

/**
 * Replaces the closed sandbox by an empty one. The keys are in the new one before the former one is
 * removed, so that a crash loses none.
 * @param folder the data folder of the gateway
 */
export function replaceSandbox(
  folder: string,
  kept: KeptSandboxSettings,
  clock: () => number,
): void {
  const next = nextFolder(folder)
  rmSync(next, { recursive: true, force: true })
  makeFolder(next)
  mark(next)
  fillSandbox(next, kept, clock)
  renameSync(sandboxFolder(folder), formerFolder(folder))
  renameSync(next, sandboxFolder(folder))
  syncFolder(folder)
  rmSync(formerFolder(folder), { recursive: true, force: true })
}

function fillSandbox(folder: string, kept: KeptSandboxSettings, clock: () => number): void {
  using _lock = acquireLock(folder)
  using context = openContext({ folder, clock })
  const { database, settings } = context
  database.transaction(() => {
    for (const apiKey of kept.apiKeys) insertApiKey(database, apiKey)
    for (const { endpoint, secrets } of kept.endpoints) {
      saveEndpoint(database, endpoint)
      for (const { secret, createdAt } of secrets)
        insertEndpointSecret(database, endpoint.endpointId, secret, createdAt)
    }
    settings.set('partner.plaintextHosts', [...kept.plaintextHosts])
  })
}

const mark = (folder: string) => writeFileSync(join(folder, SANDBOX_FILE), NOTICE, { mode: 0o600 })
