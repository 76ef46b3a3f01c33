import type { ImageStudyRecord } from '#server/modules/images/image-study-queries.ts'
import { isSameName } from '#server/modules/images/person-name.ts'
import type { IntakeDeps } from '#server/modules/images/ports.ts'
import { OWN_ADDRESS } from '#server/modules/images/study-identity.ts'
import { addDays, clinicDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import type { CorrectionTarget, TargetChoice } from '#shared/contract/corrections.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { PATIENT_SEX } from '#shared/dicom-values.ts'
import { identityOfHeader, type Order, patientOf, type Target } from './correction-rules.ts'

/** Orders of the worklist that are known here. */
export interface Orders {
  /** Of these days (YYYY-MM-DD), those that no device may be sent left out. */
  onDays(days: readonly string[]): Promise<Order[]>
  get(orderId: string): Promise<Order | undefined>
}

/** Where images can be put that are corrected. */
export interface CorrectionTargets {
  /** Undefined: it is not known any more. */
  targetOf(target: CorrectionTarget): Promise<Target | undefined>
  /** Orders and studies that the images of the study may belong to, the most similar first. */
  search(study: ImageStudyRecord, search: string): Promise<TargetChoice[]>
}

const MOST_TARGETS = 60
/** Modalities of the copies of reports. */
const OF_REPORTS: readonly string[] = ['SR', 'DOC']

export function openCorrectionTargets({
  store,
  clock,
  setting,
  orders,
}: Pick<IntakeDeps, 'store' | 'clock' | 'setting' | 'orders'>): CorrectionTargets {
  const { imageStudies, reportObjects, reports, studies } = store
  const today = () => clinicDay(clock(), timeZoneOf(setting('clinic.timeZone')))

  /** Without the copies of its signed reports. */
  function imagesIn(studyInstanceUid: string): number {
    const study = studies.byUid('scribe', studyInstanceUid)
    const signed = study ? reports.signedOf(study.studyId) : []
    const copies = signed.flatMap(({ reportId }) => reportObjects.ofReport(reportId)).length
    return Math.max(0, (imageStudies.get(studyInstanceUid)?.instances ?? 0) - copies)
  }

  return {
    async targetOf(target) {
      if (target.to === 'patient') return { ...NOTHING, patient: target.patient }
      if (target.to === 'order') {
        const order = await orders.get(target.orderId)
        if (!order) return undefined
        const { studyInstanceUid } = order
        const there = imagesThere(imageStudies.get(studyInstanceUid))
        return { ...NOTHING, ...there, patient: patientOf(order), studyInstanceUid, order }
      }
      const { studyInstanceUid } = target
      const there = imagesThere(imageStudies.get(studyInstanceUid))
      if (there)
        return { ...NOTHING, ...there, patient: identityOfHeader(there.header), studyInstanceUid }
      const metadata = studies.byUid('scribe', studyInstanceUid)?.detail.reportMetadata
      if (!metadata) return undefined
      const order = (await orders.onDays(daysAround(metadata.scanDate, today()))).find(
        (one) => one.studyInstanceUid === studyInstanceUid,
      )
      const patient = { ...patientOfMetadata(metadata) }
      if (order) patient.accessionNumber = order.accessionNumber
      return { ...NOTHING, patient, studyInstanceUid, order }
    },

    async search(study, search) {
      const { studyInstanceUid } = study
      const own = identityOfHeader(study.header)
      const listed = await orders.onDays(daysAround(study.header.studyDate, today()))
      const found: TargetChoice[] = listed.map((order) => ({
        target: { to: 'order', orderId: order.orderId },
        ...patientOf(order),
        description:
          order.requestedProcedureDescription ||
          order.scheduledProcedureStepDescription ||
          order.studyDescription,
        ...{ modality: order.modality, date: order.date, time: order.time },
        instances: imagesIn(order.studyInstanceUid),
      }))
      const searches =
        search === '' ? [own.patientId, own.patientName].filter((text) => text !== '') : [search]
      const others = new Map(
        searches
          .flatMap(
            (text) =>
              imageStudies.list({ show: 'all', search: text }, undefined, MOST_TARGETS).items,
          )
          .map((other) => [other.studyInstanceUid, other]),
      )
      others.delete(studyInstanceUid)
      for (const other of others.values()) {
        if (other.instances === 0) continue
        const { studyDescription, studyDate, studyTime } = other.header
        found.push({
          target: { to: 'study', studyInstanceUid: other.studyInstanceUid },
          ...identityOfHeader(other.header),
          description: studyDescription,
          modality: other.modalities.filter((one) => !OF_REPORTS.includes(one)).join(', '),
          ...{ date: studyDate, time: studyTime, instances: imagesIn(other.studyInstanceUid) },
        })
      }
      const ordered = new Set(listed.map((order) => order.studyInstanceUid))
      const waiting = studies.search.find(
        { area: 'scribe', search, isCancelled: false },
        'newest',
        undefined,
        MOST_TARGETS,
      )
      for (const { studyInstanceUid: uid, detail, studyDescription } of waiting.items) {
        if (ordered.has(uid) || imageStudies.get(uid)?.instances) continue
        const metadata = detail.reportMetadata ?? {}
        found.push({
          target: { to: 'study', studyInstanceUid: uid },
          ...patientOfMetadata(metadata),
          description: studyDescription,
          modality: '',
          date: (metadata.scanDate ?? '').replaceAll('-', ''),
          time: '',
          instances: 0,
        })
      }
      const words = folded(search).split(/[\s^]/)
      const isFound = (choice: TargetChoice) => {
        const { patientName, patientId, accessionNumber, description } = choice
        const text = folded([patientName, patientId, accessionNumber, description].join(' '))
        return words.every((word) => text.includes(word))
      }
      const score = (choice: TargetChoice) =>
        (isSame(choice.accessionNumber, own.accessionNumber) ? 8 : 0) +
        (isSame(choice.patientId, own.patientId) ? 4 : 0) +
        (isSameName(choice.patientName, own.patientName) ? 4 : 0) +
        (study.modalities.includes(choice.modality) ? 2 : 0) +
        (choice.date === study.header.studyDate ? 1 : 0)
      return found
        .filter(isFound)
        .sort((a, b) => score(b) - score(a) || a.patientName.localeCompare(b.patientName))
        .slice(0, MOST_TARGETS)
    },
  }
}

const NOTHING = {
  studyInstanceUid: undefined,
  order: undefined,
  header: undefined,
  row: undefined,
} as const
const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
const isSame = (one: string, other: string) => one !== '' && one === other

/** The patient of a study that was created through the interface. */
const patientOfMetadata = ({ patientName, mrn, dateOfBirth, sex }: StudyReportMetadata) => ({
  patientName: (patientName ?? '').trim(),
  patientId: (mrn ?? '').trim(),
  patientBirthDate: (dateOfBirth ?? '').replaceAll('-', ''),
  patientSex: sex ? PATIENT_SEX[sex] : ('' as const),
  accessionNumber: '',
})

/** A study that was only announced, or holds what the gateway made, has no patient of its own. */
function imagesThere(study: ImageStudyRecord | undefined) {
  if (!study || study.instances === 0 || study.remoteAddress === OWN_ADDRESS) return undefined
  return { header: study.header, row: study.handedOut ?? undefined }
}

/**
 * YYYY-MM-DD of the days around when the images were made, and of those around now.
 * @param studyDate YYYYMMDD or YYYY-MM-DD; another text says nothing
 */
function daysAround(studyDate: string | undefined, today: string): string[] {
  const [, year, month, day] = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(studyDate ?? '') ?? []
  const days = year ? [`${year}-${month}-${day}`, today] : [today]
  return [...new Set(days.flatMap((one) => [-1, 0, 1].map((offset) => addDays(one, offset))))]
}
