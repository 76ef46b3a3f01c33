import type { Context } from '#server/context.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import type { RefusedHosts } from '#server/modules/partners/refused-hosts.ts'
import { endpointFor } from '#server/modules/partners/targets.ts'
import { findStudy, type StudyRecord } from '#server/modules/studies/study-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import { acceptAnswer, type Requester, WebhookError } from '#server/webhooks/request.ts'
import type { ClinicalContext } from '#shared/contract/reports.ts'
import type { EventData, EventResponse } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import { uuidOf } from '#shared/ids.ts'
import {
  type Message,
  type MessageCode,
  message,
  messageOrNull,
  storedMessage,
} from '#shared/messages/message.ts'
import {
  findClinicalContext,
  listContextDocuments,
  type NewContextDocument,
  putClinicalContext,
  replaceContextDocuments,
} from './clinical-context-queries.ts'

const EVENT = 'clinical_context.enrichment_requested'
/** Bounds of what one answer can make the gateway fetch and keep. */
const MOST_DOCUMENTS = 20
const DOCUMENT_BYTES = 20 * 1024 * 1024
/** Of the documents of one answer together, which are in memory at once. */
const ANSWER_BYTES = 100 * 1024 * 1024
const AT_ONCE = 4

/** As it is kept; what the study itself says stands where the answer says nothing. */
export function clinicalContextOf(
  { database }: Context,
  { studyId, detail }: StudyRecord,
): ClinicalContext {
  const kept = findClinicalContext(database, studyId)
  const inline = (kept?.documents ?? []).map(({ fileName, content }) => ({
    ...{ documentId: null, fileName, mediaType: 'text/plain', content: [...content], fault: null },
  }))
  const files = listContextDocuments(database, studyId).map(
    ({ documentId, fileName, mediaType, detail }) => ({
      ...{ documentId, fileName, mediaType, content: [] },
      fault: messageOrNull(detail),
    }),
  )
  const notes = [...(detail.technologistNotes ?? []), ...(kept?.technologistNotes ?? [])]
  return {
    state: kept?.state ?? 'not-asked',
    askedAt: kept?.askedAt ?? null,
    notes: [...(kept?.notes ?? [])],
    clinicalIndication: kept?.clinicalIndication || (detail.clinicalIndication ?? ''),
    technologistTechnique: kept?.technologistTechnique || (detail.technologistTechnique ?? ''),
    technologistNotes: [...new Set(notes)],
    documents: [...inline, ...files],
  }
}

/**
 * Asks the clinic's default endpoint for the clinical context of a study when its report is opened,
 * and keeps the answer with its documents. It is a soft event: every failure is an empty context.
 */
export class ClinicalContexts implements Disposable {
  readonly #context: Context
  readonly #requester: Requester
  readonly #downloads: Downloads
  readonly #refusedHosts: RefusedHosts
  readonly #eventLog: Pick<EventLog, 'setEffect'>
  /** Two windows that open one study ask once. */
  readonly #underWay = new Map<string, Promise<void>>()
  readonly #closing = new AbortController()

  constructor(
    context: Context,
    requester: Requester,
    downloads: Downloads,
    refusedHosts: RefusedHosts,
    eventLog: Pick<EventLog, 'setEffect'>,
  ) {
    this.#context = context
    this.#requester = requester
    this.#downloads = downloads
    this.#refusedHosts = refusedHosts
    this.#eventLog = eventLog
  }

  /**
   * Asks, fetches and keeps, where it was not asked yet or there was no answer; `again`: in any
   * case. Where the gateway closes meanwhile it rejects, and nothing is kept. @throws ApiError
   * not-found
   */
  async ask(studyId: string, { again = false } = {}): Promise<void> {
    const { database } = this.#context
    const study = findStudy(database, studyId)
    if (study?.area !== 'scribe') throw new ApiError('not-found', message('studies.none-such'))
    const state = findClinicalContext(database, studyId)?.state
    if (!again && state !== undefined && state !== 'failed') return
    const asking =
      this.#underWay.get(studyId) ??
      this.#askNow(study).finally(() => this.#underWay.delete(studyId))
    this.#underWay.set(studyId, asking)
    await asking
  }

  /** Ends what is being asked or fetched: a host of documents may hang for minutes. */
  [Symbol.dispose](): void {
    this.#closing.abort(new Error('the gateway is closing'))
  }

