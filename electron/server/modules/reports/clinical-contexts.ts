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
import { type Message, type MessageCode, message, storedMessage } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'
import {
  findClinicalContext,
  listContextDocuments,
  type NewContextDocument,
  putClinicalContext,
  replaceContextDocuments,
} from './clinical-context-queries.ts'

const ENRICHMENT_EVENT = 'clinical_context.enrichment_requested'
/** Limits for the documents of one response. */
const MAX_DOCUMENTS = 20
const MAX_DOCUMENT_BYTES = 20 * 1024 * 1024
/** For all documents of a response together, because they are held in memory at the same time. */
const MAX_RESPONSE_BYTES = 100 * 1024 * 1024
const MAX_CONCURRENT_DOWNLOADS = 4

/**
 * The stored clinical context of a study. Fields that the partner left empty are taken from the
 * study itself.
 */
export function clinicalContextOf(
  { database }: Context,
  { studyId, detail }: StudyRecord,
): ClinicalContext {
  const stored = findClinicalContext(database, studyId)
  const inlineDocuments = (stored?.documents ?? []).map(({ fileName, content }) => ({
    ...{ documentId: null, fileName, mediaType: 'text/plain', content: [...content], fault: null },
  }))
  const files = listContextDocuments(database, studyId).map(
    ({ documentId, fileName, mediaType, detail }) => ({
      ...{ documentId, fileName, mediaType, content: [] },
      fault: messageOrNull(detail),
    }),
  )
  const notes = [...(detail.technologistNotes ?? []), ...(stored?.technologistNotes ?? [])]
  return {
    state: stored?.state ?? 'not-asked',
    askedAt: stored?.askedAt ?? null,
    notes: [...(stored?.notes ?? [])],
    clinicalIndication: stored?.clinicalIndication || (detail.clinicalIndication ?? ''),
    clinicalHistory: detail.clinicalHistory ?? '',
    technologistTechnique: stored?.technologistTechnique || (detail.technologistTechnique ?? ''),
    technologistNotes: [...new Set(notes)],
    documents: [...inlineDocuments, ...files],
  }
}

/**
 * Requests the clinical context of a study from the clinic's default endpoint when its report is
 * opened, and stores the response with its documents. Reporting does not depend on it: any failure
 * results in an empty context.
 */
export class ClinicalContexts implements Disposable {
  readonly #context: Context
  readonly #requester: Requester
  readonly #downloads: Downloads
  readonly #refusedHosts: RefusedHosts
  readonly #eventLog: Pick<EventLog, 'setEffect'>
  /**
   * Requests in progress by study ID, so that two windows that open the same study share one
   * request.
   */
  readonly #inProgress = new Map<string, Promise<void>>()
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
   * Requests and stores the context unless the partner has already answered; with `again`, in any
   * case. If the gateway closes in the meantime, it rejects and nothing is stored.
   * @throws ApiError not-found
   */
  async ask(studyId: string, { again = false } = {}): Promise<void> {
    const { database } = this.#context
    const study = findStudy(database, studyId)
    if (study?.area !== 'scribe') throw new ApiError('not-found', message('studies.none-such'))
    const state = findClinicalContext(database, studyId)?.state
    if (!again && state !== undefined && state !== 'failed') return
    const request =
      this.#inProgress.get(studyId) ??
      this.#askNow(study).finally(() => this.#inProgress.delete(studyId))
    this.#inProgress.set(studyId, request)
    await request
  }

  /** Aborts requests and downloads, because a document host may not respond for minutes. */
  [Symbol.dispose](): void {
    this.#closing.abort(new Error('the gateway is closing'))
  }

