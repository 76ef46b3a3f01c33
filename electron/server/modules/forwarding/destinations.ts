import { X509Certificate } from 'node:crypto'
import { type Actor, type DomainDeps, differences, note } from '#server/modules/audit/audit.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { DestinationPatch, NewDestination } from '#shared/contract/destinations.ts'
import type { SettingKey, SettingValue } from '#shared/contract/settings.ts'
import { ApiError } from '#shared/errors.ts'
import type { DestinationRecord } from './destination-queries.ts'

export interface DestinationsDeps extends DomainDeps {
  readonly setting: <K extends SettingKey>(key: K) => SettingValue<K>
}

/** The DICOM nodes images are sent to and priors come from. Every change is in the audit trail. */
export interface Destinations {
  /** By name. From memory: it is asked for at every image. */
  list(): readonly DestinationRecord[]
  /** @throws ApiError not-found */
  existing(destinationId: string): DestinationRecord
  /**
   * @throws ApiError refused: another one has that name, or is the same node; malformed: no such
   *   certificate
   */
  add(destination: NewDestination, actor: Actor): DestinationRecord
  /** @throws ApiError not-found, or as `add` */
  update(destinationId: string, patch: DestinationPatch, actor: Actor): DestinationRecord
  /** @throws ApiError not-found; refused: something waits for it, or failed */
  remove(destinationId: string, actor: Actor): void
  /** It took something. */
  noteSent(destinationId: string): void
  /** The last attempt failed. */
  noteError(destinationId: string, lastError: string): void
}

export function openDestinations(deps: DestinationsDeps): Destinations {
  const { store, clock, uuid, setting } = deps
  const { database } = store
  let known: readonly DestinationRecord[] | undefined

  function list(): readonly DestinationRecord[] {
    if (known) return known
    const read = store.destinations.list()
    // What an open transaction shows may yet be rolled back.
    if (!database.inTransaction) known = read
    return read
  }

  function change<T>(work: () => T): T {
    known = undefined
    const result = database.transaction(work)
    list()
    return result
  }

  function existing(destinationId: string): DestinationRecord {
    const destination = list().find((one) => one.destinationId === destinationId)
    if (!destination) throw new ApiError('not-found', 'There is no such destination.')
    return destination
  }

  function checked(destination: DestinationRecord): DestinationRecord {
    const others = list().filter((other) => other.destinationId !== destination.destinationId)
    if (others.some((other) => folded(other.name) === folded(destination.name)))
      throw refused(
        'name',
        `Another destination is called ${destination.name} already.`,
        'must differ from that of every other destination',
      )
    // The same node twice would be sent everything twice.
    const twin = others.find((other) => nodeOf(other) === nodeOf(destination))
    if (twin)
      throw refused(
        'aeTitle',
        `${twin.name} is this node already.`,
        `must differ from that of ${twin.name}, or have another host or port`,
      )
    if (isOurselves(destination))
      throw refused(
        'host',
        'This is the gateway itself: it cannot send images to itself.',
        'must be that of another node',
      )
    if (destination.certificate !== null && !isCertificate(destination.certificate))
      throw new ApiError('malformed', 'The certificate cannot be read.', {
        errors: [{ path: 'body.certificate', message: 'must be a certificate in PEM form' }],
      })
    return destination
  }

  const isOurselves = ({ host, port, aeTitle }: DestinationRecord) =>
    LOOPBACK.test(host) &&
    port === setting('dimse.port') &&
    folded(aeTitle) === folded(setting('dimse.aeTitle'))

  return {
    list,
    existing,
    add: (given, actor) =>
      change(() => {
        const now = instantOf(clock())
        const made = checked({
          destinationId: uuid(),
          ...given,
          createdAt: now,
          updatedAt: now,
          lastError: '',
          lastSentAt: null,
        })
        store.destinations.insert(made)
        note(deps.store, actor, 'destination.add', made.destinationId, settingsOf(made))
        return made
      }),
    update: (destinationId, patch, actor) =>
      change(() => {
        const before = existing(destinationId)
        const after = checked({ ...before, ...given(patch) })
        const detail = differences(settingsOf(before), settingsOf(after))
        if (Object.keys(detail).length === 0) return before
        const changed = { ...after, updatedAt: instantOf(clock()) }
        store.destinations.update(changed)
        note(deps.store, actor, 'destination.update', destinationId, detail)
        return changed
      }),
    remove: (destinationId, actor) =>
      change(() => {
        const destination = existing(destinationId)
        const { waiting, failed } = store.forwards.queue(destinationId)
        if (waiting + failed > 0)
          throw new ApiError(
            'refused',
            `Images for ${destination.name} are here still, ${waiting} waiting and ${failed} not taken: send them, or give them up first.`,
          )
        store.destinations.remove(destinationId)
        note(deps.store, actor, 'destination.remove', destinationId, settingsOf(destination))
      }),
    noteSent: (destinationId) =>
      change(() => store.destinations.noteSent(destinationId, instantOf(clock()))),
    noteError: (destinationId, lastError) =>
      change(() => store.destinations.noteError(destinationId, lastError)),
  }
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/i
const folded = (text: string) => text.trim().toUpperCase()
const nodeOf = ({ aeTitle, host, port }: DestinationRecord) =>
  `${folded(aeTitle)} ${folded(host)} ${port}`

const refused = (field: keyof NewDestination, text: string, message: string) =>
  new ApiError('refused', text, { errors: [{ path: `body.${field}`, message }] })

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem)
    return true
  } catch {
    return false
  }
}

/** The fields that a patch has a value for. */
const given = (patch: DestinationPatch) =>
  Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  ) as Partial<NewDestination>

function settingsOf(destination: DestinationRecord): NewDestination {
  const {
    destinationId: _,
    createdAt: __,
    updatedAt: ___,
    lastError: ____,
    lastSentAt: _____,
    ...settings
  } = destination
  return settings
}
