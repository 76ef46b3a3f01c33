import { createHash, randomUUID } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { EventLog } from '#server/modules/events/log.ts'
import { openRefusedHosts } from '#server/modules/partners/refused-hosts.ts'
import { readContextDocument } from '#server/modules/reports/clinical-context-queries.ts'
import { ClinicalContexts, clinicalContextOf } from '#server/modules/reports/clinical-contexts.ts'
import * as criticals from '#server/modules/reports/critical-results.ts'
import { overrideIdentity, withdrawOverride } from '#server/modules/reports/identity-override.ts'
import { reportPdfUrl } from '#server/modules/reports/pdf-links.ts'
import { deliveryData, deliveryOf } from '#server/modules/reports/report-delivery.ts'
import * as locks from '#server/modules/reports/report-locks.ts'
import type { ReportPdf } from '#server/modules/reports/report-pdf.ts'
import type { ReportPdfInput } from '#server/modules/reports/report-pdf-layout.ts'
import { findDraft } from '#server/modules/reports/report-queries.ts'
import { findScribeStudyId, readReadingState } from '#server/modules/reports/report-reading.ts'
import { type SignRequest, signReport } from '#server/modules/reports/report-signing.ts'
import * as templates from '#server/modules/reports/report-templates.ts'
import * as writing from '#server/modules/reports/report-writing.ts'
import * as reports from '#server/modules/reports/reports.ts'
import type { NewStudy } from '#server/modules/studies/service.ts'
import * as studyService from '#server/modules/studies/service.ts'
import type { UserCaller } from '#server/modules/users/caller.ts'
import type { UserRecord } from '#server/modules/users/queries.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import type { Requester } from '#server/webhooks/request.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { EventResponse } from '#shared/contract/webhooks.ts'
import { verbatim } from '#shared/messages/message.ts'
import { bound } from '../../../../support/bound.ts'
import { atTheWindow, newKey, newUser } from '../../../../support/callers.ts'
import { linksOf } from '../../../../support/links.ts'
import { tempStore } from '../../../../support/temp-store.ts'

export const SOUND = 'Findings:\nThe lungs are clear.\nImpression:\nNormal chest.'

/** The functions about reports with their context given. */
export const boundReports = (store: Context) => {
  const given =
    <Rest extends unknown[], Result>(work: (context: Context, ...rest: Rest) => Result) =>
    (...rest: Rest) =>
      work(store, ...rest)
  return {
    locks: bound(locks, store),
    reports: bound(reports, store),
    criticals: bound(criticals, store),
    templates: bound(templates, store),
    reading: { read: given(readReadingState), byUid: given(findScribeStudyId) },
    writing: {
      ...bound(writing, store),
      overrideIdentity: given(overrideIdentity),
      withdrawOverride: given(withdrawOverride),
      startAddendum: given(reports.startAddendum),
    },
  }
}

type Answer = EventResponse<'clinical_context.enrichment_requested'>
export interface ReportStageOptions {
  /** What the partner says of a patient; it is not reached where there is none. */
  readonly answer?: (data: unknown, about: unknown) => Answer
  /** The document of an address. @throws WebhookError */
  readonly fetch?: (url: string, maxBytes: number) => Buffer
  /** `renderReportPdf` where the PDF itself matters: it takes most of the time of a signature. */
  readonly renderPdf?: (input: ReportPdfInput) => Promise<ReportPdf>
}

/** A partner that answers at once, as far as the clinical context asks it. */
function contextsOf(store: Context, { answer, fetch }: ReportStageOptions) {
  const requester = {
    async request(_: string, data: unknown, options: Parameters<Requester['request']>[2]) {
      if (!answer) throw new WebhookError('no-endpoint', verbatim('there is no endpoint'))
      const body = Buffer.from(JSON.stringify(answer(data, options?.about)))
      return options?.accept?.({ body, webhookId: 'whe_1', note: () => {} } as never)
    },
  } as unknown as Requester
  const downloads = {
    async get(url: string, { maxBytes }: { readonly maxBytes: number }) {
      if (!fetch) throw new WebhookError('unreachable', verbatim('nothing is fetched'))
      return { body: fetch(url, maxBytes), mediaType: 'application/pdf' }
    },
  } as unknown as Downloads
  const eventLog = { setEffect: () => {} }
  const asking = new ClinicalContexts(
    ...([store, requester, downloads, openRefusedHosts(Date.now), eventLog] as const),
  )
  return {
    ask: (studyId: string, options?: { again: boolean }) => asking.ask(studyId, options),
    of: (study: studyService.Study['record']) => clinicalContextOf(store, study),
    document: (studyId: string, documentId: number) =>
      readContextDocument(store.database, studyId, documentId),
    asking,
  }
}

