import type { Certificates } from '#server/http/certificates.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import type { CollectorFault } from '#server/modules/dashboard/ports.ts'
import type { Parts } from '#server/parts.ts'
import { instantOf } from '#server/platform/clock.ts'
import { openCollector } from './collector.ts'

/** A collector that is restarted is no message; one that stays away is. */
const LATE_MS = 5 * 60_000
const MOST_COUNTED = 999

export interface AuditCollector extends AsyncDisposable {
  /**
   * Undefined where the collector has what it should have, or has been away for a short time only.
   */
  fault(): CollectorFault | undefined
}

export interface AuditCollectorOptions {
  readonly certificates: Pick<Certificates, 'of'>
  readonly feed: Pick<Feed, 'noteStatus'>
  /** First and last name of an actor who is a user. */
  readonly nameOf: (actor: string) => string | undefined
  readonly onError: (error: unknown) => void
}

/** Sends the audit trail to the collector of the settings; without one it does nothing. */
export function openAuditCollector(
  { deps, store, settings }: Parts,
  { certificates, feed, nameOf, onError }: AuditCollectorOptions,
): AuditCollector {
  const { clock } = deps
  const opened = new AsyncDisposableStack()
  const collector = opened.use(
    openCollector({
      store,
      clock,
      isOn: () => settings.get('audit.collectorHost') !== null,
      target() {
        const isShown = settings.get('audit.collectorIdentity')
        return {
          host: settings.get('audit.collectorHost') ?? '',
          port: settings.get('audit.collectorPort'),
          authorities: settings.get('audit.collectorAuthorities'),
          identity: isShown ? certificates.of('dicom-tls') : undefined,
        }
      },
      source: () => ({
        id: settings.get('clinic.id') ?? 'isthmus',
        site: settings.get('clinic.name'),
        nameOf,
      }),
      onState: () => feed.noteStatus(),
      onError,
    }),
  )
  opened.defer(
    settings.onChange((keys) => keys.some((key) => key.startsWith('audit.')) && collector.retry()),
  )
  return {
    fault() {
      const { waiting, fault } = collector.state()
      // A clock that was set back is no reason to say nothing.
      if (!fault || Math.abs(clock() - fault.since) < LATE_MS) return undefined
      const [count, isMore] = [Math.min(Math.max(1, waiting), MOST_COUNTED), waiting > MOST_COUNTED]
      return { since: instantOf(fault.since), count, isMore, detail: fault.reason }
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
