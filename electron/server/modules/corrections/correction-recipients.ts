import type { Context } from '#server/context.ts'
import { type EventRow, listEvents } from '#server/modules/events/queries.ts'
import { findDestination } from '#server/modules/forwarding/destination-queries.ts'
import { findEndpoint } from '#server/modules/partners/queries.ts'
import { endpointName } from '#server/modules/partners/targets.ts'
import { findCriticalResult, listSignedReports } from '#server/modules/reports/report-queries.ts'
import { referringPhysicianOf } from '#server/modules/reports/signed-report.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { openReferences } from '#server/modules/studies/reference-queries.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { namedUserOf } from '#server/modules/users/queries.ts'
import type { NoticeContact, NoticeKind } from '#shared/contract/correction-notices.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { listFormerDestinations } from './correction-notice-queries.ts'
import { viewersOf } from './correction-queries.ts'

/** A recipient of images or values of a study. */
export interface Recipient {
  readonly kind: NoticeKind
  readonly subject: string
  readonly name: string
  readonly contacts: NoticeContact[]
}

type ContactKind = NoticeContact['what']

/** Events that send a partner values of a study, its report or its captures. */
const CONTACTS_BY_EVENT: Readonly<Partial<Record<EventType, ContactKind>>> = {
  'patient_study.enrichment_requested': 'enrichment',
  'clinical_context.enrichment_requested': 'context',
  'report.delivered': 'report',
  'secondary_capture.access_requested': 'captures',
}
/** Contacts that involve a signed report. */
const REPORT_CONTACTS: ReadonlySet<ContactKind> = new Set([
  'report',
  'customer',
  'signed',
  'critical-result',
  'ordered',
])
const REFERRING_PHYSICIAN = 'referring-physician'
const PAGE_SIZE = 100

/** Recipients of signed reports of a study to which images are added. */
export function reportRecipientsOf(context: Context, studyInstanceUid: string): Recipient[] {
  const study = findStudyByUid(context.database, 'scribe', studyInstanceUid)
  if (!study || listSignedReports(context.database, study.studyId).length === 0) return []
  return recipientsOf(context, studyInstanceUid, []).flatMap((recipient) => {
    const contacts = recipient.contacts
      .filter(({ what }) => REPORT_CONTACTS.has(what))
      .map((contact) => ({ ...contact, isOfTarget: true }))
    // The source study may have another referring physician.
    const subject =
      recipient.subject === REFERRING_PHYSICIAN
        ? `${REFERRING_PHYSICIAN}-of-target`
        : recipient.subject
    return contacts.length === 0 ? [] : [{ ...recipient, subject, contacts }]
  })
}

/**
 * Everyone who is known to have images or values of a study: destinations (the given ids, deleted
 * ones, and the one that the images were retrieved from), partners by their API keys and endpoints,
 * and people.
 * @param since only recipients with a contact after this time
 */
export function recipientsOf(
  context: Context,
  studyInstanceUid: string,
  destinationIds: readonly string[],
  since?: string,
): Recipient[] {
  const recipients = new Recipients(since)
  addDestinations(context, recipients, studyInstanceUid, destinationIds)
  addPartners(context, recipients, studyInstanceUid)
  addPeople(context, recipients, studyInstanceUid)
  return recipients.list()
}

/** Collects each recipient once, with the latest contact of each kind. */
class Recipients {
  readonly #since: string | undefined
  readonly #found = new Map<string, Recipient>()

  constructor(since: string | undefined) {
    this.#since = since
  }

