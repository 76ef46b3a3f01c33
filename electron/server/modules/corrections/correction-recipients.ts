import type { Context } from '#server/context.ts'
import type { EventRow } from '#server/modules/events/queries.ts'
import { listEvents } from '#server/modules/events/queries.ts'
import { findDestination } from '#server/modules/forwarding/destination-queries.ts'
import { findEndpoint } from '#server/modules/partners/queries.ts'
import { endpointName } from '#server/modules/partners/targets.ts'
import { personOf } from '#server/modules/reports/report-people.ts'
import { openReferences } from '#server/modules/studies/reference-queries.ts'
import type { NoticeContact, NoticeKind } from '#shared/contract/correction-notices.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { viewersOf } from './correction-queries.ts'

/** Somebody who got images, or values, of a study. */
export interface Recipient {
  readonly kind: NoticeKind
  readonly subject: string
  readonly name: string
  readonly contacts: NoticeContact[]
}

/** Events that tell a partner whose study it is, or give it the report or pictures of it. */
const TELLING: Readonly<Partial<Record<EventType, NoticeContact['what']>>> = {
  'patient_study.enrichment_requested': 'enrichment',
  'clinical_context.enrichment_requested': 'context',
  'report.delivered': 'report',
  'secondary_capture.access_requested': 'captures',
}
/** What of these a signed report is. */
const OF_REPORT: ReadonlySet<NoticeContact['what']> = new Set([
  'report',
  'customer',
  'signed',
  'critical-result',
  'ordered',
])
const REFERRING_PHYSICIAN = 'referring-physician'
const AT_ONCE = 100

/** Who has signed reports of a study that images are added to. */
export function reportRecipientsOf(store: Context, studyInstanceUid: string): Recipient[] {
  const study = store.studies.byUid('scribe', studyInstanceUid)
  if (!study || store.reports.signedOf(study.studyId).length === 0) return []
  return recipientsOf(store, studyInstanceUid, []).flatMap(
    ({ subject, contacts, ...recipient }) => {
      const ofReport = contacts
        .filter(({ what }) => OF_REPORT.has(what))
        .map((contact) => ({ ...contact, isOfTarget: true }))
      // The study that the images come from may have been ordered by somebody else.
      const own = subject === REFERRING_PHYSICIAN ? `${subject}-of-target` : subject
      return ofReport.length === 0 ? [] : [{ ...recipient, subject: own, contacts: ofReport }]
    },
  )
}

/**
 * Who has images or values of a study, as far as the gateway knows: destinations (those given by
 * their ids, those removed here, the one that images were retrieved from), partners by their keys
 * and endpoints, and people. `since`: by a contact after this instant; those without one are left
 * out.
 */
export function recipientsOf(
  store: Context,
  studyInstanceUid: string,
  destinationIds: readonly string[],
  since?: string,
): Recipient[] {
  const found = new Map<string, Recipient>()
  const images = store.imageStudies.get(studyInstanceUid)
  const scribe = store.studies.byUid('scribe', studyInstanceUid)
  const studies = [scribe, store.studies.byUid('viewer', studyInstanceUid)].filter(
    (study) => study !== undefined,
  )
  const known = openReferences(store.database)

  function add(
    kind: NoticeKind,
    subject: string,
    name: string,
    what: NoticeContact['what'],
    at: string | null,
  ): void {
    if (name.trim() === '' || (since !== undefined && (at === null || at <= since))) return
    const recipient = found.get(subject) ?? { kind, subject, name, contacts: [] }
    found.set(subject, recipient)
    const before = recipient.contacts.findIndex((contact) => contact.what === what)
    if (before === -1) recipient.contacts.push({ what, at })
    else if ((recipient.contacts[before]?.at ?? '') < (at ?? ''))
      recipient.contacts[before] = { what, at }
  }

  function addDestinations(): void {
    for (const destinationId of destinationIds) {
      const name = findDestination(store.database, destinationId)?.name ?? ''
      add('destination', `destination:${destinationId}`, name, 'has-images', null)
    }
    for (const { destinationId, name } of store.correctionNotices.formerDestinations(
      studyInstanceUid,
    ))
      add('destination', `former-destination:${destinationId}`, name, 'former-destination', null)
    if (images?.isFetched)
      add('destination', 'source', images.deviceName || images.callingAeTitle, 'source', null)
  }

  const keyName = (apiKeyId: string) => known.apiKey(apiKeyId)?.description || apiKeyId

  function addEvent({ type, endpointId, attempts, createdAt, updatedAt, isTest }: EventRow): void {
    const what = TELLING[type]
    // What was never sent has informed nobody.
    if (what === undefined || isTest || attempts === 0 || endpointId === null) return
    const endpoint = findEndpoint(store.database, endpointId)
    const at = updatedAt > createdAt ? updatedAt : createdAt
    if (endpoint?.apiKeyId)
      add('partner', `api-key:${endpoint.apiKeyId}`, keyName(endpoint.apiKeyId), what, at)
    else
      add(
        'partner',
        `endpoint:${endpointId}`,
        endpoint ? endpointName(endpoint) : endpointId,
        what,
        at,
      )
  }

  function addPartners(): void {
    for (const { createdByApiKeyId, expressCustomerId, createdAt } of studies) {
      if (createdByApiKeyId !== null)
        add(
          'partner',
          `api-key:${createdByApiKeyId}`,
          keyName(createdByApiKeyId),
          'created-study',
          createdAt,
        )
      if (expressCustomerId !== null) {
        const name = known.expressCustomer(expressCustomerId)?.expressCustomerName ?? ''
        add('partner', `customer:${expressCustomerId}`, name, 'customer', null)
      }
    }
    for (const event of eventsOf(studyInstanceUid)) addEvent(event)
  }

  function* eventsOf(uid: string): Generator<EventRow> {
    let after: string | undefined
    do {
      const about = { subject: scribe?.studyId ?? uid, studyInstanceUid: uid }
      const { items, next } = listEvents(store.database, {
        about,
        show: 'all',
        after,
        limit: AT_ONCE,
      })
      yield* items
      after = next
    } while (after !== undefined)
  }

  function addPeople(): void {
    const reports = scribe ? store.reports.signedOf(scribe.studyId) : []
    for (const { reportId, signer, userId, signedAt } of reports) {
      const id = signer?.userId ?? userId
      add('person', `user:${id}`, signer?.name || personOf({ store }, id).name, 'signed', signedAt)
      const told = store.criticalResults.get(reportId)?.communication
      if (told)
        add(
          'person',
          `told:${reportId}`,
          told.communicatedTo,
          'critical-result',
          told.communicatedAt,
        )
    }
    for (const { userId, at } of viewersOf(store.database, studyInstanceUid))
      add('person', `user:${userId}`, personOf({ store }, userId).name, 'opened-images', at)
    const ordered =
      scribe?.detail.reportMetadata?.referringPhysicianName ||
      images?.header.referringPhysicianName ||
      ''
    const last = reports.at(-1)
    if (last) add('person', REFERRING_PHYSICIAN, nameOf(ordered), 'ordered', last.signedAt)
  }

  addDestinations()
  addPartners()
  addPeople()
  return [...found.values()]
}

/** PS3.5 §6.2.1.2: the first component group, as a person writes it. */
function nameOf(personName: string): string {
  const [family = '', given = '', middle = '', prefix = '', suffix = ''] = (
    personName.split('=')[0] ?? ''
  ).split('^')
  return [prefix, given, middle, family, suffix]
    .filter((part) => part.trim() !== '')
    .join(' ')
    .trim()
}
