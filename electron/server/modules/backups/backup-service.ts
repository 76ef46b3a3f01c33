import type { HttpApp } from '#server/http/http-app.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import {
  diagnosticsOf,
  previewsOf,
  serveDiagnostics,
} from '#server/modules/diagnostics/diagnostics.ts'
import type { Parts } from '#server/parts.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import type { ReadinessFinding } from '#shared/contract/dashboard-setup.ts'
import { type Backups, openBackups } from './backups.ts'
import { openRestoring } from './restore-staging.ts'
import { serveDashboardUpkeep } from './routes.ts'

export interface UpkeepOptions {
  readonly feed: Pick<Feed, 'noteStatus'>
  readonly version: string
  readonly listeners: () => Status['listeners']
  readonly readiness: () => Promise<readonly ReadinessFinding[]>
  /** Where the log is kept, for the bundle for support. */
  readonly logFile?: string | undefined
  /** The plan rests: back-ups are made when somebody asks. */
  readonly isSafe?: boolean | undefined
  /** Closes the gateway and opens it again. */
  readonly restart?: (() => void) | undefined
  readonly onError: (error: unknown) => void
}

/**
 * Back-ups by their plan, their trial and their return. Disposing waits for one that is being made.
 */
export interface Upkeep extends AsyncDisposable {
  readonly backups: Backups
  serve(app: HttpApp): void
}

/** How often the plan is looked at: the clock of a PC that slept is believed then. */
const LOOK_MS = 60_000

export function openUpkeep(parts: Parts, options: UpkeepOptions): Upkeep {
  const { deps, settings, people } = parts
  const { feed, version, listeners, readiness, logFile, isSafe, restart, onError } = options
  const backups = openBackups({
    ...deps,
    settings,
    version,
    onError,
    onChanged: () => feed.noteStatus(),
  })
  const restoring = openRestoring({ ...deps, settings, people, restart, onError })
  const looking = isSafe
    ? undefined
    : setInterval(() => void backups.check().catch(onError), LOOK_MS)
  const texts = () => diagnosticsOf(parts, { version, listeners, readiness, logFile })
  return {
    backups,
    serve(app) {
      serveDashboardUpkeep(app, {
        backups,
        restoring,
        feed,
        diagnostics: async () => previewsOf(await texts()),
      })
      serveDiagnostics(app, parts, texts)
    },
    async [Symbol.asyncDispose]() {
      clearInterval(looking)
      await backups[Symbol.asyncDispose]()
      await restoring[Symbol.asyncDispose]()
    },
  }
}