  add(kind: NoticeKind, subject: string, name: string, what: ContactKind, at: string | null): void {
    if (name.trim() === '') return
    if (this.#since !== undefined && (at === null || at <= this.#since)) return
    const recipient = this.#found.get(subject) ?? { kind, subject, name, contacts: [] }
    this.#found.set(subject, recipient)
    const before = recipient.contacts.findIndex((contact) => contact.what === what)
    if (before === -1) recipient.contacts.push({ what, at })
    else if ((recipient.contacts[before]?.at ?? '') < (at ?? ''))
      recipient.contacts[before] = { what, at }
  }

  list = (): Recipient[] => [...this.#found.values()]
}

function addDestinations(
  { database }: Context,
  recipients: Recipients,
  studyInstanceUid: string,
  destinationIds: readonly string[],
): void {
  for (const destinationId of destinationIds) {
    const name = findDestination(database, destinationId)?.name ?? ''
    recipients.add('destination', `destination:${destinationId}`, name, 'has-images', null)
  }
  for (const { destinationId, name } of listFormerDestinations(database, studyInstanceUid)) {
    const subject = `former-destination:${destinationId}`
    recipients.add('destination', subject, name, 'former-destination', null)
  }
  const study = findImageStudy(database, studyInstanceUid)
  if (study?.isFetched)
    recipients.add(
      'destination',
      'source',
      study.deviceName || study.callingAeTitle,
      'source',
      null,
    )
}

function addPartners(context: Context, recipients: Recipients, studyInstanceUid: string): void {
  const { database } = context
  const references = openReferences(database)
  const addApiKey = (apiKeyId: string, what: ContactKind, at: string) => {
    const name = references.apiKey(apiKeyId)?.description || apiKeyId
    recipients.add('partner', `api-key:${apiKeyId}`, name, what, at)
  }
  for (const area of ['scribe', 'viewer'] as const) {
    const study = findStudyByUid(database, area, studyInstanceUid)
    if (!study) continue
    if (study.createdByApiKeyId !== null)
      addApiKey(study.createdByApiKeyId, 'created-study', study.createdAt)
    if (study.expressCustomerId !== null) {
      const name = references.expressCustomer(study.expressCustomerId)?.expressCustomerName ?? ''
      recipients.add('partner', `customer:${study.expressCustomerId}`, name, 'customer', null)
    }
  }
  for (const event of eventsOf(context, studyInstanceUid)) {
    const { endpointId } = event
    const what = CONTACTS_BY_EVENT[event.type]
    // An event that was never sent has no recipient.
    if (what === undefined || event.isTest || event.attempts === 0 || endpointId === null) continue
    const endpoint = findEndpoint(database, endpointId)
    const at = event.updatedAt > event.createdAt ? event.updatedAt : event.createdAt
    if (endpoint?.apiKeyId) addApiKey(endpoint.apiKeyId, what, at)
    else {
      const name = endpoint ? endpointName(endpoint) : endpointId
      recipients.add('partner', `endpoint:${endpointId}`, name, what, at)
    }
  }
}

function* eventsOf({ database }: Context, studyInstanceUid: string): Generator<EventRow> {
  const scribe = findStudyByUid(database, 'scribe', studyInstanceUid)
  const about = { subject: scribe?.studyId ?? studyInstanceUid, studyInstanceUid }
  let after: string | undefined
  do {
    const { items, next } = listEvents(database, { about, show: 'all', after, limit: PAGE_SIZE })
    yield* items
    after = next
  } while (after !== undefined)
}

function addPeople(context: Context, recipients: Recipients, studyInstanceUid: string): void {
  const { database } = context
  const scribe = findStudyByUid(database, 'scribe', studyInstanceUid)
  const reports = scribe ? listSignedReports(database, scribe.studyId) : []
  for (const { reportId, signer, userId, signedAt } of reports) {
    const id = signer?.userId ?? userId
    const name = signer?.name || namedUserOf(context.database, id).name
    recipients.add('person', `user:${id}`, name, 'signed', signedAt)
    const communication = findCriticalResult(database, reportId)?.communication
    if (communication)
      recipients.add(
        'person',
        `told:${reportId}`,
        communication.communicatedTo,
        'critical-result',
        communication.communicatedAt,
      )
  }
  for (const { userId, at } of viewersOf(database, studyInstanceUid)) {
    const { name } = namedUserOf(context.database, userId)
    recipients.add('person', `user:${userId}`, name, 'opened-images', at)
  }
  const last = reports.at(-1)
  if (!scribe || !last) return
  const physician = referringPhysicianOf(database, scribe)
  recipients.add('person', REFERRING_PHYSICIAN, nameOf(physician), 'ordered', last.signedAt)
}

/** Formats the first component group of a DICOM person name for display. */
function nameOf(personName: string): string {
  const [group = ''] = personName.split('=')
  const [family = '', given = '', middle = '', prefix = '', suffix = ''] = group.split('^')
  return [prefix, given, middle, family, suffix]
    .filter((part) => part.trim() !== '')
    .join(' ')
    .trim()
}
