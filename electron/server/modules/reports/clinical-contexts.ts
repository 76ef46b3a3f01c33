import type { DomainDeps } from '#server/modules/audit/audit.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import type { PriorReport, StudyRecord } from '#server/modules/studies/study-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { ClinicalContext } from '#shared/contract/reports.ts'
import type { EventData, EventResponse } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import { uuidOf } from '#shared/ids.ts'
import type { NewContextDocument } from './context-document-queries.ts'

const EVENT = 'clinical_context.enrichment_requested'
/** Bounds of what one answer can make the gateway fetch and keep. */
const MOST_DOCUMENTS = 20
const DOCUMENT_BYTES = 20 * 1024 * 1024
const ANSWER_BYTES = 100 * 1024 * 1024
const AT_ONCE = 4

/** What came of asking: its parts that are bad are left out, each with a sentence in `notes`. */
export interface ContextAnswer {
  /** failed: no answer that can be used; `notes` say why. */
  readonly state: 'answered' | 'failed'
  readonly answer: EventResponse<typeof EVENT>
  /** Sentences for a person; no value of the answer, no address with its query. */
  readonly notes: readonly string[]
}
/** A document, or one sentence that says why it could not be had. */
export type FetchedDocument =
  | { readonly body: Buffer; readonly mediaType: string }
  | { readonly fault: string }

export interface ClinicalContextsDeps extends DomainDeps {
  readonly settings: Pick<Settings, 'get'>
  /** Port: asks the clinic's default endpoint. It rejects only where the gateway closes. */
  readonly ask: (
    question: EventData<typeof EVENT>,
    about: { readonly subject: string; readonly studyInstanceUid: string },
  ) => Promise<ContextAnswer>
  /**
   * Port: fetches a document under the rules for presigned URLs. It rejects only where the gateway
   * closes.
   */
  readonly fetch: (url: string, options: { readonly maxBytes: number }) => Promise<FetchedDocument>
  /**
   * What the documents of one answer may hold together; they are in memory at once. 100 MiB unless
   * told.
   */
  readonly answerBytes?: number
}

/**
 * The clinical context of a study: asked when its report is opened, kept with it, its documents
 * fetched once (interface-choices §6 row 53).
 */
export interface ClinicalContexts {
  /** As it is kept; what the study itself says stands where the answer says nothing. */
  of(study: StudyRecord): ClinicalContext
  /** Earlier reports that the answer brought. */
  priorsOf(studyId: string): readonly PriorReport[]
  /**
   * Asks, fetches and keeps, where it was not asked yet or there was no answer; `again`: in any
   * case. @throws ApiError not-found
   */
  ask(studyId: string, options?: { readonly again?: boolean }): Promise<void>
  /**
   * A document with its bytes; undefined where it is not one of the study, or could not be fetched.
   */
  document(
    studyId: string,
    documentId: number,
  ): { readonly fileName: string; readonly mediaType: string; readonly content: Buffer } | undefined
}

