import { join } from 'node:path'
import type { SettingOverrides } from '#server/configuration/settings.ts'
import { openContext } from '#server/context.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { type NewUser, openAccounts } from '#server/modules/users/people.ts'
import { openLog } from '#server/platform/log.ts'
import { openGateway } from '#server/server.ts'

// A gateway in a process of its own whose clock stands where it is put, for pictures that show a
// day as it was: `pictured-day.ts` runs it.

/** What it is told: where its data are, who is to be there, and the time. */
export interface PicturedOptions {
  readonly folder: string
  readonly partner: { readonly url: string; readonly secret: string }
  readonly people: readonly Omit<NewUser, 'password'>[]
  readonly password: string
  readonly keys: readonly string[]
  readonly settings: SettingOverrides
}
/** Milliseconds since 1970. */
export interface PicturedTime {
  readonly now: number
}
export interface PicturedReady {
  readonly http: string
  readonly dimsePort: string
  /** API keys, in the order of their descriptions. */
  readonly keys: readonly string[]
}

let now = Date.now()
const clock = () => now

/** Opens it at the first message; each one sets the clock and is answered when that is done. */
process.on('message', async (message: PicturedTime & { readonly open?: PicturedOptions }) => {
  now = message.now
  process.send?.(message.open ? await open(message.open) : { now })
})
process.once('disconnect', () => process.exit())

async function open({
  folder,
  partner,
  people,
  password,
  keys: descriptions,
  settings,
}: PicturedOptions): Promise<PicturedReady> {
  const keys: string[] = []
  {
    using context = openContext({ folder: folder, clock })
    context.settings.change(settings, 'command-line')
    // A cheap hash: nobody attacks a picture.
    const accounts = openAccounts(context, { logN: 10, r: 8, p: 1 })
    for (const person of people) await accounts.createUser({ ...person, password }, 'command-line')
    for (const description of descriptions)
      keys.push(
        createApiKey(context, { description, isViewerEnabled: true, scope: 'all' }, 'command-line')
          .key,
      )
  }
  const gateway = await openGateway({
    ...{ folder, partner, clock },
    log: openLog('fatal'),
    version: '0.1.0',
    pageFolder: join(import.meta.dirname, '../../dist/renderer'),
    overrides: {
      'http.host': '127.0.0.1',
      'http.port': 0,
      'dimse.host': '127.0.0.1',
      'dimse.port': 0,
      'dimse.tlsPort': null,
    },
  })
  process.once('SIGTERM', () => void gateway[Symbol.asyncDispose]().then(() => process.exit()))
  return { http: gateway.http, dimsePort: gateway.dimse.split(':').at(-1) ?? '', keys }
}