/**
 * The whole reporting domain on a real store: a partner's key, a radiologist at the window, and a
 * study.
 */
export function reportStage(options: ReportStageOptions = {}) {
  const { renderPdf = inputAsPdf } = options
  const temp = tempStore()
  const { store } = temp
  const publicBase = () => 'https://gateway.example'
  const studies = bound(studyService, store)
  const eventLog = new EventLog(store)
  const contexts = contextsOf(store, options)
  /** What was rendered, and what happens meanwhile. */
  const rendered: ReportPdfInput[] = []
  const meanwhile: (() => void)[] = []
  const domain = boundReports(store)
  const writing = {
    ...domain.writing,
    sign: (caller: UserCaller, studyId: string, order: SignRequest) =>
      signReport(store, eventLog, caller, studyId, order, async (input) => {
        rendered.push(input)
        const pdf = await renderPdf(input)
        meanwhile.shift()?.()
        return pdf
      }),
  }

  const key = newKey(store)
  const user = newUser(store, {
    firstName: 'Una',
    lastName: 'Malá',
    suffix1: 'MD',
    npiNumber: '1234567890',
  })
  const radiologist = atTheWindow(user)
  const newStudy = (more: Partial<NewStudy> = {}) =>
    studyService.createStudy(store, key, 'scribe', {
      ...{ studyInstanceUid: `1.2.${++lastUid}`, studyDescription: 'CT CHEST', severity: 'normal' },
      reportMetadata: { patientName: 'Ada Example', mrn: 'M-7', sex: 'female', age: '45' },
      ...more,
    }).record
  const study = newStudy()
  const { studyId } = study
  const windowId = randomUUID()

  /** Begins in the window, writes and gives back what to sign. */
  function written(text: string = SOUND, by = radiologist, of = studyId): SignRequest {
    writing.beginReport(by, of, { windowId, takeOver: false, text: '' })
    const { revision } = findDraft(store.database, of) ?? { revision: 0 }
    const saved = writing.saveReport(by, of, { windowId, revision, text })
    if (saved.outcome !== 'saved') throw new Error('not saved')
    return {
      windowId,
      revision: saved.revision,
      isCritical: false,
      finding: null,
      communication: null,
      acknowledged: [],
    }
  }

  async function signed(text?: string, order: Partial<SignRequest> = {}): Promise<string> {
    const result = await writing.sign(radiologist, studyId, { ...written(text), ...order })
    if (result.outcome !== 'signed') throw new Error(JSON.stringify(result))
    return result.reportId
  }

  return {
    ...temp,
    ...{
      links: linksOf(store),
      pdfUrl: (reportId: string) => reportPdfUrl(store, publicBase(), reportId),
      ...domain,
      studies,
      store,
      eventLog,
      contexts,
      writing,
      delivery: {
        deliveryOf: (reportId: string) => deliveryData(store, publicBase(), reportId),
        stateOf: (reportId: string) => deliveryOf(store, reportId),
      },
    },
    ...{
      rendered,
      meanwhile,
      key,
      user,
      radiologist,
      study,
      studyId,
      windowId,
      newStudy,
      written,
      signed,
    },
    colleague: (more: Partial<UserRecord> = {}) =>
      atTheWindow(newUser(store, { firstName: 'Ben', lastName: 'Okoro', ...more })),
    status: () => studyService.readStudy(store, key, 'scribe', studyId).record.status,
    audited: () => store.audit.list({ limit: 100 }).items.map(({ action }) => action),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

let lastUid = 0

/** Stands for a PDF: its input as JSON, so that two inputs never give the same bytes. */
export async function inputAsPdf(input: ReportPdfInput): Promise<ReportPdf> {
  const bytes = Buffer.from(JSON.stringify(input))
  return { bytes, pages: 1, sha256: createHash('sha256').update(bytes).digest('hex') }
}
