import { openRefusedHosts, type RefusedHosts } from '#server/http/refused-hosts.ts'
import { findApiKey } from '#server/modules/api-keys/queries.ts'
import { type Actor, type DomainDeps, differences, note } from '#server/modules/audit/audit.ts'
import { type EventTargets, openEventTargets } from '#server/modules/events/event-targets.ts'
import {
  openReportDestinations,
  type ReportDestinations,
} from '#server/modules/reports/report-destinations.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type { dashboardEvents, Endpoint } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import type { EndpointRecord } from './endpoint-queries.ts'
import { checkedUrl, checkSecret, defaultEndpoint, listHosts, newSecret } from './endpoint-rules.ts'

type Calls = typeof dashboardEvents

/** Where events go, and what may come from there (interface-choices §6 row 50). */
export interface Endpoints extends EventTargets {
  /** The default first, then oldest first. */
  list(): Endpoint[]
  /**
   * `secret` is given once, when it was made here. @throws ApiError malformed, refused: an event
   * has its endpoint already
   */
  add(endpoint: CallOf<Calls['addEndpoint']>['body'], actor: Actor): ReplyOf<Calls['addEndpoint']>
  /** @throws ApiError not-found, malformed, refused */
  change(endpointId: string, patch: CallOf<Calls['changeEndpoint']>['body'], actor: Actor): Endpoint
  /** @throws ApiError not-found, refused: the default stays */
  remove(endpointId: string, actor: Actor): Outcome
  /** @throws ApiError not-found, malformed */
  rotateSecret(
    endpointId: string,
    secret: CallOf<Calls['rotateSecret']>['body'],
    actor: Actor,
  ): ReplyOf<Calls['rotateSecret']>
  /**
   * Switches it off by itself, since it said that it is no longer there (410); whether it was on.
   */
  switchOff(endpointId: string): boolean
  /** Those that are switched off. */
  disabled(): readonly EndpointRecord[]
  /** An answer named this address, and its host is not allowed. */
  noteRefusedHost(endpointId: string, url: string): void
  fileHostsOf(endpointId: string): readonly string[]
  /** Told after each committed change. Returns what stops it. It must not throw. */
  onChange(listener: () => void): () => void
  /** One was changed elsewhere: as the partner. */
  noteChange(): void
  /** Where a report goes now. */
  readonly ofReports: ReportDestinations
}