  async #askNow(study: StudyRecord): Promise<void> {
    const { database, clock } = this.#context
    const { studyId } = study
    const { answer, notes, isFailed } = await this.#request(study)
    const { documentUrls = [] } = answer
    const given = answeredParts(answer)
    const left = documentUrls.length - MOST_DOCUMENTS
    const documents = await this.#fetchAll(studyId, documentUrls.slice(0, MOST_DOCUMENTS))
    const isEmpty =
      documentUrls.length === 0 &&
      Object.values(given).every((value) =>
        typeof value === 'string' ? value.trim() === '' : value.length === 0,
      )
    const keep = () => {
      const before = findClinicalContext(database, studyId)
      // A partner that is down now does not take away what it said before.
      if (isFailed && before?.state === 'answered')
        return putClinicalContext(database, { ...before, notes })
      putClinicalContext(database, {
        ...{ studyId, askedAt: instantOf(clock()), ...given },
        state: isFailed ? 'failed' : isEmpty ? 'empty' : 'answered',
        notes:
          left > 0 ? [...notes, message('reports.context-documents-left', { count: left })] : notes,
      })
      replaceContextDocuments(database, studyId, documents)
    }
    // Where the disk does not take it the report is written without it, and it is asked for at the
    // next opening.
    tryWrite(() => database.transaction(keep))
  }

  /** `notes` say what of the answer was left out, or why there is none. */
  async #request(study: StudyRecord) {
    const notes: Message[] = []
    const accept = acceptAnswer(EVENT)
    const { studyId: subject, studyInstanceUid } = study
    let eventId = ''
    try {
      const answer = await this.#requester.request(EVENT, questionOf(this.#context, study), {
        ...{ about: { subject, studyInstanceUid }, signal: this.#closing.signal },
        accept(reply) {
          eventId = reply.webhookId
          return accept({
            ...reply,
            note(path, sentence) {
              notes.push(message('reports.context-note', { path, note: sentence }))
              reply.note(path, sentence)
            },
          })
        },
      })
      this.#eventLog.setEffect(eventId, effectOf(answer))
      return { answer, notes, isFailed: false }
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      const why =
        error.fault === 'no-endpoint' ? message('reports.context-no-endpoint') : error.detail
      notes.splice(0, notes.length, message('reports.context-none', { why }))
      return { answer: {} as Answer, notes, isFailed: true }
    }
  }

  async #fetchAll(studyId: string, urls: readonly DocumentUrl[]): Promise<NewContextDocument[]> {
    const documents: NewContextDocument[] = []
    let room = ANSWER_BYTES
    for (let start = 0; start < urls.length; start += AT_ONCE) {
      const most = Math.min(DOCUMENT_BYTES, room)
      const fetched = await Promise.all(
        urls.slice(start, start + AT_ONCE).map(async ({ url, fileName }) => ({
          ...{ studyId, fileName: fileName ?? nameOf(url), source: withoutQuery(url) },
          ...(await this.#fetch(url, most)),
          fetchedAt: instantOf(this.#context.clock()),
        })),
      )
      room -= fetched.reduce((bytes, { content }) => bytes + (content?.length ?? 0), 0)
      documents.push(...fetched)
    }
    return documents
  }

  /** Under the rules for presigned URLs. */
  async #fetch(url: string, maxBytes: number) {
    if (maxBytes <= 0) return unfetched(message('reports.context-documents-too-large'))
    const taker = endpointFor(this.#context.database, EVENT, null)
    try {
      const { body, mediaType } = await this.#downloads.get(url, {
        ...{ hosts: taker?.fileHosts ?? [], maxBytes, signal: this.#closing.signal },
      })
      return { mediaType, state: 'kept', detail: '', content: body }
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      if (taker && error.fault === 'forbidden-address')
        this.#refusedHosts.note(taker.endpointId, url)
      return unfetched(message('reports.context-document-failed', { why: error.detail }))
    }
  }
}

type Answer = EventResponse<typeof EVENT>
type DocumentUrl = NonNullable<Answer['documentUrls']>[number]
const answeredParts = ({
  clinicalIndication = '',
  technologistTechnique = '',
  technologistNotes = [],
  documents = [],
  priorReports = [],
}: Answer) => ({
  ...{ clinicalIndication, technologistTechnique, technologistNotes, documents, priorReports },
})

const unfetched = (why: Message) => ({
  ...{ mediaType: '', state: 'failed', detail: storedMessage(why), content: null },
})

function questionOf(
  { settings }: Context,
  { studyId, studyInstanceUid, detail }: StudyRecord,
): EventData<typeof EVENT> {
  const { externalPatientId } = detail
  const mrn = detail.reportMetadata?.mrn
  return {
    clinicId: settings.get('clinic.id') ?? '',
    studyId: uuidOf(studyId),
    studyInstanceUid,
    ...(externalPatientId && { externalPatientId }),
    ...(mrn && { mrn }),
  }
}

/** What of the answer is kept with the study, counted: its texts are about a patient. */
function effectOf(answer: Answer): Message {
  const given = answeredParts(answer)
  const documents = given.documents.length + (answer.documentUrls?.length ?? 0)
  const parts = [
    ...(given.clinicalIndication.trim() === '' ? [] : [message('reports.context-indication')]),
    ...(given.technologistTechnique.trim() === '' ? [] : [message('reports.context-technique')]),
    ...counted(given.technologistNotes.length, 'reports.context-notes'),
    ...counted(documents, 'reports.context-documents'),
    ...counted(given.priorReports.length, 'reports.context-prior-reports'),
  ]
  return parts.length === 0
    ? message('webhooks.added-nothing')
    : message('reports.context-kept', { parts })
}

const counted = (count: number, code: MessageCode) =>
  count === 0 ? [] : [message(code, { count })]

/** A presigned address has its secret in the query. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

function nameOf(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last) || 'Document'
  } catch {
    return last
  }
}