export function openClinicalContexts(deps: ClinicalContextsDeps): ClinicalContexts {
  const { store, clock, settings, ask, fetch, answerBytes = ANSWER_BYTES } = deps
  const { clinicalContexts, contextDocuments } = store
  /** Two windows that open one study ask once. */
  const underWay = new Map<string, Promise<void>>()

  function questionOf({ studyId, studyInstanceUid, detail }: StudyRecord): EventData<typeof EVENT> {
    const { externalPatientId } = detail
    const mrn = detail.reportMetadata?.mrn
    return {
      ...{ clinicId: settings.get('clinic.id') ?? '', studyId: uuidOf(studyId), studyInstanceUid },
      ...(externalPatientId && { externalPatientId }),
      ...(mrn && { mrn }),
    }
  }

  async function fetched(
    studyId: string,
    urls: readonly { readonly url: string; readonly fileName?: string | undefined }[],
  ) {
    const documents: NewContextDocument[] = []
    let room = answerBytes
    for (let start = 0; start < urls.length; start += AT_ONCE) {
      const part = urls
        .slice(start, start + AT_ONCE)
        .map(async ({ url, fileName }): Promise<NewContextDocument> => {
          const had =
            room > 0 ? await fetch(url, { maxBytes: Math.min(DOCUMENT_BYTES, room) }) : TOO_MUCH
          const rest = {
            studyId,
            fileName: fileName ?? nameOf(url),
            source: withoutQuery(url),
            fetchedAt: instantOf(clock()),
          }
          if ('fault' in had)
            return { ...rest, mediaType: '', state: 'failed', detail: had.fault, content: null }
          return { ...rest, mediaType: had.mediaType, state: 'kept', detail: '', content: had.body }
        })
      const had = await Promise.all(part)
      room -= had.reduce((bytes, { content }) => bytes + (content?.length ?? 0), 0)
      documents.push(...had)
    }
    return documents
  }

  async function askNow(study: StudyRecord): Promise<void> {
    const { studyId, studyInstanceUid } = study
    const { state, answer, notes } = await ask(questionOf(study), {
      subject: studyId,
      studyInstanceUid,
    })
    const {
      clinicalIndication = '',
      technologistTechnique = '',
      technologistNotes = [],
      documents = [],
      priorReports = [],
    } = answer
    const urls = answer.documentUrls ?? []
    const left = urls.length - MOST_DOCUMENTS
    const kept = await fetched(studyId, urls.slice(0, MOST_DOCUMENTS))
    const isEmpty =
      [clinicalIndication, technologistTechnique].every((text) => text.trim() === '') &&
      [technologistNotes, documents, priorReports, urls].every((list) => list.length === 0)
    const keep = () => {
      const before = clinicalContexts.get(studyId)
      // A partner that is down now does not take away what it said before.
      if (state === 'failed' && before?.state === 'answered')
        return void clinicalContexts.put({ ...before, notes })
      clinicalContexts.put({
        ...{
          studyId,
          state: state === 'failed' ? 'failed' : isEmpty ? 'empty' : 'answered',
          askedAt: instantOf(clock()),
        },
        notes: left > 0 ? [...notes, `${left} more documents were named than are fetched.`] : notes,
        ...{
          clinicalIndication,
          technologistTechnique,
          technologistNotes,
          documents,
          priorReports,
        },
      })
      contextDocuments.replace(studyId, kept)
    }
    // Where the disk does not take it the report is written without it, and it is asked for at the
    // next opening.
    tryWrite(() => store.database.transaction(keep))
  }

  return {
    of({ studyId, detail }) {
      const kept = clinicalContexts.get(studyId)
      const inline = (kept?.documents ?? []).map(({ fileName, content }) => ({
        ...{
          documentId: null,
          fileName,
          mediaType: 'text/plain',
          content: [...content],
          fault: '',
        },
      }))
      const files = contextDocuments
        .ofStudy(studyId)
        .map(({ documentId, fileName, mediaType, detail: fault }) => ({
          ...{ documentId, fileName, mediaType, content: [], fault },
        }))
      return {
        ...{
          state: kept?.state ?? 'not-asked',
          askedAt: kept?.askedAt ?? null,
          notes: [...(kept?.notes ?? [])],
        },
        clinicalIndication: kept?.clinicalIndication || (detail.clinicalIndication ?? ''),
        technologistTechnique: kept?.technologistTechnique || (detail.technologistTechnique ?? ''),
        technologistNotes: [
          ...new Set([...(detail.technologistNotes ?? []), ...(kept?.technologistNotes ?? [])]),
        ],
        documents: [...inline, ...files],
      }
    },

    priorsOf: (studyId) => clinicalContexts.get(studyId)?.priorReports ?? [],

    async ask(studyId, { again = false } = {}) {
      const study = store.studies.get(studyId)
      if (study?.area !== 'scribe') throw new ApiError('not-found', 'There is no such study.')
      const state = clinicalContexts.get(studyId)?.state
      if (!again && state !== undefined && state !== 'failed') return
      const asking = underWay.get(studyId) ?? askNow(study).finally(() => underWay.delete(studyId))
      underWay.set(studyId, asking)
      await asking
    },

    document(studyId, documentId) {
      const entry = contextDocuments.get(documentId)
      const content = entry?.studyId === studyId ? contextDocuments.read(documentId) : undefined
      return entry && content
        ? { fileName: entry.fileName, mediaType: entry.mediaType, content }
        : undefined
    },
  }
}

const TOO_MUCH: FetchedDocument = {
  fault: 'It was not fetched: the documents named before it are too large together.',
}

/** What a presigned address opens is in its query. */
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