export function openEndpoints(deps: DomainDeps & { readonly settings: Settings }): Endpoints {
  const { store, clock, uuid } = deps
  const { database } = store
  const targets = openEventTargets(deps)
  const ofReports = openReportDestinations(store, targets)
  const { waiting } = ofReports
  const refused: RefusedHosts = openRefusedHosts(clock)
  const listeners = new Set<() => void>()
  const tellChange = () =>
    database.afterCommit(() => {
      for (const listener of listeners) listener()
    })

  function existing(endpointId: string): EndpointRecord {
    const found = store.endpoints.get(endpointId)
    if (!found) throw new ApiError('not-found', 'There is no such endpoint.')
    return found
  }

  function shown(endpoint: EndpointRecord, waits: ReadonlyMap<string, number>): Endpoint {
    const { endpointId, name, url, apiKeyId, allowsPlaintext, createdAt } = endpoint
    const key = apiKeyId === null ? undefined : findApiKey(store.database, apiKeyId)
    return {
      ...{ endpointId, name, url, allowsPlaintext, createdAt },
      events: [...endpoint.events],
      apiKey: key ? { apiKeyId: key.apiKeyId, description: key.description } : null,
      fileHosts: [...endpoint.fileHosts],
      refusedHosts: refused.of(endpointId).filter(({ host }) => !endpoint.fileHosts.includes(host)),
      budgets: { ...endpoint.budgets },
      secrets: targets
        .secretsOf(endpointId)
        .map(({ createdAt, endsAt }) => ({ createdAt, endsAt })),
      isDefault: defaultEndpoint(store)?.endpointId === endpointId,
      isEnabled: endpoint.disabledAt === null,
      disabledReason: endpoint.disabledReason,
      waiting: waits.get(endpointId) ?? 0,
    }
  }

  /**
   * Of two endpoints that take the same event of the same studies, nobody could say which one gets
   * it.
   */
  function demandNoOther({
    endpointId,
    apiKeyId,
    events,
  }: Pick<EndpointRecord, 'endpointId' | 'apiKeyId' | 'events'>): void {
    for (const other of store.endpoints.list()) {
      if (other.endpointId === endpointId || other.apiKeyId !== apiKeyId) continue
      const both = events.find((event) => other.events.includes(event))
      if (both === undefined) continue
      throw new ApiError(
        'refused',
        `${both} goes to ${endpointName(other)} already: take it from there first.`,
        {
          errors: [
            {
              path: 'body.events',
              message: `must not name ${both}, which another endpoint of the same studies takes`,
            },
          ],
        },
      )
    }
  }

  function demandKey(apiKeyId: string | null): void {
    const key = apiKeyId === null ? undefined : findApiKey(store.database, apiKeyId)
    if (apiKeyId === null || (key && key.revokedAt === null)) return
    throw new ApiError('refused', 'There is no such API key, or it was revoked.', {
      errors: [{ path: 'body.apiKeyId', message: 'must be a key that is not revoked, or null' }],
    })
  }

  const changed = (
    before: EndpointRecord,
    fields: Partial<EndpointRecord>,
    actor: Actor,
  ): EndpointRecord => {
    const after: EndpointRecord = { ...before, ...fields, updatedAt: instantOf(clock()) }
    store.endpoints.put(after)
    listHosts(deps, after.url, actor)
    tellChange()
    return after
  }

  return {
    ...targets,
    ofReports,
    noteChange: tellChange,
    list() {
      const waits = waiting()
      const first = defaultEndpoint(store)?.endpointId
      const all = store.endpoints.list()
      return [
        ...all.filter(({ endpointId }) => endpointId === first),
        ...all.filter(({ endpointId }) => endpointId !== first),
      ].map((endpoint) => shown(endpoint, waits))
    },

    add: ({ url: given, allowPlaintext, secret, apiKeyId, events, ...rest }, actor) =>
      database.transaction(() => {
        const url = checkedUrl(given, allowPlaintext)
        if (secret !== undefined) checkSecret(secret)
        demandKey(apiKeyId)
        // The default is the first one, also where the clock of the PC was set back.
        const newest = Math.max(
          0,
          ...store.endpoints.list().map(({ createdAt }) => msOf(createdAt) + 1),
        )
        const now = instantOf(Math.max(clock(), newest))
        const endpoint: EndpointRecord = {
          ...{
            endpointId: uuid(),
            url: url.href,
            apiKeyId,
            allowsPlaintext: allowPlaintext,
            events: [...new Set(events)],
          },
          ...{
            name: rest.name,
            fileHosts: [...new Set(rest.fileHosts)],
            budgets: definedOf(rest.budgets),
          },
          ...{ createdAt: now, updatedAt: now, disabledAt: null, disabledReason: null },
        }
        demandNoOther(endpoint)
        store.endpoints.put(endpoint)
        const made = secret === undefined ? newSecret() : null
        store.endpoints.addSecret(endpoint.endpointId, secret ?? made ?? '', now)
        listHosts(deps, url.href, actor)
        const {
          createdAt: _,
          updatedAt: __,
          disabledAt: ___,
          disabledReason: ____,
          endpointId,
          ...detail
        } = endpoint
        note(deps.store, actor, 'endpoint.add', endpointId, {
          ...plain(detail),
          secret: made === null ? 'given' : 'made',
        })
        tellChange()
        return { ...shown(endpoint, waiting()), secret: made }
      }),

    change: (endpointId, { allowPlaintext, isEnabled, ...patch }, actor) =>
      database.transaction(() => {
        const before = existing(endpointId)
        const allowsPlaintext = allowPlaintext ?? before.allowsPlaintext
        const url = checkedUrl(patch.url ?? before.url, allowsPlaintext).href
        const events = patch.events ? [...new Set(patch.events)] : before.events
        demandNoOther({ ...before, events })
        const isOff = before.disabledAt !== null
        const switched =
          isEnabled === undefined || isEnabled === !isOff
            ? {}
            : isEnabled
              ? { disabledAt: null, disabledReason: null }
              : { disabledAt: instantOf(clock()), disabledReason: 'person' as const }
        const after = changed(
          before,
          {
            ...{ allowsPlaintext, url, events, ...switched },
            ...(patch.name !== undefined && { name: patch.name }),
            ...(patch.fileHosts && { fileHosts: [...new Set(patch.fileHosts)] }),
            ...(patch.budgets && { budgets: definedOf(patch.budgets) }),
          },
          actor,
        )
        // Another partner is never shown what the old one's secrets make of its events.
        if (new URL(before.url).origin !== new URL(url).origin)
          store.endpoints.keepSecrets(endpointId, 1)
        const { updatedAt: _, ...differing } = differences(before, after)
        note(deps.store, actor, 'endpoint.change', endpointId, plain(differing))
        return shown(after, waiting())
      }),

    remove: (endpointId, actor) =>
      database.transaction(() => {
        const endpoint = existing(endpointId)
        if (defaultEndpoint(store)?.endpointId === endpointId)
          throw new ApiError(
            'refused',
            'This is the clinic’s own endpoint: change its address, or switch it off.',
          )
        store.endpoints.remove(endpointId)
        listHosts(deps, endpoint.url, actor)
        note(
          deps.store,
          actor,
          'endpoint.remove',
          endpointId,
          plain({ url: endpoint.url, apiKeyId: endpoint.apiKeyId, events: endpoint.events }),
        )
        tellChange()
        return {
          success: true,
          message: 'The endpoint is removed. What waited for it goes to the clinic’s own.',
        }
      }),

    rotateSecret: (endpointId, { secret, endOthersNow }, actor) =>
      database.transaction(() => {
        const endpoint = existing(endpointId)
        if (secret !== undefined) checkSecret(secret)
        const [newest] = store.endpoints.secrets(endpointId)
        const made = secret === undefined ? newSecret() : null
        const fresh = secret ?? made ?? ''
        if (fresh !== newest?.secret)
          store.endpoints.addSecret(endpointId, fresh, instantOf(clock()))
        store.endpoints.keepSecrets(
          endpointId,
          endOthersNow ? 1 : targets.secretsOf(endpointId).length,
        )
        note(deps.store, actor, 'endpoint.rotate-secret', endpointId, {
          secret: made === null ? 'given' : 'made',
          endOthersNow,
        })
        tellChange()
        return { ...shown(endpoint, waiting()), secret: made }
      }),

    switchOff: (endpointId) =>
      database.transaction(() => {
        const before = store.endpoints.get(endpointId)
        if (!before || before.disabledAt !== null) return false
        const now = instantOf(clock())
        store.endpoints.put({ ...before, disabledAt: now, disabledReason: 'gone', updatedAt: now })
        note(deps.store, 'gateway', 'endpoint.switch-off', endpointId, { reason: 'gone' })
        tellChange()
        return true
      }),
    disabled: () => store.endpoints.list().filter(({ disabledAt }) => disabledAt !== null),
    noteRefusedHost: refused.note,
    fileHostsOf: (endpointId) => store.endpoints.get(endpointId)?.fileHosts ?? [],
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

type Budgets = Readonly<Partial<Record<EventType, number>>>
const definedOf = (budgets: { readonly [E in EventType]?: number | undefined }): Budgets =>
  Object.fromEntries(Object.entries(budgets).filter(([, ms]) => ms !== undefined)) as Budgets

/** As the audit trail keeps it. */
const plain = (value: object): Record<string, JsonValue> => JSON.parse(JSON.stringify(value))
type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

/** Its name, or the host of its address: what a person calls it. */
export const endpointName = ({ name, url }: Pick<EndpointRecord, 'name' | 'url'>): string =>
  name || new URL(url).host