  async #askNow(study: StudyRecord): Promise<void> {
    const { database, clock } = this.#context
    const { studyId } = study
    const { answer, notes, isFailed } = await this.#request(study)
    const { documentUrls = [] } = answer
    const given = contextFields(answer)
    const excess = documentUrls.length - MAX_DOCUMENTS
    const documents = await this.#fetchAll(studyId, documentUrls.slice(0, MAX_DOCUMENTS))
    const isEmpty =
      documentUrls.length === 0 &&
      Object.values(given).every((value) =>
        typeof value === 'string' ? value.trim() === '' : value.length === 0,
      )
    const keep = () => {
      const before = findClinicalContext(database, studyId)
      // A failed request does not discard an earlier response.
      if (isFailed && before?.state === 'answered')
        return putClinicalContext(database, { ...before, notes })
      putClinicalContext(database, {
        ...{ studyId, askedAt: instantOf(clock()), ...given },
        state: isFailed ? 'failed' : isEmpty ? 'empty' : 'answered',
        notes:
          excess > 0
            ? [...notes, message('reports.context-documents-left', { count: excess })]
            : notes,
      })
      replaceContextDocuments(database, studyId, documents)
    }
    // If it cannot be written, the report can be written without it, and it is requested again the
    // next time the report is opened.
    tryWrite(() => database.transaction(keep))
  }

  /**
   * Sends the request. `notes` describe what was left out of the response, or why there is none.
   */
  async #request(study: StudyRecord) {
    const notes: Message[] = []
    const accept = acceptAnswer(ENRICHMENT_EVENT)
    const { studyId: subject, studyInstanceUid } = study
    let eventId = ''
    try {
      const answer = await this.#requester.request(
        ENRICHMENT_EVENT,
        eventDataOf(this.#context, study),
        {
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
        },
      )
      this.#eventLog.setEffect(eventId, responseSummary(answer))
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
    let remainingBytes = MAX_RESPONSE_BYTES
    for (let start = 0; start < urls.length; start += MAX_CONCURRENT_DOWNLOADS) {
      const maxBytes = Math.min(MAX_DOCUMENT_BYTES, remainingBytes)
      const fetched = await Promise.all(
        urls.slice(start, start + MAX_CONCURRENT_DOWNLOADS).map(async ({ url, fileName }) => ({
          ...{ studyId, fileName: fileName ?? nameOf(url), source: withoutQuery(url) },
          ...(await this.#fetch(url, maxBytes)),
          fetchedAt: instantOf(this.#context.clock()),
        })),
      )
      remainingBytes -= fetched.reduce((bytes, { content }) => bytes + (content?.length ?? 0), 0)
      documents.push(...fetched)
    }
    return documents
  }

  /** Downloads a document, under the same rules as presigned URLs. */
  async #fetch(url: string, maxBytes: number) {
    if (maxBytes <= 0) return failedDownload(message('reports.context-documents-too-large'))
    const endpoint = endpointFor(this.#context.database, ENRICHMENT_EVENT, null)
    try {
      const { body, mediaType } = await this.#downloads.get(url, {
        ...{ hosts: endpoint?.fileHosts ?? [], maxBytes, signal: this.#closing.signal },
      })
      return { mediaType, state: 'kept', detail: '', content: body }
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      if (endpoint && error.fault === 'forbidden-address')
        this.#refusedHosts.note(endpoint.endpointId, url)
      return failedDownload(message('reports.context-document-failed', { why: error.detail }))
    }
  }
}

type Answer = EventResponse<typeof ENRICHMENT_EVENT>
type DocumentUrl = NonNullable<Answer['documentUrls']>[number]
const contextFields = ({
  clinicalIndication = '',
  technologistTechnique = '',
  technologistNotes = [],
  documents = [],
  priorReports = [],
}: Answer) => ({
  ...{ clinicalIndication, technologistTechnique, technologistNotes, documents, priorReports },
})

const failedDownload = (why: Message) => ({
  ...{ mediaType: '', state: 'failed', detail: storedMessage(why), content: null },
})

function eventDataOf(
  { settings }: Context,
  { studyId, studyInstanceUid, detail }: StudyRecord,
): EventData<typeof ENRICHMENT_EVENT> {
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

/** Summarizes the response in counts, because its texts are about a patient. */
function responseSummary(answer: Answer): Message {
  const given = contextFields(answer)
  const documents = given.documents.length + (answer.documentUrls?.length ?? 0)
  const parts = [
    ...(given.clinicalIndication.trim() === '' ? [] : [message('reports.context-indication')]),
    ...(given.technologistTechnique.trim() === '' ? [] : [message('reports.context-technique')]),
    ...countMessage(given.technologistNotes.length, 'reports.context-notes'),
    ...countMessage(documents, 'reports.context-documents'),
    ...countMessage(given.priorReports.length, 'reports.context-prior-reports'),
  ]
  return parts.length === 0
    ? message('webhooks.added-nothing')
    : message('reports.context-kept', { parts })
}

const countMessage = (count: number, code: MessageCode) =>
  count === 0 ? [] : [message(code, { count })]

/** The query of a presigned URL contains its secret. */
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
