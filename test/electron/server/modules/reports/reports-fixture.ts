import { createHash, randomUUID } from 'node:crypto'
import { openEventLog } from '#server/modules/events/log.ts'
import {
  type ClinicalContextsDeps,
  openClinicalContexts,
} from '#server/modules/reports/clinical-contexts.ts'
import { openCriticalResults } from '#server/modules/reports/critical-results.ts'
import { reportPdfUrl } from '#server/modules/reports/pdf-links.ts'
import { openReportDelivery } from '#server/modules/reports/report-delivery.ts'
import { openReportLocks } from '#server/modules/reports/report-locks.ts'
import type { ReportPdf, ReportPdfInput } from '#server/modules/reports/report-pdf.ts'
import { openReportReading } from '#server/modules/reports/report-reading.ts'
import type { SignOrder } from '#server/modules/reports/report-signing.ts'
import { openReportTemplates } from '#server/modules/reports/report-templates.ts'
import { openReportWriting } from '#server/modules/reports/report-writing.ts'
import { openReports } from '#server/modules/reports/reports.ts'
import { openSettings } from '#server/modules/settings/settings.ts'
import type { NewStudy } from '#server/modules/studies/service.ts'
import * as studyService from '#server/modules/studies/service.ts'
import type { UserRecord } from '#server/modules/users/queries.ts'
import { bound } from '../../../../support/bound.ts'
import { atTheWindow, newKey, newUser } from '../../../../support/callers.ts'
import { linksOf } from '../../../../support/links.ts'
import { tempStore } from '../../../../support/temp-store.ts'

export const SOUND = 'Findings:\nThe lungs are clear.\nImpression:\nNormal chest.'

export interface ReportStageOptions {
  readonly ask?: ClinicalContextsDeps['ask']
  readonly fetch?: ClinicalContextsDeps['fetch']
  /** `renderReportPdf` where the PDF itself matters: it takes most of the time of a signature. */
  readonly renderPdf?: (input: ReportPdfInput) => Promise<ReportPdf>
}

/**
 * The whole reporting domain on a real store: a partner's key, a radiologist at the window, and a
 * study.
 */
export function reportStage({ ask, fetch, renderPdf = inputAsPdf }: ReportStageOptions = {}) {
  const temp = tempStore()
  const { store, clock } = temp
  const publicBase = () => 'https://gateway.example'
  const studies = bound(studyService, temp.store)
  const reports = openReports({ ...temp, publicBase })
  const settings = openSettings(temp)
  const locks = openReportLocks({ clock, seconds: () => settings.get('reports.lockSeconds') })
  const eventLog = openEventLog(temp.store, (error) => expectNothing(error))
  const contexts = openClinicalContexts({
    ...{ ...temp, settings },
    ask: ask ?? (async () => ({ state: 'failed', answer: {}, notes: ['Nobody is asked.'] })),
    fetch: fetch ?? (async () => ({ fault: 'Nothing is fetched.' })),
  })
  const criticals = openCriticalResults(temp)
  const delivery = openReportDelivery({ store, publicBase })
  const reading = openReportReading({ ...temp, locks, contexts, criticals, delivery })
  const templates = openReportTemplates(temp)
  /** What was rendered, and what happens meanwhile. */
  const rendered: ReportPdfInput[] = []
  const meanwhile: (() => void)[] = []
  const writing = openReportWriting({
    ...{ ...temp, settings, locks, reports, events: eventLog },
    async renderPdf(input) {
      rendered.push(input)
      const pdf = await renderPdf(input)
      meanwhile.shift()?.()
      return pdf
    },
  })

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
  function written(text: string = SOUND, by = radiologist, of = studyId): SignOrder {
    writing.begin(by, of, { windowId, takeOver: false, text: '' })
    const { revision } = store.reports.draftOf(of) ?? { revision: 0 }
    const saved = writing.save(by, of, { windowId, revision, text })
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

  async function signed(text?: string, order: Partial<SignOrder> = {}): Promise<string> {
    const result = await writing.sign(radiologist, studyId, { ...written(text), ...order })
    if (result.outcome !== 'signed') throw new Error(JSON.stringify(result))
    return result.reportId
  }

  return {
    ...temp,
    ...{
      links: linksOf(store),
      pdfUrl: (reportId: string) => reportPdfUrl(store, publicBase(), reportId),
      studies,
      reports,
      settings,
      locks,
      eventLog,
      contexts,
      criticals,
      delivery,
      reading,
      templates,
      writing,
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
async function inputAsPdf(input: ReportPdfInput): Promise<ReportPdf> {
  const bytes = Buffer.from(JSON.stringify(input))
  return { bytes, pages: 1, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function expectNothing(error: unknown): never {
  throw error
}
